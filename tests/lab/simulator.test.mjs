// What the lab answers: each of its questions as the page has marked it, what each button promises, and what a run keeps to.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import "../../book/lab/simulator.js";
import "../../book/lab/settings.js";

const PAGES = new URL("../../book/", import.meta.url);

/**
 * @typedef {object} Lab a lab of a page
 * @property {string} page
 * @property {string} settings
 * @property {string[]} tries what the text above it proposes
 * @property {{ name: string, right: string } | null} question the question above it, and its right answer
 */

/**
 * The labs of a page, each with what stands between it and the one before.
 * @param {string} page
 * @returns {Lab[]}
 */
function labsOf(page) {
    const text = readFileSync(new URL(page, PAGES), "utf8");
    return text
        .split("</scheduler-lab>")
        .slice(0, -1)
        .map((part) => {
            const settings = /<scheduler-lab data-settings="([^"]*)">\n$/.exec(part)?.[1] ?? "";
            const tries = [...part.matchAll(/ data-try="([^"]*)"/g)].map(([, text]) => text);
            const asked = [...part.matchAll(/\{\{#predict (\S+) ([\d.]+)/g)].at(-1);
            const list = part.slice(asked?.index ?? 0);
            const right = new RegExp(`^${asked?.[2]}\\. (.*)$`, "m").exec(list)?.[1] ?? "";
            // In front of the lab stands the answer's box, and nothing else.
            const isBelow = part.endsWith(`</details>\n\n<scheduler-lab data-settings="${settings}">\n`);
            return { page, settings, tries, question: asked && isBelow ? { name: asked[1], right } : null };
        });
}

const labs = readdirSync(PAGES)
    .filter((name) => name.endsWith(".md"))
    .flatMap(labsOf);

/** What the sixteen answers rest on: a figure of the run, and what the right answer says. */
const ANSWERS = /** @type {const} */ ([
    ["one-thread", "throughput", 10, "10"],
    ["thread-each", "throughput", 200, "200"],
    ["pool-80", "throughput", 80, "80"],
    ["pool-keep-alive", "throughput", 20, "20"],
    ["pool-size", "throughput", 200, "20"],
    ["compute-threads", "throughput", 100, "100"],
    ["loop-computes", "throughput", 200, "200"],
    ["tasks-wait", "throughput", 495, "About 500"],
    ["blocking-call", "median", 2020, "About 2 s"],
    ["blocking-executor", "throughput", 100, "100"],
    ["one-queue", "throughput", 476, "About 476"],
    ["tasks-compute", "throughput", 100, "100"],
    ["threads-or-tasks", "throughput", 2000, "Neither"],
    ["freeze", "throughput", 10, "longer and longer"],
    ["below-capacity", "throughput", 72, "Some do"],
    ["above-capacity", "throughput", 80, "how long the run lasts"],
]);

/** What buttons promise, beside what is true of all: question, button, figure and value. */
const TRIES = /** @type {const} */ ([
    ["one-thread", "cpus=8", "throughput", 10],
    ["pool-80", "threads=16", "throughput", 160],
    ["pool-80", "threads=40", "throughput", 200],
    ["pool-keep-alive", "keep=no", "throughput", 50],
    ["pool-size", "threads=10", "throughput", 100],
    ["pool-size", "threads=40", "throughput", 200],
    ["compute-threads", "threads=2", "throughput", 100],
    ["compute-threads", "switch=1 length=1025", "throughput", 78],
    ["loop-computes", "cpus=8", "throughput", 200],
    ["loop-computes", "threads=4", "throughput", 476],
    ["tasks-wait", "pool", "throughput", 9.9],
    ["tasks-wait", "clients=200", "throughput", 1000],
    ["blocking-call", "tasks", "median", 1],
    ["blocking-executor", "pool", "throughput", 100],
    ["blocking-executor", "tasks", "throughput", 600],
    ["one-queue", "threads=1", "throughput", 200],
    ["tasks-compute", "threads=2", "throughput", 100],
    ["threads-or-tasks", "tasks", "throughput", 2000],
    ["threads-or-tasks", "switch=0.2", "busy", 0.5],
    ["freeze", "rate=9", "median", 100],
    ["freeze", "tasks", "slowest", 100],
    ["below-capacity", "random=no", "slowest", 100],
    ["wait-for-a-pool", "threads=16", "throughput", 160],
    ["wait-for-a-pool", "threads=64", "slowest", 100],
]);

/**
 * @param {number | undefined} value
 * @param {number} wanted
 */
const near = (value, wanted) => assert.ok(Math.abs(Number(value) - wanted) <= 0.02 * wanted, `${value}, not ${wanted}`);

/** @param {string} name */
function asked(name) {
    const lab = labs.find(({ question }) => question?.name === name);
    assert.ok(lab?.question, `no page asks ${name}, with a lab below it`);
    return { ...lab, question: lab.question };
}

for (const [name, figure, value, words] of ANSWERS) {
    test(`${name}: the answer that the page calls right is what the lab plays`, () => {
        const { question, settings } = asked(name);
        near(simulate(settingsOf(settings))[figure], value);
        assert.ok(question.right.includes(words), `“${question.right}” is right, and not “${words}”`);
    });
}

for (const [name, text, figure, value] of TRIES) {
    test(`${name}: the button ${text}`, () => {
        const { settings, tries } = asked(name);
        assert.ok(tries.includes(text), `it has ${tries.join("; ")}`);
        near(simulate(settingsOf(text, settingsOf(settings)))[figure], value);
    });
}

test("in a fixed line nobody is served, and above its capacity a queue grows with the run", () => {
    const kept = simulate(settingsOf(asked("pool-keep-alive").settings));
    const served = new Set(kept.requests.filter(({ finished }) => finished !== null).map(({ client }) => client));
    assert.equal(served.size, 8);
    const above = settingsOf(asked("above-capacity").settings);
    const long = simulate(settingsOf("length=20000", above));
    near(simulate(above).slowest, 1000);
    near(long.slowest, 1909);
    const below = simulate(settingsOf(asked("below-capacity").settings));
    const free = below.clients.flatMap(({ spans }) => spans).filter(({ state }) => state === "queues");
    assert.ok(free.length > 100 && free.every(({ from, to }) => to - from < 500), "the line empties again");
});

/** @param {LabRow[]} rows @param {LabState} state */
const timeOf = (rows, state) =>
    rows
        .flatMap(({ spans }) => spans)
        .filter((span) => span.state === state)
        .reduce((sum, { from, to }) => sum + to - from, 0);

for (const { page, settings, tries } of labs) {
    for (const text of ["", ...tries]) {
        test(`${page}: what ${text || "the lab"} of “${settings}” draws is what happened, and within the law`, () => {
            const first = settingsOf(settings);
            const run = simulate(text === "" ? first : settingsOf(text, first));
            const all = [...run.clients, ...run.threads, ...run.cpus];
            for (const { spans } of all) {
                spans.forEach(({ from, to }, index) => {
                    assert.ok(to > from && from >= (spans[index - 1]?.to ?? 0), "a row does one thing at a time");
                });
            }
            // Solid is what a CPU did, in the rows of CPUs, threads and clients alike.
            const [clients, threads, cpus] = [run.clients, run.threads, run.cpus].map((rows) => timeOf(rows, "works"));
            assert.ok(
                Math.abs(cpus - threads) < 1e-6 && Math.abs(cpus - clients) < 1e-6,
                `${[clients, threads, cpus]}`,
            );
            // Who waits with a thread has one, and in no model do both hold something and nothing.
            assert.ok(timeOf(run.clients, "holds") <= timeOf(run.threads, "holds") + 1e-6);
            // A limit can be passed by one request for each thread, which began before the figures did.
            const { length, warmup } = run.settings;
            const slack = (run.threads.length * 1000) / (length - warmup);
            for (const { of, rate } of limitsOf(run.settings)) {
                assert.ok(run.throughput <= rate + slack + 1e-6, `${run.throughput}, and ${of} allow ${rate}`);
            }
        });
    }
}

test("the same settings give the same run, and another seed other random moments", () => {
    const settings = settingsOf("pool threads=8 rate=72 random=yes wait=100");
    const sent = (/** @type {string} */ seed) =>
        simulate(settingsOf(`seed=${seed}`, settings)).requests.map((request) => request.sent);
    assert.deepEqual(sent("1"), sent("1"));
    assert.notDeepEqual(sent("1"), sent("2"));
});

test("a thread leaves its CPU when its slice is used up, if another is ready; a switch costs the CPU its time", () => {
    const two = settingsOf("thread-per-connection cpus=1 clients=2 think=1000 compute=20 slice=10 length=500");
    const spans = (/** @type {LabSettings} */ settings) =>
        simulate(settings).cpus[0].spans.filter(({ state }) => state !== "idle");
    const told = (/** @type {LabSettings} */ settings) =>
        spans(settings).map(({ from, to, state, request }) => `${from}-${to} ${state} ${request}`);
    assert.deepEqual(told(two), ["0-10 works 0", "10-20 works 1", "20-30 works 0", "30-40 works 1"]);
    assert.deepEqual(told(settingsOf("switch=1", two)).slice(0, 4), [
        "0-1 switches null",
        "1-11 works 0",
        "11-12 switches null",
        "12-22 works 1",
    ]);
    assert.deepEqual(told(settingsOf("clients=1", two)), ["0-20 works 0"]);
});

test("settings that mean nothing, or too much, are refused with a sentence", () => {
    for (const text of [
        "pool thread=8",
        "pool threads=many",
        "pool wait=0",
        "fibers wait=1",
        "pool threads=1000 clients=1000 wait=0.01",
        "tasks compute=1 cpus=64 length=1e6",
    ]) {
        assert.throws(
            () => settingsOf(text),
            (error) => error instanceof RangeError && error.message.endsWith("."),
            text,
        );
    }
});
