// Opens every page of a built book in headless Chromium, and says what is wrong with it.
//
//     node check.mjs FOLDER
//
// FOLDER is the built book. Environment:
//   CHROMIUM      the browser's executable (required)
//   SCREENSHOTS   a folder for a picture of each page, theme and width
//   ONLY          check only pages whose name contains this
//
// Prints a line for each problem, and ends with 1 if there is any, with 2 if it could not look.
// The book is served on 127.0.0.1 and in a folder of its site, as GitHub Pages does it:
// a link that begins with a slash would leave the book, and is a problem.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { askAxe, builtBook, each, finish, hasMoved, launch, PATIENCE, pictureFolder, problem, serve } from "./book.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").BrowserContext} Context */
/** @typedef {{ urls: string[], complaints: string[] }} Seen what a page asked for, and complained about */
/** @typedef {{ theme: "light" | "dark", widths: number[], axe: boolean }} Look a look at a page, on screens of these widths */

/**
 * How each page is looked at. What a theme changes is colours, so one of the two is enough to see at all sizes that
 * everything fits; axe looks at a phone in one theme, and at a laptop in the other. A window that is made wider says
 * as much as one that is opened wide, and costs no second load; that of a phone has another menu from its start.
 * @type {Look[]}
 */
const LOOKS = [
    { theme: "light", widths: [390], axe: true },
    { theme: "light", widths: [1366, 1920], axe: false },
    { theme: "dark", widths: [1366], axe: true },
];
/** @type {Record<number, number>} */
const HEIGHTS = { 390: 844, 1366: 768, 1920: 1080 };
// From this width on, no table and no listing scrolls sideways; on the first page not even on a phone.
const ROOM = 900;
const FITS_A_PHONE = "introduction.html";
// How many columns a page has where there is room: for words and pictures, for code, and for a table with many columns.
const COLUMNS = 3;
// The smallest letters, in pixels.
const LETTERS = 11;
const THEMES = { light: ["light", "rust"], dark: ["navy", "coal", "ayu"] };
// axe leaves this rule out unless it is asked: what can be touched is at least 24 px wide and high.
const RULES = { "target-size": { enabled: true } };
const PREFIX = "/book/";

/**
 * Notes what a page asks for and complains about.
 * @param {Page} tab
 * @param {string} origin
 */
function note(tab, origin) {
    /** @type {Seen} */
    const seen = { urls: [], complaints: [] };
    tab.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") {
            seen.complaints.push(`the console says: ${message.text()}`);
        }
    });
    tab.on("pageerror", (error) => seen.complaints.push(`uncaught: ${error.message}`));
    tab.on("request", (request) => {
        const url = request.url();
        if (url.startsWith("data:") || url.startsWith("blob:")) {
            return;
        }
        seen.urls.push(url);
        if (!url.startsWith(`${origin}/`)) {
            seen.complaints.push(`asks another host: ${url}`);
        }
    });
    tab.on("requestfailed", (request) => {
        seen.complaints.push(`request failed: ${request.url()}: ${request.failure()?.errorText}`);
    });
    tab.on("response", (response) => {
        if (response.status() >= 400) {
            seen.complaints.push(`${response.status()} for ${response.url()}`);
        }
    });
    return seen;
}

/** Runs in the page: the first elements of the text that stick out to the right, and are not in a box that scrolls. */
function stickingOut() {
    const found = [];
    const width = document.documentElement.clientWidth;
    const scrolls = (/** @type {Element} */ element) => {
        for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
            if (getComputedStyle(box).overflowX !== "visible") {
                // The box itself must fit.
                return box.getBoundingClientRect().right <= width + 1;
            }
        }
        return false;
    };
    for (const element of document.querySelectorAll("main, main *")) {
        const box = element.getBoundingClientRect();
        if (box.width > 0 && box.right > width + 1 && !scrolls(element)) {
            const text = (element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 60);
            found.push(`<${element.tagName.toLowerCase()}> reaches ${Math.round(box.right)} px: ${text}`);
        }
    }
    const whole = document.documentElement.scrollWidth;
    if (whole > width + 1 && found.length === 0) {
        found.push(`the page is ${whole} px wide`);
    }
    return found.slice(0, 3);
}

/**
 * Runs in the page: tables and listings that scroll sideways where there is room, or scroll and don't show it.
 * @param {number} room
 */
function scrolling(room) {
    const found = [];
    for (const box of all(document, "main .table-wrapper, main pre > code")) {
        if (box.scrollWidth <= box.clientWidth + 1) {
            continue;
        }
        const what = `${wordsOf(box).slice(0, 60)}: ${box.scrollWidth} of ${box.clientWidth} px`;
        if (innerWidth >= room) {
            found.push(`scrolls sideways where there is room: ${what}`);
        } else if (box.tabIndex !== 0 || !box.getAttribute("role") || !box.getAttribute("aria-label")) {
            found.push(`scrolls and can't be reached, or has no name or role: ${what}`);
        } else if (getComputedStyle(box).maskImage === "none") {
            found.push(`scrolls, and its edge does not fade: ${what}`);
        }
    }
    return found;
}

/**
 * Runs in the page: words in letters below this size, in pixels. What a picture says is looked at elsewhere.
 * @param {number} smallest
 */
function tiny(smallest) {
    const found = [];
    const texts = document.createTreeWalker(need(document, "main"), NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const parent = text.parentElement;
        const words = (text.textContent ?? "").trim();
        if (parent && words && parent.getClientRects().length > 0 && !parent.closest("svg")) {
            const size = Number.parseFloat(getComputedStyle(parent).fontSize);
            if (size < smallest) {
                found.push(`letters of ${size} px: ${words.slice(0, 60)}`);
            }
        }
    }
    return found.slice(0, 3);
}

/**
 * Runs in the page: how wide its parts are, where they have more edges than there are columns.
 * @param {number} most
 */
function ragged(most) {
    /** @type {Map<number, string>} */
    const widths = new Map();
    for (const part of need(document, "main").children) {
        const { width } = part.getBoundingClientRect();
        if (width > 0 && getComputedStyle(part).display !== "inline") {
            widths.set(Math.round(width), `<${part.tagName.toLowerCase()}> ${Math.round(width)} px`);
        }
    }
    return widths.size > most ? [`has ${widths.size} columns: ${[...widths.values()].join(", ")}`] : [];
}

/** Runs in the page: words of code, as short as `-v`, that begin in one line and end in the next. */
function brokenWords() {
    const found = [];
    const range = document.createRange();
    for (const code of document.querySelectorAll("main :not(pre) > code")) {
        const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
            const text = /** @type {Text} */ (node);
            for (const { 0: word, index } of text.data.matchAll(/\S*-\S*/g)) {
                range.setStart(text, index);
                range.setEnd(text, index + word.length);
                const tops = [...range.getClientRects()]
                    .filter(({ width }) => width > 0)
                    .map(({ top }) => Math.round(top));
                if (word.length <= 24 && new Set(tops).size > 1) {
                    found.push(`breaks \`${word}\` in two`);
                }
            }
        }
    }
    return found;
}

/**
 * Runs in the page: the diagrams that are no drawing, or can't be read: letters below this size, in pixels.
 * @param {number} smallest
 */
function unreadable(smallest) {
    const found = all(document, "main pre.mermaid").map((pre) => `is not drawn: ${wordsOf(pre).slice(0, 60)}`);
    for (const [index, figure] of all(document, "main figure.diagram").entries()) {
        const say = (/** @type {string} */ what) => found.push(`diagram ${index + 1}: ${what}`);
        const shown = [...figure.children].filter((form) => form.getClientRects().length > 0);
        const { width = 0, height = 0 } = shown[0]?.getBoundingClientRect() ?? {};
        if (shown.length !== 1 || width < 100 || height < 40) {
            say(`${shown.length} forms are shown, ${Math.round(width)} by ${Math.round(height)} px`);
        }
        const { bottom } = figure.getBoundingClientRect();
        const long = all(figure, "line").some((line) => line.getBoundingClientRect().bottom > bottom + 1);
        if (long && shown.some((form) => getComputedStyle(form).overflowY === "visible")) {
            say("its lines go on below it");
        }
        const texts = /** @type {(SVGTextElement | HTMLElement)[]} */ (all(figure, "text, li"));
        for (const text of texts.filter((one) => one.getClientRects().length > 0)) {
            const scale = text instanceof SVGTextElement ? (text.getScreenCTM()?.a ?? 0) : 1;
            const size = scale * Number.parseFloat(getComputedStyle(text).fontSize);
            if (size < smallest) {
                say(`letters of ${size.toFixed(1)} px: ${wordsOf(text)}`);
            }
        }
    }
    return found;
}

/**
 * Runs in the page: what of a chart can't be read: letters below this size, words beyond its edge or on each other.
 * @param {number} smallest
 */
function crowded(smallest) {
    /** @type {string[]} */
    const found = [];
    const charts = /** @type {SVGSVGElement[]} */ (all(document, "main figure.chart > svg.pic[aria-labelledby]"));
    for (const chart of charts) {
        const edge = chart.getBoundingClientRect();
        const shown = all(chart, "text").filter((one) => one.getClientRects().length > 0);
        const say = (/** @type {string} */ what) =>
            found.push(`the chart “${wordsOf(all(chart, "title")[0])}”: ${what}`);
        const boxes = shown.map((text) => ({ text, words: wordsOf(text), box: text.getBoundingClientRect() }));
        for (const [index, { text, words, box }] of boxes.entries()) {
            const scale = edge.width / chart.viewBox.baseVal.width;
            const size = scale * Number.parseFloat(getComputedStyle(text).fontSize);
            if (size < smallest) {
                say(`letters of ${size.toFixed(1)} px: ${words}`);
            }
            if (box.left < edge.left - 1 || box.right > edge.right + 1 || box.bottom > edge.bottom + 1) {
                say(`is left by: ${words}`);
            }
            for (const other of boxes.slice(index + 1)) {
                const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
                const high = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
                if (wide > 1 && high > 5) {
                    say(`${words} and ${other.words} lie on each other`);
                }
            }
        }
    }
    return found;
}

/** Runs in the page: links among words that are told from them by their colour alone, or not at all. */
function onlyColoured() {
    const links = all(document, "main :is(p, li, td, th, dd, summary, figcaption) a");
    const plain = links.filter((link) => {
        const { textDecorationLine, borderBottomStyle } = getComputedStyle(link);
        return link.getClientRects().length > 0 && [textDecorationLine, borderBottomStyle].every((it) => it === "none");
    });
    return plain.slice(0, 3).map((link) => `only its colour says that this is a link: ${wordsOf(link)}`);
}

/**
 * Runs in the page: tables that begin left of the text, names of servers in them that go on in the next line, and heads
 * of listings that are wider or narrower than what they head.
 */
function untidyTables() {
    const { left } = need(document, "main").getBoundingClientRect();
    const outside = all(document, "main .table-wrapper").filter((table) => {
        const box = table.getBoundingClientRect();
        return box.width > 0 && box.left < left - 1;
    });
    const range = document.createRange();
    const names = "main tr:not(:has(> td + td > svg.sign-of)) > td:has(> svg.sign-of)";
    const torn = all(document, names).filter((cell) => {
        range.selectNodeContents(cell);
        const letters = range.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(cell).fontSize);
        // A line is 1.4 letters high.
        return letters > 1.4 * (all(cell, "br").length + 1.6);
    });
    const uneven = all(document, "main .listing-head").filter((head) => {
        const listing = /** @type {Element} */ (head.nextElementSibling);
        const [above, below] = [head.getBoundingClientRect(), listing.getBoundingClientRect()];
        return Math.abs(above.left - below.left) > 1 || Math.abs(above.right - below.right) > 1;
    });
    return [
        ...uneven.slice(0, 3).map((head) => `a listing's head is not as wide as the listing: ${wordsOf(head)}`),
        ...outside.slice(0, 3).map((table) => `a table begins left of the text: ${wordsOf(table).slice(0, 60)}`),
        ...torn.slice(0, 3).map((cell) => `a server's name has two lines: ${wordsOf(cell)}`),
    ];
}

/** Runs in the page: what the bar above it says of it, where it is not all in sight. */
function cutTitle() {
    const title = need(document, ".menu-title");
    const fits = title.scrollWidth <= title.clientWidth + 1 && title.scrollHeight <= title.clientHeight + 1;
    return fits ? [] : [`the bar cuts its title: ${wordsOf(title)}`];
}

/** Runs in the page: what is described or named by an element that isn't there. */
function namedByNothing() {
    const attributes = ["aria-describedby", "aria-labelledby", "aria-controls", "for"];
    return attributes.flatMap((name) => {
        const ids = all(document, `[${name}]`).flatMap((it) => (it.getAttribute(name) ?? "").split(/\s+/));
        const missing = new Set(ids.filter((id) => !document.getElementById(id)));
        return [...missing].map((id) => `no element has the name that ${name} gives: ${id}`);
    });
}

/**
 * What a page loaded is what it needs, from its own folder and in its theme.
 * @param {Page} tab
 * @param {Seen} seen
 * @param {string} home the address of the book's folder
 * @param {string[]} themes
 * @param {(what: string) => void} say
 */
async function checkLoaded(tab, { urls }, home, themes, say) {
    for (const url of urls.filter((one) => /mermaid/.test(one))) {
        say(`loads ${url}`);
    }
    for (const url of urls.filter((one) => !one.startsWith(home))) {
        say(`leaves the book's folder: ${url}`);
    }
    const classes = await tab.evaluate(() => [...document.documentElement.classList]);
    if (!themes.some((name) => classes.includes(name))) {
        say(`has the theme ${classes.join(" ")}`);
    }
}

/**
 * Opens a page as on a screen of the first of these widths, and looks at all of it at each.
 * @param {Context} context
 * @param {string} origin
 * @param {string} page
 * @param {Look} look
 * @param {string | undefined} shots
 */
async function checkPage(context, origin, page, { theme, widths, axe }, shots) {
    let width = widths[0];
    const say = (/** @type {string} */ what) => problem(`${page} (${theme}, ${width} px)`, what);
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    const seen = note(tab, origin);
    try {
        // The page for wrong addresses is shown at any depth, so it names its place itself, by `<base>`:
        // the top of a site, unless the build is told otherwise.
        const prefix = page === "404.html" ? "/" : PREFIX;
        await tab.setViewportSize({ width, height: HEIGHTS[width] });
        await tab.goto(`${origin}${prefix}${page}`, { waitUntil: "load", timeout: PATIENCE });
        await checkLoaded(tab, seen, origin + prefix, THEMES[theme], say);
        if (shots && page !== "print.html") {
            const name = `${page.replaceAll("/", "-").replace(/\.html$/, "")}-${width}-${theme}.png`;
            await tab.screenshot({ path: join(shots, name), fullPage: true });
        }
        for (width of widths) {
            await tab.setViewportSize({ width, height: HEIGHTS[width] });
            await tab.evaluate(async () => {
                for (const box of document.querySelectorAll("main details")) {
                    box.setAttribute("open", "");
                }
                // The page looks at its boxes anew when they have opened, which it is told in a task of its own.
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            });
            const unfit = [
                await tab.evaluate(stickingOut),
                await tab.evaluate(tiny, LETTERS),
                await tab.evaluate(unreadable, LETTERS),
                await tab.evaluate(crowded, LETTERS),
                await tab.evaluate(scrolling, page === FITS_A_PHONE ? 0 : ROOM),
                await tab.evaluate(brokenWords),
                width < ROOM ? [] : await tab.evaluate(ragged, COLUMNS),
                width < ROOM ? [] : await tab.evaluate(untidyTables),
                await tab.evaluate(onlyColoured),
                await tab.evaluate(cutTitle),
                await tab.evaluate(namedByNothing),
            ];
            unfit.flat().forEach(say);
        }
        if (axe && page !== "print.html") {
            (await askAxe(tab, { rules: RULES })).forEach(say);
        }
    } catch (error) {
        say(String(error).split("\n")[0]);
    }
    seen.complaints.forEach(say);
    await tab.close();
}

/**
 * The text must be there without any script, and so must the way to the other pages.
 * @param {Context} context
 * @param {string} origin
 * @param {string} page
 */
async function checkWithoutScripts(context, origin, page) {
    const say = (/** @type {string} */ what) => problem(`${page} (no JavaScript)`, what);
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    const seen = note(tab, origin);
    try {
        await tab.goto(`${origin}${PREFIX}${page}`, { waitUntil: "load", timeout: PATIENCE });
        const text = await tab.locator("main").innerText();
        if (text.length < 200) {
            say(`shows only ${text.length} characters`);
        }
        if (!(await tab.locator("main h1").first().isVisible())) {
            say("shows no title");
        }
        // What is too wide scrolls by its style alone.
        (await tab.evaluate(stickingOut)).forEach(say);
        const frame = tab.frameLocator("iframe.sidebar-iframe-outer");
        if ((await frame.locator("a").count()) === 0) {
            say("shows no table of contents");
        }
    } catch (error) {
        say(String(error).split("\n")[0]);
    }
    seen.complaints.forEach(say);
    await tab.close();
}

const folder = builtBook("index.html");
const shots = pictureFolder();
const only = process.env.ONLY ?? "";
// toc.html is no page: it is what the others show in a frame where there is no JavaScript. Files in folders are parts of pages.
const pages = readdirSync(folder).filter(
    (file) => file.endsWith(".html") && file !== "toc.html" && file.includes(only) && !hasMoved(folder, file),
);
const origin = await serve(folder, { prefix: PREFIX });
const browser = await launch();

/** @param {"light" | "dark"} colorScheme */
async function checkTheme(colorScheme) {
    const context = await browser.newContext({ colorScheme, reducedMotion: "reduce" });
    // print.html opens the browser's print dialogue.
    await context.addInitScript(() => {
        window.print = () => {};
    });
    const looks = LOOKS.filter(({ theme }) => theme === colorScheme);
    const all = pages.flatMap((page) => looks.map((look) => ({ page, look })));
    // print.html is all pages one after the other: each is looked at alone, and paper.mjs looks at all of them.
    const some = all.filter(({ page, look }) => page !== "print.html" || look.widths.includes(390));
    await each(some, 2, ({ page, look }) => checkPage(context, origin, page, look, shots));
    await context.close();
}

async function checkTexts() {
    const viewport = { width: 390, height: HEIGHTS[390] };
    const context = await browser.newContext({ javaScriptEnabled: false, viewport });
    const texts = pages.filter((page) => page !== "404.html");
    await each(texts, 1, (page) => checkWithoutScripts(context, origin, page));
    await context.close();
}

await Promise.all([checkTheme("light"), checkTheme("dark"), checkTexts()]);
await browser.close();
finish(`${pages.length} pages`);
