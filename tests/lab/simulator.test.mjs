// The simulator keeps its own rules, whatever the settings; and refuses settings that mean nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Random, sure } from "../../book/lab/events.js";
import { check, defaults, limits, models } from "../../book/lab/options.js";
import { Simulation, simulate } from "../../book/lab/simulator.js";
import { breaches } from "./audit.mjs";
import { manySettings } from "./settings.mjs";

test("the generator is sfc32", () => {
    // The first numbers of PractRand's own, as the crate rand_sfc 0.2 has them in its tests.
    const random = new Random(2, 1);
    const expected = [0x03b80bb8, 0xa87dbc7e, 0x1787178c, 0x4c7b7234, 0xc65dade2, 0x2c692349, 0xf52c2153, 0xdf098072];
    assert.deepEqual(
        expected.map(() => random.next()),
        expected,
    );
});

test("exponential times have their mean and no memory", () => {
    const random = new Random(7);
    const times = Array.from({ length: 200_000 }, () => random.exponential(10));
    const mean = times.reduce((sum, it) => sum + it, 0) / times.length;
    // Five standard errors of the mean: 10 / sqrt(200,000) each.
    assert.ok(Math.abs(mean - 10) < 0.12, `mean ${mean}`);
    // Of those that have lasted 10 already, the share that lasts 10 more is that of all that last 10.
    const [ten, twenty] = [10, 20].map((time) => times.filter((it) => it > time).length);
    assert.ok(Math.abs(ten / times.length - Math.exp(-1)) < 0.006, `${ten}`);
    assert.ok(Math.abs(twenty / ten - Math.exp(-1)) < 0.01, `${twenty} of ${ten}`);
    assert.ok(times.every((it) => it > 0 && it < Infinity));
});

test("every rule holds for settings of every kind", () => {
    const all = manySettings(400, 1);
    for (const model of models) {
        assert.ok(all.filter((it) => it.model === model).length > 40, model);
    }
    for (const settings of all) {
        assert.deepEqual(breaches(simulate(settings)), [], JSON.stringify(settings));
    }
});

test("the same seed gives the same trace, and another seed another", () => {
    for (const settings of manySettings(60, 2)) {
        const again = JSON.stringify(simulate(settings));
        assert.equal(JSON.stringify(simulate(settings)), again);
        const other = JSON.stringify(simulate({ ...settings, seed: (settings.seed + 1) % 2 ** 32 }).requests);
        const byChance =
            (settings.work.spread === "exponential" && settings.work.compute + settings.work.wait > 0) ||
            (settings.arrivals.kind === "open" && settings.arrivals.process === "poisson");
        assert.equal(other !== JSON.stringify(simulate(settings).requests), byChance, JSON.stringify(settings));
    }
});

test("a seed gives every model the same requests", () => {
    const of = (/** @type {string} */ model) =>
        simulate({
            model,
            arrivals: { kind: "open", rate: 40 },
            work: { compute: 2, wait: 30, spread: "exponential" },
        }).requests.map(({ due, compute, wait }) => ({ due, compute, wait }));
    for (const model of models) {
        assert.deepEqual(of(model), of("pool"), model);
    }
    // And the parts of the work know nothing of each other: their correlation is 0, give or take 4 / sqrt(401).
    const all = of("pool");
    const scores = (/** @type {"compute" | "wait"} */ part) => {
        const mean = all.reduce((sum, it) => sum + it[part], 0) / all.length;
        const deviation = Math.sqrt(all.reduce((sum, it) => sum + (it[part] - mean) ** 2, 0) / all.length);
        return all.map((it) => (it[part] - mean) / deviation);
    };
    const [computes, waits] = [scores("compute"), scores("wait")];
    const correlation = computes.reduce((sum, it, index) => sum + it * waits[index], 0) / all.length;
    assert.ok(Math.abs(correlation) < 0.2, `${correlation}`);
});

test("spans or none, the figures are the same", () => {
    for (const settings of manySettings(40, 3)) {
        const plain = simulate({ ...settings, trace: false });
        assert.deepEqual(plain.summary, simulate(settings).summary);
        assert.deepEqual(plain.cpus.flat(), []);
        assert.deepEqual(
            plain.threads.flatMap((it) => it.spans),
            [],
        );
        assert.deepEqual([plain.tasks, plain.queue], [[], []]);
    }
});

test("what finished in the warm-up is not in the summary", () => {
    for (const settings of manySettings(40, 4)) {
        const warm = simulate({ ...settings, warmup: 1000 });
        const cold = simulate(settings);
        assert.deepEqual(warm.requests, cold.requests);
        assert.deepEqual(breaches(warm), []);
        const late = cold.requests.filter((it) => (it.finished ?? 0) > 1000);
        assert.equal(warm.summary.completed, late.length);
        assert.equal(warm.summary.throughput, late.length / 2);
        const longest = late.map((it) => sure(it.finished) - it.due).reduce((a, b) => Math.max(a, b), -Infinity);
        assert.equal(warm.summary.latency.max ?? -Infinity, longest);
        assert.ok(warm.summary.switches <= cold.summary.switches);
    }
});

test("quantiles are values that occurred, by the nearest rank", () => {
    for (const duration of [200, 1000, 2000, 5000]) {
        const { requests, summary } = simulate({
            arrivals: { clients: 30 },
            work: { spread: "exponential" },
            duration,
        });
        const all = requests
            .filter((it) => it.finished !== null)
            .map((it) => sure(it.finished) - it.due)
            .sort((a, b) => a - b);
        for (const [name, share] of /** @type {const} */ ([
            ["p50", 0.5],
            ["p90", 0.9],
            ["p99", 0.99],
            ["max", 1],
        ])) {
            const value = sure(summary.latency[name]);
            const [below, under] = [all.filter((it) => it <= value).length, all.filter((it) => it < value).length];
            assert.ok(
                all.includes(value) && below >= share * all.length && under < share * all.length,
                `${name} is ${value}`,
            );
        }
    }
    // The first hundred answers of one client after another: 100, 200, ... ms for each hundredth of them.
    const { latency } = simulate({ model: "one-thread", arrivals: { clients: 100, think: 1e6 } }).summary;
    assert.deepEqual(latency, { mean: 5050, p50: 5000, p90: 9000, p99: 9900, max: 10000 });
});

test("what happens at the same time happens in the order in which it was planned", () => {
    const { requests } = simulate({ model: "one-thread", arrivals: { clients: 9 } });
    assert.deepEqual(
        requests.slice(0, 18).map((it) => it.client),
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8],
    );
});

test("a client thinks between an answer and the next request", () => {
    for (const model of models) {
        for (const keepAlive of [false, true]) {
            const { requests } = simulate({ model, keepAlive, arrivals: { clients: 1, think: 50 } });
            assert.deepEqual(
                requests.slice(0, 4).map((it) => [it.due, it.finished]),
                [
                    [0, 100],
                    [150, 250],
                    [300, 400],
                    [450, 550],
                ],
            );
        }
    }
});

test("a thread leaves its CPU when its slice is used up, and only if another is ready", () => {
    // Two threads of 40 ms on one CPU, in slices of 10 ms: A B A B A B A, then the last of B.
    const two = {
        model: "thread-per-connection",
        cpus: 1,
        arrivals: { clients: 2, think: 1000 },
        slice: 10,
        duration: 500,
    };
    const result = simulate({ ...two, work: { compute: 40, wait: 0 } });
    assert.deepEqual(
        result.cpus[0].map((it) => [it.from, it.to, it.thread]),
        [0, 1, 2, 3, 4, 5, 6, 7].map((it) => [10 * it, 10 * it + 10, it % 2]),
    );
    assert.equal(result.summary.preemptions, 6);
    assert.equal(result.summary.switches, 8);
    // With a slice longer than the work, one after the other.
    const long = simulate({ ...two, slice: 50, work: { compute: 40, wait: 0 } });
    assert.deepEqual(
        long.cpus[0].map((it) => [it.from, it.to, it.thread]),
        [
            [0, 40, 0],
            [40, 80, 1],
        ],
    );
    assert.equal(long.summary.preemptions, 0);
    // Alone, a thread runs on.
    const alone = simulate({ ...two, arrivals: { clients: 1, think: 1000 }, work: { compute: 40, wait: 0 } });
    assert.deepEqual(
        alone.cpus[0].map((it) => [it.from, it.to, it.thread]),
        [[0, 40, 0]],
    );
    assert.equal(alone.summary.preemptions, 0);
});

test("a switch costs the CPU its time", () => {
    const settings = {
        model: "thread-per-connection",
        cpus: 1,
        arrivals: { clients: 2, think: 1000 },
        slice: 10,
        duration: 500,
    };
    const { cpus } = simulate({ ...settings, work: { compute: 20, wait: 0 }, switchCost: 1 });
    assert.deepEqual(
        cpus[0].map((it) => [it.from, it.to, it.kind, it.thread]),
        [
            [0, 1, "switch", 0],
            [1, 11, "run", 0],
            [11, 12, "switch", 1],
            [12, 22, "run", 1],
            [22, 23, "switch", 0],
            [23, 33, "run", 0],
            [33, 34, "switch", 1],
            [34, 44, "run", 1],
        ],
    );
});

test("a blocking call in a task holds its worker, and a task that waits does not", () => {
    // Ten requests at once on two workers: two at a time, or all together.
    const settings = { threads: 2, arrivals: { clients: 10, think: 1000 }, work: { wait: 100 }, duration: 1000 };
    const finished = (/** @type {string} */ model) =>
        simulate({ ...settings, model })
            .requests.slice(0, 10)
            .map((it) => it.finished);
    assert.deepEqual(finished("tasks"), Array(10).fill(100));
    assert.deepEqual(finished("tasks-blocking"), [100, 100, 200, 200, 300, 300, 400, 400, 500, 500]);
    assert.deepEqual(finished("pool"), finished("tasks-blocking"));
});

test("a task runs until it waits: on one worker a greedy one lets nobody in, and threads take turns", () => {
    // One long computation, then nine short ones, on one CPU.
    const settings = {
        cpus: 1,
        threads: 1,
        arrivals: { kind: "open", rate: 1000, process: "even" },
        work: { compute: 1, wait: 0 },
        duration: 9,
    };
    class OneIsGreedy extends Simulation {
        /** @param {number} id */
        drawWork(id) {
            return { ...super.drawWork(id), compute: id === 0 ? 100 : 1 };
        }
    }
    const completed = (/** @type {string} */ model) =>
        new OneIsGreedy({ ...settings, model, slice: 1 }).run().summary.completed;
    assert.equal(completed("tasks"), 0);
    assert.ok(completed("thread-per-connection") >= 3);
});

test("a kept connection keeps its thread in a pool, and no worker in a model of tasks", () => {
    const settings = { threads: 4, keepAlive: true, arrivals: { clients: 10, think: 400 }, work: { wait: 100 } };
    const served = (/** @type {string} */ model) =>
        new Set(
            simulate({ ...settings, model })
                .requests.filter((it) => it.finished !== null)
                .map((it) => it.client),
        ).size;
    assert.equal(served("pool"), 4);
    assert.equal(served("one-thread"), 1);
    assert.equal(served("thread-per-connection"), 10);
    assert.equal(served("tasks"), 10);
    assert.equal(served("tasks-blocking"), 10);
    // Closed after each answer, everybody has a turn.
    assert.equal(new Set(simulate({ ...settings, keepAlive: false }).requests.map((it) => it.client)).size, 10);
});

test("open arrivals come at their rate, whatever the server does", () => {
    for (const model of models) {
        const at = (/** @type {string} */ process) =>
            simulate({ model, arrivals: { kind: "open", rate: 50, process }, work: { wait: 500 } });
        const even = at("even").requests;
        even.forEach((it, index) => assert.ok(Math.abs(it.due - 20 * index) < 1e-6));
        assert.equal(even.length, 501);
        const poisson = at("poisson").requests.length;
        // 500 on average, with a standard deviation of the root of that.
        assert.ok(Math.abs(poisson - 500) < 100, `${poisson}`);
    }
});

test("every n-th request waits, as /tenth does", () => {
    const { requests } = simulate({ work: { compute: 1, wait: 50, every: 10 }, duration: 1000 });
    requests.forEach((it) => assert.equal(it.wait, (it.id + 1) % 10 === 0 ? 50 : 0));
});

test("settings are completed, and not changed", () => {
    const given = Object.freeze({ arrivals: Object.freeze({ clients: 3 }), work: Object.freeze({ wait: 7 }) });
    const all = check(given);
    assert.deepEqual(all, {
        ...defaults,
        arrivals: { kind: "closed", clients: 3, think: 0 },
        work: { ...defaults.work, wait: 7 },
    });
    assert.deepEqual(check(all), all);
    assert.deepEqual(check(), check(defaults));
    assert.deepEqual(check({ arrivals: { kind: "open", clients: 5 } }).arrivals, {
        kind: "open",
        rate: 50,
        process: "poisson",
    });
});

/**
 * Settings that mean nothing are refused with a sentence that has these words.
 * @param {any} settings
 * @param {...string} words
 */
function refused(settings, ...words) {
    for (const attempt of [check, simulate]) {
        assert.throws(
            () => attempt(settings),
            (error) => {
                assert.ok(error instanceof RangeError, `${error}`);
                assert.match(error.message, /\.$/);
                for (const word of words) {
                    assert.ok(error.message.includes(word), `${word} is not in: ${error.message}`);
                }
                return true;
            },
            JSON.stringify(settings),
        );
    }
}

test("nonsense is refused with a sentence", () => {
    refused({ cpus: 0 }, "cpus is 0", "from 1 to 64");
    refused({ cpus: 65 }, "65");
    refused({ cpus: 1.5 }, "whole number");
    refused({ cpus: "2" }, '"2"');
    refused({ cpus: NaN }, "NaN");
    refused({ threads: 0 }, "threads is 0");
    refused({ threads: -1 }, "-1");
    refused({ threads: 1001 }, "1000");
    refused({ threads: Infinity }, "Infinity");
    refused({ seed: -1 }, "seed");
    refused({ seed: 2 ** 32 }, "seed");
    refused({ seed: 0.5 }, "seed");
    refused({ model: "fibers" }, '"fibers"', "one-thread");
    refused({ model: undefined }, "model");
    refused({ model: "toString" }, "toString");
    refused({ keepAlive: "yes" }, "keepAlive", "true or false");
    refused({ trace: 1 }, "trace");
    refused({ slice: 0 }, "slice");
    refused({ slice: -4 }, "slice");
    refused({ slice: NaN }, "slice");
    refused({ switchCost: -0.1 }, "switchCost");
    refused({ duration: 0 }, "duration");
    refused({ duration: Infinity }, "duration");
    refused({ duration: -1 }, "duration");
    refused({ warmup: 10000 }, "warmup");
    refused({ warmup: -1 }, "warmup");
});

test("so is nonsense about clients and their work", () => {
    refused({ arrivals: { clients: 0 } }, "clients");
    refused({ arrivals: { clients: limits.clients + 1 } }, "clients");
    refused({ arrivals: { think: -1 } }, "think");
    refused({ arrivals: { kind: "semi" } }, '"semi"');
    refused({ arrivals: { kind: "open", rate: 0 } }, "rate", "more than 0");
    refused({ arrivals: { kind: "open", rate: -5 } }, "rate");
    refused({ arrivals: { kind: "open", rate: NaN } }, "rate");
    refused({ arrivals: { kind: "open", process: "bursts" } }, '"bursts"');
    refused({ arrivals: null }, "arrivals");
    refused({ arrivals: [] }, "arrivals");
    refused({ work: 5 }, "work");
    refused({ work: { wait: -1 } }, "work.wait");
    refused({ work: { compute: NaN } }, "work.compute");
    refused({ work: { spread: "normal" } }, '"normal"');
    refused({ work: { every: 0 } }, "work.every");
    refused({ thread: 8 }, '"thread"', "threads");
    refused({ work: { waits: 8 } }, '"waits"');
    refused(null, "The settings");
    refused("pool", "The settings");
    // What would never end, or freeze a browser.
    refused({ work: { wait: 0 } }, "infinitely often");
    refused({ arrivals: { kind: "open", rate: 1e6 } }, "10000000 requests", "at most 200000");
    refused({ arrivals: { clients: 10000 }, model: "tasks", work: { wait: 0.001 } }, "requests");
    refused(
        { cpus: 64, work: { wait: 0, compute: 10 }, slice: 1e-3, threads: 64, arrivals: { clients: 100 } },
        "time slices",
        "longer slice",
    );
});

test("the largest runs that are allowed come to an end", () => {
    // Not timed, for a slow machine is no fault: this holds that the limits are what bounds a run.
    const runs = [
        { model: "tasks", arrivals: { clients: 10000 }, duration: 1900 },
        { model: "thread-per-connection", arrivals: { clients: 10000 }, duration: 1900 },
        {
            model: "thread-per-connection",
            cpus: 64,
            arrivals: { clients: 10000 },
            work: { wait: 0, compute: 100 },
            slice: 1,
        },
        { arrivals: { kind: "open", rate: 19000 } },
    ];
    for (const settings of runs) {
        const { requests, cpus } = simulate(settings);
        assert.ok(requests.length <= limits.requests.trace + 10000, JSON.stringify(settings));
        assert.ok(cpus.flat().length <= limits.slices.trace + 3 * requests.length);
    }
});
