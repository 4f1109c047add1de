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

/** The models of a server: who runs a request, and what a wait holds. */
export const models = ["one-thread", "thread-per-connection", "pool", "tasks", "tasks-blocking"];

/** The settings that hold where `simulate` is told nothing else. */
export const defaults = {
    // Two runs with the same settings and the same seed are equal. A whole number from 0 to 2^32 - 1.
    seed: 1,
    // Hardware threads.
    cpus: 2,
    // One of `models`.
    model: "pool",
    // The threads of the pool, or the workers that run the tasks. The other models ignore it.
    threads: 8,
    // Closed: `clients` that think for `think` ms between an answer and the next request.
    // Open: see `openDefaults`.
    arrivals: { kind: "closed", clients: 20, think: 0 },
    // Closed: whether a client keeps its connection. A kept connection keeps its thread, unless
    // it is a task: the model of a task reads from its connection without holding a worker.
    keepAlive: false,
    work: {
        // What a request does, in this order: it computes, waits, computes again. In ms, on average.
        compute: 0,
        wait: 100,
        computeAfter: 0,
        // 'fixed': every request the same. 'exponential': each part drawn at random, with these means.
        spread: "fixed",
        // 1: every request waits. n: every n-th request waits, and the others only compute.
        every: 1,
    },
    // How long a thread may run while others are ready, in ms.
    slice: 4,
    // What it costs a CPU to take up another thread than the one before, in ms.
    switchCost: 0,
    // How long the run lasts, and how much of its beginning the summary leaves out, in ms.
    duration: 10000,
    warmup: 0,
    // Whether to keep the spans that a timeline is drawn from. Long runs need none.
    trace: true,
};

/**
 * What holds for open arrivals: `rate` requests a second; at random moments that know nothing of each
 * other ('poisson') or at equal distances ('even'); each on a connection of its own (0), or in turn on
 * that many connections that are kept open. On a kept connection a request waits for the one before it.
 */
export const openDefaults = { kind: "open", rate: 50, process: "poisson", connections: 0 };

/** How large a run may get. A browser does the largest within seconds. */
export const limits = {
    cpus: 64,
    threads: 1000,
    clients: 10000,
    rate: 1e6,
    // One part of the work, the time to think, a slice, a switch: in ms.
    time: 1e6,
    duration: 1e8,
    // Requests, and time slices of all CPUs, in one run: with and without spans.
    requests: { trace: 200_000, plain: 2_000_000 },
    slices: { trace: 1_000_000, plain: 20_000_000 },
};

// ---------------------------------------------------------------------------------------------------
// Settings
// ---------------------------------------------------------------------------------------------------

/**
 * Completes settings with the defaults.
 *
 * @param {object} settings any of the fields of `defaults`
 * @returns {object} all of them, in a new object
 * @throws {RangeError} with a sentence that says what is wrong and what is allowed
 */
export function check(settings = {}) {
    fieldsOf("The settings", settings, defaults);
    const all = { ...defaults, ...settings };
    whole("seed", all.seed, 0, 2 ** 32 - 1);
    whole("cpus", all.cpus, 1, limits.cpus);
    oneOf("model", all.model, models);
    whole("threads", all.threads, 1, limits.threads);
    for (const name of ["keepAlive", "trace"]) {
        if (typeof all[name] !== "boolean") {
            throw new RangeError(`${name} is ${show(all[name])}; it must be true or false.`);
        }
    }

    fieldsOf("arrivals", all.arrivals, { ...defaults.arrivals, ...openDefaults });
    const kind = all.arrivals.kind ?? "closed";
    oneOf("arrivals.kind", kind, ["closed", "open"]);
    const own = kind === "open" ? openDefaults : defaults.arrivals;
    // A field of the other kind has no meaning here.
    all.arrivals = Object.fromEntries(Object.keys(own).map((name) => [name, all.arrivals[name] ?? own[name]]));
    if (kind === "open") {
        number("arrivals.rate", all.arrivals.rate, 0, limits.rate, "requests a second");
        if (all.arrivals.rate === 0) {
            throw new RangeError("arrivals.rate is 0, so nothing would ever arrive; it must be more than 0.");
        }
        oneOf("arrivals.process", all.arrivals.process, ["poisson", "even"]);
        whole("arrivals.connections", all.arrivals.connections, 0, limits.clients);
    } else {
        whole("arrivals.clients", all.arrivals.clients, 1, limits.clients);
        number("arrivals.think", all.arrivals.think, 0, limits.time, "ms");
    }

    fieldsOf("work", all.work, defaults.work);
    all.work = { ...defaults.work, ...all.work };
    for (const part of ["compute", "wait", "computeAfter"]) {
        number(`work.${part}`, all.work[part], 0, limits.time, "ms");
    }
    oneOf("work.spread", all.work.spread, ["fixed", "exponential"]);
    whole("work.every", all.work.every, 1, 1e6);

    number("slice", all.slice, 0, limits.time, "ms");
    if (all.slice === 0) {
        throw new RangeError("slice is 0, so no thread would ever get anything done; it must be more than 0 ms.");
    }
    number("switchCost", all.switchCost, 0, limits.time, "ms");
    number("duration", all.duration, 0, limits.duration, "ms");
    number("warmup", all.warmup, 0, limits.duration, "ms");
    if (all.warmup >= all.duration) {
        throw new RangeError(
            `warmup is ${all.warmup} ms and duration ${all.duration} ms; the run must last longer than its warm-up.`,
        );
    }
    bounded(all);
    return all;
}

/** Refuses a run that would keep a browser busy for minutes, or for ever. */
function bounded({ arrivals, work, cpus, model, threads, slice, duration, trace }) {
    const compute = work.compute + work.computeAfter;
    const total = compute + work.wait / work.every;
    let rate = arrivals.rate;
    if (arrivals.kind === "closed") {
        if (total + arrivals.think === 0) {
            throw new RangeError(
                "The requests have no work and the clients no time to think, so they would ask infinitely often; " +
                    "work.wait, work.compute or arrivals.think must be more than 0 ms.",
            );
        }
        // The rate has three ceilings: the clients, the CPUs, and threads that a wait holds.
        const holding = { "one-thread": 1, pool: threads, "tasks-blocking": threads }[model] ?? Infinity;
        rate = 1000 * Math.min(arrivals.clients / (total + arrivals.think), cpus / compute, holding / total);
    }
    const size = trace ? "trace" : "plain";
    const requests = (rate * duration) / 1000;
    if (requests > limits.requests[size]) {
        throw new RangeError(
            `This run would have about ${Math.round(requests)} requests; at most ${limits.requests[size]} are allowed. ` +
                "A shorter duration, a lower rate, fewer clients or longer work make it smaller.",
        );
    }
    const slices = compute > 0 ? Math.min(cpus * duration, requests * compute) / slice : 0;
    if (slices > limits.slices[size]) {
        throw new RangeError(
            `This run would have about ${Math.round(slices)} time slices; at most ${limits.slices[size]} are allowed. ` +
                "A longer slice or a shorter duration makes it smaller.",
        );
    }
}

const show = (value) => (typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value)));

function fieldsOf(what, value, known) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
        throw new RangeError(`${what}: ${show(value)} came where an object with fields was wanted.`);
    }
    for (const name of Object.keys(value)) {
        if (!Object.hasOwn(known, name)) {
            throw new RangeError(`${what}: there is no field "${name}"; there are ${Object.keys(known).join(", ")}.`);
        }
    }
}

function number(name, value, least, most, unit) {
    if (typeof value !== "number" || !(value >= least && value <= most)) {
        throw new RangeError(`${name} is ${show(value)}; it must be a number from ${least} to ${most} (${unit}).`);
    }
}

function whole(name, value, least, most) {
    if (!Number.isInteger(value) || value < least || value > most) {
        throw new RangeError(`${name} is ${show(value)}; it must be a whole number from ${least} to ${most}.`);
    }
}

function oneOf(name, value, allowed) {
    if (!allowed.includes(value)) {
        throw new RangeError(`${name} is ${show(value)}; it must be one of ${allowed.join(", ")}.`);
    }
}

// ---------------------------------------------------------------------------------------------------
// Chance, queues, and the heap of events
// ---------------------------------------------------------------------------------------------------

/**
 * Pseudo-random numbers: the generator sfc32 from Chris Doty-Humphrey's PractRand
 * (https://pracrand.sourceforge.net, in the public domain), seeded as there.
 */
export class Random {
    #a = 0;
    #b;
    #c;
    #counter = 1;

    /**
     * @param {number} seed a whole number below 2^32: the lower half of PractRand's seed
     * @param {number} stream another one, the upper half: the same seed gives other numbers in each stream
     */
    constructor(seed, stream = 0) {
        this.#b = seed | 0;
        this.#c = stream | 0;
        for (let round = 0; round < 15; round++) {
            this.next();
        }
    }

    /** A whole number from 0 to 2^32 - 1, each as likely as the others. */
    next() {
        const sum = (this.#a + this.#b + this.#counter) | 0;
        this.#counter = (this.#counter + 1) | 0;
        this.#a = this.#b ^ (this.#b >>> 9);
        this.#b = (this.#c + (this.#c << 3)) | 0;
        this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
        return sum >>> 0;
    }

    /** A time drawn from the exponential distribution with this mean: the time to an event that has no memory. */
    exponential(mean) {
        // The half keeps 0 out, whose logarithm is infinite.
        return -mean * Math.log((this.next() + 0.5) / 2 ** 32);
    }
}

/** A queue: first in, first out. */
class Queue {
    #items = [];
    #first = 0;

    get length() {
        return this.#items.length - this.#first;
    }

    push(item) {
        this.#items.push(item);
    }

    /** Takes out what has been in here longest; undefined if there is nothing. */
    shift() {
        if (this.#first === this.#items.length) {
            return undefined;
        }
        const item = this.#items[this.#first];
        this.#items[this.#first++] = undefined;
        // An array's own `shift` moves all the others; this moves them seldom.
        if (this.#first > 64 && this.#first * 2 > this.#items.length) {
            this.#items = this.#items.slice(this.#first);
            this.#first = 0;
        }
        return item;
    }
}

/** Events in a binary heap, the earliest on top; of two at the same time, the one that was put in first. */
class Events {
    #heap = [];
    #count = 0;

    get earliest() {
        return this.#heap[0];
    }

    put(at, happen) {
        const heap = this.#heap;
        const event = { at, order: this.#count++, happen };
        let place = heap.length;
        while (place > 0) {
            const parent = (place - 1) >> 1;
            if (!before(event, heap[parent])) {
                break;
            }
            heap[place] = heap[parent];
            place = parent;
        }
        heap[place] = event;
    }

    take() {
        const heap = this.#heap;
        const top = heap[0];
        const last = heap.pop();
        if (heap.length > 0) {
            let place = 0;
            for (;;) {
                let child = 2 * place + 1;
                if (child >= heap.length) {
                    break;
                }
                if (child + 1 < heap.length && before(heap[child + 1], heap[child])) {
                    child += 1;
                }
                if (!before(heap[child], last)) {
                    break;
                }
                heap[place] = heap[child];
                place = child;
            }
            heap[place] = last;
        }
        return top;
    }
}

const before = (one, other) => one.at < other.at || (one.at === other.at && one.order < other.order);

/** Adds a span to a list, or lengthens the last one if it only goes on. An empty span is nothing. */
function addSpan(spans, span, ...same) {
    if (span.to <= span.from) {
        return;
    }
    const last = spans.at(-1);
    if (last && last.to === span.from && same.every((field) => last[field] === span[field])) {
        last.to = span.to;
    } else {
        spans.push(span);
    }
}

// ---------------------------------------------------------------------------------------------------
// The simulation
// ---------------------------------------------------------------------------------------------------

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
 * - `requests`: `{id, client, due, started, finished, thread, compute, wait, computeAfter}`. `due`: when it was
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
 * @param {object} settings as for `check`
 * @throws {RangeError} as `check` does
 */
export function simulate(settings) {
    return new Simulation(settings).run();
}

/** One run of the model. The tests break it by overriding a method, to see whether the laws notice. */
export class Simulation {
    constructor(settings) {
        this.settings = check(settings);
        const { model, cpus, seed } = this.settings;
        // Who holds a thread through a wait of the work, and while the client thinks?
        this.waitHoldsThread = model !== "tasks";
        this.readHoldsThread = model !== "tasks" && model !== "tasks-blocking";
        this.isTasks = model === "tasks" || model === "tasks-blocking";

        this.now = 0;
        this.events = new Events();
        this.cpus = Array.from({ length: cpus }, (_, id) => ({
            id,
            thread: null,
            last: null,
            since: 0,
            sliceEnd: 0,
            request: null,
            spans: [],
        }));
        this.runQueue = new Queue();
        this.threads = [];
        this.idleThreads = new Queue();
        this.jobs = new Queue();
        this.tasks = [];
        this.requests = [];
        this.queue = [];

        // Each thing has a stream of its own, so that two models get the same requests from one seed.
        this.chance = {
            arrivals: new Random(seed, 1),
            compute: new Random(seed, 2),
            wait: new Random(seed, 3),
            computeAfter: new Random(seed, 4),
        };

        // Counted as it goes: areas under step functions, in ms times what they count.
        this.inSystem = { value: 0, area: 0, since: 0 };
        this.busyCpus = { value: 0, area: 0, since: 0 };
        this.queueLength = 0;
        this.threadsNow = 0;
        this.threadsMax = 0;
        this.switches = 0;
        this.preemptions = 0;
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

    /** Does something later. */
    after(delay, happen) {
        this.events.put(this.now + delay, happen);
    }

    // --- Clients -----------------------------------------------------------------------------------

    /** Starts the threads that live from the beginning, and the clients. */
    start() {
        const { model, threads, arrivals } = this.settings;
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
        const senders = Array.from({ length: arrivals.connections }, (_, client) => ({ client, connection: null }));
        const arrive = (number) => {
            // Without connections that are kept, every request is a client of its own.
            this.send(senders.length > 0 ? senders[number % senders.length] : { client: number, connection: null });
            this.after(distance(), () => arrive(number + 1));
        };
        this.after(arrivals.process === "even" ? 0 : distance(), () => arrive(0));
    }

    /** Whether connections live on after an answer. */
    keepsConnections() {
        const { arrivals, keepAlive } = this.settings;
        return arrivals.kind === "open" ? arrivals.connections > 0 : keepAlive;
    }

    /** A client sends a request, on its connection if it has one. */
    send(sender) {
        const id = this.requests.length;
        const request = { id, client: sender.client, due: this.now, started: null, finished: null, thread: null };
        Object.assign(request, this.drawWork(id));
        this.requests.push(request);
        this.change(this.inSystem, 1);
        this.queueChanged(1);

        let connection = sender.connection;
        if (connection) {
            connection.pending.push(request);
            if (connection.reading) {
                connection.reading = false;
                if (this.readHoldsThread) {
                    this.makeReady(connection.thread);
                } else {
                    this.addJob(connection);
                }
            }
            return;
        }
        connection = {
            sender,
            pending: new Queue(),
            request: null,
            stage: "new",
            reading: false,
            thread: null,
            task: null,
        };
        connection.pending.push(request);
        if (this.keepsConnections()) {
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
            connection.task = {
                id: this.tasks.length,
                request: id,
                spans: [],
                state: "ready",
                since: this.now,
                thread: null,
            };
            this.tasks.push(connection.task);
        }
        this.addJob(connection);
    }

    /** The work of the request with this number. */
    drawWork(id) {
        const { compute, wait, computeAfter, spread, every } = this.settings.work;
        const draw = (mean, part) => (spread === "fixed" || mean === 0 ? mean : this.chance[part].exponential(mean));
        return {
            compute: draw(compute, "compute"),
            wait: (id + 1) % every === 0 ? draw(wait, "wait") : 0,
            computeAfter: draw(computeAfter, "computeAfter"),
        };
    }

    // --- Threads and CPUs --------------------------------------------------------------------------

    createThread(name) {
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

    /** The thread wants a CPU. */
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
            const thread = this.runQueue.shift();
            // Back to the CPU where it was, if that is free: this saves a switch.
            this.dispatch(thread.lastCpu?.thread === null ? thread.lastCpu : cpu, thread);
        }
    }

    /** A free CPU takes up a thread. */
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

    /** The thread leaves its CPU, and is now waiting, idle, ready or ended. */
    leaveCpu(thread, state) {
        const { cpu } = thread;
        this.setState(thread, state);
        this.closeCpuSpan(cpu, "run");
        this.change(this.busyCpus, -1);
        cpu.thread = null;
        thread.cpu = null;
        thread.lastCpu = cpu;
    }

    /** Computes until the work is done or the slice is used up, whichever is first. */
    compute(thread) {
        const { cpu } = thread;
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

    /** The slice is used up, and there is more to compute. */
    sliceUsed(thread) {
        if (this.runQueue.length > 0) {
            this.count("preemptions");
            this.leaveCpu(thread, "ready");
            this.runQueue.push(thread);
        } else {
            // Nobody else wants the CPU: a new slice.
            thread.cpu.sliceEnd = this.now + this.settings.slice;
            this.compute(thread);
        }
    }

    // --- What a thread does with its CPU -----------------------------------------------------------

    /** The thread has a CPU, and goes on until it must compute, wait, or end. */
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
            const { request } = connection;
            switch (connection.stage) {
                case "compute":
                    connection.stage = "wait";
                    thread.remaining = request.compute;
                    break;
                case "wait":
                    connection.stage = "computeAfter";
                    if (request.wait > 0) {
                        if (this.waitHoldsThread) {
                            this.after(request.wait, () => this.makeReady(thread));
                            return this.leaveCpu(thread, "waiting");
                        }
                        this.park(thread, connection);
                        this.after(request.wait, () => this.addJob(connection));
                    }
                    break;
                case "computeAfter":
                    connection.stage = "done";
                    thread.remaining = request.computeAfter;
                    break;
                case "done":
                    if (this.finish(thread, connection)) {
                        return;
                    }
                    break;
            }
        }
    }

    /** Begins the next request of a connection. */
    begin(thread, connection) {
        const request = connection.pending.shift();
        connection.request = request;
        connection.stage = "compute";
        request.started = this.now;
        request.thread = thread.id;
        this.queueChanged(-1);
        this.setRequest(thread, request.id);
        this.setTaskState(connection, "polled", thread);
    }

    /** Answers a request. Returns whether the thread has left its CPU. */
    finish(thread, connection) {
        const { request, sender } = connection;
        const { arrivals } = this.settings;
        request.finished = this.now;
        this.change(this.inSystem, -1);
        if (arrivals.kind === "closed") {
            this.after(arrivals.think, () => this.send(sender));
        }
        connection.request = null;
        connection.stage = "new";
        if (!this.keepsConnections()) {
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

    /** Puts a connection into the queue, and wakes a thread for it if one is idle. */
    addJob(connection) {
        this.setTaskState(connection, "ready", null);
        this.jobs.push(connection);
        const thread = this.idleThreads.shift();
        if (thread) {
            this.makeReady(thread);
        }
    }

    /** The thread takes the connection that has been in the queue longest. Returns whether there was one. */
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

    /** The task waits, and gives its worker back. */
    park(thread, connection) {
        this.setTaskState(connection, "waiting", null);
        this.setRequest(thread, null);
        thread.connection = null;
        connection.thread = null;
    }

    // --- Records -----------------------------------------------------------------------------------

    /** Changes a step function, and adds what lay under it since the last change and after the warm-up. */
    change(step, by) {
        const from = Math.max(step.since, this.settings.warmup);
        if (this.now > from) {
            step.area += step.value * (this.now - from);
        }
        step.since = this.now;
        step.value += by;
    }

    count(what) {
        if (this.now >= this.settings.warmup) {
            this[what] += 1;
        }
    }

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

    setState(thread, state) {
        if (this.settings.trace) {
            const span = { from: thread.since, to: this.now, state: thread.state, request: thread.request };
            addSpan(thread.spans, span, "state", "request");
            thread.since = this.now;
        }
        thread.state = state;
    }

    setRequest(thread, request) {
        if (thread.request !== request) {
            this.setState(thread, thread.state);
            this.closeCpuSpan(thread.cpu, "run");
            thread.request = request;
        }
    }

    closeCpuSpan(cpu, kind) {
        if (this.settings.trace) {
            const request = kind === "run" ? cpu.thread.request : null;
            const span = { from: cpu.since, to: this.now, thread: cpu.thread.id, request, kind };
            addSpan(cpu.spans, span, "thread", "request", "kind");
            cpu.since = this.now;
        }
    }

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
            this.closeCpuSpan(cpu, cpu.thread.state === "running" ? "run" : "switch");
        }
        for (const thread of this.threads.filter((it) => it.ended === null)) {
            this.setState(thread, thread.state);
        }
        for (const task of this.tasks.filter((it) => it.state !== "ended")) {
            this.setTaskState({ task, request: null }, task.state, null);
        }

        const done = this.requests.filter((it) => it.finished !== null && it.finished > warmup);
        const window = duration - warmup;
        const latencies = done.map((it) => it.finished - it.due).sort((a, b) => a - b);
        const mean = (list) => (list.length === 0 ? null : list.reduce((sum, it) => sum + it, 0) / list.length);
        // The nearest rank: the smallest value that at least this share of all values don't exceed.
        const quantile = (share) => latencies[Math.max(0, Math.ceil(share * latencies.length) - 1)] ?? null;
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
                waitingMean: mean(done.map((it) => it.started - it.due)),
                inSystemMean: this.inSystem.area / window,
                cpuBusy: this.busyCpus.area / window / settings.cpus,
                threadsMax: this.threadsMax,
                switches: this.switches,
                preemptions: this.preemptions,
            },
        };
    }
}
