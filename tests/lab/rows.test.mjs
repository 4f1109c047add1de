// What the lab draws: solid is what a CPU did, in the rows of CPUs, threads and clients alike.

import assert from "node:assert/strict";
import { test } from "node:test";
import { presets } from "../../book/lab/presets.js";
import { Run } from "../../book/lab/run.js";
import { complete } from "../../book/lab/settings.js";
import { simulate } from "../../book/lab/simulator.js";

/**
 * The time of all bars of a kind in some rows.
 * @param {import("../../book/lab/run.js").NamedRow[]} rows
 * @param {Kind} kind
 */
function timeOf(rows, kind) {
    const bars = rows.flatMap((row) => row.bars).filter((bar) => bar.kind === kind);
    return bars.flatMap((bar) => bar.spans).reduce((sum, [from, to]) => sum + to - from, 0);
}

for (const [name, { settings }] of Object.entries(presets)) {
    test(`what is solid was on a CPU: ${name}`, () => {
        const { groups, result } = new Run(simulate(complete(settings)));
        const [clients, threads, cpus] = [groups.clients, groups.threads, groups.cpus].map(({ rows }) =>
            timeOf(rows, "works"),
        );
        const near = (/** @type {number} */ one, /** @type {number} */ other) =>
            assert.ok(Math.abs(one - other) <= 1e-6 * Math.max(one, 1), `${one} and ${other}`);
        near(cpus, threads);
        // A thread also accepts and closes, for no request.
        assert.ok(clients <= cpus * (1 + 1e-9), `${clients} of ${cpus}`);
        // What the simulator counts includes switches, and leaves the warm-up out.
        if (result.settings.warmup === 0) {
            const switches = timeOf(groups.cpus.rows, "switches");
            near(cpus + switches, result.summary.cpuBusy * result.settings.cpus * result.settings.duration);
        }
    });

    test(`every request is in one row, from its sending to its answer: ${name}`, () => {
        const { groups, result } = new Run(simulate(complete(settings)));
        const bars = groups.clients.rows.flatMap((row) => row.bars);
        const moments = (/** @type {Kind} */ kind) => bars.filter((bar) => bar.kind === kind && bar.spans.length > 0);
        assert.equal(moments("sent").length, result.requests.length);
        assert.equal(moments("done").length, result.requests.filter(({ finished }) => finished !== null).length);
        const asleep = timeOf(groups.threads.rows, "holds");
        assert.ok(timeOf(groups.clients.rows, "holds") <= asleep * (1 + 1e-9), `of ${asleep}`);
    });
}
