// What a first visit to each page costs: its bytes, text compressed as web servers send it, how far the page jumps while it is
// built, and what it waits for before it is first seen.

import { expect, pages, reader, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

/** The most bytes of a page, compressed, with all that it loads but the search index. */
const MOST = 250 * 1024;
/** The most style sheets, and the most scripts, for which a page waits before it is first seen. */
const MOST_WAITED_FOR = 3;
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
            const contents = document.getElementById("mdbook-sidebar");
            // The contents open the section that is read, beside the text and not in it.
            if (entry.sources.every(({ node }) => contents?.contains(node ?? null))) {
                continue;
            }
            window.jumps += entry.value;
            const names = entry.sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 60) : ""));
            window.moved.push(`${entry.value.toFixed(3)}: ${names.join(" ")}`);
        }
    });
    observer.observe({ type: "layout-shift", buffered: true });
}

/**
 * How far the page has jumped since it was opened, and what moved.
 * @param {Page} page
 */
const jumpsOf = (page) => page.evaluate(() => ({ jumps: window.jumps, moved: window.moved }));

/** A reader who looks at so many screens of a page has seen enough of it. */
const SCREENS_READ = 60;

/** Runs in the page: goes on by a screen once what has come is there; says whether there was more. */
async function readOn() {
    const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
    await nextFrame();
    await nextFrame();
    const before = scrollY;
    scrollBy({ top: innerHeight, behavior: "instant" });
    await nextFrame();
    return scrollY > before;
}

/** Runs in the page: what it waited for, by kind. @returns {string[][]} */
function waitedFor() {
    const entries = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
    const names = entries.filter((entry) => entry.renderBlockingStatus === "blocking").map(({ name }) => name);
    return [names.filter((name) => name.endsWith(".css")), names.filter((name) => name.endsWith(".js"))];
}

/**
 * The bytes that came for each address, and what has been asked for and has not come.
 * @param {Page} page
 */
async function count(page) {
    /** @type {Map<string, string>} */
    const addresses = new Map();
    /** @type {Map<string, number>} */
    const bytes = new Map();
    /** @type {Set<string>} */
    const loading = new Set();
    const session = await page.context().newCDPSession(page);
    session.on("Network.requestWillBeSent", ({ requestId }) => loading.add(requestId));
    session.on("Network.responseReceived", ({ requestId, response }) => addresses.set(requestId, response.url));
    session.on("Network.loadingFailed", ({ requestId }) => loading.delete(requestId));
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
        loading.delete(requestId);
        const address = addresses.get(requestId) ?? "";
        if (address.startsWith("http")) {
            bytes.set(address, (bytes.get(address) ?? 0) + encodedDataLength);
        }
    });
    await session.send("Network.enable");
    return { bytes, loading };
}

for (const { width, height } of SCREENS) {
    test.describe(() => {
        test.use(reader({ width, height }));
        for (const name of pages) {
            test(`${name}, ${width} px`, async ({ page }) => {
                await page.addInitScript(noteJumps);
                const { bytes, loading } = await count(page);
                await page.goto(name);
                // What comes late is seen to come.
                for (let screen = 0; screen < SCREENS_READ; screen += 1) {
                    const hasMore = await page.evaluate(readOn);
                    await expect.poll(() => loading.size).toBe(0);
                    if (!hasMore) {
                        break;
                    }
                }
                const sum = [...bytes.values()].reduce((all, size) => all + size, 0);
                expect.soft(sum, "bytes").toBeGreaterThan(0);
                expect.soft(sum, `bytes of ${bytes.size} files`).toBeLessThanOrEqual(MOST);
                const index = [...bytes.keys()].filter((address) => address.includes("/searchindex"));
                expect.soft(index, "the search index, before anybody searches").toEqual([]);
                for (const names of await page.evaluate(waitedFor)) {
                    expect.soft(names.length, `it waits for ${names}`).toBeLessThanOrEqual(MOST_WAITED_FOR);
                    expect.soft(names.length, "files for which it waits").toBeGreaterThan(0);
                }
                const { jumps, moved } = await jumpsOf(page);
                expect.soft(jumps, `it jumps: ${moved}`).toBeLessThanOrEqual(JUMPS);
            });
        }
    });
}

test.describe("letters that come late", () => {
    test.use(reader(SCREENS[0]));
    test("move nothing", async ({ page }) => {
        await page.addInitScript(noteJumps);
        await page.route("**/*.woff2", async (route) => {
            await new Promise((done) => setTimeout(done, 2000));
            await route.continue();
        });
        await page.goto("introduction.html");
        await page.evaluate(() => document.fonts.ready);
        await page.evaluate(readOn);
        const { jumps, moved } = await jumpsOf(page);
        expect(jumps, `it jumps: ${moved}`).toBe(0);
    });
});
