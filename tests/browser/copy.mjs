// Commands are pasted as they are typed: without their prompt and without what they print, by the button of a block and
// by marking. A listing is pasted whole, by the button in its head.
//
//     node copy.mjs FOLDER
//
// FOLDER is the built book. Prints a line for each problem, and ends with 1 if there is any.

import { builtBook, finish, launch, problem, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */

const PAGES = ["introduction.html", "ch01-single-threaded.html", "ch03-threadpool.html"];
/** Blocks of these pages with a command that prints something; there are more. */
const LEAST = 20;

const folder = builtBook(PAGES[0]);
const origin = await serve(folder);
const browser = await launch();
const checks = new Checks(browser, origin);
let pasted = 0;

/**
 * What a reader's editor holds after pasting.
 * @param {Page} tab
 */
async function paste(tab) {
    await tab.evaluate(() => {
        const editor = document.createElement("textarea");
        editor.id = "editor";
        document.body.append(editor);
        editor.focus();
    });
    await tab.keyboard.press("ControlOrMeta+V");
    const text = await tab.locator("#editor").inputValue();
    await tab.locator("#editor").evaluate((editor) => editor.remove());
    return text;
}

for (const page of PAGES) {
    checks.check(`the buttons of ${page}`, page, async (tab, { is }) => {
        await tab.evaluate(() => {
            for (const fold of document.querySelectorAll("details")) {
                fold.open = true;
            }
        });
        for (const block of await tab.locator("main pre:has(> code.language-console)").all()) {
            const shown = ((await block.locator("code").textContent()) ?? "").trimEnd().split("\n");
            const commands = shown.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
            await block.hover();
            await block.locator(".clip-button").click();
            is(await paste(tab), commands.join("\n"), `the button of ${commands[0]}`);
            pasted += shown.length > commands.length ? 1 : 0;
        }
    });
}

checks.check("the button of a command, with the keyboard", PAGES[1], async (tab, { is }) => {
    const block = tab.locator("main pre:has(> code.language-console):visible").first();
    const [line] = ((await block.locator("code").textContent()) ?? "").split("\n");
    await block.locator(".clip-button").focus();
    await tab.waitForFunction(() => document.activeElement?.checkVisibility({ opacityProperty: true }));
    await tab.keyboard.press("Enter");
    const at = await tab.evaluate(() => document.activeElement?.className ?? "");
    is(at.includes("clip-button"), true, "the keyboard stays on the button");
    is(await paste(tab), line.replace("$ ", ""), "what Enter copies");
});

for (const width of [390, 1280]) {
    checks.check(
        `the head of a listing (${width} px)`,
        "ch06-tokio.html",
        async (tab, { is }) => {
            const listing = tab.locator("main .listing-head + pre:has(> .show-all)").first();
            const button = listing.locator(".clip-button");
            const code = listing.locator("code");
            await listing.scrollIntoViewIfNeeded();
            is(await button.isVisible(), true, "the button is there before anything is touched");
            const [above, below] = [await button.boundingBox(), await code.boundingBox()];
            is((above?.y ?? 0) + (above?.height ?? 0) <= (below?.y ?? 0), true, "the button hides no code");
            await button.click();
            is((await paste(tab)).trimEnd(), ((await code.textContent()) ?? "").trimEnd(), "what the button copies");
        },
        { width },
    );
}

checks.check("what is marked", "ch01-single-threaded.html", async (tab, { is }) => {
    const code = tab.locator("main code.language-console:visible").first();
    const shown = ((await code.textContent()) ?? "").trimEnd().split("\n");
    is(shown.length > 1 && shown[0].startsWith("$ "), true, "the block has a command and what it prints");
    const command = shown[0].slice(2);
    await code.click({ clickCount: 3, position: { x: 60, y: 12 } });
    await tab.keyboard.press("ControlOrMeta+C");
    is((await paste(tab)).trimEnd(), command, "a line that was clicked three times");
    for (const [from, to, wanted, what] of /** @type {const} */ ([
        [0, shown.join("\n").length, command, "a whole block"],
        [5, shown.join("\n").length, command.slice(3), "a block from the middle of its command"],
        [shown[0].length + 1, shown[0].length + 1 + shown[1].length, shown[1], "what a command printed"],
    ])) {
        await code.evaluate(
            (element, ends) => {
                const [start, end] = ends.map((end) => {
                    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
                    let left = end;
                    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
                        const length = text.textContent?.length ?? 0;
                        if (left <= length) {
                            return /** @type {const} */ ([text, left]);
                        }
                        left -= length;
                    }
                    throw new Error("the block is shorter");
                });
                getSelection()?.setBaseAndExtent(...start, ...end);
            },
            [from, to],
        );
        await tab.keyboard.press("ControlOrMeta+C");
        is(await paste(tab), wanted, what);
    }
});

// One at a time: there is one clipboard.
await checks.run(1);
if (pasted < LEAST) {
    problem("all pages", `only ${pasted} blocks with a command that prints something`);
}
await browser.close();
finish(`${pasted} blocks with a command and what it prints`);
