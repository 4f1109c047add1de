// What the lab weighs, and what it may not do.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const folder = new URL("../../book/lab/", import.meta.url);
const scripts = readdirSync(folder).filter((it) => it.endsWith(".js"));
const read = (/** @type {string} */ name) => readFileSync(new URL(name, folder));
/** What it draws with, as the recordings do. */
const PICTURES = ["../pictures/rows.js", "../pictures/stage.js"];

test("all scripts of the lab together are below 100 KB, compressed", (context) => {
    assert.ok(scripts.includes("simulator.js") && scripts.includes("laws.js"), scripts.join());
    /** @type {[string, number][]} */
    const sizes = [...scripts, ...PICTURES].map((name) => [name, gzipSync(read(name)).length]);
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    const list = sizes.map(([name, bytes]) => `${name} ${bytes}`).join(", ");
    context.diagnostic(`${total} bytes: ${list}`);
    assert.ok(total < 100_000, list);
});

test("the scripts load each other and nothing else", () => {
    for (const name of scripts) {
        const text = read(name).toString();
        for (const [, from] of text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
            const own = from.startsWith("./") && scripts.includes(from.slice(2));
            assert.ok(own || PICTURES.includes(from), `${name} loads ${from}`);
        }
    }
});

test("the simulator and the laws know no clock, no page and no chance but their seed", () => {
    for (const name of ["simulator.js", "recorder.js", "events.js", "options.js", "laws.js"]) {
        const text = read(name).toString();
        for (const word of [
            "Math.random",
            "Date",
            "performance.",
            "document",
            "window.",
            "process.",
            "crypto",
            "fetch(",
        ]) {
            assert.ok(!text.includes(word), `${name} has ${word}`);
        }
    }
});
