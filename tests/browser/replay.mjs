// Replays the recordings of a built book in headless Chromium, and says what is wrong with them.
//
//     node replay.mjs FOLDER
//
// FOLDER is the built book; CHROMIUM is the browser's executable. Prints a line for each check that
// fails, and ends with 1 if there is any, with 2 if it could not look.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AXE, builtBook, isLabInAFile, launch, PATIENCE, serve } from "./book.mjs";

/** The chapters, and how many recordings each of them shows. */
const CHAPTERS = {
    "ch01-single-threaded": 1,
    "ch02-thread-spawn": 1,
    "ch03-threadpool": 1,
    "ch04-async-std": 1,
    "ch05-futures-executor": 2,
    "ch06-tokio": 1,
};

const folder = builtBook("replay/replay.js");
const origin = await serve(folder);
const browser = await launch();

let faults = 0;
let checks = 0;

/** Opens `address` in a fresh tab, lets `look` at it, and reports what fails there or is complained about. */
async function check(
    name,
    address,
    look,
    { theme = "light", motion = "no-preference", width = 1280, height = 844, scripts = true } = {},
) {
    const context = await browser.newContext({
        colorScheme: theme,
        reducedMotion: motion,
        viewport: { width, height },
        hasTouch: width < 500,
        javaScriptEnabled: scripts,
    });
    await context.addInitScript({ path: AXE });
    await context.addInitScript(() => {
        window.print = () => {};
    });
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    const complaints = [];
    tab.on(
        "console",
        (message) =>
            ["error", "warning"].includes(message.type()) &&
            !isLabInAFile(message) &&
            complaints.push(`the console says: ${message.text()}`),
    );
    tab.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
    const is = (given, wanted, what) => {
        if (given !== wanted) {
            complaints.push(`${what}: ${JSON.stringify(given)}, and not ${JSON.stringify(wanted)}`);
        }
    };
    try {
        await tab.goto(address.includes(":") ? address : `${origin}/${address}`, {
            waitUntil: "load",
            timeout: PATIENCE,
        });
        await look(tab, is, complaints);
    } catch (error) {
        complaints.push(String(error.message ?? error).split("\n")[0]);
    }
    checks += 1;
    for (const complaint of complaints) {
        faults += 1;
        console.log(`${name}: ${complaint.replace(/\s+/g, " ")}`);
    }
    await context.close();
}

/** The parts of one replay that a reader uses. */
function parts(box) {
    const group = (id) => box.locator(`.replay-now dd[data-group=${id}]`);
    const svg = box.locator("figure svg[role=img]:visible");
    return {
        group,
        svg,
        play: box.getByRole("button", { name: "Play", exact: true }),
        pause: box.getByRole("button", { name: "Pause", exact: true }),
        on: box.getByRole("button", { name: "Step on", exact: true }),
        back: box.getByRole("button", { name: "Step back", exact: true }),
        slider: box.getByRole("slider", { name: "Time", exact: true }),
        speed: box.getByRole("combobox", { name: "Speed" }),
        show: box.getByRole("combobox", { name: "Show" }),
        /** The time, in microseconds. */
        at: async () => Math.round(parseFloat(await box.locator(".replay-clock").innerText()) * 1000),
        seek: async (time) =>
            box.getByRole("slider").evaluate((slider, value) => {
                slider.value = String(value);
                slider.dispatchEvent(new Event("input", { bubbles: true }));
            }, time),
        drawn: () => svg.locator("[data-bar]").evaluateAll((all) => all.map((path) => path.getAttribute("d"))),
        numbers: () =>
            svg
                .locator("[data-number]")
                .evaluateAll((all) => all.map((text) => `${text.getAttribute("x")} ${text.textContent}`)),
        cursor: () => svg.locator(".cursor").getAttribute("d"),
        model: async () => JSON.parse(await box.locator("script").evaluate((script) => script.textContent)),
    };
}

/** Everything that happens at some time, in order. */
const momentsOf = ({ duration, groups }) => {
    const times = groups.flatMap(({ rows }) => rows.flatMap(({ bars }) => bars.flatMap(([, , , ...times]) => times)));
    return [...new Set([0, ...times, duration])].sort((one, other) => one - other);
};

/** What a thread does, and what a request or another task does, in words. */
const DOES = {
    runs: ["work", "work"],
    holds: ["asleep with a request", "wait and hold a thread"],
    free: ["", "wait and hold nothing"],
    ready: ["in line", "in line"],
    idle: ["idle", "not seen"],
};

/** The words that belong to a time, worked out from the model alone. */
function wordsAt({ threads, groups }, time) {
    const inside = (times) => times.some((from, index) => index % 2 === 0 && from <= time && time < times[index + 1]);
    const bar = ({ bars }) =>
        bars.find(([kind, , , ...times]) => !["woken", "answered"].includes(kind) && inside(times));
    const words = {};
    for (const { id, rows } of groups) {
        if (id === "cpus") {
            const runs = (row) => (bar(row)[0] === "runs" ? `runs ${threads[bar(row)[1]]}` : "is idle");
            words[id] = rows.map((row) => `${row.label} ${runs(row)}`).join("; ");
            continue;
        }
        const number = (row) => (id === "threads" && bar(row)?.[2] ? ` (${bar(row)[2]})` : "");
        const names = (some) =>
            some.map((row) => row.label.replace(/^request /, "") + number(row)).join(", ") || "none";
        const answered = ({ bars }) => bars.some(([kind, , , at]) => kind === "answered" && at <= time);
        const open = rows.filter((row) => !answered(row));
        const kinds = Object.keys(DOES).filter((kind) => rows.some(({ bars }) => bars.some((one) => one[0] === kind)));
        const list = kinds.map(
            (kind) => `${DOES[kind][id === "threads" ? 0 : 1]}: ${names(open.filter((row) => bar(row)?.[0] === kind))}`,
        );
        if (id === "requests") {
            const sent = rows.filter((row) => answered(row) || bar(row)).length;
            list.unshift(`${sent} sent, ${rows.length - open.length} answered`);
        }
        words[id] = list.join("; ");
    }
    return words;
}

for (const [page, count] of Object.entries(CHAPTERS)) {
    await check(`${page}, played`, `${page}.html`, async (tab, is) => {
        const boxes = tab.locator("rung-replay");
        is(await boxes.count(), count, "recordings");
        for (let index = 0; index < count; index += 1) {
            const box = boxes.nth(index);
            // As it came, before the script drew it.
            const still = await tab.evaluate(
                async ([address, place]) => {
                    const text = await (await fetch(address)).text();
                    const page = new DOMParser().parseFromString(text, "text/html");
                    const svg = page.querySelectorAll("rung-replay")[place].querySelector("svg.wide");
                    return {
                        bars: [...svg.querySelectorAll("[data-bar]")].map((path) => path.getAttribute("d")),
                        numbers: [...svg.querySelectorAll("[data-number]")].map(
                            (text) => `${text.getAttribute("x")} ${text.textContent}`,
                        ),
                    };
                },
                [`${page}.html`, index],
            );
            const it = parts(box);
            await it.play.waitFor();
            const asItCame = async () =>
                JSON.stringify({ bars: await it.drawn(), numbers: await it.numbers() }) === JSON.stringify(still);
            is(await asItCame(), true, "script and still picture draw the same");
            const model = await it.model();
            const moments = momentsOf(model);

            // It plays.
            await it.speed.selectOption({ label: "100 times slower" });
            const start = await it.cursor();
            await it.play.click();
            await it.pause.waitFor();
            await tab.waitForFunction(
                ([box, from]) => box.querySelector("svg.wide .cursor").getAttribute("d") !== from,
                [await box.elementHandle(), start],
            );
            await it.pause.click();
            const stopped = await it.at();
            is(stopped > 0 && stopped < model.duration, true, "time after some playing");
            const cursor = await it.cursor();
            await tab.waitForTimeout(300);
            is(await it.cursor(), cursor, "the cursor, paused");

            // It goes from moment to moment.
            const middle = moments[Math.floor(moments.length / 2)];
            await it.seek(middle);
            is(await it.at(), middle, "time after the slider was moved");
            await it.on.click();
            const next = moments.find((time) => time > middle);
            is(await it.at(), next, "time after a step on");
            await it.back.click();
            is(await it.at(), middle, "time after a step back");
            await it.back.click();
            is(
                await it.at(),
                moments.findLast((time) => time < middle),
                "time after another",
            );

            // What it says is what the recording says.
            for (const share of [0, 0.07, 0.21, 0.37, 0.5, 0.63, 0.8, 0.999]) {
                const time = moments[Math.floor(share * (moments.length - 1))];
                await it.seek(time);
                const wanted = wordsAt(model, time);
                for (const [id, words] of Object.entries(wanted)) {
                    is(await it.group(id).innerText(), words, `${id} at ${time} µs`);
                }
            }

            // It shows a part of the time, with the cursor in it.
            await it.seek(middle);
            let before = await it.drawn();
            for (const label of ["100 ms", "10 ms", "1 ms"]) {
                await it.show.selectOption({ label });
                const drawn = await it.drawn();
                is(JSON.stringify(drawn) !== JSON.stringify(before), true, `${label} draws otherwise`);
                const places = drawn
                    .join("")
                    .match(/M[\d.]+/g)
                    .map((place) => Number(place.slice(1)));
                const { left, right } = await it.svg.evaluate((svg) => ({
                    left: Number(svg.dataset.left),
                    right: Number(svg.dataset.right),
                }));
                is(
                    places.every((x) => x >= left && x <= right),
                    true,
                    `${label}: every bar begins inside`,
                );
                const x = Number((await it.cursor()).match(/M([\d.]+)/)[1]);
                is(x >= left && x <= right, true, `${label}: the cursor is inside`);
                before = drawn;
            }
            await it.show.selectOption({ label: "everything" });
            is(await asItCame(), true, "everything again");

            // To its end, at once, and from the beginning again.
            await it.seek(model.duration - 1);
            await it.speed.selectOption({ label: "real time" });
            await it.play.click();
            await tab.waitForFunction(
                ([box, wanted]) => box.querySelector("input[type=range]").value === wanted,
                [await box.elementHandle(), String(model.duration)],
            );
            await it.play.waitFor();
            is(await it.at(), model.duration, "time at the end");
            await it.speed.selectOption({ label: "1000 times slower" });
            await it.play.click();
            await it.pause.click();
            is((await it.at()) < model.duration / 2, true, "it begins again");
        }
    });
}

for (const [theme, width] of [
    ["light", 390],
    ["dark", 390],
    ["light", 1280],
    ["dark", 1280],
]) {
    for (const page of ["ch01-single-threaded", "ch03-threadpool", "ch05-futures-executor"]) {
        await check(
            `${page}, ${theme}, ${width} px`,
            `${page}.html`,
            async (tab, is, complaints) => {
                const box = tab.locator("rung-replay").first();
                const it = parts(box);
                await it.play.waitFor();
                await it.on.click();
                await it.on.click();
                await box.locator("xpath=following-sibling::details[1]").locator("summary").click();
                const { violations } = await tab.evaluate(() =>
                    window.axe.run(document.querySelector("main"), { resultTypes: ["violations"] }),
                );
                for (const violation of violations) {
                    complaints.push(
                        `axe ${violation.id}: ${violation.nodes[0].target.join(" ")}: ${violation.nodes[0].failureSummary}`,
                    );
                }
                is(
                    await tab.evaluate(
                        () => document.scrollingElement.scrollWidth <= document.documentElement.clientWidth,
                    ),
                    true,
                    "the page fits the screen",
                );
                const small = await box
                    .locator(":is(button, select, input):visible")
                    .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height < 39.5).length);
                is(small, 0, "controls that are too small");
                is(await it.svg.getAttribute("class"), width < 500 ? "narrow" : "wide", "the drawing that is shown");
                const least = await it.svg.evaluate(
                    (svg) =>
                        (Number(svg.getAttribute("font-size")) * svg.getBoundingClientRect().width) /
                        svg.viewBox.baseVal.width,
                );
                is(least >= 10.9, true, `letters of ${least.toFixed(1)} px`);
                // What is said does not make the page jump.
                const model = await it.model();
                const height = () => box.evaluate((element) => element.clientHeight);
                for (const time of momentsOf(model)) {
                    await it.seek(time);
                }
                const tallest = await height();
                await it.seek(0);
                is(await height(), tallest, "its height");
            },
            { theme, width },
        );
    }
}

/** What of a picture and its bar lies outside of the screen or below the menu, in pixels. */
const hidden = (box) =>
    box.evaluate((element) => {
        const seen = (one) => one && one.getClientRects().length > 0;
        const svg = [...element.querySelectorAll("figure svg[role=img]")].find(seen).getBoundingClientRect();
        const [slider, play] = ["input[type=range]", ".replay-toggle"].map((name) =>
            element.querySelector(name).getBoundingClientRect(),
        );
        const menu = document.querySelector("#mdbook-menu-bar")?.getBoundingClientRect().bottom ?? 0;
        const edges = [svg, slider, play].flatMap(({ top, bottom }) => [
            Math.max(menu, 0) - top,
            bottom - window.innerHeight,
        ]);
        return Math.max(0, slider.top > svg.top ? svg.bottom - slider.top : 0, ...edges);
    });

for (const [width, height] of [
    [390, 844],
    [1366, 768],
]) {
    for (const page of Object.keys(CHAPTERS)) {
        await check(
            `${page} is on the screen while it plays, ${width} by ${height}`,
            `${page}.html`,
            async (tab, is) => {
                const box = tab.locator("rung-replay").first();
                const it = parts(box);
                await it.play.waitFor();
                // A diagram that is drawn only now would move the page.
                await tab.waitForFunction(() =>
                    [...document.querySelectorAll("pre.mermaid")].every((one) => one.querySelector("svg")),
                );
                await it.speed.selectOption({ label: "100 times slower" });
                for (const where of ["start", "end"]) {
                    await it.play.evaluate(
                        (button, block) => button.scrollIntoView({ block, behavior: "instant" }),
                        where,
                    );
                    await it.play.evaluate((button) => button.click());
                    is(
                        (await hidden(box)) < 1,
                        true,
                        `seen after Play from the ${where}: ${await hidden(box)} px are not`,
                    );
                    await it.pause.click();
                }
                // The middle of the thumb, which is 20 pixels wide, is under the cursor.
                for (const share of [0, 0.25, 1]) {
                    await it.seek((await it.model()).duration * share);
                    const off = await box.evaluate((element) => {
                        const slider = element.querySelector("input[type=range]");
                        const edge = slider.getBoundingClientRect();
                        const thumb = edge.left + 10 + (slider.value / slider.max) * (edge.width - 20);
                        const cursor = [...element.querySelectorAll(".cursor")]
                            .find((one) => one.getClientRects().length > 0)
                            .getBoundingClientRect();
                        return Math.abs(thumb - (cursor.left + cursor.right) / 2);
                    });
                    is(off < 2, true, `the slider is ${off.toFixed(1)} px beside the cursor at ${share}`);
                }
            },
            { width, height },
        );
    }
}

await check("what works is drawn otherwise than what sleeps", "ch03-threadpool.html", async (tab, is) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    const model = await it.model();
    const bars = model.groups.flatMap(({ id, rows }) =>
        rows.flatMap((row) => row.bars.map((bar) => ({ id, kind: bar[0], request: bar[2] }))),
    );
    const looks = await it.svg.locator("[data-bar]").evaluateAll((all) =>
        all.map((path) => {
            const style = getComputedStyle(path);
            const { height } = path.getBBox();
            return {
                solid: style.fillOpacity === "1" && style.fill.startsWith("rgb") && height > 2,
                pale: style.fillOpacity === "0.16" && style.stroke !== "none",
            };
        }),
    );
    const wrong = bars.filter(
        ({ kind }, index) =>
            kind !== "answered" &&
            (looks[index].solid !== (kind === "runs") || looks[index].pale !== (kind === "holds")),
    );
    is(wrong.length, 0, `bars that look like another kind, such as ${JSON.stringify(wrong[0])}`);
    const numbers = (group) =>
        bars
            .filter(({ id, kind, request }) => id === group && kind === "holds" && request !== null)
            .map(({ request }) => request)
            .sort((one, other) => one - other);
    is(
        JSON.stringify([...new Set(numbers("threads"))]),
        JSON.stringify([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        "the numbers in the bands of the threads",
    );
    is(await it.svg.locator(".number:visible").count(), 24, "numbers that are seen");
});

await check("the keyboard is enough", "ch03-threadpool.html", async (tab, is) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    const moments = momentsOf(await it.model());
    await it.slider.focus();
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowRight");
    is(await it.at(), moments[2], "time after two arrows");
    is(
        await it.slider.getAttribute("aria-valuetext"),
        `${(moments[2] / 1000).toFixed(3)} ms`,
        "what a screen reader says",
    );
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

await check("a click in the picture", "ch03-threadpool.html", async (tab, is) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    const { duration } = await it.model();
    const place = await it.svg.evaluate((svg) => ({
        x: (Number(svg.dataset.left) + Number(svg.dataset.right)) / 2,
        scale: svg.getBoundingClientRect().width / svg.viewBox.baseVal.width,
    }));
    await it.svg.click({ position: { x: place.x * place.scale, y: 200 } });
    is(Math.abs((await it.at()) - duration / 2) < duration / 100, true, "time after a click in the middle");
});

await check(
    "who wants no motion gets steps",
    "ch06-tokio.html",
    async (tab, is) => {
        const it = parts(tab.locator("rung-replay"));
        await it.play.waitFor();
        const moments = momentsOf(await it.model());
        await it.speed.selectOption({ label: "1000 times slower" });
        const places = await tab.locator("rung-replay").evaluate(
            (box) =>
                new Promise((done) => {
                    const seen = [];
                    const cursor = box.querySelector("svg.wide .cursor");
                    const slider = box.querySelector("input[type=range]");
                    new MutationObserver(() => {
                        seen.push(Number(slider.value));
                        if (seen.length > 6) {
                            done(seen);
                        }
                    }).observe(cursor, { attributeFilter: ["d"] });
                    box.querySelector(".replay-toggle").click();
                }),
        );
        // The slider follows the cursor, so each place may be the one before.
        is(
            places.every((time) => time === 0 || moments.includes(time)),
            true,
            `moments: ${places}`,
        );
    },
    { motion: "reduce" },
);

await check(
    "without JavaScript",
    "ch04-async-std.html",
    async (tab, is) => {
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

await check("from a file", pathToFileURL(join(folder, "ch02-thread-spawn.html")).href, async (tab, is) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    await it.on.click();
    is(await it.at(), momentsOf(await it.model())[1], "time after a step on");
});

await check("on paper", "ch03-threadpool.html", async (tab, is) => {
    const it = parts(tab.locator("rung-replay"));
    await it.play.waitFor();
    const still = await it.drawn();
    await it.seek(100_000);
    await it.show.selectOption({ label: "1 ms" });
    await tab.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await tab.emulateMedia({ media: "print" });
    is(JSON.stringify(await it.drawn()) === JSON.stringify(still), true, "the still picture is printed");
    is(await tab.locator(".replay-controls").isVisible(), false, "controls on paper");
    await tab.emulateMedia({ media: "screen" });
    await tab.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    is(JSON.stringify(await it.drawn()) === JSON.stringify(still), false, "what was shown is shown again");
});

await check("the page for the printer", "print.html", async (tab, is) => {
    is(await tab.locator("rung-replay svg[role=img]:visible").count(), 7, "still pictures");
    is(await tab.locator(".replay-controls").count(), 0, "controls");
});

await check("a page without a recording", "recap.html", async (tab, is) => {
    is(
        await tab.evaluate(() =>
            performance.getEntriesByType("resource").some((entry) => entry.name.includes("/replay/")),
        ),
        false,
        "loads the script",
    );
});

await browser.close();
console.log(`${checks} checks, ${faults} faults`);
process.exit(faults === 0 ? 0 : 1);
