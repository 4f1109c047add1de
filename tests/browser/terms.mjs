// Terms that explain themselves: to a pointer, to the keyboard, to a finger and to a screen reader, with and without
// scripts, but not on paper. And the glossary: its letters, and the field that filters its terms.
//
//     node terms.mjs FOLDER
//
// FOLDER is the built book. Prints a line for each problem, and ends with 1 if there is any.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtBook, finish, launch, problem, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** A page whose first term is in a sentence, and others in a table. */
const PAGE = "introduction.html";
/** So many links of all pages are explained at least, or they were not found. */
const LEAST = 40;
/** What the check of the links looks for in a page's source. */
const TERM = /<a class="term" href="(glossary\.html#[^"]+)" aria-description="[^"]{20,}">/g;
/** The least contrast of small text (WCAG 2.2, 1.4.3). */
const CONTRAST = 4.5;
/** From the keyboard's first stop in the text to a term there are fewer stops. */
const STOPS = 20;

/**
 * Runs in the page: whether the box of this link is there, which belongs to the link. It is at the word, above or
 * below, or where a browser can't do that at the lower edge of the window.
 * @param {Element} link
 */
function isTold(link) {
    const { left, right, top, bottom } = link.getBoundingClientRect();
    const atWord = CSS.supports("anchor-scope: --term");
    const middle = atWord ? (left + right) / 2 : innerWidth / 2;
    const heights = atWord ? [bottom + 12, top - 12] : [innerHeight - 30];
    return heights.some((y) => document.elementFromPoint(middle, y) === link);
}

/**
 * Runs in the page: the contrast of the words in this link's box.
 * @param {Element} link
 */
function contrastOf(link) {
    const { color, backgroundColor } = getComputedStyle(link, "::after");
    const luminance = (/** @type {string} */ css) => {
        const [red, green, blue] = (css.match(/[\d.]+/g) ?? []).map((part) => {
            const share = Number(part) / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const [dark, light] = [luminance(color), luminance(backgroundColor)].sort((one, other) => one - other);
    return (light + 0.05) / (dark + 0.05);
}

/**
 * Runs in the page: what its style puts behind this link once it has been told to.
 * @param {Element} link
 */
function boxWhenTold(link) {
    link.classList.add("told");
    return getComputedStyle(link, "::after").content;
}

const folder = builtBook(PAGE);
let found = 0;
for (const page of readdirSync(folder).filter((file) => file.endsWith(".html") && file !== "print.html")) {
    const links = [...readFileSync(join(folder, page), "utf8").matchAll(TERM)].map(([, link]) => link);
    found += links.length;
    if (new Set(links).size !== links.length) {
        problem(page, `explains a term twice: ${links.join(", ")}`);
    }
}
if (found < LEAST) {
    problem("all pages", `explain only ${found} terms`);
}

const origin = await serve(folder);
const browser = await launch();
const checks = new Checks(browser, origin);

/** @param {Page} tab */
const firstTerm = (tab) => tab.locator("main a.term").first();

for (const theme of /** @type {const} */ (["light", "dark"])) {
    checks.check(
        `a pointer (${theme})`,
        PAGE,
        async (tab, { is }) => {
            const term = firstTerm(tab);
            is(await term.evaluate(isTold), false, "a box before the pointer is there");
            await term.hover();
            is(await term.evaluate(isTold), true, "a box under the pointer");
            is((await term.evaluate(contrastOf)) >= CONTRAST, true, "the contrast is enough");
            await tab.keyboard.press("Escape");
            is(await term.evaluate(isTold), false, "a box after Escape");
            await tab.mouse.move(0, 0);
            is(await term.evaluate(isTold), false, "a box without the pointer");
            await term.hover();
            is(await term.evaluate(isTold), true, "a box when the pointer has come back");
        },
        { theme },
    );
}

for (const width of [390, 1366]) {
    checks.check(
        `every term (${width} px)`,
        PAGE,
        async (tab, { is }) => {
            const touched = await tab.evaluate(() => matchMedia("(hover: none)").matches);
            is(touched, width < 500, "the window has no pointer, only fingers");
            for (const term of await tab.locator("main a.term:visible").all()) {
                const words = await term.innerText();
                if (touched) {
                    // The box of the term before may cover this one.
                    await tab.locator("main h1").tap();
                    await term.tap();
                } else {
                    await term.hover();
                }
                is(await term.evaluate(isTold), true, `${words} has a box`);
                const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;
                is(await tab.evaluate(fits), true, `the box of ${words} fits the screen`);
            }
        },
        { width },
    );
}

checks.check("a pointer in the box", PAGE, async (tab, { is }) => {
    const term = firstTerm(tab);
    // There is room below it.
    await term.evaluate((link) => link.scrollIntoView({ block: "center" }));
    await term.hover();
    const box = await term.boundingBox();
    const { x, y, width, height } = box ?? { x: 0, y: 0, width: 0, height: 0 };
    for (let below = 0; below <= 14; below += 2) {
        await tab.mouse.move(x + width / 2, y + height + below);
        is(await term.evaluate(isTold), true, `a box with the pointer ${below} px below the word`);
    }
});

for (const width of [390, 1280]) {
    checks.check(
        `the keyboard and a screen reader (${width} px)`,
        PAGE,
        async (tab, { is }) => {
            // The first stop leads to the text.
            await tab.keyboard.press("Tab");
            await tab.keyboard.press("Enter");
            const isHere = () => document.activeElement?.matches("a.term") ?? false;
            for (let stop = 0; stop < STOPS && !(await tab.evaluate(isHere)); stop += 1) {
                await tab.keyboard.press("Tab");
            }
            const term = tab.locator("a.term:focus");
            is(await term.evaluate(isTold), true, "a box where the keyboard is");
            const session = await tab.context().newCDPSession(tab);
            await session.send("Accessibility.enable");
            const { nodes } = await session.send("Accessibility.getFullAXTree");
            const words = await term.innerText();
            const links = nodes.filter(({ role, name }) => role?.value === "link" && name?.value === words);
            const description = await term.getAttribute("aria-description");
            const told = links.some((link) => link.description?.value === description);
            is(told, true, `a link whose name is ${words} and nothing more is described by its sentence`);
            await tab.keyboard.press("Escape");
            is(await term.evaluate(isTold), false, "a box after Escape");
            await tab.keyboard.press("Enter");
            await tab.waitForURL(/glossary\.html#/);
        },
        { width },
    );
}

checks.check(
    "a finger",
    PAGE,
    async (tab, { is }) => {
        const term = firstTerm(tab);
        const entry = await term.getAttribute("href");
        await term.tap();
        is(await term.evaluate(isTold), true, "a box after the first touch");
        is(tab.url().endsWith(PAGE), true, "the first touch stays on the page");
        await tab.locator("main h1").tap();
        is(await term.evaluate(isTold), false, "a box after a touch elsewhere");
        await term.tap();
        await term.tap();
        await tab.waitForURL((url) => url.href.endsWith(entry ?? "no link"));
    },
    { width: 390 },
);

checks.check(
    "a finger without scripts",
    PAGE,
    async (tab) => {
        await firstTerm(tab).tap();
        await tab.waitForURL(/glossary\.html#/);
    },
    { width: 390, scripts: false },
);

checks.check(
    "a pointer without scripts",
    PAGE,
    async (tab, { is }) => {
        await firstTerm(tab).hover();
        is(await firstTerm(tab).evaluate(isTold), true, "a box under the pointer");
    },
    { scripts: false },
);

checks.check("paper", PAGE, async (tab, { is }) => {
    is((await firstTerm(tab).evaluate(boxWhenTold)) === "none", false, "a box on the screen is missing");
    await tab.emulateMedia({ media: "print" });
    is(await firstTerm(tab).evaluate(boxWhenTold), "none", "the box on paper");
});

/** @param {Page} tab */
const shownTerms = (tab) => tab.locator("main h3:visible").allInnerTexts();

for (const width of [390, 1366]) {
    checks.check(
        `the field of the glossary (${width} px)`,
        "glossary.html",
        async (tab, { is, clean }) => {
            const all = await shownTerms(tab);
            const field = tab.getByLabel("Filter the terms by name");
            // The first stop leads to the text.
            await field.waitFor();
            await tab.keyboard.press("Tab");
            await tab.keyboard.press("Enter");
            const isHere = () => document.activeElement?.matches("glossary-filter input") ?? false;
            for (let stop = 0; stop < STOPS && !(await tab.evaluate(isHere)); stop += 1) {
                await tab.keyboard.press("Tab");
            }
            await tab.keyboard.type("BackPres");
            is((await shownTerms(tab)).join(), "back-pressure", "the terms with another name that was typed");
            is(await tab.locator("main h2:visible").innerText(), "B", "the letters above them");
            is(
                await tab.locator("glossary-filter [role=status]").innerText(),
                "1 term",
                "what a screen reader is told",
            );
            await clean();
            await tab.locator(".letters a[href='#w']").click();
            is(await field.inputValue(), "", "the field after a letter was followed");
            is((await shownTerms(tab)).length, all.length, "the terms after a letter was followed");
            await tab.waitForFunction(() => need(document, "#w").getBoundingClientRect().top < innerHeight);
        },
        { width },
    );
}

checks.check(
    "the glossary without scripts",
    "glossary.html",
    async (tab, { is }) => {
        is(await tab.locator("main input").count(), 0, "fields");
        await tab.locator(".letters a").last().click();
        is(new URL(tab.url()).hash, "#y", "where the last letter leads");
    },
    { scripts: false },
);

checks.check(
    "a finger beside the contents",
    PAGE,
    async (tab) => {
        const isOpen = () => need(document, "#mdbook-sidebar-toggle-anchor", HTMLInputElement).checked;
        await tab.locator("#mdbook-menu-bar button").first().click();
        await tab.waitForFunction(isOpen);
        await tab.waitForFunction(() => need(document, "main").getBoundingClientRect().left > 100);
        const before = tab.url();
        await tab.mouse.click(380, 500);
        await tab.waitForFunction(() => !need(document, "#mdbook-sidebar-toggle-anchor", HTMLInputElement).checked);
        if (tab.url() !== before) {
            problem(PAGE, "a tap beside the contents leads to another page");
        }
    },
    { width: 390 },
);

const count = await checks.run(4);
await browser.close();
finish(`${found} terms explained on all pages, ${count} checks`);
