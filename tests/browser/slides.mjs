// Shows the pages of a built book as slides in headless Chromium, and says what is wrong with them.
//
//     node slides.mjs FOLDER
//
// FOLDER is the built book. Environment:
//   CHROMIUM      the browser's executable (required)
//   SCREENSHOTS   a folder for a picture of each slide, and of the window with the notes
//   ONLY          only pages whose name contains this
//
// Each page that has notes for teachers is walked through from its first slide to its last, on a screen of
// 1280 by 720: nothing sticks out, nothing of the page is missing, the keys lead on and back, the second
// window follows, also to the next page, and leads to the parts that the agendas are made of; no solution is shown
// before its time. The pages are opened as files, in a browser without any flag that a reader doesn't have; the last
// part serves one on 127.0.0.1, as the tool does.
// Prints a line for each problem, and ends with 1 if there is any, with 2 if it could not look.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AXE, builtBook, giveUp, isLabInAFile, launch, PATIENCE, pictureFolder, serve } from "./book.mjs";

const SCREEN = { width: 1280, height: 720 };
/** The page from which the slides go on to the next one. */
const NEXT = "ch01-single-threaded.html";
const LADDER = /^ch\d\d-[a-z0-9-]+\.html$/;

const problems = [];

function problem(page, what) {
    const line = `${page}: ${what}`;
    if (!problems.includes(line)) {
        problems.push(line);
        console.log(line);
    }
}

/** Notes what a page asks for and complains about. */
function watch(tab, page, allowed) {
    tab.on("console", (message) => {
        if (["error", "warning"].includes(message.type()) && !isLabInAFile(message)) {
            problem(page, `the console says: ${message.text()}`);
        }
    });
    tab.on("pageerror", (error) => problem(page, `uncaught: ${error.message}`));
    tab.on("request", (request) => {
        const url = request.url();
        if (!/^(data|blob|about):/.test(url) && !url.startsWith(allowed)) {
            problem(page, `asks ${url}`);
        }
    });
    tab.on("requestfailed", (request) => {
        // A page that is left soon stops asking for its icon; check.mjs sees that the book has it.
        const icon = /\/favicon-\w+\.\w+$/.test(request.url());
        if (!icon && !/^file:.*\/lab\/lab\.js$/.test(request.url())) {
            problem(page, `request failed: ${request.url()}: ${request.failure()?.errorText}`);
        }
    });
}

/** Runs in the page: where the slides stand, and what of the shown one can't be seen. */
function look() {
    const slides = [...document.querySelectorAll(".slide")];
    const shown = slides.filter((slide) => slide.classList.contains("shown"));
    const slide = shown[0];
    const faults = [];
    if (shown.length !== 1) {
        faults.push(`${shown.length} slides are shown`);
    }
    const stage = document.querySelector(".deck").getBoundingClientRect();
    const [width, height] = [window.innerWidth, window.innerHeight];
    if (stage.left < -1 || stage.top < -1 || stage.right > width + 1 || stage.bottom > height + 1) {
        faults.push(
            `the stage is ${Math.round(stage.width)} by ${Math.round(stage.height)} px on ${width} by ${height}`,
        );
    }
    const root = document.scrollingElement;
    if (root.scrollWidth > width + 1 || root.scrollHeight > height + 1) {
        faults.push(`the window scrolls: ${root.scrollWidth} by ${root.scrollHeight} px`);
    }
    const body = slide.querySelector(".body");
    const scrolls = body.classList.contains("scrolls");
    // Two pixels of the stage, and what rounding does.
    const slack = (2 * stage.width) / 1280 + 1;
    const edge = body.getBoundingClientRect();
    const names = (element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}">`;
    const text = (element) => (element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 50);
    for (const element of slide.querySelectorAll("*")) {
        const box = element.getBoundingClientRect();
        const style = getComputedStyle(element);
        // What only a screen reader sees is a point on the screen.
        if (
            box.width <= 2 ||
            box.height <= 2 ||
            !element.checkVisibility({ visibilityProperty: true }) ||
            element.closest("svg desc, svg title, defs, clipPath, marker")
        ) {
            continue;
        }
        // Parts of a drawing may lie outside of its frame where nothing is drawn; the text counts.
        const svg = element.closest("svg");
        if (svg && svg !== element && !element.matches("text, foreignObject *")) {
            continue;
        }
        if (body.contains(element) && element !== body) {
            const below = box.bottom > edge.bottom + slack || box.top < edge.top - slack;
            const beside = box.right > edge.right + slack || box.left < edge.left - slack;
            if (beside || (below && !scrolls)) {
                faults.push(
                    `${names(element)} lies at ${Math.round(box.left)},${Math.round(box.top)} to ${Math.round(box.right)},${Math.round(box.bottom)}, outside of ${Math.round(edge.right)},${Math.round(edge.bottom)}: ${text(element)}`,
                );
            }
            const clips =
                style.overflowX !== "visible" &&
                element.scrollWidth > element.clientWidth + 1 &&
                element.clientWidth > 0;
            if (clips) {
                faults.push(`${names(element)} hides a part of itself: ${text(element)}`);
            }
        } else if (box.right > stage.right + 1 || box.bottom > stage.bottom + 1) {
            faults.push(`${names(element)} leaves the stage: ${text(element)}`);
        }
    }
    // What a reader in the last row can read: 20 of 1080 pixels, in text, listings, tables and drawings.
    const walker = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
    for (let words = walker.nextNode(); words; words = walker.nextNode()) {
        const element = words.parentElement;
        if (
            words.data.trim() === "" ||
            element.getClientRects().length === 0 ||
            element.closest("script, style, title, desc, option, sup, sub")
        ) {
            continue;
        }
        const drawn = element instanceof SVGElement ? element : element.closest("foreignObject");
        const { a, b } = drawn?.getScreenCTM() ?? { a: ((element.currentCSSZoom ?? 1) * stage.width) / 1280, b: 0 };
        const size = (parseFloat(getComputedStyle(element).fontSize) * Math.hypot(a, b) * 1080) / stage.height;
        if (size < 20) {
            faults.push(`letters of ${size.toFixed(1)} of 1080 px: ${words.data.trim().slice(0, 40)}`);
        }
    }
    const [first, ...others] = slide.querySelectorAll(".inner > *");
    if (first?.matches(".command") && others.length === 0) {
        faults.push(`a command alone: ${text(first)}`);
    }
    // Nor is it scrolled to.
    for (const picture of slide.querySelectorAll("pre.mermaid svg, figure.chart > svg")) {
        const box = picture.getBoundingClientRect();
        if (box.height > 0 && (scrolls || box.bottom > edge.bottom + slack || box.right > edge.right + slack)) {
            faults.push(
                `a picture is cut: it ends at ${Math.round(box.right)},${Math.round(box.bottom)}, and the slide at ${Math.round(edge.right)},${Math.round(edge.bottom)}`,
            );
        }
    }
    // What plays is seen whole, with what plays it.
    for (const part of slide.querySelectorAll("rung-replay :is(svg.wide, input, button, figcaption)")) {
        const box = part.getBoundingClientRect();
        if (box.bottom > edge.bottom + slack || box.top < edge.top - slack) {
            faults.push(
                `${names(part)} of a recording ends at ${Math.round(box.bottom)}, and the slide at ${Math.round(edge.bottom)}`,
            );
        }
        const caption = slide.querySelector("rung-replay figcaption").getBoundingClientRect();
        if (
            !part.matches("figcaption") &&
            box.bottom > caption.top + 1 &&
            box.right > caption.left + 1 &&
            box.left < caption.right
        ) {
            faults.push(`${names(part)} of a recording covers its caption`);
        }
    }
    return {
        faults: faults.slice(0, 4),
        index: slides.indexOf(slide),
        count: slides.length,
        folded: slide.classList.contains("folded"),
        title: text(slide.querySelector(".slide-title")),
        scrolled: Math.round(body.scrollTop),
        scrolls,
        left: Math.round(body.scrollHeight - body.clientHeight - body.scrollTop),
        open: slide.querySelectorAll("details[open]").length,
    };
}

/** Runs in the page as it is read: its texts, without those for teachers, and how many pictures it has. */
function textsOfPage() {
    const whole = document.querySelector("main").cloneNode(true);
    whole.querySelectorAll(".buttons, script, style, svg, pre.mermaid").forEach((element) => element.remove());
    for (const box of whole.querySelectorAll("details")) {
        if (box.querySelector("summary").textContent.trim() === "For teachers") {
            box.remove();
        }
    }
    // A task stands unfolded below the title of its exercise.
    for (const summary of whole.querySelectorAll("summary")) {
        if (summary.textContent.startsWith("The task:")) {
            summary.remove();
        }
    }
    const squeeze = (text) => text.replace(/\s+/g, "");
    const blocks = [
        ...whole.querySelectorAll("h1, h2, h3, p, li:not(:has(p, li)), td, th, figcaption, summary, legend, label"),
    ];
    const lines = [...whole.querySelectorAll("pre")].flatMap((pre) => pre.textContent.split("\n"));
    return {
        texts: [...blocks.map((block) => block.textContent), ...lines].map(squeeze).filter((text) => text !== ""),
        figures: document.querySelectorAll("main figure").length,
        diagrams: document.querySelectorAll("main pre.mermaid").length,
    };
}

function textsOfSlides() {
    const whole = document.querySelector(".deck main").cloneNode(true);
    whole.querySelectorAll(".buttons, svg.mark").forEach((element) => element.remove());
    return {
        text: whole.textContent.replace(/\s+/g, ""),
        figures: whole.querySelectorAll("figure").length,
        diagrams: whole.querySelectorAll("pre.mermaid svg").length,
    };
}

const frames = (tab) =>
    tab.evaluate(
        () =>
            new Promise((done) => {
                requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));
            }),
    );

async function press(tab, key) {
    await tab.keyboard.press(key);
    await frames(tab);
}

const ready = (tab) => tab.waitForSelector("html.slides-ready", { state: "attached", timeout: PATIENCE });

/** Goes on until nothing changes any more, and looks at everything on the way. */
async function walk(tab, page, shots, kind) {
    const seen = new Set();
    let state = await tab.evaluate(look);
    let steps = 0;
    for (;;) {
        seen.add(state.index);
        for (const fault of state.faults) {
            problem(page, `${kind} slide ${state.index + 1} (${state.title}): ${fault}`);
        }
        if (shots) {
            const name = `${page.replace(/\.html$/, "")}-${kind}-${String(state.index + 1).padStart(3, "0")}-${state.open}-${state.scrolled}.png`;
            await tab.screenshot({ path: join(shots, name) });
        }
        await press(tab, "ArrowDown");
        const after = await tab.evaluate(look);
        const unchanged = ["index", "scrolled", "open"].every((key) => after[key] === state[key]);
        if (unchanged) {
            if (after.scrolls && after.left > 1) {
                problem(page, `${kind} slide ${after.index + 1}: the keys do not scroll to its end`);
            }
            break;
        }
        if (after.index !== state.index) {
            if (after.index !== state.index + 1) {
                problem(page, `${kind}: from slide ${state.index + 1} to ${after.index + 1}`);
            }
            if (state.scrolls && state.left > 1) {
                problem(page, `${kind} slide ${state.index + 1}: left ${state.left} px before its end`);
            }
        }
        state = after;
        steps += 1;
        if (steps > 3000) {
            problem(page, `${kind}: no end after ${steps} steps`);
            break;
        }
    }
    if (seen.size !== state.count) {
        problem(page, `${kind}: ${seen.size} of ${state.count} slides were seen`);
    }
    return state;
}

/** Runs in the page: what is wrong with the slides of its exercises. The task is open, a solution has a cover. */
function faultsOfExercises() {
    const faults = [];
    const title = (slide) => slide.querySelector(".slide-title").firstChild?.textContent ?? "";
    const slides = [...document.querySelectorAll(".slide")];
    for (const [index, slide] of slides.entries()) {
        if (title(slide).startsWith("The task:")) {
            faults.push(`${title(slide)} is folded`);
        }
        const covers = title(slide).startsWith("A solution") && title(slides[index - 1]) !== title(slide);
        if (
            covers &&
            (!slide.querySelector(".cover") || slide.querySelector("pre") || !slide.classList.contains("folded"))
        ) {
            faults.push(`${title(slide)} has no cover`);
        }
    }
    return faults;
}

/** Reports what keeps people from reading a window. */
async function askAxe(tab, page) {
    await tab.addScriptTag({ path: AXE });
    const result = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
    for (const violation of result.violations) {
        for (const node of violation.nodes.slice(0, 3)) {
            const why = (node.failureSummary ?? "").replace(/\s+/g, " ");
            problem(page, `axe ${violation.id}: ${node.target.join(" ")}: ${why}`);
        }
    }
}

/** The window with the notes: it follows, it leads, it has a clock. */
async function checkNotes(context, tab, page, expected, shots) {
    await press(tab, "Home");
    const [notes] = await Promise.all([context.waitForEvent("page", { timeout: PATIENCE }), tab.keyboard.press("s")]);
    watch(notes, `${page}, notes`, "file:");
    await notes.waitForSelector("#where", { timeout: PATIENCE });
    const where = () => notes.textContent("#where");
    const index = async () => (await tab.evaluate(look)).index + 1;
    // A message to the other window takes as long as it takes.
    const until = async (holds) => {
        for (const end = Date.now() + PATIENCE; !(await holds()) && Date.now() < end; ) {
            await new Promise((done) => setTimeout(done, 20));
        }
    };
    const agree = async (after) => {
        await until(async () => (await where()).startsWith(`${await index()} / `));
        const [shown, told] = [await index(), await where()];
        if (!told.startsWith(`${shown} / `)) {
            problem(page, `after ${after} the notes say ${told}, and slide ${shown} is shown`);
        }
        return shown;
    };
    await agree("opening them");
    for (let time = 0; time < 3; time += 1) {
        await press(tab, "PageDown");
        await agree("a key in the first window");
    }
    if ((await index()) === 1) {
        problem(page, "the keys do not lead on while the notes are open");
    }
    const before = await index();
    // A slide may have steps of its own, such as an answer that is open; they go back first.
    for (let step = 0; step < 5 && (await index()) >= before; step += 1) {
        await notes.keyboard.press("ArrowLeft");
        await agree("a key in the second window");
        await frames(tab);
        await new Promise((done) => setTimeout(done, 200));
    }
    if ((await agree("a key in the second window")) >= before) {
        problem(page, "a key in the second window does not lead back");
    }
    await notes.click('button[aria-label="On"]');
    await frames(tab);
    await agree("a button in the second window");
    if (!/^\d\d:\d\d:\d\d$/.test(await notes.textContent("#clock"))) {
        problem(page, `the clock says ${await notes.textContent("#clock")}`);
    }
    const elapsed = await notes.textContent("#elapsed");
    await notes
        .waitForFunction((old) => document.getElementById("elapsed").textContent !== old, elapsed, {
            timeout: PATIENCE,
        })
        .catch(() => problem(page, `the time that passed stands still at ${elapsed}`));
    const text = (await notes.textContent("#notes")).replace(/\s+/g, "");
    if (text !== expected) {
        problem(page, `the notes are not those of the page: ${text.slice(0, 80)}`);
    }
    if (!(await notes.locator("#next .slide").isVisible())) {
        problem(page, "the notes show no next slide");
    }
    // The parts of the page, which agendas are made of: each leads to its first slide.
    const parts = notes.locator('#notes > p:first-child a[href^="#"]');
    let reached = 0;
    for (let part = 0; part < (await parts.count()); part += 1) {
        const link = parts.nth(part);
        const name = (await link.textContent()).trim();
        await link.click();
        await frames(tab);
        const shown = await agree(`going to ${name}`);
        const told = await notes.textContent("#part");
        if (!new RegExp(": \\d+:\\d\\d of \\d+ minutes$").test(told) || !told.startsWith(`${name}: `)) {
            problem(page, `the notes say "${told}" in the part ${name}`);
        }
        if (shown <= reached) {
            problem(page, `the part ${name} begins at slide ${shown}, after ${reached}`);
        }
        reached = shown;
    }
    if (reached === 0) {
        problem(page, "the notes lead to no part");
    }
    if (shots) {
        await notes.setViewportSize({ width: 1120, height: 760 });
        await frames(notes);
        await notes.screenshot({ path: join(shots, `${page.replace(/\.html$/, "")}-notes.png`) });
    }
    return notes;
}

/** The first window goes on to the next page, as its last slide does, and the notes with it. */
async function checkNextPage(tab, notes, page) {
    const notesOf = () => notes.evaluate(() => [document.title, document.getElementById("part").textContent]);
    const seconds = (text) => Number(/: (\d+):/.exec(text)?.[1]) * 60 + Number(/:(\d\d) of/.exec(text)?.[1]);
    const parts = notes.locator('#notes > p:first-child a[href^="#"]');
    // A part's clock goes on where it was when one steps into another part and returns.
    const told = async (name, least) =>
        notes.waitForFunction(
            ([name, least]) => {
                const text = document.getElementById("part").textContent;
                return text.startsWith(`${name}: `) && Number(/:(\d\d) of/.exec(text)[1]) >= least;
            },
            [name, least],
            { timeout: PATIENCE },
        );
    const [first, second] = [(await parts.nth(0).textContent()).trim(), (await parts.nth(1).textContent()).trim()];
    await parts.nth(0).click();
    await told(first, 2);
    const before = seconds((await notesOf())[1]);
    await parts.nth(1).click();
    await told(second, 0);
    await parts.nth(0).click();
    await told(first, 0);
    const after = seconds((await notesOf())[1]);
    if (after < before) {
        problem(page, `the part ${first} took ${before} s, and ${after} s after a step into the next and back`);
    }
    const began = await notes.textContent("#elapsed");
    await press(tab, "End");
    const link = tab.locator(".slide.shown a");
    if ((await tab.locator(".slide.shown .slide-title").textContent()).startsWith("On to the next page")) {
        const [title] = await notesOf();
        await Promise.all([tab.waitForNavigation({ waitUntil: "load" }), link.click()]);
        await ready(tab);
        await notes
            .waitForFunction((old) => document.title !== old, title, { timeout: PATIENCE })
            .catch(() => problem(page, `after the next page was opened, the notes are still those of ${title}`));
        if ((await notes.textContent("#elapsed")) < began) {
            problem(page, `the time since the notes were opened began again at the next page`);
        }
        const shown = await tab.evaluate(look);
        await notes.locator('button[aria-label="On"]').click();
        await tab
            .waitForFunction(
                (old) =>
                    [...document.querySelectorAll(".slide")].findIndex((one) => one.classList.contains("shown")) > old,
                shown.index,
                { timeout: PATIENCE },
            )
            .catch(() => problem(page, "the notes do not lead the slides of the next page"));
    } else {
        problem(page, "the last slide does not lead to the next page");
    }
    await askAxe(notes, `${page}, notes`);
    await notes.close();
}

async function checkPage(context, folder, page, shots) {
    const address = pathToFileURL(join(folder, page)).href;
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    await tab.setViewportSize(SCREEN);
    watch(tab, page, "file:");
    try {
        await tab.goto(address, { waitUntil: "load" });
        const offered = await tab.locator("#mdbook-menu-bar a.present").count();
        if (offered !== 1) {
            problem(page, `${offered} links to its slides`);
        }
        const original = await tab.evaluate(textsOfPage);
        const notes = await tab.evaluate(() => {
            const boxes = [...document.querySelectorAll("main details")];
            const box = boxes.find((one) => one.querySelector("summary").textContent.trim() === "For teachers");
            return [...box.children]
                .slice(1)
                .map((child) => child.textContent)
                .join("")
                .replace(/\s+/g, "");
        });

        for (const kind of ["slides", "full"]) {
            await tab.goto(`${address}?slides${kind === "full" ? "=full" : ""}`, { waitUntil: "load" });
            await ready(tab);
            const made = await tab.evaluate(textsOfSlides);
            for (const text of original.texts.filter((text) => !made.text.includes(text)).slice(0, 5)) {
                problem(page, `${kind}: not on any slide: ${text.slice(0, 100)}`);
            }
            for (const fault of await tab.evaluate(faultsOfExercises)) {
                problem(page, `${kind}: ${fault}`);
            }
            for (const what of ["figures", "diagrams"]) {
                if (made[what] !== original[what]) {
                    problem(page, `${kind}: ${made[what]} ${what} of ${original[what]}`);
                }
            }
            if (kind === "slides") {
                const opening = await tab.evaluate(() => window.location.pathname);
                const end = await walk(tab, page, shots, kind);
                console.log(`${page}: ${end.count} slides`);
                // Back to the start: the folded ones are passed over.
                let state = end;
                for (let steps = 0; state.index > 0 && steps < 3000; steps += 1) {
                    await press(tab, "ArrowLeft");
                    const after = await tab.evaluate(look);
                    if (after.folded && after.index !== state.index) {
                        problem(page, `the key back stops at folded slide ${after.index + 1}`);
                    }
                    state = after;
                }
                if (state.index !== 0) {
                    problem(page, `the keys back end at slide ${state.index + 1}`);
                }
                await press(tab, "End");
                const last = await tab.evaluate(look);
                if (last.index !== last.count - 1) {
                    problem(page, `End leads to slide ${last.index + 1} of ${last.count}`);
                }
                await press(tab, "ArrowRight");
                const there = await tab.evaluate(() => window.location.pathname);
                if (there !== opening) {
                    problem(page, `a key on the last slide leads away, to ${there}`);
                }
                const second = await checkNotes(context, tab, page, notes, shots);
                if (page === NEXT) {
                    await checkNextPage(tab, second, page);
                } else {
                    await second.close();
                }
            } else {
                await walk(tab, page, null, kind);
            }
        }

        // The address keeps the slide, and Escape leads from it to its place on the page.
        await tab.goto(`${address}?slides`, { waitUntil: "load" });
        await ready(tab);
        for (let time = 0; time < 4; time += 1) {
            await press(tab, "ArrowRight");
        }
        const before = await tab.evaluate(look);
        await tab.reload({ waitUntil: "load" });
        await ready(tab);
        const after = await tab.evaluate(look);
        if (before.index === 0 || after.index !== before.index) {
            problem(page, `slide ${before.index + 1} is slide ${after.index + 1} after a reload`);
        }
        await askAxe(tab, page);
        await Promise.all([tab.waitForNavigation({ waitUntil: "load" }), tab.keyboard.press("Escape")]);
        const left = new URL(tab.url());
        if (left.search !== "" || (await tab.locator("main h1").count()) !== 1) {
            problem(page, `Escape leads to ${left.search}${left.hash}`);
        }
    } catch (error) {
        problem(page, String(error.message ?? error).split("\n")[0]);
    }
    await tab.close();
}

/** From a server, as with `cargo xtask serve`: the slides, and on other screens than 1280 by 720. */
async function checkServed(context, folder, page) {
    const origin = `${await serve(folder)}/`;
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    watch(tab, `${page}, served`, origin);
    for (const size of [
        { width: 1920, height: 1080 },
        { width: 1024, height: 768 },
        { width: 390, height: 844 },
    ]) {
        await tab.setViewportSize(size);
        await tab.goto(`${origin}${page}?slides`, { waitUntil: "load" });
        await ready(tab);
        for (let time = 0; time < 6; time += 1) {
            await press(tab, "ArrowRight");
            const { faults, index } = await tab.evaluate(look);
            faults.forEach((fault) => problem(`${page}, ${size.width} px`, `slide ${index + 1}: ${fault}`));
        }
    }
    await tab.close();
}

async function main() {
    const folder = builtBook("index.html");
    const shots = pictureFolder();
    const only = process.env.ONLY ?? "";
    const hasNotes = (page) => readFileSync(join(folder, page), "utf8").includes("<summary>For teachers</summary>");
    const taught = readdirSync(folder).filter(
        (file) => file.endsWith(".html") && !["print.html", "index.html"].includes(file) && hasNotes(file),
    );
    if (taught.filter((page) => LADDER.test(page)).length < 6) {
        giveUp(`only these pages have notes for teachers: ${taught.join(", ")}`);
    }
    const pages = taught.filter((page) => page.includes(only));
    const browser = await launch();
    // Two at a time, in the two colours.
    const queue = [...pages];
    const work = async (colorScheme) => {
        for (let page = queue.shift(); page; page = queue.shift()) {
            const context = await browser.newContext({ colorScheme, reducedMotion: "reduce" });
            await checkPage(context, folder, page, shots);
            await context.close();
        }
    };
    await Promise.all([work("light"), work("dark")]);
    const context = await browser.newContext();
    await checkServed(context, folder, pages[0]);
    await context.close();
    await browser.close();
    console.log(`${pages.length} pages, ${problems.length} problems`);
    process.exit(problems.length === 0 ? 0 : 1);
}

await main();
