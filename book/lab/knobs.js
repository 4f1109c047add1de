// The knobs of the lab: each sets one of the settings.

import { copy } from "./settings.js";

/**
 * @typedef {import("./options.js").Settings} Settings
 *
 * @typedef {object} Knob
 * @property {string} name its name in a link
 * @property {string | ((settings: Settings) => string)} label
 * @property {string} [unit]
 * @property {string[]} path where the value is in the settings
 * @property {string[][]} [options] values, each with its words
 * @property {number} [min]
 * @property {number | "any"} [step]
 * @property {(settings: Settings) => boolean} [shown]
 */

/** @param {Settings} settings */
const closed = ({ arrivals }) => arrivals.kind === "closed";
/** @param {Settings} settings */
const open = ({ arrivals }) => arrivals.kind === "open";
/** @param {Settings} settings */
const hasThreads = ({ model }) => ["pool", "tasks", "tasks-blocking"].includes(model);

const MODELS = [
    ["one-thread", "one thread"],
    ["thread-per-connection", "a thread for each connection"],
    ["pool", "a pool of threads"],
    ["tasks", "tasks"],
    ["tasks-blocking", "tasks with blocking calls"],
];

/** @type {Record<string, string[][]>} */
const CHOICES = {
    process: [
        ["poisson", "random"],
        ["even", "even"],
    ],
    spread: [
        ["fixed", "always the same"],
        ["exponential", "random"],
    ],
};

/**
 * @param {Settings} settings
 * @returns {string}
 */
const threadsLabel = ({ model }) => (model === "pool" ? "Threads" : "Workers");

const time = /** @type {const} */ ({ unit: "ms", min: 0, step: "any" });
const count = { min: 1, step: 1 };

/** @type {Knob[]} */
const KNOBS = [
    { name: "cpus", label: "CPUs (hardware threads)", path: ["cpus"], ...count },
    { name: "switch", label: "Cost of a switch", path: ["switchCost"], ...time },
    { name: "model", label: "Model", path: ["model"], options: MODELS },
    { name: "threads", label: threadsLabel, path: ["threads"], ...count, shown: hasThreads },
    {
        name: "keep-alive",

        label: "Connections are kept",
        path: ["keepAlive"],
        shown: closed,
    },
    { name: "clients", label: "Clients", path: ["arrivals", "clients"], ...count, shown: closed },
    {
        name: "think",

        label: "Think time",
        path: ["arrivals", "think"],
        ...time,
        shown: closed,
    },
    {
        name: "rate",

        label: "Rate",
        path: ["arrivals", "rate"],
        ...time,
        unit: "per second",
        shown: open,
    },
    {
        name: "process",

        label: "Spacing",
        path: ["arrivals", "process"],
        options: CHOICES.process,
        shown: open,
    },
    { name: "compute", label: "Computes", path: ["work", "compute"], ...time },
    { name: "wait", label: "Waits", path: ["work", "wait"], ...time },
    { name: "every", label: "One in so many waits", path: ["work", "every"], ...count },
    {
        name: "spread",

        label: "Times are",
        path: ["work", "spread"],
        options: CHOICES.spread,
    },
    { name: "duration", label: "Length", path: ["duration"], ...time, min: 1 },
    { name: "seed", label: "Random seed", path: ["seed"], min: 0, step: 1 },
];

/**
 * The knobs that mean something with these settings.
 * @param {Settings} settings
 */
export function knobsFor(settings) {
    return KNOBS.filter(({ shown }) => shown?.(settings) ?? true);
}

/**
 * @param {Knob} knob
 * @param {Settings} settings
 */
export function labelOf({ label }, settings) {
    return typeof label === "function" ? label(settings) : label;
}

/**
 * What a knob is set to.
 * @param {Knob} knob
 * @param {Settings} settings
 */
function valueIn({ path }, settings) {
    return path.reduce((value, key) => value?.[key], /** @type {any} */ (settings));
}

/**
 * A knob's control with its name.
 * @param {Knob} knob
 * @param {Settings} settings
 * @param {string} id
 * @param {(input: HTMLInputElement | HTMLSelectElement) => void} turn
 */
export function makeField(knob, settings, id, turn) {
    const value = valueIn(knob, settings);
    const change = () => turn(input);
    const option = (/** @type {string[]} */ [name, text]) =>
        make("option", { value: name, selected: name === value }, text);
    const input = knob.options
        ? make("select", { id, change }, ...knob.options.map(option))
        : typeof value === "boolean"
          ? make("input", { id, type: "checkbox", checked: value, change })
          : make("input", { id, type: "number", inputmode: "decimal", min: knob.min, step: knob.step, value, change });
    const unit = knob.unit && make("span", { class: "lab-unit" }, `, ${knob.unit}`);
    const name = make("label", { for: id }, labelOf(knob, settings), unit || null);
    const kind = input.type === "checkbox" ? "switch" : knob.options ? "choice" : "value";
    return make("div", { class: `lab-field lab-${kind}` }, name, input);
}

/**
 * The settings after a knob was turned; what they may be, `check` says.
 * @param {Settings} before
 * @param {Knob} knob
 * @param {HTMLInputElement | HTMLSelectElement} input
 */
export function turned(before, knob, input) {
    const settings = copy(before);
    /** @type {string | number | boolean} */
    let value = input.value;
    if (input.type === "number") {
        if (value === "" || !Number.isFinite(Number(value))) {
            throw new RangeError(`${labelOf(knob, before)} takes a number.`);
        }
        value = Number(value);
    } else if (input instanceof HTMLInputElement) {
        value = input.checked;
    }
    const [first, second] = knob.path;
    /** @type {any} */
    const owner = second === undefined ? settings : settings[/** @type {"arrivals" | "work"} */ (first)];
    owner[second ?? first] = value;
    return settings;
}
