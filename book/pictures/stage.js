// Requests on a stage at one moment: in line, with a thread, as a task, on their way, or answered. The race of the
// servers, the openings of the chapters and the scheduler lab draw with it; the still pictures are drawn by
// tools/book/src/report/stage/drawing.rs in the same way, and a test in a browser holds the two together. What is drawn
// follows from the time alone. No module, so that a page from a file can use it.

/**
 * What a request does from a moment on: when, what, at which place if it has one, and in the box of which thread, if it
 * is a task.
 * @typedef {[number, Kind, number | null, number | null]} StageStep
 *
 * @typedef {object} Journey
 * @property {number} request
 * @property {number} [client] who sends it, counted from zero
 * @property {StageStep[]} steps what is drawn: the first is in line, the last is the answer
 * @property {[number, Kind][]} [states] what is said: from when on it does what. Drawn work is longer than it was
 *
 * @typedef {object} Stage one server with its requests
 * @property {number} kept how many threads are there before a request comes
 * @property {boolean} square whether a request that waits has a thread, and so a box
 * @property {Journey[]} journeys in the order in which they were sent
 * @property {[number, string] | null} [told] the request of which the title speaks, with its route
 *
 * @typedef {{ moves: number, patience: number }} Pace how long a move takes, and when a ring is full, in time of the run
 *
 * @typedef {{ step: number, middle: number, foot: number, radius: number }} StageForm
 *
 * @typedef {object} StagePanel
 * @property {number} head the middle of the first in line
 * @property {[number, number][]} [clients] if they are drawn
 * @property {[number, number][]} boxes
 * @property {[number, number][]} tasks
 * @property {number} answers from one answer to the next
 * @property {[number, number]} [exit] where answers leave, if they are too many to stay
 *
 * @typedef {{ x: number, y: number }} Spot
 */

/** What moves, by its class, from the lowest to the highest. */
const STAGE_CLASSES = ["open", "done", "refused", "idle", "holds", "free", "works", "moves", "waits", "aged"];

/** Which step a journey is in, or -1. @param {Journey} journey @param {number} time */
const stepAt = ({ steps }, time) => steps.findLastIndex(([at]) => at <= time);

/** When a request was answered, or cut off. @param {Journey} journey */
const endOf = ({ steps }) => steps[steps.length - 1][0];

/** How many requests of a server were answered by then. @param {Stage} stage @param {number} time */
const answeredOf = (stage, time) => requestsThat(stage, "done", time).length;

/** The numbers of the requests that do this then. @param {Stage} stage @param {Kind} kind @param {number} time */
function requestsThat({ journeys }, kind, time) {
    const now = journeys.filter(({ steps, states = steps }) => states.findLast(([at]) => at <= time)?.[1] === kind);
    return now.map(({ request }) => request);
}

/** How much of a move is done, when it begins and ends softly. @param {number} share */
const ease = (share) => share * share * (3 - 2 * share);

/** A panel at one moment: an outline for each class, and the numbers of the requests. */
class StageMoment {
    /** @type {Record<string, string>} */
    outlines = Object.fromEntries(STAGE_CLASSES.map((name) => [name, ""]));
    /** @type {Marks["numbers"]} */
    numbers = [];
    #stage;
    #panel;
    #form;
    #pace;
    #time;

    /**
     * @param {Stage} stage
     * @param {StagePanel} panel
     * @param {StageForm} form
     * @param {Pace} pace
     * @param {number} time
     */
    constructor(stage, panel, form, pace, time) {
        this.#stage = stage;
        this.#panel = panel;
        this.#form = form;
        this.#pace = pace;
        this.#time = time;
        const busy = panel.boxes.map(() => false);
        const arrived = stage.journeys.filter((_, index) => this.#request(index, busy)).length;
        panel.boxes.slice(0, stage.kept).forEach(([x, y], place) => {
            if (!busy[place]) {
                this.#square("idle", { x, y }, form.radius + 1);
            }
        });
        (panel.exit ? [] : stage.journeys.slice(arrived)).forEach((_, place) => {
            this.#circle("open", { x: 6 + (arrived + place) * panel.answers, y: form.foot }, 3);
        });
    }

    /**
     * How much of the move to a step is done.
     * @param {Journey} journey
     * @param {number} step
     */
    #moved({ steps }, step) {
        return Math.min((this.#time - steps[step][0]) / this.#pace.moves, 1);
    }

    /**
     * How many requests stand before one that is in line: what leaves the line makes room little by little.
     * @param {number} index
     */
    #before(index) {
        return this.#stage.journeys.slice(0, index).reduce((sum, other) => {
            const step = stepAt(other, this.#time);
            return sum + (step === 0 ? 1 : step === 1 ? 1 - ease(this.#moved(other, 1)) : 0);
        }, 0);
    }

    /**
     * Where a request is in a step, once it has arrived.
     * @param {number} index
     * @param {number} step
     * @returns {Spot}
     */
    #place(index, step) {
        const { journeys, square } = this.#stage;
        const { boxes, tasks, head, answers, exit } = this.#panel;
        const { foot, middle } = this.#form;
        const [, kind, slot] = journeys[index].steps[step];
        if (exit && kind === "done") {
            return { x: exit[0], y: exit[1] };
        }
        if (kind === "done" || kind === "refused") {
            const end = endOf(journeys[index]);
            const first = journeys.filter(
                (other, place) => endOf(other) < end || (endOf(other) === end && place < index),
            );
            return { x: 6 + first.length * answers, y: foot };
        }
        const own = slot === null ? undefined : (square ? boxes : tasks)[slot];
        if (own) {
            return { x: own[0], y: own[1] };
        }
        // What leaves the line leaves it from its head.
        const before = stepAt(journeys[index], this.#time) > step ? 0 : this.#before(index);
        return { x: head - before * this.#form.step, y: middle };
    }

    /**
     * Draws a request, and notes a box that it fills.
     * @param {number} index
     * @param {boolean[]} busy
     * @returns {boolean} whether it has arrived among the answers
     */
    #request(index, busy) {
        const journey = this.#stage.journeys[index];
        const now = stepAt(journey, this.#time);
        if (now < 0) {
            return false;
        }
        const { radius, middle } = this.#form;
        const [since, kind, slot, thread] = journey.steps[now];
        const to = this.#place(index, now);
        const [x, y] = this.#panel.clients?.[journey.client ?? -1] ?? [radius, middle];
        const from = now === 0 ? { x, y } : this.#place(index, now - 1);
        const share = from.x === to.x && from.y === to.y ? 1 : this.#moved(journey, now);
        const gone = ease(share);
        const at = { x: from.x + (to.x - from.x) * gone, y: from.y + (to.y - from.y) * gone };
        if (kind === "queues") {
            this.#circle("waits", at, radius);
            this.#arc(at, radius - 0.5, (this.#time - since) / this.#pace.patience);
        } else if (share < 1) {
            this.#circle("moves", at, radius);
        } else if (kind === "holds" || (kind === "works" && this.#stage.square)) {
            this.#square(kind, at, radius + 1);
        } else if (kind === "works" || kind === "free") {
            this.#circle(kind, at, kind === "free" ? radius - 0.5 : radius);
        } else {
            this.#answer(kind, at);
            return true;
        }
        if (share === 1 && kind !== "queues") {
            this.#fill(busy, this.#stage.square ? slot : thread);
        }
        const as = share < 1 || kind === "queues" || kind === "free" ? "rim" : kind === "works" ? "on" : null;
        this.#number(at, String(journey.request), as);
        const [told, route] = this.#stage.told ?? [];
        if (journey.request === told && kind === "queues" && slot === null) {
            this.#number({ x: at.x, y: at.y - radius - 9 }, `for ${route}`, "rim");
        }
        return false;
    }

    /**
     * @param {Spot} at
     * @param {string} number
     * @param {string | null} as
     */
    #number({ x, y }, number, as) {
        this.numbers.push({ x: tenth(x), y: tenth(y + 4.3), number, as });
    }

    /**
     * A box is in use; that of a thread which polls a task is solid.
     * @param {boolean[]} busy
     * @param {number | null} place
     */
    #fill(busy, place) {
        const box = place === null ? undefined : this.#panel.boxes[place];
        if (place === null || !box) {
            return;
        }
        if (!busy[place] && !this.#stage.square) {
            this.#square("works", { x: box[0], y: box[1] }, this.#form.radius + 1);
        }
        busy[place] = true;
    }

    /**
     * @param {string} name
     * @param {Spot} at
     * @param {number} radius
     */
    #circle(name, { x, y }, radius) {
        const arc = `a${radius} ${radius} 0 1 1`;
        this.outlines[name] += `M${tenth(x - radius)} ${tenth(y)}${arc} ${2 * radius} 0${arc} -${2 * radius} 0z`;
    }

    /**
     * @param {string} name
     * @param {Spot} at
     * @param {number} half
     */
    #square(name, { x, y }, half) {
        const side = 2 * half;
        this.outlines[name] += `M${tenth(x - half)} ${tenth(y - half)}h${side}v${side}h-${side}z`;
    }

    /**
     * A full dot, or a cross where there is no answer; none where answers leave.
     * @param {Kind} kind
     * @param {Spot} at
     */
    #answer(kind, { x, y }) {
        if (this.#panel.exit) {
            return;
        }
        if (kind === "refused") {
            this.outlines.refused += `M${tenth(x - 4)} ${tenth(y - 4)}l8 8m0-8l-8 8`;
        } else {
            this.outlines.done += `M${tenth(x)} ${tenth(y)}h0`;
        }
    }

    /**
     * The part of a ring, clockwise from its top.
     * @param {Spot} at
     * @param {number} radius
     * @param {number} share
     */
    #arc({ x, y }, radius, share) {
        const turn = 2 * Math.PI * Math.min(share, 0.999);
        const end = { x: x + radius * Math.sin(turn), y: y - radius * Math.cos(turn) };
        const large = turn > Math.PI ? 1 : 0;
        const to = `${tenth(end.x)} ${tenth(end.y)}`;
        this.outlines.aged += `M${tenth(x)} ${tenth(y - radius)}A${radius} ${radius} 0 ${large} 1 ${to}`;
    }
}

/**
 * Draws a moment into a group that has a path for each class, and a group for the numbers.
 * @param {Element} group
 * @param {StageMoment} moment
 */
function drawMoment(group, moment) {
    for (const name of STAGE_CLASSES) {
        group.querySelector(`path.${name}`)?.setAttribute("d", moment.outlines[name]);
    }
    need(group, ".number", SVGGElement).replaceChildren(...textsOf(moment));
}

// The lab, which is made of modules, imports this as one.
Object.assign(globalThis, { STAGE_CLASSES, StageMoment, answeredOf, drawMoment, endOf, requestsThat, stepAt });
