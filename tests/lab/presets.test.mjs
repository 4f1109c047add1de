// The questions of the lab: each has one right answer, which the simulator and the law give too, and the
// pages say the same where there is no JavaScript. Links keep the settings.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sure } from "../../book/lab/events.js";
import { predict } from "../../book/lab/laws.js";
import { check } from "../../book/lab/options.js";
import { presets } from "../../book/lab/presets.js";
import { complete, fromHash, inWords, toHash } from "../../book/lab/settings.js";
import { simulate } from "../../book/lab/simulator.js";
import { median, readRecord, servers, settingsOf, TOLERANCE } from "./records.mjs";

const page = (/** @type {string} */ name) =>
    readFileSync(new URL(`../../book/${name}.md`, import.meta.url), "utf8").replaceAll("\r\n", "\n");

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

    test(`${name}: the page of the lab says the same`, () => {
        const text = page("lab");
        const start = text.indexOf(`### ${preset.title} {#preset=${name}}`);
        assert.notEqual(start, -1, "no heading");
        const section = text.slice(start, text.indexOf("\n##", start + 4));
        const right = sure(preset.answers.find((answer) => answer.right));
        for (const words of [
            preset.question,
            inWords(settings),
            preset.reveal,
            right.text,
            ...preset.answers.map((answer) => answer.text),
        ]) {
            assert.ok(section.includes(words), `missing: ${words}`);
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
        const variant = sure(record.experiment.variants.find((it) => it.server === server));
        const runs = record.runs.filter((it) => it.variant === variant.name && it.void === null);
        const load = settingsOf(record, variant, runs).settings;
        const { throughput } = simulate({ ...load, model, threads: settings.threads }).summary;
        const measured = median(runs.map((it) => it.figures.requests_per_second));
        assert.ok(Math.abs(measured / throughput - 1) < TOLERANCE, `measured ${measured}, simulated ${throughput}`);
    });
}

test("each server by hand has its question", () => {
    assert.deepEqual(new Set(ofServers.map(({ server }) => server)), new Set(["event_loop", "own_runtime"]));
});

test("where a chapter asks a question, it stands there in words, with a link", () => {
    const chapters = [...new Set(Object.values(presets).map((preset) => preset.chapter))];
    let found = 0;
    for (const chapter of chapters) {
        const text = page(chapter);
        for (const [whole, name, inside] of text.matchAll(/<scheduler-lab preset="([^"]*)">(.*?)<\/scheduler-lab>/gs)) {
            found += 1;
            const preset = presets[name];
            assert.ok(preset, `${chapter}: no question ${name}`);
            for (const words of [
                preset.title,
                preset.question,
                inWords(complete(preset.settings)),
                `(lab.md#preset=${name})`,
            ]) {
                assert.ok(inside.includes(words), `${chapter}: ${name} does not say: ${words}`);
            }
            assert.ok(
                text.includes('<script type="module" src="lab/lab.js"></script>'),
                `${chapter}: ${whole} without its script`,
            );
        }
    }
    assert.ok(found >= 6, `${found} questions in the chapters`);
});

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
