// "You are the scheduler", played in every order: as many go wrong as the level says, and none of a right version.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, expectClean, folder, reader, test } from "./book.mjs";

/**
 * @typedef {import("@playwright/test").Page} Page
 * @typedef {import("@playwright/test").Locator} Locator
 * @typedef {{ at: (number | null)[], next: (number | null)[], end?: string }} State
 * @typedef {{ schedules: number, losing: number, found: number[], lines: string[][], states: State[] }} Version
 * @typedef {{ fails: string, well: string, threads: string[], versions: Version[] }} Level
 */

/** The pages, and the levels on each. */
const PAGES = {
    "ch03-threadpool": ["lost-stop"],
    "shared-data": ["lost-count", "two-locks"],
    "own-runtime": ["lost-wake-up"],
    "lent-and-forgotten": ["lost-permit"],
};
/** @type {{ width: number, height: number, theme: "light" | "dark" }[]} */
const SCREENS = [
    { width: 390, height: 844, theme: "dark" },
    { width: 1366, height: 768, theme: "light" },
];
/** What a reader loads for one level, compressed, in bytes. */
const MOST = 12 * 1024;

/** @param {string} file */
const read = (file) => readFileSync(join(folder, "schedule", file));

/**
 * @param {Page} tab
 * @param {string} name
 */
const parts = (tab, name) => {
    const box = tab.locator(`schedule-game[data-level="${name}"]`);
    const button = (/** @type {string} */ words) => box.getByRole("button", { name: words, exact: true });
    return {
        box,
        status: box.getByRole("status"),
        back: button("Back"),
        again: button("Start again"),
        show: box.getByRole("button", { name: /^(Show me how, from the start|Show the next step \(\d+ left\))$/ }),
        right: button("Now try the right version"),
        lanes: box.locator(".lanes > li:not(.head)"),
        steps: (/** @type {string} */ thread) => button(`Let ${thread} step`),
        /** How the level looks to a reader: the marked lines, what is said of the threads, and the values. */
        look: () => box.locator("[aria-current], .says, dl").allInnerTexts().then(String),
    };
};

/**
 * Runs in the page: plays the version that is shown in every order, back from each end by "Back", and says
 * how many orders there are, and how many of them end without these words.
 * @param {Element} box
 * @param {string} words
 */
function playAll(box, words) {
    const played = { schedules: 0, losing: 0 };
    const back = all(box, ".ways button:not(.other)")[0];
    const threads = all(box, ".takes button");
    const walk = () => {
        const free = threads.filter((thread) => thread.getAttribute("aria-disabled") === "false");
        if (free.length === 0) {
            played.schedules += 1;
            played.losing += Number(!need(box, "[role=status]").textContent?.includes(words));
        }
        for (const thread of free) {
            thread.click();
            walk();
            back.click();
        }
    };
    walk();
    return played;
}

for (const [page, levels] of Object.entries(PAGES)) {
    for (const name of levels) {
        /** @type {Level} */
        const level = JSON.parse(String(read(`${name}.json`)));
        const { threads, fails, well, versions } = level;
        const [wrong, right] = versions;
        test(`${name} weighs little`, () => {
            const files = ["schedule.js", "schedule.css", `${name}.json`];
            const weight = files.reduce((sum, file) => sum + gzipSync(read(file)).length, 0);
            expect(weight).toBeLessThanOrEqual(MOST);
        });

        for (const screen of SCREENS) {
            test.describe(() => {
                test.use(reader(screen));
                test(`${name} is lost, ${screen.width} px`, async ({ page: tab }) => {
                    await tab.goto(`${page}.html`);

                    const it = parts(tab, name);
                    await it.box.scrollIntoViewIfNeeded();
                    await it.back.waitFor();
                    const first = await it.look();
                    expect.soft(await it.right.isVisible(), "the right version before it was lost").toBe(false);
                    // As low on the screen as a reader can press them.
                    const pressed = it.steps(threads[0]);
                    await pressed.evaluate((button) => button.scrollIntoView({ block: "end" }));
                    const place = await pressed.boundingBox();
                    let state = wrong.states[0];
                    for (const [step, thread] of wrong.found.entries()) {
                        expect.soft(await it.status.innerText(), "the status").toContain(step === 0 ? "first" : "runs");
                        const other = 1 - thread;
                        if (state.next[other] === null) {
                            // The driver clicks nothing that says of itself that it is disabled.
                            await it.steps(threads[other]).press("Enter");
                            const why = `${threads[other]} can take no step, because it `;
                            expect.soft(await it.status.innerText(), "why it can't").toContain(why);
                        }
                        await it.steps(threads[thread]).focus();
                        await tab.keyboard.press(String(thread + 1));
                        state = wrong.states[state.next[thread] ?? 0];
                    }
                    expect.soft(await it.lanes.count(), "the steps in the lanes").toBe(wrong.found.length);
                    expect.soft(await it.status.innerText(), "the status").toContain(fails);
                    const verdict = await it.status.boundingBox();
                    const end = (verdict?.y ?? Infinity) + (verdict?.height ?? 0);
                    expect.soft(end <= (screen.height ?? 0), `the verdict ends at ${end} px`).toBe(true);
                    // Where the last step was taken, there is now what leads on, and the keyboard is on it.
                    await expect.soft(it.right).toBeFocused();
                    const moved = ((await it.right.boundingBox())?.y ?? Infinity) - (place?.y ?? 0);
                    expect
                        .soft(Math.abs(Math.round(moved)), "how far from the buttons the way on is")
                        .toBeLessThanOrEqual(60);
                    await expect.soft(pressed).toBeHidden();
                    await expectClean(tab);
                    const letters = await it.box.evaluate((box) =>
                        all(box, "*").map((one) => Number.parseFloat(getComputedStyle(one).fontSize)),
                    );
                    expect.soft(Math.min(...letters) >= 11, `letters of ${Math.min(...letters)} px`).toBe(true);
                    const touched = it.box.locator("button:visible");
                    for (const box of await Promise.all((await touched.all()).map((one) => one.boundingBox()))) {
                        expect.soft((box?.height ?? 0) >= 44, `a button is ${box?.height} px high`).toBe(true);
                    }
                    for (const _ of wrong.found) {
                        await it.back.click();
                    }
                    expect.soft(await it.look(), "what it looks like after all steps back").toBe(first);
                });
            });
        }

        test(`${name} is shown, and the right version is not lost`, async ({ page: tab }) => {
            await tab.goto(`${page}.html`);

            const it = parts(tab, name);
            await it.box.scrollIntoViewIfNeeded();
            await it.show.waitFor();
            /**
             * @param {Version} version
             * @param {string} words how each order ends that goes well
             */
            const isAsCounted = async ({ schedules, losing }, words) => {
                const played = await it.box.evaluate(playAll, words);
                expect
                    .soft(`${played.losing} of ${played.schedules}`, "orders that go wrong")
                    .toBe(`${losing} of ${schedules}`);
            };
            // The reader's own play is one that is not shown.
            const own = threads[1 - wrong.found[0]];
            await it.steps(own).click();
            // By the keyboard alone.
            await it.show.focus();
            for (const [step] of wrong.found.entries()) {
                const left = step === 0 ? ", from the start" : `(${wrong.found.length - step} left)`;
                expect.soft(await it.show.innerText(), "what the button shows").toContain(left);
                await tab.keyboard.press("Enter");
            }
            expect.soft(await it.status.innerText(), "the status").toContain(fails);
            for (const _ of wrong.found) {
                await it.back.click();
            }
            await expect
                .soft(it.lanes, "the reader's own play, back from what was shown")
                .toHaveText([`${own}, line ${(wrong.states[0].at[1 - wrong.found[0]] ?? 0) + 1}`]);
            await it.again.click();
            await expect.soft(it.lanes, "the steps after a new start").toHaveCount(0);
            const count = it.box.locator(".count");
            await expect.soft(count).toContainText(`Found 1 of ${wrong.losing} schedule`);
            await isAsCounted(wrong, well);
            await expect.soft(count).toContainText(`Found ${wrong.losing} of ${wrong.losing} schedule`);
            await tab.reload();
            await it.box.scrollIntoViewIfNeeded();
            await expect.soft(count, "the count after a new visit").toContainText(`Found ${wrong.losing} of`);
            await it.right.click();
            expect.soft(await it.show.isVisible(), "the right version has one to show").toBe(false);
            expect
                .soft((await it.box.innerText()).includes(" schedules "), "the count before a reader has tried")
                .toBe(false);
            await isAsCounted(
                right,
                `${well} You can try other orders, but none of the ${right.schedules} schedules goes wrong.`,
            );
        });

        test.describe(() => {
            test.use(reader({ scripts: false }));
            test(`${name} without a script`, async ({ page: tab }) => {
                await tab.goto(`${page}.html`);

                const box = parts(tab, name).box;
                const steps = box.locator(".found:visible li");
                expect.soft(await steps.count(), "steps in the list").toBe(wrong.found.length);
                let state = wrong.states[0];
                for (const [step, thread] of wrong.found.entries()) {
                    const line = wrong.lines[thread][state.at[thread] ?? 0].trim();
                    expect
                        .soft(await steps.nth(step).innerText(), `step ${step + 1}`)
                        .toContain(`${threads[thread]} runs ${line}`);
                    state = wrong.states[state.next[thread] ?? 0];
                }
                expect.soft(await box.innerText(), "the end of the list").toContain(fails);
                expect.soft(await box.locator("button").count(), "buttons").toBe(0);
            });
        });
    }

    test(`${page} from a file`, async ({ page: tab }) => {
        await tab.goto(pathToFileURL(join(folder, `${page}.html`)).href);

        await tab.locator("schedule-game").first().scrollIntoViewIfNeeded();
        expect
            .soft(await tab.locator("schedule-game .found:visible").count(), "lists in a page from a file")
            .toBe(levels.length);
    });

    test(`${page} on paper`, async ({ page: tab }) => {
        await tab.goto(`${page}.html`);

        const it = parts(tab, levels[0]);
        await it.box.scrollIntoViewIfNeeded();
        await it.back.waitFor();
        await tab.emulateMedia({ media: "print" });
        expect.soft(await tab.locator("schedule-game .found:visible").count(), "lists on paper").toBe(levels.length);
        expect.soft(await tab.locator("schedule-game button:visible").count(), "buttons on paper").toBe(0);
    });
}

test("a page without a level", async ({ page: tab }) => {
    await tab.goto("contract.html");

    const loads = () => performance.getEntriesByType("resource").some((entry) => entry.name.includes("/schedule/"));
    expect.soft(await tab.evaluate(loads), "loads the script").toBe(false);
});
