// The second window of the slides: it follows, it leads, it has clocks, and goes on with the first to the next page.

import { join } from "node:path";
import { askAxe, PATIENCE, problem, watch } from "./book.mjs";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").BrowserContext} Context
 */

/** The parts of the page, which agendas are made of. */
const PARTS = '#notes > p:first-child a[href^="#"]';

/** @param {Page} tab */
const rest = (tab) => tab.evaluate(() => slidesAtRest());

/** @param {Page} tab */
const place = (tab) => tab.evaluate(() => placeOfSlides());

/**
 * Waits until something holds, for as long as messages between windows may take.
 * @param {() => Promise<boolean>} holds
 */
async function until(holds) {
    for (const end = Date.now() + PATIENCE; !(await holds()) && Date.now() < end; ) {
        await new Promise((done) => setTimeout(done, 10));
    }
}

/**
 * Waits until the notes say which slide is shown; returns that, counted from 1.
 * @param {Page} tab
 * @param {Page} notes
 * @param {string} page
 * @param {string} after
 */
async function agree(tab, notes, page, after) {
    const told = async () => (await notes.textContent("#where")) ?? "";
    const index = async () => (await place(tab)).index + 1;
    await until(async () => (await told()).startsWith(`${await index()} / `));
    const [shown, where] = [await index(), await told()];
    if (!where.startsWith(`${shown} / `)) {
        problem(page, `after ${after} the notes say ${where}, and slide ${shown} is shown`);
    }
    return shown;
}

/**
 * The keys of both windows lead, and the other one follows.
 * @param {Page} tab
 * @param {Page} notes
 * @param {string} page
 */
async function checkKeys(tab, notes, page) {
    await agree(tab, notes, page, "opening them");
    for (let time = 0; time < 3; time += 1) {
        await tab.keyboard.press("PageDown");
        await rest(tab);
        await agree(tab, notes, page, "a key in the first window");
    }
    const before = await agree(tab, notes, page, "three keys");
    if (before === 1) {
        problem(page, "the keys do not lead on while the notes are open");
    }
    // A slide may have steps of its own: it may be scrolled, and that goes back first.
    for (let step = 0; step < 5 && (await place(tab)).index + 1 >= before; step += 1) {
        const { index, scrolled } = await place(tab);
        await notes.keyboard.press("ArrowLeft");
        await until(async () => {
            const now = await place(tab);
            return now.index !== index || now.scrolled !== scrolled;
        });
    }
    if ((await agree(tab, notes, page, "a key in the second window")) >= before) {
        problem(page, "a key in the second window does not lead back");
    }
    await notes.click('button[aria-label="On"]');
    await rest(tab);
    await agree(tab, notes, page, "a button in the second window");
}

/**
 * @param {Page} notes
 * @param {string} page
 * @param {string} expected the notes on the page, without white space
 */
async function checkWords(notes, page, expected) {
    const clock = (await notes.textContent("#clock")) ?? "";
    if (!/^\d\d:\d\d:\d\d$/.test(clock)) {
        problem(page, `the clock says ${clock}`);
    }
    const elapsed = await notes.textContent("#elapsed");
    const goesOn = (/** @type {string | null} */ old) => need(document, "#elapsed").textContent !== old;
    await notes
        .waitForFunction(goesOn, elapsed, { timeout: PATIENCE })
        .catch(() => problem(page, `the time that passed stands still at ${elapsed}`));
    const text = ((await notes.textContent("#notes")) ?? "").replace(/\s+/g, "");
    if (text !== expected) {
        problem(page, `the notes are not those of the page: ${text.slice(0, 80)}`);
    }
    if (!(await notes.locator("#next .slide").isVisible())) {
        problem(page, "the notes show no next slide");
    }
}

/**
 * Each part leads to its first slide.
 * @param {Page} tab
 * @param {Page} notes
 * @param {string} page
 */
async function checkParts(tab, notes, page) {
    let reached = 0;
    for (const link of await notes.locator(PARTS).all()) {
        const name = ((await link.textContent()) ?? "").trim();
        await link.click();
        const said = async () => (await notes.textContent("#part")) ?? "";
        await until(async () => (await said()).startsWith(`${name}: `));
        const shown = await agree(tab, notes, page, `going to ${name}`);
        const told = await said();
        if (!/: \d+:\d\d of \d+ minutes$/.test(told) || !told.startsWith(`${name}: `)) {
            problem(page, `the notes say "${told}" in the part ${name}`);
        }
        if (shown <= reached) {
            problem(page, `the part ${name} begins at slide ${shown}, after ${reached}`);
        }
        reached = shown;
    }
    if (reached === 0) {
        problem(page, "the notes lead to no part");
    }
}

/**
 * Opens the window with the notes from the first slide, and looks at it.
 * @param {Context} context
 * @param {Page} tab
 * @param {string} page
 * @param {string} expected
 * @param {string | undefined} shots
 */
export async function checkNotes(context, tab, page, expected, shots) {
    await tab.keyboard.press("Home");
    await rest(tab);
    const [notes] = await Promise.all([context.waitForEvent("page", { timeout: PATIENCE }), tab.keyboard.press("s")]);
    watch(notes, /^file:/, (what) => problem(`${page}, notes`, what));
    await notes.waitForSelector("#where", { timeout: PATIENCE });
    await checkKeys(tab, notes, page);
    await checkWords(notes, page, expected);
    await checkParts(tab, notes, page);
    if (shots) {
        await notes.setViewportSize({ width: 1120, height: 760 });
        await notes.screenshot({ path: join(shots, `${page.replace(/\.html$/, "")}-notes.png`) });
    }
    return notes;
}

/**
 * A part's clock goes on where it was when one steps into another part and returns.
 * @param {Page} notes
 * @param {string} page
 */
async function checkClocks(notes, page) {
    const parts = notes.locator(PARTS);
    const goTo = async (/** @type {number} */ part, /** @type {number} */ least) => {
        const name = ((await parts.nth(part).textContent()) ?? "").trim();
        await parts.nth(part).click();
        const told = (/** @type {[string, number]} */ [start, seconds]) => {
            const text = need(document, "#part").textContent ?? "";
            return text.startsWith(`${start}: `) && Number(/:(\d\d) of/.exec(text)?.[1]) >= seconds;
        };
        await notes.waitForFunction(told, /** @type {[string, number]} */ ([name, least]), { timeout: PATIENCE });
        const [, minutes, seconds] = /: (\d+):(\d\d) of/.exec((await notes.textContent("#part")) ?? "") ?? [];
        return Number(minutes) * 60 + Number(seconds);
    };
    const before = await goTo(0, 2);
    await goTo(1, 0);
    const after = await goTo(0, 0);
    if (after < before) {
        problem(page, `the first part took ${before} s, and ${after} s after a step into the next and back`);
    }
}

/**
 * The first window goes on to the next page, as its last slide does, and the notes with it.
 * @param {Page} tab
 * @param {Page} notes
 * @param {string} page
 * @param {() => Promise<void>} ready resolves when the slides of the next page are there
 */
export async function checkNextPage(tab, notes, page, ready) {
    await checkClocks(notes, page);
    const began = (await notes.textContent("#elapsed")) ?? "";
    await tab.keyboard.press("End");
    await rest(tab);
    const title = await tab.locator(".slide.shown .slide-title").textContent();
    if (!title?.startsWith("The next page")) {
        problem(page, "the last slide does not lead to the next page");
        return;
    }
    const before = await notes.title();
    await Promise.all([tab.waitForNavigation({ waitUntil: "load" }), tab.locator(".slide.shown a").click()]);
    await ready();
    const isNew = (/** @type {string} */ old) => document.title !== old;
    await notes
        .waitForFunction(isNew, before, { timeout: PATIENCE })
        .catch(() => problem(page, `after the next page was opened, the notes are still those of ${before}`));
    if (((await notes.textContent("#elapsed")) ?? "") < began) {
        problem(page, "the time since the notes were opened began again at the next page");
    }
    const { index } = await place(tab);
    await notes.locator('button[aria-label="On"]').click();
    await tab
        .waitForFunction((old) => placeOfSlides().index > old, index, { timeout: PATIENCE })
        .catch(() => problem(page, "the notes do not lead the slides of the next page"));
    for (const fault of await askAxe(notes)) {
        problem(`${page}, notes`, fault);
    }
}
