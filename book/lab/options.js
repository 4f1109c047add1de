// What can be set in a run of the simulator, and how large it may get.

import "../law/formulas.js";

/**
 * @typedef {"one-thread" | "thread-per-connection" | "pool" | "tasks" | "tasks-blocking"} Model
 *
 * @typedef {{ kind: "closed", clients: number, think: number }} ClosedArrivals
 * @typedef {{ kind: "open", rate: number, process: "poisson" | "even" }} OpenArrivals
 * @typedef {{ compute: number, wait: number, spread: "fixed" | "exponential", every: number }} Work
 *
 * @typedef {object} Settings all of them; see `defaults`
 * @property {number} seed
 * @property {number} cpus
 * @property {Model} model
 * @property {number} threads
 * @property {ClosedArrivals | OpenArrivals} arrivals
 * @property {boolean} keepAlive
 * @property {Work} work
 * @property {number} slice
 * @property {number} switchCost
 * @property {number} duration
 * @property {number} warmup
 * @property {boolean} trace
 *
 * What a caller sets, which may be anything until it is checked.
 * @typedef {{ kind?: string, clients?: number, think?: number, rate?: number, process?: string }} SomeArrivals
 * @typedef {{ compute?: number, wait?: number, spread?: string, every?: number }} SomeWork
 *
 * @typedef {Partial<Omit<Settings, "model" | "arrivals" | "work">>
 *     & { model?: string, arrivals?: SomeArrivals, work?: SomeWork }} SomeSettings
 */

/**
 * The models of a server: who runs a request, and what a wait holds.
 * @type {Model[]}
 */
export const models = ["one-thread", "thread-per-connection", "pool", "tasks", "tasks-blocking"];

/**
 * The settings that hold where `simulate` is told nothing else.
 * @type {Settings & { arrivals: ClosedArrivals }}
 */
export const defaults = {
    // Two runs with the same settings and the same seed are equal. A whole number from 0 to 2^32 - 1.
    seed: 1,
    // Hardware threads.
    cpus: 2,
    // One of `models`.
    model: "pool",
    // The threads of the pool, or the workers that run the tasks. The other models ignore it.
    threads: 8,
    // Closed: `clients` that think for `think` ms between an answer and the next request.
    // Open: see `openDefaults`.
    arrivals: { kind: "closed", clients: 20, think: 0 },
    // Closed: whether a client keeps its connection. A kept connection keeps its thread, unless
    // it is a task: the model of a task reads from its connection without holding a worker.
    keepAlive: false,
    work: {
        // What a request does, in this order: it computes, then waits. In ms, on average.
        compute: 0,
        wait: 100,
        // 'fixed': every request the same. 'exponential': each part drawn at random, with these means.
        spread: "fixed",
        // 1: every request waits. n: every n-th request waits, and the others only compute.
        every: 1,
    },
    // How long a thread may run while others are ready, in ms.
    slice: 4,
    // What it costs a CPU to take up another thread than the one before, in ms.
    switchCost: 0,
    // How long the run lasts, and how much of its beginning the summary leaves out, in ms.
    duration: 10000,
    warmup: 0,
    // Whether to keep the spans that a timeline is drawn from. Long runs need none.
    trace: true,
};

/**
 * What holds for open arrivals: `rate` requests per second; at random moments that know nothing of each
 * other ('poisson') or at equal distances ('even'); each on a connection of its own.
 * @type {OpenArrivals}
 */
export const openDefaults = { kind: "open", rate: 50, process: "poisson" };

/** How large a run may get. A browser does the largest within seconds. */
export const limits = {
    cpus: 64,
    threads: 1000,
    clients: 10000,
    rate: 1e6,
    // One part of the work, the time to think, a slice, a switch: in ms.
    time: 1e6,
    duration: 1e8,
    // Requests, and time slices of all CPUs, in one run: with and without spans.
    requests: { trace: 200_000, plain: 2_000_000 },
    slices: { trace: 1_000_000, plain: 20_000_000 },
};

/**
 * Completes settings with the defaults.
 *
 * @param {SomeSettings} settings any of the fields of `defaults`
 * @returns {Settings} all of them, in a new object
 * @throws {RangeError} with a sentence that says what is wrong and what is allowed
 */
export function check(settings = {}) {
    fieldsOf("The settings", settings, defaults);
    const all = {
        ...defaults,
        ...settings,
        arrivals: checkArrivals(settings.arrivals === undefined ? defaults.arrivals : settings.arrivals),
        work: checkWork(settings.work === undefined ? defaults.work : settings.work),
    };
    whole("seed", all.seed, 0, 2 ** 32 - 1);
    whole("cpus", all.cpus, 1, limits.cpus);
    oneOf("model", all.model, models);
    whole("threads", all.threads, 1, limits.threads);
    for (const [name, value] of [
        ["keepAlive", all.keepAlive],
        ["trace", all.trace],
    ]) {
        if (typeof value !== "boolean") {
            throw new RangeError(`${name} is ${show(value)}; it must be true or false.`);
        }
    }
    number("slice", all.slice, 0, limits.time, "ms");
    if (all.slice === 0) {
        throw new RangeError("slice is 0, so no thread would ever get anything done; it must be more than 0 ms.");
    }
    number("switchCost", all.switchCost, 0, limits.time, "ms");
    number("duration", all.duration, 0, limits.duration, "ms");
    number("warmup", all.warmup, 0, limits.duration, "ms");
    if (all.warmup >= all.duration) {
        throw new RangeError(
            `warmup is ${all.warmup} ms and duration ${all.duration} ms; the run must last longer than its warm-up.`,
        );
    }
    const checked = /** @type {Settings} */ (all);
    bounded(checked);
    return checked;
}

/**
 * @param {SomeArrivals | null} arrivals
 * @returns {Settings["arrivals"]}
 */
function checkArrivals(arrivals) {
    fieldsOf("arrivals", arrivals, { ...defaults.arrivals, ...openDefaults });
    // A field of the other kind has no meaning here.
    const { kind = "closed", clients, think, rate, process } = arrivals ?? {};
    oneOf("arrivals.kind", kind, ["closed", "open"]);
    if (kind === "closed") {
        const all = { ...defaults.arrivals, ...known({ clients, think }) };
        whole("arrivals.clients", all.clients, 1, limits.clients);
        number("arrivals.think", all.think, 0, limits.time, "ms");
        return all;
    }
    const all = { ...openDefaults, ...known({ rate, process }) };
    number("arrivals.rate", all.rate, 0, limits.rate, "requests per second");
    if (all.rate === 0) {
        throw new RangeError("arrivals.rate is 0, so nothing would ever arrive; it must be more than 0.");
    }
    oneOf("arrivals.process", all.process, ["poisson", "even"]);
    return /** @type {OpenArrivals} */ (all);
}

/**
 * These fields without those that are not set.
 * @template {object} Fields
 * @param {Fields} fields
 * @returns {{ [Name in keyof Fields]: NonNullable<Fields[Name]> }}
 */
function known(fields) {
    const set = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
    return /** @type {any} */ (Object.fromEntries(set));
}

/**
 * @param {SomeWork} some
 * @returns {Work}
 */
function checkWork(some) {
    fieldsOf("work", some, defaults.work);
    const work = { ...defaults.work, ...some };
    number("work.compute", work.compute, 0, limits.time, "ms");
    number("work.wait", work.wait, 0, limits.time, "ms");
    oneOf("work.spread", work.spread, ["fixed", "exponential"]);
    whole("work.every", work.every, 1, 1e6);
    return /** @type {Work} */ (work);
}

/**
 * Refuses a run that would keep a browser busy for minutes, or for ever.
 * @param {Settings} settings
 */
function bounded({ arrivals, work, cpus, model, threads, slice, duration, trace }) {
    const { compute } = work;
    const total = compute + work.wait / work.every;
    let rate = 0;
    if (arrivals.kind === "open") {
        rate = arrivals.rate;
    } else {
        if (total + arrivals.think === 0) {
            throw new RangeError(
                "The requests have no work and the clients no time to think, so they would ask infinitely often; " +
                    "work.wait, work.compute or arrivals.think must be more than 0 ms.",
            );
        }
        // The rate has three ceilings: the clients, the CPUs, and threads that a wait holds.
        /** @type {Partial<Record<Model, number>>} */
        const most = { "one-thread": 1, pool: threads, "tasks-blocking": threads };
        const holding = most[model] ?? Number.POSITIVE_INFINITY;
        rate = Math.min(
            rateOf(arrivals.clients, total + arrivals.think),
            rateOf(cpus, compute),
            rateOf(holding, total),
        );
    }
    const size = trace ? "trace" : "plain";
    const requests = (rate * duration) / 1000;
    if (requests > limits.requests[size]) {
        throw new RangeError(
            `This run would have about ${Math.round(requests)} requests; at most ${limits.requests[size]} are allowed. ` +
                "A shorter duration, a lower rate, fewer clients or longer work make it smaller.",
        );
    }
    const slices = compute > 0 ? Math.min(cpus * duration, requests * compute) / slice : 0;
    if (slices > limits.slices[size]) {
        throw new RangeError(
            `This run would have about ${Math.round(slices)} time slices; at most ${limits.slices[size]} are allowed. ` +
                "A longer slice or a shorter duration makes it smaller.",
        );
    }
}

/** @param {unknown} value */
const show = (value) => (typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value)));

/**
 * @param {string} what
 * @param {unknown} value
 * @param {object} known
 */
function fieldsOf(what, value, known) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
        throw new RangeError(`${what}: ${show(value)} came where an object with fields was wanted.`);
    }
    for (const name of Object.keys(value)) {
        if (!Object.hasOwn(known, name)) {
            throw new RangeError(`${what}: there is no field "${name}"; there are ${Object.keys(known).join(", ")}.`);
        }
    }
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 * @param {string} unit
 */
function number(name, value, least, most, unit) {
    if (typeof value !== "number" || !(value >= least && value <= most)) {
        throw new RangeError(`${name} is ${show(value)}; it must be a number from ${least} to ${most} (${unit}).`);
    }
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 */
function whole(name, value, least, most) {
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
        throw new RangeError(`${name} is ${show(value)}; it must be a whole number from ${least} to ${most}.`);
    }
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {readonly string[]} allowed
 */
function oneOf(name, value, allowed) {
    if (typeof value !== "string" || !allowed.includes(value)) {
        throw new RangeError(`${name} is ${show(value)}; it must be one of ${allowed.join(", ")}.`);
    }
}
