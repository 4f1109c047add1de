// Every page of the book: it complains of nothing, asks for nothing but what it needs, everything fits its screen and can be
// read there, axe finds nothing, and its text is there without JavaScript.

import { everyPage, expect, expectAccessible, FOLDER, reader, test } from "./book.mjs";

/**
 * How each page is looked at. What a theme changes is colours, so one of the two is enough to see at all sizes that
 * everything fits; axe looks at a phone in one theme, and at a laptop in the other. A window that is made wider says
 * as much as one that is opened wide, and costs no second load; that of a phone has another menu from its start.
 * @type {{ theme: "light" | "dark", widths: number[], axe: boolean }[]}
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
const THEMES = { light: /\b(light|rust)\b/, dark: /\b(navy|coal|ayu)\b/ };
// axe leaves this rule out unless it is asked: what can be touched is at least 24 px wide and high.
const RULES = { "target-size": { enabled: true } };

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

/** Runs in the page: opens what folds, and waits until the page has looked at its boxes anew. */
async function openFolds() {
    for (const box of document.querySelectorAll("main details")) {
        box.setAttribute("open", "");
    }
    // It is told in a task of its own.
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

for (const { theme, widths, axe } of LOOKS) {
    // print.html is all pages one after the other: each is looked at alone, and paper.spec.mjs looks at all of them.
    for (const name of everyPage.filter((one) => one !== "print.html" || widths.includes(390))) {
        test.describe(() => {
            test.use({ ...reader({ theme, width: widths[0], height: HEIGHTS[widths[0]] }), hasTouch: false });
            test(`${name}, ${theme}, ${widths.join(" and ")} px`, async ({ page, origin }) => {
                // The page for wrong addresses is shown at any depth, so it names its place itself, by `<base>`:
                // the top of a site, unless the build is told otherwise.
                const home = `${origin}/${name === "404.html" ? "" : FOLDER}`;
                /** @type {string[]} */
                const elsewhere = [];
                page.on("request", (request) => {
                    const url = request.url();
                    if (/^http/.test(url) && (!url.startsWith(home) || url.includes("mermaid"))) {
                        elsewhere.push(url);
                    }
                });
                await page.goto(`${home}${name}`);
                await expect.soft(page.locator("html")).toHaveClass(THEMES[theme]);
                for (const width of widths) {
                    await page.setViewportSize({ width, height: HEIGHTS[width] });
                    await page.evaluate(openFolds);
                    const unfit = [
                        await page.evaluate(stickingOut),
                        await page.evaluate(tiny, LETTERS),
                        await page.evaluate(unreadable, LETTERS),
                        await page.evaluate(crowded, LETTERS),
                        await page.evaluate(scrolling, name === FITS_A_PHONE ? 0 : ROOM),
                        await page.evaluate(brokenWords),
                        width < ROOM ? [] : await page.evaluate(ragged, COLUMNS),
                        width < ROOM ? [] : await page.evaluate(untidyTables),
                        await page.evaluate(onlyColoured),
                        await page.evaluate(cutTitle),
                        await page.evaluate(namedByNothing),
                    ];
                    expect.soft(unfit.flat(), `at ${width} px`).toEqual([]);
                }
                if (axe && name !== "print.html") {
                    await expectAccessible(page, { rules: RULES });
                }
                expect.soft(elsewhere, "what it asks for outside of its folder, or needs no more").toEqual([]);
            });
        });
    }
}

test.describe("without JavaScript", () => {
    test.use(reader({ width: 390, scripts: false }));
    for (const name of everyPage.filter((one) => one !== "404.html")) {
        test(name, async ({ page }) => {
            await page.goto(`${FOLDER}${name}`);
            expect.soft((await page.locator("main").innerText()).length, "letters").toBeGreaterThan(200);
            await expect.soft(page.locator("main h1").first()).toBeVisible();
            // What is too wide scrolls by its style alone.
            expect.soft(await page.evaluate(stickingOut)).toEqual([]);
            const contents = page.frameLocator("iframe.sidebar-iframe-outer");
            await expect.soft(contents.locator("a").first(), "a link of the contents").toBeAttached();
        });
    }
});
