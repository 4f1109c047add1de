// The questions of the chapters, as settings of the lab.

/**
 * @typedef {object} Preset
 * @property {string} title what the list calls it
 * @property {string} chapter the page that asks it
 * @property {string} [server] the server of the ladder that it is about: its model and its threads are the settings'
 * @property {string} question what the reader answers before the run
 * @property {{ text: string, why: string, right?: boolean }[]} answers one is right; `why` is shown with the result
 * @property {string} reveal what to see in the picture and in the figures
 * @property {string[]} knobs the settings that a small lab offers, and the ones to turn first
 * @property {SomeSettings} settings what differs from the lab's defaults
 * @property {{ label: string, settings: SomeSettings }} [beside] another server for the same clients, for the table
 * @property {{ figure: string, value: number }} holds a figure of the result, which the simulator and the law give too
 * @typedef {import("./options.js").SomeSettings} SomeSettings
 */

const twenty = { kind: "closed", clients: 20, think: 0 };
const wait100 = { wait: 100, compute: 0, spread: "fixed" };

/** @type {SomeSettings} fifty clients on four CPUs, for whole turns of all of them, so that the window cuts none */
const fiftyOnFour = {
    model: "tasks",
    cpus: 4,
    arrivals: { kind: "closed", clients: 50, think: 0 },
    work: { wait: 100, compute: 5, spread: "fixed" },
    warmup: 105,
    duration: 1155,
};

/** @type {Record<string, Preset>} */
export const presets = {
    "one-thread": {
        title: "How many requests per second can one thread answer?",
        chapter: "ch01-single-threaded",
        question:
            "One thread serves one connection after the other, and each request waits 100 ms. Twenty clients ask again and again. How many requests are answered per second?",
        answers: [
            { text: "10", right: true, why: "Right: each request holds the one thread for 0.1 s, so 1 / 0.1 s = 10." },
            {
                text: "20, one for each client",
                why: "Not so many: a client gets its turn only after the others before it have had theirs, so 1 / 0.1 s = 10.",
            },
            {
                text: "200, because twenty can wait at the same time",
                why: "They could, if each had a thread to wait on. Here they wait for the thread: 1 / 0.1 s = 10.",
            },
            {
                text: "That depends on the processor",
                why: "The CPU has nothing to do, because the time is spent waiting, and a fast processor waits as long as a slow processor. 1 / 0.1 s = 10.",
            },
        ],
        reveal: "Look at the row of the thread: one wait follows another without a gap, and the CPUs are idle. All the other clients wait in the queue. Try more CPUs: they change nothing.",
        knobs: ["clients", "cpus", "wait"],
        settings: { model: "one-thread", cpus: 2, threads: 1, arrivals: twenty, work: wait100, duration: 3000 },
        holds: { figure: "throughput", value: 10 },
    },
    "thread-each": {
        title: "What does a thread for each connection change?",
        chapter: "ch02-thread-spawn",
        question:
            "Now each connection gets its own thread. There are twenty clients, each request waits 100 ms, and the machine has one CPU. How many requests are answered per second?",
        answers: [
            {
                text: "10: one CPU does one thing at a time",
                why: "A thread that waits needs no CPU, so all twenty wait at the same time: 20 / 0.1 s = 200.",
            },
            { text: "200", right: true, why: "Right: all twenty wait at the same time, so 20 / 0.1 s = 200." },
            {
                text: "Something in between, because the threads share the CPU",
                why: "They would share it if they computed. But they wait, which needs no CPU: 20 / 0.1 s = 200.",
            },
        ],
        reveal: "All twenty threads have a pale band, side by side: they wait, and none of them is on the CPU. The clients are the limit now. Let each request compute for 10 ms as well, and the one CPU is the limit: 1 / 0.01 s = 100.",
        knobs: ["clients", "cpus", "compute"],
        settings: { model: "thread-per-connection", cpus: 1, arrivals: twenty, work: wait100, duration: 2000 },
        holds: { figure: "throughput", value: 200 },
    },
    "pool-80": {
        title: "How many requests per second can a pool of eight answer?",
        chapter: "ch03-threadpool",
        question:
            "A pool has 8 threads, and the machine has 2 CPUs. Twenty clients ask again and again, and each request waits 100 ms. How many requests are answered per second?",
        answers: [
            {
                text: "20, because there are two CPUs",
                why: "The CPUs are idle, and the threads are the limit: 8 / 0.1 s = 80.",
            },
            { text: "80", right: true, why: "Right: eight can wait at the same time, so 8 / 0.1 s = 80." },
            {
                text: "200, because there are twenty clients",
                why: "Twelve of the twenty wait for a thread: 8 / 0.1 s = 80.",
            },
        ],
        reveal: "That is why rung 3 answers 80 requests per second on every machine. Eight rows are pale from end to end, twelve requests wait in the queue, and both CPUs are idle. Turn the threads up: each adds ten responses per second, until every client has a thread.",
        knobs: ["threads", "clients", "wait"],
        settings: { model: "pool", cpus: 2, threads: 8, arrivals: twenty, work: wait100, duration: 2000 },
        holds: { figure: "throughput", value: 80 },
    },
    "pool-keep-alive": {
        title: "What does keep-alive do to a pool?",
        chapter: "ch03-threadpool",
        question:
            "A pool has 8 threads. Twenty clients think for 300 ms between two requests and keep their connections open while they think. Each request waits 100 ms. How many requests are answered per second?",
        answers: [
            {
                text: "50: each of twenty clients asks once in 0.4 s",
                why: "That would be so if every client got a thread. But a kept connection keeps its thread, so only eight clients are served: 8 / 0.4 s = 20.",
            },
            {
                text: "80: the pool is always busy",
                why: "It is always taken rather than busy: three quarters of the time its threads wait for clients that think. 8 / 0.4 s = 20.",
            },
            {
                text: "20, and some clients get no response",
                right: true,
                why: "Right: eight connections keep the eight threads, each for one request in 0.4 s: 8 / 0.4 s = 20. The other twelve clients are never served.",
            },
        ],
        reveal: "Between two waits each thread is taken but idle, because its client thinks. Twelve requests stay in the queue to the end, and no mean of the answered requests shows them. Let the clients close their connections, and the same pool gives 20 / 0.4 s = 50.",
        knobs: ["keep-alive", "think", "threads"],
        settings: {
            model: "pool",
            cpus: 2,
            threads: 8,
            arrivals: { kind: "closed", clients: 20, think: 300 },
            keepAlive: true,
            work: wait100,
            duration: 3200,
        },
        beside: { label: "Without keep-alive", settings: { keepAlive: false } },
        holds: { figure: "throughput", value: 20 },
    },
    "pool-size": {
        title: "How many threads should my pool have?",
        chapter: "ch03-threadpool",
        question:
            "Each request computes for 10 ms and then waits 90 ms. There are 2 CPUs, and always a hundred clients. From how many threads on does one more thread no longer help?",
        answers: [
            {
                text: "2: as many as CPUs",
                why: "Two threads would wait nine tenths of the time and leave the CPUs idle. A thread needs a CPU for a tenth of its time, so two CPUs feed 20 threads.",
            },
            {
                text: "20",
                right: true,
                why: "Right: a thread needs a CPU for 10 of its 100 ms, so two CPUs feed 2 / 0.1 = 20 threads.",
            },
            {
                text: "100: as many as clients",
                why: "Long before that the CPUs are the limit: 2 / 0.01 s = 200 requests per second, which 20 threads can reach, because 20 / 0.1 s = 200.",
            },
        ],
        reveal: "With 20 threads, the threads and the CPUs set the same limit, 200 per second. Try 10, and you get half of that. Try 40, and you get no more, because half of the threads are ready, hatched, and wait for a CPU. Then make the times random: chance now takes a part of the 200, and a few more threads than 20 bring it back.",
        knobs: ["threads", "spread", "compute"],
        settings: {
            model: "pool",
            cpus: 2,
            threads: 20,
            arrivals: { kind: "closed", clients: 100, think: 0 },
            work: { wait: 90, compute: 10, spread: "fixed" },
            slice: 10,
            warmup: 500,
            duration: 2500,
        },
        beside: { label: "With 40 threads", settings: { threads: 40 } },
        holds: { figure: "throughput", value: 200 },
    },
    "compute-threads": {
        title: "More threads than CPUs for computing: does it help?",
        chapter: "hardware-threads",
        question:
            "Each request computes for 20 ms and waits for nothing. A pool of 2 threads on 2 CPUs answers 2 / 0.02 s = 100 requests per second. How many requests per second does a pool of 16 answer?",
        answers: [
            { text: "800", why: "Sixteen threads are still on two CPUs: 2 / 0.02 s = 100." },
            {
                text: "100, the same",
                right: true,
                why: "Right: the CPUs are the limit, 2 / 0.02 s = 100, however the work is shared out.",
            },
            {
                text: "Fewer, by a lot",
                why: "Only by what the switches cost, which is set to nothing here: 2 / 0.02 s = 100. Set the cost of a switch to 1 ms to see it.",
            },
        ],
        reveal: "The rows of the threads are hatched, because the threads are ready but have no CPU. Each gets a slice of 4 ms now and then, so every request takes longer to serve, but no more requests are done.",
        knobs: ["threads", "cpus", "switch"],
        settings: {
            model: "pool",
            cpus: 2,
            threads: 16,
            arrivals: { kind: "closed", clients: 16, think: 0 },
            work: { wait: 0, compute: 20, spread: "fixed" },
            duration: 960,
        },
        beside: { label: "With 2 threads", settings: { threads: 2 } },
        holds: { figure: "throughput", value: 100 },
    },
    "loop-computes": {
        title: "What bounds an event loop on four CPUs?",
        chapter: "event-loop",
        server: "event_loop",
        question:
            "An event loop has one thread, and the machine has 4 CPUs. Each of fifty clients sends a request that computes for 5 ms and then waits 100 ms. How many requests are answered per second?",
        answers: [
            {
                text: "About 476: all fifty wait at the same time",
                why: "They can all wait, but they all compute on one thread, which takes 5 ms for each: 1 / 0.005 s = 200.",
            },
            {
                text: "200",
                right: true,
                why: "Right: the waits overlap, but the one thread computes for 5 ms for each request: 1 / 0.005 s = 200.",
            },
            {
                text: "800: the machine has four CPUs",
                why: "One thread runs on one CPU at a time, so three are idle: 1 / 0.005 s = 200.",
            },
        ],
        reveal: "Look at the rows of the CPUs: one is busy and three are idle, and tasks that are ready wait for the only thread. More CPUs change nothing; more threads do, but an event loop has one.",
        knobs: ["threads", "cpus", "compute"],
        settings: { ...fiftyOnFour, threads: 1 },
        beside: { label: "With 4 threads", settings: { threads: 4 } },
        holds: { figure: "throughput", value: 200 },
    },
    "tasks-wait": {
        title: "How can one thread serve fifty waiting clients?",
        chapter: "ch04-smol",
        question:
            "A server has a task for each connection, and one worker thread runs all tasks. Each of fifty clients sends a request that computes for 1 ms and then waits 100 ms. How many requests are answered per second?",
        answers: [
            {
                text: "About 10: one thread",
                why: "That would be so if the thread waited with its task. But it puts the task aside: 50 / 0.101 s, about 495.",
            },
            { text: "About 500", right: true, why: "Right: all fifty wait at the same time, 50 / 0.101 s, about 495." },
            {
                text: "1,000: the worker is never idle",
                why: "One request takes 1 ms of the worker's time, so it could answer 1,000. But fifty clients don't ask that often: 50 / 0.101 s, about 495.",
            },
        ],
        reveal: "In the rows of the clients the dots are waits, which hold no thread. The worker has a millisecond of work for each and is idle about half of the time. Try more clients: from about a hundred on, the worker is the limit.",
        knobs: ["clients", "compute", "threads"],
        settings: {
            model: "tasks",
            cpus: 1,
            threads: 1,
            arrivals: { kind: "closed", clients: 50, think: 0 },
            work: { wait: 100, compute: 1, spread: "fixed" },
            warmup: 100,
            duration: 1110,
        },
        beside: { label: "A pool of one thread", settings: { model: "pool" } },
        holds: { figure: "throughput", value: 495 },
    },
    "blocking-call": {
        title: "Why does one blocking call stop every client?",
        chapter: "ch04-async-std",
        question:
            "A server runs its tasks on one worker, and there are twenty clients. Nine requests in ten only compute for 1 ms. The tenth calls a function that blocks for 1,000 ms where it should have awaited. How long does a quick request take?",
        answers: [
            {
                text: "About 1 ms: only every tenth is slow",
                why: "It computes no longer than that, but it has to get the worker first. Twenty requests queue for the worker, and two of them block it: 2 × 1 s + 20 × 1 ms, about 2 s.",
            },
            {
                text: "About 20 ms: it has to wait for nineteen others",
                why: "Two of the others block the only worker for a second each: 2 × 1 s + 20 × 1 ms, about 2 s.",
            },
            {
                text: "About 2 s",
                right: true,
                why: "Right: twenty requests queue for the worker and two of them block it, so 2 × 1 s + 20 × 1 ms, about 2 s.",
            },
        ],
        reveal: "One client's row has a pale band, because its task holds the worker for a second, although the CPUs are idle. The other rows are hatched: their tasks are ready and their data has arrived, but no worker polls them. With an await in place of the blocking call, the quick requests never notice the slow requests: look at p50 in the last column.",
        knobs: ["model", "threads", "every"],
        settings: {
            model: "tasks-blocking",
            cpus: 2,
            threads: 1,
            arrivals: twenty,
            work: { wait: 1000, compute: 1, spread: "fixed", every: 10 },
            duration: 10000,
        },
        beside: { label: "With an await", settings: { model: "tasks" } },
        holds: { figure: "latency.p50", value: 2020 },
    },
    "blocking-executor": {
        title: "Is an async fn with blocking calls a pool?",
        chapter: "ch05-futures-executor",
        question:
            "An executor with 8 threads runs an async fn for each of twenty connections, and the function blocks for 100 ms instead of awaiting. How many requests are answered per second?",
        answers: [
            {
                text: "200: it is async",
                why: "Only code that awaits is async. Each task keeps a thread from its first poll to its end: 8 / 0.1 s = 80, like any pool of eight.",
            },
            { text: "80", right: true, why: "Right: 8 / 0.1 s = 80. In other words, it is the pool of rung 3." },
            {
                text: "10: one blocking call stops every client",
                why: "It stops one executor thread, and there are eight: 8 / 0.1 s = 80.",
            },
        ],
        reveal: "Compare the numbers in the last column: the thread pool has the same. Tasks that await would give 20 / 0.1 s = 200; set the model to tasks to see it.",
        knobs: ["model", "threads", "clients"],
        settings: { model: "tasks-blocking", cpus: 2, threads: 8, arrivals: twenty, work: wait100, duration: 2000 },
        beside: { label: "A pool of 8 threads", settings: { model: "pool" } },
        holds: { figure: "throughput", value: 80 },
    },
    "one-queue": {
        title: "What do four threads with one queue change?",
        chapter: "own-runtime",
        server: "own_runtime",
        question:
            "The machine has 4 CPUs, and the tasks run on four threads that share one queue. Each of fifty clients sends a request that computes for 5 ms and then waits 100 ms. How many requests are answered per second?",
        answers: [
            {
                text: "200, as with one thread: the queue is shared",
                why: "Sharing the queue lets any thread take the next task. Four threads could compute 800, but fifty clients ask less often: 50 / 0.105 s, about 476.",
            },
            {
                text: "About 476",
                right: true,
                why: "Right: four threads could compute 800, so the clients are the limit: 50 / 0.105 s, about 476.",
            },
            {
                text: "800: four threads are always busy",
                why: "Four threads could compute 800, but fifty clients don't ask that often: 50 / 0.105 s, about 476.",
            },
        ],
        reveal: "Now the CPUs are idle for part of the time, because the clients' own waiting is the limit. The simulator takes a task from the queue for free. On a real machine each hand-over between two threads costs system calls, which the simulator leaves out.",
        knobs: ["threads", "cpus", "compute"],
        settings: { ...fiftyOnFour, threads: 4 },
        beside: { label: "With one thread", settings: { threads: 1 } },
        holds: { figure: "throughput", value: 476 },
    },
    "tasks-compute": {
        title: "Do more workers help tasks that compute?",
        chapter: "ch06-tokio",
        question:
            "Each request computes for 20 ms in its task. Two workers on 2 CPUs answer 2 / 0.02 s = 100 requests per second. How many requests per second do eight workers answer?",
        answers: [
            { text: "400", why: "Eight workers are eight threads, and two CPUs run two of them: 2 / 0.02 s = 100." },
            {
                text: "100",
                right: true,
                why: "Right: the CPUs are the limit, 2 / 0.02 s = 100, for tasks as for threads.",
            },
            {
                text: "More than 100, because tasks are lighter than threads",
                why: "A waiting task is lighter than a waiting thread, but computing weighs the same: 2 / 0.02 s = 100.",
            },
        ],
        reveal: "Tasks help requests that wait, but here no request waits. With eight workers more requests are begun at the same time, and each takes longer.",
        knobs: ["threads", "cpus", "compute"],
        settings: {
            model: "tasks",
            cpus: 2,
            threads: 8,
            arrivals: twenty,
            work: { wait: 0, compute: 20, spread: "fixed" },
            duration: 960,
        },
        beside: { label: "With 2 workers", settings: { threads: 2 } },
        holds: { figure: "throughput", value: 100 },
    },
    "threads-or-tasks": {
        title: "When do I need async?",
        chapter: "ch06-tokio",
        question:
            "There are 200 clients and 2 CPUs, and each request computes for 0.1 ms and then waits 100 ms. One server has a thread for each connection, the other has tasks on 2 workers. Which server answers more requests per second?",
        answers: [
            {
                text: "The server with tasks, by far",
                why: "In both servers all 200 clients wait at the same time, so both answer nearly 200 / 0.1 s = 2,000.",
            },
            {
                text: "The server with threads",
                why: "In both servers all 200 clients wait at the same time, so both answer nearly 200 / 0.1 s = 2,000.",
            },
            {
                text: "Neither",
                right: true,
                why: "Right: in both servers all 200 clients wait at the same time, so both answer nearly 200 / 0.1 s = 2,000. The servers differ in what a waiting client costs them.",
            },
        ],
        reveal: "Compare the row “most threads at a time”: 200 against 2. A thread costs memory, and time to start and to switch, which async saves. You need async when so many clients wait that you can't afford a thread for each; it doesn't make the server faster.",
        knobs: ["model", "clients", "switch"],
        settings: {
            model: "thread-per-connection",
            cpus: 2,
            threads: 2,
            arrivals: { kind: "closed", clients: 200, think: 0 },
            work: { wait: 100, compute: 0.1, spread: "fixed" },
            warmup: 100,
            duration: 1101,
        },
        beside: { label: "With tasks on 2 workers", settings: { model: "tasks" } },
        holds: { figure: "throughput", value: 2000 },
    },
    freeze: {
        title: "Why did my async server freeze?",
        chapter: "ch06-tokio",
        question:
            "A server runs its tasks on one worker, and each request calls a function that blocks for 100 ms. In the test, with five requests per second, all was well. Now fifteen come per second, whether or not the last requests have been answered. What do the clients see?",
        answers: [
            {
                text: "Responses that take a little longer, say 200 ms",
                why: "They don't settle there: fifteen requests come per second but only 1 / 0.1 s = 10 leave, so five more wait after every second.",
            },
            {
                text: "Responses that take longer and longer",
                right: true,
                why: "Right: fifteen requests come per second but only 1 / 0.1 s = 10 leave, so five more wait after every second.",
            },
            {
                text: "Errors: the server turns them away",
                why: "Nothing in this server turns a request away. Fifteen come per second but only ten leave, so five more wait after every second.",
            },
        ],
        reveal: "The queue grows as long as requests come, but the CPUs are idle all the time, so a monitor that watches the CPUs shows nothing. Turn the rate down to nine, and the queue is gone. Or take the tasks that await: then nothing queues.",
        knobs: ["rate", "model", "threads"],
        settings: {
            model: "tasks-blocking",
            cpus: 2,
            threads: 1,
            arrivals: { kind: "open", rate: 15, process: "even", connections: 0 },
            work: wait100,
            duration: 5000,
        },
        beside: { label: "With an await", settings: { model: "tasks" } },
        holds: { figure: "throughput", value: 10 },
    },
    "below-capacity": {
        title: "Just below the capacity: does any request wait?",
        chapter: "measuring",
        question:
            "A pool has 8 threads, and each request holds one of them for 100 ms, so the pool answers at most 8 / 0.1 s = 80 requests per second. Now 72 become due per second, at random moments. Does any request wait for a thread?",
        answers: [
            {
                text: "None: there is room for eight more",
                why: "On average there is. But requests come at random, and when ten come in quick succession, two of them wait.",
            },
            {
                text: "Some do, but the queue empties again",
                right: true,
                why: "Right: requests come at random, sometimes many at the same time, and then some wait until it is quieter.",
            },
            {
                text: "More and more do",
                why: "Not below the capacity, because requests that pile up when many come are served when few come.",
            },
        ],
        reveal: "Look at the queue: it rises and falls to nothing again. The median request is almost unaffected, but the slowest in a hundred waits. Space the requests evenly, and the queue is gone, because chance makes it.",
        knobs: ["rate", "process", "seed"],
        settings: {
            model: "pool",
            cpus: 2,
            threads: 8,
            arrivals: { kind: "open", rate: 72, process: "poisson", connections: 0 },
            work: wait100,
            seed: 19,
            duration: 10000,
        },
        holds: { figure: "throughput", value: 72 },
    },
    "above-capacity": {
        title: "Just above the capacity: how long does a request wait?",
        chapter: "measuring",
        question:
            "A pool has 8 threads, and each request holds one of them for 100 ms, so the pool answers at most 8 / 0.1 s = 80 requests per second. Now 88 become due per second. How long does a request wait?",
        answers: [
            {
                text: "About a tenth longer",
                why: "There is no such number: 88 - 80 = 8 more are in the queue after every second, so the wait grows as long as the run lasts.",
            },
            {
                text: "About twice as long",
                why: "There is no such number: 88 - 80 = 8 more are in the queue after every second, so the wait grows as long as the run lasts.",
            },
            {
                text: "That depends on how long the run lasts",
                right: true,
                why: "Right: 88 - 80 = 8 more are in the queue after every second, so the wait never settles.",
            },
        ],
        reveal: "The queue grows from the start to the end. After ten seconds it holds about 80 requests, and the last of them waits for 80 / 80 = 1 s. Make the run longer, and the latency gets worse, although nothing else has changed.",
        knobs: ["rate", "duration", "threads"],
        settings: {
            model: "pool",
            cpus: 2,
            threads: 8,
            arrivals: { kind: "open", rate: 88, process: "even", connections: 0 },
            work: wait100,
            duration: 10000,
        },
        holds: { figure: "throughput", value: 80 },
    },
};
