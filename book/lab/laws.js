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

import { check } from './simulator.js';

/**
 * Little's law: what is in a system, on average, is what leaves it per time, times how long it stays.
 * It asks nothing of the arrivals, of the work, or of the order, only that what comes in also comes out.
 *
 * @param {{throughput: number, latency: number}} flow per second, and ms
 * @returns {number} how many are in the system
 */
export function little({ throughput, latency }) {
    return throughput * latency / 1000;
}

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
        blocked = load * blocked / (number + load * blocked);
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
    const load = rate * service / 1000;
    const utilisation = load / servers;
    const waiting = load === 0 ? 0 : utilisation >= 1 ? Infinity : erlangC(servers, load) * service / (servers - load);
    return { utilisation, waiting, inSystem: waiting + service };
}

/** The queue M/M/1: as `mmc` with one server. */
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
    const utilisation = rate * service / 1000;
    const waiting = utilisation >= 1
        ? Infinity
        : rate / 1000 * (service * service + variance) / (2 * (1 - utilisation));
    return { utilisation, waiting, inSystem: waiting + service };
}

/** The queue M/D/1: as `mg1`, every service the same. Half the wait of M/M/1. */
export function md1({ rate, service }) {
    return mg1({ rate, service, variance: 0 });
}

/**
 * What the laws say about a run with these settings.
 *
 * @param {object} settings as for `check` of simulator.js
 * @returns {{capacity: number, bottleneck: string, throughput: number, latency: ?number, utilisation: number,
 *   law: ?string, exact: boolean, sentences: string[]}}
 *   `capacity`: what the server can do, per second; Infinity if it has no limit of its own.
 *   `bottleneck`: what sets the throughput: 'clients' or 'arrivals' if the server could do more, else
 *   'threads' or 'cpus'.
 *   `throughput`: what to expect, per second.
 *   `latency`: the mean, in ms; null if no law here knows it, or if it would grow without end.
 *   `utilisation`: throughput / capacity, from 0 to 1.
 *   `law`: the name of the law that gave the latency, or null.
 *   `exact`: false if the throughput is a ceiling that the run may stay below.
 *   `sentences`: the same in words, with the numbers put in.
 * @throws {RangeError} as `check` does
 */
export function predict(settings) {
    const all = check(settings);
    const { cpus, model, arrivals, keepAlive, work } = all;
    const compute = work.compute + work.computeAfter;
    const wait = work.wait / work.every;
    const total = compute + wait;
    const open = arrivals.kind === 'open';
    const think = open ? 0 : arrivals.think;
    const kept = open ? arrivals.connections > 0 : keepAlive;
    const threads = { 'one-thread': 1, 'thread-per-connection': Infinity }[model] ?? all.threads;
    const sentences = [];

    // The ceiling that the CPUs set.
    const cpuLimit = compute > 0 ? cpus / compute * 1000 : Infinity;

    // The ceiling that the threads set: each is held for some time by each request.
    const readHolds = model === 'pool' || model === 'one-thread';
    const held = model === 'tasks' ? compute : total + (kept && readHolds ? think : 0);
    const threadLimit = held > 0 ? threads / held * 1000 : Infinity;

    const capacity = Math.min(cpuLimit, threadLimit);
    const offered = open ? arrivals.rate : arrivals.clients / (total + think) * 1000;
    // A pool whose threads belong to kept connections never serves the clients beyond them.
    const senders = open ? arrivals.connections : arrivals.clients;
    const starved = kept && readHolds ? Math.max(0, senders - threads) : 0;
    const served = open ? offered * (senders === 0 ? 1 : (senders - starved) / senders) : offered;
    const throughput = Math.min(capacity, served);
    const bottleneck = capacity < offered || starved > 0
        ? (threadLimit <= cpuLimit || starved > 0 && capacity >= served ? 'threads' : 'cpus')
        : (open ? 'arrivals' : 'clients');

    // In words: first what could limit it, then what does.
    if (threadLimit < Infinity && model !== 'tasks') {
        const each = [
            compute > 0 && `computes ${ms(compute)}`,
            wait > 0 && `waits ${ms(wait)}${work.every > 1 ? ' on average' : ''}`,
            held > total && `is held for ${ms(think)} while its client thinks`,
        ].filter(Boolean).join(' and ');
        sentences.push(
            `${count(threads, model === 'tasks-blocking' ? 'worker' : 'thread')}, each of which ${each} for a request, `
            + `${threads === 1 ? 'answers' : 'answer'} at most ${ratio(threads, held)} = ${rate(threadLimit)}.`,
        );
    }
    if (model === 'thread-per-connection' && wait > 0) {
        sentences.push('Every connection has a thread of its own, so no request waits for a thread.');
    }
    if (model === 'tasks' && wait > 0) {
        sentences.push('A task that waits gives its worker back, so waiting requests hold no worker.');
    }
    if (compute > 0) {
        sentences.push(
            `${count(cpus, 'CPU')} can do ${ms(compute)} of computing at most ${ratio(cpus, compute)} = ${rate(cpuLimit)}`
            + `${all.switchCost > 0 ? ', and less by the time that switches take' : ''}.`,
        );
        if (model === 'tasks' && threads < cpus) {
            sentences.push(`${count(threads, 'worker')} can use only as many CPUs: at most ${rate(threadLimit)}.`);
        }
    }
    if (open) {
        sentences.push(`${rate(offered)} arrive, whatever the server does.`);
    } else {
        const loop = think > 0 ? `${ms(total)} for its answer and ${ms(think)} to think` : `${ms(total)} for its answer`;
        sentences.push(
            `${count(arrivals.clients, 'client')}, each of which needs at least ${loop}, `
            + `can ask at most ${ratio(arrivals.clients, total + think)} = ${rate(offered)}.`,
        );
    }
    if (starved > 0) {
        sentences.push(
            `Each of the ${threads} threads belongs to one kept connection, so ${starved} of ${count(senders, 'client')} `
            + 'are never served.',
        );
    }
    const limit = { threads: 'the threads', cpus: 'the CPUs', clients: 'the clients', arrivals: 'the arrivals' };
    sentences.push(`The limit is set by ${limit[bottleneck]}: ${rate(throughput)}.`);

    const stable = offered < capacity;
    let found = { latency: null, law: null };
    if (!open && starved === 0) {
        found = { latency: arrivals.clients / throughput * 1000 - think, law: 'Little' };
        sentences.push(
            `By Little's law a request then takes ${arrivals.clients} / ${number(throughput)} s`
            + `${think > 0 ? ` - ${ms(think)} of thinking` : ''} = ${ms(found.latency)}.`,
        );
    } else if (open && !kept && stable) {
        found = openLatency(all, threads, total);
        if (found.law) {
            sentences.push(`The queue is an ${found.law}: a request takes ${ms(found.latency)} on average.`);
        }
    } else if (open && offered > capacity) {
        sentences.push(
            `That is ${rate(offered - capacity)} fewer than arrive: the queue grows by so many every second, `
            + 'and with it the time that a request takes.',
        );
    } else if (open && offered === capacity && arrivals.process === 'poisson') {
        sentences.push('Nothing is left over to work a queue off, so every chance delay stays, and the queue grows.');
    }

    return {
        capacity,
        bottleneck,
        throughput,
        latency: found.latency,
        utilisation: capacity === Infinity ? 0 : throughput / capacity,
        law: found.law,
        exact: isExact(all, { open, kept, compute, total, think, threads, cpuLimit, threadLimit, offered }),
        sentences,
    };
}

/** The mean latency of open arrivals on connections of their own, if a law knows it: `{latency, law}`. */
function openLatency({ model, cpus, arrivals, work, slice, switchCost }, threads, total) {
    const { rate: perSecond, process } = arrivals;
    const compute = work.compute + work.computeAfter;
    const parts = [work.compute, work.wait, work.computeAfter].filter((it) => it > 0);
    const fixed = work.spread === 'fixed';
    const unknown = { latency: null, law: null };
    if (switchCost > 0 || work.every > 1) {
        return unknown;
    }
    const threadsAreServers = model === 'pool' || model === 'one-thread' || model === 'tasks-blocking';
    if (threadsAreServers && (threads <= cpus || compute === 0)) {
        // A thread is a server: it takes the next request when it is done with one.
        if (process === 'even') {
            return fixed ? { latency: total, law: 'D/D/c' } : unknown;
        }
        if (threads === 1) {
            const variance = fixed ? 0 : parts.reduce((sum, it) => sum + it * it, 0);
            const law = fixed ? 'M/D/1' : parts.length === 1 ? 'M/M/1' : 'M/G/1';
            return { latency: mg1({ rate: perSecond, service: total, variance }).inSystem, law };
        }
        return fixed || parts.length > 1
            ? unknown
            : { latency: mmc({ rate: perSecond, service: total, servers: threads }).inSystem, law: `M/M/${threads}` };
    }
    if (threadsAreServers) {
        return unknown;
    }
    // Waiting holds nothing here; computing is done by the CPUs, or by as many workers.
    if (compute === 0) {
        return { latency: total, law: fixed ? 'M/D/∞' : 'M/M/∞' };
    }
    const oneVisit = work.computeAfter === 0 || work.wait === 0;
    if (process === 'even' || !oneVisit) {
        return unknown;
    }
    const servers = model === 'tasks' ? Math.min(threads, cpus) : cpus;
    const afterwards = work.wait;
    const onlyOnePart = work.compute === 0 || work.computeAfter === 0;
    if (!fixed) {
        // With more workers than CPUs, or a thread each, the CPUs share themselves out by slices. For exponential
        // times this changes no mean.
        return onlyOnePart
            ? { latency: mmc({ rate: perSecond, service: compute, servers }).inSystem + afterwards, law: `M/M/${servers}` }
            : unknown;
    }
    if (servers > 1) {
        return unknown;
    }
    // Fixed times on one server: in order (a slice is long enough, or nobody else is ready), or shared by tiny slices.
    const inOrder = slice >= compute || (model === 'tasks' && threads === 1);
    if (inOrder) {
        return { latency: md1({ rate: perSecond, service: compute }).inSystem + afterwards, law: 'M/D/1' };
    }
    return unknown;
}

/** Whether the throughput is what comes out, and not only a ceiling. */
function isExact({ arrivals, work, switchCost, cpus, model }, it) {
    if (switchCost > 0 && it.compute > 0) {
        return false;
    }
    if (it.open) {
        return !it.kept;
    }
    // Without computing, the CPUs are in nobody's way. Then it is exact if nobody queues, or if a queue never empties.
    if (it.compute === 0) {
        const clients = arrivals.clients;
        return work.every === 1 && (clients <= it.threads || it.think === 0 || it.kept || model === 'tasks');
    }
    // Without waiting, the CPUs never idle while as many requests as CPUs are there.
    if (it.total === it.compute && it.think === 0) {
        return arrivals.clients >= Math.min(cpus, it.threads) || arrivals.clients === 1;
    }
    return arrivals.clients === 1;
}

// --- Numbers in sentences ----------------------------------------------------------------------------

/** A number with three significant digits, and no more zeros than it needs: 0.333, 12.5, 1,230. */
function number(value) {
    const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
    return rounded.toLocaleString('en-GB', { maximumFractionDigits: 12 });
}

const ms = (value) => `${number(value)} ms`;
const count = (value, noun) => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
const rate = (value) => `${number(value)} requests a second`;
/** "8 / 0.1 s", from a number and ms. */
const ratio = (value, time) => `${number(value)} / ${number(time / 1000)} s`;
