// The settings of a lab as a page writes them, `pool threads=8 clients=20 wait=100`: the model, and what differs from these
// defaults. And what the law says of them.

/** @type {LabSettings} */
const LAB_DEFAULTS = {
    model: "pool",
    cpus: 2,
    threads: 1,
    clients: 20,
    think: 0,
    keep: false,
    rate: 0,
    random: false,
    compute: 0,
    wait: 0,
    every: 1,
    slice: 4,
    switch: 0,
    warmup: 0,
    length: 2000,
    seed: 1,
};

/** @type {Record<Model, string>} */
const LAB_MODELS = {
    "one-thread": "one thread",
    "thread-per-connection": "a thread for each connection",
    pool: "a pool of threads",
    tasks: "tasks",
    "tasks-blocking": "tasks with blocking calls",
};

/** More requests, or time slices, than this in one run are too many to draw. */
const MOST_REQUESTS = 40_000;
const MOST_SLICES = 200_000;

/** What stands before an equals sign, or alone. @param {string} word */
const nameIn = (word) => word.split("=")[0];

/**
 * The names of the settings that a text sets: a page gives its lab these knobs.
 * @param {string} text
 */
function namesIn(text) {
    return text
        .split(" ")
        .map(nameIn)
        .map((name) => (name in LAB_MODELS ? "model" : name));
}

/**
 * The settings that a text asks for.
 * @param {string} text
 * @param {LabSettings} [before] what holds where it says nothing
 * @returns {LabSettings}
 * @throws {RangeError} where it names what isn't there, or what can't be
 */
function settingsOf(text, before = LAB_DEFAULTS) {
    /** @type {Record<string, unknown>} */
    const settings = { ...before };
    for (const word of text.split(" ")) {
        const name = nameIn(word);
        const value = word.slice(name.length + 1);
        if (name in LAB_MODELS) {
            settings.model = name;
        } else if (typeof settings[name] === "boolean") {
            settings[name] = value === "yes";
        } else if (typeof settings[name] === "number" && value !== "" && Number.isFinite(Number(value))) {
            settings[name] = Number(value);
        } else {
            throw new RangeError(`The lab doesn't understand “${word}”.`);
        }
    }
    const all = /** @type {LabSettings} */ (settings);
    refuseTooMuch(all);
    return all;
}

/**
 * What the law allows: how many threads, CPUs and clients there are, for how long a request takes one of them, and how many
 * responses per second that makes at most. What has no limit isn't there.
 * @param {LabSettings} settings
 */
function limitsOf({ model, cpus, threads, clients, think, keep, rate, compute, wait, every }) {
    const total = compute + wait / every;
    // A thread that has a kept connection waits with it for its client.
    const withClient = keep && rate === 0 && ["one-thread", "pool"].includes(model) ? think : 0;
    const held = model === "tasks" ? compute : total + withClient;
    const all = { "one-thread": 1, "thread-per-connection": Number.POSITIVE_INFINITY }[/** @type {string} */ (model)];
    const limits = [
        { of: model.startsWith("tasks") ? "worker" : "thread", count: all ?? threads, ms: held },
        { of: "CPU", count: cpus, ms: compute },
        rate > 0 ? { of: "request", count: rate, ms: 1000 } : { of: "client", count: clients, ms: total + think },
    ];
    return limits
        .map((limit) => ({ ...limit, rate: (limit.count * 1000) / limit.ms }))
        .filter((limit) => Number.isFinite(limit.rate));
}

/** @param {LabSettings} settings */
function refuseTooMuch(settings) {
    const { cpus, compute, slice, length } = settings;
    const rate = Math.min(...limitsOf(settings).map((limit) => limit.rate));
    if (!Number.isFinite(rate)) {
        throw new RangeError("A request that neither computes nor waits would be asked for infinitely often.");
    }
    if ((rate * length) / 1000 > MOST_REQUESTS || (compute > 0 && (cpus * length) / slice > MOST_SLICES)) {
        throw new RangeError("That would be more requests than the lab can draw.");
    }
}

// The tests, which are modules, import this for its effect.
Object.assign(globalThis, { LAB_DEFAULTS, limitsOf, namesIn, settingsOf });
