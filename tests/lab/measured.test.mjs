// The simulator against the servers: what measurements/results/ holds, for the experiments in which waiting is what counts.
//
// Every setting is read from the record: the server's options, the generator's command line, the processors
// that the server had, and the processor time that a request cost it. A new measurement is a new test.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { simulate } from "../../book/lab/simulator.js";

const experiments = [
    "pool-law",
    "tasks-that-wait",
    "blocking-in-tasks",
    "article-000-sweep",
    "article-001-connections",
    "article-000-floor",
    // Every server, the event loop and the runtime by hand among them.
    "wrk-sleep",
];

/**
 * How far a measured figure may lie from the simulated one, as a share of it.
 *
 * Not tighter, because the model leaves out what the machine adds: a sleep of 100 ms that ends late, by a few per
 * cent when hundreds end together on a busy processor; the generator's own processor time; and the moment at which
 * the generator stops: all clients are answered in the same rounds of 100 ms, and a round that comes a hair too late
 * is missing whole, one of thirty in three seconds. Not wider, because the models differ by whole factors,
 * and a pool that had one thread of eight too many would be off by 12%.
 */
const TOLERANCE = 0.1;

/**
 * Where the model is known to be wrong by more than that, which the lab's page tells: it leaves out the bursts in which
 * clients that slept equally long come back together and wait for a processor.
 */
const KNOWN_TO_BE_OFF = ["article-001-connections: 400 clients"];

/**
 * The model of each server, and its threads where its options don't say; without any, one for each of its processors.
 * Read from examples/servers.toml by `cargo test --test lab`, which runs this file.
 */
const servers = JSON.parse(process.env.LADDER_SERVERS ?? "{}");
assert.ok(Object.keys(servers).length > 0, "run this with: cargo test --test lab");

const median = (/** @type {number[]} */ values) => {
    const sorted = [...values].sort((a, b) => a - b);
    return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
};

/** The value of an option like `-c 64`, `-c64` or `--threads 8` in a list of arguments; null if it isn't there. */
const option = (/** @type {string[]} */ args, /** @type {string} */ name) => {
    const index = args.findIndex((it) => it === name || (name.length === 2 && it.startsWith(name)));
    return index < 0 ? null : args[index] === name ? args[index + 1] : args[index].slice(name.length);
};

/**
 * What this reads of a record.
 * @typedef {{ name: string, server?: string, generator?: string[], options?: string[] }} Variant
 * @typedef {{ variant: string, void: string | null, figures: Record<string, number> }} Run
 * @typedef {object} MeasuredRecord
 * @property {{ metric: string, pin: string, server: string, generator: string[], variants: Variant[] }} experiment
 * @property {{ hardware_threads: number }} machine
 * @property {Run[]} runs
 */

/**
 * @param {string} name
 * @returns {MeasuredRecord}
 */
function readRecord(name) {
    return JSON.parse(
        readFileSync(new URL(`../../measurements/results/experiments/${name}.json`, import.meta.url), "utf8"),
    );
}

/**
 * What a run of the variant does, as settings of the simulator; and the requests after which it ends, or null.
 * @param {MeasuredRecord} record
 * @param {Variant} variant
 * @param {Run[]} runs
 */
function settingsOf(record, variant, runs) {
    const { experiment, machine } = record;
    const generator = variant.generator ?? experiment.generator;
    const options = variant.options ?? [];
    const url = new URL(generator[generator.length - 1].replace("{url}", "http://server"));
    // "apart" gives the server one half of the processors, and the generator the other.
    const apart = experiment.pin === "apart" && machine.hardware_threads > 1;
    const cpus = Math.floor(machine.hardware_threads / (apart ? 2 : 1));
    const server = servers[variant.server ?? experiment.server];
    /** @type {Record<string, { wait: number, every?: number }>} */
    const routes = {
        "/sleep": { wait: Number(url.searchParams.get("ms") ?? 100) },
        "/tenth": { wait: Number(url.searchParams.get("ms") ?? 2000), every: 10 },
    };
    const work = routes[url.pathname];
    assert.ok(server && work, `${variant.name}: ${variant.server} ${url}`);
    const seconds = option(generator, "-d") ?? "";
    const total = option(generator, "-n");
    assert.ok(seconds === "" ? total : /^\d+s$/.test(seconds), generator.join(" "));
    return {
        total: total && Number(total),
        settings: {
            cpus,
            ...server,
            threads: Number(option(options, "--threads") ?? server.threads ?? cpus),
            keepAlive: options.includes("--keep-alive"),
            arrivals: { kind: "closed", clients: Number(option(generator, "-c")), think: 0 },
            work: { ...work, compute: median(runs.map((it) => it.figures.server_cpu_us_per_request)) / 1000 },
            duration: total ? 60_000 : 1000 * parseInt(seconds, 10),
        },
    };
}

for (const name of experiments) {
    test(`${name}: simulated as measured`, (context) => {
        const record = readRecord(name);
        const { metric, variants } = record.experiment;
        let held = 0;
        for (const variant of variants) {
            const runs = record.runs.filter((it) => it.variant === variant.name && it.void === null);
            const measured = median(runs.map((it) => it.figures[metric]));
            const { settings, total } = settingsOf(record, variant, runs);
            const result = simulate(settings);
            const simulated = total
                ? result.requests
                      .map((it) => it.finished)
                      .filter((it) => it !== null)
                      .sort((a, b) => a - b)[total - 1] / 1000
                : result.summary.throughput;
            const off = measured / simulated - 1;
            context.diagnostic(
                `${variant.name}: measured ${measured.toPrecision(4)}, simulated ${simulated.toPrecision(4)} ${metric}, ` +
                    `${(100 * off).toFixed(1)}%`,
            );
            // A slower machine may be busy enough with computing for the law of waiting not to hold.
            if (result.summary.cpuBusy > 0.5) {
                context.diagnostic(`${variant.name}: not held to it, the processors are busy`);
                continue;
            }
            if (KNOWN_TO_BE_OFF.includes(`${name}: ${variant.name}`)) {
                assert.ok(off <= -TOLERANCE, `${variant.name}: no longer off, so the page should not say that it is`);
                continue;
            }
            held += 1;
            assert.ok(Math.abs(off) < TOLERANCE, `${variant.name}: measured ${measured}, simulated ${simulated}`);
        }
        assert.ok(held >= variants.length / 2, `${held} of ${variants.length} variants could be held to it`);
    });
}

test("the wrong model would be seen", () => {
    const record = readRecord("blocking-in-tasks");
    for (const variant of record.experiment.variants) {
        const runs = record.runs.filter((it) => it.variant === variant.name && it.void === null);
        const measured = median(runs.map((it) => it.figures.requests_per_second));
        const { settings } = settingsOf(record, variant, runs);
        const other = settings.model === "tasks" ? "tasks-blocking" : "tasks";
        const { throughput } = simulate({ ...settings, model: other }).summary;
        assert.ok(
            Math.abs(measured / throughput - 1) > 5 * TOLERANCE,
            `${variant.name}: ${measured} and ${throughput}`,
        );
    }
});
