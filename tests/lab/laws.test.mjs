// The simulator against the closed forms, and the closed forms against values worked out elsewhere.

import assert from "node:assert/strict";
import { test } from "node:test";

import { sure } from "../../book/lab/events.js";
import { erlangC, md1, mg1, mm1, mmc, predict } from "../../book/lab/laws.js";
import { models } from "../../book/lab/options.js";
import { simulate } from "../../book/lab/simulator.js";
import { manySettings } from "./settings.mjs";

/**
 * @typedef {import("../../book/lab/options.js").SomeSettings} SomeSettings
 * @typedef {import("../../book/lab/recorder.js").Summary} Summary
 */

/**
 * @param {number | null} value
 * @param {number | null} expected
 * @param {number} relative
 */
const near = (value, expected, relative, what = "") =>
    assert.ok(
        Math.abs(sure(value) - sure(expected)) <= relative * Math.abs(sure(expected)),
        `${what}: ${value}, and ${expected} was expected`,
    );

// --- The closed forms themselves -------------------------------------------------------------------

test("the closed forms give the values of the textbooks", () => {
    // One server, half busy: M/M/1 waits one service time, M/D/1 half of it.
    near(mm1({ rate: 50, service: 10 }).waiting, 10, 1e-12);
    near(md1({ rate: 50, service: 10 }).waiting, 5, 1e-12);
    near(mm1({ rate: 90, service: 10 }).inSystem, 100, 1e-12);
    // Exponential service has a variance of its mean squared.
    near(mg1({ rate: 80, service: 10, variance: 100 }).waiting, mm1({ rate: 80, service: 10 }).waiting, 1e-12);
    // Erlang's C by its definition, with factorials.
    /** @type {(n: number) => number} */
    const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));
    for (const [servers, load] of [
        [1, 0.3],
        [2, 1.5],
        [4, 3.2],
        [10, 9.5],
    ]) {
        const top = ((load ** servers / factorial(servers)) * servers) / (servers - load);
        const below = Array.from({ length: servers }, (_, k) => load ** k / factorial(k)).reduce((a, b) => a + b, top);
        near(erlangC(servers, load), top / below, 1e-12, `C(${servers}, ${load})`);
    }
    assert.ok(erlangC(500, 490) > 0 && erlangC(500, 490) < 1);
    // Nobody waits where nobody comes, and for ever where too many do.
    assert.deepEqual(mmc({ rate: 0, service: 10, servers: 3 }), { utilisation: 0, waiting: 0, inSystem: 10 });
    assert.equal(mmc({ rate: 300, service: 10, servers: 3 }).waiting, Infinity);
    assert.equal(md1({ rate: 101, service: 10 }).waiting, Infinity);
    assert.equal(stayOf(20, 80), 250);
});

// --- Exact laws ------------------------------------------------------------------------------------

test("a pool of k threads on waits of 100 ms answers 10 k a second", () => {
    for (const threads of [1, 4, 8, 16, 64]) {
        for (const model of ["pool", "tasks-blocking"]) {
            const { throughput } = simulate({ model, threads, arrivals: { clients: 64 } }).summary;
            assert.equal(throughput, 10 * threads, `${model} of ${threads}`);
        }
    }
    assert.equal(simulate({ model: "one-thread", arrivals: { clients: 64 } }).summary.throughput, 10);
});

test("with a thread or a task for each, c clients that wait 100 ms get 10 c a second", () => {
    for (const clients of [1, 10, 50, 200, 1000]) {
        for (const model of ["thread-per-connection", "tasks"]) {
            for (const keepAlive of [false, true]) {
                const { summary } = simulate({ model, keepAlive, arrivals: { clients } });
                assert.equal(summary.throughput, 10 * clients, `${model} with ${clients}`);
                assert.equal(summary.latency.max, 100);
                assert.equal(summary.threadsMax, model === "tasks" ? 8 : clients);
            }
        }
    }
});

test("n CPUs that compute c ms for a request answer n / c", () => {
    for (const cpus of [1, 2, 4, 16]) {
        for (const compute of [1, 5, 25]) {
            for (const model of models.filter((it) => it !== "one-thread")) {
                const settings = {
                    model,
                    cpus,
                    threads: 32,
                    arrivals: { clients: 40 },
                    work: { wait: 0, compute },
                    duration: 3000,
                };
                const { completed, cpuBusy } = simulate(settings).summary;
                // What is half done at the end is missing: at most what the 40 clients ask for.
                const all = (3000 * cpus) / compute;
                assert.ok(completed <= all + 1e-6 && completed >= all - 40, `${model}: ${completed} of ${all}`);
                near(cpuBusy, 1, 1e-9);
            }
            const one = simulate({ model: "one-thread", cpus, arrivals: { clients: 40 }, work: { wait: 0, compute } });
            assert.equal(one.summary.throughput, 1000 / compute);
        }
    }
});

test("more workers than CPUs compute no faster, and fewer slower", () => {
    const rate = (/** @type {string} */ model, /** @type {number} */ threads) =>
        simulate({
            model,
            cpus: 4,
            threads,
            arrivals: { clients: 64 },
            work: { wait: 0, compute: 10 },
        }).summary.throughput;
    for (const model of ["pool", "tasks"]) {
        assert.deepEqual(
            [1, 2, 4].map((threads) => rate(model, threads)),
            [100, 200, 400],
        );
        near(rate(model, 32), 400, 0.01);
    }
});

test("what a switch costs is taken from the work", () => {
    // Two threads on one CPU, slices of 2 ms, switches of 0.5 ms: of 2.5 ms, 2 are work.
    const { throughput, cpuBusy } = simulate({
        model: "thread-per-connection",
        cpus: 1,
        keepAlive: true,
        arrivals: { clients: 2 },
        work: { wait: 0, compute: 20 },
        slice: 2,
        switchCost: 0.5,
    }).summary;
    near(throughput, (50 * 2) / 2.5, 0.01);
    near(cpuBusy, 1, 1e-9);
});

test("Little: in the system is throughput times latency, by the area under the one and the mean of the other", () => {
    const settings = [
        { model: "pool", arrivals: { kind: "open", rate: 70 }, work: { wait: 100, spread: "exponential" } },
        {
            model: "tasks",
            threads: 2,
            arrivals: { kind: "open", rate: 150 },
            work: { compute: 10, wait: 30, spread: "exponential" },
        },
        {
            model: "thread-per-connection",
            cpus: 1,
            arrivals: { kind: "open", rate: 90 },
            work: { compute: 8, wait: 5 },
            switchCost: 0.02,
        },
        {
            model: "one-thread",
            arrivals: { clients: 20, think: 50 },
            work: { compute: 2, wait: 10, spread: "exponential" },
        },
        {
            model: "tasks-blocking",
            keepAlive: true,
            arrivals: { clients: 20, think: 50 },
            work: { compute: 2, wait: 10 },
        },
    ];
    for (const each of settings) {
        const { summary } = simulate({ ...each, duration: 1e6, warmup: 1e4, trace: false });
        const stay = stayOf(summary.inSystemMean, summary.throughput);
        // What is in the system at the ends is counted by one side only: among ten thousands of requests next to nothing.
        near(summary.latency.mean, stay, 0.01, JSON.stringify(each));
        assert.ok(summary.completed > 10_000);
    }
});

test("what arrives is answered, or waits: an overloaded pool answers what it can", () => {
    const { throughput } = simulate({ arrivals: { kind: "open", rate: 100, process: "even" } }).summary;
    near(throughput, 80, 0.01);
    const { queue, settings } = simulate({ arrivals: { kind: "open", rate: 100, process: "even" } });
    // 20 a second too many, for the whole time.
    near(sure(queue.at(-1)).length, (20 * settings.duration) / 1000, 0.05);
});

test("the prediction holds where it says that it is exact, and is a ceiling elsewhere", () => {
    let exact = 0;
    for (const each of manySettings(200, 5)) {
        // First it has time to settle; then even one client gets hundreds of answers.
        const settings = { ...each, trace: false, warmup: 20_000, duration: 120_000 };
        let law;
        try {
            law = predict(settings);
        } catch (error) {
            assert.match(String(error), /are allowed/);
            continue;
        }
        const { throughput, latency } = simulate(settings).summary;
        const what = JSON.stringify({ settings, law, throughput });
        // Chance leaves a few per cent of what n requests come to: four standard deviations of a count of n.
        const { arrivals } = each;
        const byChance = arrivals.kind === "open" && arrivals.process === "poisson";
        const clients = arrivals.kind === "closed" ? arrivals.clients : 1;
        const slack =
            0.005 +
            (each.work.spread === "exponential" || byChance
                ? 4 / Math.sqrt(law.throughput * 100)
                : (2 / (law.throughput * 100)) * Math.max(each.threads, clients));
        assert.ok(throughput <= law.throughput * (1 + slack), what);
        if (law.exact) {
            exact += 1;
            assert.ok(throughput >= law.throughput * (1 - slack), what);
            if (law.law === "Little" && slack < 0.1) {
                near(latency.mean, law.latency, 2 * slack + 0.01, what);
            }
        }
        assert.ok(
            law.sentences.length > 1 && law.sentences.every((it) => /^[A-Z0-9].*\.$/.test(it)),
            law.sentences.join("\n"),
        );
        assert.ok(!/NaN|Infinity|undefined|null/.test(law.sentences.join()), law.sentences.join("\n"));
    }
    assert.ok(exact > 40, `only ${exact} were exact`);
});

test("the bottleneck is what makes a difference", () => {
    const of = (/** @type {SomeSettings} */ settings) => predict(settings).bottleneck;
    assert.equal(of({}), "threads");
    assert.equal(of({ threads: 30 }), "clients");
    assert.equal(of({ model: "tasks" }), "clients");
    assert.equal(of({ model: "tasks", work: { compute: 10 }, arrivals: { clients: 1000 } }), "cpus");
    assert.equal(of({ arrivals: { kind: "open", rate: 50 } }), "arrivals");
    assert.equal(of({ arrivals: { kind: "open", rate: 90 } }), "threads");
    assert.equal(of({ keepAlive: true, arrivals: { clients: 20, think: 1000 } }), "threads");
    assert.equal(predict({}).throughput, 80);
    assert.equal(predict({}).latency, 250);
    assert.deepEqual(
        predict({}).sentences[0],
        "8 threads, each of which waits 100 ms for a request, can answer at most 8 / 0.1 s = 80 requests per second.",
    );
});

// --- Queues, by chance and therefore within a confidence interval -------------------------------------

/** Student's t for 19 degrees of freedom, 99 % two-sided (any table). */
const T_99_19 = 2.861;

/**
 * The 99 % confidence interval of a mean over 20 independent runs, with the seeds 1 to 20.
 *
 * Requests of one run depend on each other, whole runs don't: their means are independent, and nearly normal. One
 * law in a hundred would miss the interval by chance; the seeds are fixed, so a law that is inside stays inside.
 * @param {SomeSettings} settings
 * @param {(summary: Summary) => number | null} figure
 */
function interval(settings, figure) {
    const means = Array.from({ length: 20 }, (_, index) =>
        sure(figure(simulate({ ...settings, seed: index + 1, trace: false }).summary)),
    );
    const mean = means.reduce((sum, it) => sum + it, 0) / 20;
    const variance = means.reduce((sum, it) => sum + (it - mean) ** 2, 0) / 19;
    return { mean, half: T_99_19 * Math.sqrt(variance / 20) };
}

/**
 * @param {SomeSettings} settings
 * @param {(summary: Summary) => number | null} figure
 * @param {number} law
 * @param {string} what
 */
function inside(settings, figure, law, what, allowance = 0) {
    const { mean, half } = interval(settings, figure);
    assert.ok(Math.abs(mean - law) <= half + allowance, `${what}: ${mean} ± ${half}, the law says ${law}`);
    // An interval that holds everything would prove nothing.
    assert.ok(half < 0.1 * law, `${what}: ± ${half} is too wide for ${law}`);
}

const waiting = (/** @type {Summary} */ summary) => summary.waitingMean;
const inSystem = (/** @type {Summary} */ summary) => summary.latency.mean;
const long = { duration: 330_000, warmup: 30_000 };

test("M/M/1: one thread, exponential waits", () => {
    for (const rate of [50, 80]) {
        const settings = {
            ...long,
            model: "one-thread",
            arrivals: { kind: "open", rate },
            work: { wait: 10, spread: "exponential" },
        };
        inside(settings, waiting, mm1({ rate, service: 10 }).waiting, `rate ${rate}`);
        inside(settings, inSystem, mm1({ rate, service: 10 }).inSystem, `rate ${rate}`);
        assert.equal(predict({ ...settings, trace: false }).latency, mm1({ rate, service: 10 }).inSystem);
    }
});

test("M/M/1: one CPU, exponential computing, in order or in slices", () => {
    const settings = {
        ...long,
        cpus: 1,
        arrivals: { kind: "open", rate: 70 },
        work: { wait: 0, compute: 10, spread: "exponential" },
    };
    const law = mm1({ rate: 70, service: 10 }).inSystem;
    for (const model of ["one-thread", "thread-per-connection", "tasks"]) {
        inside({ ...settings, model }, inSystem, law, model);
        assert.equal(predict({ ...settings, model, trace: false }).latency, law);
    }
});

test("M/M/c: four threads of a pool, or four CPUs", () => {
    const rate = 320;
    const law = mmc({ rate, service: 10, servers: 4 });
    const open = { ...long, duration: 110_000, threads: 4, cpus: 4, arrivals: { kind: "open", rate } };
    const wait = { wait: 10, spread: "exponential" };
    const compute = { wait: 0, compute: 10, spread: "exponential" };
    inside({ ...open, work: wait }, waiting, law.waiting, "a pool that waits");
    inside({ ...open, model: "tasks-blocking", work: wait }, waiting, law.waiting, "workers that wait");
    inside({ ...open, work: compute }, waiting, law.waiting, "a pool that computes");
    inside({ ...open, model: "tasks", work: compute }, waiting, law.waiting, "workers that compute");
    inside({ ...open, model: "thread-per-connection", work: compute }, inSystem, law.inSystem, "CPUs in slices");
    for (const { model, work } of [
        { model: "pool", work: wait },
        { model: "tasks", work: compute },
        { model: "thread-per-connection", work: compute },
    ]) {
        assert.equal(predict({ ...open, model, work, trace: false }).latency, law.inSystem);
    }
});

test("M/D/1: one thread, equal waits: half of what M/M/1 waits", () => {
    for (const rate of [50, 80]) {
        const settings = { ...long, model: "one-thread", arrivals: { kind: "open", rate }, work: { wait: 10 } };
        const law = md1({ rate, service: 10 }).waiting;
        inside(settings, waiting, law, `rate ${rate}`);
        near(predict({ ...settings, trace: false }).latency, law + 10, 1e-12);
        // The test can tell the two apart.
        const { mean, half } = interval(settings, waiting);
        assert.ok(Math.abs(mean - mm1({ rate, service: 10 }).waiting) > 3 * half);
    }
});

test("M/G/1: two exponential parts, one after the other", () => {
    const settings = {
        ...long,
        model: "one-thread",
        arrivals: { kind: "open", rate: 60 },
        work: { compute: 4, wait: 8, spread: "exponential" },
    };
    const law = mg1({ rate: 60, service: 12, variance: 16 + 64 });
    inside(settings, waiting, law.waiting, "Pollaczek and Khinchine");
    near(predict({ ...settings, trace: false }).latency, law.inSystem, 1e-12);
});

test("M/D/1 in tiny slices: processor sharing, where equal and exponential times have the same mean", () => {
    // Kleinrock, "Queueing Systems", volume 2, 1976: s / (1 - utilisation), whatever the distribution. A slice isn't
    // infinitely small, so the law may be off by as much.
    const settings = {
        ...long,
        duration: 130_000,
        model: "thread-per-connection",
        cpus: 1,
        arrivals: { kind: "open", rate: 70 },
        work: { wait: 0, compute: 10 },
        slice: 0.2,
    };
    inside(settings, inSystem, 10 / (1 - 0.7), "processor sharing", 0.2);
});

test("M/M/∞: tasks and threads that only wait never queue", () => {
    for (const model of ["tasks", "thread-per-connection"]) {
        const settings = {
            ...long,
            duration: 90_000,
            model,
            arrivals: { kind: "open", rate: 200 },
            work: { wait: 100, spread: "exponential" },
        };
        inside(settings, inSystem, 100, model);
        // The number in the system is then Poisson, with a mean of rate times service.
        inside(settings, (summary) => summary.inSystemMean, 20, model);
        assert.equal(predict({ ...settings, trace: false }).latency, 100);
    }
});
