// The settings of the lab in the part of an address behind the #, for people to read and change:
// lab.html#model=pool&threads=8&arrivals=closed&clients=20&wait=100

import { defaults, openDefaults } from "./options.js";
import { presets } from "./presets.js";

/**
 * @typedef {import("./options.js").Settings} Settings
 * @typedef {import("./options.js").SomeSettings} SomeSettings
 */

/**
 * What a link can set: its name there, what kind of value it has, and where it stands in the settings.
 * @type {[string, "number" | "word" | "switch", string[]][]}
 */
const FIELDS = [
    ["cpus", "number", ["cpus"]],
    ["model", "word", ["model"]],
    ["threads", "number", ["threads"]],
    ["arrivals", "word", ["arrivals", "kind"]],
    ["clients", "number", ["arrivals", "clients"]],
    ["think", "number", ["arrivals", "think"]],
    ["rate", "number", ["arrivals", "rate"]],
    ["process", "word", ["arrivals", "process"]],
    ["keep-alive", "switch", ["keepAlive"]],
    ["wait", "number", ["work", "wait"]],
    ["compute", "number", ["work", "compute"]],
    ["every", "number", ["work", "every"]],
    ["spread", "word", ["work", "spread"]],
    ["slice", "number", ["slice"]],
    ["switch", "number", ["switchCost"]],
    ["duration", "number", ["duration"]],
    ["warmup", "number", ["warmup"]],
    ["seed", "number", ["seed"]],
];
const CLOSED_ONLY = ["clients", "think"];
const OPEN_ONLY = ["rate", "process"];
const ARRIVALS = { closed: defaults.arrivals, open: openDefaults };

/**
 * A copy that can be changed.
 * @template {SomeSettings} Some
 * @param {Some} settings
 * @returns {Some}
 */
export function copy(settings) {
    return { ...settings, arrivals: { ...settings.arrivals }, work: { ...settings.work } };
}

/**
 * These settings with what is missing taken from the lab's defaults.
 * @param {SomeSettings} settings
 * @returns {Settings}
 */
export function complete(settings) {
    const kind = settings.arrivals?.kind ?? "closed";
    const arrivals = { ...(kind === "open" ? ARRIVALS.open : ARRIVALS.closed), ...settings.arrivals };
    const work = { ...defaults.work, ...settings.work };
    return /** @type {Settings} */ ({ ...defaults, duration: 2000, ...settings, arrivals, work });
}

/**
 * Of a new kind, with that kind's defaults.
 * @param {"closed" | "open"} kind
 * @returns {Settings["arrivals"]}
 */
function arrivalsOf(kind) {
    return { ...ARRIVALS[kind] };
}

/**
 * `model=pool&threads=8…`: everything that counts for these settings, and what is at its default and rarely changed left out.
 * @param {Settings} settings
 */
export function toHash(settings) {
    const { kind } = settings.arrivals;
    /** @type {Record<string, unknown>} */
    const rare = {
        think: 0,
        every: 1,
        warmup: 0,
        "keep-alive": false,
        switch: 0,
        spread: "fixed",
    };
    const parts = [];
    for (const [name, type, path] of FIELDS) {
        const value = path.reduce((object, key) => object?.[key], /** @type {any} */ (settings));
        const other = kind === "closed" ? OPEN_ONLY : CLOSED_ONLY;
        if (value === undefined || other.includes(name) || rare[name] === value) {
            continue;
        }
        parts.push(`${name}=${type === "switch" ? (value ? "yes" : "no") : encodeURIComponent(value)}`);
    }
    return parts.join("&");
}

/**
 * Whether this part of an address is meant for the lab, and is not the name of a heading.
 * @param {string} hash
 */
export function isLink(hash) {
    return hash.replace(/^#/, "").includes("=");
}

/**
 * The names and values in a link.
 * @param {string} hash
 * @returns {Map<string, string>}
 */
function partsOf(hash) {
    const found = new Map();
    for (const part of hash
        .replace(/^#/, "")
        .split("&")
        .filter((part) => part !== "")) {
        const at = part.indexOf("=");
        const name = at < 0 ? part : part.slice(0, at);
        let value = at < 0 ? "" : part.slice(at + 1);
        try {
            value = decodeURIComponent(value);
        } catch {
            throw new RangeError(`“${part}” in the link has a broken percent sign.`);
        }
        if (at < 0 || value === "") {
            throw new RangeError(`“${part}” in the link has no value; a setting looks like threads=8.`);
        }
        if (found.has(name)) {
            throw new RangeError(`The link has “${name}” twice.`);
        }
        found.set(name, value);
    }
    return found;
}

/**
 * A value of a link as one of the settings.
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
function settingOf(name, type, text) {
    if (type === "number") {
        if (!/^\d+(\.\d+)?$/.test(text)) {
            throw new RangeError(`${name} takes a number such as 8 or 0.5, not “${text}”.`);
        }
        return Number(text);
    }
    if (type === "switch") {
        if (!["yes", "no"].includes(text)) {
            throw new RangeError(`${name} is yes or no, not “${text}”.`);
        }
        return text === "yes";
    }
    return text;
}

/**
 * The preset's name, if there is one, and the settings that a link asks for.
 * Throws a RangeError with a sentence for the reader. What the values may be, `check` of the simulator says.
 * @param {string} hash
 */
export function fromHash(hash) {
    const found = partsOf(hash);
    const preset = found.get("preset");
    found.delete("preset");
    if (preset !== undefined && !Object.hasOwn(presets, preset)) {
        throw new RangeError(`There is no question called “${preset}”; the list above the lab has them all.`);
    }
    const kind = found.get("arrivals");
    if (kind !== undefined && !Object.hasOwn(ARRIVALS, kind)) {
        throw new RangeError(`arrivals is closed or open, not “${kind}”.`);
    }
    const settings = copy(complete(preset === undefined ? {} : presets[preset].settings));
    if (kind !== undefined && kind !== settings.arrivals.kind) {
        settings.arrivals = arrivalsOf(kind === "open" ? "open" : "closed");
    }
    for (const [name, text] of found) {
        const field = FIELDS.find(([known]) => known === name);
        if (!field) {
            throw new RangeError(
                `There is no setting “${name}”; the settings are ${FIELDS.map(([known]) => known).join(", ")}.`,
            );
        }
        const [, type, path] = field;
        if ((settings.arrivals.kind === "closed" ? OPEN_ONLY : CLOSED_ONLY).includes(name)) {
            throw new RangeError(
                `“${name}” belongs to ${OPEN_ONLY.includes(name) ? "open" : "closed"} arrivals, but the link has ${settings.arrivals.kind} arrivals.`,
            );
        }
        /** @type {any} */
        const all = settings;
        const owner = path.length === 1 ? all : all[path[0]];
        owner[path[path.length - 1]] = settingOf(name, type, text);
    }
    return { preset: preset !== undefined && found.size === 0 ? preset : undefined, settings };
}
