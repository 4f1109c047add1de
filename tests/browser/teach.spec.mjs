// Pages as a teacher shows them: a section at a time, with the notes in a second window. They are opened as files, in a
// browser without any flag that a reader doesn't have, and one is served.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, expectAccessible, folder, reader, test } from "./book.mjs";

/**
 * @typedef {import("@playwright/test").Page} Page
 */

const CHAPTERS = ["ch01-single-threaded.html", "ch03-threadpool.html", "ch06-tokio.html", "other-languages.html"];
const PAGE = "ch03-threadpool.html";
/** Of the second window: what is shown, what comes next, and the time since it was opened. */
const NOW = ".teach-head h1";
const NEXT = ".teach-head > p:last-child";
const SINCE = ".teach-head .since";
/** More keys than the longest page takes. */
const MOST_KEYS = 400;

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
    test.describe(() => {
        test.use(reader({ ...screen, theme: index === 2 ? "dark" : "light" }));
        test(`all of ${page}, by keys`, async ({ page: tab }) => {
            await tab.goto(asFile(page));

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
                expect.soft(faults.join(), `at ${place}`).toBe("");
                sections.set(place, seen);
            }
            expect.soft([...sections.keys()].at(-1), "the last section").toBe(`${count} of ${count}`);
            expect.soft(sections.size, "sections that were shown").toBe(Number(count));
            expect
                .soft([...sections.values()].flat().join(), "the page's elements, each in one section")
                .toBe(all.join());
            await tab.keyboard.press("Home");
            expect.soft(await place(tab).textContent(), "the place after Home").toBe(`1 of ${count}`);
            await tab.keyboard.press("End");
            await tab.keyboard.press("PageUp");
            expect.soft((await tab.evaluate(look)).faults.join(), "on the way back").toBe("");
            await tab.keyboard.press("Escape");
            expect.soft(await tab.evaluate(wholePage), "the page after Escape").toBe(before);
        });
    });
}

test("an answer opens, and axe finds nothing", async ({ page: tab }) => {
    await tab.goto(`${PAGE}?teach#predict`);

    await place(tab).waitFor();
    const answer = tab.locator(".predict details").first();
    expect
        .soft(await answer.evaluate((fold) => /** @type {HTMLDetailsElement} */ (fold).open), "it is open at once")
        .toBe(false);
    await answer.locator("summary").click();
    expect.soft(await answer.locator("p").first().isVisible(), "the answer is seen").toBe(true);
    // The page's own heading is its first section.
    const rules = { "page-has-heading-one": { enabled: false } };
    await expectAccessible(tab, { rules });
    const shown = await place(tab).textContent();
    await tab.reload();
    await place(tab).waitFor();
    expect.soft(await place(tab).textContent(), "the place after a reload").toBe(shown);
});

test("keys that are somebody else's", async ({ page: tab }) => {
    await tab.goto(PAGE);

    await tab.keyboard.press("/");
    await tab.keyboard.press("p");
    expect.soft(await tab.locator("#mdbook-searchbar").inputValue(), "what is searched for").toBe("p");
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("Alt+p");
    expect
        .soft(await tab.evaluate(() => document.querySelector("[src*=teach]")), "teaching has been asked for")
        .toBe(null);
    await begin(tab);
    await tab.goto(`${tab.url().split("#")[0]}#predict`);
    const radio = tab.locator(".predict input").first();
    await radio.check();
    const shown = await place(tab).textContent();
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("ArrowRight");
    expect.soft(await place(tab).textContent(), "the place after an arrow among answers").toBe(shown);
    await tab.keyboard.press("p");
    expect.soft(await place(tab).count(), "P ends it").toBe(0);
});

/**
 * The second window: what it says, that it leads, and that it stays when the first one goes to another page.
 * @param {Page} tab
 */
async function checkNotes(tab) {
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
    expect.soft((await seen.allInnerTexts()).length, "notes that are seen").toBe(1);
    expect.soft(await seen.innerText(), "whose they are").toContain("A pool of threads");
    await notes.keyboard.press("ArrowRight");
    await notes.keyboard.press("PageDown");
    await says(NOW, "The defect");
    const part = notes.locator('main a[href$="ch03-threadpool.html#a-queue-with-two-reasons-to-wait"]').first();
    await part.click();
    await says(NOW, "A queue with two reasons to wait");
    expect.soft(await notes.locator("main [aria-current]").count(), "parts that are marked").toBe(1);
    expect.soft(await part.getAttribute("aria-current"), "the part is marked").toBe("step");
    expect.soft(await notes.locator(SINCE).textContent(), "the time since it began").toContain("00:00:");
    await notes.locator(SINCE, { hasText: "00:00:02" }).waitFor();
    await notes.getByRole("button", { name: "from 0" }).click();
    expect.soft(await notes.locator(SINCE).textContent(), "the time after it began again").toBe("00:00:00");
    await expectAccessible(notes);
    await tab.keyboard.press("End");
    await tab.locator('main a[href*="ch04-async-std.html"]:visible').last().click();
    await says(NOW, "Tasks: async-std");
    expect.soft(await seen.innerText(), "whose notes they are then").toContain("Tasks: async-std");
    await notes.keyboard.press("End");
    await says(NEXT, "The end of this page");
    const shown = await notes.locator(".teach-head .place").textContent();
    expect.soft(await place(tab).textContent(), "the place in both windows").toBe(shown);
    await notes.keyboard.press("p");
    expect.soft(await notes.locator(".teach-corner").count(), "P teaches the notes").toBe(0);
}

test("the notes, from files", async ({ page: tab }) => {
    await tab.goto(asFile(PAGE));

    await checkNotes(tab);
});
test.describe(() => {
    test.use(reader({ theme: "dark" }));
    test("the notes, served", async ({ page: tab }) => {
        await tab.goto(PAGE);

        await checkNotes(tab);
    });
});
