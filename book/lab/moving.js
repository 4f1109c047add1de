// Requests that move, above the timeline of a run: from their clients into the line, to a thread or a task, and away.
// They are drawn as on the stage of the recordings; what is drawn follows from the moment alone.

import "../pictures/rows.js";
import "../pictures/stage.js";
import { MARKS } from "./run.js";

/** @typedef {import("./run.js").Run} Run */

/** How high the drawing is. */
const HIGH = 60;
/** More boxes or tasks than this have no room. */
const MOST = 24;
/** How long a request moves from place to place, in milliseconds of the reader. */
const MOVES = 200;
/** A ring is full after this part of the run. */
const PATIENCE = 1 / 5;
/** How many threads there are before a request comes, where no setting says it. @type {Record<string, number>} */
const KEPT = { "one-thread": 1, "thread-per-connection": 0 };
/** @type {StageForm} */
const FORM = { step: 20, middle: HIGH / 2, foot: HIGH / 2, radius: 9 };
/** The heights of the upper and of the lower places. */
const ROWS = [HIGH / 2 - 13, HIGH / 2 + 13];

/**
 * Where each request of a run is, and when; and how many places are needed.
 * @param {Run} run
 */
export function journeysOf({ requests, settings }) {
    const square = settings.model !== "tasks";
    const workers = [...new Set(requests.flatMap(({ spans }) => spans.map(({ thread }) => thread ?? -1)))]
        .filter((thread) => thread >= 0)
        .sort((one, other) => one - other);
    /** Until when each place is taken. @type {number[]} */
    const places = [];
    const begun = requests
        .map((request) => ({ ...request, own: withoutLine(request) }))
        .sort((one, other) => (one.own[0]?.from ?? one.end) - (other.own[0]?.from ?? other.end));
    const journeys = begun.map(({ id, start, end, finished, own }) => {
        /** @type {StageStep[]} */
        const steps = [[start, "queues", null, null]];
        if (own.length > 0) {
            const free = places.findIndex((taken) => taken <= own[0].from);
            const slot = free < 0 ? places.length : free;
            places[slot] = end;
            for (const { from, state, thread } of own) {
                const kind = MARKS[state] ?? "idle";
                // What its thread does after the answer, it does for nobody.
                if (kind === "idle" || from >= end) {
                    continue;
                }
                const box = square || kind !== "works" ? -1 : workers.indexOf(thread ?? -1);
                steps.push([from, kind, slot, box < 0 ? null : box]);
            }
        }
        if (finished !== null) {
            steps.push([finished, "done", null, null]);
        }
        return { request: id + 1, steps, end: finished ?? Number.POSITIVE_INFINITY };
    });
    journeys.sort((one, other) => one.steps[0][0] - other.steps[0][0] || one.request - other.request);
    return { square, kept: KEPT[settings.model] ?? settings.threads, places: places.length, journeys };
}

/**
 * What is done with a request once somebody has it: before that it is in line.
 * @param {Run["requests"][number]} request
 */
function withoutLine({ spans }) {
    const begins = spans.findIndex(({ state }) => state !== "ready");
    return begins < 0 ? [] : spans.slice(begins);
}

/**
 * Where the places are on a drawing of this width.
 * @param {{ square: boolean, kept: number, places: number }} needs
 * @param {number} width
 * @returns {StagePanel}
 */
export function panelOf({ square, kept, places }, width) {
    const boxes = square ? Math.max(kept, places) : kept;
    const tasks = square ? 0 : places;
    const columns = Math.ceil(boxes / 2) + Math.ceil(tasks / 2);
    const head = Math.round(width * 0.42);
    const [first, last] = [head + 36, width - 44];
    const pitch = Math.min(26, (last - first) / Math.max(columns - 1, 1));
    const at = (/** @type {number} */ count, /** @type {number} */ column) =>
        Array.from({ length: count }, (_, place) => {
            const y = count === 1 ? HIGH / 2 : ROWS[place % 2];
            return /** @type {[number, number]} */ ([tenth(first + pitch * (column + Math.floor(place / 2))), y]);
        });
    return {
        head,
        boxes: at(boxes, 0),
        tasks: at(tasks, Math.ceil(boxes / 2)),
        answers: 0,
        exit: [width - 12, HIGH / 2],
    };
}

/** The drawing above a timeline. The words beside it say the same, so it is hidden from those who hear them. */
export class Moving {
    svg = draw("svg", { class: "pic lab-moving", "aria-hidden": "true", height: HIGH });
    #group = draw(
        "g",
        { class: "moving" },
        ...STAGE_CLASSES.map((name) => draw("path", { class: name })),
        draw("g", { class: "number", "text-anchor": "middle" }),
    );
    /** @type {ReturnType<typeof journeysOf> | undefined} */
    #all;
    #duration = 1;

    constructor() {
        this.svg.append(this.#group);
    }

    /**
     * Takes another run. One that needs too many places is not drawn.
     * @param {Run} run
     */
    load(run) {
        const all = journeysOf(run);
        this.#duration = run.duration;
        this.#all = Math.max(all.kept, all.places) > MOST ? undefined : all;
        this.svg.style.display = this.#all ? "" : "none";
    }

    /** How much room it takes. */
    get height() {
        return this.#all ? HIGH : 0;
    }

    /**
     * Draws a moment of the run.
     * @param {number} now
     * @param {number} speed how much of the run's time passes in a millisecond
     */
    draw(now, speed) {
        const width = this.svg.clientWidth;
        if (!this.#all || width === 0) {
            return;
        }
        const pace = { moves: MOVES * speed, patience: this.#duration * PATIENCE };
        const panel = panelOf(this.#all, width);
        // Of a long run only those are looked at that are there now, or have just left; of a long line its head.
        const mostInLine = Math.floor((panel.head - FORM.radius) / FORM.step);
        let inLine = 0;
        const journeys = this.#all.journeys.filter(({ steps, end }) => {
            if (now < steps[0][0] || now > end + pace.moves) {
                return false;
            }
            const waits = steps.length === 1 || now < steps[1][0];
            inLine += waits ? 1 : 0;
            return !waits || inLine <= mostInLine;
        });
        const stage = { ...this.#all, journeys };
        this.svg.setAttribute("viewBox", `0 0 ${width} ${HIGH}`);
        drawMoment(this.#group, new StageMoment(stage, panel, FORM, pace, now));
    }
}
