// Plays the race of the servers in headless Chromium, and says what is wrong with it.
//
//     node race.mjs FOLDER
//
// FOLDER is the built book; CHROMIUM is the browser's executable. Prints a line for each check that fails, and ends
// with 1 if there is any, with 2 if it could not look.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { builtBook, finish, launch, problem, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** The pages with a race, and how many servers are in it. */
const RACES = { "introduction.html": 6, "recap.html": 6 };
/** The pages that open with a recording. */
const OPENINGS = [
    "ch01-single-threaded.html",
    "ch02-thread-spawn.html",
    "ch03-threadpool.html",
    "event-loop.html",
    "ch04-async-std.html",
    "ch05-futures-executor.html",
    "own-runtime.html",
    "ch06-tokio.html",
    "ending-well.html",
    "other-languages.html",
];
/** A phone and a laptop. */
const SCREENS = [
    { width: 390, height: 844 },
    { width: 1366, height: 768 },
];
/** What a reader loads to see requests move, compressed, in bytes. */
const MOST = 20_000;
const SCRIPTS = [
    ...["theme/elements.js", "pictures/rows.js", "pictures/stage.js", "lab/moving.js"],
    ...["theme/load.js", "race/player.js", "race/race.css"],
];

const folder = builtBook("race/player.js");
const origin = await serve(folder);
const browser = await launch();
const checks = new Checks(browser, origin, { motion: "no-preference" });

const weight = SCRIPTS.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
if (weight > MOST) {
    problem("the scripts", `weigh ${weight} bytes, compressed`);
}

/**
 * Runs in the page: goes to the key moment of this number, and says what the script draws there and what the still
 * picture of that moment is.
 * @param {number} index
 */
async function drawnAndStill(index) {
    const box = need(document, "server-race");
    const address = location.href;
    const page = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
    const still = all(need(page, "server-race"), ".frames svg")[index];
    const frames = JSON.parse(need(box, "script").textContent ?? "").frames;
    /** @type {HTMLElement & { seek(time: number): void }} */ (box).seek(frames[index]);
    const svgs = all(box, "figure > svg.stage");
    const own = svgs[svgs.length - 1];
    const shapes = (/** @type {Element} */ svg) =>
        all(svg, ".moving path, .moving text, .state, .passed, .landing").map((one) => {
            const shown = one.getAttribute("visibility") === "hidden" ? "hidden" : "";
            const own = one.matches("text") ? `${one.getAttribute("x")} ${one.textContent}` : one.getAttribute("d");
            return `${one.getAttribute("class")} ${shown} ${own}`;
        });
    const [drawn, wanted] = [shapes(own), shapes(still)];
    const at = drawn.findIndex((shape, place) => shape !== wanted[place]);
    return {
        count: wanted.length,
        same: drawn.length === wanted.length && at < 0,
        drawn: drawn[at],
        wanted: wanted[at],
    };
}

/** @param {Page} tab */
const parts = (tab) => {
    const box = tab.locator("server-race").first();
    const slider = box.getByRole("slider", { name: "Time" });
    return {
        box,
        slider,
        at: async () => Number(await slider.inputValue()),
        play: box.getByRole("button", { name: "Play" }),
        pause: box.getByRole("button", { name: "Pause" }),
        next: box.getByRole("button", { name: "Next" }),
        back: box.getByRole("button", { name: "Back" }),
        words: box.locator(".race-now"),
    };
};

for (const [page, servers] of Object.entries(RACES)) {
    for (const width of [390, 1366]) {
        checks.check(
            `${page} at ${width}: the script draws what the still pictures show`,
            page,
            async (tab, { is, clean }) => {
                await parts(tab).play.waitFor();
                is(await tab.locator("server-race svg.stage:visible").count(), 1, "stages that are seen");
                is(await tab.locator("server-race svg.stage:visible .panel").count(), servers, "servers on it");
                is(await tab.locator("server-race svg.stage:visible .client").count(), servers, "their clients");
                is(await tab.locator("server-race .frames").isVisible(), false, "still pictures beside it");
                for (let index = 0; index < 4; index += 1) {
                    const { count, same, drawn, wanted } = await tab.evaluate(drawnAndStill, index);
                    is(count > servers * 10, true, `shapes of frame ${index + 1}: ${count}`);
                    is(same, true, `frame ${index + 1}: ${drawn}, and not ${wanted}`);
                }
                await clean();
            },
            { width, height: width < 500 ? 844 : 768 },
        );
    }
}

for (const page of OPENINGS) {
    checks.check(
        `${page}: it opens with a recording`,
        page,
        async (tab, { is, clean }) => {
            const it = parts(tab);
            await it.next.waitFor();
            for (let index = 0; index < (await it.box.locator(".frames li").count()); index += 1) {
                const { same, drawn, wanted } = await tab.evaluate(drawnAndStill, index);
                is(same, true, `frame ${index + 1}: ${drawn}, and not ${wanted}`);
            }
            await clean();
        },
        { width: 390, height: 844, motion: "reduce" },
    );
    for (const { width, height } of SCREENS) {
        checks.check(
            `${page} at ${width}: its still picture shows the defect`,
            page,
            async (tab, { is }) => {
                const it = parts(tab);
                await it.play.waitFor();
                is(await it.box.getAttribute("class"), "opening", "what the page opens with");
                // What the title says is to be seen before anything plays.
                const shown = await it.box.evaluate((box) => {
                    const { first } = JSON.parse(need(box, "script").textContent ?? "");
                    /** @type {HTMLElement & { seek(time: number): void }} */ (box).seek(first);
                    const stops = need(box, ".finding").textContent?.includes("cuts off");
                    const paths = all(box, stops ? "svg.stage .refused" : "svg.stage .moving :is(.waits, .holds)");
                    return paths.some((path) => Boolean(path.getAttribute("d")));
                });
                is(shown, true, "somebody waits, or is cut off, in its still picture");
            },
            { width, height },
        );
    }
}

checks.check("an opening plays once by itself, when it is seen", "ch02-thread-spawn.html", async (tab, { is }) => {
    const it = parts(tab);
    await tab.locator("server-race svg.stage").scrollIntoViewIfNeeded();
    await it.pause.waitFor();
    await it.play.waitFor();
    const end = Number(await it.slider.getAttribute("max"));
    is(await it.at(), end, "time at the end");
    await tab.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await tab.locator("server-race svg.stage").scrollIntoViewIfNeeded();
    await tab.waitForTimeout(300);
    is(await it.at(), end, "time when it is seen again");
});

checks.check("it starts when it is asked to, and ends", "introduction.html", async (tab, { is }) => {
    const it = parts(tab);
    await it.play.waitFor();
    const before = await it.at();
    await tab.waitForTimeout(300);
    is(await it.at(), before, "time before it was asked to play");
    await it.play.click();
    await it.pause.waitFor();
    is(await it.words.getAttribute("aria-live"), "off", "live while it plays");
    await tab.waitForFunction(() => Number(need(document, "server-race input", HTMLInputElement).value) > 30_000);
    await it.pause.click();
    await it.play.waitFor();
    const stopped = await it.at();
    await tab.waitForTimeout(200);
    is(await it.at(), stopped, "time while it pauses");
    is(await it.words.getAttribute("aria-live"), "polite", "live while it pauses");
});

for (const { width, height } of SCREENS) {
    checks.check(
        `a race that plays is on one screen of ${width} px with its controls`,
        "introduction.html",
        async (tab, { is }) => {
            const it = parts(tab);
            await it.play.click();
            await it.pause.waitFor();
            const top = (await tab.locator("server-race svg.stage:visible").boundingBox())?.y ?? -1;
            const row = await tab.locator("server-race .race-row").boundingBox();
            const bottom = (row?.y ?? height) + (row?.height ?? 0);
            is(top >= 0 && bottom <= height, true, `from ${top} to ${bottom} of ${height}`);
        },
        { width, height },
    );
}

checks.check("the keyboard is enough", "recap.html", async (tab, { is, has }) => {
    const it = parts(tab);
    await it.play.waitFor();
    await it.slider.focus();
    await tab.keyboard.press("Home");
    is(await it.at(), 0, "time after Home");
    await tab.keyboard.press("ArrowRight");
    const first = await it.at();
    await tab.keyboard.press("ArrowRight");
    is(first > 0 && (await it.at()) > first, true, "time after arrows");
    await tab.keyboard.press("ArrowLeft");
    is(await it.at(), first, "time after an arrow back");
    await tab.keyboard.press("End");
    has(await it.slider.getAttribute("aria-valuetext"), "Tokio: 12 of 12 answered", "what a screen reader says");
    is(await tab.locator("svg.stage:visible .landing[visibility=visible]").count(), 6, "servers that are done");
    await tab.keyboard.press("Home");
    is(await tab.locator("svg.stage:visible .landing[visibility=visible]").count(), 0, "servers that are done at 0");
    await tab.keyboard.press("Space");
    await it.pause.waitFor();
    await tab.keyboard.press("Space");
    await it.play.waitFor();
    is(await tab.evaluate(() => location.pathname), "/recap.html", "the page after arrow keys");
});

checks.check(
    "who wants no motion steps from one key moment to the next",
    "introduction.html",
    async (tab, { is, has }) => {
        const it = parts(tab);
        await it.next.waitFor();
        is(await tab.locator(".race-toggle").isVisible(), false, "a button that plays");
        await it.slider.focus();
        await tab.keyboard.press("Home");
        await tab.keyboard.press("Space");
        await tab.waitForTimeout(200);
        is(await it.at(), 0, "time after the key that plays");
        /** @type {number[]} */
        const frames = await it.box.evaluate((box) => JSON.parse(need(box, "script").textContent ?? "").frames);
        for (const frame of frames) {
            await it.next.click();
            const end = Number(await it.slider.getAttribute("max"));
            is(Math.abs((await it.at()) - Math.min(frame, end)) < 1000, true, `the next key moment is ${frame}`);
        }
        has(await it.words.innerText(), "12 of 12 answered", "the end");
        await it.back.click();
        is((await it.at()) < frames[3], true, "a step back");
    },
    { motion: "reduce" },
);

checks.check(
    "without JavaScript",
    "introduction.html",
    async (tab, { is }) => {
        is(await tab.locator("server-race .frames svg:visible").count(), 4, "still pictures");
        is(await tab.locator("server-race .frames p:visible").count(), 4, "sentences");
        is(await tab.locator("server-race svg.stage:visible").count(), 0, "stages that nothing can play");
        is(await tab.locator("server-race button").count(), 0, "controls");
    },
    { scripts: false },
);

checks.check("from a file", pathToFileURL(join(folder, "introduction.html")).href, async (tab, { is }) => {
    const it = parts(tab);
    await it.play.waitFor();
    await it.next.click();
    is((await it.at()) > 0, true, "time after a step on");
});

checks.check("on paper", "introduction.html", async (tab, { is }) => {
    await parts(tab).play.waitFor();
    await tab.emulateMedia({ media: "print" });
    is(await tab.locator("server-race .frames svg:visible").count(), 4, "key moments");
    is(await tab.locator("server-race svg.stage:visible").count(), 0, "stages on paper");
    is(await tab.locator(".race-controls").isVisible(), false, "controls on paper");
});

const count = await checks.run(4);
await browser.close();
finish(`${count} checks`);
