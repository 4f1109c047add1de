// Looks at every page of a built book as on paper, and at the page of all pages, of which the PDF and the EPUB are made.
//
//     node paper.mjs FOLDER
//
// FOLDER is the built book. Environment: CHROMIUM, the browser's executable (required); ONLY, to look only at pages
// whose name contains this.
//
// No table, listing or picture may reach over the margin, and what is long must be able to go on on the next page.
// In the page of all pages nothing is folded: answers and solutions stand at the end, and what is for reference is
// named, with a page that has it. Prints a line for each problem, and ends with 1 if there is any.

import { readdirSync } from "node:fs";
import { builtBook, each, finish, hasMoved, launch, PATIENCE, problem, serve } from "./book.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").BrowserContext} Context */

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
        questions: document.querySelectorAll("main .predict").length,
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

/**
 * Looks at a page; returns what it folds, and its order if it is the page of all pages.
 * @param {Context} context
 * @param {string} origin
 * @param {string} page
 */
async function checkPage(context, origin, page) {
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    await tab.goto(`${origin}/${page}`, { waitUntil: "load", timeout: PATIENCE });
    folded[page] = await tab.evaluate(summaries);
    if (page === "print.html") {
        checkOrder(await tab.evaluate(order));
    }
    // A reader may have opened any box before printing a page.
    await tab.evaluate(() => {
        for (const box of document.querySelectorAll("main details")) {
            box.setAttribute("open", "");
        }
    });
    await tab.emulateMedia({ media: "print" });
    const faults = await tab.evaluate(faultsOnPaper, { width: PAPER, smallest: SMALLEST });
    for (const fault of faults) {
        problem(page, fault);
    }
    await tab.close();
}

/** @param {ReturnType<typeof order>} print */
function checkOrder({ titles, answers, solutions, questions, answered, openAnswers, boxes, dead, closed, named }) {
    const say = (/** @type {string} */ what) => problem("print.html", what);
    if (answers !== titles - 2 || solutions !== titles - 1) {
        say(`answers and solutions are chapters ${answers + 1} and ${solutions + 1} of ${titles}`);
    }
    if (questions === 0 || answered !== questions || openAnswers > 0) {
        say(`${answered} answers at the end and ${openAnswers} beside their question, to ${questions} questions`);
    }
    if (closed > 0) {
        say(`${closed} boxes are folded`);
    }
    const kept = /^(The task|Hints, step by step|Hint \d|A solution, and why)\b/;
    for (const box of boxes.filter((one) => !kept.test(one))) {
        say(`prints what is folded for reference: ${box}`);
    }
    for (const href of dead) {
        say(`leads nowhere: ${href}`);
    }
    if (named.length < 50) {
        say(`names only ${named.length} boxes`);
    }
    lines.push(...named);
}

/** What is named must be folded on the page that is named; with ONLY, not all pages were looked at. */
function checkNames() {
    const there = /^On the screen, in ([a-z0-9-]+\.html): (.+)$/s;
    for (const line of lines) {
        const [, page, what] = line.match(there) ?? [];
        const has = folded[page] ?? (only ? undefined : []);
        if (!what || (has && !what.split("; ").every((one) => has.includes(one.trim())))) {
            problem("print.html", `names what is not folded there: ${line}`);
        }
    }
}

const folder = builtBook("print.html");
const only = process.env.ONLY ?? "";
const NO_PAGES = ["toc.html", "404.html", "index.html"];
const pages = readdirSync(folder).filter(
    (file) => file.endsWith(".html") && !NO_PAGES.includes(file) && file.includes(only) && !hasMoved(folder, file),
);
/** What each page folds, by its file's name. @type {Record<string, string[]>} */
const folded = {};
/** The lines of the page of all pages that name what is folded. @type {string[]} */
const lines = [];
const origin = await serve(folder);
const browser = await launch();
const context = await browser.newContext({ viewport: { width: PAPER, height: 1000 }, reducedMotion: "reduce" });
// print.html opens the browser's print dialogue.
await context.addInitScript(() => {
    window.print = () => {};
});
await each(pages, 3, (page) =>
    checkPage(context, origin, page).catch((error) => problem(page, String(error).split("\n")[0])),
);
await browser.close();
checkNames();
finish(`${pages.length} pages`);
