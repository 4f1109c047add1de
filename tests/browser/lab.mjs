// Plays the scheduler lab of a built book in headless Chromium, and says what is wrong with it.
//
//     node lab.mjs FOLDER
//
// FOLDER is the built book; CHROMIUM is the browser's executable. Prints a line for each check that
// fails, and ends with 1 if there is any, with 2 if it could not look.

import { pathToFileURL } from "node:url";
import { builtBook, finish, launch, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").Locator} Locator
 */

const folder = builtBook("lab.html");
const origin = await serve(folder);
const browser = await launch();

/** Runs in each page: measures how much of the screen was moved, and how far, without a reader's doing. */
function measureShifts() {
    window.shift = 0;
    /** mdBook's own list of pages scrolls to the page when it comes. @param {{ node?: Node | null }} source */
    const onPage = ({ node }) => {
        const element = node instanceof Element ? node : node?.parentElement;
        return element?.closest("main") !== null;
    };
    const note = (/** @type {PerformanceObserverEntryList} */ list) => {
        for (const entry of /** @type {LayoutShift[]} */ (list.getEntries())) {
            window.shift += entry.hadRecentInput || !entry.sources.some(onPage) ? 0 : entry.value;
        }
    };
    new PerformanceObserver(note).observe({ type: "layout-shift", buffered: true });
}

const checks = new Checks(browser, origin, { prepare: measureShifts });

/** The questions in the order of the lab's page, and the chapters that ask some of them. */
const QUESTIONS = {
    "one-thread": "ch01-single-threaded",
    "thread-each": "ch02-thread-spawn",
    "pool-80": "ch03-threadpool",
    "pool-keep-alive": "",
    "pool-size": "",
    "compute-threads": "",
    "loop-computes": "event-loop",
    "tasks-wait": "ch04-smol",
    "blocking-call": "ch04-async-std",
    "blocking-executor": "ch05-futures-executor",
    "one-queue": "own-runtime",
    "tasks-compute": "ch06-tokio",
    "threads-or-tasks": "ch04-async-std",
    freeze: "",
    "below-capacity": "",
    "above-capacity": "",
};
const NAMES = /** @type {(keyof typeof QUESTIONS)[]} */ (Object.keys(QUESTIONS));

/**
 * A question and the lab below it, once it has come.
 * @param {Page} tab
 * @param {string} name
 */
async function lookAt(tab, name) {
    const question = tab.locator(`main .predict:has([data-prediction$="/${name}"])`);
    const lab = question.locator("xpath=following-sibling::*[1]");
    await question.scrollIntoViewIfNeeded();
    await lab.locator(".play button").waitFor();
    return { question, lab };
}

/**
 * Answers a question.
 * @param {Locator} question
 * @param {string} answer
 */
async function answer(question, answer) {
    await question.getByRole("radio", { name: answer, exact: true }).check();
    await question.getByRole("button", { name: "Check" }).click();
}

for (const { theme, width } of [
    { theme: /** @type {const} */ ("light"), width: 1280 },
    { theme: /** @type {const} */ ("dark"), width: 390 },
]) {
    checks.check(
        `a question, ${theme}, ${width} px`,
        "lab.html#preset=pool-80",
        async (tab, { is, has, clean }) => {
            const { question, lab } = await lookAt(tab, "pool-80");
            is(await lab.locator(".lab-figures p").isVisible(), false, "the figures are shown before the answer");
            const veil = await lab.locator(".future").boundingBox();
            const picture = await lab.locator(".lab-picture").boundingBox();
            const seen = (veil?.x ?? 0) - (picture?.x ?? 0) - 64;
            is(seen > 4 && seen < 0.2 * (picture?.width ?? 0), true, `so much of the plot is seen: ${seen} px`);
            const held = (await lab.locator("path.holds").first().getAttribute("d")) ?? "";
            is(held.startsWith("M64 "), true, "something is on the plot");
            await answer(question, "200, because there are twenty clients");
            await lab.locator(".lab-figures p").waitFor();
            has(await question.locator(".verdict").innerText(), "Not right", "the verdict");
            has(await lab.locator(".lab-figures").innerText(), "80 responses per second", "what came of it");
            has(await lab.locator(".lab-figures").innerText(), "8 threads / 0.1 s = 80", "the law");
            has(
                await lab.getByRole("slider").getAttribute("aria-valuetext"),
                "The run is over: 80 responses per second.",
                "what a screen reader hears",
            );
            await clean();
            await question.getByRole("button", { name: "16 threads" }).click();
            has(await lab.locator(".lab-figures").innerText(), "160 responses per second", "with 16 threads");
            has(await lab.locator(".lab-figures").innerText(), "16 threads / 0.1 s = 160", "their law");
            is(await lab.getByRole("spinbutton", { name: "Threads" }).inputValue(), "16", "the knob");
            const next = lab.getByRole("link", { name: "Next question" });
            is(await next.getAttribute("href"), "#preset=pool-keep-alive", "the next question");
            await next.click();
            const title = await tab.locator("[id='preset=pool-keep-alive']").boundingBox();
            is((title?.y ?? 1000) < 400, true, `the next question is at ${title?.y}`);
        },
        { theme, width },
    );
}

checks.check("sixteen questions have their addresses", "lab.html", async (tab, { is }) => {
    const ids = await tab.locator("main [id^='preset=']").evaluateAll((all) => all.map(({ id }) => id));
    is(ids.join(), NAMES.map((name) => `preset=${name}`).join(), "the questions of the page");
    const asked = await tab
        .locator("main .predict:has(+ scheduler-lab) fieldset")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-prediction")));
    is(asked.join(), NAMES.map((name) => `lab/${name}`).join(), "with a lab below each");
});

for (const name of NAMES.filter((one) => QUESTIONS[one] !== "")) {
    checks.check(`a chapter asks ${name}`, `${QUESTIONS[name]}.html`, async (tab, { is }) => {
        const { question, lab } = await lookAt(tab, name);
        is(await question.getByRole("radio").count(), await question.locator("li").count(), "answers to choose from");
        await lab.getByRole("slider").press("End");
        await lab.locator(".lab-figures p").waitFor();
        const more = lab.getByRole("link", { name: "More questions" });
        is(await more.getAttribute("href"), "lab.html", "the way to the lab");
    });
}

for (const [width, height] of [
    [390, 844],
    [1366, 768],
]) {
    checks.check(
        `an answer plays by itself, ${width} by ${height}`,
        "ch03-threadpool.html",
        async (tab, { is, has }) => {
            const { question, lab } = await lookAt(tab, "pool-80");
            await answer(question, "80");
            await lab.locator(".rows").scrollIntoViewIfNeeded();
            await lab.getByRole("button", { name: "Pause" }).waitFor();
            const boxes = [await lab.locator(".lab-picture").boundingBox(), await lab.locator(".play").boundingBox()];
            const all = boxes.reduce((sum, box) => sum + (box?.height ?? 1000), 0);
            is(all < height - 56, true, `picture and button have ${all} px`);
            await lab.locator(".lab-figures p").waitFor();
            has(await lab.locator(".lab-figures").innerText(), "80 responses per second", "what came of it");
        },
        { motion: "no-preference", width, height },
    );

    checks.check(
        `labs that come move nothing, ${width} px`,
        "lab.html",
        async (tab, { is }) => {
            for (let step = 0; step < 400; step += 1) {
                const more = await tab.evaluate(() => {
                    const before = window.scrollY;
                    window.scrollBy({ top: 400, behavior: "instant" });
                    return window.scrollY > before;
                });
                if (!more) {
                    break;
                }
                await tab.waitForTimeout(60);
            }
            const labs = await tab.locator("scheduler-lab").count();
            is(await tab.locator("scheduler-lab .lab-picture").count(), labs, "labs that came");
            const shift = await tab.evaluate(() => window.shift);
            is(shift < 0.05, true, `layout shift ${shift.toFixed(3)}`);
        },
        { width, height },
    );

    checks.check(
        `the slider lies under its plot, ${width} px`,
        "lab.html",
        async (tab, { is }) => {
            const { lab } = await lookAt(tab, "one-thread");
            for (const share of [0, 0.5]) {
                await lab.getByRole("slider").evaluate((element, part) => {
                    const input = /** @type {HTMLInputElement} */ (element);
                    input.value = String(Number(input.max) * part);
                    input.dispatchEvent(new Event("input", { bubbles: true }));
                }, share);
                const off = await lab.evaluate((element, part) => {
                    const [slider, picture, cursor] = [".rows > input[type=range]", ".lab-picture", ".cursor"].map(
                        (name) => need(element, name).getBoundingClientRect(),
                    );
                    const place = 64 + part * (picture.width - 64 - 12);
                    const middle = slider.left + 10 + part * (slider.width - 20);
                    return [middle - picture.left - place, cursor.left + cursor.width / 2 - middle];
                }, share);
                is(
                    off.every((one) => Math.abs(one) < 1),
                    true,
                    `the thumb and the cursor are ${off} px beside ${share}`,
                );
            }
        },
        { width, height },
    );
}

checks.check("numbers in sentences are knobs", "lab.html", async (tab, { is, has }) => {
    const { lab } = await lookAt(tab, "pool-keep-alive");
    const knobs = lab.locator(".lab-knobs");
    has(await knobs.innerText(), "ms after each response", "the sentence");
    const clients = lab.getByRole("spinbutton", { name: "Clients" });
    await clients.fill("4");
    await clients.press("Enter");
    has(await lab.locator(".lab-figures").innerText(), "4 clients / 0.4 s = 10", "the law of four clients");
    is(await clients.evaluate((element) => element === document.activeElement), true, "the keyboard stays");
    await clients.fill("0");
    await clients.press("Tab");
    has(await lab.getByRole("alert").innerText(), "from 1 to 2000", "what is said of no client");
    has(await lab.locator(".lab-figures").innerText(), "4 clients", "the run before");
    await lab.getByRole("combobox", { name: "Connections" }).selectOption("no");
    is(await lab.getByRole("alert").isVisible(), false, "the message is still there");
    await lab.getByRole("combobox", { name: "Threads or tasks" }).selectOption("one-thread");
    is(await lab.getByRole("spinbutton", { name: "Threads" }).count(), 0, "a number of threads, where there is one");
    is(await tab.locator(".lab [name=think]").count(), 1, "knobs of other questions");
});

checks.check("a text proposes what its lab tries", "lab.html", async (tab, { is, has }) => {
    const steps = tab.getByRole("heading", { name: "How many threads should my pool have?" });
    await steps.scrollIntoViewIfNeeded();
    const lab = tab.locator("ol:has([data-try]) + scheduler-lab").first();
    await lab.locator(".lab-figures p").waitFor();
    has(await lab.locator(".lab-figures").innerText(), "80 responses per second", "as it opens");
    await tab.getByRole("button", { name: "let the requests compute" }).click();
    has(await lab.locator(".lab-figures").innerText(), "2 CPUs / 0.02 s = 100", "the law of computing");
    is(await lab.locator(".lab-picture").isVisible(), true, "its picture");
});

checks.check("what works, waits and stands in line", "lab.html", async (tab, { is, has }) => {
    const { lab } = await lookAt(tab, "blocking-call");
    await lab.getByRole("slider").press("End");
    const words = (await lab.locator(".lab-picture").getAttribute("aria-label")) ?? "";
    has(words, "requests answered", "the picture's words");
    const line = await lab
        .locator("path.queues")
        .first()
        .evaluate((path) => [getComputedStyle(path).fill, Number.parseFloat(getComputedStyle(path).strokeWidth) < 2]);
    is(line.join(), "none,true", "who stands in line is a thin line");
    const number = lab.locator(".lab-picture .number text").first();
    await number.scrollIntoViewIfNeeded();
    const place = await number.boundingBox();
    await tab.mouse.move((place?.x ?? 0) + 3, (place?.y ?? 0) + 5);
    const rows = async () => {
        const outline = (await lab.locator(".outline").getAttribute("d")) ?? "";
        return new Set([...outline.matchAll(/M\S+ ([\d.]+)H/g)].map(([, top]) => top)).size;
    };
    is((await rows()) > 1, true, "rows of the request that is pointed at");
    await tab.mouse.move(0, 0);
    is(await rows(), 0, "rows when nothing is pointed at");
    const { lab: many } = await lookAt(tab, "threads-or-tasks");
    await many.getByRole("slider").press("End");
    is((await many.locator("path.area.holds").count()) > 0, true, "200 clients are drawn as numbers");
});

checks.check("the keyboard is enough", "lab.html", async (tab, { is, has }) => {
    const { question, lab } = await lookAt(tab, "one-thread");
    await question.getByRole("radio").first().focus();
    await tab.keyboard.press("Space");
    await tab.keyboard.press("Enter");
    await lab.locator(".lab-figures p").waitFor();
    const slider = lab.getByRole("slider");
    await slider.press("Home");
    await slider.press("ArrowRight");
    has(await slider.getAttribute("aria-valuetext"), "100 ms: 1 request answered", "the slider after an event");
    await slider.press("ArrowLeft");
    has(await slider.getAttribute("aria-valuetext"), "0 ms: 0 requests answered", "the slider after an event back");
    await lab.getByRole("spinbutton", { name: "Clients" }).press("ArrowUp");
    has(await tab.evaluate(() => location.pathname), "lab.html", "the page after an arrow key");
    is(await lab.locator(".lab-figures p").isVisible(), true, "the figures stay");
});

checks.check("for a class the picture has larger letters, as the page has", "lab.html", async (tab, { is }) => {
    const { lab } = await lookAt(tab, "one-thread");
    const letters = lab.locator(".lab-picture text").first();
    const size = () =>
        letters.evaluate((text) => {
            const scale = /** @type {SVGTextElement} */ (text).getScreenCTM()?.a ?? 0;
            return (scale * Number.parseFloat(getComputedStyle(text).fontSize)).toFixed(0);
        });
    is(await size(), "12", "letters on the page");
    await tab.keyboard.press("p");
    await tab.locator(".teach-corner").waitFor();
    await letters.waitFor();
    await tab.waitForTimeout(300);
    const large = await tab.evaluate(
        () => 1.2 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
    );
    is(await size(), large.toFixed(0), `letters for a class, ${large}`);
});

checks.check("a page that is a file plays its lab", pathToFileURL(`${folder}/lab.html`).href, async (tab, { is }) => {
    const { lab } = await lookAt(tab, "one-thread");
    await lab.getByRole("slider").press("End");
    is(await lab.locator(".lab-figures p").isVisible(), true, "its figures");
});

checks.check("the page for the printer", "print.html", async (tab, { is }) => {
    is(await tab.locator(".lab").count(), 0, "labs on the page for the printer");
    const tried = tab.locator("[data-try]", { hasText: "eight CPUs" }).first();
    is(await tried.isVisible(), true, "what the text proposes");
    is(await tried.evaluate((one) => getComputedStyle(one).borderTopStyle), "none", "a button on paper");
});

for (const page of ["recap.html", "ch03-threadpool.html"]) {
    checks.check(`a reader who is far from a lab, ${page}`, page, async (tab, { is }) => {
        const isLoaded = () =>
            tab.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.includes("/lab/")));
        await tab.waitForLoadState("networkidle");
        is(await isLoaded(), false, "loads the lab");
        if ((await tab.locator("scheduler-lab").count()) > 0) {
            await tab.locator("scheduler-lab").first().scrollIntoViewIfNeeded();
            await tab.locator("scheduler-lab .play button").first().waitFor();
            is(await isLoaded(), true, "who is near it loads the lab");
        }
    });
}

const count = await checks.run(4);
await browser.close();
finish(`${count} checks`);
