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
 * Runs in the page: what a drawing shows of its time, as text.
 * @param {Element} svg
 */
function stateOf(svg) {
    const paths = all(svg, "path:not(.cursor, .outline, .hatch)").map((path) => [
        path.classList[0],
        path.getAttribute("d"),
    ]);
    const texts = all(svg, ".number text, .ticks text").map((text) => [text.getAttribute("x"), text.textContent]);
    return { outlines: Object.fromEntries(paths), texts: texts.join("; ") };
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
        words: box.locator(".replay-now"),
        play: box.getByRole("button", { name: "Play", exact: true }),
        pause: box.getByRole("button", { name: "Pause", exact: true }),
        on: box.getByRole("button", { name: "Step on", exact: true }),
        back: box.getByRole("button", { name: "Step back", exact: true }),
        speed: box.getByRole("combobox", { name: "Speed" }),
        show: box.getByRole("combobox", { name: "Show" }),
        follow: box.getByRole("combobox", { name: "Follow" }),
        /** The time, in microseconds. */
        at: async () => Math.round(Number.parseFloat(await box.locator(".replay-clock").innerText()) * 1000),
        seek: (/** @type {number} */ time) => slider.evaluate(move, time),
        state: () => svg.evaluate(stateOf),
        /** The middles of the rows that have the outlined request, in units of the drawing. */
        outlined: async () => {
            const outline = (await svg.locator(".outline").getAttribute("d")) ?? "";
            const half = Number(await svg.getAttribute("data-pitch")) / 2;
            const middles = [...outline.matchAll(/M\S+ ([\d.]+)H/g)].map(([, top]) => Number(top) + half);
            return [...new Set(middles)];
        },
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
 * The rows that have a request, by their places.
 * @param {Model} model
 * @param {number} request
 */
export function rowsOf({ groups }, request) {
    const rows = groups.flatMap((group) => group.rows);
    return rows.flatMap(({ bars }, place) => (bars.some((bar) => bar[2] === request) ? [place] : []));
}

/** What a request does, in words. @type {[string, string][]} */
const NAMES = [
    ["queues", "In line"],
    ["holds", "Asleep, each with a thread"],
    ["free", "Waiting without a thread"],
    ["works", "At work"],
];

/**
 * The words that belong to a time.
 * @param {Model} model
 * @param {number} time
 */
export function wordsAt({ threads, groups }, time) {
    const [clients, , cpus] = groups.map(({ rows }) => rows.flatMap(({ bars }) => bars));
    const inside = (/** @type {ModelBar} */ bar) =>
        timesOf(bar).some((from, index, times) => index % 2 === 0 && from <= time && time < times[index + 1]);
    const past = (/** @type {string[]} */ ...kinds) =>
        clients.filter((bar) => kinds.includes(bar[0]) && bar[3] <= time).map((bar) => bar[2]);
    const answered = past("done", "refused");
    const lists = NAMES.map(([kind, words]) => {
        const now = clients.filter((bar) => bar[0] === kind && inside(bar) && !answered.includes(bar[2]));
        return now.length === 0
            ? ""
            : ` ${words}: ${now
                  .map((bar) => Number(bar[2]))
                  .sort((one, other) => one - other)
                  .join(", ")}.`;
    });
    const running = cpus.filter((bar) => bar[0] === "works" && inside(bar)).map((bar) => threads[bar[1] ?? -1]);
    const idle = running.length === 0 ? "The CPUs are idle." : `The CPUs run ${running.join(" and ")}.`;
    return `${past("sent").length} sent, ${answered.length} answered.${lists.join("")} ${idle}`;
}
