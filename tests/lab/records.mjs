// What measurements/results/ holds of a server, as settings of the simulator.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import "../../book/lab/simulator.js";
import "../../book/lab/settings.js";

/**
 * How far a measured figure may lie from the simulated one, as a share of it.
 *
 * Not tighter, because the model leaves out what the machine adds: a sleep of 100 ms that ends late, by a few per
 * cent when hundreds end together on a busy processor; the generator's own processor time; and the moment at which
 * the generator stops: all clients are answered in the same rounds of 100 ms, and a round that comes a hair too late
 * is missing whole, one of thirty in three seconds. Not wider, because the models differ by whole factors,
 * and a pool that had one thread of eight too many would be off by 12%.
 */
export const TOLERANCE = 0.1;

/**
 * The model of each server, and its threads where its options don't say: null where it has one for each of its processors.
 * Read from examples/servers.toml by `cargo test --test lab`, which runs these files.
 * @type {Record<string, { model: Model, threads: number | null }>}
 */
const servers = JSON.parse(process.env.LADDER_SERVERS ?? "{}");
assert.ok(Object.keys(servers).length > 0, "run this with: cargo test --test lab");

export const median = (/** @type {number[]} */ values) => {
    const sorted = [...values].sort((a, b) => a - b);
    return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
};

/** The value of an option like `-c 64`, `-c64` or `--threads 8` in a list of arguments; null if it isn't there. */
const option = (/** @type {string[]} */ args, /** @type {string} */ name) => {
    const index = args.findIndex((it) => it === name || (name.length === 2 && it.startsWith(name)));
    return index < 0 ? null : args[index] === name ? args[index + 1] : args[index].slice(name.length);
};

/**
 * What was measured of an experiment: the runs that count, and the description of what was run.
 * @typedef {{ name: string, server?: string, generator?: string[], options?: string[] }} Variant
 * @typedef {{ variant: string, figures: Record<string, number> }} Run
 * @typedef {object} MeasuredRecord
 * @property {string} metric
 * @property {{ pin: string, server: string, generator: string[], variants: Variant[] }} ran
 * @property {number} hardwareThreads
 * @property {Run[]} runs
 */

/**
 * Read from measurements/results by `cargo test --test lab`.
 * @type {Record<string, MeasuredRecord>}
 */
const records = JSON.parse(readFileSync(process.env.LADDER_RECORDS ?? "", "utf8"));

/**
 * @param {string} name
 * @returns {MeasuredRecord}
 */
export function readRecord(name) {
    assert.ok(records[name], `${name} was not measured`);
    return records[name];
}

/**
 * What a run of the variant does, as settings of the simulator.
 * @param {MeasuredRecord} record
 * @param {Variant} variant
 * @param {Run[]} runs
 * @returns {LabSettings}
 */
export function measuredSettings(record, variant, runs) {
    const { ran, hardwareThreads } = record;
    const generator = variant.generator ?? ran.generator;
    const options = variant.options ?? [];
    const url = new URL(generator[generator.length - 1].replace("{url}", "http://server"));
    // "apart" gives the server one half of the processors, and the generator the other.
    const apart = ran.pin === "apart" && hardwareThreads > 1;
    const cpus = Math.floor(hardwareThreads / (apart ? 2 : 1));
    const server = servers[variant.server ?? ran.server];
    /** @type {Record<string, { wait: number, every?: number }>} */
    const routes = {
        "/sleep": { wait: Number(url.searchParams.get("ms") ?? 100) },
        "/tenth": { wait: Number(url.searchParams.get("ms") ?? 2000), every: 10 },
    };
    const work = routes[url.pathname];
    assert.ok(server && work, `${variant.name}: ${variant.server} ${url}`);
    const seconds = option(generator, "-d") ?? "";
    assert.match(seconds, /^\d+s$/, generator.join(" "));
    return {
        ...LAB_DEFAULTS,
        ...work,
        cpus,
        model: server.model,
        threads: Number(option(options, "--threads") ?? server.threads ?? cpus),
        keep: options.includes("--keep-alive"),
        clients: Number(option(generator, "-c")),
        compute: median(runs.map((it) => it.figures.server_cpu_us_per_request)) / 1000,
        length: 1000 * parseInt(seconds, 10),
    };
}
