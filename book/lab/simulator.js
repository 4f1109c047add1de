// A server's scheduling, as a discrete-event simulation: time jumps from one event to the next. All times are milliseconds,
// all rates are per second. The same settings give the same run, in a browser and in Node. No module, so that a page from
// a file can use it.
//
// A connection carries one request, or, if it is kept, many. The jobs are a queue: connections that want a thread of a
// pool, and tasks that can go on and want a worker. Threads that are ready stand in another queue, and a free CPU takes
// the first of them. A thread that has used up its slice while others are ready goes to the end: round robin.
//
// Left out: the network, the thread that accepts, limits of queues and memory, caches, and other programs.

/**
 * @typedef {"one-thread" | "thread-per-connection" | "pool" | "tasks" | "tasks-blocking"} Model
 *
 * @typedef {object} LabSettings
 * @property {Model} model
 * @property {number} cpus hardware threads
 * @property {number} threads of the pool, or the workers that run the tasks; the other models have their own number
 * @property {number} clients each asks again when it has its response and has thought about it
 * @property {number} think for how long a client thinks
 * @property {boolean} keep whether a client keeps its connection
 * @property {number} rate so many requests come per second, whatever the server does; 0 where clients ask
 * @property {boolean} random whether these come at random moments, which know nothing of each other, or evenly
 * @property {number} compute how long a request computes, and then ...
 * @property {number} wait ... how long it waits, ...
 * @property {number} every ... if it is one in so many
 * @property {number} slice how long a thread may run while others are ready
 * @property {number} switch what it costs a CPU to take up another thread than the one before
 * @property {number} warmup how much of the beginning the figures leave out
 * @property {number} length how long the run lasts
 * @property {number} seed of the random moments
 *
 * What a client, a thread or a CPU does: it works, waits and holds a thread, waits and holds nothing, is queued, is
 * idle, or isn't there. Only a CPU switches.
 * @typedef {"works" | "holds" | "free" | "queues" | "idle" | "switches" | "gone"} LabState
 * @typedef {{ from: number, to: number, state: LabState, request: number | null }} LabSpan
 * @typedef {{ spans: LabSpan[], state: LabState, since: number, request: number | null }} LabRow
 *
 * @typedef {object} LabRequest
 * @property {number} number from 0, in the order in which they are sent
 * @property {LabClient} client
 * @property {number} sent
 * @property {number | null} finished
 * @property {number} wait
 *
 * @typedef {{ row: LabRow, connection: LabConnection | null, request: LabRequest | null }} LabClient
 * @typedef {{ client: LabClient, stage: "begins" | "waits" | "ends", thread: LabThread | null }} LabConnection
 * @typedef {{ row: LabRow, cpu: LabCpu | null, left: number, connection: LabConnection | null }} LabThread
 * @typedef {{ row: LabRow, thread: LabThread | null, last: LabThread | null, sliceEnd: number }} LabCpu
 * @typedef {{ at: number, happen: () => void }} LabEvent
 * @typedef {ReturnType<Simulation["run"]>} LabRun
 */

/**
 * Numbers from 0 to 1 that look random: mulberry32 of Tommy Ettinger, in the public domain.
 * @param {number} seed the same seed gives the same numbers
 */
function randomFrom(seed) {
    let state = seed;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let value = Math.imul(state ^ (state >>> 15), 1 | state);
        value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
        return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
    };
}

/** One run of a server. */
class Simulation {
    now = 0;
    /** What is to come, in order. @type {LabEvent[]} */
    events = [];
    /** @type {LabRequest[]} */
    requests = [];
    /** @type {LabClient[]} */
    clients = [];
    /** Rows of threads: where threads come and go, those that follow each other share one. @type {LabRow[]} */
    threads = [];
    /** @type {LabCpu[]} */
    cpus;
    /** Connections that want a thread. @type {LabConnection[]} */
    jobs = [];
    /** Threads that want a connection. @type {LabThread[]} */
    idle = [];
    /** Threads that want a CPU. @type {LabThread[]} */
    ready = [];
    /** Clients whose one request is answered, where requests come at a rate. @type {LabClient[]} */
    left = [];
    /** Rows whose thread has ended. @type {LabRow[]} */
    ended = [];

    /** @param {LabSettings} settings */
    constructor(settings) {
        this.settings = settings;
        const { model, keep, rate, cpus, seed } = settings;
        this.areTasks = model === "tasks" || model === "tasks-blocking";
        this.isOpen = rate > 0;
        this.keeps = keep && !this.isOpen;
        this.random = randomFrom(seed);
        this.cpus = Array.from({ length: cpus }, () => ({
            row: this.newRow("idle"),
            thread: null,
            last: null,
            sliceEnd: 0,
        }));
    }

    /** Everything from 0 to the end: the rows, the requests and the figures. */
    run() {
        const { model, threads, clients, length } = this.settings;
        const living = { "one-thread": 1, "thread-per-connection": 0 }[/** @type {string} */ (model)] ?? threads;
        for (let number = 0; number < living; number += 1) {
            this.idle.push(this.newThread("idle"));
        }
        if (this.isOpen) {
            this.after(this.settings.random ? this.gap() : 0, () => this.arrive());
        }
        for (let number = 0; number < (this.isOpen ? 0 : clients); number += 1) {
            this.clients.push(this.newClient());
            this.after(0, () => this.send(this.clients[number]));
        }
        for (let event = this.events.shift(); event && event.at <= length; event = this.events.shift()) {
            this.now = event.at;
            event.happen();
            this.assignCpus();
        }
        this.now = length;
        const rows = {
            clients: this.clients.map(({ row }) => row),
            threads: this.threads,
            cpus: this.cpus.map(({ row }) => row),
        };
        for (const row of [...rows.clients, ...rows.threads, ...rows.cpus]) {
            this.enter(row, "gone", null);
        }
        return { settings: this.settings, ...rows, requests: this.requests, ...this.figures() };
    }

    /** The figures of what was answered after the warm-up. */
    figures() {
        const { warmup, length } = this.settings;
        const times = this.requests
            .filter(({ finished }) => finished !== null && finished > warmup)
            .map(({ sent, finished }) => Number(finished) - sent)
            .sort((one, other) => one - other);
        const busy = this.cpus
            .flatMap(({ row }) => row.spans)
            .filter(({ state, to }) => state !== "idle" && to > warmup)
            .reduce((sum, { from, to }) => sum + to - Math.max(from, warmup), 0);
        return {
            throughput: (times.length * 1000) / (length - warmup),
            // The nearest rank: a time that half of the responses don't exceed. None, where nothing was answered.
            median: times.at(Math.ceil(times.length / 2) - 1),
            slowest: times.at(-1),
            // The share of their time in which CPUs run a thread, or switch to one.
            busy: busy / (length - warmup) / this.cpus.length,
        };
    }

    /**
     * Does something later; what happens at the same moment happens in the order in which it was planned.
     * @param {number} delay
     * @param {() => void} happen
     */
    after(delay, happen) {
        const at = this.now + delay;
        const place = this.events.findLastIndex((other) => other.at <= at) + 1;
        this.events.splice(place, 0, { at, happen });
    }

    // What is drawn

    /**
     * @param {LabState} state
     * @returns {LabRow}
     */
    newRow(state) {
        return { spans: [], state, since: this.now, request: null };
    }

    /**
     * A row does something else from now on.
     * @param {LabRow} row
     * @param {LabState} state
     * @param {number | null} request
     */
    enter(row, state, request) {
        if (row.state === state && row.request === request) {
            return;
        }
        if (this.now > row.since && row.state !== "gone") {
            row.spans.push({ from: row.since, to: this.now, state: row.state, request: row.request });
        }
        Object.assign(row, { state, request, since: this.now });
    }

    /**
     * A thread does something else from now on, and so do its request and its CPU.
     * @param {LabThread} thread
     * @param {LabState} state
     */
    show({ row, cpu, connection }, state) {
        const client = connection?.client;
        const number = client?.request?.number ?? null;
        this.enter(row, state, number);
        if (client?.request) {
            this.enter(client.row, state, number);
        }
        if (cpu) {
            this.enter(cpu.row, state === "works" ? "works" : "idle", state === "works" ? number : null);
        }
    }

    // Clients

    /** @returns {LabClient} */
    newClient() {
        return { row: this.newRow("gone"), connection: null, request: null };
    }

    /** The time to the next request, where they come at a rate. */
    gap() {
        const mean = 1000 / this.settings.rate;
        return this.settings.random ? -Math.log(1 - this.random()) * mean : mean;
    }

    /** A request comes from somebody who asks once; in its row there may have been others before. */
    arrive() {
        let client = this.left.shift();
        if (!client) {
            client = this.newClient();
            this.clients.push(client);
        }
        this.send(client);
        this.after(this.gap(), () => this.arrive());
    }

    /** @param {LabClient} client */
    send(client) {
        const number = this.requests.length;
        const waits = (number + 1) % this.settings.every === 0;
        client.request = { number, client, sent: this.now, finished: null, wait: waits ? this.settings.wait : 0 };
        this.requests.push(client.request);
        this.enter(client.row, "queues", number);
        const kept = client.connection;
        if (kept) {
            this.goOn(kept);
            return;
        }
        /** @type {LabConnection} */
        const connection = { client, stage: "begins", thread: null };
        client.connection = connection;
        if (this.settings.model !== "thread-per-connection") {
            this.addJob(connection);
            return;
        }
        connection.thread = this.newThread("gone");
        connection.thread.connection = connection;
        this.wantCpu(connection.thread);
    }

    /**
     * The next request has come on a kept connection: its task, or the thread that waits with it, goes on.
     * @param {LabConnection} connection
     */
    goOn(connection) {
        if (this.areTasks || !connection.thread) {
            this.addJob(connection);
        } else {
            this.wantCpu(connection.thread);
        }
    }

    // Threads and CPUs

    /**
     * @param {LabState} state
     * @returns {LabThread}
     */
    newThread(state) {
        let row = this.ended.shift();
        if (!row) {
            row = this.newRow(state);
            this.threads.push(row);
        }
        return { row, cpu: null, left: 0, connection: null };
    }

    /** @param {LabThread} thread */
    wantCpu(thread) {
        this.show(thread, "queues");
        this.ready.push(thread);
    }

    /**
     * @param {LabThread} thread
     * @param {LabState} state
     */
    leaveCpu(thread, state) {
        this.show(thread, state);
        if (thread.cpu) {
            thread.cpu.thread = null;
        }
        thread.cpu = null;
    }

    /**
     * Somebody wants a thread, and an idle one is woken for it.
     * @param {LabConnection} connection
     */
    addJob(connection) {
        const { row, request } = connection.client;
        this.enter(row, "queues", request?.number ?? null);
        this.jobs.push(connection);
        const thread = this.idle.shift();
        if (thread) {
            this.wantCpu(thread);
        }
    }

    /** Gives free CPUs to ready threads; a thread comes back to its last CPU if that is free, which saves a switch. */
    assignCpus() {
        for (let thread = this.ready.at(0); thread; thread = this.ready.at(0)) {
            const free = this.cpus.filter((cpu) => !cpu.thread);
            const cpu = free.find(({ last }) => last === thread) ?? free.at(0);
            if (!cpu) {
                return;
            }
            this.ready.shift();
            this.dispatch(cpu, thread);
        }
    }

    /**
     * @param {LabCpu} cpu
     * @param {LabThread} thread
     */
    dispatch(cpu, thread) {
        const cost = cpu.last === thread ? 0 : this.settings.switch;
        Object.assign(cpu, { thread, last: thread });
        const start = () => {
            thread.cpu = cpu;
            cpu.sliceEnd = this.now + this.settings.slice;
            this.show(thread, "works");
            this.work(thread);
        };
        if (cost === 0) {
            start();
            return;
        }
        this.enter(cpu.row, "switches", null);
        this.after(cost, start);
    }

    /**
     * Computes to the end of the work or of the slice, whichever is first.
     * @param {LabThread} thread
     * @param {LabCpu} cpu
     */
    compute(thread, cpu) {
        const part = Math.min(thread.left, cpu.sliceEnd - this.now);
        this.after(part, () => {
            thread.left -= part;
            if (thread.left <= 0) {
                this.work(thread);
            } else if (this.ready.length > 0) {
                this.leaveCpu(thread, "queues");
                this.ready.push(thread);
            } else {
                cpu.sliceEnd = this.now + this.settings.slice;
                this.compute(thread, cpu);
            }
        });
    }

    /**
     * What a thread does with its CPU, until it computes, waits or ends.
     * @param {LabThread} thread
     */
    work(thread) {
        while (thread.cpu) {
            if (thread.left > 0) {
                this.compute(thread, thread.cpu);
                return;
            }
            thread.connection ??= this.jobs.shift() ?? null;
            const { connection } = thread;
            if (!connection) {
                this.idle.push(thread);
                this.leaveCpu(thread, "idle");
            } else if (connection.stage === "begins") {
                connection.stage = "waits";
                connection.thread = thread;
                thread.left = this.settings.compute;
                this.show(thread, "works");
            } else if (connection.stage === "waits") {
                connection.stage = "ends";
                this.wait(thread, connection);
            } else {
                this.answer(thread, connection);
            }
        }
    }

    /**
     * A request waits, if it is one that does: a task gives its worker back, and everything else holds its thread.
     * @param {LabThread} thread
     * @param {LabConnection} connection
     */
    wait(thread, connection) {
        const { row, request } = connection.client;
        if (!request || request.wait === 0) {
            return;
        }
        if (this.settings.model === "tasks") {
            thread.connection = null;
            this.enter(row, "free", request.number);
            this.after(request.wait, () => this.addJob(connection));
        } else {
            this.leaveCpu(thread, "holds");
            this.after(request.wait, () => this.wantCpu(thread));
        }
    }

    /**
     * A request is answered. Its connection ends, or waits for the next request: alone if it is a task, else with its thread.
     * @param {LabThread} thread
     * @param {LabConnection} connection
     */
    answer(thread, connection) {
        const { client } = connection;
        if (client.request) {
            client.request.finished = this.now;
        }
        client.request = null;
        this.enter(client.row, "gone", null);
        connection.stage = "begins";
        if (this.isOpen) {
            this.left.push(client);
        } else {
            this.after(this.settings.think, () => this.send(client));
        }
        if (this.keeps && !this.areTasks) {
            this.leaveCpu(thread, "holds");
            return;
        }
        thread.connection = null;
        if (!this.keeps) {
            client.connection = null;
        }
        if (this.settings.model === "thread-per-connection") {
            this.leaveCpu(thread, "gone");
            this.ended.push(thread.row);
        }
    }
}

/**
 * Runs a server to the end.
 * @param {LabSettings} settings
 */
function simulate(settings) {
    return new Simulation(settings).run();
}

// The tests, which are modules, import this for its effect.
Object.assign(globalThis, { simulate });
