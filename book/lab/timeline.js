// Draws a run of the simulator: a row for each client, thread and CPU, with the marks of the recordings.

import "../pictures/rows.js";
import { ticks, timeText } from "./canvas.js";
import { lastAt, MOST_ROWS, STATES } from "./run.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./run.js").Step} Step
 * @typedef {import("./run.js").State} State
 * @typedef {import("./run.js").NamedRow} NamedRow
 *
 * @typedef {object} Panel
 * @property {string} title
 * @property {string} note what there is to see
 * @property {NamedRow[]} rows
 * @property {Step[]} steps
 * @property {number} height of its rows, or of its numbers
 * @property {boolean} asCounts whether it shows how many do what, in place of a row for each
 */

const AXIS = 24;
/** How high a panel of numbers is. */
const COUNTS = 84;
/** The rows have no fewer pixels than this, and no more. */
const [LEAST_ROW, MOST_ROW] = [4, 20];
/** More marks than this in one panel are too many to draw one by one. */
const MOST_MARKS = 20_000;

/** The mark of each state. @type {Record<State, string>} */
const CLASSES = { running: "works", holding: "holds", ready: "queues", waiting: "free", idle: "idle" };

/** How many timelines there are: each has a pattern of its own, because one that isn't shown draws nothing elsewhere. */
let count = 0;

/** The timeline of a run. */
export class Timeline {
    #hatch;
    /** @type {Run | undefined} */
    #run;
    /** @type {Panel[]} */
    #panels = [];
    #letters = 12;
    #height = 0;
    #left = 0;
    #width = 0;
    #drawn = "";
    #future = draw("rect", { class: "future" });
    #cursor = draw("path", { class: "cursor" });
    #label = draw("text", { class: "cursor-time", y: 12 });
    #outline = draw("path", { class: "outline" });
    #marks = draw("g", {});
    #frame = draw("g", {});
    /** @type {Plot} */
    #plot = { left: 0, right: 0, from: 0, to: 1, pitch: MOST_ROW, dot: 4 };
    /** @type {MarkedRow[]} */
    #rows = [];
    /** The request that the reader chose, or 0. */
    #followed = 0;

    /** @param {SVGSVGElement} svg */
    constructor(svg) {
        this.svg = svg;
        /** Whether the run may be seen: where a question is asked, only what has been played. */
        this.isOpen = true;
        count += 1;
        this.#hatch = `lab-hatch-${count}`;
        const pattern = { id: this.#hatch, width: 5, height: 5, patternUnits: "userSpaceOnUse" };
        const hatch = draw("path", { class: "hatch", d: "M1 0V5" });
        const defs = draw("defs", {}, draw("pattern", { ...pattern, patternTransform: "rotate(45)" }, hatch));
        svg.append(defs, this.#frame, this.#marks, this.#future, this.#outline, this.#cursor, this.#label);
        svg.addEventListener("pointermove", (event) => this.#point(event));
        svg.addEventListener("pointerleave", () => this.#outlineRequest(this.#followed));
    }

    /** The edges of the plot. */
    get edges() {
        return this.#plot;
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
        this.svg.dataset.letters = String(letters);
        this.svg.style.fontSize = `${letters}px`;
        const { clients, threads, cpus } = run.groups;
        const word = run.settings.model.startsWith("tasks") ? "Workers" : "Threads";
        const busy = run.result.summary.cpuBusy;
        const size = (/** @type {NamedRow[]} */ rows) => String(rows.length);
        this.#panels = [
            this.#panel("Clients", size(clients.rows), clients),
            this.#panel(word, size(threads.rows), threads),
            this.#panel("CPUs", `${size(cpus.rows)}, at work ${(100 * busy).toFixed(1)}% of the time`, cpus),
        ];
        this.#fit(room);
    }

    /**
     * @param {string} title
     * @param {string} note
     * @param {{ rows: NamedRow[], steps: Step[] }} group
     * @returns {Panel}
     */
    #panel(title, note, { rows, steps }) {
        const marks = rows.reduce((sum, { bars }) => sum + bars.reduce((all, bar) => all + bar.spans.length, 0), 0);
        const asCounts = rows.length > MOST_ROWS || marks > MOST_MARKS;
        return {
            title,
            note: asCounts ? `${note}, drawn as numbers` : note,
            rows,
            steps,
            height: asCounts ? COUNTS : 0,
            asCounts,
        };
    }

    /** The height of a panel's title. */
    get #gap() {
        return this.#letters + 10;
    }

    /**
     * Makes the rows as high as there is room; where even the lowest have none, the most rows become numbers.
     * @param {number} room
     */
    #fit(room) {
        for (;;) {
            const rows = this.#panels.filter(({ asCounts }) => !asCounts);
            const all = rows.reduce((sum, panel) => sum + panel.rows.length, 0);
            const numbers = COUNTS * (this.#panels.length - rows.length);
            const free = room - AXIS - numbers - this.#gap * this.#panels.length;
            const pitch = Math.min(MOST_ROW, Math.floor(free / Math.max(all, 1)));
            const [most] = rows.toSorted((one, other) => other.rows.length - one.rows.length);
            if (pitch >= LEAST_ROW || !most || most.rows.length * LEAST_ROW <= COUNTS) {
                const high = Math.max(pitch, LEAST_ROW);
                this.#plot = { ...this.#plot, pitch: high, dot: Math.min(4, high / 5) };
                for (const panel of rows) {
                    panel.height = panel.rows.length * high;
                }
                this.#height = this.#panels.reduce((sum, panel) => sum + panel.height + this.#gap, AXIS);
                return;
            }
            Object.assign(most, { asCounts: true, height: COUNTS, note: `${most.note}, drawn as numbers` });
        }
    }

    /**
     * Draws the part of the run from `view.from` to `view.to`, of which the reader sees what is before `now`.
     * @param {{ from: number, to: number }} view
     * @param {number} now
     */
    draw(view, now) {
        const width = this.svg.clientWidth;
        if (!this.#run || width === 0) {
            return;
        }
        const key = JSON.stringify([width, view]);
        if (this.#drawn !== key) {
            this.#drawn = key;
            this.#width = width;
            this.#left = this.#letters > 12 ? 80 : 64;
            this.#plot = { ...this.#plot, ...view, left: this.#left, right: width - 12 };
            this.svg.setAttribute("viewBox", `0 0 ${width} ${this.#height}`);
            this.svg.style.height = `${this.#height}px`;
            this.#drawPanels();
            this.#outlineRequest(this.#followed);
        }
        this.#drawTime(now);
    }

    /**
     * The cursor, and the veil over what comes after it.
     * @param {number} now
     */
    #drawTime(now) {
        const { left, right } = this.#plot;
        const x = Math.max(left, Math.min(placeOf(this.#plot, now), right));
        const over = now >= (this.#run?.duration ?? 0);
        this.#future.setAttribute("class", this.isOpen ? "future" : "future closed");
        const bottom = this.#height - AXIS;
        for (const [name, value] of Object.entries({ x, y: 0, width: over ? 0 : this.#width - x, height: bottom })) {
            this.#future.setAttribute(name, String(value));
        }
        this.#cursor.setAttribute("d", over ? "" : `M${x} ${this.#gap - 4}V${bottom}`);
        this.#label.textContent = over || now === 0 ? "" : timeText(now);
        this.#label.setAttribute("x", String(Math.min(x, right - 24)));
    }

    #drawPanels() {
        this.#frame.replaceChildren();
        this.#rows = [];
        /** @type {[number, number][]} */
        const groups = [];
        /** @type {Element[]} */
        const numbers = [];
        let y = 0;
        for (const panel of this.#panels) {
            const note = draw("tspan", { class: "soft", dx: 10 }, panel.note);
            const title = draw("tspan", { class: "heading" }, panel.title);
            this.#frame.append(draw("text", { y: y + this.#gap - 7 }, title, note));
            y += this.#gap;
            if (panel.asCounts) {
                numbers.push(...this.#countsOf(panel, y));
            } else {
                this.#addRows(panel, y);
            }
            groups.push([y, y + panel.height]);
            y += panel.height;
        }
        this.#drawAxis(groups, y);
        const marks = new Marks(this.#plot, this.#rows);
        const paths = KINDS.map((kind) => draw("path", { class: kind, d: marks.outlines[kind], ...this.#look(kind) }));
        this.#marks.replaceChildren(...numbers, ...paths, draw("g", { class: "number" }, ...textsOf(marks)));
    }

    /** @param {string} kind */
    #look(kind) {
        const looks = {
            queues: { fill: `url(#${this.#hatch})` },
            done: { style: `stroke-width: ${2 * this.#plot.dot}px` },
        };
        return kind in looks ? looks[/** @type {keyof typeof looks} */ (kind)] : {};
    }

    /**
     * @param {Panel} panel
     * @param {number} top
     */
    #addRows({ rows }, top) {
        const { pitch } = this.#plot;
        // Where rows are lower than letters, some have no name.
        const every = Math.ceil((this.#letters + 1) / pitch);
        rows.forEach(({ label, bars }, index) => {
            const y = top + (index + 0.5) * pitch;
            this.#rows.push({ y, bars });
            if (index % every === 0) {
                const place = { x: this.#left - 8, y: Math.max(y, top + 5) + 0.35 * this.#letters };
                this.#frame.append(draw("text", { ...place, "text-anchor": "end" }, label));
            }
        });
    }

    /**
     * @param {[number, number][]} groups
     * @param {number} bottom
     */
    #drawAxis(groups, bottom) {
        const { left, right, from, to } = this.#plot;
        let lines = "";
        for (const mark of ticks(from, to, (right - left) / (6.5 * this.#letters))) {
            const x = placeOf(this.#plot, mark);
            lines += groups.map(([top, end]) => `M${x} ${top}V${end}`).join("");
            const attributes = { x: Math.min(x, right - 4), y: bottom + this.#letters + 5, "text-anchor": "middle" };
            this.#frame.append(draw("text", { ...attributes, class: "soft" }, timeText(mark)));
        }
        this.#frame.prepend(draw("path", { class: "grid", d: lines }));
    }

    /**
     * How many do what: an area for each state, one on the other.
     * @param {Panel} panel
     * @param {number} top
     */
    #countsOf({ steps, height }, top) {
        const { left, right, from, to } = this.#plot;
        const sum = (/** @type {Step} */ step) => STATES.reduce((all, state) => all + step[state], 0);
        const most = steps.reduce((best, step) => Math.max(best, sum(step)), 1);
        const columns = Array.from({ length: Math.floor(right - left) }, (_, index) => left + index);
        const time = (/** @type {number} */ x) => from + ((x + 0.5 - left) / (right - left)) * (to - from);
        const seen = columns.map((x) => steps[lastAt(steps, time(x), ({ at }) => at)]);
        const foot = columns.map(() => top + height);
        const areas = STATES.map((state) => {
            const lower = foot.map((y, index) => `${columns[index]} ${tenth(y)}`);
            seen.forEach((step, index) => {
                foot[index] -= step ? (step[state] / most) * height : 0;
            });
            const upper = foot.map((y, index) => `${columns[index]} ${tenth(y)}`);
            const outline = `M${upper.join("L")}L${lower.reverse().join("L")}z`;
            const some = seen.some((step) => step && step[state] > 0);
            const attributes = { class: `area ${CLASSES[state]}`, d: some ? outline : "" };
            return draw("path", { ...attributes, ...this.#look(CLASSES[state]) });
        });
        const scale = [
            [String(most), top + this.#letters],
            ["0", top + height],
        ].map(([words, y]) => draw("text", { x: left - 8, y, "text-anchor": "end" }, String(words)));
        this.#frame.append(...scale);
        return areas;
    }

    /**
     * Outlines a request in every row until another is chosen; 0 is none.
     * @param {number} request
     */
    follow(request) {
        this.#followed = request;
        this.#outlineRequest(request);
    }

    /** @param {number} request */
    #outlineRequest(request) {
        this.#outline.setAttribute("d", request > 0 ? outlineOf(this.#plot, this.#rows, request) : "");
    }

    /**
     * Outlines the request that is pointed at, or else the one that was chosen.
     * @param {PointerEvent} event
     */
    #point({ clientX, clientY }) {
        const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM()?.inverse());
        this.#outlineRequest(requestAt(this.#plot, this.#rows, x, y) || this.#followed);
    }
}
