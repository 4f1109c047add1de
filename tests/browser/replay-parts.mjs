// What the checks of a recording use: its parts that a reader uses, and its words, worked out from the model alone.

/**
 * @typedef {import("playwright-core").Locator} Locator
 *
 * The model as the page has it: kind, thread, request, and then from, to, from, to.
 * @typedef {[string, number | null, number | null, ...number[]]} ModelBar
 * @typedef {{ label: string, bars: ModelBar[] }} ModelRow
 * @typedef {{ id: string, rows: ModelRow[] }} ModelGroup
 * @typedef {{ duration: number, threads: string[], groups: ModelGroup[] }} Model
 */

/** @param {ModelBar} bar */
const timesOf = (bar) => /** @type {number[]} */ (bar.slice(3));

/**
 * Runs in the page: how a drawing shows its bars, in units of the drawing: where time 0 lies, how wide a millisecond
 * is, and how wide a unit of a pattern and of a mark is; and its numbers.
 * @param {Element} element
 */
function stateOf(element) {
    const svg = /** @type {SVGSVGElement} */ (element);
    const whole = svg.getScreenCTM();
    const time = need(svg, ".time", SVGGElement).getScreenCTM();
    if (!whole || !time) {
        throw new Error("it is not drawn");
    }
    const scale = time.a / whole.a;
    const units = all(svg, "pattern, marker > path").map((one) => {
        const text = one.getAttribute("patternTransform") ?? one.getAttribute("transform") ?? "";
        return (scale * Number(/scale\((\S+) 1\)/.exec(text)?.[1])).toFixed(3);
    });
    const numbers = all(svg, "[data-number]").map((text) => `${text.getAttribute("x")} ${text.textContent}`);
    const [zero, ms] = [(time.e - whole.e) / whole.a, 1000 * scale].map((number) => Number(number.toFixed(6)));
    return { zero, ms, units: [...new Set(units)], numbers };
}

/**
 * The parts of one replay that a reader uses.
 * @param {Locator} box
 */
export function parts(box) {
    const svg = box.locator("figure svg[role=img]:visible");
    const slider = box.getByRole("slider", { name: "Time", exact: true });
    const move = (/** @type {Element} */ element, /** @type {number} */ value) => {
        const input = /** @type {HTMLInputElement} */ (element);
        input.value = String(value);
        input.dispatchEvent(new Event("input", { bubbles: true }));
    };
    return {
        svg,
        slider,
        group: (/** @type {string} */ id) => box.locator(`.replay-now dd[data-group=${id}]`),
        play: box.getByRole("button", { name: "Play", exact: true }),
        pause: box.getByRole("button", { name: "Pause", exact: true }),
        on: box.getByRole("button", { name: "Step on", exact: true }),
        back: box.getByRole("button", { name: "Step back", exact: true }),
        speed: box.getByRole("combobox", { name: "Speed" }),
        show: box.getByRole("combobox", { name: "Show" }),
        /** The time, in microseconds. */
        at: async () => Math.round(Number.parseFloat(await box.locator(".replay-clock").innerText()) * 1000),
        seek: (/** @type {number} */ time) => slider.evaluate(move, time),
        state: () => svg.evaluate(stateOf),
        /** Where the cursor is, in units of the drawing. */
        cursor: async () => Number(/M([\d.]+)/.exec((await svg.locator(".cursor").getAttribute("d")) ?? "")?.[1]),
        /** @returns {Promise<Model>} */
        model: async () => JSON.parse((await box.locator("script").textContent()) ?? ""),
    };
}

/**
 * Everything that happens at some time, in order.
 * @param {Model} model
 */
export function timesIn({ duration, groups }) {
    const times = groups.flatMap(({ rows }) => rows.flatMap(({ bars }) => bars.flatMap(timesOf)));
    return [...new Set([0, ...times, duration])].sort((one, other) => one - other);
}

/**
 * What a thread does, and what a request or another task does, in words.
 * @type {Record<string, [string, string]>}
 */
const NAMES = {
    runs: ["work", "work"],
    holds: ["asleep with a request", "wait and hold a thread"],
    free: ["", "wait and hold nothing"],
    ready: ["in line", "in line"],
    idle: ["idle", "not seen"],
};

/**
 * What a row does at a time.
 * @param {ModelRow} row
 * @param {number} time
 */
function doingAt({ bars }, time) {
    return bars.find((bar) => {
        const times = timesOf(bar);
        const inside = times.some((from, index) => index % 2 === 0 && from <= time && time < times[index + 1]);
        return bar[0] in NAMES && inside;
    });
}

/**
 * The words that belong to a time.
 * @param {Model} model
 * @param {ModelGroup} group
 * @param {number} time
 */
export function wordsAt({ threads }, { id, rows }, time) {
    if (id === "cpus") {
        const runs = (/** @type {ModelRow} */ row) => {
            const [kind, who] = doingAt(row, time) ?? [];
            return kind === "runs" ? `runs ${threads[who ?? -1]}` : "is idle";
        };
        return rows.map((row) => `${row.label} ${runs(row)}`).join("; ");
    }
    const name = (/** @type {ModelRow} */ row) => {
        const request = id === "threads" ? doingAt(row, time)?.[2] : null;
        return row.label.replace(/^request /, "") + (request ? ` (${request})` : "");
    };
    const answered = (/** @type {ModelRow} */ { bars }) =>
        bars.some((bar) => bar[0] === "answered" && timesOf(bar)[0] <= time);
    const open = rows.filter((row) => !answered(row));
    const kinds = Object.keys(NAMES).filter((kind) => rows.some(({ bars }) => bars.some((one) => one[0] === kind)));
    const list = kinds.map((kind) => {
        const some = open.filter((row) => doingAt(row, time)?.[0] === kind);
        return `${NAMES[kind][id === "threads" ? 0 : 1]}: ${some.map(name).join(", ") || "none"}`;
    });
    if (id === "requests") {
        const sent = rows.filter((row) => answered(row) || doingAt(row, time)).length;
        list.unshift(`${sent} sent, ${rows.length - open.length} answered`);
    }
    return list.join("; ");
}
