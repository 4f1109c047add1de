// Breaks the simulator on purpose, and sees the laws fail: a law that no fault can break would prove nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Queue, sure } from "../../book/lab/events.js";
import { predict } from "../../book/lab/laws.js";
import { Simulation } from "../../book/lab/simulator.js";
import { breaches } from "./audit.mjs";

/**
 * @typedef {import("../../book/lab/options.js").SomeSettings} SomeSettings
 * @typedef {import("../../book/lab/recorder.js").Thread} Thread
 * @typedef {import("../../book/lab/recorder.js").Cpu} Cpu
 * @typedef {import("../../book/lab/recorder.js").Connection} Connection
 */

/**
 * What a run of this simulation breaks: the rules of the trace, by name, and the predicted throughput.
 * @param {typeof Simulation} Kind
 * @param {SomeSettings} settings
 */
function broken(Kind, settings) {
    const result = new Kind(settings).run();
    const rules = breaches(result).map((it) => it.slice(0, it.indexOf(":")));
    const law = predict(settings);
    const { throughput } = result.summary;
    // In ten seconds, the requests that are under way at the end are a few per cent.
    if (throughput > 1.02 * law.throughput || (law.exact && throughput < 0.95 * law.throughput)) {
        rules.push("the predicted throughput");
    }
    return rules;
}

const waits = { work: { wait: 100 } };
const computes = { cpus: 2, threads: 4, model: "pool", work: { wait: 0, compute: 10 } };
const both = {
    cpus: 2,
    threads: 6,
    model: "tasks",
    arrivals: { clients: 30 },
    work: { wait: 20, compute: 5, computeAfter: 2 },
};

/** @type {{ name: string, settings: SomeSettings, Kind: typeof Simulation, sees: string[] }[]} */
const faults = [
    {
        name: "a CPU runs two threads at once",
        settings: computes,
        Kind: class extends Simulation {
            /** @param {SomeSettings} settings */
            constructor(settings) {
                super(settings);
                // A second CPU that writes into the first one's records.
                this.cpus.push({ ...this.cpus[0] });
            }
        },
        sees: ["one thread on a CPU", "the predicted throughput"],
    },
    {
        name: "a CPU stays idle while threads are ready",
        settings: computes,
        Kind: class extends Simulation {
            assignCpus() {
                if (!this.cpus[0].thread) {
                    super.assignCpus();
                }
            }
        },
        sees: ["no CPU idle while a thread is ready"],
    },
    {
        name: "a slice never ends",
        settings: computes,
        Kind: class extends Simulation {
            /** @param {Thread} thread */
            sliceUsed(thread) {
                sure(thread.cpu).sliceEnd = this.now + this.settings.slice;
                this.compute(thread);
            }
        },
        sees: ["a slice ends"],
    },
    {
        name: "preemptions are not counted",
        settings: computes,
        Kind: class extends Simulation {
            /** @param {"switches" | "preemptions"} what */
            count(what) {
                if (what !== "preemptions") {
                    super.count(what);
                }
            }
        },
        sees: ["preemptions are counted"],
    },
    {
        name: "the queue is forgotten: who finds no idle thread is never called",
        settings: waits,
        Kind: class extends Simulation {
            /** @param {Connection} connection */
            addJob(connection) {
                if (this.idleThreads.length > 0) {
                    super.addJob(connection);
                }
            }
        },
        sees: ["first come, first served"],
    },
    {
        name: "a wake-up is lost: the queue has work, and nobody is told",
        settings: { ...waits, arrivals: { kind: "open", rate: 60 } },
        Kind: class extends Simulation {
            /** @param {Connection} connection */
            addJob(connection) {
                const idleThreads = this.idleThreads;
                if (this.requests.length % 10 === 0) {
                    Object.assign(this, { idleThreads: new Queue() });
                }
                super.addJob(connection);
                Object.assign(this, { idleThreads });
            }
        },
        sees: ["nobody idle while requests wait"],
    },
    {
        name: "last come, first served",
        settings: waits,
        Kind: class extends Simulation {
            /** @param {Thread} thread */
            takeJob(thread) {
                const all = [];
                while (this.jobs.length > 0) {
                    all.push(sure(this.jobs.shift()));
                }
                const last = all.pop();
                for (const job of last ? [last, ...all] : all) {
                    this.jobs.push(job);
                }
                return super.takeJob(thread);
            }
        },
        sees: ["first come, first served"],
    },
    {
        name: "a computation is cut short when its slice ends",
        settings: computes,
        Kind: class extends Simulation {
            /** @param {Thread} thread */
            sliceUsed(thread) {
                thread.remaining = Math.min(thread.remaining, 1);
                super.sliceUsed(thread);
            }
        },
        sees: ["no faster than its work", "computes what it asks for", "the predicted throughput"],
    },
    {
        name: "a preempted thread begins again",
        settings: computes,
        Kind: class extends Simulation {
            /** @param {Thread} thread */
            sliceUsed(thread) {
                // 12 ms in all instead of 10, if it was preempted once.
                thread.remaining += sure(thread.request) % 2 ? 2 : 0;
                super.sliceUsed(thread);
            }
        },
        sees: ["computes what it asks for"],
    },
    {
        name: "a wait is over too soon",
        settings: waits,
        Kind: class extends Simulation {
            /**
             * @param {number} delay
             * @param {() => void} happen
             */
            after(delay, happen) {
                super.after(delay === 100 ? 90 : delay, happen);
            }
        },
        sees: ["no faster than its work", "waits as long as it asks for", "the predicted throughput"],
    },
    {
        name: "a task that waits holds its worker",
        settings: { ...waits, model: "tasks", arrivals: { clients: 50 } },
        Kind: class extends Simulation {
            /** @param {SomeSettings} settings */
            constructor(settings) {
                super(settings);
                this.waitHoldsThread = true;
            }
        },
        sees: ["a task that waits holds no worker", "the predicted throughput"],
    },
    {
        name: "a blocking wait gives its worker back",
        settings: { ...waits, model: "tasks-blocking", arrivals: { clients: 50 } },
        Kind: class extends Simulation {
            /** @param {SomeSettings} settings */
            constructor(settings) {
                super(settings);
                this.waitHoldsThread = false;
            }
        },
        sees: ["a wait holds its thread", "the predicted throughput"],
    },
    {
        name: "a switch costs nothing, whatever was set",
        settings: { ...both, switchCost: 0.5 },
        Kind: class extends Simulation {
            /**
             * @param {Cpu} cpu
             * @param {Thread} thread
             */
            dispatch(cpu, thread) {
                cpu.last = thread;
                super.dispatch(cpu, thread);
            }
        },
        sees: ["another thread costs a switch"],
    },
    {
        name: "an answer is counted twice",
        settings: both,
        Kind: class extends Simulation {
            /**
             * @param {Thread} thread
             * @param {Connection} connection
             */
            finish(thread, connection) {
                this.change(this.inSystem, -1);
                return super.finish(thread, connection);
            }
        },
        sees: ["Little"],
    },
    {
        name: "a client sends twice for one answer",
        settings: { ...waits, arrivals: { clients: 4 } },
        Kind: class extends Simulation {
            /**
             * @param {Thread} thread
             * @param {Connection} connection
             */
            finish(thread, connection) {
                const { sender } = connection;
                if (this.now === 100) {
                    this.after(0, () => this.send(sender));
                }
                return super.finish(thread, connection);
            }
        },
        sees: ["the predicted throughput"],
    },
    {
        name: "one more request is served than there are threads",
        settings: waits,
        Kind: class extends Simulation {
            start() {
                super.start();
                const thread = this.createThread("worker too many");
                thread.state = "idle";
                this.idleThreads.push(thread);
            }
        },
        sees: ["a wait holds its thread", "no more threads than set", "the predicted throughput"],
    },
];

for (const { name, settings, Kind, sees } of faults) {
    test(`the laws see: ${name}`, () => {
        assert.deepEqual(broken(Simulation, settings), [], "the simulator as it is breaks nothing");
        const rules = broken(Kind, settings);
        for (const rule of sees) {
            assert.ok(
                rules.includes(rule),
                `"${rule}" should have failed; what failed: ${rules.join(", ") || "nothing"}`,
            );
        }
    });
}

test("chance without the seed is seen", () => {
    class Unseeded extends Simulation {
        /** @param {number} id */
        drawWork(id) {
            return { ...super.drawWork(id), wait: 50 + 100 * Math.random() };
        }
    }
    const trace = (/** @type {typeof Simulation} */ Kind) => JSON.stringify(new Kind(waits).run());
    assert.equal(trace(Simulation), trace(Simulation));
    assert.notEqual(trace(Unseeded), trace(Unseeded));
});

test("a queue that favours the newest has the same mean wait, and the order gives it away", () => {
    // Little's law doesn't know the order: that is why one law is not enough.
    const { Kind } = sure(faults.find((it) => it.name === "last come, first served"));
    const settings = {
        model: "one-thread",
        arrivals: { kind: "open", rate: 70 },
        work: { wait: 10, spread: "exponential" },
        duration: 100_000,
    };
    const [fair, unfair] = [Simulation, Kind].map((It) => new It(settings).run().summary);
    assert.ok(Math.abs(sure(fair.latency.mean) - sure(unfair.latency.mean)) < 0.05 * sure(fair.latency.mean));
    assert.ok(unfair.latency.p99 > 1.3 * fair.latency.p99);
});
