// The figures of a run, beside those of the law and of another server.

import { timeText } from "./time.js";
import { comparison, number, plural } from "./words.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./words.js").Law} Law
 * @typedef {{ label: string, run: Run }} Beside another server for the same clients
 */

/** @param {number | null} value */
const ms = (value) => (value === null || !Number.isFinite(value) ? "–" : timeText(value));

/**
 * The rows of the table: a name, what the law says of it, and what the run gave.
 * @type {[string, ((law: Law) => string) | null, (run: Run) => string][]}
 */
const ROWS = [
    ["responses per second", (law) => number(law.throughput), (run) => number(run.result.summary.throughput)],
    [
        "latency, mean",
        (law) => (law.latency === null ? "grows" : ms(law.latency)),
        (run) => ms(run.result.summary.latency.mean),
    ],
    ["p50: half take at most", null, (run) => ms(run.result.summary.latency.p50)],
    ["p99: 99 of 100", null, (run) => ms(run.result.summary.latency.p99)],
    ["longest queue", null, (run) => number(run.longestQueue, 0)],
    ["CPUs busy", null, (run) => `${number(run.result.summary.cpuBusy * 100)}%`],
    ["most threads at a time", null, (run) => number(run.result.summary.threadsMax, 0)],
];

/**
 * @param {Law} law
 * @param {Run} run
 * @param {Beside | undefined} beside
 */
function makeTable(law, run, beside) {
    const head = (/** @type {string} */ text) => make("th", { scope: "col" }, text);
    const cell = (/** @type {string} */ text) => make("td", {}, text);
    const columns = [head("Figure"), head("Law"), head("This run"), beside && head(beside.label)];
    const rows = ROWS.map(([name, ofLaw, ofRun]) =>
        make(
            "tr",
            {},
            make("th", { scope: "row" }, name),
            cell(ofLaw?.(law) ?? ""),
            cell(ofRun(run)),
            beside && cell(ofRun(beside.run)),
        ),
    );
    const caption = make("caption", {}, "The law and this run");
    const thead = make("thead", {}, make("tr", {}, ...columns));
    const table = make("table", {}, caption, thead, make("tbody", {}, ...rows));
    return make("div", { class: "table-wrapper lab-table" }, table);
}

/**
 * What is said of requests that have no answer yet at the end.
 * @param {Run} run
 */
function unanswered({ duration, result }) {
    const open = result.requests.filter(({ finished }) => finished === null);
    if (open.length === 0) {
        return [];
    }
    const oldest = open.reduce((least, { due }) => Math.min(least, due), duration);
    const words =
        `At the end ${plural(open.length, "request has", "requests have")} no response yet, and ` +
        `${open.length === 1 ? "is" : "are"} in none of the latencies; the oldest has waited for ` +
        `${timeText(duration - oldest)}.`;
    return [make("p", {}, words)];
}

/**
 * The law and the table of one run.
 * @param {Law} law
 * @param {Run} run
 * @param {Beside | undefined} beside
 */
export function resultsOf(law, run, beside) {
    const sentences = law.sentences.map((sentence) => make("li", {}, sentence));
    return [
        make("p", { class: "lab-heading" }, "What the law says"),
        make("ul", { class: "lab-law" }, ...sentences),
        make("p", {}, comparison(law, run)),
        makeTable(law, run, beside),
        ...unanswered(run),
    ];
}
