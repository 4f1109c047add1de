// Draws a run: a row for each client, thread and CPU, and where they are too many, how many do what. The marks are those of
// theme/pictures.css, with a thin line where somebody is queued.

/** From the last row to the line of the axis, on which the thumb lies. */
const ABOVE_AXIS = 16;
/** From that line to the foot. */
const BELOW_AXIS = 32;
/** The height of a group's title. */
const TITLE = 20;
/** The size of the letters. */
const LETTERS = 12;
/** Where the plot begins, and how far it ends from the right edge. */
const LEFT = 64;
const RIGHT = 12;
/** How high a picture is at most. */
const MOST_HIGH = 440;
/** How high a row is, and a group that is drawn as numbers. */
const LEAST_ROW = 5;
const MOST_ROW = 20;
const AS_NUMBERS = 84;
/** Lower rows have no numbers in their marks. */
const LETTERED = 12;

/** The states from the bottom of a group that is drawn as numbers to its top. @type {LabState[]} */
const STACKED = ["works", "holds", "free", "queues"];

/** @typedef {{ title: string, word: string, rows: LabRow[], asNumbers: boolean, top: number, height: number }} Group */

/** A coordinate: a tenth of a pixel is enough. @param {number} value */
const tenth = (value) => Math.round(value * 10) / 10;

/**
 * Simulated milliseconds for a person.
 * @param {number} ms
 */
function timeText(ms) {
    const seconds = ms >= 1000;
    const number = Number((seconds ? ms / 1000 : ms).toPrecision(3));
    return `${number.toLocaleString("en")} ${seconds ? "s" : "ms"}`;
}

/**
 * How many rows are in each state at a moment.
 * @param {LabRow[]} rows
 * @param {number} time
 * @returns {Record<LabState, number>}
 */
function statesAt(rows, time) {
    const counts = { works: 0, holds: 0, free: 0, queues: 0, idle: 0, switches: 0, gone: 0 };
    for (const { spans } of rows) {
        const span = spans[spans.findLastIndex(({ from }) => from <= time)];
        counts[span && time < span.to ? span.state : "gone"] += 1;
    }
    return counts;
}

/**
 * How many rows are in a state at the same time, at most.
 * @param {LabRow[]} rows
 * @param {LabState} state
 */
function mostAtOnce(rows, state) {
    const spans = rows.flatMap((row) => row.spans.filter((span) => span.state === state));
    const changes = spans.flatMap(({ from, to }) => [
        { at: from, by: 1 },
        { at: to, by: -1 },
    ]);
    // At the same moment one ends before another begins.
    changes.sort((one, other) => one.at - other.at || one.by - other.by);
    let now = 0;
    let most = 0;
    for (const { by } of changes) {
        now += by;
        most = Math.max(most, now);
    }
    return most;
}

/**
 * How high rows can be in this room, where some groups are drawn as numbers.
 * @param {{ rows: LabRow[] }[]} groups
 * @param {Set<{ rows: LabRow[] } | undefined>} asNumbers
 * @param {number} room
 */
function pitchOf(groups, asNumbers, room) {
    const drawn = groups.filter((group) => !asNumbers.has(group));
    const rows = drawn.reduce((sum, group) => sum + group.rows.length, 0);
    return Math.floor((room - AS_NUMBERS * asNumbers.size) / rows);
}

/**
 * The outline of a bar around the middle of its row.
 * @param {number} x
 * @param {number} end
 * @param {number} y
 * @param {number} high
 */
const barOf = (x, end, y, high) => `M${x} ${tenth(y - high / 2)}H${end}v${tenth(high)}H${x}z`;

/** The picture of a run, which may be played. */
class LabPicture {
    svg = draw("svg", { class: "pic lab-picture", role: "img" });
    #marks = draw("g", {});
    #future = draw("rect", { class: "future", y: 0 });
    // What they say is no answer, so no veil lies over them.
    #titles = draw("g", {});
    #cursor = draw("path", { class: "cursor" });
    #outline = draw("path", { class: "outline" });
    #width = 0;
    #height = 0;
    #length = 1;
    /** @type {Group[]} */
    #groups = [];
    /** Whether all of the run may be seen, and not only what has been played. */
    isOpen = false;

    constructor() {
        this.svg.append(this.#marks, this.#future, this.#titles, this.#outline, this.#cursor);
        this.svg.addEventListener("pointermove", (event) => this.#point(event));
        this.svg.addEventListener("pointerleave", () => this.#outline.setAttribute("d", ""));
    }

    /**
     * Draws this run, and says how far its axis is from the edges of the picture, in pixels. Of a real server, only the
     * clients are known.
     * @param {{ clients: LabRow[], threads: LabRow[], cpus: LabRow[], settings: { model: string, length: number } }} run
     * @param {number} width in pixels
     * @param {number} scale how many times as large as they are here letters and rows shall be
     */
    load({ clients, threads, cpus, settings }, width, scale) {
        this.#width = Math.max(200, width / scale);
        this.#length = settings.length;
        const word = settings.model.startsWith("tasks") ? "Workers" : "Threads";
        const groups = [
            { title: "Clients", rows: clients },
            { title: word, rows: threads },
            { title: "CPUs", rows: cpus },
        ];
        this.#groups = this.#fit(groups.filter(({ rows }) => rows.length > 0));
        const last = this.#groups[this.#groups.length - 1];
        this.#height = last.top + last.height + ABOVE_AXIS + BELOW_AXIS;
        this.svg.setAttribute("viewBox", `0 0 ${tenth(this.#width)} ${tenth(this.#height)}`);
        this.svg.style.height = `${this.#height * scale}px`;
        this.#outline.setAttribute("d", "");
        this.#marks.replaceChildren(...this.#axis(), ...this.#groups.flatMap((group) => this.#draw(group)));
        this.#titles.replaceChildren(...this.#groups.flatMap((group) => this.#names(group)));
        return { left: LEFT * scale, right: RIGHT * scale, axis: (this.#height - BELOW_AXIS) * scale };
    }

    /**
     * Says where each group lies. Rows are as high as there is room; the most of them become numbers where they have none.
     * @param {{ title: string, rows: LabRow[] }[]} groups
     * @returns {Group[]}
     */
    #fit(groups) {
        const room = MOST_HIGH - ABOVE_AXIS - BELOW_AXIS - TITLE * groups.length;
        const bySize = groups.toSorted((one, other) => other.rows.length - one.rows.length);
        /** @type {Set<{ title: string, rows: LabRow[] } | undefined>} */
        const asNumbers = new Set();
        while (pitchOf(groups, asNumbers, room) < LEAST_ROW) {
            asNumbers.add(bySize.shift());
        }
        const high = Math.min(MOST_ROW, pitchOf(groups, asNumbers, room));
        let top = 0;
        return groups.map((group) => {
            const isNumbers = asNumbers.has(group);
            // A lone row is as high as its name.
            const height = isNumbers ? AS_NUMBERS : Math.max(LETTERS + 4, group.rows.length * high);
            top += TITLE;
            const placed = { ...group, word: group.title[0], asNumbers: isNumbers, top, height };
            top += height;
            return placed;
        });
    }

    /** Where a time lies. @param {number} time */
    #x(time) {
        return LEFT + (time / this.#length) * (this.#width - LEFT - RIGHT);
    }

    /** The line on which the thumb moves, with its ticks and their numbers. */
    #axis() {
        const axis = this.#height - BELOW_AXIS;
        const right = this.#width - RIGHT;
        const power = 10 ** Math.floor(Math.log10(this.#length));
        const steps = [0.2, 0.5, 1, 2].map((part) => part * power);
        const step = steps.find((one) => this.#length / one <= 5) ?? power;
        const ticks = Array.from({ length: Math.floor(this.#length / step + 1e-9) + 1 }, (_, index) => index * step);
        const line = ticks.map((time) => `M${tenth(this.#x(time))} ${axis - 4}v8`).join("");
        const grid = ticks.map((time) => `M${tenth(this.#x(time))} ${TITLE}V${axis - ABOVE_AXIS}`).join("");
        const numbers = ticks.map((time) => {
            const place = { x: Math.min(this.#x(time), right - 4), y: axis + 28, "text-anchor": "middle" };
            return draw("text", { ...place, class: "soft" }, timeText(time));
        });
        const axisLine = draw("path", { class: "axis", d: `M${LEFT} ${axis}H${right}${line}` });
        return [draw("path", { class: "grid", d: grid }), axisLine, ...numbers];
    }

    /** @param {Group} group */
    #names({ title, rows, word, asNumbers, top, height }) {
        const soft = draw(
            "tspan",
            { class: "soft", dx: 10 },
            asNumbers ? `${rows.length}, as numbers` : String(rows.length),
        );
        const heading = draw("text", { y: top - 6 }, draw("tspan", { class: "heading" }, title), soft);
        const every = asNumbers ? rows.length : Math.ceil(((LETTERS + 1) * rows.length) / height);
        const named = rows.flatMap((_, index) => (index % every === 0 ? [index] : []));
        const names = named.map((index) => {
            const y = Math.max(top + ((index + 0.5) * height) / rows.length, top + 5) + 0.35 * LETTERS;
            const place = { x: LEFT - 8, y: tenth(y), "text-anchor": "end" };
            return draw("text", place, title === "CPUs" ? `CPU ${index + 1}` : `${word}${index + 1}`);
        });
        return [heading, ...(asNumbers ? [] : names)];
    }

    /** @param {Group} group */
    #draw(group) {
        return group.asNumbers ? this.#drawNumbers(group) : this.#drawRows(group);
    }

    /** @param {Group} group */
    #drawRows({ title, rows, top, height }) {
        const pitch = height / rows.length;
        const dot = Math.min(4, pitch / 4);
        /** @type {Record<string, string>} */
        const paths = { idle: "", queues: "", sent: "", holds: "", free: "", works: "", switches: "", done: "" };
        /** @type {SVGElement[]} */
        const numbers = [];
        rows.forEach(({ spans }, index) => {
            const y = tenth(top + (index + 0.5) * pitch);
            spans.forEach(({ from, to, state, request }, place) => {
                const x = tenth(this.#x(from));
                const end = tenth(this.#x(to));
                if (state === "works" || state === "switches") {
                    // A bar of work is wide enough to be seen.
                    paths[state] += barOf(x, Math.max(end, x + 1), y, pitch - 2);
                } else if (state === "holds") {
                    paths.holds += barOf(x, end, y, Math.max(pitch - 6, 3));
                } else if (state === "free") {
                    paths.free += `M${x + 2} ${y}H${Math.max(end - 2, x + 2)}`;
                } else {
                    paths[state] += `M${x} ${y}H${end}`;
                }
                const isFirst = spans[place - 1]?.request !== request;
                if (title === "Clients" && isFirst) {
                    paths.sent += `M${x} ${tenth(y - dot)}v${tenth(2 * dot)}`;
                }
                if (title === "Clients" && spans[place + 1]?.request !== request && to < this.#length) {
                    // A dot is a line without length, just after its moment.
                    paths.done += `M${tenth(end + dot)} ${y}h0`;
                }
                const isMark = state === "holds" || (state === "free" && isFirst);
                if (isMark && request !== null && pitch >= LETTERED && end - x > 30) {
                    numbers.push(draw("text", { x: x + 6, y: y + 4.3 }, String(request + 1)));
                }
            });
        });
        const kinds = Object.entries(paths).filter(([, d]) => d !== "");
        const drawn = kinds.map(([kind, d]) =>
            draw("path", { class: kind, d, style: kind === "done" && `stroke-width: ${2 * dot}px` }),
        );
        return [...drawn, draw("g", { class: "number" }, ...numbers)];
    }

    /**
     * How many do what: an area for each state, one on the other.
     * @param {Group} group
     */
    #drawNumbers({ rows, top, height }) {
        const columns = Array.from({ length: Math.floor(this.#width - LEFT - RIGHT) }, (_, index) => LEFT + index);
        const pixel = this.#length / columns.length;
        const counts = columns.map((_, index) => statesAt(rows, (index + 0.5) * pixel));
        const foot = columns.map(() => top + height);
        const areas = STACKED.map((state) => {
            const lower = foot.map((y, index) => `${columns[index]} ${tenth(y)}`).reverse();
            counts.forEach((count, index) => {
                foot[index] -= (count[state] / rows.length) * height;
            });
            const upper = foot.map((y, index) => `${columns[index]} ${tenth(y)}`);
            return draw("path", { class: `area ${state}`, d: `M${upper.join("L")}L${lower.join("L")}z` });
        });
        const most = draw("text", { x: LEFT - 8, y: top + LETTERS, "text-anchor": "end" }, String(rows.length));
        const none = draw("text", { x: LEFT - 8, y: top + height, "text-anchor": "end" }, "0");
        return [...areas, most, none];
    }

    /**
     * The cursor, and the veil over what comes after it.
     * @param {number} now
     */
    show(now) {
        // Where there is no room, as on paper, nothing has been drawn.
        if (this.#groups.length === 0) {
            return;
        }
        const x = tenth(this.#x(now));
        const bottom = this.#height - BELOW_AXIS - 6;
        const isOver = now >= this.#length;
        this.#future.setAttribute("class", this.isOpen ? "future" : "future closed");
        furnish(this.#future, { x, width: isOver ? 0 : this.#width - x, height: bottom }, []);
        this.#cursor.setAttribute("d", isOver ? "" : `M${x} ${TITLE - 4}V${bottom}`);
    }

    /**
     * Outlines the request that is pointed at in all rows.
     * @param {PointerEvent} event
     */
    #point({ clientX, clientY }) {
        const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM()?.inverse());
        const time = ((x - LEFT) / (this.#width - LEFT - RIGHT)) * this.#length;
        const drawn = this.#groups.filter(({ asNumbers }) => !asNumbers);
        const group = drawn.find(({ top, height }) => y >= top && y < top + height);
        const row = group?.rows[Math.floor(((y - group.top) / group.height) * group.rows.length)];
        const request = row?.spans.find(({ from, to }) => from <= time && time < to)?.request ?? null;
        const boxes = drawn.flatMap(({ rows, top, height }) =>
            rows.flatMap(({ spans }, index) => {
                const own = spans.filter((span) => request !== null && span.request === request);
                const pitch = height / rows.length;
                return own.map(({ from, to }) => {
                    const middle = top + (index + 0.5) * pitch;
                    return barOf(tenth(this.#x(from)), tenth(this.#x(to)), middle, pitch);
                });
            }),
        );
        this.#outline.setAttribute("d", boxes.join(""));
    }
}
