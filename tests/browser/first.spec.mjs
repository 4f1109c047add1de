// The first picture: how many clients wait? Its numbers, its lanes, and the race at the smallest number.

import { expect, expectClean, reader, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

const NUMBERS = ["6", "100", "1,000", "10,000"];
const SCREENS = [
    { width: 390, height: 844 },
    { width: 1366, height: 768 },
    { width: 1920, height: 1080 },
];

/**
 * @param {Page} tab
 * @param {string} clients
 */
const choice = (tab, clients) => tab.getByRole("radio", { name: clients, exact: true });

/** Runs in the page: words that are cut, or lie on others, and a bar that is not as long as its memory. */
function faultsOfLanes() {
    /** @type {string[]} */
    const faults = [];
    const table = all(document, "table.lanes").find((one) => one.getClientRects().length > 0);
    if (!table) {
        return ["no lanes are seen"];
    }
    const edge = table.getBoundingClientRect();
    const parts = all(table, "tbody :is(th, td, b, small)").filter((one) => one.getClientRects().length > 0);
    for (const part of parts) {
        const range = document.createRange();
        range.selectNodeContents(part);
        if (range.getBoundingClientRect().right > edge.right + 1) {
            faults.push(`${part.textContent} leaves the table`);
        }
    }
    for (const row of all(table, "tbody tr")) {
        const cells = [...row.children].filter((one) => one.getClientRects().length > 0);
        const boxes = cells.map((cell) => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            return range.getBoundingClientRect();
        });
        if (boxes.some((box, index) => index > 0 && boxes[index - 1].right > box.left + 1)) {
            faults.push(`words of ${row.textContent} lie on each other`);
        }
    }
    const lengths = all(table, ".memory:has(b)").map((cell) => ({
        mib: Number.parseFloat(need(cell, "b").textContent ?? ""),
        px: all(cell, ".bar i").reduce((sum, one) => sum + one.getBoundingClientRect().width, 0),
    }));
    const { mib, px } = lengths.reduce((one, other) => (other.mib > one.mib ? other : one));
    for (const lane of lengths) {
        // A bar is at least two pixels long.
        if (Math.abs(lane.px - (px / mib) * lane.mib) > 2.5) {
            faults.push(`${lane.mib} MiB are ${lane.px} px, and ${mib} are ${px}`);
        }
    }
    return faults;
}

for (const { width, height } of SCREENS) {
    for (const theme of /** @type {const} */ (["light", "dark"])) {
        test.describe(() => {
            test.use(reader({ width, height, theme }));
            test(`the first screen of ${width} px, ${theme}`, async ({ page: tab }) => {
                await tab.goto("introduction.html");

                await expect(choice(tab, "10,000")).toBeChecked();
                const parts = [
                    "h1",
                    "p",
                    ".how-many fieldset",
                    ".finding:visible",
                    "table.lanes:visible",
                    ".play a:visible",
                ];
                for (const part of parts) {
                    const box = await tab.locator(`main ${part}`).first().boundingBox();
                    const is_seen = box !== null && box.y >= 0 && box.y + box.height <= height;
                    expect.soft(is_seen, `${part} at ${box?.y}, ${box?.height} px high, is seen`).toBe(true);
                }
                expect.soft(await tab.locator("main p").first().textContent(), "the sentence").toContain("Rust");
                for (const clients of NUMBERS.slice(1).reverse()) {
                    await choice(tab, clients).check();
                    await expect(tab.locator("table.lanes:visible tbody tr")).toHaveCount(6);
                    const faults = await tab.evaluate(faultsOfLanes);
                    expect.soft(faults.join("; "), `${clients} clients`).toBe("");
                }
                await expectClean(tab);
                await tab.locator("main .play a:visible").click();
                expect.soft(new URL(tab.url()).pathname, "where the button leads").toBe("/ch01-single-threaded.html");
            });
        });
    }
}

test.describe(() => {
    test.use(reader({ motion: "no-preference" }));
    test("at six clients the race plays by itself, once, and not before", async ({ page: tab }) => {
        await tab.goto("introduction.html");

        await tab.locator("rung-replay .play button").waitFor({ state: "attached" });
        await tab.waitForTimeout(300);
        const button = tab.locator("rung-replay").getByRole("button");
        await choice(tab, "6").check();
        await expect(button).toHaveText("Pause");
        await expect(button).toHaveText("Play again");
    });
});

test("the keys choose a number, and leave the page where it is", async ({ page: tab }) => {
    await tab.goto("introduction.html");

    await choice(tab, "10,000").focus();
    await tab.keyboard.press("ArrowLeft");
    await expect(choice(tab, "1,000")).toBeChecked();
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowRight");
    await expect(choice(tab, "6")).toBeChecked();
    expect.soft(new URL(tab.url()).pathname, "the page").toBe("/introduction.html");
});

test.describe(() => {
    test.use(reader({ scripts: false }));
    test("without a script a number is chosen all the same", async ({ page: tab }) => {
        await tab.goto("introduction.html");

        for (const clients of NUMBERS.slice(1)) {
            await choice(tab, clients).check();
            await expect(tab.locator("table.lanes:visible")).toHaveCount(1);
        }
        await choice(tab, "6").check();
        await expect(tab.locator("table.lanes:visible")).toHaveCount(0);
        await expect(tab.locator("rung-replay svg[role=img]:visible")).toHaveCount(1);
    });
});

test("on paper the largest number stands, whatever was chosen", async ({ page: tab }) => {
    await tab.goto("introduction.html");

    await choice(tab, "100").check();
    await tab.emulateMedia({ media: "print" });
    await expect(tab.locator("table.lanes:visible")).toHaveCount(1);
    expect.soft(await tab.locator("table.lanes:visible").textContent(), "the lanes").toContain("turned away");
    await expect(tab.locator(".how-many input:visible")).toHaveCount(0);
});
