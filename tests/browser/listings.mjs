// Listings: the head that names their file, the first lines of a long one, and on a phone the edge that fades where one
// goes on sideways. (What their buttons copy: copy.mjs.)
//
//     node listings.mjs FOLDER
//
// FOLDER is the built book. Prints a line for each problem, and ends with 1 if there is any.

import { builtBook, finish, launch, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** Pages with long listings, in folds and outside of them. */
const PAGES = ["ch03-threadpool.html", "ch06-tokio.html", "own-runtime.html"];
/** As many lines of a listing are shown. */
const LINES = 40;
/** As many columns does a phone show. */
const COLUMNS = 48;
const PHONE = { width: 390 };

const origin = await serve(builtBook("index.html"));
const browser = await launch();
const checks = new Checks(browser, origin);

/** Runs in the page: how many lines of a listing are shown, and how many it has. @param {Element} code */
function linesOf(code) {
    const all = (code.textContent ?? "").trimEnd().split("\n").length;
    const padding = Number.parseFloat(getComputedStyle(code).paddingTop);
    return { all, shown: Math.round((all * (code.clientHeight - padding)) / (code.scrollHeight - padding)) };
}

/** @param {Page} tab */
const longListing = (tab) => tab.locator("main pre:has(> .show-all):has(> .language-rust)").first();

for (const page of PAGES) {
    checks.check(`which listings of ${page} are cut`, page, async (tab, { is }) => {
        const { long, wrong } = await tab.evaluate((lines) => {
            const isLong = (/** @type {Element} */ code) =>
                (code.textContent ?? "").trimEnd().split("\n").length > lines && !code.closest("details");
            const codes = all(document, "main pre > code");
            const wrong = codes.filter((code) => isLong(code) !== code.matches(".cut > code"));
            return { long: codes.filter(isLong).length, wrong: wrong.length };
        }, LINES);
        is(long > 1, true, "the page has long listings");
        is(wrong, 0, "listings that are short and cut, or long and not cut");
    });
}

checks.check("a long listing by the keyboard", PAGES[1], async (tab, { is, clean }) => {
    const code = longListing(tab).locator("code");
    const button = longListing(tab).getByRole("button", { name: / lines$/ });
    const { all, shown } = await code.evaluate(linesOf);
    is(shown, LINES, "the lines of a long listing");
    is(await button.innerText(), `Show all ${all} lines`, "what its button says");
    await clean();
    await button.focus();
    await tab.keyboard.press("Enter");
    is((await code.evaluate(linesOf)).shown, all, "the lines after the button was pressed");
    is(await button.innerText(), `Show the first ${LINES} lines`, "what the button says then");
    await tab.keyboard.press("Enter");
    is((await code.evaluate(linesOf)).shown, LINES, "the lines after the button was pressed again");
});

checks.check("a search in the page", PAGES[1], async (tab, { is }) => {
    const code = longListing(tab).locator("code");
    const { all } = await code.evaluate(linesOf);
    const lines = ((await code.textContent()) ?? "").split("\n").map((line) => line.trim());
    const words = lines.findLast((line, index) => line.length > 20 && lines.indexOf(line) === index) ?? "no line";
    is(lines.indexOf(words) > LINES, true, `${words} is behind the first lines`);
    await code.evaluate((element, words) => {
        getSelection()?.collapse(element, 0);
        // No standard has it, and it finds as the browser's own search does.
        /** @type {Window & { find?: (words: string) => boolean }} */ (window).find?.(words);
    }, words);
    await tab.waitForFunction(() => {
        const { top, bottom } = getSelection()?.getRangeAt(0).getBoundingClientRect() ?? { top: -1, bottom: -1 };
        return top > 0 && bottom < innerHeight;
    });
    is((await code.evaluate(linesOf)).shown, all, "the lines when one of the last is found");
});

checks.check("a hit of the book's search", `${PAGES[1]}?highlight=async`, async (tab) => {
    await tab.waitForFunction(() => document.querySelector("main pre:has(> .show-all) mark"));
    await tab.waitForFunction(() => !document.querySelector("main pre.cut mark"));
});

checks.check("a long listing on paper", PAGES[1], async (tab, { is }) => {
    await tab.emulateMedia({ media: "print" });
    const { all, shown } = await longListing(tab).locator("code").evaluate(linesOf);
    is(shown, all, "the lines on paper");
    is(await tab.locator("main .show-all:visible").count(), 0, "buttons on paper");
});

checks.check(
    "listings without scripts",
    PAGES[1],
    async (tab, { is }) => {
        is((await tab.locator("main .listing-head:visible").count()) > 5, true, "there are heads");
        is(await tab.locator("main :is(.cut, .show-all)").count(), 0, "listings that are cut");
    },
    { scripts: false },
);

for (const page of PAGES) {
    checks.check(
        `the edge of a listing of ${page}`,
        page,
        async (tab, { is }) => {
            const box = tab.locator("main pre > code[data-scrolls]:visible").first();
            const edge = () => box.evaluate((code) => getComputedStyle(code).maskImage);
            is((await edge()) === "none", false, "the edge does not fade");
            const words = await box.evaluate((code) => {
                return getComputedStyle(/** @type {Element} */ (code.parentElement), "::before").content;
            });
            is(words, "none", "the words above it");
            await box.evaluate((code) => code.scrollTo({ left: code.scrollWidth, behavior: "instant" }));
            const end = (/** @type {Element} */ code) => getComputedStyle(code).maskImage === "none";
            await tab.waitForFunction(end, await box.elementHandle());
            const columns = await box.evaluate((code) => {
                const style = getComputedStyle(code);
                const range = document.createRange();
                const text = document.createTreeWalker(code, NodeFilter.SHOW_TEXT).nextNode();
                range.setStart(/** @type {Text} */ (text), 0);
                range.setEnd(/** @type {Text} */ (text), 1);
                const room = code.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
                return Math.floor(room / range.getBoundingClientRect().width);
            });
            is(columns >= COLUMNS, true, `${columns} columns are enough`);
        },
        PHONE,
    );
}

checks.check(
    "a long command on a phone",
    PAGES[0],
    async (tab, { is }) => {
        await tab.waitForFunction(() => document.querySelector("main .language-console .bash"));
        const { wide, wrapped } = await tab.evaluate(() => {
            const commands = all(document, "main .language-console .bash");
            const edge = (/** @type {Element} */ one) => one.closest("code")?.getBoundingClientRect().right ?? 0;
            return {
                wide: commands.filter((one) => one.getBoundingClientRect().right > edge(one) + 1).length,
                wrapped: commands.filter((one) => one.getClientRects().length > 1).length,
            };
        });
        is(wide, 0, "commands that go on behind the edge");
        is(wrapped > 0, true, "there are commands of more than a line");
    },
    PHONE,
);

const count = await checks.run(4);
await browser.close();
finish(`${count} checks of listings`);
