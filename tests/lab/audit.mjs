// Looks at the trace of a run and says which rules it breaks. It knows nothing of how the simulator works.

import { sure } from "../../book/lab/events.js";

/**
 * @typedef {import("../../book/lab/recorder.js").Result} Result
 * @typedef {"busy" | "ready" | "length" | "idle" | "woken"} Counted
 * @typedef {{ at: number } & Partial<Record<Counted, number>>} Change
 * @typedef {{ at: number } & Record<Counted, number>} Step
 * @typedef {(rule: string, seen: string) => void} Breach tells that a rule is broken
 */

/** Times are sums of floating-point numbers, in ms. */
const EPSILON = 1e-6;

/**
 * The rules that a result with spans breaks, each as "rule: what was seen". None if all is well.
 * Only the first breach of a rule is told.
 * @param {Result} result
 */
export function breaches(result) {
    const found = new Map();
    const breach = (/** @type {string} */ rule, /** @type {string} */ seen) => {
        if (!found.has(rule)) {
            found.set(rule, `${rule}: ${seen}`);
        }
    };
    for (const rule of [cpus, threads, tasks, requests, work, conserving, slices, order, queue, little, holding]) {
        rule(result, breach);
    }
    return [...found.values()];
}

/**
 * No CPU runs two threads at once.
 * @param {Result} result
 * @param {Breach} breach
 */
function cpus({ cpus, settings }, breach) {
    cpus.forEach((spans, cpu) => {
        let until = 0;
        for (const span of spans) {
            if (!(span.from >= until && span.to > span.from && span.to <= settings.duration)) {
                breach("one thread on a CPU", `CPU ${cpu}, busy until ${until}: ${JSON.stringify(span)}`);
            }
            until = span.to;
        }
        // Where a switch costs something, a CPU takes up another thread only after one.
        spans.forEach((span, index) => {
            const { switchCost, duration } = settings;
            const wrong =
                span.kind === "run"
                    ? switchCost > 0 && spans[index - 1]?.thread !== span.thread
                    : Math.abs(span.to - span.from - switchCost) > EPSILON && span.to !== duration;
            if (wrong) {
                breach(
                    "another thread costs a switch",
                    `CPU ${cpu}: ${JSON.stringify(spans.slice(Math.max(0, index - 1), index + 1))}`,
                );
            }
        });
    });
}

/**
 * A thread is in one state at a time, from its first moment to its last, and runs exactly where a CPU says so.
 * @param {Result} result
 * @param {Breach} breach
 */
function threads({ cpus, threads, settings }, breach) {
    /** @type {Map<number, { from: number, to: number, request: number | null }[]>} */
    const onCpus = new Map(threads.map(({ id }) => [id, []]));
    cpus.forEach((spans) => {
        for (const span of spans) {
            if (span.kind === "run") {
                onCpus.get(span.thread)?.push(span);
            }
        }
    });
    for (const thread of threads) {
        let until = thread.created;
        for (const span of thread.spans) {
            if (span.from !== until || !(span.to > span.from)) {
                breach("one state of a thread", `${thread.name}, known until ${until}: ${JSON.stringify(span)}`);
            }
            until = span.to;
        }
        const end = thread.ended ?? settings.duration;
        if (until !== end) {
            breach("one state of a thread", `${thread.name} is known until ${until}, and lives until ${end}`);
        }
        const runs = sure(onCpus.get(thread.id)).sort((a, b) => a.from - b.from);
        runs.forEach((run, index) => {
            if (index > 0 && run.from < runs[index - 1].to) {
                breach("a thread on one CPU", `${thread.name} at ${run.from}`);
            }
        });
        // The same runs, seen from the thread and from the CPUs.
        const [own, theirs] = [thread.spans.filter((it) => it.state === "running"), runs].map((spans) => {
            /** @type {{ from: number, to: number, request: number | null }[]} */
            const joined = [];
            for (const { from, to, request } of spans) {
                const last = joined.at(-1);
                if (last && last.to === from && last.request === request) {
                    last.to = to;
                } else {
                    joined.push({ from, to, request });
                }
            }
            return JSON.stringify(joined);
        });
        if (own !== theirs) {
            breach(
                "a thread runs where a CPU says so",
                `${thread.name}: ${own.slice(0, 200)} and ${theirs.slice(0, 200)}`,
            );
        }
    }
}

/**
 * A task is polled by one worker at a time, and a worker has one task.
 * @param {Result} result
 * @param {Breach} breach
 */
function tasks({ tasks }, breach) {
    /** @type {Map<number | null, { from: number, to: number }[]>} */
    const polls = new Map();
    for (const task of tasks) {
        let until = task.spans[0]?.from;
        for (const span of task.spans) {
            if (span.from !== until || (span.thread === null) === (span.state === "polled")) {
                breach("one state of a task", `task ${task.id}, known until ${until}: ${JSON.stringify(span)}`);
            }
            until = span.to;
            if (span.state === "polled") {
                polls.set(span.thread, [...(polls.get(span.thread) ?? []), span]);
            }
        }
    }
    for (const [worker, spans] of polls) {
        spans.sort((a, b) => a.from - b.from);
        if (spans.some((span, index) => index > 0 && span.from < spans[index - 1].to)) {
            breach("one task on a worker", `worker ${worker}`);
        }
    }
}

/**
 * A request is due, then started, then finished, or not yet; and takes at least as long as its work.
 * @param {Result} result
 * @param {Breach} breach
 */
function requests({ requests, summary, settings }, breach) {
    requests.forEach((it, index) => {
        const times = [it.due, it.started ?? Infinity, it.finished ?? Infinity];
        const inOrder = times[0] <= times[1] && times[1] <= times[2] && it.id === index;
        const inTime = times.every((time) => time === Infinity || (time >= 0 && time <= settings.duration));
        if (!inOrder || !inTime) {
            breach("due, started, finished", JSON.stringify(it));
        }
        const needs = it.compute + it.wait;
        if (it.finished !== null && it.finished - sure(it.started) < needs - EPSILON) {
            breach("no faster than its work", JSON.stringify(it));
        }
    });
    const finished = requests.filter((it) => (it.finished ?? 0) > settings.warmup).length;
    if (finished !== summary.completed) {
        breach("every request once", `${finished} finished, ${summary.completed} counted`);
    }
}

/**
 * What the CPUs did is what the requests asked for, and switches.
 * @param {Result} result
 * @param {Breach} breach
 */
function work({ cpus, threads, tasks, requests, summary, settings }, breach) {
    const computed = new Float64Array(requests.length);
    const waited = new Float64Array(requests.length);
    let [running, switching, switches] = [0, 0, 0];
    for (const span of cpus.flat()) {
        if (span.kind === "run") {
            running += span.to - span.from;
            if (span.request === null) {
                breach("work for a request", `a CPU runs for nobody: ${JSON.stringify(span)}`);
            } else {
                computed[span.request] += span.to - span.from;
            }
        } else {
            switching += span.to - span.from;
            switches += 1;
        }
    }
    const waits =
        settings.model === "tasks" ? tasks.flatMap((task) => task.spans) : threads.flatMap((thread) => thread.spans);
    for (const { state, request, from, to } of waits) {
        if (state === "waiting" && request !== null && request !== undefined) {
            waited[request] += to - from;
        }
    }
    let asked = 0;
    for (const it of requests) {
        const { compute } = it;
        asked += Math.min(compute, computed[it.id]);
        const seen = JSON.stringify({ ...it, computed: computed[it.id], waited: waited[it.id] });
        if (it.finished !== null && Math.abs(computed[it.id] - compute) > EPSILON) {
            breach("computes what it asks for", seen);
        }
        if (it.finished !== null && Math.abs(waited[it.id] - it.wait) > EPSILON) {
            breach("waits as long as it asks for", seen);
        }
    }
    const busy = running + switching;
    if (Math.abs(running - asked) > EPSILON * Math.max(1, requests.length)) {
        breach("busy time is work and switches", `${running} ms run, ${asked} ms asked for`);
    }
    const share = busy / settings.duration / settings.cpus;
    if (settings.warmup === 0 && Math.abs(share - summary.cpuBusy) > EPSILON) {
        breach("busy time is work and switches", `${share} by the spans, ${summary.cpuBusy} counted`);
    }
    // Without a cost a switch leaves no span; and one at the very end may have no length.
    if (settings.switchCost > 0 && settings.warmup === 0) {
        const most = switches + settings.cpus;
        if (summary.switches < switches || summary.switches > most) {
            breach("switches are counted", `${switches} spans, ${summary.switches} counted`);
        }
        if (switching > summary.switches * settings.switchCost + EPSILON * switches) {
            breach("busy time is work and switches", `${switching} ms for ${summary.switches} switches`);
        }
    }
}

/**
 * The sums of changes like `{at: 3, ready: 1}`: one step for each moment at which something changes,
 * with what holds from then on.
 * @param {Change[]} changes
 * @param {...Counted} names
 * @returns {Step[]}
 */
function sweep(changes, ...names) {
    changes.sort((a, b) => a.at - b.at);
    /** @type {Step[]} */
    const steps = [];
    let last = /** @type {Step} */ ({ at: Number.NaN, ...Object.fromEntries(names.map((name) => [name, 0])) });
    for (const change of changes) {
        if (last.at !== change.at) {
            last = { ...last, at: change.at };
            steps.push(last);
        }
        for (const name of names) {
            last[name] += change[name] ?? 0;
        }
    }
    return steps;
}

/**
 * For each moment of change: how many CPUs are busy, and how many threads want one and have none.
 * @param {Result} result
 */
function readyAndBusy({ cpus, threads }) {
    const changes = [];
    for (const { from, to, kind } of cpus.flat()) {
        // During a switch a CPU is busy, and the thread that is to run is still ready.
        const ready = kind === "switch" ? 1 : 0;
        changes.push({ at: from, busy: 1, ready: -ready }, { at: to, busy: -1, ready });
    }
    for (const { spans } of threads) {
        for (const { from, to, state } of spans) {
            if (state === "ready") {
                changes.push({ at: from, ready: 1 }, { at: to, ready: -1 });
            }
        }
    }
    return sweep(changes, "ready", "busy");
}

/**
 * No CPU is idle while a thread is ready.
 * @param {Result} result
 * @param {Breach} breach
 */
function conserving(result, breach) {
    const steps = readyAndBusy(result);
    for (let index = 0; index + 1 < steps.length; index++) {
        const { at, ready, busy } = steps[index];
        const lasts = steps[index + 1].at - at;
        if (ready > 0 && busy < result.settings.cpus && lasts > EPSILON) {
            breach(
                "no CPU idle while a thread is ready",
                `${ready} ready and ${busy} CPUs busy at ${at} for ${lasts} ms`,
            );
        }
    }
}

/**
 * Nobody runs for longer than a slice while a thread wants a CPU all that time.
 * @param {Result} result
 * @param {Breach} breach
 */
function slices({ cpus, threads, settings, summary }, breach) {
    // Where a CPU ran the same thread without a pause.
    const stretches = cpus.map((spans) => {
        /** @type {{ from: number, to: number, thread: number }[]} */
        const joined = [];
        for (const { from, to, thread, kind } of spans) {
            const last = joined.at(-1);
            if (last && kind === "run" && last.thread === thread && last.to === from) {
                last.to = to;
            } else if (kind === "run") {
                joined.push({ from, to, thread });
            }
        }
        return joined;
    });
    for (const { name, spans } of threads) {
        for (const ready of spans.filter((it) => it.state === "ready")) {
            // At the end of it, a CPU may be busy with the switch to this thread.
            const until = ready.to - settings.switchCost;
            for (const list of stretches) {
                for (
                    let index = firstAfter(list, ready.from);
                    index < list.length && list[index].from < until;
                    index++
                ) {
                    const { from, to, thread } = list[index];
                    const beside = Math.min(to, until) - Math.max(from, ready.from);
                    if (beside > settings.slice + EPSILON) {
                        breach(
                            "a slice ends",
                            `${threads[thread].name} ran for ${beside} ms from ${from} while ${name} was ready`,
                        );
                    }
                }
            }
        }
    }
    // A thread that had to leave is ready, with its request still in hand. (One that had run for no time leaves no span.)
    let seen = 0;
    for (const { spans } of threads) {
        spans.forEach((span, index) => {
            const before = spans[index - 1];
            const forced = span.state === "ready" && before?.state === "running" && before.request === span.request;
            seen += forced && span.request !== null ? 1 : 0;
        });
    }
    if (settings.warmup === 0 && summary.preemptions < seen) {
        breach("preemptions are counted", `${seen} seen, ${summary.preemptions} counted`);
    }
}

/**
 * The index of the first span in an ordered list that ends after this time.
 * @param {{ from: number, to: number }[]} spans
 * @param {number} time
 */
function firstAfter(spans, time) {
    let [low, high] = [0, spans.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        [low, high] = spans[middle].to > time ? [low, middle] : [middle + 1, high];
    }
    return low;
}

/** @param {Result["settings"]} settings */
const keeps = ({ arrivals, keepAlive }) => arrivals.kind === "closed" && keepAlive;

/**
 * First come, first served.
 * @param {Result} result
 * @param {Breach} breach
 */
function order({ requests, settings }, breach) {
    // On a kept connection, a request waits for its turn on that connection only.
    if (keeps(settings)) {
        return;
    }
    for (let index = 1; index < requests.length; index++) {
        const [one, next] = [requests[index - 1], requests[index]];
        if (next.started !== null && !(one.started !== null && one.started <= next.started)) {
            breach("first come, first served", `${JSON.stringify(one)}, ${JSON.stringify(next)}`);
        }
    }
}

/**
 * The queue's length is what is due and not started; and nobody is idle while it has something for them.
 * @param {Result} result
 * @param {Breach} breach
 */
function queue({ requests, queue, threads, settings }, breach) {
    const changes = [];
    for (const { due, started } of requests) {
        changes.push({ at: due, length: 1 });
        if (started !== null) {
            changes.push({ at: started, length: -1 });
        }
    }
    const steps = sweep([...changes], "length").map(({ at, length }) => ({ at, length }));
    if (JSON.stringify(steps) !== JSON.stringify(queue)) {
        breach(
            "the queue is what nobody has begun",
            `${JSON.stringify(queue).slice(0, 200)} and ${JSON.stringify(steps).slice(0, 200)}`,
        );
    }
    if (keeps(settings)) {
        return;
    }
    // A thread that was woken for a request is ready, and takes it when it has a CPU.
    for (const { spans } of threads) {
        for (const { from, to, state, request } of spans) {
            const what = state === "idle" ? "idle" : state === "ready" && request === null ? "woken" : null;
            if (what) {
                changes.push({ at: from, [what]: 1 }, { at: to, [what]: -1 });
            }
        }
    }
    const all = sweep(changes, "length", "idle", "woken");
    all.forEach(({ at, length, idle, woken }, index) => {
        const lasts = (all[index + 1]?.at ?? at) - at;
        if (idle > 0 && length > woken && lasts > EPSILON) {
            breach("nobody idle while requests wait", `${length} in the queue at ${at}, ${woken} woken, ${idle} idle`);
        }
    });
}

/**
 * Little's law, to the last bit: the area under the number in the system is the sum of the times in the system.
 * @param {Result} result
 * @param {Breach} breach
 */
function little({ requests, summary, settings }, breach) {
    const { warmup, duration } = settings;
    let area = 0;
    for (const { due, finished } of requests) {
        area += Math.max(0, (finished ?? duration) - Math.max(due, warmup));
    }
    const mean = area / (duration - warmup);
    if (Math.abs(mean - summary.inSystemMean) > EPSILON * Math.max(1, mean)) {
        breach("Little", `${summary.inSystemMean} in the system, ${mean} by their times`);
    }
}

/**
 * Who holds a thread: never more requests at once than the model has threads, and a task that waits has none.
 * @param {Result} result
 * @param {Breach} breach
 */
function holding({ requests, threads, settings, summary }, breach) {
    /** @type {Partial<Record<typeof settings.model, number>>} */
    const limited = { "one-thread": 1, pool: settings.threads, "tasks-blocking": settings.threads };
    const most = limited[settings.model] ?? Infinity;
    const steps = sweep(
        requests
            .filter((it) => it.started !== null)
            .flatMap(({ started, finished }) => [
                { at: sure(started), busy: 1 },
                { at: finished ?? settings.duration, busy: -1 },
            ]),
        "busy",
    );
    const peak = Math.max(0, ...steps.map((it) => it.busy));
    if (peak > most) {
        breach("a wait holds its thread", `${peak} requests at once on ${most} threads`);
    }
    const inWait = threads.some(({ spans }) => spans.some((it) => it.state === "waiting"));
    if (settings.model === "tasks" && inWait) {
        breach("a task that waits holds no worker", "a worker waits");
    }
    if (settings.model !== "thread-per-connection" && summary.threadsMax > Math.max(1, settings.threads)) {
        breach("no more threads than set", `${summary.threadsMax}`);
    }
}
