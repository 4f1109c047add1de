// What the lab says of a run: numbers, what goes on at a moment, and how the run compares with the law.

import { STATES } from "./run.js";
import { timeText } from "./time.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./run.js").Counts} Counts
 * @typedef {ReturnType<typeof import("./laws.js").predict>} Law
 */

/**
 * How the states are called that are not called by their names.
 * @type {Partial<Record<import("./run.js").State, { thread: string, task: string }>>}
 */
const NAMES = {
    holding: { thread: "waiting with a request", task: "waiting with a worker" },
    ready: { thread: "in line", task: "in line" },
    waiting: { thread: "waiting", task: "waiting with nothing" },
};

/**
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function number(value, digits = 1) {
    if (value === null || value === undefined || !Number.isFinite(value)) {
        return "–";
    }
    const [whole, part] = value.toFixed(value >= 1000 ? 0 : digits).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return part && Number(part) !== 0 ? `${grouped}.${part.replace(/0+$/, "")}` : grouped;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [more]
 */
export function plural(count, one, more = `${one}s`) {
    return `${number(count, 0)} ${count === 1 ? one : more}`;
}

/**
 * What the threads of this model are called.
 * @param {Run} run
 */
export function wordFor({ settings }) {
    return settings.model.startsWith("tasks") ? "worker" : "thread";
}

/**
 * @param {Counts} counts
 * @param {"thread" | "task"} of
 */
export function countsText(counts, of) {
    const some = STATES.filter((state) => counts[state] > 0);
    return some.map((state) => `${number(counts[state], 0)} ${NAMES[state]?.[of] ?? state}`).join(", ") || "none";
}

/**
 * What goes on at a moment, in sentences.
 * @param {Run} run
 * @param {number} now
 */
export function stateText(run, now) {
    const { answered, queue, busy, threads, tasks } = run.at(now);
    const word = wordFor(run);
    const runs = busy.map((span, cpu) => `CPU ${cpu + 1} ${span ? `runs ${word} ${span.thread + 1}` : "is idle"}`);
    const count = busy.filter((span) => span !== null).length;
    const cpus = busy.length <= 4 ? runs.join(", ") : `${count} of ${busy.length} CPUs are busy`;
    return [
        `At ${timeText(now)}: ${plural(answered, "request is", "requests are")} answered, ` +
            `${plural(queue, "waits", "wait")} in the queue.`,
        `${cpus}.`,
        `${word[0].toUpperCase()}${word.slice(1)}s: ${countsText(threads, "thread")}.`,
        ...(tasks ? [`Tasks: ${countsText(tasks, "task")}.`] : []),
    ].join(" ");
}

/**
 * What a run found: how much the CPUs had to do, and where the requests were.
 * @param {Run} run
 */
export function findingText(run) {
    const { settings, summary } = run.result;
    const { clients, threads } = run.groups;
    const most = (/** @type {import("./run.js").Step[]} */ steps, /** @type {import("./run.js").State} */ state) =>
        steps.reduce((best, step) => Math.max(best, step[state]), 0);
    const asleep = most(threads.steps, "holding");
    const free = most(clients.steps, "waiting");
    const line = most(clients.steps, "ready");
    const request = (/** @type {number} */ count) => `up to ${plural(count, "request")}`;
    const found = [
        ...(asleep > 0
            ? [`up to ${plural(asleep, `${wordFor(run)} sleeps`, `${wordFor(run)}s sleep`)} with a request each`]
            : []),
        ...(free > 0 ? [`${request(free)} ${free === 1 ? "waits" : "wait"} without a thread`] : []),
        line > 0 ? `${request(line)} ${line === 1 ? "is" : "are"} in line` : "no request is in line",
    ];
    const time = settings.duration - settings.warmup;
    const work = timeText(summary.cpuBusy * settings.cpus * time);
    return `${plural(settings.cpus, "CPU")}, ${work} of work in ${timeText(time)}: ${found.join(", and ")}.`;
}

/**
 * How the run compares with what the law says of requests per second.
 * @param {Law} law
 * @param {Run} run
 */
export function comparison(law, run) {
    const { throughput } = run.result.summary;
    const off = law.throughput > 0 ? (throughput - law.throughput) / law.throughput : 0;
    const given = `The law says ${number(law.throughput)} responses per second; this run gave ${number(throughput)}`;
    if (Math.abs(off) < 0.005) {
        return `${given}.`;
    }
    const percent = `${number(Math.abs(off) * 100)}% ${off < 0 ? "fewer" : "more"}`;
    const reason =
        off < 0
            ? "A limit can't be passed, but a run stays below it because of its start, of chance, and of threads that get in each other's way."
            : "A short run with chance in it may lie on either side; a longer run comes closer.";
    return `${given}, ${percent}. ${reason}`;
}

/**
 * The end of a run, for those who hear it.
 * @param {Law} law
 * @param {Run} run
 * @param {string} verdict
 */
export function summaryText(law, run, verdict) {
    const { latency } = run.result.summary;
    const [half, most] = [latency.p50, latency.p99].map((value) => (value === null ? "–" : timeText(value)));
    return (
        `The run is over. ${verdict}${comparison(law, run)} ` +
        `Half of the responses came within ${half}, 99 of 100 within ${most}. ` +
        `The longest queue was ${number(run.longestQueue, 0)}. A table has all numbers.`
    );
}
