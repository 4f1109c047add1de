// Every page, walked with the keyboard alone: the first stop leads to the text. From there Tab goes from stop to stop; each
// has a name, is on the screen, and shows that the keyboard is there. What folds is opened with Enter, what scrolls is
// scrolled with the arrow keys, and neither turns the page.

import { expect, pages, reader, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

/** On a laptop the stops are the same, and no box scrolls: the start, a chapter, and a page that is a tool show it. */
const ON_A_LAPTOP = ["introduction.html", "ch03-threadpool.html", "lab.html"];
/** More stops than any page has: then the walk goes in a circle. */
const MOST_STOPS = 3000;
/** How often the arrow is pressed in a box that does not scroll, and how long scrolling is waited for, in ms. */
const PRESSES = 20;
const AGAIN = 3000;
/** The least size of what can be touched (WCAG 2.2, 2.5.8), in pixels. */
const TARGET = 24;
const BOXES = "main .table-wrapper, main pre > code";

/**
 * Runs in the page: what is too small to touch, in the menus and in the text. A link in a sentence may be.
 * @param {number} least
 */
function tooSmall(least) {
    const targets = "#mdbook-sidebar a, #mdbook-menu-bar :is(a, button), main :is(button, summary, select)";
    return all(document, targets).flatMap((link) => {
        const { width, height } = link.getBoundingClientRect();
        const name = wordsOf(link) || link.title;
        const small = width > 0 && Math.min(width, height) < least;
        return small ? [`${name} is ${Math.round(width)} by ${Math.round(height)} px`] : [];
    });
}

/**
 * Runs in the page: where the keyboard is.
 * @param {string} boxes
 */
function here(boxes) {
    const at = /** @type {HTMLElement} */ (document.activeElement ?? document.body);
    const main = need(document, "main");
    const rect = at.getBoundingClientRect();
    const style = getComputedStyle(at);
    const labelled = (at.getAttribute("aria-labelledby") ?? "")
        .split(" ")
        .map((id) => document.getElementById(id)?.textContent ?? "")
        .join("");
    const labels = at instanceof HTMLInputElement || at instanceof HTMLSelectElement ? at.labels : null;
    const label = [...(labels ?? [])].map((one) => one.textContent).join("");
    const text = wordsOf(at).slice(0, 50);
    return {
        what: `<${at.tagName.toLowerCase()}> ${at.getAttribute("aria-label") ?? text}`,
        inText: at !== main && main.contains(at),
        isMain: at === main,
        isSkip: at.matches("a.skip"),
        named: `${at.getAttribute("aria-label") ?? ""}${labelled}${label}${at.title}${text}`.trim() !== "",
        shown: style.outlineStyle !== "none" || style.boxShadow !== "none",
        onScreen:
            at.checkVisibility({ opacityProperty: true }) &&
            rect.width > 0 &&
            rect.bottom > 0 &&
            rect.top < innerHeight &&
            rect.right > 0 &&
            rect.left < innerWidth,
        copies: at.matches(".clip-button"),
        box: at.matches(boxes) ? { role: at.getAttribute("role"), left: at.scrollLeft } : undefined,
        folds: at.matches("summary"),
        open: at.matches("summary") && at.parentElement instanceof HTMLDetailsElement && at.parentElement.open,
    };
}

/**
 * What the browser does in its next frame is done: it scrolls to where the keyboard is, and to where a link has led.
 * @param {Page} tab
 */
function nextFrame(tab) {
    return tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
}

/**
 * One step back and one forth with the arrow keys in the box where the keyboard is; says what is wrong.
 * @param {Page} tab
 * @param {{ role: string | null, left: number }} before
 */
async function scrollBox(tab, before) {
    let moved;
    // While the browser still scrolls the box onto the screen, it drops a key; a reader presses it again.
    for (let press = 0; press < PRESSES && !moved; press++) {
        await tab.keyboard.press("ArrowRight");
        moved = await tab
            .waitForFunction((left) => (document.activeElement?.scrollLeft ?? 0) > left, before.left, {
                timeout: AGAIN,
            })
            .catch(() => undefined);
    }
    await tab.keyboard.press("ArrowLeft");
    const faults = before.role ? [] : ["has no role"];
    return moved ? faults : [...faults, "is not scrolled by the right arrow"];
}

/**
 * From the text's first stop to its last; returns how many boxes were scrolled, how many buttons copy, and how many
 * stops there were.
 * @param {Page} tab
 * @param {string[]} turned
 * @param {(what: string) => void} say
 */
async function walk(tab, turned, say) {
    let scrolled = 0;
    let copying = 0;
    for (let stop = 1; stop < MOST_STOPS; stop += 1) {
        await tab.keyboard.press("Tab");
        let now = await tab.evaluate(here, BOXES);
        // A browser that is busy scrolls later.
        for (const end = Date.now() + AGAIN; now.inText && !now.onScreen && Date.now() < end; ) {
            await nextFrame(tab);
            now = await tab.evaluate(here, BOXES);
        }
        if (!now.inText) {
            return { scrolled, copying, stops: stop - 1 };
        }
        const faults = [];
        for (const [fine, fault] of [
            [now.named, "has no name"],
            [now.shown, "does not show that the keyboard is there"],
            [now.onScreen, "is not on the screen"],
        ]) {
            if (!fine) {
                faults.push(fault);
            }
        }
        if (now.box) {
            faults.push(...(await scrollBox(tab, now.box)));
            scrolled += 1;
        }
        copying += now.copies ? 1 : 0;
        if (now.folds) {
            await tab.keyboard.press("ArrowRight");
            if (!now.open) {
                await tab.keyboard.press("Enter");
                // What is inside is measured when it has opened.
                await nextFrame(tab);
                if (!(await tab.evaluate(here, BOXES)).open) {
                    faults.push("does not open with Enter");
                }
            }
        }
        if (turned.length > 0) {
            faults.push(`turns the page: ${turned.splice(0)[0]}`);
        }
        faults.forEach((fault) => say(`${now.what} ${fault}`));
    }
    say("the walk never leaves the text");
    return { scrolled, copying, stops: MOST_STOPS };
}

/**
 * Outside of a box the arrow still turns the page.
 * @param {Page} tab
 * @param {string[]} turned
 */
async function turnsPage(tab, turned) {
    await tab.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await tab.keyboard.press("ArrowRight");
    const hasNext = (await tab.locator(".nav-chapters.next").count()) > 0;
    for (const end = Date.now() + 10_000; hasNext && turned.length === 0 && Date.now() < end; ) {
        await tab.evaluate(() => new Promise((done) => setTimeout(done, 20)));
    }
    return !hasNext || turned.length > 0;
}

const walks = [
    ...pages.map((name) => ({ name, width: 390, height: 844 })),
    ...ON_A_LAPTOP.map((name) => ({ name, width: 1366, height: 768 })),
];
for (const { name, width, height } of walks) {
    test.describe(() => {
        test.use({ ...reader({ width, height }), hasTouch: false });
        test(`${name}, ${width} px`, async ({ page }) => {
            /** @type {string[]} */
            const turned = [];
            await page.goto(name);
            // A turned page is noted, and does not come: with 204 the browser stays where it is.
            await page.route("**", (route) => {
                const leaves = route.request().isNavigationRequest();
                if (leaves) {
                    turned.push(route.request().url());
                }
                return leaves ? route.fulfill({ status: 204 }) : route.continue();
            });
            await page.keyboard.press("Tab");
            const first = await page.evaluate(here, BOXES);
            expect
                .soft(first.isSkip && first.onScreen, `the first stop is the way to the text: ${first.what}`)
                .toBe(true);
            await page.keyboard.press("Enter");
            expect.soft((await page.evaluate(here, BOXES)).isMain, "the first stop leads to the text").toBe(true);
            // Else its scrolling could come after that of the next stop, and take it off the screen.
            await nextFrame(page);
            /** @type {string[]} */
            const faults = [];
            const { scrolled, copying } = await walk(page, turned, (fault) => faults.push(fault));
            expect.soft(faults).toEqual([]);
            const wide = (/** @type {string} */ boxes) =>
                all(document, boxes).filter((box) => box.scrollWidth > box.clientWidth + 1).length;
            expect.soft(scrolled, "boxes that the keyboard scrolled").toBe(await page.evaluate(wide, BOXES));
            const shown = (/** @type {string} */ buttons) =>
                all(document, buttons).filter((button) => button.getClientRects().length > 0).length;
            const blocks = await page.evaluate(shown, "main .clip-button");
            expect.soft(copying, "buttons that copy, to which the keyboard came").toBe(blocks);
            expect.soft(await page.evaluate(tooSmall, TARGET), "what is too small to touch").toEqual([]);
            expect.soft(await turnsPage(page, turned), "the right arrow turns the page").toBe(true);
        });
    });
}
