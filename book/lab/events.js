// Chance, queues, and the heap of events.

/** @typedef {{ at: number, order: number, happen: () => void }} Event */

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

    /**
     * A time drawn from the exponential distribution with this mean: the time to an event that has no memory.
     * @param {number} mean
     */
    exponential(mean) {
        // The half keeps 0 out, whose logarithm is infinite.
        return -mean * Math.log((this.next() + 0.5) / 2 ** 32);
    }
}

/**
 * What must be there.
 * @template Value
 * @param {Value | null | undefined} value
 * @returns {Value}
 */
export function sure(value) {
    if (value === null || value === undefined) {
        throw new Error("the simulator has lost something");
    }
    return value;
}

/**
 * A queue: first in, first out.
 * @template Item
 */
export class Queue {
    /** @type {(Item | undefined)[]} */
    #items = [];
    #first = 0;

    get length() {
        return this.#items.length - this.#first;
    }

    /** @param {Item} item */
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
export class Events {
    /** @type {Event[]} */
    #heap = [];
    #count = 0;

    get earliest() {
        return this.#heap[0];
    }

    /**
     * @param {number} at
     * @param {() => void} happen
     */
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
        const last = sure(heap.pop());
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

/**
 * @param {Event} one
 * @param {Event} other
 */
const before = (one, other) => one.at < other.at || (one.at === other.at && one.order < other.order);

/**
 * Adds a span to a list, or lengthens the last one if it only goes on. An empty span is nothing.
 * @template {{ from: number, to: number }} Span
 * @param {Span[]} spans
 * @param {Span} span
 * @param {...keyof Span} same
 */
export function addSpan(spans, span, ...same) {
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
