// The pictures of time, played: the race, what chapters open with, pairs of before and after, and recordings.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, expectClean, folder, reader, test } from "./book.mjs";

/**
 * @typedef {import("@playwright/test").Page} Page
 * @typedef {import("@playwright/test").Locator} Locator
 */

/** The pages, and how many pictures of each kind they have. */
const PAGES = {
    introduction: { race: 1 },
    recap: { race: 1 },
    "ch01-single-threaded": { opening: 1, recording: 1 },
    "ch02-thread-spawn": { opening: 1, pair: 1, recording: 1 },
    "ch03-threadpool": { opening: 1, pair: 1, recording: 1 },
    "event-loop": { opening: 1, pair: 1, recording: 1 },
    "ch04-async-std": { opening: 2, pair: 1, recording: 1 },
    "ch05-futures-executor": { opening: 1, recording: 2 },
    "own-runtime": { opening: 1, recording: 1 },
    "ch06-tokio": { opening: 1, recording: 1 },
    "ch07-bounded": { opening: 1, pair: 1, recording: 1 },
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

const scripts = ["playing/player.js", "playing/recording.js", "playing/playing.css"];

test("the scripts weigh little", () => {
    const weight = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
    expect(weight).toBeLessThanOrEqual(MOST);
});

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
        side: (/** @type {string} */ name) => box.getByRole("radio", { name }),
        pause: box.getByRole("button", { name: "Pause" }),
        seek: (/** @type {number} */ time) => slider.evaluate(seekTo, time),
    };
};

/**
 * The introduction has its race where the fewest clients wait.
 * @param {Page} tab
 */
const chooseTheRace = async (tab) => {
    const fewest = tab.getByRole("radio", { name: "6", exact: true });
    if ((await fewest.count()) > 0) {
        await fewest.check();
    }
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
    const svgs = /** @type {SVGSVGElement[]} */ (all(box, ".rows > svg"));
    const seen = svgs.filter((one) => one.getClientRects().length > 0);
    const [svg] = seen;
    if (seen.length !== 1) {
        return [`${seen.length} drawings are seen`];
    }
    const side = svg.closest(".side") ?? box;
    const data = JSON.parse(need(side, "script").textContent ?? "");
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
        const [thumb, rows] = [need(side, ".thumb"), need(side, ".rows")].map((one) => one.getBoundingClientRect());
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
        if (!box.matches(".closed") && bands.some(([top, bottom]) => top < middle && middle < bottom)) {
            faults.push(`the curtain veils ${heading.textContent}`);
        }
    }
    const letters = all(svg, "text").map((one) => Number.parseFloat(getComputedStyle(one).fontSize));
    const least = (Math.min(...letters) * svg.getBoundingClientRect().width) / svg.viewBox.baseVal.width;
    if (least < 11.5) {
        faults.push(`letters of ${least} px`);
    }
    for (const control of all(box, "input[type=range], .switch label, .play > *")) {
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
        test.describe(() => {
            test.use(reader({ ...screen, theme }));
            test(`${page} at ${screen.width}`, async ({ page: tab }) => {
                await tab.goto(`${page}.html`);
                await chooseTheRace(tab);

                for (const [kind, count] of Object.entries(kinds)) {
                    const boxes = tab.locator(`rung-replay.${kind}`);
                    expect.soft(await boxes.count(), `pictures of the kind ${kind}`).toBe(count);
                    for (let place = 0; place < count; place += 1) {
                        const box = boxes.nth(place);
                        const it = parts(box);
                        await it.play.waitFor();
                        for (const side of kind === "pair" ? ["before", "after"] : [""]) {
                            if (side !== "") {
                                await it.side(side).check();
                            }
                            const faults = await box.evaluate(faultsOf);
                            expect.soft(faults.slice(0, 3).join("; "), `${kind} ${place + 1} ${side}`).toBe("");
                        }
                        // Title, picture and button are on one screen.
                        const high = await box.evaluate((element) => {
                            const [top, bottom] = [need(element, ".finding"), need(element, ".play")];
                            return bottom.getBoundingClientRect().bottom - top.getBoundingClientRect().top;
                        });
                        expect.soft(high < screen.height - 50, `${kind} ${place + 1} is ${high} px high`).toBe(true);
                    }
                }
                await expectClean(tab);
            });
        });
    }
}

test("what leads on is filled, whatever the picture does", async ({ page: tab }) => {
    await tab.goto("recap.html");

    const it = parts(tab.locator("rung-replay"));
    await it.play.click();
    await it.pause.waitFor();
    const looks = await tab
        .locator(".play > *")
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
    const ground = await tab.locator("html").evaluate((root) => getComputedStyle(root).backgroundColor);
    expect.soft(looks.map((colour) => colour !== ground).join(), "which button is filled").toBe("false,true");
});

test.describe(() => {
    test.use(reader({ motion: "no-preference" }));
    test("it plays by itself once, when it is seen", async ({ page: tab }) => {
        await tab.goto("ch06-tokio.html");

        const opening = tab.locator("rung-replay.opening");
        const it = parts(opening);
        await it.play.waitFor();
        const answer = opening.locator(".answer");
        expect.soft(await it.at(), "time before it is seen").toBe(0);
        await it.svg.scrollIntoViewIfNeeded();
        await it.pause.waitFor();
        // Nothing of what is to come is seen: neither below the curtain nor in words.
        expect.soft(await answer.isVisible(), "the title tells what is to come").toBe(false);
        expect.soft(await it.svg.locator(".future").evaluate((path) => getComputedStyle(path).fillOpacity)).toBe("1");
        const name = await it.svg.locator("title").textContent();
        expect.soft((await answer.textContent())?.includes(name ?? ""), "the picture's name is its title").toBe(false);
        await it.again.waitFor();
        expect.soft(await answer.isVisible(), "the title is there when it has played").toBe(true);
        expect.soft(await it.at(), "time at the end").toBe(await it.end());
        await tab.evaluate(() => scrollTo(0, document.body.scrollHeight));
        await it.svg.scrollIntoViewIfNeeded();
        await tab.waitForTimeout(300);
        expect.soft(await it.at(), "time when it is seen again").toBe(await it.end());
        // A recording is left to the reader.
        const other = parts(tab.locator("rung-replay.recording"));
        await other.svg.scrollIntoViewIfNeeded();
        await tab.waitForTimeout(300);
        expect.soft(await other.at(), "time of a recording that is seen").toBe(await other.end());
    });
});

test.describe(() => {
    test.use(reader({ motion: "no-preference" }));
    test("before and after, one switch, and what is to come is hidden until it has played", async ({ page: tab }) => {
        await tab.goto("ch02-thread-spawn.html");

        const pair = tab.locator("rung-replay.pair");
        const it = parts(pair);
        const [before, after] = [pair.locator(".side").first(), pair.locator(".side").last()];
        await it.play.waitFor();
        const high = (await pair.boundingBox())?.height;
        expect.soft(await before.locator(".rows").isVisible(), "the first server is seen at first").toBe(true);
        expect.soft(await after.locator(".rows").isVisible(), "the second server is seen at first").toBe(false);
        expect.soft(await it.at(), "time before it is seen").toBe(0);
        await it.svg.first().scrollIntoViewIfNeeded();
        await it.pause.waitFor();
        expect.soft(await before.locator(".answer").isVisible(), "the first title before it has played").toBe(false);
        await it.again.waitFor();
        expect.soft(await before.locator(".answer").isVisible(), "the first title when it has played").toBe(true);
        // By the keyboard, which turns no page.
        await it.side("before").focus();
        await tab.keyboard.press("ArrowRight");
        await it.pause.waitFor();
        expect.soft(await it.side("after").isChecked(), "the second server is chosen").toBe(true);
        expect.soft(new URL(tab.url()).pathname, "the page after an arrow").toBe("/ch02-thread-spawn.html");
        expect.soft(await before.locator(".rows").isVisible(), "the first server is seen then").toBe(false);
        expect.soft(await after.locator(".rows").isVisible(), "the second server is seen then").toBe(true);
        expect.soft(await after.locator(".answer").isVisible(), "the second title before it has played").toBe(false);
        await it.again.waitFor();
        expect.soft(await after.locator(".answer").isVisible(), "the second title when it has played").toBe(true);
        // What has played is only looked at again, at the same moment.
        await it.seek(2_000_000);
        await it.side("before").check();
        expect.soft(await it.at(), "time after the switch").toBe(2_000_000);
        await it.play.waitFor();
        expect.soft((await pair.boundingBox())?.height, "the switch moves nothing").toBe(high);
    });
});

test("who wants no motion sees both sides of a pair, and then the chosen one", async ({ page: tab }) => {
    await tab.goto("ch02-thread-spawn.html");

    const pair = tab.locator("rung-replay.pair");
    const it = parts(pair);
    await it.play.waitFor();
    expect.soft(await pair.locator(".answer:visible").count(), "titles").toBe(2);
    expect.soft(await it.svg.count(), "drawings").toBe(2);
    await it.side("after").check();
    expect.soft(await pair.locator(".answer:visible").count(), "titles of the chosen one").toBe(1);
    expect.soft(await it.at(), "the chosen one is whole").toBe(await it.end());
    await tab.emulateMedia({ media: "print" });
    expect.soft(await pair.locator(".answer:visible").count(), "titles on paper").toBe(2);
    expect.soft(await pair.locator(".switch:visible").count(), "switches on paper").toBe(0);
});

test("who wants no motion asks for it", async ({ page: tab }) => {
    await tab.goto("introduction.html");
    await chooseTheRace(tab);

    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    await tab.waitForTimeout(300);
    expect.soft(await it.at(), "time before it was asked to play").toBe(await it.end());
    await it.play.click();
    await it.pause.waitFor();
    await tab.waitForFunction(() => Number(need(document, "rung-replay input", HTMLInputElement).value) > 30_000);
    await it.pause.click();
    const stopped = await it.at();
    await tab.waitForTimeout(200);
    expect.soft(await it.at(), "time while it pauses").toBe(stopped);
    await tab.waitForTimeout(300);
    expect
        .soft(await tab.locator("rung-replay .unseen").textContent(), "what is said when it pauses")
        .toContain("answered");
});

test("the keyboard is enough, in a picture only", async ({ page: tab }) => {
    await tab.goto("ch03-threadpool.html");

    const it = parts(tab.locator("rung-replay.recording"));
    await it.play.waitFor();
    /** @type {[number, string][]} */
    const moments = await tab.locator("rung-replay.recording").evaluate((box) => {
        return JSON.parse(need(box, "script").textContent ?? "").moments;
    });
    await it.slider.focus();
    await tab.keyboard.press("Home");
    expect.soft(await it.at(), "time after Home").toBe(0);
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowRight");
    expect.soft(await it.at(), "time after two arrows").toBe(moments[2][0]);
    expect.soft(await it.says(), "what a screen reader says").toContain(moments[2][1]);
    await tab.keyboard.press("ArrowLeft");
    expect.soft(await it.at(), "time after an arrow back").toBe(moments[1][0]);
    await tab.keyboard.press("End");
    expect.soft(await it.at(), "time after End").toBe(await it.end());
    await tab.keyboard.press("Space");
    await it.pause.waitFor();
    await tab.keyboard.press("Space");
    await it.play.waitFor();
    await it.play.focus();
    await tab.keyboard.press("Home");
    await tab.keyboard.press("ArrowRight");
    expect.soft(await it.at(), "time after keys on the button").toBe(moments[1][0]);
    expect.soft(await tab.evaluate(() => location.pathname), "the page after arrow keys").toBe("/ch03-threadpool.html");
    await it.play.blur();
    await tab.keyboard.press("End");
    expect.soft(await it.at(), "time after keys elsewhere").toBe(moments[1][0]);
});

test("a picture can be pointed at, and clicked", async ({ page: tab }) => {
    await tab.goto("ch03-threadpool.html");

    const box = tab.locator("rung-replay.recording");
    const it = parts(box);
    await it.play.waitFor();
    const look = () =>
        it.svg
            .locator(".request")
            .evaluateAll((all) =>
                all.flatMap((one, index) => (getComputedStyle(one).stroke === "none" ? [] : [index])).join(),
            );
    expect.soft(await look(), "requests that are outlined before").toBe("");
    const outline = it.svg.locator(".request").nth(4);
    // The fifth request stands in its client's row and in its thread's, and on a CPU: an outline has all of these rows.
    const rows = await outline.evaluate((path) => {
        return new Set([...(path.getAttribute("d") ?? "").matchAll(/M\S+ ([\d.]+)h/g)].map(([, y]) => y)).size;
    });
    expect.soft(rows >= 3, `rows in its outline: ${rows}`).toBe(true);
    const number = it.svg.locator(".number text", { hasText: /^5$/ }).first();
    await number.scrollIntoViewIfNeeded();
    const place = await number.boundingBox();
    await tab.mouse.move((place?.x ?? 0) + 3, (place?.y ?? 0) + 5);
    expect.soft(await look(), "requests that are outlined").toBe("4");
    const middle = await it.svg.evaluate((element) => {
        const svg = /** @type {SVGSVGElement} */ (element);
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return ((Number(svg.dataset.left) + Number(svg.dataset.right)) / 2) * scale;
    });
    await it.svg.click({ position: { x: middle, y: 200 } });
    const off = Math.abs((await it.at()) / (await it.end()) - 0.5);
    expect.soft(off < 0.01, `time after a click in the middle, ${off} beside it`).toBe(true);
});

test("what works is drawn otherwise than what sleeps", async ({ page: tab }) => {
    await tab.goto("ch03-threadpool.html");

    const it = parts(tab.locator("rung-replay.recording"));
    await it.play.waitFor();
    const look = (/** @type {string} */ kind) =>
        it.svg.locator(`path.${kind}`).evaluate((path) => {
            const { fill, fillOpacity, stroke } = getComputedStyle(path);
            return { solid: fillOpacity === "1" && fill.startsWith("rgb"), pale: Number(fillOpacity) < 0.1, stroke };
        });
    const [works, holds, queues] = [await look("works"), await look("holds"), await look("queues")];
    expect.soft(works.solid, "work is solid").toBe(true);
    expect.soft(holds.pale && !holds.solid && holds.stroke !== "none", "sleep is pale, with an outline").toBe(true);
    expect.soft(queues.solid, "a line is not solid").toBe(false);
});

test.describe(() => {
    test.use(reader({ scripts: false }));
    test("without JavaScript", async ({ page: tab }) => {
        await tab.goto("recap.html");

        expect.soft(await tab.locator("rung-replay svg[role=img]:visible").count(), "whole pictures").toBe(1);
        expect.soft(await tab.locator("rung-replay :is(button, input)").count(), "controls").toBe(0);
        expect.soft(await tab.locator("rung-replay .play a:visible").count(), "links").toBe(1);
        await tab.locator("rung-replay + details.about summary").click();
        expect.soft(await tab.locator("rung-replay + details.about table:visible").count(), "tables").toBe(1);
        await tab.goto("ch02-thread-spawn.html");
        expect.soft(await tab.locator("rung-replay.pair .answer:visible").count(), "sides of a pair").toBe(2);
    });
});

test("from a file", async ({ page: tab }) => {
    await tab.goto(pathToFileURL(join(folder, "introduction.html")).href);
    await chooseTheRace(tab);

    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    await it.slider.press("Home");
    expect.soft(await it.at(), "time after Home").toBe(0);
});

test("on paper", async ({ page: tab }) => {
    await tab.goto("ch03-threadpool.html");

    const it = parts(tab.locator("rung-replay.recording"));
    await it.play.waitFor();
    await it.seek(100_000);
    await tab.emulateMedia({ media: "print" });
    for (const part of [".future", ".cursor", "input", ".thumb", ".play button"]) {
        expect.soft(await tab.locator(`rung-replay ${part}:visible`).count(), `${part} on paper`).toBe(0);
    }
});

test("the page for the printer", async ({ page: tab }) => {
    await tab.goto("print.html");

    // A pair is two of them, and the introduction's race is one of four pictures, of which paper has the last.
    const pictures = Object.values(PAGES).flatMap((kinds) => Object.entries(kinds));
    const all = pictures.reduce((sum, [kind, count]) => sum + (kind === "pair" ? 2 * count : count), 0);
    expect.soft(await tab.locator("rung-replay svg[role=img]:visible").count(), "whole pictures").toBe(all - 1);
    expect.soft(await tab.locator("rung-replay :is(button, input)").count(), "controls").toBe(0);
    const conditions = await tab.locator("rung-replay.opening + .conditions:visible").count();
    expect
        .soft(conditions, "openings whose conditions are printed")
        .toBe(await tab.locator("rung-replay.opening").count());
});

test("a page without a picture of time", async ({ page: tab }) => {
    await tab.goto("contract.html");

    const loads = () => performance.getEntriesByType("resource").some((entry) => entry.name.includes("/playing/"));
    expect.soft(await tab.evaluate(loads), "loads the scripts").toBe(false);
});
