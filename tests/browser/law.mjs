// Numbers that can be dragged where a law stands: by keyboard, by mouse and by finger.
//
//     node law.mjs FOLDER
//
// FOLDER is the built book. Prints a line for each problem, and ends with 1 if there is any.

import { builtBook, finish, launch, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** The pages with a law, the numbers in it, and the number that follows first. */
const LAWS = {
    "ch01-single-threaded.html": ["clients", "milliseconds for each request"],
    "ch03-threadpool.html": ["workers", "clients", "milliseconds for each request"],
    "ch04-async-std.html": ["clients", "milliseconds for each request", "workers"],
    "measuring.html": ["workers", "clients", "milliseconds for each request"],
};

const origin = await serve(builtBook("index.html"));
const browser = await launch();
const checks = new Checks(browser, origin);

/** @param {Page} tab */
const sentence = async (tab) => (await tab.locator("law-numbers p").innerText()).trim();

/** @param {Page} tab */
const outputs = (tab) => tab.locator("law-numbers output").allInnerTexts();

for (const [page, names] of Object.entries(LAWS)) {
    let written = "";
    checks.check(
        `${page}: the sentence without a script`,
        page,
        async (tab) => {
            written = await sentence(tab);
        },
        { scripts: false },
    );
    checks.check(`${page}: a law by the keyboard`, page, async (tab, { is, clean }) => {
        const law = tab.locator("law-numbers");
        await law.locator("svg").first().waitFor();
        is(await sentence(tab), written, "what the law says of its own numbers");
        is((await law.getByRole("spinbutton").count()) === names.length, true, "how many numbers there are");
        for (const name of names) {
            const number = law.getByRole("spinbutton", { name });
            const before = [Number(await number.innerText()), ...(await outputs(tab))];
            await number.focus();
            await tab.keyboard.press("ArrowRight");
            await tab.keyboard.press("PageUp");
            is(Number(await number.innerText()) > Number(before[0]), true, `${name} after the keys`);
            is(await number.getAttribute("aria-valuenow"), await number.innerText(), `what ${name} is said to be`);
            await tab.keyboard.press("Home");
            is(await number.innerText(), await number.getAttribute("aria-valuemin"), `${name} after Home`);
            is((await outputs(tab)).join() === before.slice(1).join(), false, `${name} changes nothing`);
            await tab.keyboard.press("End");
        }
        is(tab.url().endsWith(page), true, "the page is turned by an arrow key");
        await clean();
    });
}

checks.check("numbers follow from the law", "ch03-threadpool.html", async (tab, { is }) => {
    const law = tab.locator("law-numbers");
    const workers = law.getByRole("spinbutton", { name: "workers" });
    await workers.focus();
    for (let more = 0; more < 4; more += 1) {
        await tab.keyboard.press("ArrowUp");
    }
    // 12 workers, 20 clients, 100 ms: 12 / 0.1 s; 20 / 120 s.
    is((await outputs(tab)).join(" "), "120 12 8 0.167", "12 workers and 20 clients");
    is(await law.locator("svg .holds").count(), 12, "threads that are held, in the picture");
    is(await law.locator("svg .line").count(), 8, "clients in line, in the picture");
    await workers.press("End");
    is((await outputs(tab)).join(" "), "200 20 0 0.1", "64 workers and 20 clients");
    is(await law.locator("svg .idle").count(), 44, "idle threads, in the picture");
});

/**
 * Where the marks of the law's chart are, and what they say.
 * @param {Page} tab
 */
async function marksOf(tab) {
    const marks = tab.locator("law-numbers .here");
    await marks.first().waitFor();
    const places = await marks.evaluateAll((all) => all.map((one) => [one.getAttribute("cx"), one.getAttribute("cy")]));
    const labels = await tab.locator("law-numbers g:has(.here) text").allTextContents();
    // How high the mark is on its axis, whose highest number is the last of three.
    const ticks = await tab.locator("law-numbers svg:has(.here) > text[text-anchor=end]").allTextContents();
    const grid = await tab
        .locator("law-numbers .grid")
        .evaluateAll((all) => all.map((one) => Number(/,([\d.]+)H/.exec(one.getAttribute("d") ?? "")?.[1])));
    const [[x, y]] = places.map((place) => place.map(Number));
    const most = Number(ticks[2].replaceAll(",", ""));
    return { x, value: Math.round((most * (grid[0] - y)) / (grid[0] - grid[2])), labels: labels.join("; ") };
}

checks.check("the chart beside a law answers", "ch03-threadpool.html", async (tab, { is }) => {
    const law = tab.locator("law-numbers");
    const number = (/** @type {string} */ name) => law.getByRole("spinbutton", { name });
    const before = await marksOf(tab);
    is(before.labels, "80", "8 workers and 20 clients");
    is(before.value, 80, "where the mark is");
    const tops = await law.locator("svg").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    is(tops[0], tops[1], "the chart is beside the marks");
    await number("clients").press("ArrowRight");
    const more = await marksOf(tab);
    is(more.x > before.x, true, "with a client more, the mark goes to the right");
    is(more.value, 80, "with a client more than workers");
    await number("workers").press("ArrowRight");
    is((await marksOf(tab)).value, 90, "with a worker more");
    await number("clients").press("Home");
    is((await marksOf(tab)).value, 10, "one client");
});

checks.check("a chart says where two laws agree", "ch04-async-std.html", async (tab, { is }) => {
    is((await marksOf(tab)).labels, "the pool: 80; tasks: 600", "60 clients");
    await tab.locator("law-numbers").getByRole("spinbutton", { name: "clients" }).press("Home");
    is((await marksOf(tab)).labels, "tasks and the pool alike: 10", "one client");
});

checks.check(
    "a number is dragged",
    "ch03-threadpool.html",
    async (tab, { is }) => {
        const number = tab.locator("law-numbers").getByRole("spinbutton", { name: "clients" });
        await number.scrollIntoViewIfNeeded();
        const box = await number.boundingBox();
        const { x = 0, y = 0, width = 0, height = 0 } = box ?? {};
        // Above the number, where a finger that wants it may be.
        await tab.mouse.move(x + width / 2, y + height / 2 - 18);
        await tab.mouse.down();
        await tab.mouse.move(x + width / 2 + 40, y, { steps: 5 });
        await tab.mouse.up();
        is(await number.innerText(), "60", "clients after 40 pixels");
        await tab.mouse.move(x, y);
        is(await number.innerText(), "60", "clients after the mouse was let go");
    },
    { width: 390 },
);

for (const motion of /** @type {const} */ (["no-preference", "reduce"])) {
    checks.check(
        `numbers show that they can be dragged, motion: ${motion}`,
        "ch03-threadpool.html",
        async (tab, { is }) => {
            const numbers = tab.locator("law-numbers [data-number]");
            await tab.locator("law-numbers svg").first().waitFor();
            const moves = () => numbers.evaluateAll((all) => all.map((one) => one.getAnimations().length).join(" "));
            is(await moves(), "0 0 0", "what moves before it is seen");
            await numbers.first().evaluate((one) => one.scrollIntoView({ block: "center", behavior: "instant" }));
            if (motion === "no-preference") {
                await tab.waitForFunction(
                    () => need(document, "law-numbers [data-number]").getAnimations().length === 1,
                );
                await tab.waitForFunction(
                    () => need(document, "law-numbers [data-number]").getAnimations().length === 0,
                );
            }
            await tab.evaluate(() => new Promise((done) => setTimeout(done, 300)));
            is(await moves(), "0 0 0", "what goes on to move");
            const looks = await numbers
                .first()
                .evaluate((one) => [
                    getComputedStyle(one).cursor,
                    getComputedStyle(one, "::before").content.slice(1, 2),
                    getComputedStyle(one, "::after").content.slice(2, 3),
                ]);
            is(looks.join(" "), "ew-resize ◂ ▸", "how a number looks");
            const { height = 0 } = (await numbers.first().boundingBox()) ?? {};
            is(height >= 44, true, `a finger has ${height} px`);
        },
        { motion, width: 390 },
    );
}

const count = await checks.run(1);
await browser.close();
finish(`${count} checks`);
