// Replays the recordings of a built book in headless Chromium, and says what is wrong with them.
//
//     node replay.mjs FOLDER
//
// FOLDER is the built book; CHROMIUM is the browser's executable. Prints a line for each check that
// fails, and ends with 1 if there is any, with 2 if it could not look.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { builtBook, finish, launch, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";
import { parts, rowsOf, timesIn, wordsAt } from "./replay-parts.mjs";

/**
 * @typedef {import("playwright-core").Locator} Locator
 * @typedef {import("./checks.mjs").Tools} Tools
 */

/** The chapters, and how many recordings each of them shows. */
const CHAPTERS = {
    "ch01-single-threaded": 1,
    "ch02-thread-spawn": 1,
    "ch03-threadpool": 1,
    "ch04-async-std": 1,
    "ch05-futures-executor": 2,
    "ch06-tokio": 1,
};

const folder = builtBook("replay/player.js");
const origin = await serve(folder);
const browser = await launch();

const checks = new Checks(browser, origin, { motion: "no-preference" });

/**
 * Runs in the page: the attributes of a drawing as they came, before any script saw them.
 * @param {{ address: string, place: number }} which
 */
async function asItCame({ address, place }) {
    const text = await (await fetch(address)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const attributes = (/** @type {Element} */ svg) =>
        all(svg, "path:not(.cursor, .outline), .number text, .ticks text")
            .flatMap((one) => [...one.attributes].map(({ name, value }) => `${name}=${value}`))
            .join(" ");
    const [came, is] = [page, document].map((one) =>
        attributes(need(all(one, "rung-replay")[place], "svg.wide", SVGSVGElement)),
    );
    return came === is;
}

/**
 * It plays, pauses, plays to its end, and from the beginning again.
 * @param {Locator} box
 * @param {Tools} tools
 */
async function checkPlaying(box, { is }) {
    const it = parts(box);
    const { duration } = await it.model();
    const slider = it.slider;
    const until = async (/** @type {(value: number) => boolean} */ holds) => {
        while (!holds(Number(await slider.inputValue()))) {
            await new Promise((done) => setTimeout(done, 5));
        }
    };
    // On a busy machine a click takes its time: it must not have ended by then.
    await it.speed.selectOption({ label: "1000 times slower" });
    await it.play.click();
    await it.pause.waitFor();
    await until((value) => value > 0);
    await it.pause.click();
    // On a busy machine the script may answer the click later.
    await it.play.waitFor();
    const stopped = await it.at();
    is(stopped > 0 && stopped < duration, true, "time after some playing");
    const cursor = await it.cursor();
    await box.evaluate(
        () =>
            new Promise((done) =>
                requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))),
            ),
    );
    is(await it.cursor(), cursor, "the cursor, paused");
    await it.seek(duration - 1);
    await it.speed.selectOption({ label: "real time" });
    await it.play.click();
    await until((value) => value === duration);
    await it.play.waitFor();
    is(await it.at(), duration, "time at the end");
    await it.speed.selectOption({ label: "1000 times slower" });
    await it.play.click();
    await it.pause.click();
    is((await it.at()) < duration / 2, true, "it begins again");
}

/**
 * It goes from moment to moment, and says what the recording says.
 * @param {Locator} box
 * @param {Tools} tools
 */
async function checkMoments(box, { is }) {
    const it = parts(box);
    const model = await it.model();
    const moments = timesIn(model);
    const middle = moments[Math.floor(moments.length / 2)];
    await it.seek(middle);
    is(await it.at(), middle, "time after the slider was moved");
    await it.on.click();
    is(
        await it.at(),
        moments.find((time) => time > middle),
        "time after a step on",
    );
    await it.back.click();
    is(await it.at(), middle, "time after a step back");
    await it.back.click();
    is(
        await it.at(),
        moments.findLast((time) => time < middle),
        "time after another",
    );
    for (const share of [0, 0.07, 0.21, 0.37, 0.5, 0.63, 0.8, 0.999]) {
        const time = moments[Math.floor(share * (moments.length - 1))];
        await it.seek(time);
        is(await it.words.innerText(), wordsAt(model, time), `words at ${time} µs`);
    }
}

/**
 * It shows a part of the time, with the cursor in it: what was sent then stands where its time is, and when all of it
 * is shown again, the script has drawn what the still picture had.
 * @param {Locator} box
 * @param {Tools} tools
 */
async function checkParts(box, { is }) {
    const it = parts(box);
    const model = await it.model();
    const [left, right] = await it.svg.evaluate((svg) =>
        ["left", "right"].map((name) => Number(svg.getAttribute(`data-${name}`))),
    );
    const whole = await it.state();
    const moments = timesIn(model);
    const middle = moments[Math.floor(moments.length / 2)];
    const sent = model.groups[0].rows.flatMap(({ bars }) => bars.flatMap((bar) => (bar[0] === "sent" ? bar[3] : [])));
    await it.seek(middle);
    for (const [label, length] of /** @type {[string, number][]} */ ([
        ["100 ms", 100_000],
        ["10 ms", 10_000],
        ["1 ms", 1000],
    ])) {
        await it.show.selectOption({ label });
        const { outlines } = await it.state();
        const from = Math.min(Math.max(middle - length / 2, 0), model.duration - length);
        const place = (/** @type {number} */ time) => left + ((time - from) / length) * (right - left);
        const wanted = sent.filter((time) => time >= from && time <= from + length).map(place);
        const drawn = [...(outlines.sent ?? "").matchAll(/M([\d.]+)/g)].map(([, x]) => Number(x));
        const off = wanted.map((x) => Math.min(...drawn.map((one) => Math.abs(one - x))));
        is(drawn.length, wanted.length, `${label}: requests that are sent`);
        is(Math.max(0, ...off) < 0.1, true, `${label}: they stand where their time is`);
        is(Math.abs((await it.cursor()) - place(middle)) < 0.1, true, `${label}: the cursor is at its time`);
    }
    await it.show.selectOption({ label: "everything" });
    is(JSON.stringify(await it.state()), JSON.stringify(whole), "everything again, as it was drawn first");
}

for (const [page, count] of Object.entries(CHAPTERS)) {
    checks.check(`${page}, played`, `${page}.html`, async (tab, tools) => {
        const boxes = tab.locator("rung-replay");
        tools.is(await boxes.count(), count, "recordings");
        for (let place = 0; place < count; place += 1) {
            const box = boxes.nth(place);
            await parts(box).play.waitFor();
            const same = await tab.evaluate(asItCame, { address: `${page}.html`, place });
            tools.is(same, true, "the script leaves the still picture as it came");
            await checkParts(box, tools);
            await checkMoments(box, tools);
            await checkPlaying(box, tools);
        }
    });
}

/**
 * Runs in the page: how high a recording is at most, and how high after it was at all of its moments.
 * @param {Element} element
 * @param {number[]} times
 */
function heightsAt(element, times) {
    const slider = need(element, "input[type=range]", HTMLInputElement);
    const heights = [...times, 0].map((time) => {
        slider.value = String(time);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        return element.clientHeight;
    });
    return { tallest: Math.max(...heights), after: heights[heights.length - 1] };
}

for (const { theme, width } of /** @type {const} */ ([
    { theme: "light", width: 390 },
    { theme: "dark", width: 390 },
    { theme: "light", width: 1280 },
    { theme: "dark", width: 1280 },
])) {
    for (const page of ["ch01-single-threaded", "ch03-threadpool", "ch05-futures-executor"]) {
        checks.check(
            `${page}, ${theme}, ${width} px`,
            `${page}.html`,
            async (tab, { is, clean }) => {
                const box = tab.locator("rung-replay").first();
                const it = parts(box);
                await it.play.waitFor();
                await it.on.click();
                await it.on.click();
                await box.locator("xpath=following-sibling::details[1]").locator("summary").click();
                await clean();
                const small = await box
                    .locator(":is(button, select, input):visible")
                    .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height < 39.5).length);
                is(small, 0, "controls that are too small");
                is(
                    await it.svg.getAttribute("class"),
                    width < 500 ? "pic narrow" : "pic wide",
                    "the drawing that is shown",
                );
                const least = await it.svg.evaluate((element) => {
                    const svg = /** @type {SVGSVGElement} */ (element);
                    const sizes = all(svg, "text").map((text) => Number.parseFloat(getComputedStyle(text).fontSize));
                    return (Math.min(...sizes) * svg.getBoundingClientRect().width) / svg.viewBox.baseVal.width;
                });
                is(least >= 11.9, true, `letters of ${least.toFixed(1)} px`);
                // What is said does not make the page jump.
                const heights = await box.evaluate(heightsAt, timesIn(await it.model()));
                is(heights.after, heights.tallest, "its height");
            },
            { theme, width },
        );
    }
}

/**
 * What of a picture and its bar lies outside of the screen or below the menu, in pixels.
 * @param {Locator} box
 */
const hidden = (box) =>
    box.evaluate((element) => {
        const seen = (/** @type {Element} */ one) => one.getClientRects().length > 0;
        const drawings = all(element, "figure svg[role=img]").filter(seen);
        const parts = [drawings[0], need(element, "input[type=range]"), need(element, ".replay-toggle")];
        const [svg, slider, play] = parts.map((part) => part.getBoundingClientRect());
        const menu = document.querySelector("#mdbook-menu-bar")?.getBoundingClientRect().bottom ?? 0;
        const edges = [svg, slider, play].flatMap(({ top, bottom }) => [
            Math.max(menu, 0) - top,
            bottom - window.innerHeight,
        ]);
        return Math.max(0, slider.top > svg.top ? svg.bottom - slider.top : 0, ...edges);
    });

/**
 * Runs in the page: how far the middle of the slider's thumb, which is 20 pixels wide, is from the cursor.
 * @param {Element} element
 */
function thumbBesideCursor(element) {
    const slider = need(element, "input[type=range]", HTMLInputElement);
    const edge = slider.getBoundingClientRect();
    const thumb = edge.left + 10 + (Number(slider.value) / Number(slider.max)) * (edge.width - 20);
    const seen = all(element, ".cursor").filter((one) => one.getClientRects().length > 0);
    const { left, right } = seen[0].getBoundingClientRect();
    return Math.abs(thumb - (left + right) / 2);
}

for (const [width, height] of [
    [390, 844],
    [1366, 768],
]) {
    for (const page of Object.keys(CHAPTERS)) {
        checks.check(
            `${page} is on the screen while it plays, ${width} by ${height}`,
            `${page}.html`,
            async (tab, { is }) => {
                const box = tab.locator("rung-replay").first();
                const it = parts(box);
                await it.play.waitFor();
                await it.speed.selectOption({ label: "100 times slower" });
                for (const where of /** @type {const} */ (["start", "end"])) {
                    await it.play.evaluate(
                        (button, block) => button.scrollIntoView({ block, behavior: "instant" }),
                        where,
                    );
                    await it.play.evaluate((button) => /** @type {HTMLElement} */ (button).click());
                    is(
                        (await hidden(box)) < 1,
                        true,
                        `seen after Play from the ${where}: ${await hidden(box)} px are not`,
                    );
                    await it.pause.click();
                }
                if (width > 900) {
                    await box.evaluate((element) => element.scrollIntoView({ behavior: "instant" }));
                    const row = await it.speed.boundingBox();
                    is(row !== null && row.y + row.height <= height, true, `the speed, at ${row?.y}, is seen as well`);
                }
                for (const share of [0, 0.25, 1]) {
                    await it.seek((await it.model()).duration * share);
                    const off = await box.evaluate(thumbBesideCursor);
                    is(off < 2, true, `the slider is ${off.toFixed(1)} px beside the cursor at ${share}`);
                }
            },
            { width, height },
        );
    }
}

checks.check("what works is drawn otherwise than what sleeps", "ch03-threadpool.html", async (tab, { is }) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    const look = (/** @type {string} */ kind) =>
        it.svg.locator(`path.${kind}`).evaluate((path) => {
            const { fill, fillOpacity, stroke } = getComputedStyle(path);
            const colour = /** @type {SVGPathElement} */ (path).getBBox().height > 0 ? fill : "nothing is drawn";
            return { solid: fillOpacity === "1" && colour.startsWith("rgb"), pale: Number(fillOpacity) < 0.1, stroke };
        });
    const [works, holds, queues] = [await look("works"), await look("holds"), await look("queues")];
    is(works.solid, true, "work is solid");
    is(holds.pale && !holds.solid && holds.stroke !== "none", true, "sleep is pale, with an outline");
    is(queues.solid, false, "a line is not solid");
    // Each request's number stands in the row of its client and in that of its thread.
    const numbers = await it.svg.locator(".number text").allTextContents();
    const seen = Array.from({ length: 12 }, (_, index) => numbers.filter((text) => text === String(index + 1)).length);
    is(Math.min(...seen) >= 2, true, `how often a request's number is seen: ${seen}`);
});

checks.check("a request is followed from row to row", "ch03-threadpool.html", async (tab, { is }) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    const model = await it.model();
    const middles = ((await it.svg.getAttribute("data-rows")) ?? "").split(" ").map(Number);
    const wanted = (/** @type {number} */ request) =>
        rowsOf(model, request)
            .map((place) => middles[place])
            .join();
    is((await it.outlined()).length, 0, "outlined at first");
    await it.follow.selectOption({ label: "request 5" });
    is((await it.outlined()).join(), wanted(5), "the rows of the request that is followed");
    await it.svg.locator(".number text", { hasText: /^9$/ }).first().hover();
    is((await it.outlined()).join(), wanted(9), "the rows of the request that is pointed at");
    await tab.mouse.move(0, 0);
    is((await it.outlined()).join(), wanted(5), "the rows when nothing is pointed at");
});

checks.check("the keyboard is enough", "ch03-threadpool.html", async (tab, { is }) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    const moments = timesIn(await it.model());
    await it.slider.focus();
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowRight");
    is(await it.at(), moments[2], "time after two arrows");
    is(
        await it.slider.getAttribute("aria-valuetext"),
        `${(moments[2] / 1000).toFixed(3)} ms: ${wordsAt(await it.model(), moments[2])}`,
        "what a screen reader says",
    );
    await tab.keyboard.press("End");
    is(await it.at(), moments[moments.length - 1], "time after End");
    await tab.keyboard.press("Home");
    is(await it.at(), 0, "time after Home");
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowLeft");
    is(await it.at(), moments[1], "time after an arrow back");
    await tab.keyboard.press("Space");
    await it.pause.waitFor();
    is(await tab.locator(".replay-now").getAttribute("aria-live"), "off", "live while it plays");
    await tab.keyboard.press("Space");
    await it.play.waitFor();
    is(await tab.locator(".replay-now").getAttribute("aria-live"), "polite", "live while it pauses");
    await it.on.focus();
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("Enter");
    await it.show.focus();
    await tab.keyboard.press("ArrowDown");
    is(await tab.evaluate(() => location.pathname), "/ch03-threadpool.html", "the page after arrow keys");
});

checks.check("a click in the picture", "ch03-threadpool.html", async (tab, { is }) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    const { duration } = await it.model();
    const place = await it.svg.evaluate((element) => {
        const svg = /** @type {SVGSVGElement} */ (element);
        return {
            x: (Number(svg.dataset.left) + Number(svg.dataset.right)) / 2,
            scale: svg.getBoundingClientRect().width / svg.viewBox.baseVal.width,
        };
    });
    await it.svg.click({ position: { x: place.x * place.scale, y: 200 } });
    is(Math.abs((await it.at()) - duration / 2) < duration / 100, true, "time after a click in the middle");
});

/**
 * Runs in the page: plays, and returns where the slider is at the first seven moves of the cursor.
 * @param {Element} box
 * @returns {Promise<number[]>}
 */
function seenPlaces(box) {
    return new Promise((done) => {
        /** @type {number[]} */
        const seen = [];
        const slider = need(box, "input[type=range]", HTMLInputElement);
        new MutationObserver(() => {
            seen.push(Number(slider.value));
            if (seen.length > 6) {
                done(seen);
            }
        }).observe(need(box, "svg.wide .cursor"), { attributeFilter: ["d"] });
        need(box, ".replay-toggle").click();
    });
}

checks.check(
    "who wants no motion gets steps",
    "ch06-tokio.html",
    async (tab, { is }) => {
        const it = parts(tab.locator("rung-replay"));
        await it.play.waitFor();
        const moments = timesIn(await it.model());
        await it.speed.selectOption({ label: "1000 times slower" });
        const places = await tab.locator("rung-replay").evaluate(seenPlaces);
        // The slider follows the cursor, so each place may be the one before.
        is(
            places.every((time) => time === 0 || moments.includes(time)),
            true,
            `moments: ${places}`,
        );
    },
    { motion: "reduce" },
);

checks.check(
    "without JavaScript",
    "ch04-async-std.html",
    async (tab, { is }) => {
        const box = tab.locator("rung-replay");
        is(await box.locator("figure svg[role=img]:visible").count(), 1, "still pictures");
        is(await box.locator("button, input, select").count(), 0, "controls");
        const details = box.locator("xpath=following-sibling::details[1]");
        await details.locator("summary").click();
        is(await details.locator("table:visible").count(), 3, "tables");
        is(
            (await box.locator("figcaption").innerText()).includes("cargo xtask observe ch04_async_std"),
            true,
            "the command",
        );
    },
    { scripts: false },
);

checks.check("from a file", pathToFileURL(join(folder, "ch02-thread-spawn.html")).href, async (tab, { is }) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    await it.on.click();
    is(await it.at(), timesIn(await it.model())[1], "time after a step on");
});

checks.check("on paper", "ch03-threadpool.html", async (tab, { is }) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    const still = await it.state();
    await it.seek(100_000);
    await it.show.selectOption({ label: "1 ms" });
    await tab.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await tab.emulateMedia({ media: "print" });
    is(JSON.stringify(await it.state()) === JSON.stringify(still), true, "the still picture is printed");
    is(await tab.locator(".replay-controls").isVisible(), false, "controls on paper");
    await tab.emulateMedia({ media: "screen" });
    await tab.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    is(JSON.stringify(await it.state()) === JSON.stringify(still), false, "what was shown is shown again");
});

checks.check("the page for the printer", "print.html", async (tab, { is }) => {
    is(await tab.locator("rung-replay svg[role=img]:visible").count(), 9, "still pictures");
    is(await tab.locator(".replay-controls").count(), 0, "controls");
});

checks.check("a page without a recording", "recap.html", async (tab, { is }) => {
    is(
        await tab.evaluate(() =>
            performance.getEntriesByType("resource").some((entry) => entry.name.includes("/replay/")),
        ),
        false,
        "loads the script",
    );
});

const count = await checks.run(4);
await browser.close();
finish(`${count} checks`);
