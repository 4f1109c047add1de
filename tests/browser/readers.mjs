// Readers whose keyboard, voice, finger, host or language is another than the author's.
//
//     node readers.mjs FOLDER
//
// FOLDER is the built book. Environment: CHROMIUM, the browser's executable (required); ONLY, to do only what has this
// in its name. Prints a line for each problem, and ends with 1 if there is any.

import { builtBook, finish, launch, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */

const PAGE = "ch03-threadpool.html";
const GAME = "shared-data.html";
/** Pages with commands, of all lengths. */
const COMMANDS = ["introduction.html", "ch01-single-threaded.html", "ch07-bounded.html", "judge.html"];
/** What stands on the keys P and N in Russian, Greek, Hebrew, Arabic and Thai; the last of them is no letter of its own. */
const LAYOUTS = [
    ["з", "т"],
    ["π", "ν"],
    ["פ", "מ"],
    ["ح", "ى"],
    ["ย", "ื"],
];

const folder = builtBook(PAGE);
const origin = await serve(folder);
const browser = await launch();
const checks = new Checks(browser, origin);
const place = (/** @type {Page} */ tab) => tab.locator(".teach-corner p");

/**
 * Presses a key as a keyboard with this letter on it does.
 * @param {Page} tab
 * @param {string} key
 * @param {string} code
 */
const press = (tab, key, code) =>
    tab.evaluate(
        ([key, code]) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code, bubbles: true })),
        [key, code],
    );

for (const [p, n] of LAYOUTS) {
    checks.check(`the keys ${p} and ${n}`, PAGE, async (tab) => {
        await press(tab, p, "KeyP");
        await place(tab).waitFor();
        const opens = tab.waitForEvent("popup");
        await press(tab, n, "KeyN");
        await opens;
        await press(tab, p, "KeyP");
        await place(tab).waitFor({ state: "detached" });
    });
}

checks.check("a Latin letter counts, wherever its key is", PAGE, async (tab, { is }) => {
    // Dvorak has an L where others have P.
    await press(tab, "l", "KeyP");
    is(await tab.evaluate(() => document.querySelector("[src*=teach]")), null, "teaching has been asked for");
    await press(tab, "p", "KeyR");
    await place(tab).waitFor();
});

checks.check("the keys that are turned off", "reading.html", async (tab, { is, clean }) => {
    const box = tab.getByRole("checkbox", { name: "Keys of one letter" });
    await clean();
    await box.uncheck();
    await tab.goto(`${origin}/${PAGE}?teach`);
    await place(tab).waitFor();
    const windows = tab.context().pages().length;
    // What a dictation program may type.
    await tab.keyboard.type("open spin / stop?");
    is(tab.context().pages().length, windows, "windows after dictating");
    is(await place(tab).count(), 1, "the teaching after dictating");
    is(await tab.locator("#mdbook-searchbar").isVisible(), false, "the search is open");
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("Escape");
    is(await place(tab).count(), 0, "Escape ends the teaching");
    // In a field, letters are letters.
    await tab.locator("#mdbook-search-toggle").click();
    await tab.locator("#mdbook-searchbar").pressSequentially("pin");
    is(await tab.locator("#mdbook-searchbar").inputValue(), "pin", "what is typed into the search");

    await tab.goto(`${origin}/reading.html`);
    is(await box.isChecked(), false, "the box on the next visit");
    await box.check();
    await tab.goto(`${origin}/${PAGE}`);
    await tab.keyboard.press("p");
    await place(tab).waitFor();
});

for (const address of [`${PAGE}?teach#the-workers%`, `${PAGE}?teach#caf%E9`, `${PAGE}#100%25%`]) {
    checks.check(`the cut address ${address}`, address, async (tab, { is }) => {
        if (address.includes("?")) {
            await place(tab).waitFor();
            is(((await place(tab).textContent()) ?? "").startsWith("1 of "), true, "it begins with the first section");
        }
        is(await tab.locator("html.contents-ready").count(), 1, "the scripts have run");
    });
}
for (const address of [`${PAGE}?search=caf%E9`, `${PAGE}?highlight=100%`]) {
    checks.check(`the cut address ${address}`, address, async (tab) => {
        const bar = tab.locator("#mdbook-searchbar");
        // What was searched for opens the search by itself.
        if (!address.includes("search")) {
            await tab.locator("#mdbook-search-toggle").click();
        }
        await bar.fill("");
        await bar.pressSequentially("epoll");
        await tab.locator("#mdbook-searchresults li").first().waitFor();
    });
}

const short = await serve(folder, { withoutEnding: true });
const onShort = new Checks(browser, short);
onShort.check("a host that leaves .html out", "ch04-async-std", async (tab, { is }) => {
    await tab.evaluate(() => all(document, "main h2")[2].scrollIntoView());
    await tab.goto(`${short}/introduction.html`);
    const href = await tab.locator(".go-on a").getAttribute("href");
    is(href?.startsWith("ch04-async-std.html#"), true, `the introduction leads back to ${href}`);
    await tab.goto(`${short}/ch03-threadpool`);
    is(await tab.locator(".go-on").count(), 0, "a chapter leads back, too");
});

checks.check("the short way in the contents", PAGE, async (tab, { is }) => {
    await tab.locator("html.contents-ready").waitFor();
    const marked = tab.locator("#mdbook-sidebar a.way");
    const places = await marked.evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
    for (const [place, isOnIt] of /** @type {[string, boolean][]} */ ([
        ["ch04-async-std.html", true],
        ["ch05-futures-executor.html", false],
        ["#what-happens-inside", true],
        ["#recap", true],
        ["#the-whole-server", false],
    ])) {
        is(places.includes(place), isOnIt, `a mark on ${place}`);
    }
    is(places.length, new Set(places).size, `marks on ${places}`);
});

checks.check("a browser that translates", GAME, async (tab, { is }) => {
    const game = tab.locator("schedule-game").first();
    await game.scrollIntoViewIfNeeded();
    await game.getByRole("button").first().waitFor();
    await game.getByRole("button").first().click();
    const bad = await tab.evaluate(() => {
        const code = all(document, "main :is(pre, code)");
        return code.filter((one) => !one.closest("[translate=no]")).map(wordsOf);
    });
    is(bad.join(" · "), "", "code that would be translated");
});

checks.check("a caret in a listing", "ch02-thread-spawn.html", async (tab, { is }) => {
    const code = tab.locator("main pre code:visible").first();
    await code.click({ position: { x: 40, y: 12 } });
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowLeft");
    is(await tab.evaluate(() => getSelection()?.focusNode?.parentElement?.closest("pre") !== null), true, "the caret");
    await tab.waitForTimeout(500);
    is(tab.url(), `${origin}/ch02-thread-spawn.html`, "the page");
    await tab.locator("main p:visible").first().click();
    await tab.keyboard.press("ArrowRight");
    await tab.waitForURL((url) => !url.pathname.includes("ch02"));
});

/** Runs in the page: the blocks whose button covers a letter. */
function covered() {
    const found = [];
    for (const pre of all(document, "main pre:has(> .buttons button)")) {
        const button = need(pre, ".buttons button").getBoundingClientRect();
        const code = need(pre, "code");
        const box = code.getBoundingClientRect();
        const letters = document.createRange();
        letters.selectNodeContents(code);
        const hides = [...letters.getClientRects()].some(
            ({ left, right, top, bottom }) =>
                Math.min(right, box.right) > button.left &&
                Math.max(left, box.left) < button.right &&
                bottom > button.top &&
                top < button.bottom,
        );
        if (hides && button.width > 0) {
            found.push(wordsOf(code).slice(0, 40));
        }
    }
    return found;
}

for (const page of COMMANDS) {
    for (const theme of /** @type {const} */ (["light", "dark"])) {
        checks.check(
            `a finger on ${page}, ${theme}`,
            page,
            async (tab, { is }) => {
                const button = tab.locator("main pre:not(.listing-head + pre) .clip-button:visible").first();
                is(
                    await button.evaluate((it) => it.checkVisibility({ opacityProperty: true })),
                    true,
                    "a button is seen",
                );
                is((await tab.evaluate(covered)).join(" · "), "", "commands that their button covers");
            },
            { theme, width: 390, phone: true },
        );
    }
}

const count = (await checks.run(2)) + (await onShort.run(1));
await browser.close();
finish(`${count} checks`);
