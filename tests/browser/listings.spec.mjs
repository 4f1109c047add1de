// Listings: the head that names their file, the first lines of a long one, and on a phone the edge that fades where one
// goes on sideways. (What their buttons copy: copy.spec.mjs.)

import { expect, expectClean, reader, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

/** Pages with long listings, in folds and outside of them. */
const PAGES = ["ch03-threadpool.html", "ch06-tokio.html", "own-runtime.html"];
/** As many lines of a listing are shown. */
const LINES = 40;
/** As many columns does a phone show. */
const COLUMNS = 48;
const PHONE = { width: 390 };

/** Runs in the page: how many lines of a listing are shown, and how many it has. @param {Element} code */
function linesOf(code) {
    const all = (code.textContent ?? "").trimEnd().split("\n").length;
    const padding = Number.parseFloat(getComputedStyle(code).paddingTop);
    return { all, shown: Math.round((all * (code.clientHeight - padding)) / (code.scrollHeight - padding)) };
}

/** @param {Page} tab */
const longListing = (tab) => tab.locator("main pre:has(> .show-all):has(> .language-rust)").first();

for (const page of PAGES) {
    test(`which listings of ${page} are cut`, async ({ page: tab }) => {
        await tab.goto(page);

        const { long, wrong } = await tab.evaluate((lines) => {
            const isLong = (/** @type {Element} */ code) =>
                (code.textContent ?? "").trimEnd().split("\n").length > lines && !code.closest("details");
            const codes = all(document, "main pre:not(.change) > code");
            const wrong = codes.filter((code) => isLong(code) !== code.matches(".cut > code"));
            return { long: codes.filter(isLong).length, wrong: wrong.length };
        }, LINES);
        expect.soft(long > 1, "the page has long listings").toBe(true);
        expect.soft(wrong, "listings that are short and cut, or long and not cut").toBe(0);
    });
}

test("a long listing by the keyboard", async ({ page: tab }) => {
    await tab.goto(PAGES[1]);

    const code = longListing(tab).locator("code");
    const button = longListing(tab).getByRole("button", { name: / lines$/ });
    const { all, shown } = await code.evaluate(linesOf);
    expect.soft(shown, "the lines of a long listing").toBe(LINES);
    expect.soft(await button.innerText(), "what its button says").toBe(`Show all ${all} lines`);
    await expectClean(tab);
    await button.focus();
    await tab.keyboard.press("Enter");
    expect.soft((await code.evaluate(linesOf)).shown, "the lines after the button was pressed").toBe(all);
    expect.soft(await button.innerText(), "what the button says then").toBe(`Show the first ${LINES} lines`);
    await tab.keyboard.press("Enter");
    expect.soft((await code.evaluate(linesOf)).shown, "the lines after the button was pressed again").toBe(LINES);
});

// A link to words scrolls to them as the browser's own search does.
test("words behind the first lines", async ({ page: tab }) => {
    await tab.goto(PAGES[2]);

    const words = await tab.evaluate((shown) => {
        const text = document.body.textContent ?? "";
        const isOnce = (/** @type {string} */ line) =>
            line.startsWith("// ") && line.length > 40 && text.split(line).length === 2;
        const codes = all(document, "main pre.cut > code");
        const lines = codes.flatMap((code) => (code.textContent ?? "").split("\n").slice(shown + 1));
        return lines.map((line) => line.trim()).find(isOnce) ?? "no such line";
    }, LINES);
    const { href } = new URL(tab.url());
    await tab.goto("about:blank");
    await tab.goto(`${href}#:~:text=${encodeURIComponent(words).replaceAll("-", "%2D")}`, { waitUntil: "load" });
    await tab.waitForFunction((words) => {
        const code = all(document, "main pre > code").find((one) => one.textContent?.includes(words));
        return code && !code.matches(".cut > code");
    }, words);
    const line = await tab.getByText(words).boundingBox();
    const screen = tab.viewportSize()?.height ?? 0;
    expect.soft(line !== null && line.y > 0 && line.y + line.height < screen, `${words} is on the screen`).toBe(true);
});

test("a hit of the book's search", async ({ page: tab }) => {
    await tab.goto(`${PAGES[1]}?highlight=async`);

    await tab.waitForFunction(() => document.querySelector("main pre:has(> .show-all) mark"));
    await tab.waitForFunction(() => !document.querySelector("main pre.cut mark"));
});

test("a long listing on paper", async ({ page: tab }) => {
    await tab.goto(PAGES[1]);

    await tab.emulateMedia({ media: "print" });
    const { all, shown } = await longListing(tab).locator("code").evaluate(linesOf);
    expect.soft(shown, "the lines on paper").toBe(all);
    expect.soft(await tab.locator("main .show-all:visible").count(), "buttons on paper").toBe(0);
});

test.describe(() => {
    test.use(reader({ scripts: false }));
    test("listings without scripts", async ({ page: tab }) => {
        await tab.goto(PAGES[1]);

        expect.soft((await tab.locator("main .listing-head:visible").count()) > 5, "there are heads").toBe(true);
        expect.soft(await tab.locator("main :is(.cut, .show-all)").count(), "listings that are cut").toBe(0);
    });
});

for (const page of PAGES) {
    test.describe(() => {
        test.use(reader(PHONE));
        test(`the edge of a listing of ${page}`, async ({ page: tab }) => {
            await tab.goto(page);

            const box = tab.locator("main pre > code[data-scrolls]:visible").first();
            const edge = () => box.evaluate((code) => getComputedStyle(code).maskImage);
            expect.soft((await edge()) === "none", "the edge does not fade").toBe(false);
            const words = await box.evaluate((code) => {
                return getComputedStyle(/** @type {Element} */ (code.parentElement), "::before").content;
            });
            expect.soft(words, "the words above it").toBe("none");
            await box.evaluate((code) => code.scrollTo({ left: code.scrollWidth, behavior: "instant" }));
            await tab.waitForFunction(() => {
                const box = all(document, "main pre > code[data-scrolls]").find((code) => code.scrollLeft > 0);
                return box && getComputedStyle(box).maskImage === "none";
            });
            const columns = await box.evaluate((code) => {
                const style = getComputedStyle(code);
                const range = document.createRange();
                const text = document.createTreeWalker(code, NodeFilter.SHOW_TEXT).nextNode();
                range.setStart(/** @type {Text} */ (text), 0);
                range.setEnd(/** @type {Text} */ (text), 1);
                const room =
                    code.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
                return Math.floor(room / range.getBoundingClientRect().width);
            });
            expect.soft(columns >= COLUMNS, `${columns} columns are enough`).toBe(true);
        });
    });
}

test.describe(() => {
    test.use(reader(PHONE));
    test("a long command on a phone", async ({ page: tab }) => {
        await tab.goto(PAGES[0]);

        await tab.waitForFunction(() => document.querySelector("main .language-console .bash"));
        const { wide, wrapped } = await tab.evaluate(() => {
            const commands = all(document, "main .language-console .bash");
            const edge = (/** @type {Element} */ one) => one.closest("code")?.getBoundingClientRect().right ?? 0;
            return {
                wide: commands.filter((one) => one.getBoundingClientRect().right > edge(one) + 1).length,
                wrapped: commands.filter((one) => one.getClientRects().length > 1).length,
            };
        });
        expect.soft(wide, "commands that go on behind the edge").toBe(0);
        expect.soft(wrapped > 0, "there are commands of more than a line").toBe(true);
    });
});
