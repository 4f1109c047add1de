// The marks of rows over time: what threads, requests and CPUs do in a run that the scheduler lab has simulated. Those of
// recordings are drawn where the book is built, by tools/book/src/report/replay/marks.rs, in the same way.

/**
 * What a row does: the class names of theme/pictures.css. The last four are moments. Only the lab knows what a CPU loses
 * when it switches between threads.
 * @typedef {"idle" | "holds" | "queues" | "free" | "works" | "switches" | "sent" | "woken" | "done" | "refused"} Kind
 *
 * @typedef {object} Bar all that a row does in the same way for the same request
 * @property {Kind} kind
 * @property {number | null} request its number
 * @property {[number, number][]} spans from, to; in order
 * @property {number | null} [thread] in the row of a CPU, the thread that it runs
 *
 * @typedef {object} Plot where times lie, in pixels of the drawing
 * @property {number} left
 * @property {number} right
 * @property {number} from the time at the left edge
 * @property {number} to the time at the right edge
 * @property {number} pitch how high a row is
 * @property {number} dot the radius of an answer's dot
 *
 * @typedef {{ y: number, bars: Bar[] }} MarkedRow a row and its middle
 */

/** The kinds, from the lowest to the highest in a drawing. @type {Kind[]} */
const KINDS = ["idle", "holds", "queues", "free", "works", "switches", "sent", "woken", "done", "refused"];
/** A bar of work has this width at least. */
const LEAST_WORK = 2;
/** Lower rows have no room for numbers and triangles. */
const LETTERED = 12;

/** A coordinate: a tenth of a pixel is enough. @param {number} value */
const tenth = (value) => Math.floor(value * 10 + 0.5) / 10;

/** The room of a number in a mark. @param {string} number */
const roomOf = (number) => (number === "" ? 0 : 7 + 7.5 * number.length);

/** What a band needs for a number in it. @param {string} number */
const inside = (number) => 6 + 7 * number.length;

/**
 * Where a time lies.
 * @param {Plot} plot
 * @param {number} time
 */
const placeOf = ({ left, right, from, to }, time) => left + ((time - from) / (to - from)) * (right - left);

/** All marks of some rows: an outline for each kind, and the numbers of requests. */
class Marks {
    /** @type {Record<string, string>} */
    outlines = Object.fromEntries(KINDS.map((kind) => [kind, ""]));
    /**
     * Each with the class of what it stands on: `on` what is solid.
     * @type {{ x: number, y: number, number: string, as: string | null }[]}
     */
    numbers = [];
    /** Where the dots of the row's answers begin and end. @type {[number, number][]} */
    #dots = [];

    /**
     * @param {Plot} plot
     * @param {MarkedRow[]} rows
     */
    constructor(plot, rows) {
        this.plot = plot;
        for (const row of rows) {
            this.#addRow(row);
        }
    }

    /** @param {MarkedRow} row */
    #addRow({ y, bars }) {
        const { plot } = this;
        /** @type {[number, number][]} */
        const works = [];
        const answers = bars.filter(({ kind }) => kind === "done" || kind === "refused");
        const places = answers.flatMap(({ spans }) => spans.map(([at]) => placeOf(plot, at)));
        this.#dots = places.map((x) => [x, x + 2 * plot.dot]);
        for (const { kind, request, spans } of bars) {
            const number = request === null ? "" : String(request);
            for (const [from, to] of spans) {
                if (to < plot.from || from > plot.to) {
                    continue;
                }
                // What reaches over an edge is cut there.
                const x = placeOf(plot, Math.max(from, plot.from));
                const end = placeOf(plot, Math.min(to, plot.to));
                if (kind === "idle") {
                    this.#line(kind, x, end, y);
                } else if (kind === "holds") {
                    this.#holds(x, end, y, number);
                } else if (kind === "queues") {
                    this.#queues(x, end, y, number);
                } else if (kind === "free") {
                    this.#free(x, end, y, number);
                } else if (kind === "works") {
                    works.push([x, Math.max(end, x + LEAST_WORK)]);
                    if (end - x > inside(number) + this.#beside(x + 5)) {
                        this.#number(x + 5, y, number, "on");
                    }
                } else if (kind === "switches") {
                    this.#rectangle(kind, x, end, y, plot.pitch - 2);
                } else {
                    this.#moment(kind, x, y);
                }
            }
        }
        works.sort(([one], [other]) => one - other);
        this.#works(y, works);
    }

    /**
     * How far a number at this place moves to stand beside the dot of the answer before it.
     * @param {number} x
     */
    #beside(x) {
        const dot = this.#dots.find(([from, to]) => from <= x && x < to + 1);
        return dot ? dot[1] + 1 - x : 0;
    }

    /**
     * @param {number} x
     * @param {number} y
     * @param {string} number
     * @param {string | null} [as]
     */
    #number(x, y, number, as = null) {
        if (number !== "" && this.plot.pitch >= LETTERED) {
            this.numbers.push({ x: tenth(x + this.#beside(x)), y: tenth(y + 4.3), number, as });
        }
    }

    /**
     * @param {Kind} kind
     * @param {number} x
     * @param {number} end
     * @param {number} y
     */
    #line(kind, x, end, y) {
        if (end > x) {
            this.outlines[kind] += `M${tenth(x)} ${tenth(y)}H${tenth(end)}`;
        }
    }

    /**
     * @param {Kind} kind
     * @param {number} x
     * @param {number} end
     * @param {number} y
     * @param {number} high
     */
    #rectangle(kind, x, end, y, high) {
        const wide = tenth(end - x);
        this.outlines[kind] += `M${tenth(x)} ${tenth(y - high / 2)}h${wide}v${high}h-${wide}z`;
    }

    /**
     * @param {number} x
     * @param {number} end
     * @param {number} y
     * @param {string} number
     */
    #holds(x, end, y, number) {
        const { pitch } = this.plot;
        this.#rectangle("holds", x, end, y, Math.max(pitch - 6, Math.min(pitch - 2, 9)));
        if (end - x > inside(number) + this.#beside(x + 5)) {
            this.#number(x + 5, y, number);
        }
    }

    /**
     * What is too short to be seen as hatching is left out.
     * @param {number} x
     * @param {number} end
     * @param {number} y
     * @param {string} number
     */
    #queues(x, end, y, number) {
        if (end - x < 1.5) {
            return;
        }
        const needs = number === "" ? 0 : roomOf(number) + this.#beside(x + 4);
        const room = end - x > needs + 16 ? needs : 0;
        if (room > 0) {
            this.#number(x + 4, y, number);
        }
        this.#rectangle("queues", x + room, end, y, Math.floor(this.plot.pitch / 2));
    }

    /**
     * @param {number} x
     * @param {number} end
     * @param {number} y
     * @param {string} number
     */
    #free(x, end, y, number) {
        const needs = number === "" ? 0 : roomOf(number) + this.#beside(x + 5);
        const room = end - x > needs + 16 ? needs : 0;
        if (room > 0) {
            this.#number(x + 5, y, number);
        }
        // With its round ends a dot is as long as the line is thick.
        this.#line("free", x + room + 4, end - 4, y);
    }

    /**
     * Bars that lie on each other are one.
     * @param {number} y
     * @param {[number, number][]} spans
     */
    #works(y, spans) {
        /** @type {[number, number][]} */
        const bars = [];
        for (const [x, end] of spans) {
            const last = bars.at(-1);
            if (last && x <= last[1] + 0.5) {
                last[1] = Math.max(last[1], end);
            } else {
                bars.push([x, end]);
            }
        }
        for (const [x, end] of bars) {
            this.#rectangle("works", x, end, y, this.plot.pitch - 2);
        }
    }

    /**
     * @param {Kind} kind
     * @param {number} x
     * @param {number} y
     */
    #moment(kind, x, y) {
        const { dot, pitch } = this.plot;
        if (kind === "woken" && pitch < LETTERED) {
            return;
        }
        const tick = Math.min(12, pitch - 2);
        const shapes = {
            sent: [0, -tick / 2, `v${tick}`],
            woken: [0, 4, "l3.5 6h-7z"],
            refused: [1, -4, "l8 8m0-8l-8 8"],
            // Just after its moment; a dot is a line without length.
            done: [dot, 0, "h0"],
        };
        const [right, down, shape] = shapes[/** @type {keyof typeof shapes} */ (kind)];
        this.outlines[kind] += `M${tenth(x + Number(right))} ${tenth(y + Number(down))}${shape}`;
    }
}

/**
 * The request whose mark is at a place of the drawing, or 0.
 * @param {Plot} plot
 * @param {MarkedRow[]} rows
 * @param {number} x
 * @param {number} y
 */
function requestAt(plot, rows, x, y) {
    const { left, right, from, to, pitch } = plot;
    const unit = (to - from) / (right - left);
    const time = from + (x - left) * unit;
    // A little beside a short mark counts as on it.
    const near = 4 * unit;
    const row = rows.find((one) => Math.abs(one.y - y) <= pitch / 2);
    const bar = row?.bars.findLast(
        ({ request, spans }) =>
            request !== null && spans.some(([begin, end]) => begin - near <= time && time <= end + near),
    );
    return bar?.request ?? 0;
}

/**
 * The boxes around a request in each row, as one outline.
 * @param {Plot} plot
 * @param {MarkedRow[]} rows
 * @param {number} request
 */
function outlineOf(plot, rows, request) {
    const { pitch } = plot;
    let outline = "";
    for (const { y, bars } of rows) {
        const own = bars.filter((bar) => bar.request === request && bar.kind !== "woken");
        const spans = own.flatMap((bar) => bar.spans).filter(([from, to]) => to >= plot.from && from <= plot.to);
        const sides = spans
            .map((span) => span.map((time) => placeOf(plot, Math.min(Math.max(time, plot.from), plot.to))))
            .sort(([one], [other]) => one - other);
        /** @type {number[][]} */
        const boxes = [];
        for (const [x, end] of sides) {
            const last = boxes.at(-1);
            if (last && x <= last[1] + 6) {
                last[1] = Math.max(last[1], end + 2);
            } else {
                boxes.push([x - 2, end + 2]);
            }
        }
        for (const [x, end] of boxes) {
            outline += `M${tenth(x)} ${tenth(y - pitch / 2)}H${tenth(end)}v${pitch}H${tenth(x)}z`;
        }
    }
    return outline;
}

/**
 * The numbers as texts.
 * @param {{ numbers: Marks["numbers"] }} marks
 */
function textsOf({ numbers }) {
    return numbers.map(({ x, y, number, as }) => draw("text", { class: as, x, y }, number));
}

// The lab, which is made of modules, imports this as one.
Object.assign(globalThis, { KINDS, Marks, outlineOf, placeOf, requestAt, tenth, textsOf });
