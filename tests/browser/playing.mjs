// Plays the pictures of time in headless Chromium (the race, what chapters open with, and recordings), and says what is
// wrong with them.
//
//     node playing.mjs FOLDER
//
// FOLDER is the built book; CHROMIUM is the browser's executable. Prints a line for each check that fails, and ends
// with 1 if there is any, with 2 if it could not look.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { builtBook, finish, launch, problem, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").Locator} Locator
 */

/** The pages, and how many pictures of each kind they have. */
const PAGES = {
    introduction: { race: 1 },
    recap: { race: 1 },
    "ch01-single-threaded": { opening: 1, recording: 1 },
    "ch02-thread-spawn": { opening: 1, recording: 1 },
    "ch03-threadpool": { opening: 1, recording: 1 },
    "event-loop": { opening: 1, recording: 1 },
    "ch04-async-std": { opening: 2, recording: 1 },
    "ch05-futures-executor": { opening: 1, recording: 2 },
    "own-runtime": { opening: 1, recording: 1 },
    "ch06-tokio": { opening: 1, recording: 1 },
    "ch07-bounded": { recording: 1 },
    "futures-tasks-threads": { recording: 3 },
    "which-task": { recording: 1 },
    "ending-well": { opening: 1 },
    "other-languages": { opening: 1 },
};
/** A phone and a laptop. */
const SCREENS = [
    { width: 390, height: 844 },
    { width: 1366, height: 768 },
];
/** What a reader loads for it, compressed, in bytes. */
const MOST = 6000;

const folder = builtBook("playing/player.js");
const origin = await serve(folder);
const browser = await launch();
const checks = new Checks(browser, origin);

const scripts = ["playing/player.js", "playing/recording.js", "playing/playing.css"];
const weight = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
if (weight > MOST) {
    problem("the scripts", `weigh ${weight} bytes, compressed`);
}

/** @param {Locator} box */
const parts = (box) => {
    const slider = box.getByRole("slider", { name: "Time" });
    return {
        slider,
        svg: box.locator(".rows > svg:visible"),
        at: async () => Number(await slider.inputValue()),
        end: async () => Number(await slider.getAttribute("max")),
        says: () => slider.getAttribute("aria-valuetext"),
        play: box.getByRole("button", { name: /^Play/ }),
        again: box.getByRole("button", { name: "Play again" }),
        pause: box.getByRole("button", { name: "Pause" }),
        seek: (/** @type {number} */ time) => slider.evaluate(seekTo, time),
    };
};

/**
 * Runs in the page.
 * @param {Element} slider
 * @param {number} time
 */
function seekTo(slider, time) {
    /** @type {HTMLInputElement} */ (slider).value = String(time);
    slider.dispatchEvent(new Event("input"));
}

/**
 * Runs in the page: what is wrong with a picture at eleven moments. Its curtain is where the time is, the rest is as it
 * came, and the sentence is the one of the moment.
 * @param {Element} box
 */
async function faultsOf(box) {
    /** @type {string[]} */
    const faults = [];
    const text = await (await fetch(location.href)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const place = all(document, "rung-replay").indexOf(/** @type {HTMLElement} */ (box));
    const marks = (/** @type {Element} */ one) =>
        all(one, ".rows > svg :not(.future, .cursor)")
            .map((it) => it.cloneNode(false))
            .map((it) => /** @type {Element} */ (it).outerHTML)
            .join("");
    const came = marks(all(page, "rung-replay")[place]);
    const slider = need(box, "input", HTMLInputElement);
    const data = JSON.parse(need(box, "script").textContent ?? "");
    const svgs = /** @type {SVGSVGElement[]} */ (all(box, ".rows > svg"));
    const svg = svgs.find((one) => one.getClientRects().length > 0);
    if (!svg) {
        return ["no drawing is seen"];
    }
    const [left, right] = [Number(svg.dataset.left), Number(svg.dataset.right)];
    const bands = (svg.dataset.bands ?? "").split(";").map((band) => band.split(" ").map(Number));
    for (let tenth = 0; tenth <= 10; tenth += 1) {
        const time = (data.end * tenth) / 10;
        slider.value = String(time);
        slider.dispatchEvent(new Event("input"));
        const outline = need(svg, ".future", SVGPathElement).getAttribute("d") ?? "";
        const veiled = [...outline.matchAll(/M(\S+) (\d+)H\d+V(\d+)/g)].map((found) => found.slice(1).map(Number));
        const wanted = bands.filter(([, , until]) => time < until);
        const x = left + ((right - left) * tenth) / 10;
        const same = veiled.every(
            (band, index) =>
                Math.abs(band[0] - x) < 0.1 && band[1] === wanted[index][0] && band[2] === wanted[index][1],
        );
        if (!same || veiled.length !== wanted.length) {
            faults.push(`at ${time} the curtain is ${outline}`);
        }
        const sentence = data.moments.findLast((/** @type {[number]} */ [at]) => at <= time)[1];
        if (!slider.getAttribute("aria-valuetext")?.endsWith(`s: ${sentence}`)) {
            faults.push(`at ${time} it says ${slider.getAttribute("aria-valuetext")}, and not ${sentence}`);
        }
        const cursor = need(svg, ".cursor").getBoundingClientRect();
        const [thumb, rows] = [need(box, ".thumb"), need(box, ".rows")].map((one) => one.getBoundingClientRect());
        const beside = Math.abs((thumb.left + thumb.right) / 2 - (cursor.left + cursor.right) / 2);
        if (tenth < 10 && thumb.left > rows.left + 1 && thumb.right < rows.right - 1 && beside > 2) {
            faults.push(`at ${time} the thumb is ${beside} px beside the cursor`);
        }
    }
    if (came === "" || marks(box) !== came) {
        faults.push("its marks are not as they came");
    }
    // Nothing but rows is veiled.
    for (const heading of all(svg, ".heading")) {
        const { y, height } = heading.getBoundingClientRect();
        const scale = svg.getBoundingClientRect().height / svg.viewBox.baseVal.height;
        const middle = (y + height / 2 - svg.getBoundingClientRect().top) / scale;
        if (!box.matches(".opening") && bands.some(([top, bottom]) => top < middle && middle < bottom)) {
            faults.push(`the curtain veils ${heading.textContent}`);
        }
    }
    const letters = all(svg, "text").map((one) => Number.parseFloat(getComputedStyle(one).fontSize));
    const least = (Math.min(...letters) * svg.getBoundingClientRect().width) / svg.viewBox.baseVal.width;
    if (least < 11.5) {
        faults.push(`letters of ${least} px`);
    }
    for (const control of all(box, "input, .play > *")) {
        if (control.getBoundingClientRect().height < 39.5) {
            faults.push(`${control.outerHTML.slice(0, 40)} is too small`);
        }
    }
    // What is drawn is within its picture, and a result lies on no other words.
    const edge = svg.getBoundingClientRect();
    const texts = all(svg, "text").map((one) => ({ one, box: one.getBoundingClientRect() }));
    for (const { one, box: own } of texts) {
        // Some letters begin a little before their place.
        if (own.left < edge.left - 2 || own.right > edge.right + 1 || own.bottom > edge.bottom + 1) {
            faults.push(`the drawing is left by: ${one.textContent}`);
        }
        for (const other of one.matches(".result") ? texts.filter((it) => it.one !== one) : []) {
            const wide = Math.min(own.right, other.box.right) - Math.max(own.left, other.box.left);
            const high = Math.min(own.bottom, other.box.bottom) - Math.max(own.top, other.box.top);
            if (wide > 1 && high > 5) {
                faults.push(`${one.textContent} lies on ${other.one.textContent}`);
            }
        }
    }
    return faults;
}

for (const [page, kinds] of Object.entries(PAGES)) {
    for (const screen of SCREENS) {
        const theme = page.startsWith("ch0") ? "dark" : "light";
        checks.check(
            `${page} at ${screen.width}`,
            `${page}.html`,
            async (tab, { is, clean }) => {
                for (const [kind, count] of Object.entries(kinds)) {
                    const boxes = tab.locator(`rung-replay.${kind}`);
                    is(await boxes.count(), count, `pictures of the kind ${kind}`);
                    for (let place = 0; place < count; place += 1) {
                        const box = boxes.nth(place);
                        const it = parts(box);
                        await it.play.waitFor();
                        const faults = await box.evaluate(faultsOf);
                        is(faults.slice(0, 3).join("; "), "", `${kind} ${place + 1}`);
                        // Title, picture and button are on one screen.
                        const high = await box.evaluate((element) => {
                            const [top, bottom] = [need(element, ".finding"), need(element, ".play")];
                            return bottom.getBoundingClientRect().bottom - top.getBoundingClientRect().top;
                        });
                        is(high < screen.height - 50, true, `${kind} ${place + 1} is ${high} px high`);
                    }
                }
                await clean();
            },
            { ...screen, theme },
        );
    }
}

for (const { width, height } of SCREENS) {
    checks.check(
        `the race is on the first screen of ${width} px, from its title to its buttons`,
        "introduction.html",
        async (tab, { is, has }) => {
            const it = parts(tab.locator("rung-replay"));
            await it.again.or(it.play).waitFor();
            is(await it.svg.locator(".result").count(), 6, "results");
            for (const part of ["h1", ".finding", ".counts", ".rows > svg:visible", ".play button", ".play a"]) {
                const box = await tab.locator(`main ${part}`).first().boundingBox();
                const is_seen = box !== null && box.y >= 0 && box.y + box.height <= height;
                is(is_seen, true, `${part} at ${box?.y}, ${box?.height} px high, is seen`);
            }
            has(
                await tab.locator("main h1, main .finding, main .counts").allTextContents().then(String),
                "Rust",
                "the title",
            );
            // One of the two is what a visitor came for, whatever the picture does.
            await it.again.or(it.play).click();
            await it.pause.waitFor();
            const looks = await tab
                .locator(".play > *")
                .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
            const ground = await tab.locator("html").evaluate((root) => getComputedStyle(root).backgroundColor);
            is(looks.map((colour) => colour !== ground).join(), "false,true", "which button is filled while it plays");
            const link = tab.locator(".play a");
            await link.click();
            is(new URL(tab.url()).pathname, "/ch01-single-threaded.html", "where the second button leads");
        },
        { width, height },
    );
}

checks.check(
    "it plays by itself once, when it is seen",
    "ch06-tokio.html",
    async (tab, { is }) => {
        const it = parts(tab.locator("rung-replay.opening"));
        await it.play.waitFor();
        is(await it.at(), await it.end(), "time before it is seen");
        await it.svg.scrollIntoViewIfNeeded();
        await it.pause.waitFor();
        await it.again.waitFor();
        is(await it.at(), await it.end(), "time at the end");
        await tab.evaluate(() => scrollTo(0, document.body.scrollHeight));
        await it.svg.scrollIntoViewIfNeeded();
        await tab.waitForTimeout(300);
        is(await it.at(), await it.end(), "time when it is seen again");
        // A recording is left to the reader.
        const other = parts(tab.locator("rung-replay.recording"));
        await other.svg.scrollIntoViewIfNeeded();
        await tab.waitForTimeout(300);
        is(await other.at(), await other.end(), "time of a recording that is seen");
    },
    { motion: "no-preference" },
);

checks.check("who wants no motion asks for it", "introduction.html", async (tab, { is, has }) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    await tab.waitForTimeout(300);
    is(await it.at(), await it.end(), "time before it was asked to play");
    await it.play.click();
    await it.pause.waitFor();
    await tab.waitForFunction(() => Number(need(document, "rung-replay input", HTMLInputElement).value) > 30_000);
    await it.pause.click();
    const stopped = await it.at();
    await tab.waitForTimeout(200);
    is(await it.at(), stopped, "time while it pauses");
    await tab.waitForTimeout(300);
    has(await tab.locator("rung-replay .unseen").textContent(), "answered", "what is said when it pauses");
});

checks.check("the keyboard is enough, in a picture only", "ch03-threadpool.html", async (tab, { is, has }) => {
    const it = parts(tab.locator("rung-replay.recording"));
    await it.play.waitFor();
    /** @type {[number, string][]} */
    const moments = await tab.locator("rung-replay.recording").evaluate((box) => {
        return JSON.parse(need(box, "script").textContent ?? "").moments;
    });
    await it.slider.focus();
    await tab.keyboard.press("Home");
    is(await it.at(), 0, "time after Home");
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowRight");
    is(await it.at(), moments[2][0], "time after two arrows");
    has(await it.says(), moments[2][1], "what a screen reader says");
    await tab.keyboard.press("ArrowLeft");
    is(await it.at(), moments[1][0], "time after an arrow back");
    await tab.keyboard.press("End");
    is(await it.at(), await it.end(), "time after End");
    await tab.keyboard.press("Space");
    await it.pause.waitFor();
    await tab.keyboard.press("Space");
    await it.play.waitFor();
    await it.play.focus();
    await tab.keyboard.press("Home");
    await tab.keyboard.press("ArrowRight");
    is(await it.at(), moments[1][0], "time after keys on the button");
    is(await tab.evaluate(() => location.pathname), "/ch03-threadpool.html", "the page after arrow keys");
    await it.play.blur();
    await tab.keyboard.press("End");
    is(await it.at(), moments[1][0], "time after keys elsewhere");
});

checks.check("a picture can be pointed at, and clicked", "ch03-threadpool.html", async (tab, { is }) => {
    const box = tab.locator("rung-replay.recording");
    const it = parts(box);
    await it.play.waitFor();
    const look = () =>
        it.svg
            .locator(".request")
            .evaluateAll((all) =>
                all.flatMap((one, index) => (getComputedStyle(one).stroke === "none" ? [] : [index])).join(),
            );
    is(await look(), "", "requests that are outlined before");
    const outline = it.svg.locator(".request").nth(4);
    // The fifth request stands in its client's row and in its thread's, and on a CPU: an outline has all of these rows.
    const rows = await outline.evaluate((path) => {
        return new Set([...(path.getAttribute("d") ?? "").matchAll(/M\S+ ([\d.]+)h/g)].map(([, y]) => y)).size;
    });
    is(rows >= 3, true, `rows in its outline: ${rows}`);
    const number = it.svg.locator(".number text", { hasText: /^5$/ }).first();
    await number.scrollIntoViewIfNeeded();
    const place = await number.boundingBox();
    await tab.mouse.move((place?.x ?? 0) + 3, (place?.y ?? 0) + 5);
    is(await look(), "4", "requests that are outlined");
    const middle = await it.svg.evaluate((element) => {
        const svg = /** @type {SVGSVGElement} */ (element);
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return ((Number(svg.dataset.left) + Number(svg.dataset.right)) / 2) * scale;
    });
    await it.svg.click({ position: { x: middle, y: 200 } });
    const off = Math.abs((await it.at()) / (await it.end()) - 0.5);
    is(off < 0.01, true, `time after a click in the middle, ${off} beside it`);
});

checks.check("what works is drawn otherwise than what sleeps", "ch03-threadpool.html", async (tab, { is }) => {
    const it = parts(tab.locator("rung-replay.recording"));
    await it.play.waitFor();
    const look = (/** @type {string} */ kind) =>
        it.svg.locator(`path.${kind}`).evaluate((path) => {
            const { fill, fillOpacity, stroke } = getComputedStyle(path);
            return { solid: fillOpacity === "1" && fill.startsWith("rgb"), pale: Number(fillOpacity) < 0.1, stroke };
        });
    const [works, holds, queues] = [await look("works"), await look("holds"), await look("queues")];
    is(works.solid, true, "work is solid");
    is(holds.pale && !holds.solid && holds.stroke !== "none", true, "sleep is pale, with an outline");
    is(queues.solid, false, "a line is not solid");
});

checks.check(
    "without JavaScript",
    "introduction.html",
    async (tab, { is }) => {
        is(await tab.locator("rung-replay svg[role=img]:visible").count(), 1, "whole pictures");
        is(await tab.locator("rung-replay :is(button, input)").count(), 0, "controls");
        is(await tab.locator("rung-replay .play a:visible").count(), 1, "links");
        await tab.locator("details.about summary").click();
        is(await tab.locator("details.about table:visible").count(), 1, "tables");
    },
    { scripts: false },
);

checks.check("from a file", pathToFileURL(join(folder, "introduction.html")).href, async (tab, { is }) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    await it.slider.press("Home");
    is(await it.at(), 0, "time after Home");
});

checks.check("on paper", "ch03-threadpool.html", async (tab, { is }) => {
    const it = parts(tab.locator("rung-replay.recording"));
    await it.play.waitFor();
    await it.seek(100_000);
    await tab.emulateMedia({ media: "print" });
    for (const part of [".future", ".cursor", "input", ".thumb", ".play button"]) {
        is(await tab.locator(`rung-replay ${part}:visible`).count(), 0, `${part} on paper`);
    }
});

checks.check("the page for the printer", "print.html", async (tab, { is }) => {
    const pictures = Object.values(PAGES).flatMap((kinds) => Object.values(kinds));
    const all = pictures.reduce((sum, count) => sum + count, 0);
    is(await tab.locator("rung-replay svg[role=img]:visible").count(), all, "whole pictures");
    is(await tab.locator("rung-replay :is(button, input)").count(), 0, "controls");
    const conditions = await tab.locator("rung-replay.opening + .conditions:visible").count();
    is(conditions, await tab.locator("rung-replay.opening").count(), "openings whose conditions are printed");
});

checks.check("a page without a picture of time", "contract.html", async (tab, { is }) => {
    const loads = () => performance.getEntriesByType("resource").some((entry) => entry.name.includes("/playing/"));
    is(await tab.evaluate(loads), false, "loads the scripts");
});

const count = await checks.run(4);
await browser.close();
finish(`${count} checks`);
