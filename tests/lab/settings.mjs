// Many different settings, the same ones in every run.

import { Random } from "../../book/lab/events.js";
import { check, models } from "../../book/lab/options.js";

/**
 * `count` settings of every kind, drawn by `seed`.
 * @param {number} count
 * @param {number} seed
 */
export function manySettings(count, seed) {
    const random = new Random(seed, 99);
    /** @type {<Item>(list: Item[]) => Item} */
    const pick = (list) => list[random.next() % list.length];
    const one = () => ({
        seed: random.next(),
        cpus: pick([1, 2, 3, 8]),
        model: pick(models),
        threads: pick([1, 2, 5, 8, 30]),
        arrivals: pick([
            { kind: "closed", clients: pick([1, 3, 20, 60]), think: pick([0, 0, 7, 300]) },
            {
                kind: "open",
                rate: pick([5, 40, 150]),
                process: pick(["poisson", "even"]),
            },
        ]),
        keepAlive: pick([false, true]),
        work: {
            compute: pick([0, 0.3, 5, 20]),
            wait: pick([0, 10, 100]),
            spread: pick(["fixed", "exponential"]),
            every: pick([1, 1, 10]),
        },
        slice: pick([0.5, 4, 100]),
        switchCost: pick([0, 0, 0.01, 1]),
        duration: 3000,
    });
    const settings = [];
    while (settings.length < count) {
        try {
            settings.push(check(one()));
        } catch (error) {
            // No work and no time to think: `check` refuses it, and another one is drawn.
            if (!(error instanceof RangeError)) {
                throw error;
            }
        }
    }
    return settings;
}
