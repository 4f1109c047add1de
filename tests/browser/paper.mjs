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
import { PATIENCE, builtBook, launch, serve } from "./book.mjs";

/** The width of the text on A4 with the margins of `cargo xtask print` (16 mm), in pixels of 1/96 inch. */
const PAPER = Math.floor(((210 - 2 * 16) / 25.4) * 96);
/** Letters that are smaller can't be read on paper: 5.5 points. */
const SMALLEST = (5.5 / 72) * 96;
const problems = [];

function problem(page, what) {
    problems.push(`${page}: ${what}`);
    console.log(problems.at(-1));
}

/** Runs in the page: what is cut, can't be read, or keeps a page white. */
function faultsOnPaper({ width, smallest }) {
    const found = [];
    const name = (element) =>
        `<${element.tagName.toLowerCase()}> ${element.textContent.trim().replace(/\s+/g, " ").slice(0, 60)}`;
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
        if (style.breakInside !== "auto" && !box.matches(".mermaid")) {
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
    const place = (selector) => [...document.querySelectorAll("main h1")].findIndex((title) => title.matches(selector));
    const named = [...document.querySelectorAll("main .folded.named")].map((line) => line.textContent);
    return {
        titles: document.querySelectorAll("main h1").length,
        answers: place("#answers > h1"),
        solutions: place("#hints-and-solutions > h1"),
        questions: document.querySelectorAll("main .predict").length,
        answered: document.querySelectorAll("#answers .answer").length,
        openAnswers: document.querySelectorAll("main .predict details").length,
        folded: document.querySelectorAll("main details:not([open])").length,
        boxes: [...document.querySelectorAll("main details > summary")].map((summary) => summary.textContent.trim()),
        named,
        dead: [...document.querySelectorAll("main .folded a, main #answers a")]
            .map((link) => link.getAttribute("href"))
            .filter((href) => href.startsWith("#") && !document.querySelector(href)),
    };
}

/** Runs in a page: what it folds. */
function summaries() {
    return [...document.querySelectorAll("main details > summary")].map((summary) => summary.textContent.trim());
}

async function open(context, address) {
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    await tab.goto(address, { waitUntil: "load", timeout: PATIENCE });
    await tab.waitForFunction(() =>
        [...document.querySelectorAll("pre.mermaid")].every((pre) => pre.querySelector("svg")),
    );
    return tab;
}

const folder = builtBook("print.html");
const only = process.env.ONLY ?? "";
const NO_PAGES = ["toc.html", "404.html", "index.html"];
const pages = readdirSync(folder).filter(
    (file) => file.endsWith(".html") && !NO_PAGES.includes(file) && file.includes(only),
);
const origin = await serve(folder);
const browser = await launch();
const context = await browser.newContext({ viewport: { width: PAPER, height: 1000 }, reducedMotion: "reduce" });
// print.html opens the browser's print dialogue.
await context.addInitScript(() => {
    window.print = () => {};
});

/** What each page folds, by its file's name. */
const folded = {};
let print;
for (const page of pages) {
    const tab = await open(context, `${origin}/${page}`);
    folded[page] = await tab.evaluate(summaries);
    if (page === "print.html") {
        print = await tab.evaluate(order);
    }
    // A reader may have opened any box before printing a page.
    await tab.evaluate(() =>
        document.querySelectorAll("main details").forEach((box) => {
            box.open = true;
        }),
    );
    await tab.emulateMedia({ media: "print" });
    const faults = await tab.evaluate(faultsOnPaper, { width: PAPER, smallest: SMALLEST });
    faults.forEach((fault) => problem(page, fault));
    await tab.close();
}
await browser.close();

if (print) {
    const say = (what) => problem("print.html", what);
    const { titles, answers, solutions, questions, answered, openAnswers, boxes, named, dead } = print;
    if (answers !== titles - 2 || solutions !== titles - 1) {
        say(`answers and solutions are chapters ${answers + 1} and ${solutions + 1} of ${titles}`);
    }
    if (questions === 0 || answered !== questions || openAnswers > 0) {
        say(`${answered} answers at the end and ${openAnswers} beside their question, to ${questions} questions`);
    }
    if (print.folded > 0) {
        say(`${print.folded} boxes are folded`);
    }
    const kept = /^(The task|Hints, step by step|Hint \d|A solution, and why)\b/;
    boxes.filter((box) => !kept.test(box)).forEach((box) => say(`prints what is folded for reference: ${box}`));
    dead.forEach((href) => say(`leads nowhere: ${href}`));
    const there = /^On the screen, in ([a-z0-9-]+\.html): (.+)$/s;
    for (const line of named) {
        const [, page, what] = line.match(there) ?? [];
        // With ONLY, not all pages were looked at.
        const has = folded[page] ?? (only ? undefined : []);
        if (!what || (has && !what.split("; ").every((one) => has.includes(one.trim())))) {
            say(`names what is not folded there: ${line}`);
        }
    }
    if (named.length < 50) {
        say(`names only ${named.length} boxes`);
    }
}
console.log(`${pages.length} pages, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
