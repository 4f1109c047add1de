// Shows the pages of a built book as slides in headless Chromium, and says what is wrong with them.
//
//     node slides.mjs FOLDER
//
// FOLDER is the built book. Environment:
//   CHROMIUM      the browser's executable (required)
//   SCREENSHOTS   a folder for a picture of each slide, and of the window with the notes
//   ONLY          only pages whose name contains this
//
// Each page that has notes for teachers is walked through from its first slide to its last, on screens of
// 1280 by 720, 390 by 844 and 1366 by 768: nothing sticks out, nothing of the page is missing, the keys lead on and back, the second
// window follows, also to the next page, and leads to the parts that the agendas are made of; no solution is shown
// before its time. The pages are opened as files, in a browser without any flag that a reader doesn't have; the last
// part serves one on 127.0.0.1, as the tool does.
// Prints a line for each problem, and ends with 1 if there is any, with 2 if it could not look.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
    askAxe,
    builtBook,
    each,
    finish,
    giveUp,
    launch,
    PATIENCE,
    pictureFolder,
    problem,
    serve,
    watch,
} from "./book.mjs";
import { checkNextPage, checkNotes } from "./slides-notes.mjs";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").BrowserContext} Context
 */

const SCREEN = { width: 1280, height: 720 };
/** Where the slides are walked through as well. */
const SCREENS = [
    { width: 390, height: 844 },
    { width: 1366, height: 768 },
];
/** The page from which the slides go on to the next one. */
const NEXT = "ch01-single-threaded.html";
const LADDER = /^ch\d\d-[a-z0-9-]+\.html$/;
/** What runs in the pages. */
const IN_PAGE = { path: fileURLToPath(new URL("in-page/slides.js", import.meta.url)) };

/**
 * Opens slides; resolves when they are there.
 * @param {Page} tab
 * @param {string} address
 */
async function open(tab, address) {
    await tab.goto(address, { waitUntil: "load" });
    await ready(tab);
}

/** @param {Page} tab */
async function ready(tab) {
    await tab.waitForSelector("html.slides-ready", { state: "attached", timeout: PATIENCE });
}

/** @param {Page} tab */
const place = (tab) => tab.evaluate(() => placeOfSlides());

/**
 * @param {Page} tab
 * @param {string} key
 */
async function press(tab, key) {
    await tab.keyboard.press(key);
    await tab.evaluate(() => slidesAtRest());
}

/**
 * Notes also what a page asks for and does not get.
 * @param {Page} tab
 * @param {string} page
 * @param {RegExp} allowed
 */
function watchSlides(tab, page, allowed) {
    watch(tab, allowed, (what) => problem(page, what));
    tab.on("requestfailed", (request) => {
        // A page that is left soon stops asking for its icon; check.mjs sees that the book has it.
        const icon = /\/favicon-\w+\.\w+$/.test(request.url());
        if (!icon && !/^file:.*\/lab\/lab\.js$/.test(request.url())) {
            problem(page, `request failed: ${request.url()}: ${request.failure()?.errorText}`);
        }
    });
}

/**
 * Goes on until nothing changes any more, and says what is wrong on the way.
 * @param {Page} tab
 * @param {string} page
 * @param {string} kind
 */
async function walk(tab, page, kind) {
    const steps = await tab.evaluate(() => walkThroughSlides());
    const seen = new Set();
    for (const [step, state] of steps.entries()) {
        seen.add(state.index);
        for (const fault of state.faults) {
            problem(page, `${kind} slide ${state.index + 1} (${state.title}): ${fault}`);
        }
        const before = steps[step - 1];
        if (!before || state.index === before.index) {
            continue;
        }
        if (state.index !== before.index + 1) {
            problem(page, `${kind}: from slide ${before.index + 1} to ${state.index + 1}`);
        }
        if (before.scrolls && before.left > 1) {
            problem(page, `${kind} slide ${before.index + 1}: left ${before.left} px before its end`);
        }
    }
    const last = steps[steps.length - 1];
    if (last.scrolls && last.left > 1) {
        problem(page, `${kind} slide ${last.index + 1}: the keys do not scroll to its end`);
    }
    if (seen.size !== last.count) {
        problem(page, `${kind}: ${seen.size} of ${last.count} slides were seen`);
    }
    return last.count;
}

/**
 * Takes a picture of each slide.
 * @param {Page} tab
 * @param {string} page
 * @param {string} shots
 */
async function takePictures(tab, page, shots) {
    const key = (/** @type {Place} */ { index, scrolled, open }) => `${index} ${scrolled} ${open}`;
    let before = "";
    await press(tab, "Home");
    for (let now = await place(tab); key(now) !== before; now = await place(tab)) {
        before = key(now);
        const number = String(now.index + 1).padStart(3, "0");
        const name = `${page.replace(/\.html$/, "")}-${number}-${now.open}-${now.scrolled}.png`;
        await tab.screenshot({ path: join(shots, name) });
        await press(tab, "ArrowDown");
    }
}

/**
 * From the last slide to the first, where the folded ones are passed over, and to the last again.
 * @param {Page} tab
 * @param {string} page
 */
async function walkBack(tab, page) {
    const opening = new URL(tab.url()).pathname;
    let state = await place(tab);
    for (let steps = 0; state.index > 0 && steps < 3000; steps += 1) {
        await press(tab, "ArrowLeft");
        const after = await place(tab);
        if (after.folded && after.index !== state.index) {
            problem(page, `the key back stops at folded slide ${after.index + 1}`);
        }
        state = after;
    }
    if (state.index !== 0) {
        problem(page, `the keys back end at slide ${state.index + 1}`);
    }
    await press(tab, "End");
    const last = await place(tab);
    if (last.index !== last.count - 1) {
        problem(page, `End leads to slide ${last.index + 1} of ${last.count}`);
    }
    await press(tab, "ArrowRight");
    const there = new URL(tab.url()).pathname;
    if (there !== opening) {
        problem(page, `a key on the last slide leads away, to ${there}`);
    }
}

/**
 * Everything of the page is on some slide.
 * @param {Page} tab
 * @param {string} page
 * @param {string} kind
 * @param {ReturnType<typeof textsOfPage>} original
 */
async function compare(tab, page, kind, original) {
    const made = await tab.evaluate(() => textsOfSlides());
    for (const text of original.texts.filter((one) => !made.text.includes(one)).slice(0, 5)) {
        problem(page, `${kind}: not on any slide: ${text.slice(0, 100)}`);
    }
    if (made.figures !== original.figures || made.diagrams !== original.diagrams) {
        const [figures, diagrams] = [
            `${made.figures} of ${original.figures}`,
            `${made.diagrams} of ${original.diagrams}`,
        ];
        problem(page, `${kind}: ${figures} figures, ${diagrams} diagrams`);
    }
    for (const fault of await tab.evaluate(() => faultsOfExercises())) {
        problem(page, `${kind}: ${fault}`);
    }
}

/**
 * The address keeps the slide, and Escape leads from it to its place on the page.
 * @param {Page} tab
 * @param {string} page
 */
async function checkAddress(tab, page) {
    await press(tab, "Home");
    for (let time = 0; time < 4; time += 1) {
        await press(tab, "ArrowRight");
    }
    const before = await place(tab);
    await tab.reload({ waitUntil: "load" });
    await ready(tab);
    const after = await place(tab);
    if (before.index === 0 || after.index !== before.index) {
        problem(page, `slide ${before.index + 1} is slide ${after.index + 1} after a reload`);
    }
    for (const fault of await askAxe(tab)) {
        problem(page, fault);
    }
    await Promise.all([tab.waitForNavigation({ waitUntil: "load" }), tab.keyboard.press("Escape")]);
    const left = new URL(tab.url());
    if (left.search !== "" || (await tab.locator("main h1").count()) !== 1) {
        problem(page, `Escape leads to ${left.search}${left.hash}`);
    }
}

/**
 * @param {Context} context
 * @param {string} folder
 * @param {string} page
 * @param {string | undefined} shots
 */
async function checkPage(context, folder, page, shots) {
    const address = pathToFileURL(join(folder, page)).href;
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    await tab.setViewportSize(SCREEN);
    watchSlides(tab, page, /^file:/);
    await tab.goto(address, { waitUntil: "load" });
    const offered = await tab.locator("#mdbook-menu-bar a.present").count();
    if (offered !== 1) {
        problem(page, `${offered} links to its slides`);
    }
    const original = await tab.evaluate(() => textsOfPage());
    const notes = await tab.evaluate(() => notesOfPage());

    await open(tab, `${address}?slides=full`);
    await compare(tab, page, "full", original);
    await walk(tab, page, "full");

    await open(tab, `${address}?slides`);
    await compare(tab, page, "slides", original);
    console.log(`${page}: ${await walk(tab, page, "slides")} slides`);
    if (shots) {
        await takePictures(tab, page, shots);
    }
    await walkBack(tab, page);
    const second = await checkNotes(context, tab, page, notes, shots);
    if (page === NEXT) {
        await checkNextPage(tab, second, page, () => ready(tab));
        await open(tab, `${address}?slides`);
    }
    await second.close();
    await checkAddress(tab, page);
    await checkScreens(context, page, `${address}?slides`);
}

/**
 * In the hand, and on a laptop; turned to the side, a phone has slides as other screens do.
 * @param {Context} context
 * @param {string} page
 * @param {string} address
 */
async function checkScreens(context, page, address) {
    for (const size of SCREENS) {
        const tab = await context.newPage();
        await tab.setViewportSize(size);
        await open(tab, address);
        await walk(tab, page, `${size.width} px`);
        const phone = tab.locator(".deck.phone");
        if ((await phone.count()) !== (size.width < 600 ? 1 : 0)) {
            problem(page, `the slides of ${size.width} px are not laid out for it`);
        }
        if (size.width < 600) {
            await tab.setViewportSize({ width: size.height, height: size.width });
            await phone.waitFor({ state: "detached" });
            await ready(tab);
        }
        await tab.close();
    }
}

/**
 * From a server, as with `cargo xtask serve`: the slides, and on other screens than 1280 by 720.
 * @param {Context} context
 * @param {string} folder
 * @param {string} page
 */
async function checkServed(context, folder, page) {
    const origin = `${await serve(folder)}/`;
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    watchSlides(tab, `${page}, served`, new RegExp(`^${origin}`));
    const screens = [
        { width: 1920, height: 1080 },
        { width: 1024, height: 768 },
    ];
    for (const size of screens) {
        await tab.setViewportSize(size);
        await open(tab, `${origin}${page}?slides`);
        for (let time = 0; time < 6; time += 1) {
            await press(tab, "ArrowRight");
            const { faults, index } = await tab.evaluate(() => lookAtSlide());
            for (const fault of faults) {
                problem(`${page}, ${size.width} px`, `slide ${index + 1}: ${fault}`);
            }
        }
    }
}

const folder = builtBook("index.html");
const shots = pictureFolder();
const only = process.env.ONLY ?? "";
const hasNotes = (/** @type {string} */ page) =>
    readFileSync(join(folder, page), "utf8").includes("<summary>For teachers</summary>");
const taught = readdirSync(folder).filter(
    (file) => file.endsWith(".html") && !["print.html", "index.html"].includes(file) && hasNotes(file),
);
if (taught.filter((page) => LADDER.test(page)).length < 6) {
    giveUp(`only these pages have notes for teachers: ${taught.join(", ")}`);
}
const pages = taught.filter((page) => page.includes(only));
const browser = await launch();
/**
 * Looks at a page in a window of its own; what is thrown is a problem of that page.
 * @param {string} page
 * @param {import("playwright-core").BrowserContextOptions} options
 * @param {(context: Context) => Promise<void>} look
 */
const alone = async (page, options, look) => {
    const context = await browser.newContext(options);
    await context.addInitScript(IN_PAGE);
    await look(context).catch((error) => problem(page, String(error.message).split("\n")[0]));
    await context.close();
};
const every = pages.map((page, index) => ({ page, index }));
await Promise.all([
    // Every other page in the other colours.
    each(every, 3, ({ page, index }) => {
        const colorScheme = index % 2 === 0 ? "light" : "dark";
        return alone(page, { colorScheme, reducedMotion: "reduce" }, (context) =>
            checkPage(context, folder, page, shots),
        );
    }),
    alone(pages[0], {}, (context) => checkServed(context, folder, pages[0])),
]);
await browser.close();
finish(`${pages.length} pages`);
