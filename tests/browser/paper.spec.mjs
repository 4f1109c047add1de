// Every page as on paper, and the page of all pages, of which the PDF and the EPUB are made: no table, listing or picture
// reaches over the margin, and what is long can go on on the next page. In the page of all pages nothing is folded: answers and
// solutions stand at the end, and what is for reference is named, with a page that has it.

import { expect, pages, reader, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

/** The width of the text on A4 with the margins of tools/release.sh (16 mm), in pixels of 1/96 inch. */
const PAPER = Math.floor(((210 - 2 * 16) / 25.4) * 96);
/** Letters that are smaller can't be read on paper: 5.5 points. */
const SMALLEST = (5.5 / 72) * 96;

/**
 * Runs in the page: what is cut, can't be read, or keeps a page white.
 * @param {{ width: number, smallest: number }} paper
 */
function faultsOnPaper({ width, smallest }) {
    const found = [];
    const name = (/** @type {Element} */ element) =>
        `<${element.tagName.toLowerCase()}> ${wordsOf(element).slice(0, 60)}`;
    for (const element of document.querySelectorAll("main, main *")) {
        const { right, left, width: own } = element.getBoundingClientRect();
        if (own > 0 && (right > width + 1 || left < -1) && !element.closest("svg *")) {
            found.push(`${name(element)} reaches from ${Math.round(left)} to ${Math.round(right)} of ${width} px`);
        }
    }
    for (const box of document.querySelectorAll("main .table-wrapper, main table, main pre, main pre > code")) {
        const style = getComputedStyle(box);
        if (box.scrollWidth > box.clientWidth + 1 && style.overflowX !== "visible") {
            found.push(`${name(box)} is cut: ${box.scrollWidth} of ${box.clientWidth} px`);
        }
        if (style.breakInside !== "auto") {
            found.push(`${name(box)} can't go on on the next page`);
        }
        if (box.getClientRects().length > 0 && parseFloat(style.fontSize) < smallest) {
            found.push(`${name(box)} has letters of ${style.fontSize}`);
        }
    }
    return found.slice(0, 5);
}

/** Runs in the page of all pages: what its order says. */
function order() {
    const place = (/** @type {string} */ selector) =>
        [...document.querySelectorAll("main h1")].findIndex((title) => title.matches(selector));
    const named = [...document.querySelectorAll("main .folded.named")].map((line) => line.textContent ?? "");
    return {
        titles: document.querySelectorAll("main h1").length,
        answers: place("#answers > h1"),
        solutions: place("#hints-and-solutions > h1"),
        questions: document.querySelectorAll('main p.folded[id^="question-"]').length,
        unanswered: document.querySelectorAll('main .predict:not(:has(p.folded[id^="question-"]))').length,
        answered: document.querySelectorAll("#answers .answer").length,
        openAnswers: document.querySelectorAll("main .predict details").length,
        closed: document.querySelectorAll("main details:not([open])").length,
        boxes: [...document.querySelectorAll("main details > summary")].map((summary) =>
            (summary.textContent ?? "").trim(),
        ),
        named,
        dead: [...document.querySelectorAll("main .folded a, main #answers a")]
            .map((link) => link.getAttribute("href") ?? "")
            .filter((href) => href.startsWith("#") && !document.querySelector(href)),
    };
}

/** Runs in a page: what it folds. */
function summaries() {
    return [...document.querySelectorAll("main details > summary")].map((summary) =>
        (summary.textContent ?? "").trim(),
    );
}

test.use(reader({ width: PAPER, height: 1000 }));

/** @param {Page} page */
async function expectFits(page) {
    // A reader may have opened any box before printing a page.
    await page.evaluate(() => {
        for (const box of document.querySelectorAll("main details")) {
            box.setAttribute("open", "");
        }
    });
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate(faultsOnPaper, { width: PAPER, smallest: SMALLEST })).toEqual([]);
}

for (const name of pages) {
    test(name, async ({ page }) => {
        await page.goto(name);
        await expectFits(page);
    });
}

test("all pages in one", async ({ page }) => {
    await page.goto("print.html");
    const print = await page.evaluate(order);
    expect.soft(print.answers, "the place of the answers").toBe(print.titles - 2);
    expect.soft(print.solutions, "the place of the solutions").toBe(print.titles - 1);
    expect.soft(print.questions, "questions").toBeGreaterThan(0);
    expect.soft(print.answered, "answers at the end").toBe(print.questions);
    expect.soft(print.unanswered, "predictions without an answer at the end").toBe(0);
    const unprinted = print.named.filter((line) => /\bAnswer\b/.test(line));
    expect.soft(unprinted, "answers that are not printed").toEqual([]);
    expect.soft(print.openAnswers, "answers beside their question").toBe(0);
    expect.soft(print.closed, "boxes that are folded").toBe(0);
    const kept = /^(The task|Hints, step by step|Hint \d|A solution, and why)\b/;
    expect
        .soft(
            print.boxes.filter((box) => !kept.test(box)),
            "boxes for reference",
        )
        .toEqual([]);
    expect.soft(print.dead, "links that lead nowhere").toEqual([]);
    await expectFits(page);
});

test("what is named is folded on the page that is named", async ({ page }) => {
    await page.goto("print.html");
    const { named } = await page.evaluate(order);
    expect(named.length, "lines that name what is folded").toBeGreaterThan(0);
    const lines = named.map((line) => /^On the screen, in ([a-z0-9-]+\.html): (.+)$/s.exec(line) ?? [line, "", ""]);
    for (const name of new Set(lines.map(([, name]) => name))) {
        await page.goto(name);
        const folded = await page.evaluate(summaries);
        for (const [, , what] of lines.filter(([, one]) => one === name)) {
            expect.soft(folded, name).toEqual(expect.arrayContaining(what.split("; ").map((one) => one.trim())));
        }
    }
});
