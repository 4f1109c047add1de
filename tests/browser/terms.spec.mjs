// Terms that explain themselves: to a pointer, to the keyboard, to a finger and to a screen reader, with and without
// scripts, but not on paper. And the glossary: its letters, and the field that filters its terms.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectClean, folder, pages, reader, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

/** A page whose first term is in a sentence, and others in a table. */
const PAGE = "introduction.html";
/** What the check of the links looks for in a page's source. */
const TERM = /<a class="term" href="(glossary\.html#[^"]+)" aria-description="[^"]{20,}">/g;
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
 * Runs in the page: what its style puts behind this link once it has been told to.
 * @param {Element} link
 */
function boxWhenTold(link) {
    link.classList.add("told");
    return getComputedStyle(link, "::after").content;
}

test("a page explains a term once", () => {
    const explained = pages.map((page) => {
        const links = [...readFileSync(join(folder, page), "utf8").matchAll(TERM)].map(([, link]) => link);
        expect.soft([...new Set(links)], page).toEqual(links);
        return links.length;
    });
    expect(Math.max(...explained), "terms that a page explains").toBeGreaterThan(0);
});

/** @param {Page} tab */
const firstTerm = (tab) => tab.locator("main a.term").first();

for (const theme of /** @type {const} */ (["light", "dark"])) {
    test.describe(() => {
        test.use(reader({ theme }));
        test(`a pointer (${theme})`, async ({ page: tab }) => {
            await tab.goto(PAGE);

            const term = firstTerm(tab);
            expect.soft(await term.evaluate(isTold), "a box before the pointer is there").toBe(false);
            await term.hover();
            expect.soft(await term.evaluate(isTold), "a box under the pointer").toBe(true);
            await tab.keyboard.press("Escape");
            expect.soft(await term.evaluate(isTold), "a box after Escape").toBe(false);
            await tab.mouse.move(0, 0);
            expect.soft(await term.evaluate(isTold), "a box without the pointer").toBe(false);
            await term.hover();
            expect.soft(await term.evaluate(isTold), "a box when the pointer has come back").toBe(true);
        });
    });
}

for (const width of [390, 1366]) {
    test.describe(() => {
        test.use(reader({ width }));
        test(`every term (${width} px)`, async ({ page: tab }) => {
            await tab.goto(PAGE);

            const touched = await tab.evaluate(() => matchMedia("(hover: none)").matches);
            expect.soft(touched, "the window has no pointer, only fingers").toBe(width < 500);
            for (const term of await tab.locator("main a.term:visible").all()) {
                const words = await term.innerText();
                if (touched) {
                    // The box of the term before may cover this one.
                    await tab.locator("main h1").tap();
                    await term.tap();
                } else {
                    await term.hover();
                }
                expect.soft(await term.evaluate(isTold), `${words} has a box`).toBe(true);
                const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;
                expect.soft(await tab.evaluate(fits), `the box of ${words} fits the screen`).toBe(true);
            }
        });
    });
}

test("a pointer in the box", async ({ page: tab }) => {
    await tab.goto(PAGE);

    const term = firstTerm(tab);
    // There is room below it.
    await term.evaluate((link) => link.scrollIntoView({ block: "center" }));
    await term.hover();
    const box = await term.boundingBox();
    const { x, y, width, height } = box ?? { x: 0, y: 0, width: 0, height: 0 };
    for (let below = 0; below <= 14; below += 2) {
        await tab.mouse.move(x + width / 2, y + height + below);
        expect.soft(await term.evaluate(isTold), `a box with the pointer ${below} px below the word`).toBe(true);
    }
});

for (const width of [390, 1280]) {
    test.describe(() => {
        test.use(reader({ width }));
        test(`the keyboard and a screen reader (${width} px)`, async ({ page: tab }) => {
            await tab.goto(PAGE);

            // The first stop leads to the text.
            await tab.keyboard.press("Tab");
            await tab.keyboard.press("Enter");
            const isHere = () => document.activeElement?.matches("a.term") ?? false;
            for (let stop = 0; stop < STOPS && !(await tab.evaluate(isHere)); stop += 1) {
                await tab.keyboard.press("Tab");
            }
            const term = tab.locator("a.term:focus");
            expect.soft(await term.evaluate(isTold), "a box where the keyboard is").toBe(true);
            const session = await tab.context().newCDPSession(tab);
            await session.send("Accessibility.enable");
            const { nodes } = await session.send("Accessibility.getFullAXTree");
            const words = await term.innerText();
            const links = nodes.filter(({ role, name }) => role?.value === "link" && name?.value === words);
            const description = await term.getAttribute("aria-description");
            const told = links.some((link) => link.description?.value === description);
            expect.soft(told, `a link whose name is ${words} and nothing more is described by its sentence`).toBe(true);
            await tab.keyboard.press("Escape");
            expect.soft(await term.evaluate(isTold), "a box after Escape").toBe(false);
            await tab.keyboard.press("Enter");
            await tab.waitForURL(/glossary\.html#/);
        });
    });
}

test.describe(() => {
    test.use(reader({ width: 390 }));
    test("a finger", async ({ page: tab }) => {
        await tab.goto(PAGE);

        const term = firstTerm(tab);
        const entry = await term.getAttribute("href");
        await term.tap();
        expect.soft(await term.evaluate(isTold), "a box after the first touch").toBe(true);
        expect.soft(tab.url().endsWith(PAGE), "the first touch stays on the page").toBe(true);
        await tab.locator("main h1").tap();
        expect.soft(await term.evaluate(isTold), "a box after a touch elsewhere").toBe(false);
        await term.tap();
        await term.tap();
        await tab.waitForURL((url) => url.href.endsWith(entry ?? "no link"));
    });
});

test.describe(() => {
    test.use(reader({ width: 390, scripts: false }));
    test("a finger without scripts", async ({ page: tab }) => {
        await tab.goto(PAGE);

        await firstTerm(tab).tap();
        await tab.waitForURL(/glossary\.html#/);
    });
});

test.describe(() => {
    test.use(reader({ scripts: false }));
    test("a pointer without scripts", async ({ page: tab }) => {
        await tab.goto(PAGE);

        await firstTerm(tab).hover();
        expect.soft(await firstTerm(tab).evaluate(isTold), "a box under the pointer").toBe(true);
    });
});

test("paper", async ({ page: tab }) => {
    await tab.goto(PAGE);

    expect.soft((await firstTerm(tab).evaluate(boxWhenTold)) === "none", "a box on the screen is missing").toBe(false);
    await tab.emulateMedia({ media: "print" });
    expect.soft(await firstTerm(tab).evaluate(boxWhenTold), "the box on paper").toBe("none");
});

/** @param {Page} tab */
const shownTerms = (tab) => tab.locator("main h3:visible").allInnerTexts();

for (const width of [390, 1366]) {
    test.describe(() => {
        test.use(reader({ width }));
        test(`the field of the glossary (${width} px)`, async ({ page: tab }) => {
            await tab.goto("glossary.html");

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
            expect
                .soft((await shownTerms(tab)).join(), "the terms with another name that was typed")
                .toBe("back-pressure");
            expect.soft(await tab.locator("main h2:visible").innerText(), "the letters above them").toBe("B");
            expect
                .soft(await tab.locator("glossary-filter [role=status]").innerText(), "what a screen reader is told")
                .toBe("1 term");
            await expectClean(tab);
            await tab.locator(".letters a[href='#w']").click();
            expect.soft(await field.inputValue(), "the field after a letter was followed").toBe("");
            expect.soft((await shownTerms(tab)).length, "the terms after a letter was followed").toBe(all.length);
            await tab.waitForFunction(() => need(document, "#w").getBoundingClientRect().top < innerHeight);
        });
    });
}

test.describe(() => {
    test.use(reader({ scripts: false }));
    test("the glossary without scripts", async ({ page: tab }) => {
        await tab.goto("glossary.html");

        expect.soft(await tab.locator("main input").count(), "fields").toBe(0);
        await tab.locator(".letters a").last().click();
        expect.soft(new URL(tab.url()).hash, "where the last letter leads").toBe("#y");
    });
});

test.describe(() => {
    test.use(reader({ width: 390 }));
    test("a finger beside the contents", async ({ page: tab }) => {
        await tab.goto(PAGE);

        const isOpen = () => need(document, "#mdbook-sidebar-toggle-anchor", HTMLInputElement).checked;
        await tab.locator("#mdbook-menu-bar button").first().click();
        await tab.waitForFunction(isOpen);
        await tab.waitForFunction(() => need(document, "main").getBoundingClientRect().left > 100);
        const before = tab.url();
        await tab.mouse.click(380, 500);
        await tab.waitForFunction(() => !need(document, "#mdbook-sidebar-toggle-anchor", HTMLInputElement).checked);
        expect(tab.url(), "the page after a tap beside the contents").toBe(before);
    });
});
