// Commands are pasted as they are typed: without their prompt and without what they print, by the button of a block and
// by marking. A listing is pasted whole, by the button in its head.

import { expect, reader, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

const PAGES = ["introduction.html", "ch01-single-threaded.html", "ch03-threadpool.html"];

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
    test(`the buttons of ${page}`, async ({ page: tab }) => {
        await tab.goto(page);

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
            expect.soft(await paste(tab), `the button of ${commands[0]}`).toBe(commands.join("\n"));
        }
    });
}

test("the button of a command, with the keyboard", async ({ page: tab }) => {
    await tab.goto(PAGES[1]);

    const block = tab.locator("main pre:has(> code.language-console):visible").first();
    const [line] = ((await block.locator("code").textContent()) ?? "").split("\n");
    await block.locator(".clip-button").focus();
    await tab.waitForFunction(() => document.activeElement?.checkVisibility({ opacityProperty: true }));
    await tab.keyboard.press("Enter");
    const at = await tab.evaluate(() => document.activeElement?.className ?? "");
    expect.soft(at.includes("clip-button"), "the keyboard stays on the button").toBe(true);
    expect.soft(await paste(tab), "what Enter copies").toBe(line.replace("$ ", ""));
});

for (const width of [390, 1280]) {
    test.describe(() => {
        test.use(reader({ width }));
        test(`the head of a listing (${width} px)`, async ({ page: tab }) => {
            await tab.goto("ch06-tokio.html");

            const listing = tab.locator("main .listing-head + pre:has(> .show-all)").first();
            const button = listing.locator(".clip-button");
            const code = listing.locator("code");
            await listing.scrollIntoViewIfNeeded();
            expect.soft(await button.isVisible(), "the button is there before anything is touched").toBe(true);
            const [above, below] = [await button.boundingBox(), await code.boundingBox()];
            expect
                .soft((above?.y ?? 0) + (above?.height ?? 0) <= (below?.y ?? 0), "the button hides no code")
                .toBe(true);
            await button.click();
            expect
                .soft((await paste(tab)).trimEnd(), "what the button copies")
                .toBe(((await code.textContent()) ?? "").trimEnd());
        });
    });
}

test("what is marked", async ({ page: tab }) => {
    await tab.goto("ch01-single-threaded.html");

    const code = tab.locator("main code.language-console:visible").first();
    const shown = ((await code.textContent()) ?? "").trimEnd().split("\n");
    expect.soft(shown.length > 1 && shown[0].startsWith("$ "), "the block has a command and what it prints").toBe(true);
    const command = shown[0].slice(2);
    await code.click({ clickCount: 3, position: { x: 60, y: 12 } });
    await tab.keyboard.press("ControlOrMeta+C");
    expect.soft((await paste(tab)).trimEnd(), "a line that was clicked three times").toBe(command);
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
        expect.soft(await paste(tab), what).toBe(wanted);
    }
});
