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

/**
 * Goes to the end of a run, and waits for what is said there.
 * @param {Page | import("playwright-core").Locator} lab
 */
async function toEnd(lab) {
    await lab.getByRole("slider").press("End");
    await lab.locator(".lab-verdict").waitFor();
}

for (const { theme, width } of [
    { theme: /** @type {const} */ ("light"), width: 1280 },
    { theme: /** @type {const} */ ("dark"), width: 390 },
]) {
    checks.check(
        `a question, ${theme}, ${width} px`,
        "lab.html#preset=pool-80",
        async (tab, { is, has, clean }) => {
            const play = tab.getByRole("button", { name: "Play", exact: true });
            await play.waitFor();
            is(await tab.locator(".lab-hint").isVisible(), true, "it asks for an answer first");
            is(await tab.locator(".lab-results").isVisible(), false, "the figures are shown before the answer");
            await tab.getByRole("radio", { name: "200, because there are twenty clients" }).check();
            is(await tab.locator(".lab-hint").isVisible(), false, "it asks who has answered");
            await play.click();
            await toEnd(tab);
            has(await tab.locator(".lab-verdict").innerText(), "8 / 0.1 s = 80", "the verdict");
            has(await tab.locator(".lab-law").innerText(), "8 / 0.1 s = 80 requests per second", "the law");
            is(await row(tab, "responses per second", 0), "80", "the law's figure");
            is(await row(tab, "responses per second", 1), "80", "the run's figure");
            has(
                await tab.getByRole("slider").getAttribute("aria-valuetext"),
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

checks.check("it asks as the page does", "ch03-threadpool.html", async (tab, { is }) => {
    const lab = tab.locator("scheduler-lab[preset=pool-80]");
    await lab.scrollIntoViewIfNeeded();
    await lab.getByRole("radio").first().check();
    await tab.locator("main .predict").first().getByRole("radio").first().check();
    const looks = (/** @type {string} */ selector) =>
        tab.locator(selector).first().evaluate((element) => {
            const { width, padding, border, borderRadius, boxShadow, display } = getComputedStyle(element);
            return [width, padding, border, borderRadius, boxShadow, display].join(" | ");
        });
    for (const [name, ofPage, ofLab] of [
        ["the card", "main .predict", "scheduler-lab .lab-small"],
        ["an answer", "main .predict .choice", "scheduler-lab .choice"],
        ["its circle", "main .predict input", "scheduler-lab input"],
    ]) {
        is(await looks(ofLab), await looks(ofPage), `how ${name} looks`);
    }
    const card = await tab.locator("main .predict").first().boundingBox();
    const check = await tab.getByRole("button", { name: "Check" }).first().boundingBox();
    is((check?.y ?? 0) + (check?.height ?? 0) < (card?.y ?? 0) + (card?.height ?? 0), true, "Check is in the card");
});

checks.check(
    "it plays by itself to the end",
    "ch03-threadpool.html",
    async (tab, { is, has }) => {
        const lab = tab.locator("scheduler-lab[preset=pool-80]");
        await lab.scrollIntoViewIfNeeded();
        await lab.getByRole("radio").nth(1).check();
        await lab.getByRole("button", { name: "Play", exact: true }).click();
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
        const names = [".lab-said", ".lab-picture", ".rows > input[type=range]", ".play > button"];
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
    await tab.route(/(recording|predict)\.js/, (route) => route.fulfill({ contentType, body: "" }));
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
        // It comes when its reader is no further from it than a screen. The page may still go to the heading in its address.
        for (let wait = 0; !open && wait < 200; wait += 1) {
            await tab.evaluate((place) => {
                const { top } = all(document, "scheduler-lab")[place].getBoundingClientRect();
                window.scrollBy({ top: Math.max(0, top - window.innerHeight), behavior: "instant" });
            }, index);
            await new Promise((done) => setTimeout(done, 50));
        }
        is(open !== undefined, true, `lab ${index + 1} comes`);
        await tab.evaluate(atRest);
        const before = await tab.evaluate(() => window.shift);
        await /** @type {(() => Promise<void>) | undefined} */ (open)?.();
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
                await lab.scrollIntoViewIfNeeded();
                await lab.getByRole("radio").first().check();
                await lab.getByRole("button", { name: "Play", exact: true }).click();
                await lab.getByRole("button", { name: "Pause" }).waitFor();
                is(await hidden(tab, selector), 0, "pixels that are not seen while it plays");
                // Not innerText: on a machine that is busy it may have played to its end, where the verdict is shown instead.
                has(await lab.locator(".lab-guessed").textContent(), "Your guess: ", "what is said while it plays");
                const place = await lab.locator(".lab-picture").boundingBox();
                await lab.locator(".lab-verdict").waitFor();
                is(await hidden(tab, selector), 0, "pixels that are not seen at the end, the verdict among them");
                const after = await lab.locator(".lab-picture").boundingBox();
                is(after?.y, place?.y, "where the picture is when the verdict comes");
            },
            { motion: "no-preference", width, height },
        );
    }

    checks.check(
        `the first question, its picture and Play are on the first screen, ${width} by ${height}`,
        "lab.html",
        async (tab, { is }) => {
            await tab.locator("scheduler-lab .play button").waitFor();
            for (const part of [".lab-answers", ".lab-picture", ".play > button"]) {
                const box = await tab.locator(`scheduler-lab ${part}`).boundingBox();
                is((box?.y ?? height) + (box?.height ?? 0) <= height, true, `${part} ends at ${JSON.stringify(box)}`);
            }
            is(await tab.locator(".lab-chooser select").inputValue(), "one-thread", "the first question");
            const veil = await tab.locator(".lab-picture .future").boundingBox();
            is((veil?.width ?? 0) > 200, true, "what comes after the start is hidden");
            is(await tab.locator(".lab-questions").isVisible(), false, "the questions stand there once more");
        },
        { width, height },
    );

    checks.check(
        `the slider lies under its plot, ${width} px`,
        "lab.html",
        async (tab, { is }) => {
            const slider = tab.getByRole("slider");
            await slider.waitFor();
            for (const share of [0, 0.5]) {
                await slider.evaluate((element, part) => {
                    const input = /** @type {HTMLInputElement} */ (element);
                    input.value = String(Number(input.max) * part);
                    input.dispatchEvent(new Event("input", { bubbles: true }));
                }, share);
                const off = await tab.evaluate((part) => {
                    const [slider, picture, cursor] = [".rows > input[type=range]", ".lab-picture", ".cursor"].map(
                        (name) => need(document, name).getBoundingClientRect(),
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
        await toEnd(tab);
        has(
            await tab.locator(".lab-picture").getAttribute("aria-label"),
            "1 waiting with a worker, 19 in line",
            "the tasks",
        );
        const solid = () => solidBars(tab.locator(".lab-picture"));
        // Work for one millisecond in a hundred is a tick.
        is(await solid(), 0, "broad bars of work where a worker sleeps");
        await tab.getByRole("combobox", { name: "Question" }).selectOption("tasks-compute");
        await toEnd(tab);
        await tab.getByRole("spinbutton", { name: "Workers", exact: true }).fill("2");
        await tab.getByRole("spinbutton", { name: "Workers", exact: true }).press("Tab");
        is((await solid()) > 4, true, "broad bars of work where a worker computes");
    },
);

checks.check("numbers have room in their marks", "lab.html#preset=threads-or-tasks", async (tab, { is }) => {
    await toEnd(tab);
    // Few clients, whose requests are numbered; of more than a hundred only the first.
    await tab.getByRole("spinbutton", { name: "Clients", exact: true }).fill("8");
    await tab.getByRole("spinbutton", { name: "Clients", exact: true }).press("Tab");
    const numbers = (await tab.locator(".lab-picture .number text").allTextContents()).map(Number);
    is(numbers.length > 0 && Math.max(...numbers) <= 99, true, `numbers up to ${Math.max(...numbers)}`);
});

checks.check("a request is found in every row", "lab.html", async (tab, { is }) => {
    await toEnd(tab);
    await tab.locator(".lab-picture .number text").first().hover();
    const rows = async () => {
        const outline = (await tab.locator(".lab-picture .outline").getAttribute("d")) ?? "";
        return new Set([...outline.matchAll(/M\S+ ([\d.]+)H/g)].map(([, top]) => top)).size;
    };
    is((await rows()) > 1, true, "rows of the request that is pointed at");
    await tab.mouse.move(0, 0);
    is(await rows(), 0, "rows when nothing is pointed at");
});

checks.check("a knob that is turned shows a whole run", "lab.html", async (tab, { is, has }) => {
    is(await tab.getByRole("spinbutton", { name: "Think time, ms" }).isVisible(), false, "a knob of another question");
    await tab.getByRole("spinbutton", { name: "Clients", exact: true }).fill("10");
    await tab.getByRole("spinbutton", { name: "Clients", exact: true }).press("Tab");
    has(await tab.locator(".lab-said").innerText(), "up to 1 thread sleeps with a request each", "what it found");
    is(await tab.locator(".lab-results").isVisible(), true, "its figures");
    await tab.getByRole("button", { name: "Back to the question" }).click();
    is(await tab.locator(".lab-results").isVisible(), false, "figures that answer the question");
});

checks.check("a link keeps the settings", "lab.html#preset=pool-80", async (tab, { is, has }) => {
    await tab.getByRole("spinbutton", { name: "Threads", exact: true }).fill("5");
    await tab.getByRole("spinbutton", { name: "Threads", exact: true }).press("Tab");
    await tab.locator(".lab-more > summary").click();
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
    await tab.getByRole("button", { name: "Play", exact: true }).press("Enter");
    await tab.getByRole("button", { name: "Pause" }).press("Enter");
    const slider = tab.getByRole("slider");
    await toEnd(tab);
    await tab.keyboard.press("Home");
    await tab.keyboard.press("ArrowRight");
    has(await slider.getAttribute("aria-valuetext"), "100 ms", "the slider after an event");
    await tab.keyboard.press("ArrowLeft");
    has(await slider.getAttribute("aria-valuetext"), "0 ms", "the slider after an event back");
    await tab.locator(".lab-results").click();
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
    is(await tab.locator(".lab-chooser select").inputValue(), "one-thread", "the question");
    // A link on the page is followed at once, and takes the message away.
    await tab.getByRole("link", { name: "one blocking call in ten" }).click();
    await tab.locator(".lab-answers legend", { hasText: "Nine requests in ten" }).waitFor();
    is(await tab.locator(".lab-message").isVisible(), false, "the message is still there");
});

checks.check("for a class the picture has larger letters, as the page has", "lab.html", async (tab, { is }) => {
    const letters = tab.locator(".lab-picture text").first();
    const size = () =>
        letters.evaluate((text) => {
            const scale = /** @type {SVGTextElement} */ (text).getScreenCTM()?.a ?? 0;
            return (scale * Number.parseFloat(getComputedStyle(text).fontSize)).toFixed(0);
        });
    await letters.waitFor();
    is(await size(), "12", "letters on the page");
    await tab.keyboard.press("p");
    await tab.locator(".teach-corner").waitFor();
    await tab.keyboard.press("Home");
    await letters.waitFor();
    await tab.waitForTimeout(300);
    const large = await tab.evaluate(
        () => 1.2 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
    );
    is(await size(), large.toFixed(0), `letters for a class, ${large}`);
});

checks.check("the page for the printer", "print.html", async (tab, { is }) => {
    is(await tab.locator(".lab").count(), 0, "labs on the page for the printer");
    is(await tab.locator("scheduler-lab").first().isVisible(), true, "the question in words");
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
