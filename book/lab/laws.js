// What arithmetic says about a server, before anything is simulated or measured.
//
// All times are milliseconds, all rates are per second, as in simulator.js.
//
// Sources. Little's law: J. D. C. Little, "A Proof for the Queuing Formula L = λW", Operations Research 9(3),
// 1961. M/M/1, M/M/c (Erlang's C formula, 1917), M/G/1 (Pollaczek and Khinchine, 1930 and 1932) and M/D/1 are in
// every textbook of queueing, for example L. Kleinrock, "Queueing Systems", volume 1, 1975. The names are
// Kendall's: arrivals / service / servers, M for memoryless (exponential), D for deterministic (fixed), G for any.
// The bounds of a closed loop: P. J. Denning and J. P. Buzen, "The Operational Analysis of Queueing
// Network Models", Computing Surveys 10(3), 1978.

import "../law/formulas.js";
import { check } from "./options.js";

/**
 * The chance that an arrival must wait because all servers are busy: Erlang's C formula.
 *
 * @param {number} servers how many
 * @param {number} load how many of them are busy on average: rate times service; less than `servers`
 */
export function erlangC(servers, load) {
    // Erlang's B formula by its recursion, which needs no factorials and so never overflows.
    let blocked = 1;
    for (let number = 1; number <= servers; number++) {
        blocked = (load * blocked) / (number + load * blocked);
    }
    const utilisation = load / servers;
    return blocked / (1 - utilisation * (1 - blocked));
}

/**
 * The queue M/M/c: requests at random moments, service times exponential, `servers` of them, one queue.
 *
 * @param {{rate: number, service: number, servers: number}} queue per second; mean ms; how many
 * @returns {{utilisation: number, waiting: number, inSystem: number}} the share of the time in which a server
 *   is busy; the mean wait in the queue, and the mean time in the system, in ms: infinite if the servers
 *   can't keep up
 */
export function mmc({ rate, service, servers }) {
    const load = (rate * service) / 1000;
    const utilisation = load / servers;
    const waiting =
        load === 0 ? 0 : utilisation >= 1 ? Infinity : (erlangC(servers, load) * service) / (servers - load);
    return { utilisation, waiting, inSystem: waiting + service };
}

/**
 * The queue M/M/1: as `mmc` with one server.
 * @param {{ rate: number, service: number }} queue
 */
export function mm1({ rate, service }) {
    return mmc({ rate, service, servers: 1 });
}

/**
 * The queue M/G/1: requests at random moments, one server, service times of any kind.
 *
 * @param {{rate: number, service: number, variance: number}} queue per second; mean ms; its variance in ms²
 * @returns as `mmc`
 */
export function mg1({ rate, service, variance }) {
    const utilisation = (rate * service) / 1000;
    const waiting =
        utilisation >= 1 ? Infinity : ((rate / 1000) * (service * service + variance)) / (2 * (1 - utilisation));
    return { utilisation, waiting, inSystem: waiting + service };
}

/**
 * The queue M/D/1: as `mg1`, every service the same. Half the wait of M/M/1.
 * @param {{ rate: number, service: number }} queue
 */
export function md1({ rate, service }) {
    return mg1({ rate, service, variance: 0 });
}

/**
 * What the laws say about a long run with these settings.
 *
 * @param {SomeSettings} settings as for `check` of simulator.js
 * @returns {{capacity: number, bottleneck: string, throughput: number, latency: ?number, utilisation: number,
 *   law: ?string, exact: boolean, sentences: string[]}}
 *   `capacity`: what the server can do, per second; Infinity if it has no limit of its own.
 *   `bottleneck`: what sets the throughput: 'clients' or 'arrivals' if the server could do more, else
 *   'threads' or 'cpus'.
 *   `throughput`: what to expect, per second.
 *   `latency`: the mean, in ms; null if no law here knows it, or if it would grow without end.
 *   `utilisation`: throughput / capacity, from 0 to 1.
 *   `law`: the name of the law that gave the latency, or null.
 *   `exact`: false if the throughput is a ceiling that a run may stay below, and the latency a floor.
 *   `sentences`: the same in words, with the numbers put in.
 * @throws {RangeError} as `check` does
 */
export function predict(settings) {
    const load = loadOf(check(settings));
    const { open, threadLimit, cpuLimit, offered } = load;

    const capacity = Math.min(cpuLimit, threadLimit);
    const throughput = Math.min(capacity, offered);
    /** @type {keyof typeof LIMITS} */
    let bottleneck = open ? "arrivals" : "clients";
    if (throughput < offered) {
        bottleneck = cpuLimit < threadLimit && cpuLimit === throughput ? "cpus" : "threads";
    }
    const exact = isExact(load);
    const found = open ? openLatency(load, capacity) : closedLatency(load, throughput);
    return {
        capacity,
        bottleneck,
        throughput,
        latency: found.latency,
        utilisation: capacity === Infinity ? 0 : throughput / capacity,
        law: found.law,
        exact,
        sentences: inWords(load, { capacity, bottleneck, throughput, exact, ...found }),
    };
}

/**
 * @typedef {import("./options.js").Settings} Settings
 * @typedef {import("./options.js").SomeSettings} SomeSettings
 * @typedef {ReturnType<typeof loadOf>} Load
 * @typedef {{ latency: number | null, law: string | null }} Found
 */

/** What sets the limit, in words. */
const LIMITS = { threads: "threads", cpus: "CPUs", clients: "clients", arrivals: "arrivals" };

/**
 * The settings, and what follows from them: times in ms, rates per second.
 * @param {Settings} settings
 */
function loadOf(settings) {
    const { cpus, model, arrivals, keepAlive, work } = settings;
    const { compute } = work;
    const wait = work.wait / work.every;
    const total = compute + wait;
    const open = arrivals.kind === "open";
    const think = open ? 0 : arrivals.think;
    const kept = !open && keepAlive;
    /** @type {Partial<Record<typeof model, number>>} */
    const own = { "one-thread": 1, "thread-per-connection": Number.POSITIVE_INFINITY };
    const threads = own[model] ?? settings.threads;
    // A thread of a pool that has a kept connection waits with it for its client.
    const ownsConnection = kept && (model === "pool" || model === "one-thread");
    // How long a request holds its thread.
    const held = model === "tasks" ? compute : total + (ownsConnection ? think : 0);
    const clients = open ? 0 : arrivals.clients;
    return {
        ...settings,
        compute,
        wait,
        total,
        open,
        think,
        // Open arrivals have no clients, and only they come by chance.
        clients,
        poisson: open && arrivals.process === "poisson",
        kept,
        threads,
        held,
        // Clients whose connection never gets a thread.
        starved: ownsConnection ? Math.max(0, clients - threads) : 0,
        cpuLimit: rateOf(cpus, compute),
        threadLimit: rateOf(threads, held),
        offered: open ? arrivals.rate : rateOf(clients, total + think),
    };
}

/**
 * Whether the throughput is what comes out in the long run, and not only a ceiling.
 * @param {Load} load
 */
function isExact(load) {
    const { switchCost, cpus, threads, clients, compute, total, think, open, kept, model } = load;
    if (switchCost > 0) {
        return false;
    }
    if (open) {
        // Computing and waiting in turn, a few threads can't always keep all CPUs busy.
        const noContention =
            compute === 0 || compute === total || threads <= cpus || model === "tasks" || threads === Infinity;
        return noContention && load.offered !== Math.min(load.threadLimit, load.cpuLimit);
    }
    if (clients === 1) {
        return true;
    }
    if (compute === 0) {
        // Nobody queues; or somebody always does; or the queue never moves.
        return model === "tasks" || clients <= threads || think === 0 || (kept && model !== "tasks-blocking");
    }
    // Only computing: as many CPUs as can be are always busy.
    return compute === total && think === 0;
}

/**
 * The mean latency in a closed loop, from Little's law: the clients that are served, less those that think.
 * @param {Load} load
 * @param {number} throughput
 * @returns {Found}
 */
function closedLatency({ clients, starved, total, think }, throughput) {
    const latency = stayOf(clients - starved, throughput) - think;
    // No less than the work, where the numbers of the computer come out a hair below it.
    return { latency: Math.max(total, latency), law: "Little" };
}

/**
 * The mean latency of open arrivals, if a law knows it: `{latency, law}`.
 * @param {Load} load
 * @param {number} capacity
 * @returns {Found}
 */
function openLatency(load, capacity) {
    const { model, cpus, threads, poisson, work, slice, switchCost, compute, total, offered } = load;
    const unknown = { latency: null, law: null };
    if (offered >= capacity || switchCost > 0 || work.every > 1) {
        return unknown;
    }
    const fixed = work.spread === "fixed";
    // The parts of the work that are not nothing.
    const parts = [work.compute, work.wait].filter((it) => it > 0);

    if (model === "tasks" || model === "thread-per-connection") {
        // Waiting holds nothing here, and nobody queues for it.
        if (compute === 0) {
            return { latency: total, law: `${poisson ? "M" : "D"}/${fixed ? "D" : parts.length === 1 ? "M" : "G"}/∞` };
        }
        // The servers are the CPUs. A request that waits comes back to them afterwards, and that needs another law.
        if (!poisson || parts.length > 1) {
            return unknown;
        }
        const servers = Math.min(threads, cpus);
        if (!fixed) {
            // Slices change the order, but for exponential times no mean.
            return { latency: mmc({ rate: offered, service: compute, servers }).inSystem, law: `M/M/${servers}` };
        }
        const inOrder = slice >= compute || threads === 1;
        return servers === 1 && inOrder
            ? { latency: md1({ rate: offered, service: compute }).inSystem, law: "M/D/1" }
            : unknown;
    }

    // The servers are the threads: each takes the next request when it is done with one.
    if (compute > 0 && threads > cpus) {
        return unknown;
    }
    if (!poisson) {
        return fixed ? { latency: total, law: `D/D/${threads}` } : unknown;
    }
    if (threads === 1) {
        const variance = fixed ? 0 : parts.reduce((sum, it) => sum + it * it, 0);
        const law = fixed ? "M/D/1" : parts.length === 1 ? "M/M/1" : "M/G/1";
        return { latency: mg1({ rate: offered, service: total, variance }).inSystem, law };
    }
    return !fixed && parts.length === 1
        ? { latency: mmc({ rate: offered, service: total, servers: threads }).inSystem, law: `M/M/${threads}` }
        : unknown;
}

/**
 * The prediction in sentences: what could limit it, what does, and how long a request takes.
 * @param {Load} load
 * @param {Found & { capacity: number, bottleneck: keyof typeof LIMITS, throughput: number, exact: boolean }} found
 */
function inWords(load, found) {
    const { threads, clients, starved } = load;
    const { bottleneck, throughput, exact } = found;
    return [
        ...ofThreads(load),
        ...ofCpus(load),
        ofArrivals(load),
        ...(starved > 0
            ? [
                  `Each thread belongs to one kept connection. There are ${number(threads)}, ` +
                      `so ${number(starved)} of ${count(clients, "client")} never get a response.`,
              ]
            : []),
        `The ${LIMITS[bottleneck]} set the limit: ${exact ? "" : "at most "}${rate(throughput)}.`,
        ...ofLatency(load, found),
    ];
}

/** @param {number} many */
const who = (many) => (many === 1 ? "which" : "each of which");

/** @param {Load} load */
const average = ({ work }) => (work.every > 1 || work.spread === "exponential" ? " on average" : "");

/**
 * What the threads allow.
 * @param {Load} load
 * @returns {string[]}
 */
function ofThreads(load) {
    const { model, threads, compute, wait, total, think, held, threadLimit } = load;
    if (model === "tasks") {
        return wait > 0 ? ["A task that waits gives its worker back, so requests that wait hold no worker."] : [];
    }
    if (model === "thread-per-connection") {
        return ["Every connection has its own thread, so no request waits for a thread."];
    }
    if (threadLimit === Number.POSITIVE_INFINITY) {
        return [];
    }
    const computes = compute > 0 && `computes ${ms(compute)}${average(load)}`;
    const waits = wait > 0 && `waits ${ms(wait)}${average(load)}`;
    const does = [computes, waits].filter(Boolean).join(" and ");
    const idles = held > total ? ` and then waits ${ms(think)} for its client` : "";
    const all = count(threads, model === "tasks-blocking" ? "worker" : "thread");
    return [
        `${all}, ${who(threads)} ${does} for a request${idles}, ` +
            `can answer at most ${ratio(threads, held)} = ${rate(threadLimit)}.`,
    ];
}

/**
 * What the CPUs allow.
 * @param {Load} load
 */
function ofCpus(load) {
    const { model, cpus, threads, compute, switchCost, threadLimit, cpuLimit } = load;
    const sentences = [];
    if (compute > 0) {
        const less = switchCost > 0 ? ", less what the switches take" : "";
        sentences.push(
            `${count(cpus, "CPU")}, ${who(cpus)} computes ${ms(compute)}${average(load)} for a request, ` +
                `can do at most ${ratio(cpus, compute)} = ${rate(cpuLimit)}${less}.`,
        );
    }
    if (model === "tasks" && compute > 0 && threads < cpus) {
        sentences.push(
            `${count(threads, "worker")} can use only as many of the CPUs: ` +
                `at most ${ratio(threads, compute)} = ${rate(threadLimit)}.`,
        );
    }
    return sentences;
}

/**
 * What is asked for.
 * @param {Load} load
 */
function ofArrivals({ open, clients, total, think, offered }) {
    if (open) {
        return `${rate(offered)} arrive, whatever the server does.`;
    }
    const thinks = think > 0 ? ` and thinks ${ms(think)}` : "";
    return (
        `${count(clients, "client")}, ${who(clients)} waits at least ${ms(total)} for a response${thinks}, ` +
        `can ask at most ${ratio(clients, total + think)} = ${rate(offered)}.`
    );
}

/**
 * How long a request takes.
 * @param {Load} load
 * @param {Found & { capacity: number, throughput: number, exact: boolean }} found
 */
function ofLatency({ clients, starved, think, open, poisson, offered }, { latency, law, capacity, throughput, exact }) {
    if (law === "Little" && latency !== null) {
        const thinks = think > 0 ? ` - ${ms(think)} to think` : "";
        const served = number(clients - starved);
        return [
            `By Little's law a response then takes ${exact ? "" : "at least "}${served} / ${number(throughput)} s${thinks} ` +
                `= ${ms(latency)} on average${starved > 0 ? ", if it comes" : ""}.`,
        ];
    }
    if (law && latency !== null) {
        return [`By the law of the queue ${law} a response takes ${ms(latency)} on average.`];
    }
    if (open && offered > capacity) {
        return [
            `Every second ${number(offered - capacity)} more requests arrive than are answered, so the queue grows, and every response takes longer than the response before.`,
        ];
    }
    if (open && offered === capacity && poisson) {
        return ["No capacity is left to work off the requests that chance has put into the queue, so it grows."];
    }
    return [];
}

// --- Numbers in sentences ----------------------------------------------------------------------------

/**
 * A number with three significant digits, and no more zeros than it needs: 0.333, 12.5, 1,230.
 * @param {number} value
 */
function number(value) {
    const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
    return rounded.toLocaleString("en-GB", { maximumFractionDigits: 12 });
}

/** @param {number} value */
const ms = (value) => `${number(value)} ms`;
/**
 * @param {number} value
 * @param {string} noun
 */
const count = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
/** @param {number} value */
const rate = (value) => `${number(value)} request${value === 1 ? "" : "s"} per second`;
/**
 * "8 / 0.1 s", from a number and ms.
 * @param {number} value
 * @param {number} time
 */
const ratio = (value, time) => `${number(value)} / ${number(time / 1000)} s`;
