// The questions of the lab: each has one right answer, which the simulator and the law give too. Links keep the
// settings.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sure } from "../../book/lab/events.js";
import { predict } from "../../book/lab/laws.js";
import { check } from "../../book/lab/options.js";
import { presets } from "../../book/lab/presets.js";
import { complete, fromHash, toHash } from "../../book/lab/settings.js";
import { simulate } from "../../book/lab/simulator.js";
import { median, readRecord, servers, settingsOf, TOLERANCE } from "./records.mjs";

for (const [name, preset] of Object.entries(presets)) {
    const settings = complete(preset.settings);

    test(`${name}: the right answer is what the simulator gives, and the law`, () => {
        assert.equal(preset.answers.filter((answer) => answer.right).length, 1);
        const { summary } = simulate(settings);
        const { figure, value } = preset.holds;
        /** @type {any} */
        let given = summary;
        for (const key of figure.split(".")) {
            given = given[key];
        }
        assert.ok(Math.abs(given - value) <= value * 0.01, `${figure} is ${given}, and the preset says ${value}`);
        if (figure === "throughput") {
            const law = predict(check(settings)).throughput;
            assert.ok(Math.abs(law - value) <= value * 0.01, `the law says ${law}, and the preset ${value}`);
        }
    });

    test(`${name}: a link keeps the settings`, () => {
        assert.deepEqual(complete(fromHash(toHash(settings)).settings), settings);
        assert.equal(fromHash(`#preset=${name}`).preset, name);
    });
}

/** Those whose question names a server of the ladder, with that server. */
const ofServers = Object.entries(presets).flatMap(([name, { server, settings }]) =>
    server === undefined ? [] : [{ name, server, settings: complete(settings) }],
);

for (const { name, server, settings } of ofServers) {
    test(`${name}: its model and threads are the server's, and agree with what was measured`, () => {
        const { model, threads, takesThreads } = sure(servers[server]);
        assert.equal(settings.model, model);
        // Where the number can be chosen, the question chooses it.
        assert.ok(takesThreads || settings.threads === threads, `${server} has ${threads}, not ${settings.threads}`);
        const record = readRecord("wrk-sleep");
        const variant = sure(record.ran.variants.find((it) => it.server === server));
        const runs = record.runs.filter((it) => it.variant === variant.name);
        const load = settingsOf(record, variant, runs);
        const { throughput } = simulate({ ...load, model, threads: settings.threads }).summary;
        const measured = median(runs.map((it) => it.figures.requests_per_second));
        assert.ok(Math.abs(measured / throughput - 1) < TOLERANCE, `measured ${measured}, simulated ${throughput}`);
    });
}

test("a bad link says what is wrong", () => {
    for (const [hash, words] of [
        ["#thread=8", "no setting “thread”"],
        ["#preset=nothing", "no question called “nothing”"],
        ["#threads=many", "takes a number"],
        ["#threads=", "no value"],
        ["#threads=1&threads=2", "twice"],
        ["#arrivals=sometimes", "closed or open"],
        ["#arrivals=open&clients=3", "belongs to closed"],
        ["#keep-alive=1", "yes or no"],
        ["#model=%zz", "percent"],
        ["#__proto__=1", "no setting"],
    ]) {
        assert.throws(
            () => fromHash(hash),
            (error) => error instanceof RangeError && error.message.includes(words),
            hash,
        );
    }
});
