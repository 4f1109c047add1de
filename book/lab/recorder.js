// What happened in a run: the spans of CPUs, threads and tasks, the lists and the figures.

import { addSpan, sure } from "./events.js";
import { check } from "./options.js";

/** @typedef {import("./options.js").SomeSettings} SomeSettings */
/**
 * @template Item
 * @typedef {import("./events.js").Queue<Item>} Queue
 */

/**
 * @typedef {{ from: number, to: number, thread: number, request: number | null, kind: "run" | "switch" }} CpuSpan
 * @typedef {"running" | "ready" | "waiting" | "idle" | "ended"} ThreadState
 * @typedef {{ from: number, to: number, state: ThreadState, request: number | null }} ThreadSpan
 * @typedef {"polled" | "ready" | "waiting" | "ended"} TaskState
 *
 * @typedef {object} TaskSpan
 * @property {number} from
 * @property {number} to
 * @property {TaskState} state
 * @property {number | null} thread
 * @property {number | null | undefined} request
 *
 * @typedef {object} Cpu
 * @property {number} id
 * @property {Thread | null} thread
 * @property {Thread | null} last
 * @property {number} since
 * @property {number} sliceEnd
 * @property {CpuSpan[]} spans
 *
 * @typedef {object} Thread
 * @property {number} id
 * @property {string} name
 * @property {number} created
 * @property {number | null} ended
 * @property {ThreadState} state
 * @property {number} since
 * @property {number | null} request
 * @property {Connection | null} connection
 * @property {number} remaining CPU time that it still needs before it does something else, in ms
 * @property {Cpu | null} cpu
 * @property {Cpu | null} lastCpu
 * @property {ThreadSpan[]} spans
 *
 * @typedef {object} Task
 * @property {number} id
 * @property {number} request
 * @property {TaskSpan[]} spans
 * @property {TaskState} state
 * @property {number} since
 * @property {number | null} thread
 * @property {number | null} [serves]
 *
 * @typedef {object} Request
 * @property {number} id
 * @property {number} client
 * @property {number} due
 * @property {number | null} started
 * @property {number | null} finished
 * @property {number | null} thread
 * @property {number} compute
 * @property {number} wait
 *
 * @typedef {{ client: number, connection: Connection | null }} Sender
 *
 * @typedef {object} Connection
 * @property {Sender} sender
 * @property {Queue<Request>} pending
 * @property {Request | null} request
 * @property {"new" | "compute" | "wait" | "done"} stage
 * @property {boolean} reading
 * @property {Thread | null} thread
 * @property {Task | null} task
 *
 * @typedef {{ value: number, area: number, since: number }} Step
 *
 * @typedef {ReturnType<Recorder["result"]>} Result
 * @typedef {Result["summary"]} Summary
 */

/** The state of a run, and its records. What goes on in it is the simulator's. */
export class Recorder {
    /** @param {SomeSettings} settings */
    constructor(settings) {
        this.settings = check(settings);
        this.now = 0;
        /** @type {Cpu[]} */
        this.cpus = Array.from({ length: this.settings.cpus }, (_, id) => ({
            id,
            thread: null,
            last: null,
            since: 0,
            sliceEnd: 0,
            spans: [],
        }));
        /** @type {Thread[]} */
        this.threads = [];
        /** @type {Task[]} */
        this.tasks = [];
        /** @type {Request[]} */
        this.requests = [];
        /** @type {{ at: number, length: number }[]} */
        this.queue = [];

        // Counted as it goes: areas under step functions, in ms times what they count.
        this.inSystem = { value: 0, area: 0, since: 0 };
        this.busyCpus = { value: 0, area: 0, since: 0 };
        this.queueLength = 0;
        this.threadsNow = 0;
        this.threadsMax = 0;
        this.switches = 0;
        this.preemptions = 0;
    }

    /**
     * A thread that wants a CPU.
     * @param {string} name
     */
    createThread(name) {
        /** @type {Thread} */
        const thread = {
            id: this.threads.length,
            name,
            created: this.now,
            ended: null,
            state: "ready",
            since: this.now,
            request: null,
            connection: null,
            // CPU time that it still needs before it does something else, in ms.
            remaining: 0,
            cpu: null,
            lastCpu: null,
            spans: [],
        };
        this.threads.push(thread);
        this.threadsNow += 1;
        this.threadsMax = Math.max(this.threadsMax, this.threadsNow);
        return thread;
    }

    /**
     * Changes a step function, and adds what lay under it since the last change and after the warm-up.
     * @param {Step} step
     * @param {number} by
     */
    change(step, by) {
        const from = Math.max(step.since, this.settings.warmup);
        if (this.now > from) {
            step.area += step.value * (this.now - from);
        }
        step.since = this.now;
        step.value += by;
    }

    /** @param {"switches" | "preemptions"} what */
    count(what) {
        if (this.now >= this.settings.warmup) {
            this[what] += 1;
        }
    }

    /** @param {number} by */
    queueChanged(by) {
        this.queueLength += by;
        if (!this.settings.trace) {
            return;
        }
        const last = this.queue.at(-1);
        if (last?.at === this.now) {
            last.length = this.queueLength;
        } else {
            this.queue.push({ at: this.now, length: this.queueLength });
        }
    }

    /**
     * @param {Thread} thread
     * @param {ThreadState} state
     */
    setState(thread, state) {
        if (this.settings.trace) {
            const span = { from: thread.since, to: this.now, state: thread.state, request: thread.request };
            addSpan(thread.spans, span, "state", "request");
            thread.since = this.now;
        }
        thread.state = state;
    }

    /**
     * @param {Thread} thread
     * @param {number | null} request
     */
    setRequest(thread, request) {
        if (thread.request !== request) {
            this.setState(thread, thread.state);
            this.closeCpuSpan(sure(thread.cpu), "run");
            thread.request = request;
        }
    }

    /**
     * @param {Cpu} cpu
     * @param {"run" | "switch"} kind
     */
    closeCpuSpan(cpu, kind) {
        if (this.settings.trace) {
            const thread = sure(cpu.thread);
            const request = kind === "run" ? thread.request : null;
            /** @type {CpuSpan} */
            const span = { from: cpu.since, to: this.now, thread: thread.id, request, kind };
            addSpan(cpu.spans, span, "thread", "request", "kind");
            cpu.since = this.now;
        }
    }

    /**
     * @param {Pick<Connection, "task" | "request">} connection
     * @param {TaskState} state
     * @param {Thread | null} thread
     */
    setTaskState({ task, request }, state, thread) {
        if (task) {
            const span = {
                from: task.since,
                to: this.now,
                state: task.state,
                thread: task.thread,
                request: task.serves,
            };
            addSpan(task.spans, span, "state", "thread", "request");
            task.since = this.now;
            task.state = state;
            task.thread = thread?.id ?? null;
            task.serves = request?.id ?? null;
        }
    }

    // --- The result --------------------------------------------------------------------------------

    result() {
        const { settings } = this;
        const { warmup, duration } = settings;
        // Close what is open: nothing changes but the areas and the last spans.
        this.change(this.inSystem, 0);
        this.change(this.busyCpus, 0);
        for (const cpu of this.cpus.filter((it) => it.thread)) {
            this.closeCpuSpan(cpu, cpu.thread?.state === "running" ? "run" : "switch");
        }
        for (const thread of this.threads.filter((it) => it.ended === null)) {
            this.setState(thread, thread.state);
        }
        for (const task of this.tasks.filter((it) => it.state !== "ended")) {
            this.setTaskState({ task, request: null }, task.state, null);
        }

        const done = this.requests.filter((it) => (it.finished ?? 0) > warmup);
        const window = duration - warmup;
        const latencies = done.map((it) => sure(it.finished) - it.due).sort((a, b) => a - b);
        const mean = (/** @type {number[]} */ list) =>
            list.length === 0 ? null : list.reduce((sum, it) => sum + it, 0) / list.length;
        // The nearest rank: the smallest value that at least this share of all values don't exceed.
        const quantile = (/** @type {number} */ share) =>
            latencies[Math.max(0, Math.ceil(share * latencies.length) - 1)] ?? null;
        return {
            settings,
            cpus: this.cpus.map(({ spans }) => spans),
            threads: this.threads.map(({ id, name, created, ended, spans }) => ({ id, name, created, ended, spans })),
            tasks: this.tasks.map(({ id, request, spans }) => ({ id, request, spans })),
            requests: this.requests,
            queue: this.queue,
            summary: {
                completed: done.length,
                throughput: (done.length / window) * 1000,
                latency: {
                    mean: mean(latencies),
                    p50: quantile(0.5),
                    p90: quantile(0.9),
                    p99: quantile(0.99),
                    max: latencies.at(-1) ?? null,
                },
                waitingMean: mean(done.map((it) => sure(it.started) - it.due)),
                inSystemMean: this.inSystem.area / window,
                cpuBusy: this.busyCpus.area / window / settings.cpus,
                threadsMax: this.threadsMax,
                switches: this.switches,
                preemptions: this.preemptions,
            },
        };
    }
}
