// The scheduler lab, played.

import { pathToFileURL } from "node:url";
import { expect, expectClean, folder, reader, test } from "./book.mjs";

/**
 * @typedef {import("@playwright/test").Page} Page
 * @typedef {import("@playwright/test").Locator} Locator
 */

/** Runs in the page: measures how much of the screen was moved, and how far, without a reader's doing. */
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
    test.describe(() => {
        test.use(reader({ theme, width }));
        test(`a question, ${theme}, ${width} px`, async ({ page: tab }) => {
            await tab.goto("lab.html#preset=pool-80");

            const { question, lab } = await lookAt(tab, "pool-80");
            expect
                .soft(await lab.locator(".lab-figures p").isVisible(), "the figures are shown before the answer")
                .toBe(false);
            const veil = await lab.locator(".future").boundingBox();
            const picture = await lab.locator(".lab-picture").boundingBox();
            const seen = (veil?.x ?? 0) - (picture?.x ?? 0) - 64;
            expect
                .soft(seen > 4 && seen < 0.2 * (picture?.width ?? 0), `so much of the plot is seen: ${seen} px`)
                .toBe(true);
            const held = (await lab.locator("path.holds").first().getAttribute("d")) ?? "";
            expect.soft(held.startsWith("M64 "), "something is on the plot").toBe(true);
            await answer(question, "200, because there are twenty clients");
            await lab.locator(".lab-figures p").waitFor();
            expect.soft(await question.locator(".verdict").innerText(), "the verdict").toContain("Not right");
            expect
                .soft(await lab.locator(".lab-figures").innerText(), "what came of it")
                .toContain("80 responses per second");
            expect.soft(await lab.locator(".lab-figures").innerText(), "the law").toContain("8 threads / 0.1 s = 80");
            expect
                .soft(await lab.getByRole("slider").getAttribute("aria-valuetext"), "what a screen reader hears")
                .toContain("The run is over: 80 responses per second.");
            await expectClean(tab);
            await question.getByRole("button", { name: "16 threads" }).click();
            expect
                .soft(await lab.locator(".lab-figures").innerText(), "with 16 threads")
                .toContain("160 responses per second");
            expect
                .soft(await lab.locator(".lab-figures").innerText(), "their law")
                .toContain("16 threads / 0.1 s = 160");
            expect.soft(await lab.getByRole("spinbutton", { name: "Threads" }).inputValue(), "the knob").toBe("16");
            const next = lab.getByRole("link", { name: "Next question" });
            expect.soft(await next.getAttribute("href"), "the next question").toBe("#preset=pool-keep-alive");
            await next.click();
            const title = await tab.locator("[id='preset=pool-keep-alive']").boundingBox();
            expect.soft((title?.y ?? 1000) < 400, `the next question is at ${title?.y}`).toBe(true);
        });
    });
}

test("sixteen questions have their addresses", async ({ page: tab }) => {
    await tab.goto("lab.html");

    const ids = await tab.locator("main [id^='preset=']").evaluateAll((all) => all.map(({ id }) => id));
    expect.soft(ids.join(), "the questions of the page").toBe(NAMES.map((name) => `preset=${name}`).join());
    const asked = await tab
        .locator("main .predict:has(+ scheduler-lab) fieldset")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-prediction")));
    expect.soft(asked.join(), "with a lab below each").toBe(NAMES.map((name) => `lab/${name}`).join());
});

for (const name of NAMES.filter((one) => QUESTIONS[one] !== "")) {
    test(`a chapter asks ${name}`, async ({ page: tab }) => {
        await tab.goto(`${QUESTIONS[name]}.html`);

        const { question, lab } = await lookAt(tab, name);
        expect
            .soft(await question.getByRole("radio").count(), "answers to choose from")
            .toBe(await question.locator("li").count());
        await lab.getByRole("slider").press("End");
        await lab.locator(".lab-figures p").waitFor();
        const more = lab.getByRole("link", { name: "More questions" });
        expect.soft(await more.getAttribute("href"), "the way to the lab").toBe("lab.html");
    });
}

for (const [width, height] of [
    [390, 844],
    [1366, 768],
]) {
    test.describe(() => {
        test.use(reader({ motion: "no-preference", width, height }));
        test(`an answer plays by itself, ${width} by ${height}`, async ({ page: tab }) => {
            await tab.goto("ch03-threadpool.html");

            const { question, lab } = await lookAt(tab, "pool-80");
            await answer(question, "80");
            await lab.locator(".rows").scrollIntoViewIfNeeded();
            await lab.getByRole("button", { name: "Pause" }).waitFor();
            const boxes = [await lab.locator(".lab-picture").boundingBox(), await lab.locator(".play").boundingBox()];
            const all = boxes.reduce((sum, box) => sum + (box?.height ?? 1000), 0);
            expect.soft(all < height - 56, `picture and button have ${all} px`).toBe(true);
            await lab.locator(".lab-figures p").waitFor();
            expect
                .soft(await lab.locator(".lab-figures").innerText(), "what came of it")
                .toContain("80 responses per second");
        });
    });

    test.describe(() => {
        test.use(reader({ width, height }));
        test(`labs that come move nothing, ${width} px`, async ({ page: tab }) => {
            await tab.addInitScript(measureShifts);
            await tab.goto("lab.html");

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
            expect.soft(await tab.locator("scheduler-lab .lab-picture").count(), "labs that came").toBe(labs);
            const shift = await tab.evaluate(() => window.shift);
            expect.soft(shift < 0.05, `layout shift ${shift.toFixed(3)}`).toBe(true);
        });
    });

    test.describe(() => {
        test.use(reader({ width, height }));
        test(`the slider lies under its plot, ${width} px`, async ({ page: tab }) => {
            await tab.goto("lab.html");

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
                expect
                    .soft(
                        off.every((one) => Math.abs(one) < 1),
                        `the thumb and the cursor are ${off} px beside ${share}`,
                    )
                    .toBe(true);
            }
        });
    });
}

test("numbers in sentences are knobs", async ({ page: tab }) => {
    await tab.goto("lab.html");

    const { lab } = await lookAt(tab, "pool-keep-alive");
    const knobs = lab.locator(".lab-knobs");
    expect.soft(await knobs.innerText(), "the sentence").toContain("ms after each response");
    const clients = lab.getByRole("spinbutton", { name: "Clients" });
    await clients.fill("4");
    await clients.press("Enter");
    expect
        .soft(await lab.locator(".lab-figures").innerText(), "the law of four clients")
        .toContain("4 clients / 0.4 s = 10");
    expect
        .soft(await clients.evaluate((element) => element === document.activeElement), "the keyboard stays")
        .toBe(true);
    await clients.fill("0");
    await clients.press("Tab");
    expect.soft(await lab.getByRole("alert").innerText(), "what is said of no client").toContain("from 1 to 2000");
    expect.soft(await lab.locator(".lab-figures").innerText(), "the run before").toContain("4 clients");
    await lab.getByRole("combobox", { name: "Connections" }).selectOption("no");
    expect.soft(await lab.getByRole("alert").isVisible(), "the message is still there").toBe(false);
    await lab.getByRole("combobox", { name: "Threads or tasks" }).selectOption("one-thread");
    expect
        .soft(await lab.getByRole("spinbutton", { name: "Threads" }).count(), "a number of threads, where there is one")
        .toBe(0);
    expect.soft(await tab.locator(".lab [name=think]").count(), "knobs of other questions").toBe(1);
});

test("a text proposes what its lab tries", async ({ page: tab }) => {
    await tab.goto("lab.html");

    const steps = tab.getByRole("heading", { name: "How many threads should my pool have?" });
    await steps.scrollIntoViewIfNeeded();
    const lab = tab.locator("ol:has([data-try]) + scheduler-lab").first();
    await lab.locator(".lab-figures p").waitFor();
    expect.soft(await lab.locator(".lab-figures").innerText(), "as it opens").toContain("80 responses per second");
    await tab.getByRole("button", { name: "let the requests compute" }).click();
    expect
        .soft(await lab.locator(".lab-figures").innerText(), "the law of computing")
        .toContain("2 CPUs / 0.02 s = 100");
    expect.soft(await lab.locator(".lab-picture").isVisible(), "its picture").toBe(true);
});

test("what works, waits and is queued", async ({ page: tab }) => {
    await tab.goto("lab.html");

    const { lab } = await lookAt(tab, "blocking-call");
    await lab.getByRole("slider").press("End");
    const words = (await lab.locator(".lab-picture").getAttribute("aria-label")) ?? "";
    expect.soft(words, "the picture's words").toContain("requests answered");
    const line = await lab
        .locator("path.queues")
        .first()
        .evaluate((path) => [getComputedStyle(path).fill, Number.parseFloat(getComputedStyle(path).strokeWidth) < 2]);
    expect.soft(line.join(), "who is queued is a thin line").toBe("none,true");
    const number = lab.locator(".lab-picture .number text").first();
    await number.scrollIntoViewIfNeeded();
    const place = await number.boundingBox();
    await tab.mouse.move((place?.x ?? 0) + 3, (place?.y ?? 0) + 5);
    const rows = async () => {
        const outline = (await lab.locator(".outline").getAttribute("d")) ?? "";
        return new Set([...outline.matchAll(/M\S+ ([\d.]+)H/g)].map(([, top]) => top)).size;
    };
    expect.soft((await rows()) > 1, "rows of the request that is pointed at").toBe(true);
    await tab.mouse.move(0, 0);
    expect.soft(await rows(), "rows when nothing is pointed at").toBe(0);
    const { lab: many } = await lookAt(tab, "threads-or-tasks");
    await many.getByRole("slider").press("End");
    expect.soft((await many.locator("path.area.holds").count()) > 0, "200 clients are drawn as numbers").toBe(true);
});

test("the keyboard is enough", async ({ page: tab }) => {
    await tab.goto("lab.html");

    const { question, lab } = await lookAt(tab, "one-thread");
    await question.getByRole("radio").first().focus();
    await tab.keyboard.press("Space");
    await tab.keyboard.press("Enter");
    await lab.locator(".lab-figures p").waitFor();
    const slider = lab.getByRole("slider");
    await slider.press("Home");
    await slider.press("ArrowRight");
    expect
        .soft(await slider.getAttribute("aria-valuetext"), "the slider after an event")
        .toContain("100 ms: 1 request answered");
    await slider.press("ArrowLeft");
    expect
        .soft(await slider.getAttribute("aria-valuetext"), "the slider after an event back")
        .toContain("0 ms: 0 requests answered");
    await lab.getByRole("spinbutton", { name: "Clients" }).press("ArrowUp");
    expect.soft(await tab.evaluate(() => location.pathname), "the page after an arrow key").toContain("lab.html");
    expect.soft(await lab.locator(".lab-figures p").isVisible(), "the figures stay").toBe(true);
});

test("for a class the picture has larger letters, as the page has", async ({ page: tab }) => {
    await tab.goto("lab.html");

    const { lab } = await lookAt(tab, "one-thread");
    const letters = lab.locator(".lab-picture text").first();
    const size = () =>
        letters.evaluate((text) => {
            const scale = /** @type {SVGTextElement} */ (text).getScreenCTM()?.a ?? 0;
            return (scale * Number.parseFloat(getComputedStyle(text).fontSize)).toFixed(0);
        });
    expect.soft(await size(), "letters on the page").toBe("12");
    await tab.keyboard.press("p");
    await tab.locator(".teach-corner").waitFor();
    await letters.waitFor();
    await tab.waitForTimeout(300);
    const large = await tab.evaluate(
        () => 1.2 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
    );
    expect.soft(await size(), `letters for a class, ${large}`).toBe(large.toFixed(0));
});

test("a page that is a file plays its lab", async ({ page: tab }) => {
    await tab.goto(pathToFileURL(`${folder}/lab.html`).href);

    const { lab } = await lookAt(tab, "one-thread");
    await lab.getByRole("slider").press("End");
    expect.soft(await lab.locator(".lab-figures p").isVisible(), "its figures").toBe(true);
});

test("a lab that is made where it has no room is drawn once it has", async ({ page: tab }) => {
    await tab.goto("lab.html");

    await lookAt(tab, "one-thread");
    const away = await tab.addStyleTag({ content: "scheduler-lab { display: none !important; }" });
    // The sheet for paper hides labs too, perhaps just when one is made.
    await tab.locator("[data-try]").evaluateAll((buttons) => {
        for (const button of buttons) {
            /** @type {HTMLElement} */ (button).click();
        }
    });
    await away.evaluate((sheet) => /** @type {HTMLElement} */ (sheet).remove());
    const drawn = tab.locator("scheduler-lab", { has: tab.locator(".lab") }).last();
    await expect(drawn.locator(".lab-picture .axis")).toHaveAttribute("d", /^M/);
});

test("the page for the printer", async ({ page: tab }) => {
    await tab.goto("print.html");

    expect.soft(await tab.locator(".lab").count(), "labs on the page for the printer").toBe(0);
    const tried = tab.locator("[data-try]", { hasText: "eight CPUs" }).first();
    expect.soft(await tried.isVisible(), "what the text proposes").toBe(true);
    expect.soft(await tried.evaluate((one) => getComputedStyle(one).borderTopStyle), "a button on paper").toBe("none");
});

for (const page of ["recap.html", "ch03-threadpool.html"]) {
    test(`a reader who is far from a lab, ${page}`, async ({ page: tab }) => {
        await tab.goto(page);

        const isLoaded = () =>
            tab.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.includes("/lab/")));
        await tab.waitForLoadState("networkidle");
        expect.soft(await isLoaded(), "loads the lab").toBe(false);
        if ((await tab.locator("scheduler-lab").count()) > 0) {
            await tab.locator("scheduler-lab").first().scrollIntoViewIfNeeded();
            await tab.locator("scheduler-lab .play button").first().waitFor();
            expect.soft(await isLoaded(), "who is near it loads the lab").toBe(true);
        }
    });
}
