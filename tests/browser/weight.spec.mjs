// What a first visit to each page costs: its bytes, text compressed as web servers send it, how far the page jumps while it is
// built, and what it waits for before it is first seen.

import { expect, pages, reader, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

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
            await tab.waitForTimeout(50);
        }
    };
    return { bytes, rest };
}

for (const { width, height } of SCREENS) {
    test.describe(() => {
        test.use(reader({ width, height }));
        for (const name of pages) {
            test(`${name}, ${width} px`, async ({ page }) => {
                await page.addInitScript(noteJumps);
                const { bytes, rest } = await count(page);
                await page.goto(name, { waitUntil: "networkidle" });
                await page.evaluate(readOn);
                await rest();
                const sum = [...bytes.values()].reduce((all, size) => all + size, 0);
                expect.soft(sum, "bytes").toBeGreaterThan(0);
                expect.soft(sum, `bytes of ${bytes.size} files`).toBeLessThanOrEqual(MOST);
                const index = [...bytes.keys()].filter((address) => address.includes("/searchindex"));
                expect.soft(index, "the search index, before anybody searches").toEqual([]);
                for (const names of await page.evaluate(waitedFor)) {
                    expect.soft(names.length, `it waits for ${names}`).toBeLessThanOrEqual(MOST_WAITED_FOR);
                    expect.soft(names.length, "files for which it waits").toBeGreaterThan(0);
                }
                const { jumps, moved } = await page.evaluate(() => ({ jumps: window.jumps, moved: window.moved }));
                expect.soft(jumps, `it jumps: ${moved}`).toBeLessThanOrEqual(JUMPS);
            });
        }
    });
}
