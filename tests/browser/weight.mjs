// What a first visit to each page costs: its requests and bytes, text compressed as web servers send it, and how far
// the page jumps while it is built, and what it waits for before it is first seen.
//
//     node weight.mjs FOLDER
//
// FOLDER is the built book. Prints a line for each page, as a table; with FILES set, also what each one loads.
// Ends with 1 if a page is too heavy, jumps, or waits for too much. ONLY: only pages whose name contains this.

import { readdirSync } from "node:fs";
import { builtBook, each, finish, hasMoved, launch, PATIENCE, problem, serve } from "./book.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** The most bytes of a page, compressed, with all that it loads but the search index. */
const MOST = 250 * 1024;
/** The most style sheets, and the most scripts, for which a page waits before it is first seen. */
const MOST_WAITED_FOR = 3;
/** A page that loads nothing for so long, in milliseconds, has loaded all: the lab's scripts come after its style. */
const REST = 1000;
/** The most that a page may jump, as the browser scores it. */
const JUMPS = 0.05;
const SCREENS = [
    { width: 390, height: 844 },
    { width: 1366, height: 768 },
];

/** Runs in each page before its own scripts: adds up its jumps, and says what moved. */
function noteJumps() {
    Object.assign(window, { jumps: 0, moved: [] });
    const observer = new PerformanceObserver((list) => {
        for (const entry of /** @type {LayoutShift[]} */ (list.getEntries())) {
            window.jumps += entry.value;
            const names = entry.sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 60) : ""));
            window.moved.push(`${entry.value.toFixed(3)}: ${names.join(" ")}`);
        }
    });
    observer.observe({ type: "layout-shift", buffered: true });
}

/** Runs in the page: reads it to its end, so that what comes late is seen to come. */
async function readOn() {
    for (let top = 0; top < document.documentElement.scrollHeight && top < 60 * innerHeight; top += innerHeight) {
        window.scrollTo({ top, behavior: "instant" });
        await new Promise((done) => setTimeout(done, 30));
    }
}

/** Runs in the page: what it waited for, by kind. @returns {string[][]} */
function waitedFor() {
    const entries = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
    const names = entries.filter((entry) => entry.renderBlockingStatus === "blocking").map(({ name }) => name);
    return [names.filter((name) => name.endsWith(".css")), names.filter((name) => name.endsWith(".js"))];
}

/**
 * The bytes that came for each address, and what waits until nothing has been asked for and nothing has come for a while.
 * @param {Page} tab
 */
async function count(tab) {
    /** @type {Map<string, string>} */
    const addresses = new Map();
    /** @type {Map<string, number>} */
    const bytes = new Map();
    let last = Date.now();
    const session = await tab.context().newCDPSession(tab);
    session.on("Network.requestWillBeSent", () => {
        last = Date.now();
    });
    session.on("Network.responseReceived", ({ requestId, response }) => addresses.set(requestId, response.url));
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
        last = Date.now();
        const address = addresses.get(requestId) ?? "";
        if (address.startsWith("http")) {
            bytes.set(address, (bytes.get(address) ?? 0) + encodedDataLength);
        }
    });
    await session.send("Network.enable");
    const rest = async () => {
        while (Date.now() - last < REST) {
            await new Promise((done) => setTimeout(done, 50));
        }
    };
    return { bytes, rest };
}

/**
 * Visits a page for the first time on a screen of this size.
 * @param {string} page
 * @param {{ width: number, height: number }} viewport
 */
async function visit(page, viewport) {
    // A context of its own has an empty cache.
    const context = await browser.newContext({ viewport, hasTouch: viewport.width < 500, reducedMotion: "reduce" });
    await context.addInitScript(noteJumps);
    const tab = await context.newPage();
    const { bytes, rest } = await count(tab);
    await tab.goto(`${origin}/${page}`, { waitUntil: "networkidle", timeout: PATIENCE });
    await tab.evaluate(readOn);
    await rest();
    const { jumps, moved } = await tab.evaluate(() => ({ jumps: window.jumps, moved: window.moved }));
    const waited = await tab.evaluate(waitedFor);
    await context.close();
    return { bytes, jumps, moved, waited };
}

/** @param {string} page */
async function weigh(page) {
    const [phone, laptop] = [await visit(page, SCREENS[0]), await visit(page, SCREENS[1])];
    const loaded = [...phone.bytes].map(([url, size]) => ({ name: url.slice(origin.length + 1), size }));
    const index = loaded.filter(({ name }) => name.startsWith("searchindex"));
    const own = loaded.filter((file) => !index.includes(file));
    const sum = own.reduce((all, { size }) => all + size, 0);
    const cells = [
        page,
        String(own.length),
        (sum / 1024).toFixed(0),
        index.length > 0 ? (index[0].size / 1024).toFixed(0) : "–",
        phone.jumps.toFixed(3),
        laptop.jumps.toFixed(3),
    ];
    rows.push(cells);
    if (process.env.FILES) {
        const heaviest = own.sort((one, other) => other.size - one.size);
        console.log(heaviest.map(({ name, size }) => `  ${(size / 1024).toFixed(1).padStart(7)} ${name}`).join("\n"));
    }
    if (own.length < 5 || sum < 50 * 1024) {
        problem(page, `only ${own.length} requests and ${sum} bytes were counted`);
    }
    if (sum > MOST) {
        problem(page, `a first visit loads ${(sum / 1024).toFixed(0)} KiB`);
    }
    if (index.length > 0) {
        problem(page, "loads the search index before anybody searches");
    }
    for (const names of phone.waited) {
        if (names.length > MOST_WAITED_FOR) {
            problem(page, `waits for ${names.join(", ")}`);
        }
    }
    for (const { jumps, moved } of [phone, laptop].filter((one) => one.jumps > JUMPS)) {
        problem(page, `jumps by ${jumps.toFixed(3)}: ${moved.join(", ")}`);
    }
}

const folder = builtBook("index.html");
const only = process.env.ONLY ?? "";
// What holds all pages, and what is none.
const NO_PAGES = ["print.html", "toc.html", "404.html", "index.html"];
const pages = readdirSync(folder).filter(
    (file) => file.endsWith(".html") && !NO_PAGES.includes(file) && file.includes(only) && !hasMoved(folder, file),
);
/** @type {string[][]} */
const rows = [["page", "requests", "KiB", "search index, KiB", "jumps on a phone", "jumps on a laptop"]];
const origin = await serve(folder, { compressed: true });
const browser = await launch();
// A visit is mostly waiting for what may still come.
await each(pages, 4, (page) => weigh(page).catch((error) => problem(page, String(error).split("\n")[0])));
await browser.close();
rows.splice(1, 0, ["---", ...rows[0].slice(1).map(() => "---:")]);
const head = rows.splice(0, 2);
console.log([...head, ...rows.sort()].map((cells) => `| ${cells.join(" | ")} |`).join("\n"));
finish(`${pages.length} pages`);
