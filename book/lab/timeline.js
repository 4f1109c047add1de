// Draws a run of the simulator: a row for each client, thread and CPU, with the marks of the recordings.

import "./rows.js";
import { lastAt, MOST_ROWS, STATES } from "./run.js";
import { ticks, timeText } from "./time.js";

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

/** From the last row to the line of the axis, on which the thumb lies, and from there to the foot. */
const [ABOVE_AXIS, BELOW_AXIS] = [16, 32];
/** The size of its letters, and the height of a panel's title. */
const [LETTERS, GAP] = [12, 20];
/** Where the plot begins, and how far it ends from the right edge. */
const [LEFT, RIGHT] = [64, 12];
/** Longer numbers have no room in a mark. */
const MOST_NUMBERED = 99;
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
    #height = 0;
    #width = 0;
    #future = draw("rect", { class: "future" });
    #cursor = draw("path", { class: "cursor" });
    #outline = draw("path", { class: "outline" });
    #marks = draw("g", {});
    #frame = draw("g", {});
    // What they say is no answer, so no veil lies over them.
    #titles = draw("g", {});
    /** @type {Plot} */
    #plot = { left: 0, right: 0, from: 0, to: 1, pitch: MOST_ROW, dot: 4 };
    /** @type {MarkedRow[]} */
    #rows = [];

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
        svg.append(defs, this.#frame, this.#marks, this.#future, this.#titles, this.#outline, this.#cursor);
        svg.addEventListener("pointermove", (event) => this.#point(event));
        svg.addEventListener("pointerleave", () => this.#outlineRequest(0));
    }

    /**
     * Draws this run in a picture that is no higher than `room`, if that is possible, and says where its axis lies. All of
     * it is `scale` times as large as its numbers here say.
     * @param {Run} run
     * @param {number} room
     * @param {number} scale
     */
    load(run, room, scale) {
        this.#run = run;
        this.svg.style.fontSize = `${LETTERS}px`;
        const { clients, threads, cpus } = run.groups;
        const word = run.settings.model.startsWith("tasks") ? "Workers" : "Threads";
        const size = (/** @type {NamedRow[]} */ rows) => String(rows.length);
        this.#panels = [
            this.#panel("Clients", size(clients.rows), clients),
            this.#panel(word, size(threads.rows), threads),
            this.#panel("CPUs", size(cpus.rows), cpus),
        ];
        this.#fit(room / scale);
        this.#width = Math.max(this.svg.clientWidth, 200) / scale;
        this.#plot = { ...this.#plot, from: 0, to: run.duration, left: LEFT, right: this.#width - RIGHT };
        this.svg.setAttribute("viewBox", `0 0 ${this.#width} ${this.#height}`);
        this.svg.style.height = `${this.#height * scale}px`;
        this.#drawPanels();
        this.#outlineRequest(0);
        return { left: LEFT * scale, right: RIGHT * scale, axis: (this.#height - BELOW_AXIS) * scale };
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
            height: 0,
            asCounts,
        };
    }

    /**
     * Makes the rows as high as there is room; where even the lowest have none, the most rows become numbers.
     * @param {number} room
     */
    #fit(room) {
        const around = ABOVE_AXIS + BELOW_AXIS + GAP * this.#panels.length;
        for (let pitch = MOST_ROW; ; pitch -= 1) {
            for (const panel of this.#panels) {
                // A lone row is as high as its name.
                panel.height = panel.asCounts ? COUNTS : Math.max(panel.rows.length * pitch, LETTERS + 4);
            }
            this.#height = this.#panels.reduce((sum, panel) => sum + panel.height, around);
            if (this.#height <= room || pitch === LEAST_ROW) {
                this.#plot = { ...this.#plot, pitch, dot: Math.min(4, pitch / 5) };
                break;
            }
        }
        const [most] = this.#panels.toSorted((one, other) => other.height - one.height);
        if (this.#height > room && !most.asCounts && most.height > COUNTS) {
            Object.assign(most, { asCounts: true, note: `${most.note}, drawn as numbers` });
            this.#fit(room);
        }
    }

    /**
     * The cursor, and the veil over what comes after it.
     * @param {number} now
     */
    draw(now) {
        if (this.#panels.length === 0) {
            return;
        }
        const { left, right } = this.#plot;
        const x = Math.max(left, Math.min(placeOf(this.#plot, now), right));
        const over = now >= (this.#run?.duration ?? 0);
        this.#future.setAttribute("class", this.isOpen ? "future" : "future closed");
        const bottom = this.#height - BELOW_AXIS - 6;
        for (const [name, value] of Object.entries({ x, y: 0, width: over ? 0 : this.#width - x, height: bottom })) {
            this.#future.setAttribute(name, String(value));
        }
        this.#cursor.setAttribute("d", over ? "" : `M${x} ${GAP - 4}V${bottom}`);
    }

    #drawPanels() {
        this.#frame.replaceChildren();
        this.#titles.replaceChildren();
        this.#rows = [];
        /** @type {[number, number][]} */
        const groups = [];
        /** @type {Element[]} */
        const numbers = [];
        let y = 0;
        for (const panel of this.#panels) {
            const note = draw("tspan", { class: "soft", dx: 10 }, panel.note);
            const title = draw("tspan", { class: "heading" }, panel.title);
            this.#titles.append(draw("text", { y: y + GAP - 6 }, title, note));
            y += GAP;
            if (panel.asCounts) {
                numbers.push(...this.#countsOf(panel, y));
            } else {
                this.#addRows(panel, y);
            }
            groups.push([y, y + panel.height]);
            y += panel.height;
        }
        this.#drawAxis(groups);
        const marks = new Marks(this.#plot, this.#rows);
        const numbered = { numbers: marks.numbers.filter(({ number }) => Number(number) <= MOST_NUMBERED) };
        const paths = KINDS.map((kind) => draw("path", { class: kind, d: marks.outlines[kind], ...this.#look(kind) }));
        this.#marks.replaceChildren(...numbers, ...paths, draw("g", { class: "number" }, ...textsOf(numbered)));
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
        const every = Math.ceil((LETTERS + 1) / pitch);
        rows.forEach(({ label, bars }, index) => {
            const y = top + (index + 0.5) * pitch;
            this.#rows.push({ y, bars });
            if (index % every === 0) {
                const place = { x: LEFT - 8, y: Math.max(y, top + 5) + 0.35 * LETTERS };
                this.#frame.append(draw("text", { ...place, "text-anchor": "end" }, label));
            }
        });
    }

    /**
     * The line on which the thumb moves, with its ticks and their numbers; the grid lies behind rows only.
     * @param {[number, number][]} groups
     */
    #drawAxis(groups) {
        const { left, right, from, to } = this.#plot;
        const axis = this.#height - BELOW_AXIS;
        let grid = "";
        let line = `M${left} ${axis}H${right}`;
        for (const mark of ticks(from, to, (right - left) / (6.5 * LETTERS))) {
            const x = placeOf(this.#plot, mark);
            grid += groups.map(([top, end]) => `M${x} ${top}V${end}`).join("");
            line += `M${x} ${axis - 4}v8`;
            const attributes = { x: Math.min(x, right - 4), y: axis + 28, "text-anchor": "middle" };
            this.#frame.append(draw("text", { ...attributes, class: "soft" }, timeText(mark)));
        }
        this.#frame.prepend(draw("path", { class: "grid", d: grid }));
        this.#frame.append(draw("path", { class: "axis", d: line }));
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
            [String(most), top + LETTERS],
            ["0", top + height],
        ].map(([words, y]) => draw("text", { x: left - 8, y, "text-anchor": "end" }, String(words)));
        this.#frame.append(...scale);
        return areas;
    }

    /** @param {number} request */
    #outlineRequest(request) {
        this.#outline.setAttribute("d", request > 0 ? outlineOf(this.#plot, this.#rows, request) : "");
    }

    /**
     * Outlines the request that is pointed at.
     * @param {PointerEvent} event
     */
    #point({ clientX, clientY }) {
        const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM()?.inverse());
        this.#outlineRequest(requestAt(this.#plot, this.#rows, x, y));
    }
}
