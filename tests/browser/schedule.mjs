// "You are the scheduler", played in headless Chromium in every order: as many go wrong as the level says, and none of a
// right version.
//
//     node schedule.mjs FOLDER
//
// FOLDER is the built book. Prints a line for each problem, and ends with 1 if there is any.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { builtBook, finish, launch, problem, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").Locator} Locator
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
/** @type {import("./checks.mjs").Options[]} */
const SCREENS = [
    { width: 390, height: 844, theme: "dark" },
    { width: 1366, height: 768, theme: "light" },
];
/** What a reader loads for one level, compressed, in bytes. */
const MOST = 12 * 1024;

const folder = builtBook("schedule/schedule.js");
const origin = await serve(folder);
const browser = await launch();
const checks = new Checks(browser, origin);

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
        right: button("Now the right version"),
        steps: (/** @type {string} */ thread) => button(`${thread} steps`),
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
    const back = all(box, ".ways button")[0];
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
        const files = ["schedule.js", "schedule.css", `${name}.json`];
        const weight = files.reduce((sum, file) => sum + gzipSync(read(file)).length, 0);
        if (weight > MOST) {
            problem(name, `weighs ${weight} bytes with its script, compressed`);
        }

        for (const screen of SCREENS) {
            checks.check(
                `${name} is lost, ${screen.width} px`,
                `${page}.html`,
                async (tab, { is, has, clean }) => {
                    const it = parts(tab, name);
                    await it.box.scrollIntoViewIfNeeded();
                    await it.back.waitFor();
                    const first = await it.look();
                    is(await it.right.isVisible(), false, "the right version before it was lost");
                    // As low on the screen as a reader can press them.
                    const pressed = it.steps(threads[0]);
                    await pressed.evaluate((button) => button.scrollIntoView({ block: "end" }));
                    const place = await pressed.boundingBox();
                    for (const [step, thread] of wrong.found.entries()) {
                        has(await it.status.innerText(), step === 0 ? "first" : "runs", "the status");
                        await it.steps(threads[thread]).click();
                    }
                    has(await it.status.innerText(), fails, "the status");
                    const verdict = await it.status.boundingBox();
                    const end = (verdict?.y ?? Infinity) + (verdict?.height ?? 0);
                    is(end <= (screen.height ?? 0), true, `the verdict ends at ${end} px`);
                    const moved = ((await pressed.boundingBox())?.y ?? Infinity) - (place?.y ?? 0);
                    is(Math.round(moved), 0, "how far the buttons have moved at the end");
                    for (const thread of threads) {
                        is(await it.steps(thread).getAttribute("aria-disabled"), "true", `${thread} at the end`);
                    }
                    await clean();
                    const letters = await it.box.evaluate((box) =>
                        all(box, "*").map((one) => Number.parseFloat(getComputedStyle(one).fontSize)),
                    );
                    is(Math.min(...letters) >= 11, true, `letters of ${Math.min(...letters)} px`);
                    const touched = it.box.locator("button:visible");
                    for (const box of await Promise.all((await touched.all()).map((one) => one.boundingBox()))) {
                        is((box?.height ?? 0) >= 44, true, `a button is ${box?.height} px high`);
                    }
                    // The driver clicks nothing that says of itself that it is disabled.
                    await pressed.press("Enter");
                    has(await it.status.innerText(), `${threads[0]} can take no step, because it `, "why it can't");
                    for (const _ of wrong.found) {
                        await it.back.click();
                    }
                    is(await it.look(), first, "what it looks like after all steps back");
                },
                screen,
            );
        }

        checks.check(
            `${name} is shown, and the right version is not lost`,
            `${page}.html`,
            async (tab, { is, has }) => {
                const it = parts(tab, name);
                await it.box.scrollIntoViewIfNeeded();
                await it.show.waitFor();
                const soFar = it.box.locator(".so-far");
                /**
                 * @param {Version} version
                 * @param {string} words how each order ends that goes well
                 */
                const isAsCounted = async ({ schedules, losing }, words) => {
                    const played = await it.box.evaluate(playAll, words);
                    is(`${played.losing} of ${played.schedules}`, `${losing} of ${schedules}`, "orders that go wrong");
                };
                // The reader's own play is one that is not shown.
                const own = threads[1 - wrong.found[0]];
                await it.steps(own).click();
                // By the keyboard alone.
                await it.show.focus();
                for (const [step] of wrong.found.entries()) {
                    const left = step === 0 ? ", from the start" : `(${wrong.found.length - step} left)`;
                    has(await it.show.innerText(), left, "what the button shows");
                    await tab.keyboard.press("Enter");
                }
                has(await it.status.innerText(), fails, "the status");
                for (const _ of wrong.found) {
                    await it.back.click();
                }
                is(await soFar.innerText(), `So far: ${own}`, "the reader's own play, back from what was shown");
                await it.again.click();
                is(await soFar.innerText(), "", "the steps after a new start");
                has(await it.box.innerText(), `${wrong.losing} of ${wrong.schedules} schedules`, "the count");
                await isAsCounted(wrong, well);
                await it.right.click();
                is(await it.show.isVisible(), false, "the right version has one to show");
                is((await it.box.innerText()).includes(" schedules "), false, "the count before a reader has tried");
                await isAsCounted(
                    right,
                    `${well} You can try other orders, but none of the ${right.schedules} schedules goes wrong.`,
                );
            },
        );

        checks.check(
            `${name} without a script`,
            `${page}.html`,
            async (tab, { is, has }) => {
                const box = parts(tab, name).box;
                const steps = box.locator(".found:visible li");
                is(await steps.count(), wrong.found.length, "steps in the list");
                let state = wrong.states[0];
                for (const [step, thread] of wrong.found.entries()) {
                    const line = wrong.lines[thread][state.at[thread] ?? 0].trim();
                    has(await steps.nth(step).innerText(), `${threads[thread]} runs ${line}`, `step ${step + 1}`);
                    state = wrong.states[state.next[thread] ?? 0];
                }
                has(await box.innerText(), fails, "the end of the list");
                is(await box.locator("button").count(), 0, "buttons");
            },
            { scripts: false },
        );
    }

    checks.check(`${page} from a file`, pathToFileURL(join(folder, `${page}.html`)).href, async (tab, { is }) => {
        await tab.locator("schedule-game").first().scrollIntoViewIfNeeded();
        is(await tab.locator("schedule-game .found:visible").count(), levels.length, "lists in a page from a file");
    });

    checks.check(`${page} on paper`, `${page}.html`, async (tab, { is }) => {
        const it = parts(tab, levels[0]);
        await it.box.scrollIntoViewIfNeeded();
        await it.back.waitFor();
        await tab.emulateMedia({ media: "print" });
        is(await tab.locator("schedule-game .found:visible").count(), levels.length, "lists on paper");
        is(await tab.locator("schedule-game button:visible").count(), 0, "buttons on paper");
    });
}

checks.check("a page without a level", "contract.html", async (tab, { is }) => {
    const loads = () => performance.getEntriesByType("resource").some((entry) => entry.name.includes("/schedule/"));
    is(await tab.evaluate(loads), false, "loads the script");
});

const count = await checks.run(4);
await browser.close();
finish(`${count} checks`);
