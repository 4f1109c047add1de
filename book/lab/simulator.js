// A model of a server's scheduling: CPUs, threads and tasks, event by event.
//
// All times are milliseconds, all rates are per second. Nothing here draws, and nothing asks the
// clock: the same settings give the same result, in a browser and in Node.
//
// How it works. Time jumps from one event to the next: a client sends a request, a computation
// ends, a wait is over, a time slice is used up. The events lie in a heap, the earliest on top.
// What happens at an event changes some state and puts later events into the heap. That is all a
// *discrete-event simulation* is.
//
// The parts, from the outside in:
// - Clients send requests: in a *closed* loop (each waits for its answer, thinks, sends the next),
//   or in an *open* one (at a rate, whatever the server does).
// - A connection carries one request, or, if it is kept, many.
// - The *jobs* are a queue, first in, first out: connections that want a thread of a pool, or tasks
//   that can go on and want a worker.
// - OS threads take up jobs. A thread is running, ready (it wants a CPU), waiting or idle.
// - The *run queue* holds the ready threads. A free CPU takes the one in front. A thread that has
//   used up its time slice while others are ready goes to the back: round robin.
//
// What it leaves out: the network, the thread that accepts, the limits of queues and memory, caches,
// the idle limit of connections, and other programs. A start of a thread costs a switch and no more.
// A system call costs nothing, so a wait takes exactly as long as was asked for.

import { Events, Queue, Random, sure } from "./events.js";
import { Recorder } from "./recorder.js";

/**
 * @typedef {import("./options.js").SomeSettings} SomeSettings
 * @typedef {import("./options.js").Model} Model
 * @typedef {import("./recorder.js").Cpu} Cpu
 * @typedef {import("./recorder.js").Thread} Thread
 * @typedef {import("./recorder.js").ThreadState} ThreadState
 * @typedef {import("./recorder.js").Request} Request
 * @typedef {import("./recorder.js").Sender} Sender
 * @typedef {import("./recorder.js").Connection} Connection
 */

/**
 * Runs the model to the end.
 *
 * The result's lists are numbered: `threads[5].id` is 5, and so are requests and tasks.
 * - `settings`: complete.
 * - `cpus`: for each CPU its spans `{from, to, thread, request, kind}`, in order; `kind` is 'run' or 'switch'.
 *   Between two spans the CPU is idle. `request` is null while a thread does nothing for a request.
 * - `threads`: `{id, name, created, ended, spans}`, `ended` null if it lives on; a span is
 *   `{from, to, state, request}`, its state 'running', 'ready' (wants a CPU), 'waiting' or 'idle'.
 *   A thread that waits without a request waits for its client to send the next one.
 * - `tasks`: in the two models with tasks, one for each connection: `{id, request, spans}`, `request` being
 *   its first; a span is `{from, to, state, thread, request}`, its state 'polled' (a worker runs it, or holds it
 *   in a blocking wait), 'ready' (wants a worker) or 'waiting'; `thread` is null unless it is polled.
 * - `requests`: `{id, client, due, started, finished, thread, compute, wait}`. `due`: when it was
 *   sent; `started`: when a thread first had a CPU for it; `thread`: which; then its own work, in ms.
 * - `queue`: `[{at, length}]`, a step function: the requests that were sent and that nobody has begun.
 * - `summary`, over what finished in (warmup, duration]: `completed`; `throughput`, per second; `latency`, from
 *   due to finished, `{mean, p50, p90, p99, max}` (null if nothing finished); `waitingMean`, from due to started;
 *   `inSystemMean`, how many requests were sent and unfinished, on average over the time; `cpuBusy`, the share
 *   of the time in which a CPU runs or switches, from 0 to 1; `threadsMax`, the most threads at one moment of the
 *   whole run; `switches`, how often a CPU took up another thread than before; `preemptions`, how often a
 *   thread had to leave its CPU because its slice was used up.
 *
 * Without `trace` there are no spans, tasks or queue.
 *
 * @param {SomeSettings} settings as for `check`
 * @throws {RangeError} as `check` does
 */
export function simulate(settings) {
    return new Simulation(settings).run();
}

/** One run of the model. The tests break it by overriding a method, to see whether the laws notice. */
export class Simulation extends Recorder {
    /** @param {SomeSettings} settings */
    constructor(settings) {
        super(settings);
        const { model, seed, arrivals, keepAlive } = this.settings;
        // Who holds a thread through a wait of the work, and while the client thinks?
        this.waitHoldsThread = model !== "tasks";
        this.readHoldsThread = model !== "tasks" && model !== "tasks-blocking";
        this.isTasks = model === "tasks" || model === "tasks-blocking";
        // Whether connections live on after an answer.
        this.keepsConnections = arrivals.kind === "closed" && keepAlive;
        this.events = new Events();
        /** @type {Queue<Thread>} */
        this.runQueue = new Queue();
        /** @type {Queue<Thread>} */
        this.idleThreads = new Queue();
        /** @type {Queue<Connection>} */
        this.jobs = new Queue();
        // Each thing has a stream of its own, so that two models get the same requests from one seed.
        this.chance = {
            arrivals: new Random(seed, 1),
            compute: new Random(seed, 2),
            wait: new Random(seed, 3),
        };
    }

    /** Everything from 0 to the end. */
    run() {
        const { duration } = this.settings;
        this.start();
        while (this.events.earliest && this.events.earliest.at <= duration) {
            const event = this.events.take();
            this.now = event.at;
            event.happen();
            this.assignCpus();
        }
        this.now = duration;
        return this.result();
    }

    /**
     * Does something later.
     * @param {number} delay
     * @param {() => void} happen
     */
    after(delay, happen) {
        this.events.put(this.now + delay, happen);
    }

    // --- Clients -----------------------------------------------------------------------------------

    /** Starts the threads that live from the beginning, and the clients. */
    start() {
        const { model, threads, arrivals } = this.settings;
        /** @type {Partial<Record<Model, [string, number]>>} */
        const names = { "one-thread": ["the thread", 1], "thread-per-connection": ["", 0] };
        const [name, count] = names[model] ?? ["worker", threads];
        for (let number = 1; number <= count; number++) {
            const thread = this.createThread(count === 1 && name !== "worker" ? name : `${name} ${number}`);
            thread.state = "idle";
            this.idleThreads.push(thread);
        }
        if (arrivals.kind === "closed") {
            for (let client = 0; client < arrivals.clients; client++) {
                this.after(0, () => this.send({ client, connection: null }));
            }
            return;
        }
        const gap = 1000 / arrivals.rate;
        const distance = () => (arrivals.process === "even" ? gap : this.chance.arrivals.exponential(gap));
        const arrive = (/** @type {number} */ number) => {
            // Every request is a client of its own.
            this.send({ client: number, connection: null });
            this.after(distance(), () => arrive(number + 1));
        };
        this.after(arrivals.process === "even" ? 0 : distance(), () => arrive(0));
    }

    /**
     * A client sends a request, on its connection if it has one.
     * @param {Sender} sender
     */
    send(sender) {
        const id = this.requests.length;
        /** @type {Request} */
        const request = {
            id,
            client: sender.client,
            due: this.now,
            started: null,
            finished: null,
            thread: null,
            ...this.drawWork(id),
        };
        this.requests.push(request);
        this.change(this.inSystem, 1);
        this.queueChanged(1);

        const { connection } = sender;
        if (!connection) {
            this.connect(sender, request);
            return;
        }
        connection.pending.push(request);
        if (connection.reading) {
            connection.reading = false;
            if (this.readHoldsThread) {
                this.makeReady(sure(connection.thread));
            } else {
                this.addJob(connection);
            }
        }
    }

    /**
     * A client opens a connection for a request.
     * @param {Sender} sender
     * @param {Request} request
     */
    connect(sender, request) {
        /** @type {Connection} */
        const connection = {
            sender,
            pending: new Queue(),
            request: null,
            stage: "new",
            reading: false,
            thread: null,
            task: null,
        };
        connection.pending.push(request);
        if (this.keepsConnections) {
            sender.connection = connection;
        }
        if (this.settings.model === "thread-per-connection") {
            const thread = this.createThread(`thread ${this.threads.length + 1}`);
            thread.connection = connection;
            connection.thread = thread;
            this.makeReady(thread);
            return;
        }
        if (this.isTasks && this.settings.trace) {
            const id = this.tasks.length;
            connection.task = { id, request: request.id, spans: [], state: "ready", since: this.now, thread: null };
            this.tasks.push(connection.task);
        }
        this.addJob(connection);
    }

    /**
     * The work of the request with this number.
     * @param {number} id
     */
    drawWork(id) {
        const { compute, wait, spread, every } = this.settings.work;
        const draw = (/** @type {number} */ mean, /** @type {"compute" | "wait"} */ part) =>
            spread === "fixed" || mean === 0 ? mean : this.chance[part].exponential(mean);
        return {
            compute: draw(compute, "compute"),
            wait: (id + 1) % every === 0 ? draw(wait, "wait") : 0,
        };
    }

    // --- Threads and CPUs --------------------------------------------------------------------------

    /**
     * The thread wants a CPU.
     * @param {Thread} thread
     */
    makeReady(thread) {
        this.setState(thread, "ready");
        this.runQueue.push(thread);
    }

    /** Gives free CPUs to ready threads, as long as there are both. */
    assignCpus() {
        while (this.runQueue.length > 0) {
            const cpu = this.cpus.find((it) => it.thread === null);
            if (!cpu) {
                return;
            }
            const thread = sure(this.runQueue.shift());
            // Back to the CPU where it was, if that is free: this saves a switch.
            this.dispatch(thread.lastCpu?.thread === null ? thread.lastCpu : cpu, thread);
        }
    }

    /**
     * A free CPU takes up a thread.
     * @param {Cpu} cpu
     * @param {Thread} thread
     */
    dispatch(cpu, thread) {
        cpu.thread = thread;
        cpu.since = this.now;
        thread.cpu = cpu;
        this.change(this.busyCpus, 1);
        const run = () => {
            cpu.sliceEnd = this.now + this.settings.slice;
            this.setState(thread, "running");
            this.advance(thread);
        };
        if (cpu.last === thread) {
            return run();
        }
        this.count("switches");
        cpu.last = thread;
        const { switchCost } = this.settings;
        if (switchCost === 0) {
            return run();
        }
        this.after(switchCost, () => {
            this.closeCpuSpan(cpu, "switch");
            run();
        });
    }

    /**
     * The thread leaves its CPU, and is now waiting, idle, ready or ended.
     * @param {Thread} thread
     * @param {ThreadState} state
     */
    leaveCpu(thread, state) {
        const cpu = sure(thread.cpu);
        this.setState(thread, state);
        this.closeCpuSpan(cpu, "run");
        this.change(this.busyCpus, -1);
        cpu.thread = null;
        thread.cpu = null;
        thread.lastCpu = cpu;
    }

    /**
     * Computes until the work is done or the slice is used up, whichever is first.
     * @param {Thread} thread
     */
    compute(thread) {
        const cpu = sure(thread.cpu);
        const left = cpu.sliceEnd - this.now;
        if (thread.remaining <= left) {
            this.after(thread.remaining, () => {
                thread.remaining = 0;
                this.advance(thread);
            });
        } else if (left > 0) {
            this.after(left, () => {
                thread.remaining -= left;
                this.sliceUsed(thread);
            });
        } else {
            this.sliceUsed(thread);
        }
    }

    /**
     * The slice is used up, and there is more to compute.
     * @param {Thread} thread
     */
    sliceUsed(thread) {
        if (this.runQueue.length > 0) {
            this.count("preemptions");
            this.leaveCpu(thread, "ready");
            this.runQueue.push(thread);
        } else {
            // Nobody else wants the CPU: a new slice.
            sure(thread.cpu).sliceEnd = this.now + this.settings.slice;
            this.compute(thread);
        }
    }

    // --- What a thread does with its CPU -----------------------------------------------------------

    /**
     * The thread has a CPU, and goes on until it must compute, wait, or end.
     * @param {Thread} thread
     */
    advance(thread) {
        for (;;) {
            if (thread.remaining > 0) {
                return this.compute(thread);
            }
            const { connection } = thread;
            if (!connection) {
                if (!this.takeJob(thread)) {
                    this.idleThreads.push(thread);
                    return this.leaveCpu(thread, "idle");
                }
                continue;
            }
            if (connection.stage === "new") {
                this.begin(thread, connection);
            }
            const request = sure(connection.request);
            switch (connection.stage) {
                case "compute":
                    connection.stage = "wait";
                    thread.remaining = request.compute;
                    break;
                case "wait":
                    connection.stage = "done";
                    if (request.wait > 0) {
                        if (this.waitHoldsThread) {
                            this.after(request.wait, () => this.makeReady(thread));
                            return this.leaveCpu(thread, "waiting");
                        }
                        this.park(thread, connection);
                        this.after(request.wait, () => this.addJob(connection));
                    }
                    break;
                case "done":
                    if (this.finish(thread, connection)) {
                        return;
                    }
                    break;
            }
        }
    }

    /**
     * Begins the next request of a connection.
     * @param {Thread} thread
     * @param {Connection} connection
     */
    begin(thread, connection) {
        const request = sure(connection.pending.shift());
        connection.request = request;
        connection.stage = "compute";
        request.started = this.now;
        request.thread = thread.id;
        this.queueChanged(-1);
        this.setRequest(thread, request.id);
        this.setTaskState(connection, "polled", thread);
    }

    /**
     * Answers a request. Returns whether the thread has left its CPU.
     * @param {Thread} thread
     * @param {Connection} connection
     */
    finish(thread, connection) {
        const { sender } = connection;
        const request = sure(connection.request);
        const { arrivals } = this.settings;
        request.finished = this.now;
        this.change(this.inSystem, -1);
        if (arrivals.kind === "closed") {
            this.after(arrivals.think, () => this.send(sender));
        }
        connection.request = null;
        connection.stage = "new";
        if (!this.keepsConnections) {
            this.setTaskState(connection, "ended", null);
            this.setRequest(thread, null);
            thread.connection = null;
            if (this.settings.model === "thread-per-connection") {
                this.threadsNow -= 1;
                this.leaveCpu(thread, "ended");
                thread.ended = this.now;
                return true;
            }
            return false;
        }
        if (connection.pending.length > 0) {
            return false;
        }
        // Nothing has come yet: someone waits for the client.
        connection.reading = true;
        this.setRequest(thread, null);
        if (this.readHoldsThread) {
            this.leaveCpu(thread, "waiting");
            return true;
        }
        this.park(thread, connection);
        return false;
    }

    // --- Jobs: connections that want a thread, tasks that want a worker ----------------------------

    /**
     * Puts a connection into the queue, and wakes a thread for it if one is idle.
     * @param {Connection} connection
     */
    addJob(connection) {
        this.setTaskState(connection, "ready", null);
        this.jobs.push(connection);
        const thread = this.idleThreads.shift();
        if (thread) {
            this.makeReady(thread);
        }
    }

    /**
     * The thread takes the connection that has been in the queue longest. Returns whether there was one.
     * @param {Thread} thread
     */
    takeJob(thread) {
        const connection = this.jobs.shift();
        if (!connection) {
            return false;
        }
        thread.connection = connection;
        connection.thread = thread;
        if (connection.request) {
            this.setRequest(thread, connection.request.id);
            this.setTaskState(connection, "polled", thread);
        }
        return true;
    }

    /**
     * The task waits, and gives its worker back.
     * @param {Thread} thread
     * @param {Connection} connection
     */
    park(thread, connection) {
        this.setTaskState(connection, "waiting", null);
        this.setRequest(thread, null);
        thread.connection = null;
        connection.thread = null;
    }
}
