// Readers whose keyboard, voice, finger, host or language is another than the author's.

import { expect, expectClean, reader, SHORT, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

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
    test(`the keys ${p} and ${n}`, async ({ page: tab }) => {
        await tab.goto(PAGE);

        await press(tab, p, "KeyP");
        await place(tab).waitFor();
        const opens = tab.waitForEvent("popup");
        await press(tab, n, "KeyN");
        await opens;
        await press(tab, p, "KeyP");
        await place(tab).waitFor({ state: "detached" });
    });
}

test("a Latin letter counts, wherever its key is", async ({ page: tab }) => {
    await tab.goto(PAGE);

    // Dvorak has an L where others have P.
    await press(tab, "l", "KeyP");
    expect
        .soft(await tab.evaluate(() => document.querySelector("[src*=teach]")), "teaching has been asked for")
        .toBe(null);
    await press(tab, "p", "KeyR");
    await place(tab).waitFor();
});

test("the keys that are turned off", async ({ page: tab }) => {
    await tab.goto("reading.html");

    const box = tab.getByRole("checkbox", { name: "Keys of one letter" });
    await expectClean(tab);
    await box.uncheck();
    await tab.goto(`${PAGE}?teach`);
    await place(tab).waitFor();
    const windows = tab.context().pages().length;
    // What a dictation program may type.
    await tab.keyboard.type("open spin / stop?");
    expect.soft(tab.context().pages().length, "windows after dictating").toBe(windows);
    expect.soft(await place(tab).count(), "the teaching after dictating").toBe(1);
    expect.soft(await tab.locator("#mdbook-searchbar").isVisible(), "the search is open").toBe(false);
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("Escape");
    expect.soft(await place(tab).count(), "Escape ends the teaching").toBe(0);
    // In a field, letters are letters.
    await tab.locator("#mdbook-search-toggle").click();
    await tab.locator("#mdbook-searchbar").pressSequentially("pin");
    expect.soft(await tab.locator("#mdbook-searchbar").inputValue(), "what is typed into the search").toBe("pin");

    await tab.goto("reading.html");
    expect.soft(await box.isChecked(), "the box on the next visit").toBe(false);
    await box.check();
    await tab.goto(`${PAGE}`);
    await tab.keyboard.press("p");
    await place(tab).waitFor();
});

for (const address of [`${PAGE}?teach#the-workers%`, `${PAGE}?teach#caf%E9`, `${PAGE}#100%25%`]) {
    test(`the cut address ${address}`, async ({ page: tab }) => {
        await tab.goto(address);

        if (address.includes("?")) {
            await place(tab).waitFor();
            expect
                .soft(((await place(tab).textContent()) ?? "").startsWith("1 of "), "it begins with the first section")
                .toBe(true);
        }
        expect.soft(await tab.locator("html.contents-ready").count(), "the scripts have run").toBe(1);
    });
}
for (const address of [`${PAGE}?search=caf%E9`, `${PAGE}?highlight=100%`]) {
    test(`the cut address ${address}`, async ({ page: tab }) => {
        await tab.goto(address);

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

test("a host that leaves .html out", async ({ page: tab }) => {
    await tab.goto(`${SHORT}ch04-async-std`);
    await tab.evaluate(() => all(document, "main h2")[2].scrollIntoView());
    await tab.goto(`${SHORT}introduction.html`);
    const href = await tab.locator(".go-on a").getAttribute("href");
    expect.soft(href?.startsWith("ch04-async-std.html#"), `the introduction leads back to ${href}`).toBe(true);
    await tab.goto(`${SHORT}ch03-threadpool`);
    expect.soft(await tab.locator(".go-on").count(), "a chapter leads back, too").toBe(0);
});

test("the short way in the contents", async ({ page: tab }) => {
    await tab.goto(PAGE);
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
        expect.soft(places.includes(place), `a mark on ${place}`).toBe(isOnIt);
    }
    expect.soft(places.length, `marks on ${places}`).toBe(new Set(places).size);
});

test("a browser that translates", async ({ page: tab }) => {
    await tab.goto(GAME);

    const game = tab.locator("schedule-game").first();
    await game.scrollIntoViewIfNeeded();
    await game.getByRole("button").first().waitFor();
    await game.getByRole("button").first().click();
    const bad = await tab.evaluate(() => {
        const code = all(document, "main :is(pre, code)");
        return code.filter((one) => !one.closest("[translate=no]")).map(wordsOf);
    });
    expect.soft(bad.join(" · "), "code that would be translated").toBe("");
});

test("a caret in a listing", async ({ page: tab }) => {
    await tab.goto("ch02-thread-spawn.html");

    const code = tab.locator("main pre code:visible").first();
    await code.click({ position: { x: 40, y: 12 } });
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowLeft");
    expect
        .soft(await tab.evaluate(() => getSelection()?.focusNode?.parentElement?.closest("pre") !== null), "the caret")
        .toBe(true);
    await tab.waitForTimeout(500);
    await expect.soft(tab).toHaveURL("ch02-thread-spawn.html");
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
        test.describe(() => {
            test.use(reader({ theme, width: 390, phone: true }));
            test(`a finger on ${page}, ${theme}`, async ({ page: tab }) => {
                await tab.goto(page);

                const button = tab.locator("main pre:not(.listing-head + pre) .clip-button:visible").first();
                expect
                    .soft(
                        await button.evaluate((it) => it.checkVisibility({ opacityProperty: true })),
                        "a button is seen",
                    )
                    .toBe(true);
                expect.soft((await tab.evaluate(covered)).join(" · "), "commands that their button covers").toBe("");
            });
        });
    }
}
