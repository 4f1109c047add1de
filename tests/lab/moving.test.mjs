// The requests that move above the lab's timeline: each goes its way in order, and no two are in one place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { journeysOf, panelOf } from "../../book/lab/moving.js";
import { presets } from "../../book/lab/presets.js";
import { Run } from "../../book/lab/run.js";
import { complete } from "../../book/lab/settings.js";
import { simulate } from "../../book/lab/simulator.js";

for (const [name, { settings }] of Object.entries(presets)) {
    test(`each request goes from the line to its place and away: ${name}`, () => {
        const run = new Run(simulate(complete(settings)));
        const { journeys, kept, places } = journeysOf(run);
        assert.equal(journeys.length, run.result.requests.length);
        const answered = journeys.filter(({ steps }) => steps.at(-1)?.[1] === "done");
        assert.equal(answered.length, run.result.requests.filter(({ finished }) => finished !== null).length);
        /** @type {Map<number, [number, number][]>} */
        const taken = new Map();
        for (const { request, steps, end } of journeys) {
            const moments = steps.map(([at]) => at);
            assert.deepEqual(
                moments,
                [...moments].sort((one, other) => one - other),
                `request ${request}`,
            );
            assert.equal(steps[0][1], "queues");
            const slot = steps.find((step) => step[2] !== null)?.[2] ?? null;
            if (slot !== null) {
                assert.ok(slot < places);
                const times = taken.get(slot) ?? [];
                times.push([steps[1][0], end]);
                taken.set(slot, times);
            }
        }
        for (const times of taken.values()) {
            times.sort(([one], [other]) => one - other);
            times.slice(1).forEach(([from], index) => {
                assert.ok(times[index][1] <= from + 1e-9, `two requests in one place at ${from}`);
            });
        }
        if (["one-thread", "pool"].includes(run.settings.model)) {
            assert.ok(places <= kept, `${places} requests hold ${kept} threads`);
        }
    });
}

test("all places lie on the drawing, behind the line", () => {
    for (const needs of [
        { square: true, kept: 8, places: 8 },
        { square: false, kept: 2, places: 20 },
        { square: true, kept: 0, places: 24 },
    ]) {
        const { head, boxes, tasks, exit } = panelOf(needs, 320);
        const all = [...boxes, ...tasks].map(([x]) => x);
        assert.ok(Math.min(...all) > head && Math.max(...all) < (exit?.[0] ?? 0), JSON.stringify(all));
    }
});
