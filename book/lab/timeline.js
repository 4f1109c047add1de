// Draws a run of the simulator on a canvas: a row for each hardware thread, thread and task, and the queue.
//
// What a span is shows in its form, and not in its colour alone, as in the recordings: only what runs on a CPU is
// solid. Who waits and holds a thread is a pale band with the request's number, who waits and holds nothing is a row
// of dots, who stands in line is hatched, idle is a line.

import { coloursOf, contextOf, drawBand, drawDots, hatch, ticks, timeText } from "./canvas.js";
import { counts, lastAt, STATES } from "./run.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./run.js").Span} Span
 * @typedef {import("./run.js").Step} Step
 * @typedef {import("./canvas.js").Colours} Colours
 *
 * @typedef {object} Rows a row for each of a few
 * @property {"rows"} kind
 * @property {string} title
 * @property {{ spans: Span[] }[]} rows
 * @property {(index: number) => string} name
 * @property {Step[]} steps
 * @property {number} row how high a row is
 * @property {number} height
 *
 * @typedef {{ kind: "counts", title: string, steps: Step[], most: number, height: number }} Numbers of too many for rows
 * @typedef {{ kind: "queue", title: string, height: number }} Queue
 * @typedef {Rows | Numbers | Queue} Panel
 *
 * @typedef {object} Plot where and with what is drawn
 * @property {CanvasRenderingContext2D} context
 * @property {Colours} palette
 * @property {{ from: number, to: number }} view the part of the run that is shown
 * @property {number} width of the canvas
 * @property {number} left
 * @property {number} right
 * @property {(time: number) => number} scale
 */

/** More rows than this in one panel are drawn as counts. */
const MOST_ROWS = 64;
const AXIS = 26;
/** How high a panel of numbers is. */
const COUNTS = 84;
/** The rows have no fewer pixels than this. */
const LEAST_ROW = 4;

/**
 * A panel that shows how many do what, in place of a row for each.
 * @param {{ title: string, steps: Step[] }} rows
 * @returns {Numbers}
 */
function asCounts({ title, steps }) {
    const sum = (/** @type {Step} */ step) => STATES.reduce((all, state) => all + step[state], 0);
    const most = steps.reduce((best, step) => Math.max(best, sum(step)), 1);
    return { kind: "counts", title: `${title}, drawn as numbers`, steps, most, height: COUNTS };
}

/** The timeline of a run on one canvas. */
export class Timeline {
    /** @type {Run | undefined} */
    #run;
    /** @type {Panel[]} */
    #panels = [];
    #picture = document.createElement("canvas");
    #drawn = "";
    #letters = 12;
    #gap = 30;
    #height = 0;
    /** The first letter of a thread's name. */
    #letter = "T";
    #canvas;

    /** @param {HTMLCanvasElement} canvas */
    constructor(canvas) {
        this.#canvas = canvas;
        /** The edges of the plot. */
        this.edges = { left: 10, right: 10 };
    }

    /**
     * Shows this run in a picture that is no higher than `room`, if that is possible.
     * @param {Run} run
     * @param {number} room
     * @param {number} letters
     */
    load(run, room, letters) {
        this.#run = run;
        this.#drawn = "";
        this.#letters = letters;
        this.#gap = letters + 18;
        this.#canvas.dataset.letters = String(letters);
        this.#panels = [...this.#cpuPanel(run), ...this.#threadPanel(run)];
        const tasks = `tasks, up to ${run.tasks.length} at the same time`;
        this.#panels.push(...this.#panel(tasks, run.tasks, run.taskCounts, () => ""));
        if (run.longestQueue > 0) {
            this.#panels.push({ kind: "queue", title: "queue: requests that nobody has begun", height: 40 });
        }
        this.#fit(room);
        this.#height = this.#total();
    }

    /**
     * @param {string} title
     * @param {{ spans: Span[] }[]} rows
     * @param {Step[]} steps
     * @param {(index: number) => string} name
     * @returns {Panel[]} none where there is no row
     */
    #panel(title, rows, steps, name) {
        if (rows.length === 0) {
            return [];
        }
        if (rows.length > MOST_ROWS) {
            return [asCounts({ title, steps })];
        }
        return [{ kind: "rows", title, rows, name, steps, row: 18, height: 18 * rows.length }];
    }

    /** @param {Run} run */
    #cpuPanel({ cpus }) {
        const rows = cpus.map((spans) => ({
            spans: spans.map((span) => ({ ...span, state: span.kind, id: span.thread })),
        }));
        const running = rows.map(({ spans }, id) => ({
            id,
            spans: spans.map((one) => ({ ...one, state: "running" })),
        }));
        const title = cpus.length === 1 ? "1 CPU (hardware thread)" : `${cpus.length} CPUs (hardware threads)`;
        return this.#panel(title, rows, counts(running), (index) => `CPU ${index + 1}`);
    }

    /** @param {Run} run */
    #threadPanel({ settings, threads, threadCounts }) {
        const word = settings.model.startsWith("tasks") ? "worker" : "thread";
        this.#letter = word[0].toUpperCase();
        const count = threads.length;
        const limited = settings.model !== "thread-per-connection";
        const title = limited
            ? `${count} ${word}${count === 1 ? "" : "s"}`
            : `threads, up to ${count} at the same time`;
        // Threads that live one after the other share a row.
        const name = (/** @type {number} */ index) =>
            threads[index].names.size === 1 ? `${this.#letter}${index + 1}` : "";
        return this.#panel(title, threads, threadCounts, name);
    }

    #total() {
        return this.#panels.reduce((sum, panel) => sum + panel.height + this.#gap, AXIS + 4);
    }

    /**
     * Takes height from the tallest rows first; rows that can't be lower become numbers.
     * @param {number} room
     */
    #fit(room) {
        while (this.#total() > room) {
            const rows = this.#panels.filter((panel) => panel.kind === "rows").sort((a, b) => b.height - a.height);
            const tall = rows.find(({ row }) => row > LEAST_ROW);
            if (tall) {
                tall.row -= 1;
                tall.height = tall.row * tall.rows.length;
            } else if (rows.length > 0 && rows[0].height > COUNTS) {
                this.#panels[this.#panels.indexOf(rows[0])] = asCounts(rows[0]);
            } else {
                return;
            }
        }
    }

    /**
     * Draws the part of the run from `view.from` to `view.to`, of which the reader sees what is before `now`.
     * @param {{ from: number, to: number }} view
     * @param {number} now
     */
    draw(view, now) {
        const width = this.#canvas.clientWidth;
        if (!this.#run || width === 0) {
            return;
        }
        const palette = coloursOf(this.#canvas);
        const left = this.#letters > 12 ? 70 : width < 520 ? 46 : 56;
        const right = width - 10;
        this.edges = { left, right };
        const scale = (/** @type {number} */ time) =>
            left + ((time - view.from) / (view.to - view.from)) * (right - left);
        const key = JSON.stringify([width, view, palette, window.devicePixelRatio]);
        if (this.#drawn !== key) {
            this.#canvas.style.height = `${this.#height}px`;
            const context = contextOf(this.#picture, width, this.#height);
            this.#drawPanels({ context, palette, view, width, left, right, scale }, this.#run);
            this.#drawn = key;
        }
        const context = contextOf(this.#canvas, width, this.#height);
        this.#drawFrame({ context, palette, view, width, left, right, scale });
        const edge = Math.max(left, Math.min(scale(now), right));
        context.save();
        context.beginPath();
        context.rect(0, 0, edge, this.#height);
        context.clip();
        context.drawImage(this.#picture, 0, 0, width, this.#height);
        context.restore();
        if (now > 0 && now >= view.from && now <= view.to) {
            this.#drawCursor(context, palette.fg, edge);
        }
    }

    /**
     * @param {CanvasRenderingContext2D} context
     * @param {string} colour
     * @param {number} x
     */
    #drawCursor(context, colour, x) {
        context.fillStyle = colour;
        context.fillRect(x - 0.75, 8, 1.5, this.#height - AXIS - 8);
        context.beginPath();
        context.moveTo(x - 6, 2);
        context.lineTo(x + 6, 2);
        context.lineTo(x, 11);
        context.fill();
    }

    /**
     * Visits the panels with where they begin; returns where the last one ends.
     * @param {(panel: Panel, top: number) => void} visit
     */
    #eachPanel(visit) {
        let top = 0;
        for (const panel of this.#panels) {
            visit(panel, top + this.#gap - 8);
            top += panel.height + this.#gap;
        }
        return top;
    }

    /**
     * What is there before anything has run: titles, names of rows, the axis.
     * @param {Plot} plot
     */
    #drawFrame(plot) {
        const { context, palette, width } = plot;
        context.textBaseline = "middle";
        const bottom = this.#eachPanel((panel, top) => {
            context.font = `600 ${this.#letters + 1}px ${palette.font}`;
            context.fillStyle = palette.fg;
            context.textAlign = "left";
            context.fillText(panel.title, 0, top - 11, width);
            context.font = `${this.#letters}px ${palette.font}`;
            context.textAlign = "right";
            if (panel.kind === "rows") {
                this.#nameRows(plot, panel, top);
            } else {
                this.#nameHeights(plot, panel, top);
            }
        });
        this.#drawAxis(plot, bottom + 2);
    }

    /**
     * @param {Plot} plot
     * @param {Rows} panel
     * @param {number} top
     */
    #nameRows({ context, palette, left, right }, { rows, row, name }, top) {
        const every = Math.ceil((this.#letters + 1) / row);
        rows.forEach((_, index) => {
            const middle = top + (index + 0.5) * row;
            context.fillStyle = palette.grid;
            context.fillRect(left, middle - 0.5, right - left, 1);
            if (index % every === 0 && (every === 1 || index + every <= rows.length || index === 0)) {
                context.fillStyle = palette.fg;
                context.fillText(name(index), left - 8, Math.max(middle, top + 5));
            }
        });
    }

    /**
     * @param {Plot} plot
     * @param {Numbers | Queue} panel
     * @param {number} top
     */
    #nameHeights({ context, palette, left, right }, panel, top) {
        const most = panel.kind === "queue" ? this.#run?.longestQueue : panel.most;
        context.fillStyle = palette.grid;
        context.fillRect(left, top + panel.height - 1, right - left, 1);
        context.fillStyle = palette.fg;
        context.fillText(String(most), left - 8, top + 6);
        context.fillText("0", left - 8, top + panel.height - 5);
    }

    /**
     * @param {Plot} plot
     * @param {number} y
     */
    #drawAxis({ context, palette, view, width, left, right, scale }, y) {
        context.font = `${this.#letters}px ${palette.font}`;
        context.textAlign = "center";
        for (const mark of ticks(view.from, view.to, (right - left) / (6.5 * this.#letters))) {
            const x = scale(mark);
            context.fillStyle = palette.axis;
            context.fillRect(x - 0.5, y, 1, 6);
            const label = timeText(mark);
            const half = context.measureText(label).width / 2;
            context.fillStyle = palette.fg;
            context.fillText(label, Math.min(x, width - half - 1), y + 15);
        }
        context.fillStyle = palette.axis;
        context.fillRect(left, y, right - left, 1);
    }

    /**
     * @param {Plot} plot
     * @param {Run} run
     */
    #drawPanels(plot, run) {
        const { context, palette, left, right } = plot;
        const stripes = hatch(context, palette.fg);
        context.save();
        context.beginPath();
        context.rect(left, 0, right - left, this.#height);
        context.clip();
        this.#eachPanel((panel, top) => {
            if (panel.kind === "rows") {
                panel.rows.forEach(({ spans }, index) => {
                    this.#drawRow(plot, stripes, spans, top + index * panel.row, panel.row);
                });
            } else if (panel.kind === "counts") {
                this.#drawCounts(plot, stripes, panel, top);
            } else {
                this.#drawQueue(plot, run, top, panel.height);
            }
        });
        context.restore();
    }

    /**
     * @param {Plot} plot
     * @param {CanvasPattern | string} stripes
     * @param {Span[]} spans
     * @param {number} top
     * @param {number} height
     */
    #drawRow(plot, stripes, spans, top, height) {
        const { context, palette, view } = plot;
        const full = height - (height > 8 ? 2 : 1);
        context.font = `600 ${Math.min(this.#letters, full)}px ${palette.font}`;
        context.textAlign = "left";
        context.textBaseline = "middle";
        const start = Math.max(
            0,
            lastAt(spans, view.from, ({ from }) => from),
        );
        for (let index = start; index < spans.length && spans[index].from <= view.to; index += 1) {
            this.#drawSpan(plot, stripes, spans[index], top + height / 2, full);
        }
    }

    /**
     * @param {Plot} plot
     * @param {CanvasPattern | string} stripes
     * @param {Span} span
     * @param {number} middle
     * @param {number} full how high the tallest bar is
     */
    #drawSpan(plot, stripes, span, middle, full) {
        const { context, palette, scale } = plot;
        const { state } = span;
        const x = scale(span.from);
        const end = scale(span.to);
        const works = state === "run" || state === "running";
        // Work that takes no time still happened: it is a tick.
        const length = Math.max(end - x, works ? 1 : 0);
        const space = end - x > 6 ? 1 : 0;
        const colour = palette.server;
        if (works) {
            context.fillStyle = colour;
            context.fillRect(x, middle - full / 2, Math.max(length - space, 0.1), full);
            this.#write(plot, span, palette.bg, x, middle, length, full);
        } else if (state === "switch") {
            context.fillStyle = palette.fg;
            context.fillRect(x, middle - full / 2, length, full);
        } else if (state === "ready") {
            context.fillStyle = stripes;
            context.fillRect(x, middle - full * 0.35, length - space, full * 0.7);
        } else if (state === "holding") {
            drawBand(context, colour, x, middle - full * 0.42, length - space, full * 0.84);
            this.#write(plot, span, palette.fg, x, middle, length, full);
        } else if (state === "waiting") {
            drawDots(context, palette.fg, x, end, middle, Math.min(1.4, full * 0.3));
        }
    }

    /**
     * The name of a thread or the number of a request, where there is room for it.
     * @param {Plot} plot
     * @param {Span} span
     * @param {string} ink
     * @param {number} x
     * @param {number} middle
     * @param {number} length
     * @param {number} full
     */
    #write({ context, view, scale }, span, ink, x, middle, length, full) {
        const { state, thread, request } = span;
        const number = request === null || request === undefined ? "" : String(request + 1);
        const text = state === "run" ? `${this.#letter}${(thread ?? 0) + 1}` : number;
        if (full >= this.#letters - 1 && length > context.measureText(text).width + 7) {
            context.fillStyle = ink;
            context.fillText(text, Math.max(x, scale(view.from)) + 4, middle + 0.5, length - 6);
        }
    }

    /**
     * @param {Plot} plot
     * @param {CanvasPattern | string} stripes
     * @param {Numbers} panel
     * @param {number} top
     */
    #drawCounts({ context, palette, view, left, right }, stripes, panel, top) {
        const fills = { running: palette.server, holding: palette.server, ready: stripes };
        const looks = { ...fills, waiting: palette.fg, idle: palette.axis };
        const alphas = { running: 1, holding: 0.3, ready: 1, waiting: 0.12, idle: 0.05 };
        const time = (/** @type {number} */ x) => view.from + ((x - left) / (right - left)) * (view.to - view.from);
        for (let x = Math.floor(left); x < right; x += 1) {
            const step = panel.steps[lastAt(panel.steps, time(x + 0.5), ({ at }) => at)];
            if (!step) {
                continue;
            }
            let y = top + panel.height;
            for (const state of STATES) {
                const height = (step[state] / panel.most) * panel.height;
                context.globalAlpha = alphas[state];
                context.fillStyle = looks[state];
                context.fillRect(x, y - height, 1, height);
                y -= height;
            }
        }
        context.globalAlpha = 1;
    }

    /**
     * @param {Plot} plot
     * @param {Run} run
     * @param {number} top
     * @param {number} height
     */
    #drawQueue({ context, palette, scale }, { result, longestQueue, duration }, top, height) {
        const { queue } = result;
        const y = (/** @type {number} */ length) =>
            top + height - 1 - (length / Math.max(1, longestQueue)) * (height - 2);
        context.beginPath();
        context.moveTo(scale(0), top + height);
        queue.forEach((step, index) => {
            context.lineTo(scale(step.at), y(step.length));
            context.lineTo(scale(queue[index + 1]?.at ?? duration), y(step.length));
        });
        context.lineTo(scale(duration), top + height);
        context.closePath();
        context.globalAlpha = 0.25;
        context.fillStyle = palette.fg;
        context.fill();
        context.globalAlpha = 1;
        context.strokeStyle = palette.fg;
        context.lineWidth = 1.5;
        context.stroke();
    }
}
