// Draws a run of the simulator on a canvas: a row for each hardware thread, thread and task, and the queue.
//
// What a span is shows in its form, and not in its colour alone, as in the recordings: only what runs on a CPU is
// solid. Who waits and holds a thread is a pale band with the request's number, who waits and holds nothing is a row
// of dots, who stands in line is hatched, idle is a line. A colour always names a thread, so a bar on a CPU can be
// found again in the row of its thread.

/** More rows than this in one panel are drawn as counts. */
export const MOST_ROWS = 64;
const AXIS = 26;
/** How high a panel of numbers is. */
const COUNTS = 84;
/** The rows have no fewer pixels than this. */
const LEAST_ROW = 4;
/** The states, from what is drawn at the bottom of a panel of numbers to its top. */
export const STATES = ["running", "holding", "ready", "waiting", "idle"];
const NONE = Object.fromEntries(STATES.map((state) => [state, 0]));

/** The greatest index whose `key` is at most `value`, or -1. `list` is in order. */
export function lastAt(list, value, key = (item) => item) {
    let low = 0;
    let high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (key(list[middle]) <= value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

/** What threads do: one that waits holds itself, with the request that it serves. */
function ofThreads(threads) {
    const state = (span) => ({ ...span, state: span.state === "waiting" ? "holding" : span.state });
    return threads.map((thread) => ({ ...thread, spans: thread.spans.map(state) }));
}

/** What tasks do: one that is polled works only while its worker is on a CPU; a call that blocks holds the worker. */
function ofTasks(tasks, threads) {
    const byId = new Map(threads.map((thread) => [thread.id, thread.spans]));
    const parts = (span) => {
        if (span.state !== "polled") {
            return [span];
        }
        const spans = byId.get(span.thread) ?? [];
        const found = [];
        for (
            let index = Math.max(
                0,
                lastAt(spans, span.from, (one) => one.from),
            );
            index < spans.length && spans[index].from < span.to;
            index += 1
        ) {
            const [from, to] = [Math.max(span.from, spans[index].from), Math.min(span.to, spans[index].to)];
            if (from < to) {
                found.push({ ...span, from, to, state: spans[index].state });
            }
        }
        // Work that takes no time still happened.
        return found.length > 0 ? found : [{ ...span, state: "running" }];
    };
    return tasks.map((task) => ({ ...task, spans: task.spans.flatMap(parts) }));
}

/** Puts things that live one after the other into the same row: as many rows as live at the same time. */
function lanes(things) {
    const rows = [];
    const ordered = things
        .filter((thing) => thing.spans.length > 0)
        .map((thing) => ({ ...thing, start: thing.spans[0].from, end: thing.spans.at(-1).to }))
        .sort((a, b) => a.start - b.start || a.id - b.id);
    for (const thing of ordered) {
        let row = rows.find((row) => row.end <= thing.start);
        if (!row) {
            row = { end: 0, spans: [], names: new Set() };
            rows.push(row);
        }
        row.end = thing.end;
        row.names.add(thing.name ?? thing.id);
        for (const span of thing.spans) {
            row.spans.push({ ...span, id: thing.id });
        }
    }
    return rows;
}

/** How many are in each state from each moment on. */
function counts(things) {
    const changes = [];
    for (const thing of things) {
        for (const span of thing.spans) {
            changes.push([span.from, span.state, 1], [span.to, span.state, -1]);
        }
    }
    changes.sort((a, b) => a[0] - b[0]);
    const steps = [];
    const now = { at: 0, ...NONE };
    for (const [at, state, change] of changes) {
        if (at !== now.at) {
            steps.push({ ...now });
            now.at = at;
        }
        now[state] += change;
    }
    steps.push({ ...now });
    return steps;
}

/** A run, arranged for drawing and for saying what was going on at a moment. */
export class Run {
    constructor(result) {
        this.result = result;
        this.settings = result.settings;
        this.duration = result.settings.duration;
        this.cpus = result.cpus;
        const threads = ofThreads(result.threads);
        const tasks = ofTasks(result.tasks ?? [], threads);
        this.threads = lanes(threads);
        this.tasks = lanes(tasks);
        this.threadCounts = counts(threads);
        this.taskCounts = counts(tasks);
        this.finished = result.requests
            .map((request) => request.finished)
            .filter((at) => at !== null && at !== undefined)
            .sort((a, b) => a - b);
        this.longestQueue = result.queue.reduce((most, step) => Math.max(most, step.length), 0);
        const moments = new Set([0, this.duration]);
        const note = (at) => at >= 0 && at <= this.duration && moments.add(at);
        result.queue.forEach((step) => note(step.at));
        for (const spans of [
            ...result.cpus,
            ...result.threads.map((thread) => thread.spans),
            ...(result.tasks ?? []).map((task) => task.spans),
        ]) {
            for (const span of spans) {
                note(span.from);
                note(span.to);
            }
        }
        /** The moments at which something changes. */
        this.moments = [...moments].sort((a, b) => a - b);
    }

    /** What is going on at this moment. */
    at(time) {
        // The end is the last moment of the run, and not the one after it.
        const moment = Math.min(time, this.duration * (1 - 1e-12));
        const step = (list) => list[lastAt(list, moment, (item) => item.at)];
        const busy = this.cpus.map((spans) => {
            const span = spans[lastAt(spans, moment, (item) => item.from)];
            return span && span.to > moment ? span : null;
        });
        return {
            time,
            answered: lastAt(this.finished, time) + 1,
            queue: step(this.result.queue)?.length ?? 0,
            threads: step(this.threadCounts) ?? NONE,
            tasks: this.tasks.length > 0 ? step(this.taskCounts) : null,
            busy,
        };
    }

    /** The next moment after `time` at which something changes, or the one before it. */
    step(time, direction) {
        const index = lastAt(this.moments, time);
        if (direction > 0) {
            return this.moments[Math.min(index + 1, this.moments.length - 1)];
        }
        const here = this.moments[index] === time;
        return this.moments[Math.max(0, here ? index - 1 : index)];
    }
}

/** Simulated milliseconds for a person. */
export function timeText(ms) {
    if (ms >= 1000) {
        return `${trim((ms / 1000).toFixed(ms < 10_000 ? 3 : 2))} s`;
    }
    return `${trim(ms.toFixed(ms < 10 ? 2 : 1))} ms`;
}

function trim(text) {
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** The theme's colours, as the page has them now. */
export function colours(element) {
    const style = getComputedStyle(element);
    const of = (name) => style.getPropertyValue(name).trim();
    return {
        fg: of("--fg"),
        bg: of("--lab-ground") || of("--bg"),
        axis: of("--chart-axis"),
        grid: of("--chart-grid"),
        law: of("--chart-law"),
        threads: [1, 2, 3, 4, 5, 6, 7, 8].map((number) => of(`--lab-${number}`)),
        font: style.fontFamily,
    };
}

/** Makes the canvas as sharp as the screen, and gives its context, in CSS pixels. */
export function contextOf(canvas, width, height) {
    const scale = Math.min(window.devicePixelRatio || 1, 3);
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
    }
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
}

/** Stripes in this colour, for what is ready and has no CPU. */
function hatch(context, colour) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const pen = tile.getContext("2d");
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    for (const shift of [-8, 0, 8]) {
        pen.beginPath();
        pen.moveTo(shift, 8);
        pen.lineTo(shift + 8, 0);
        pen.stroke();
    }
    const pattern = context.createPattern(tile, "repeat");
    const scale = context.getTransform().a;
    pattern.setTransform(new DOMMatrix().scale(1 / scale));
    return pattern;
}

/** Distances between the marks of an axis: 1, 2 or 5 times a power of ten, at most `most` of them. */
export function ticks(from, to, most) {
    const rough = (to - from) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
    const marks = [];
    for (let count = Math.ceil(from / step - 1e-9); count * step <= to + step * 1e-9; count += 1) {
        marks.push(count * step);
    }
    return marks;
}

/** A panel that shows how many do what, in place of a row for each. */
function asCounts({ title, steps }) {
    const most = steps.reduce(
        (most, step) =>
            Math.max(
                most,
                STATES.reduce((sum, state) => sum + step[state], 0),
            ),
        1,
    );
    return { kind: "counts", title: `${title}, drawn as numbers`, steps, most, height: COUNTS };
}

/** The timeline of a run on one canvas. */
export class Timeline {
    constructor(canvas) {
        this.canvas = canvas;
        this.picture = document.createElement("canvas");
        this.drawn = null;
    }

    /** Shows this run in a picture that is no higher than `room`, if that is possible. */
    load(run, room, letters) {
        this.run = run;
        this.drawn = null;
        this.panels = [];
        this.letters = letters;
        this.gap = letters + 18;
        this.canvas.dataset.letters = letters;
        const add = (title, rows, steps, name) => {
            if (rows.length === 0) {
                return;
            }
            if (rows.length > MOST_ROWS) {
                this.panels.push(asCounts({ title, steps }));
                return;
            }
            this.panels.push({ kind: "rows", title, rows, name, steps, row: 18, height: 18 * rows.length });
        };
        const { settings } = run;
        const cpus = run.cpus.map((spans) => ({
            spans: spans.map((span) => ({ ...span, state: span.kind, id: span.thread })),
        }));
        const busy = counts(cpus.map((row) => ({ spans: row.spans.map((span) => ({ ...span, state: "running" })) })));
        add(
            cpus.length === 1 ? "1 CPU (hardware thread)" : `${cpus.length} CPUs (hardware threads)`,
            cpus,
            busy,
            (index) => `CPU ${index + 1}`,
        );
        const isAsync = settings.model.startsWith("tasks");
        const word = isAsync ? "worker" : "thread";
        this.letter = word[0].toUpperCase();
        const limited = settings.model !== "thread-per-connection";
        const count = run.threads.length;
        const title = limited
            ? `${count} ${word}${count === 1 ? "" : "s"}`
            : `threads, up to ${count} at the same time`;
        add(title, run.threads, run.threadCounts, (index) => {
            const names = run.threads[index].names;
            // Threads that live one after the other share a row.
            return names.size === 1 ? `${this.letter}${index + 1}` : "";
        });
        add(`tasks, up to ${run.tasks.length} at the same time`, run.tasks, run.taskCounts, () => "");
        if (run.longestQueue > 0) {
            this.panels.push({ kind: "queue", title: "queue: requests that nobody has begun", height: 40 });
        }
        this.#fit(room);
        this.height = this.#total();
    }

    #total() {
        return this.panels.reduce((sum, panel) => sum + panel.height + this.gap, AXIS + 4);
    }

    /** Takes height from the tallest rows first; rows that can't be lower become numbers. */
    #fit(room) {
        while (this.#total() > room) {
            const rows = this.panels.filter(({ kind }) => kind === "rows").sort((a, b) => b.height - a.height);
            const tall = rows.find(({ row }) => row > LEAST_ROW);
            if (tall) {
                tall.row -= 1;
                tall.height = tall.row * tall.rows.length;
            } else if (rows.length > 0 && rows[0].height > COUNTS) {
                this.panels[this.panels.indexOf(rows[0])] = asCounts(rows[0]);
            } else {
                return;
            }
        }
    }

    /** Draws the part of the run from `view.from` to `view.to`, of which the reader sees what is before `now`. */
    draw(view, now) {
        const width = this.canvas.clientWidth;
        if (!this.run || width === 0) {
            return;
        }
        const palette = colours(this.canvas);
        const left = this.letters > 12 ? 70 : width < 520 ? 46 : 56;
        const right = 10;
        /** The edges of the plot. */
        this.edges = { left, right: width - right };
        const scale = (time) => left + ((time - view.from) / (view.to - view.from)) * (width - left - right);
        const key = JSON.stringify([width, view, palette, window.devicePixelRatio]);
        if (this.drawn !== key) {
            this.canvas.style.height = `${this.height}px`;
            const context = contextOf(this.picture, width, this.height);
            this.#panels(context, palette, view, width, left, right, scale);
            this.drawn = key;
        }
        const context = contextOf(this.canvas, width, this.height);
        this.#frame(context, palette, view, width, left, right, scale);
        const edge = Math.max(left, Math.min(scale(now), width - right));
        context.save();
        context.beginPath();
        context.rect(0, 0, edge, this.height);
        context.clip();
        context.drawImage(this.picture, 0, 0, width, this.height);
        context.restore();
        if (now > 0 && now >= view.from && now <= view.to) {
            context.fillStyle = palette.fg;
            context.fillRect(edge - 0.75, 8, 1.5, this.height - AXIS - 8);
            context.beginPath();
            context.moveTo(edge - 6, 2);
            context.lineTo(edge + 6, 2);
            context.lineTo(edge, 11);
            context.fill();
        }
    }

    #eachPanel(visit) {
        let top = 0;
        for (const panel of this.panels) {
            visit(panel, top + this.gap - 8);
            top += panel.height + this.gap;
        }
        return top;
    }

    /** What is there before anything has run: titles, names of rows, the axis. */
    #frame(context, palette, view, width, left, right, scale) {
        const small = `${this.letters}px ${palette.font}`;
        context.textBaseline = "middle";
        const bottom = this.#eachPanel((panel, top) => {
            context.font = `600 ${this.letters + 1}px ${palette.font}`;
            context.fillStyle = palette.fg;
            context.textAlign = "left";
            context.fillText(panel.title, 0, top - 11, width);
            context.fillStyle = palette.grid;
            if (panel.kind === "rows") {
                const every = Math.ceil((this.letters + 1) / panel.row);
                panel.rows.forEach((_, index) => {
                    const middle = top + (index + 0.5) * panel.row;
                    context.fillStyle = palette.grid;
                    context.fillRect(left, middle - 0.5, width - left - right, 1);
                    if (index % every === 0 && (every === 1 || index + every <= panel.rows.length || index === 0)) {
                        context.font = small;
                        context.textAlign = "right";
                        context.fillStyle = palette.fg;
                        context.fillText(panel.name(index), left - 8, Math.max(middle, top + 5));
                    }
                });
            } else {
                context.fillRect(left, top + panel.height - 1, width - left - right, 1);
                const most = panel.kind === "queue" ? this.run.longestQueue : panel.most;
                context.font = small;
                context.textAlign = "right";
                context.fillStyle = palette.fg;
                context.fillText(String(most), left - 8, top + 6);
                context.fillText("0", left - 8, top + panel.height - 5);
            }
        });
        const axis = bottom + 2;
        context.font = small;
        context.textAlign = "center";
        for (const mark of ticks(view.from, view.to, (width - left - right) / (6.5 * this.letters))) {
            const x = scale(mark);
            context.fillStyle = palette.axis;
            context.fillRect(x - 0.5, axis, 1, 6);
            const label = timeText(mark);
            const half = context.measureText(label).width / 2;
            context.fillStyle = palette.fg;
            context.fillText(label, Math.min(x, width - half - 1), axis + 15);
        }
        context.fillStyle = palette.axis;
        context.fillRect(left, axis, width - left - right, 1);
    }

    #panels(context, palette, view, width, left, right, scale) {
        const line = hatch(context, palette.fg);
        context.save();
        context.beginPath();
        context.rect(left, 0, width - left - right, this.height);
        context.clip();
        this.#eachPanel((panel, top) => {
            if (panel.kind === "rows") {
                panel.rows.forEach((row, index) => {
                    this.#row(context, palette, line, view, scale, row.spans, top + index * panel.row, panel.row);
                });
            } else if (panel.kind === "counts") {
                this.#counts(context, palette, line, view, scale, panel, top, left, width - right);
            } else {
                this.#queue(context, palette, view, scale, top, panel.height);
            }
        });
        context.restore();
    }

    #row(context, palette, line, view, scale, spans, top, height) {
        const many = palette.threads.length;
        const gap = height > 8 ? 2 : 1;
        const full = height - gap;
        const middle = top + height / 2;
        const size = Math.min(this.letters, full);
        context.font = `600 ${size}px ${palette.font}`;
        context.textAlign = "left";
        context.textBaseline = "middle";
        const start = Math.max(
            0,
            lastAt(spans, view.from, (span) => span.from),
        );
        for (let index = start; index < spans.length && spans[index].from <= view.to; index += 1) {
            const span = spans[index];
            const x = scale(span.from);
            const end = scale(span.to);
            const works = span.state === "run" || span.state === "running";
            // Work that takes no time still happened: it is a tick.
            const length = Math.max(end - x, works ? 1 : 0);
            const ofTask = span.thread !== undefined && span.state !== "run" && span.state !== "switch";
            const owner = ofTask ? span.thread : span.id;
            const colour = owner !== null && owner !== undefined ? palette.threads[owner % many] : palette.axis;
            const space = end - x > 6 ? 1 : 0;
            const write = (ink) => {
                const text = this.#label(span);
                if (size >= this.letters - 1 && length > context.measureText(text).width + 7) {
                    context.fillStyle = ink;
                    context.fillText(text, Math.max(x, scale(view.from)) + 4, middle + 0.5, length - 6);
                }
            };
            if (works) {
                context.fillStyle = colour;
                context.fillRect(x, top + gap / 2, Math.max(length - space, 0.1), full);
                write(palette.bg);
            } else if (span.state === "switch") {
                context.fillStyle = palette.fg;
                context.fillRect(x, top + gap / 2, length, full);
            } else if (span.state === "ready") {
                context.fillStyle = line;
                context.fillRect(x, middle - full * 0.35, length - space, full * 0.7);
            } else if (span.state === "holding") {
                this.#band(context, colour, x, middle - full * 0.42, length - space, full * 0.84);
                write(palette.fg);
            } else if (span.state === "waiting") {
                this.#dots(context, palette.fg, x, end, middle, Math.min(1.4, full * 0.3));
            }
        }
    }

    /** Somebody waits and holds a thread: pale, with an outline. */
    #band(context, colour, x, y, width, height) {
        context.fillStyle = colour;
        context.globalAlpha = 0.16;
        context.fillRect(x, y, width, height);
        context.globalAlpha = 1;
        context.strokeStyle = colour;
        context.lineWidth = 1;
        context.strokeRect(x + 0.5, y + 0.5, Math.max(width - 1, 0), height - 1);
    }

    /** Somebody waits and holds nothing. */
    #dots(context, colour, x, end, y, radius) {
        context.fillStyle = colour;
        context.beginPath();
        for (let dot = Math.ceil((x + radius) / 6) * 6; dot < end; dot += 6) {
            context.moveTo(dot + radius, y);
            context.arc(dot, y, radius, 0, 2 * Math.PI);
        }
        context.fill();
    }

    #label(span) {
        if (span.state === "run") {
            return `${this.letter}${span.thread + 1}`;
        }
        return span.request === null || span.request === undefined ? "" : String(span.request + 1);
    }

    #counts(context, palette, line, view, scale, panel, top, from, to) {
        const order = [
            ["running", palette.threads[0], 1],
            ["holding", palette.threads[0], 0.3],
            ["ready", line, 1],
            ["waiting", palette.fg, 0.12],
            ["idle", palette.axis, 0.05],
        ];
        const time = (x) => view.from + ((x - from) / (to - from)) * (view.to - view.from);
        for (let x = Math.floor(from); x < to; x += 1) {
            const step = panel.steps[lastAt(panel.steps, time(x + 0.5), (item) => item.at)];
            if (!step) {
                continue;
            }
            let y = top + panel.height;
            for (const [state, fill, alpha] of order) {
                const height = (step[state] / panel.most) * panel.height;
                context.globalAlpha = alpha;
                context.fillStyle = fill;
                context.fillRect(x, y - height, 1, height);
                y -= height;
            }
        }
        context.globalAlpha = 1;
    }

    #queue(context, palette, view, scale, top, height) {
        const { queue } = this.run.result;
        const most = Math.max(1, this.run.longestQueue);
        const y = (length) => top + height - 1 - (length / most) * (height - 2);
        context.beginPath();
        context.moveTo(scale(0), top + height);
        queue.forEach((step, index) => {
            const end = queue[index + 1]?.at ?? this.run.duration;
            context.lineTo(scale(step.at), y(step.length));
            context.lineTo(scale(end), y(step.length));
        });
        context.lineTo(scale(this.run.duration), top + height);
        context.closePath();
        context.globalAlpha = 0.25;
        context.fillStyle = palette.law;
        context.fill();
        context.globalAlpha = 1;
        context.strokeStyle = palette.law;
        context.lineWidth = 1.5;
        context.stroke();
    }
}

/** How long requests took: a bar for each range, and the marks that people ask for. */
export function drawHistogram(canvas, latencies, marks) {
    const width = canvas.clientWidth;
    const height = 160;
    if (width === 0) {
        return;
    }
    canvas.style.height = `${height}px`;
    const palette = colours(canvas);
    const context = contextOf(canvas, width, height);
    const most = latencies.reduce((most, value) => Math.max(most, value), 0);
    const limit = most === 0 ? 1 : most * 1.08;
    const bins = new Array(Math.max(12, Math.min(48, Math.floor(width / 12)))).fill(0);
    for (const value of latencies) {
        bins[Math.min(bins.length - 1, Math.floor((value / limit) * bins.length))] += 1;
    }
    const left = 40;
    const right = 12;
    const top = 28;
    const bottom = height - 26;
    const inner = width - left - right;
    const tallest = bins.reduce((most, count) => Math.max(most, count), 1);
    const x = (value) => left + (value / limit) * inner;
    context.font = `12px ${palette.font}`;
    context.textBaseline = "middle";
    context.fillStyle = palette.threads[0];
    bins.forEach((count, index) => {
        const length = (count / tallest) * (bottom - top);
        context.fillRect(left + (index / bins.length) * inner + 0.5, bottom - length, inner / bins.length - 1, length);
    });
    context.fillStyle = palette.axis;
    context.fillRect(left, bottom, inner, 1);
    context.fillStyle = palette.fg;
    context.textAlign = "right";
    context.fillText(String(tallest), left - 6, top + 5);
    context.fillText("0", left - 6, bottom - 5);
    context.textAlign = "center";
    for (const mark of ticks(0, limit, inner / 78)) {
        const label = timeText(mark);
        const half = context.measureText(label).width / 2;
        context.fillText(label, Math.min(x(mark), width - half - 1), bottom + 14);
    }
    // Marks that are close together share a label.
    const groups = [];
    for (const [name, value] of marks) {
        const at = x(value);
        context.fillStyle = palette.law;
        context.fillRect(at - 0.75, 20, 1.5, bottom - 20);
        const last = groups.at(-1);
        if (last && at - last.at < 40 + 30 * (last.names.length - 1)) {
            last.names.push(name);
        } else {
            groups.push({ at, names: [name] });
        }
    }
    context.fillStyle = palette.fg;
    for (const { at, names } of groups) {
        const label = names.join(", ");
        const half = context.measureText(label).width / 2;
        context.fillText(label, Math.min(Math.max(at, left + half), width - half - 1), 9);
    }
}
