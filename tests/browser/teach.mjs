// Shows pages of a built book as a teacher does: a section at a time, with the notes in a second window.
//
//     node teach.mjs FOLDER
//
// FOLDER is the built book. Environment: CHROMIUM, the browser's executable (required); ONLY, to do only what has this
// in its name. The pages are opened as files, in a browser without any flag that a reader doesn't have, and one is served.
// Prints a line for each problem, and ends with 1 if there is any.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { askAxe, builtBook, finish, launch, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("./checks.mjs").Tools} Tools
 */

const CHAPTERS = ["ch01-single-threaded.html", "ch03-threadpool.html", "ch06-tokio.html", "other-languages.html"];
const PAGE = "ch03-threadpool.html";
/** Of the second window: what is shown, what comes next, and the time since it was opened. */
const NOW = ".teach-head h1";
const NEXT = ".teach-head > p:last-child";
const SINCE = ".teach-head .since";
/** More keys than the longest page takes. */
const MOST_KEYS = 400;

const folder = builtBook(PAGE);
const origin = await serve(folder);
const browser = await launch();
const checks = new Checks(browser, origin);
const asFile = (/** @type {string} */ page) => pathToFileURL(join(folder, page)).href;
const place = (/** @type {Page} */ tab) => tab.locator(".teach-corner p");

/** @param {Page} tab */
async function begin(tab) {
    await tab.keyboard.press("p");
    await place(tab).waitFor();
}

/** Runs in the page: what of it is seen now, by its number among the page's elements, and what is wrong with that. */
function look() {
    const main = need(document, "main");
    const isFold = (/** @type {Element} */ element) =>
        element.matches("details") && !/^(Answer|The task:)/.test(wordsOf(element));
    const shown = [...main.children].filter((element) => element.checkVisibility());
    const seen = [...main.children].flatMap((element, index) =>
        shown.includes(element) && !isFold(element) ? [index] : [],
    );
    const below = shown.filter((element) => !element.matches("h1, h2, h3") && wordsOf(element) !== "");
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = scrollWidth > clientWidth ? [`is ${scrollWidth} px wide, of ${clientWidth}`] : [];
    // A fold is seen where there is nothing else, and then what is in it.
    const folds = all(main, "details").filter((fold) => fold.checkVisibility() && isFold(fold));
    const opens = folds.filter((fold) => !below.every(isFold) || !(/** @type {HTMLDetailsElement} */ (fold).open));
    const size = Number.parseFloat(getComputedStyle(main).fontSize);
    return {
        place: need(document, ".teach-corner p").textContent ?? "",
        seen,
        faults: [
            ...wide,
            ...opens.map((fold) => `shows ${wordsOf(fold).slice(0, 40)}`),
            ...(size < 20 ? [`letters of ${size} px`] : []),
            ...(below.length === 0 ? ["shows nothing but a heading"] : []),
        ],
    };
}

/** Runs in the page: the numbers of the elements that a class should see, which are all but the folds. */
function wanted() {
    return [...need(document, "main").children].flatMap((element, index) => {
        const folded = element.matches("details") && !/^(Answer|The task:)/.test(wordsOf(element));
        return element.checkVisibility() && !folded && !element.matches(".predictions") ? [index] : [];
    });
}

/** Runs in the page: what the reader has, without what plays by itself. */
function wholePage() {
    const copy = /** @type {Element} */ (need(document, "main").cloneNode(true));
    for (const playing of all(copy, "rung-replay, scheduler-lab")) {
        playing.remove();
    }
    const { className } = document.documentElement;
    return `${copy.innerHTML} ${className} ${document.body.children.length} ${location.href.split("#")[0]}`;
}

for (const [index, page] of CHAPTERS.entries()) {
    const screen = index === 1 ? { width: 1920, height: 1080 } : { width: 1366, height: 768 };
    checks.check(
        `all of ${page}, by keys`,
        asFile(page),
        async (tab, { is }) => {
            const [before, all] = [await tab.evaluate(wholePage), await tab.evaluate(wanted)];
            await begin(tab);
            await tab.keyboard.press("Home");
            const first = await tab.evaluate(look);
            /** @type {Map<string, number[]>} */
            const sections = new Map([[first.place, first.seen]]);
            const keys = ["PageDown", "ArrowRight", " "];
            const [, count] = first.place.split(" of ");
            for (let step = 0; step < MOST_KEYS; step += 1) {
                await tab.keyboard.press(keys[step % keys.length]);
                const { place, seen, faults } = await tab.evaluate(look);
                is(faults.join(), "", `at ${place}`);
                sections.set(place, seen);
            }
            is([...sections.keys()].at(-1), `${count} of ${count}`, "the last section");
            is(sections.size, Number(count), "sections that were shown");
            is([...sections.values()].flat().join(), all.join(), "the page's elements, each in one section");
            await tab.keyboard.press("Home");
            is(await place(tab).textContent(), `1 of ${count}`, "the place after Home");
            await tab.keyboard.press("End");
            await tab.keyboard.press("PageUp");
            is((await tab.evaluate(look)).faults.join(), "", "on the way back");
            await tab.keyboard.press("Escape");
            is(await tab.evaluate(wholePage), before, "the page after Escape");
        },
        { ...screen, theme: index === 2 ? "dark" : "light" },
    );
}

checks.check("an answer opens, and axe finds nothing", `${PAGE}?teach#predict`, async (tab, { is }) => {
    await place(tab).waitFor();
    const answer = tab.locator(".predict details").first();
    is(await answer.evaluate((fold) => /** @type {HTMLDetailsElement} */ (fold).open), false, "it is open at once");
    await answer.locator("summary").click();
    is(await answer.locator("p").first().isVisible(), true, "the answer is seen");
    // The page's own heading is its first section.
    const rules = { "page-has-heading-one": { enabled: false } };
    is((await askAxe(tab, { rules })).join(), "", "axe in the page");
    const shown = await place(tab).textContent();
    await tab.reload();
    await place(tab).waitFor();
    is(await place(tab).textContent(), shown, "the place after a reload");
});

checks.check("keys that are somebody else's", PAGE, async (tab, { is }) => {
    await tab.keyboard.press("/");
    await tab.keyboard.press("p");
    is(await tab.locator("#mdbook-searchbar").inputValue(), "p", "what is searched for");
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("Alt+p");
    is(await tab.evaluate(() => document.querySelector("[src*=teach]")), null, "teaching has been asked for");
    await begin(tab);
    await tab.goto(`${tab.url().split("#")[0]}#predict`);
    const radio = tab.locator(".predict input").first();
    await radio.check();
    const shown = await place(tab).textContent();
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("ArrowRight");
    is(await place(tab).textContent(), shown, "the place after an arrow among answers");
    await tab.keyboard.press("p");
    is(await place(tab).count(), 0, "P ends it");
});

/**
 * The second window: what it says, that it leads, and that it stays when the first one goes to another page.
 * @param {Page} tab
 * @param {Tools} tools
 */
async function checkNotes(tab, { is, has }) {
    await begin(tab);
    await tab.keyboard.press("Home");
    const opens = tab.waitForEvent("popup");
    await tab.keyboard.press("n");
    const notes = await opens;
    const says = (/** @type {string} */ selector, /** @type {string} */ words) =>
        notes.locator(selector, { hasText: words }).waitFor();
    await says(NOW, "A pool of threads");
    await says(NEXT, "Next: The defect");
    const seen = notes.locator("main > *:visible");
    is((await seen.allInnerTexts()).length, 1, "notes that are seen");
    has(await seen.innerText(), "A pool of threads", "whose they are");
    await notes.keyboard.press("ArrowRight");
    await notes.keyboard.press("PageDown");
    await says(NOW, "The defect");
    const part = notes.locator('main a[href$="ch03-threadpool.html#a-queue-with-two-reasons-to-wait"]').first();
    await part.click();
    await says(NOW, "A queue with two reasons to wait");
    is(await notes.locator("main [aria-current]").count(), 1, "parts that are marked");
    is(await part.getAttribute("aria-current"), "step", "the part is marked");
    has(await notes.locator(SINCE).textContent(), "00:00:", "the time since it began");
    await notes.locator(SINCE, { hasText: "00:00:02" }).waitFor();
    await notes.getByRole("button", { name: "from 0" }).click();
    is(await notes.locator(SINCE).textContent(), "00:00:00", "the time after it began again");
    is((await askAxe(notes)).join(), "", "axe in the notes");
    await tab.keyboard.press("End");
    await tab.locator('main a[href*="ch04-async-std.html"]:visible').last().click();
    await says(NOW, "Tasks: async-std");
    has(await seen.innerText(), "Tasks: async-std", "whose notes they are then");
    await notes.keyboard.press("End");
    await says(NEXT, "The end of this page");
    const shown = await notes.locator(".teach-head .place").textContent();
    is(await place(tab).textContent(), shown, "the place in both windows");
    await notes.keyboard.press("p");
    is(await notes.locator(".teach-corner").count(), 0, "P teaches the notes");
}

checks.check("the notes, from files", asFile(PAGE), checkNotes);
checks.check("the notes, served", PAGE, checkNotes, { theme: "dark" });

const count = await checks.run(3);
await browser.close();
finish(`${count} checks`);
