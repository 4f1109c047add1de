// Plays the scheduler lab of a built book in headless Chromium, and says what is wrong with it.
//
//     node lab.mjs FOLDER
//
// FOLDER is the built book; CHROMIUM is the browser's executable. Prints a line for each check that
// fails, and ends with 1 if there is any, with 2 if it could not look.

import { builtBook, finish, launch, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */

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

/**
 * @param {Page} tab
 * @param {string} name
 * @param {number} column
 */
const row = (tab, name, column) =>
    tab
        .locator(".lab-table tr", { has: tab.getByRole("rowheader", { name, exact: true }) })
        .locator("td")
        .nth(column)
        .innerText();

for (const { theme, width } of [
    { theme: /** @type {const} */ ("light"), width: 1280 },
    { theme: /** @type {const} */ ("dark"), width: 390 },
]) {
    checks.check(
        `a question, ${theme}, ${width} px`,
        "lab.html#preset=pool-80",
        async (tab, { is, has, clean }) => {
            const play = tab.getByRole("button", { name: "Play, and see" });
            await play.waitFor();
            is(await play.isDisabled(), true, "Play waits for an answer");
            is(await tab.locator(".lab-results").isVisible(), false, "the figures are shown before the answer");
            await tab.getByRole("radio", { name: "200, because there are twenty clients" }).check();
            await play.click();
            await tab.locator(".lab-verdict").waitFor();
            has(await tab.locator(".lab-verdict").innerText(), "8 / 0.1 s = 80", "the verdict");
            has(await tab.locator(".lab-law").innerText(), "8 / 0.1 s = 80 requests per second", "the law");
            is(await row(tab, "responses per second", 0), "80", "the law's figure");
            is(await row(tab, "responses per second", 1), "80", "the run's figure");
            has(
                await tab.locator("[aria-live=polite]").innerText(),
                "The law says 80 responses per second; this run gave 80.",
                "what a screen reader hears",
            );
            await clean();
            const small = await tab
                .locator("scheduler-lab :is(button, select):visible")
                .evaluateAll((all) => all.filter((it) => it.getBoundingClientRect().height < 37.5).length);
            is(small, 0, "controls that are too small");
        },
        { theme, width },
    );
}

checks.check(
    "it plays by itself to the end",
    "ch03-threadpool.html",
    async (tab, { is, has }) => {
        const lab = tab.locator("scheduler-lab[preset=pool-80]");
        await lab.getByRole("radio").nth(1).check();
        await lab.getByRole("button", { name: "Play, and see" }).click();
        await lab.getByRole("button", { name: "Pause" }).waitFor();
        await lab.locator(".lab-verdict").waitFor();
        has(await lab.locator(".lab-verdict").innerText(), "Right", "the verdict");
        const threads = lab.getByRole("spinbutton", { name: "Threads", exact: true });
        await threads.fill("16");
        await threads.press("Tab");
        has(
            await lab.locator(".lab-results").innerText(),
            "16 / 0.1 s = 160 requests per second",
            "the law after a knob was turned",
        );
        const link = await lab.getByRole("link", { name: "Open this in the lab" }).getAttribute("href");
        has(link, "threads=16", "the link to the lab");
        is(await tab.evaluate(() => location.hash), "", "a small lab changes the address");
    },
    { motion: "no-preference" },
);

/**
 * The pixels of a lab's run that are not on the screen: timeline, slider, buttons, and what is said of the guess.
 * @param {Page} tab
 * @param {string} which
 */
const hidden = (tab, which) =>
    tab.evaluate((selector) => {
        const lab = need(document, selector);
        const menu = document.querySelector("#mdbook-menu-bar")?.getBoundingClientRect().bottom ?? 0;
        const screen = { top: Math.max(menu, 0), bottom: window.innerHeight };
        const body = lab.closest(".body")?.getBoundingClientRect() ?? screen;
        const names = [".lab-said", ".lab-picture", ".lab-stage > input[type=range]", ".lab-transport .lab-primary"];
        const boxes = names.map((name) => need(lab, name).getBoundingClientRect());
        const unseen = boxes.flatMap(({ top, bottom, height }) => [
            body.top - top,
            bottom - body.bottom,
            height > 0 ? 0 : 1000,
        ]);
        return Math.max(0, ...unseen);
    }, which);

/** Runs in the page: resolves when nothing has moved for ten frames. */
async function atRest() {
    await document.fonts.ready;
    const place = () => `${window.shift} ${document.documentElement.scrollHeight} ${window.scrollY}`;
    for (let [still, before] = [0, ""]; still < 10; still = place() === before ? still + 1 : 0) {
        before = place();
        await new Promise((done) => requestAnimationFrame(done));
    }
}

/**
 * Runs in the page: the heading above a lab.
 * @param {number} place
 */
function headingAbove(place) {
    const lab = all(document, "scheduler-lab")[place];
    const before = (/** @type {Element} */ one) => one.compareDocumentPosition(lab) & Node.DOCUMENT_POSITION_FOLLOWING;
    return all(document, "main :is(h2, h3)[id]").findLast(before)?.id;
}

/**
 * Building a lab moves nothing: where a reader is then, the layout is the same before and after.
 * @param {Page} tab
 * @param {string} page
 * @param {import("./checks.mjs").Tools} tools
 */
async function checkShifts(tab, page, { is }) {
    const labs = page.startsWith("lab") ? 1 : await tab.locator("scheduler-lab").count();
    const contentType = "text/javascript";
    // Only what the lab moves counts here, so all that comes late is there before the lab, or never comes.
    await tab.route(/(replay|predict)\.js/, (route) => route.fulfill({ contentType, body: "" }));
    /** @type {(() => Promise<void>) | undefined} */
    let open;
    await tab.route(/lab\/lab\.js/, (route) => {
        open = () => route.continue();
    });
    const [path, hash] = page.split("#");
    for (let index = 0; index < labs; index += 1) {
        open = undefined;
        const id = path === "lab.html" ? hash : await tab.evaluate(headingAbove, index);
        await tab.goto(`${origin}/${path}?${index}${id ? `#${id}` : ""}`, { waitUntil: "commit" });
        await tab.waitForFunction(
            (place) => document.readyState !== "loading" && document.querySelectorAll("scheduler-lab")[place],
            index,
        );
        while (!open) {
            await new Promise((done) => setTimeout(done, 5));
        }
        await tab.evaluate(atRest);
        const before = await tab.evaluate(() => window.shift);
        await /** @type {() => Promise<void>} */ (open)();
        await tab.waitForFunction(
            (place) => all(document, "scheduler-lab")[place].querySelector(".lab-picture"),
            index,
        );
        await tab.evaluate(atRest);
        const shift = (await tab.evaluate(() => window.shift)) - before;
        is(shift < 0.05, true, `layout shift ${shift.toFixed(3)} at lab ${index + 1}`);
    }
}

for (const [width, height] of [
    [390, 844],
    [1366, 768],
]) {
    for (const [page, selector] of [
        ["lab.html#preset=blocking-call", "scheduler-lab"],
        ["ch04-async-std.html", "[preset=blocking-call]"],
        ["ch03-threadpool.html", "[preset=pool-80]"],
    ]) {
        checks.check(
            `what plays is on the screen, ${page}, ${width} by ${height}`,
            page,
            async (tab, { is, has }) => {
                const lab = tab.locator(selector);
                await lab.getByRole("radio").first().check();
                await lab.getByRole("button", { name: "Play, and see" }).click();
                await lab.getByRole("button", { name: "Pause" }).waitFor();
                is(await hidden(tab, selector), 0, "pixels that are not seen while it plays");
                // Not innerText: on a machine that is busy it may have played to its end, where the verdict is shown instead.
                has(await lab.locator(".lab-guessed").textContent(), "Your guess: ", "what is said while it plays");
                const place = await lab.locator(".lab-picture").boundingBox();
                await lab.locator(".lab-verdict").waitFor();
                is(await hidden(tab, selector), 0, "pixels that are not seen at the end, the verdict among them");
                const after = await lab.locator(".lab-picture").boundingBox();
                is(after?.y, place?.y, "where the picture is when the verdict comes");
                const row = await lab
                    .locator(".lab-picture")
                    .evaluate((canvas) => Number(canvas.getAttribute("data-letters")));
                is(row >= 12, true, `letters of ${row} px`);
            },
            { motion: "no-preference", width, height },
        );
    }

    checks.check(
        `free play is on the screen before anything is pressed, ${width} by ${height}`,
        "lab.html",
        async (tab, { is }) => {
            await tab.locator("scheduler-lab .lab-transport").waitFor();
            await tab.locator("scheduler-lab").evaluate((lab) => lab.scrollIntoView({ behavior: "instant" }));
            is(await hidden(tab, "scheduler-lab"), 0, "pixels that are not seen");
            is(await tab.locator(".lab-more > summary").isVisible(), width > 900, "rare settings, behind a fold");
            is(await tab.getByRole("spinbutton", { name: "Time slice, ms" }).isVisible(), false, "a rare setting");
            // A request in line does not lie on another.
            const line = await tab
                .locator(".lab-moving .number text")
                .evaluateAll((texts) =>
                    texts.map((text) => Number(text.getAttribute("x"))).sort((one, other) => one - other),
                );
            is(line[0] > 0, true, `requests in line at ${line}`);
        },
        { width, height },
    );

    checks.check(
        `the slider lies under its plot, ${width} px`,
        "lab.html",
        async (tab, { is }) => {
            const slider = tab.getByRole("slider");
            for (const share of [0, 0.5]) {
                await slider.evaluate((element, part) => {
                    const input = /** @type {HTMLInputElement} */ (element);
                    input.value = String(Number(input.max) * part);
                    input.dispatchEvent(new Event("input", { bubbles: true }));
                }, share);
                const off = await tab.evaluate((part) => {
                    const [slider, canvas] = [".lab-stage > input[type=range]", ".lab-picture"].map((name) =>
                        need(document, name).getBoundingClientRect(),
                    );
                    const [left, right] = [64, canvas.width - 12];
                    return slider.left + 10 + part * (slider.width - 20) - (canvas.left + left + part * (right - left));
                }, share);
                is(Math.abs(off) < 1, true, `the thumb is ${off.toFixed(1)} px beside ${share} of the plot`);
            }
        },
        { width, height },
    );

    // Where the reader is when it is built: at its page, at a link to one of its questions, and at a heading above one.
    const chapters = [
        "ch01-single-threaded",
        "ch02-thread-spawn",
        "ch03-threadpool",
        "ch04-async-std",
        "ch04-smol",
        "ch05-futures-executor",
        "ch06-tokio",
        "hardware-threads",
        "measuring",
    ];
    for (const page of ["lab.html", "lab.html#preset=pool-80", ...chapters.map((name) => `${name}.html`)]) {
        checks.check(
            `building the lab moves nothing, ${page}, ${width} px`,
            page,
            (tab, tools) => checkShifts(tab, page, tools),
            { width, height },
        );
    }
}

/** How many bars of work in a picture are at least eight pixels wide. @param {import("playwright-core").Locator} picture */
const solidBars = async (picture) => {
    const outline = (await picture.locator("path.works").getAttribute("d")) ?? "";
    return [...outline.matchAll(/h([\d.]+)v/g)].filter(([, wide]) => Number(wide) >= 8).length;
};

checks.check(
    "what works is drawn otherwise than what sleeps",
    "lab.html#preset=blocking-call",
    async (tab, { is, has }) => {
        await tab.getByRole("button", { name: "Play without a guess" }).click();
        await tab.locator(".lab-verdict").waitFor();
        has(await tab.locator(".lab-state").innerText(), "1 waiting with a worker, 19 in line", "the tasks");
        const solid = () => solidBars(tab.locator(".lab-picture"));
        // Work for one millisecond in a hundred is a tick.
        is(await solid(), 0, "broad bars of work where a worker sleeps");
        await tab.getByRole("combobox", { name: "Question" }).selectOption("tasks-compute");
        await tab.getByRole("button", { name: "Play without a guess" }).click();
        await tab.locator(".lab-verdict").waitFor();
        await tab.getByRole("spinbutton", { name: "Workers", exact: true }).fill("2");
        await tab.getByRole("spinbutton", { name: "Workers", exact: true }).press("Tab");
        is((await solid()) > 4, true, "broad bars of work where a worker computes");
    },
);

checks.check("requests move above the timeline", "lab.html#preset=blocking-call", async (tab, { is }) => {
    await tab.getByRole("button", { name: "Play without a guess" }).click();
    await tab.locator(".lab-verdict").waitFor();
    const moving = tab.locator(".lab-moving");
    const drawn = async (/** @type {string} */ kind) => {
        const outline = (await moving.locator(`path.${kind}`).getAttribute("d")) ?? "";
        return outline.split("M").length - 1;
    };
    const scrubber = tab.locator(".lab-stage > input[type=range]");
    const before = (await tab.locator(".lab-picture").boundingBox())?.y ?? 0;
    const above = await moving.boundingBox();
    is(above !== null && above.y + above.height <= before + 1, true, "they move above the timeline");
    // The only worker sleeps with one request, and the others stand in line.
    const middle = await scrubber.evaluate((one) => Number(/** @type {HTMLInputElement} */ (one).max) / 2 + 30);
    await scrubber.fill(String(middle));
    is((await drawn("holds")) + (await drawn("moves")), 1, "requests that hold a worker, or are on their way");
    // As many as there is room for: it ends at 42 % of the width, and each takes 20 px.
    const fits = Math.floor((Math.round((above?.width ?? 0) * 0.42) - 9) / 20);
    is(fits > 8, true, `room for ${fits} in line`);
    is(await drawn("waits"), fits, "requests in line");
    is(await drawn("waits"), await drawn("aged"), "rings of those in line");
    const there = await moving.innerHTML();
    await scrubber.fill("0");
    is((await moving.innerHTML()) === there, false, "another moment is another picture");
    await scrubber.fill(String(middle));
    is((await moving.innerHTML()) === there, true, "the same moment is the same picture");
});

checks.check("the lab opens with a run that is over, and a question without one", "lab.html", async (tab, { is }) => {
    const marks = async () => (await tab.locator(".lab-picture path.holds").getAttribute("d"))?.length ?? 0;
    const veil = () => tab.locator(".lab-picture .future").evaluate((rect) => rect.getBoundingClientRect().width);
    const found =
        "2 CPUs, 200 ms of work in 1 s: up to 4 threads sleep with a request each, and up to 8 requests are in line.";
    is(await tab.locator(".lab-said").innerText(), found, "what the run found");
    is((await marks()) > 1000 && (await veil()) === 0, true, "threads hold requests, and nothing lies over them");
    is(await tab.locator(".lab-results").isVisible(), true, "its figures");
    await tab.getByRole("combobox", { name: "Question" }).selectOption("pool-80");
    const closed = await tab
        .locator(".lab-picture .future")
        .evaluate((rect) => getComputedStyle(rect).fillOpacity === "1" && rect.getBoundingClientRect().width > 300);
    is(closed, true, "what answers a question is hidden");
});

checks.check("a request is found in every row", "lab.html", async (tab, { is }) => {
    await tab.locator(".lab-picture .number text").first().hover();
    const rows = async () => {
        const outline = (await tab.locator(".lab-picture .outline").getAttribute("d")) ?? "";
        return new Set([...outline.matchAll(/M\S+ ([\d.]+)H/g)].map(([, top]) => top)).size;
    };
    is(await rows(), 3, "rows of the request that is pointed at");
    await tab.mouse.move(0, 0);
    is(await rows(), 0, "rows when nothing is pointed at");
    await tab.getByRole("spinbutton", { name: "Follow request" }).fill("9");
    is(await rows(), 3, "rows of the request that was chosen");
});

checks.check("a link keeps the settings", "lab.html", async (tab, { is, has }) => {
    await tab.getByRole("spinbutton", { name: "Threads", exact: true }).fill("5");
    await tab.getByRole("spinbutton", { name: "Threads", exact: true }).press("Tab");
    await tab.getByRole("combobox", { name: "Model", exact: true }).selectOption("tasks");
    await tab.getByRole("spinbutton", { name: "Workers", exact: true }).fill("3");
    await tab.getByRole("spinbutton", { name: "Workers", exact: true }).press("Tab");
    has(await tab.evaluate(() => location.hash), "model=tasks&threads=3", "the address");
    await tab.reload();
    await tab.getByRole("spinbutton", { name: "Workers", exact: true }).waitFor();
    is(await tab.getByRole("spinbutton", { name: "Workers", exact: true }).inputValue(), "3", "workers after a reload");
    is(await tab.getByRole("combobox", { name: "Model", exact: true }).inputValue(), "tasks", "model after a reload");
    await tab.getByRole("spinbutton", { name: "Workers", exact: true }).fill("0");
    await tab.getByRole("spinbutton", { name: "Workers", exact: true }).press("Tab");
    has(await tab.locator(".lab-message").innerText(), "threads", "the message about 0 workers");
    has(await tab.evaluate(() => location.hash), "threads=3", "the address after a bad number");
});

checks.check("the keyboard is enough", "lab.html#preset=one-thread", async (tab, { is, has }) => {
    await tab.getByRole("radio").first().focus();
    await tab.keyboard.press("Space");
    await tab.getByRole("button", { name: "Play, and see" }).focus();
    await tab.keyboard.press("Enter");
    await tab.locator(".lab-verdict").waitFor();
    const slider = tab.getByRole("slider");
    await slider.focus();
    await tab.keyboard.press("Home");
    await tab.keyboard.press("ArrowRight");
    has(await slider.getAttribute("aria-valuetext"), "30 ms", "the slider after an arrow key");
    await tab.getByRole("button", { name: "One event on" }).focus();
    await tab.keyboard.press("Enter");
    has(await slider.getAttribute("aria-valuetext"), "100 ms", "the slider after a step");
    await tab.getByRole("button", { name: "One event back" }).focus();
    await tab.keyboard.press("Enter");
    has(await slider.getAttribute("aria-valuetext"), "0 ms", "the slider after a step back");
    await tab.keyboard.press("ArrowRight");
    has(await tab.evaluate(() => location.pathname), "lab.html", "the page after an arrow key");
    has(
        await tab.locator(".lab-picture").getAttribute("aria-label"),
        "At 0 ms: 0 requests are answered, 19 wait in the queue",
        "the picture's words",
    );
    is(await tab.locator(".lab-results").isVisible(), true, "the figures stay");
});

checks.check("a bad link gives a message", "lab.html#model=pool&thread=8", async (tab, { is, has }) => {
    await tab.locator(".lab-message").waitFor();
    has(await tab.locator(".lab-message").innerText(), "There is no setting “thread”", "the message");
    is(await tab.getByRole("spinbutton", { name: "Threads", exact: true }).inputValue(), "4", "threads");
    // A link on the page is followed at once, and takes the message away.
    await tab.getByRole("link", { name: "one blocking call in ten" }).click();
    await tab.getByText("Nine requests in ten").first().waitFor();
    is(await tab.locator(".lab-message").isVisible(), false, "the message is still there");
});

checks.check("the page for the printer", "print.html", async (tab, { is }) => {
    is(await tab.locator(".lab").count(), 0, "labs on the page for the printer");
    is(await tab.locator("scheduler-lab").first().isVisible(), true, "the question in words");
});

checks.check("a page without a lab", "recap.html", async (tab, { is }) => {
    is(
        await tab.evaluate(() =>
            performance.getEntriesByType("resource").some((entry) => entry.name.includes("/lab/")),
        ),
        false,
        "loads the lab",
    );
});

const count = await checks.run(4);
await browser.close();
finish(`${count} checks`);
