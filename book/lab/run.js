// A run of the simulator, arranged for drawing and for saying what was going on at a moment.

/**
 * @typedef {import("./recorder.js").Result} Result
 * @typedef {{ label: string, bars: Bar[] }} NamedRow
 *
 * What a thread or a task does; `id` names it.
 * @typedef {object} Span
 * @property {number} from
 * @property {number} to
 * @property {string} state
 * @property {number | null} [request]
 * @property {number | null} [thread]
 * @property {number} [id]
 *
 * @typedef {{ id: number, name?: string, spans: Span[] }} Thing a thread or a task
 * @typedef {{ end: number, spans: Span[], names: Set<string | number> }} Lane things that share a row
 * @typedef {"running" | "holding" | "ready" | "waiting" | "idle"} State
 * @typedef {Record<State, number>} Counts how many are in each state
 * @typedef {Counts & { at: number }} Step
 */

/** More rows than this in one group are drawn as numbers. */
export const MOST_ROWS = 64;

/** The states, from what is drawn at the bottom of a panel of numbers to its top. @type {State[]} */
export const STATES = ["running", "holding", "ready", "waiting", "idle"];
/** @type {Counts} */
const NONE = { running: 0, holding: 0, ready: 0, waiting: 0, idle: 0 };

/**
 * The greatest index whose `key` is at most `value`, or -1. `list` is in order.
 * @template Item
 * @param {Item[]} list
 * @param {number} value
 * @param {(item: Item) => number} key
 */
export function lastAt(list, value, key) {
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

/**
 * What threads do: one that waits holds itself, with the request that it serves.
 * @param {Thing[]} threads
 */
function ofThreads(threads) {
    const state = (/** @type {Span} */ span) => ({ ...span, state: span.state === "waiting" ? "holding" : span.state });
    return threads.map((thread) => ({ ...thread, spans: thread.spans.map(state) }));
}

/**
 * What tasks do: one that is polled works only while its worker is on a CPU; a call that blocks holds the worker.
 * @param {Thing[]} tasks
 * @param {Thing[]} threads
 */
function ofTasks(tasks, threads) {
    const byId = new Map(threads.map((thread) => [thread.id, thread.spans]));
    const parts = (/** @type {Span} */ span) => {
        if (span.state !== "polled") {
            return [span];
        }
        const spans = byId.get(span.thread ?? -1) ?? [];
        /** @type {Span[]} */
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

/**
 * Puts things that live one after the other into the same row: as many rows as live at the same time.
 * @param {Thing[]} things
 */
function lanes(things) {
    /** @type {Lane[]} */
    const rows = [];
    const ordered = things
        .filter((thing) => thing.spans.length > 0)
        .map((thing) => ({ ...thing, start: thing.spans[0].from, end: thing.spans[thing.spans.length - 1].to }))
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

/**
 * How many are in each state from each moment on.
 * @param {Thing[]} things
 */
export function counts(things) {
    /** @type {[number, State, number][]} */
    const changes = [];
    for (const thing of things) {
        for (const span of thing.spans) {
            const state = /** @type {State} */ (span.state);
            changes.push([span.from, state, 1], [span.to, state, -1]);
        }
    }
    changes.sort((a, b) => a[0] - b[0]);
    /** @type {Step[]} */
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

/** How the drawing calls what a thread or a task does. @type {Record<string, Kind>} */
export const MARKS = { running: "works", holding: "holds", ready: "queues", waiting: "free", idle: "idle" };

/**
 * The bars of a row: the spans by what they show and for which request.
 * @param {Span[]} spans
 * @returns {Bar[]}
 */
function barsOf(spans) {
    /** @type {Map<string, Bar>} */
    const bars = new Map();
    for (const { from, to, state, request } of spans) {
        const kind = MARKS[state] ?? "idle";
        const number = request === null || request === undefined ? null : request + 1;
        const key = `${kind} ${number}`;
        const bar = bars.get(key) ?? { kind, request: number, spans: [] };
        bar.spans.push([from, to]);
        bars.set(key, bar);
    }
    return [...bars.values()];
}

/**
 * What happens to each request: it is sent, stands in line, has a thread or a task, and is answered.
 * @param {Result} result
 * @param {Thing[]} threads
 * @param {Thing[]} tasks
 */
function ofRequests({ requests, settings }, threads, tasks) {
    /** @type {Map<number, Span[]>} */
    const served = new Map(requests.map(({ id }) => [id, []]));
    for (const { spans } of tasks.length > 0 ? tasks : threads) {
        for (const span of spans) {
            served.get(span.request ?? -1)?.push(span);
        }
    }
    return requests.map(({ id, client, due, started, finished }) => {
        const spans = served.get(id) ?? [];
        const end = finished ?? settings.duration;
        /** @type {Span} */
        const line = { from: due, to: started ?? end, state: "ready", request: id };
        const bars = barsOf(line.to > line.from ? [line, ...spans] : spans);
        const moments = (/** @type {Kind} */ kind, /** @type {number[]} */ times) =>
            bars.push({ kind, request: id + 1, spans: times.map((time) => [time, time]) });
        moments("sent", [due]);
        moments(
            "woken",
            spans.flatMap(({ state, to }) => (state === "waiting" ? [to] : [])),
        );
        moments("done", finished === null ? [] : [finished]);
        const states = [line, ...spans].filter(({ from, to }) => to > from);
        return { id, client, start: due, end, finished, bars, spans: states };
    });
}

/**
 * The rows of the clients; where too many come and go, requests that live one after the other share a row.
 * @param {ReturnType<typeof ofRequests>} requests
 */
function clientRows(requests) {
    /** @type {Map<number, { end: number, bars: Bar[] }>} */
    const rows = new Map();
    const byClient = new Set(requests.map(({ client }) => client)).size <= MOST_ROWS;
    for (const { client, start, end, bars } of requests) {
        const free = [...rows].find(([, row]) => row.end <= start)?.[0] ?? rows.size;
        const place = byClient ? client : free;
        const row = rows.get(place) ?? { end: 0, bars: [] };
        row.end = end;
        row.bars.push(...bars);
        rows.set(place, row);
    }
    return [...rows]
        .sort(([one], [other]) => one - other)
        .map(([place, { bars }]) => ({
            label: byClient ? `client ${place + 1}` : "",
            bars,
        }));
}

/** A run, arranged for drawing and for saying what was going on at a moment. */
export class Run {
    /** @param {Result} result */
    constructor(result) {
        this.result = result;
        this.settings = result.settings;
        this.duration = result.settings.duration;
        this.cpus = result.cpus;
        const threads = ofThreads(result.threads);
        const tasks = ofTasks(result.tasks, threads);
        this.threadCounts = counts(threads);
        this.taskCounts = tasks.length > 0 ? counts(tasks) : null;
        const requests = ofRequests(result, threads, tasks);
        /** What happens to each request. */
        this.requests = requests;
        /** A row for each client, thread and CPU, and how many do what. */
        this.groups = {
            clients: { rows: clientRows(requests), steps: counts(requests) },
            threads: { rows: this.#threadRows(threads), steps: this.threadCounts },
            cpus: this.#cpuRows(),
        };
        this.finished = result.requests
            .map((request) => request.finished)
            .filter((at) => at !== null)
            .sort((a, b) => a - b);
        this.longestQueue = result.queue.reduce((most, step) => Math.max(most, step.length), 0);
        const moments = new Set([0, this.duration]);
        const note = (/** @type {number} */ at) => {
            if (at >= 0 && at <= this.duration) {
                moments.add(at);
            }
        };
        result.queue.forEach((step) => note(step.at));
        for (const spans of [
            ...result.cpus,
            ...result.threads.map((thread) => thread.spans),
            ...result.tasks.map((task) => task.spans),
        ]) {
            for (const span of spans) {
                note(span.from);
                note(span.to);
            }
        }
        /** The moments at which something changes. */
        this.moments = [...moments].sort((a, b) => a - b);
    }

    /** @param {Thing[]} threads */
    #threadRows(threads) {
        const letter = this.settings.model.startsWith("tasks") ? "W" : "T";
        // Threads that live one after the other share a row.
        return lanes(threads).map(({ spans, names }, index) => ({
            label: names.size === 1 ? `${letter}${index + 1}` : "",
            bars: barsOf(spans),
        }));
    }

    #cpuRows() {
        const all = this.cpus.map((spans, id) => {
            const runs = spans.filter(({ kind }) => kind === "run").map((span) => ({ ...span, state: "running" }));
            const switches = spans.flatMap(({ kind, from, to }) => (kind === "switch" ? [[from, to]] : []));
            const bars = /** @type {Bar[]} */ ([
                { kind: "idle", request: null, spans: [[0, this.duration]] },
                ...barsOf(runs),
                { kind: "switches", request: null, spans: switches },
            ]);
            return { id, label: `CPU ${id + 1}`, bars, spans: runs };
        });
        return { rows: all, steps: counts(all) };
    }

    /**
     * What is going on at this moment.
     * @param {number} time
     */
    at(time) {
        // The end is the last moment of the run, and not the one after it.
        const moment = Math.min(time, this.duration * (1 - 1e-12));
        /** @template {{ at: number }} Step */
        const step = (/** @type {Step[]} */ list) => list[lastAt(list, moment, (item) => item.at)];
        const busy = this.cpus.map((spans) => {
            const span = spans[lastAt(spans, moment, (item) => item.from)];
            return span && span.to > moment ? span : null;
        });
        return {
            time,
            answered: lastAt(this.finished, time, (at) => at) + 1,
            queue: step(this.result.queue)?.length ?? 0,
            threads: step(this.threadCounts) ?? NONE,
            tasks: this.taskCounts ? step(this.taskCounts) : null,
            busy,
        };
    }

    /**
     * The next moment after `time` at which something changes, or the one before it.
     * @param {number} time
     * @param {number} direction
     */
    step(time, direction) {
        const index = lastAt(this.moments, time, (at) => at);
        if (direction > 0) {
            return this.moments[Math.min(index + 1, this.moments.length - 1)];
        }
        const here = this.moments[index] === time;
        return this.moments[Math.max(0, here ? index - 1 : index)];
    }
}
