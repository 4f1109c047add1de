// Opens every page of a built book in headless Chromium, and says what is wrong with it.
//
//     node check.mjs FOLDER
//
// FOLDER is the built book. Environment:
//   CHROMIUM      the browser's executable (required)
//   SCREENSHOTS   a folder for a picture of each page, theme and width
//   ONLY          check only pages whose name contains this
//
// Prints a line for each problem, and ends with 1 if there is any, with 2 if it could not look.
// The book is served on 127.0.0.1 and in a folder of its site, as GitHub Pages does it:
// a link that begins with a slash would leave the book, and is a problem.

import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { AXE, PATIENCE, builtBook, launch, pictureFolder, serve } from "./book.mjs";

const WIDTHS = [390, 1366, 1920];
const HEIGHTS = { 390: 844, 1366: 768, 1920: 1080 };
// From this width on, no table and no listing scrolls sideways.
const ROOM = 900;
const THEMES = { light: ["light", "rust"], dark: ["navy", "coal", "ayu"] };
// axe leaves this rule out unless it is asked: what can be touched is at least 24 px wide and high.
const RULES = { "target-size": { enabled: true } };
const PREFIX = "/book/";
const problems = [];

function problem(page, where, what) {
    const line = `${page} (${where}): ${what}`;
    if (!problems.includes(line)) {
        problems.push(line);
        console.log(line);
    }
}

/** All files below `folder`, with forward slashes. */
function files(folder) {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
        .sort();
}

/** Notes what a page asks for and complains about. */
function watch(tab, origin) {
    const seen = { urls: [], complaints: [] };
    tab.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") {
            seen.complaints.push(`the console says: ${message.text()}`);
        }
    });
    tab.on("pageerror", (error) => seen.complaints.push(`uncaught: ${error.message}`));
    tab.on("request", (request) => {
        const url = request.url();
        if (url.startsWith("data:") || url.startsWith("blob:")) {
            return;
        }
        seen.urls.push(url);
        if (!url.startsWith(`${origin}/`)) {
            seen.complaints.push(`asks another host: ${url}`);
        }
    });
    tab.on("requestfailed", (request) => {
        seen.complaints.push(`request failed: ${request.url()}: ${request.failure()?.errorText}`);
    });
    tab.on("response", (response) => {
        if (response.status() >= 400) {
            seen.complaints.push(`${response.status()} for ${response.url()}`);
        }
    });
    return seen;
}

/** Runs in the page: the first elements of the text that stick out to the right, and are not in a box that scrolls. */
function stickingOut() {
    const found = [];
    const width = document.documentElement.clientWidth;
    const scrolls = (element) => {
        for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
            if (getComputedStyle(box).overflowX !== "visible") {
                // The box itself must fit.
                return box.getBoundingClientRect().right <= width + 1;
            }
        }
        return false;
    };
    for (const element of document.querySelectorAll("main, main *")) {
        const box = element.getBoundingClientRect();
        if (box.width > 0 && box.right > width + 1 && !scrolls(element)) {
            const text = (element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 60);
            found.push(`<${element.tagName.toLowerCase()}> reaches ${Math.round(box.right)} px: ${text}`);
        }
    }
    const whole = document.scrollingElement.scrollWidth;
    if (whole > width + 1 && found.length === 0) {
        found.push(`the page is ${whole} px wide`);
    }
    return found.slice(0, 3);
}

/** Runs in the page: tables and listings that scroll sideways where there is room, or scroll and don't say so. */
function scrolling(room) {
    const found = [];
    const hint = (element) => getComputedStyle(element, "::before").content.includes("scrolls sideways");
    for (const box of document.querySelectorAll("main .table-wrapper, main pre > code, main pre.mermaid")) {
        if (box.scrollWidth <= box.clientWidth + 1) {
            continue;
        }
        const what = `${box.textContent.trim().replace(/\s+/g, " ").slice(0, 60)}: ${box.scrollWidth} of ${box.clientWidth} px`;
        if (innerWidth >= room && !box.matches(".mermaid")) {
            found.push(`scrolls sideways on a wide screen: ${what}`);
        } else if (box.tabIndex !== 0 || !box.getAttribute("role") || !box.getAttribute("aria-label")) {
            found.push(`scrolls and can't be reached, or has no name or role: ${what}`);
        } else if (!hint(box) && !hint(box.parentElement)) {
            found.push(`scrolls and doesn't say so: ${what}`);
        }
    }
    return found;
}

/** Runs in the page: words of code, as short as `-v`, that begin in one line and end in the next. */
function brokenWords() {
    const found = [];
    const range = document.createRange();
    for (const code of document.querySelectorAll("main :not(pre) > code")) {
        const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
            for (const { 0: word, index } of text.data.matchAll(/\S*-\S*/g)) {
                range.setStart(text, index);
                range.setEnd(text, index + word.length);
                const tops = [...range.getClientRects()]
                    .filter(({ width }) => width > 0)
                    .map(({ top }) => Math.round(top));
                if (word.length <= 24 && new Set(tops).size > 1) {
                    found.push(`breaks \`${word}\` in two`);
                }
            }
        }
    }
    return found;
}

/** Waits until every diagram is drawn; says which are not. */
async function diagrams(tab) {
    const count = await tab.locator("pre.mermaid").count();
    if (count > 0) {
        await tab
            .waitForFunction(
                () => [...document.querySelectorAll("pre.mermaid")].every((pre) => pre.querySelector("svg")),
                undefined,
                { timeout: PATIENCE },
            )
            .catch(() => {});
    }
    const faults = await tab.evaluate(() =>
        [...document.querySelectorAll("pre.mermaid")].flatMap((pre, index) => {
            const svg = pre.querySelector("svg");
            const name = `diagram ${index + 1}`;
            if (!svg) {
                return [`${name} was not drawn: ${pre.textContent.trim().slice(0, 60)}`];
            }
            if (svg.getAttribute("aria-roledescription") === "error" || svg.querySelector(".error-icon")) {
                return [`${name} has an error: ${svg.textContent.trim().slice(0, 100)}`];
            }
            const box = svg.getBoundingClientRect();
            if (box.width < 20 || box.height < 20) {
                return [`${name} is ${Math.round(box.width)} by ${Math.round(box.height)} px`];
            }
            return [];
        }),
    );
    return { count, faults };
}

/** Opens a page as on a screen of this width, and looks at all of it. */
async function checkPage(context, origin, page, theme, width, shots) {
    const where = `${theme}, ${width} px`;
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    const seen = watch(tab, origin);
    try {
        // The page for wrong addresses is shown at any depth, so it names its place itself, by `<base>`:
        // the top of a site, unless the build is told otherwise.
        const prefix = page === "404.html" ? "/" : PREFIX;
        await tab.setViewportSize({ width, height: HEIGHTS[width] });
        await tab.goto(`${origin}${prefix}${page}`, { waitUntil: "load", timeout: PATIENCE });
        const { count, faults } = await diagrams(tab);
        faults.forEach((fault) => problem(page, where, fault));

        const mermaid = seen.urls.filter((url) => /mermaid[^/]*\.js/.test(url));
        if (count === 0 && mermaid.length > 0) {
            problem(page, where, `loads ${mermaid[0]} and has no diagram`);
        }
        if (prefix === PREFIX) {
            const outside = seen.urls.filter((url) => !url.startsWith(origin + PREFIX));
            outside.forEach((url) => problem(page, where, `leaves the book's folder: ${url}`));
        }
        const classes = await tab.evaluate(() => [...document.documentElement.classList]);
        if (!THEMES[theme].some((name) => classes.includes(name))) {
            problem(page, where, `has the theme ${classes.join(" ")}`);
        }
        if (shots && page !== "print.html") {
            const name = `${page.replaceAll("/", "-").replace(/\.html$/, "")}-${width}-${theme}.png`;
            await tab.screenshot({ path: join(shots, name), fullPage: true });
        }
        await tab.evaluate(async () => {
            document.querySelectorAll("main details").forEach((box) => {
                box.open = true;
            });
            // The page looks at its boxes anew when one has opened.
            await new Promise((done) => setTimeout(done, 100));
        });
        const unfit = [
            ...(await tab.evaluate(stickingOut)),
            ...(await tab.evaluate(scrolling, ROOM)),
            ...(await tab.evaluate(brokenWords)),
        ];
        for (const fault of unfit) {
            problem(page, where, fault);
        }
        // print.html is all pages one after the other: each was looked at alone.
        if (page !== "print.html") {
            const options = { resultTypes: ["violations"], rules: RULES };
            const result = await tab.evaluate((options) => window.axe.run(document, options), options);
            for (const violation of result.violations) {
                for (const node of violation.nodes.slice(0, 3)) {
                    const why = (node.failureSummary ?? "").replace(/\s+/g, " ");
                    problem(page, where, `axe ${violation.id}: ${node.target.join(" ")}: ${why}`);
                }
            }
        }
    } catch (error) {
        problem(page, where, String(error.message ?? error).split("\n")[0]);
    }
    seen.complaints.forEach((complaint) => problem(page, where, complaint));
    await tab.close();
}

/** The text must be there without any script, and so must the way to the other pages. */
async function checkWithoutScripts(context, origin, page) {
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    const seen = watch(tab, origin);
    try {
        await tab.goto(`${origin}${PREFIX}${page}`, { waitUntil: "load", timeout: PATIENCE });
        const text = await tab.locator("main").innerText();
        if (text.length < 200) {
            problem(page, "no JavaScript", `shows only ${text.length} characters`);
        }
        if (!(await tab.locator("main h1").first().isVisible())) {
            problem(page, "no JavaScript", "shows no title");
        }
        // What is too wide scrolls by its style alone.
        for (const fault of await tab.evaluate(stickingOut)) {
            problem(page, "no JavaScript", fault);
        }
        const frame = tab.frameLocator("iframe.sidebar-iframe-outer");
        if ((await frame.locator("a").count()) === 0) {
            problem(page, "no JavaScript", "shows no table of contents");
        }
    } catch (error) {
        problem(page, "no JavaScript", String(error.message ?? error).split("\n")[0]);
    }
    seen.complaints.forEach((complaint) => problem(page, "no JavaScript", complaint));
    await tab.close();
}

async function main() {
    const folder = builtBook("index.html");
    const shots = pictureFolder();
    const only = process.env.ONLY ?? "";
    // toc.html is no page: it is what the others show in a frame where there is no JavaScript. Nor is
    // slides/notes.html: it is the second window of the slides, and slides.mjs looks at it.
    const noPages = ["toc.html", "slides/notes.html"];
    const pages = files(folder).filter(
        (file) => file.endsWith(".html") && !noPages.includes(file) && file.includes(only),
    );
    const origin = await serve(folder, PREFIX);
    const browser = await launch();
    const tasks = Object.keys(THEMES).map(async (theme) => {
        const context = await browser.newContext({ colorScheme: theme, reducedMotion: "reduce" });
        await context.addInitScript({ path: AXE });
        // print.html opens the browser's print dialogue.
        await context.addInitScript(() => {
            window.print = () => {};
        });
        for (const page of pages) {
            for (const width of WIDTHS) {
                await checkPage(context, origin, page, theme, width, shots);
            }
        }
        await context.close();
    });
    tasks.push(
        (async () => {
            const context = await browser.newContext({
                javaScriptEnabled: false,
                viewport: { width: WIDTHS[0], height: HEIGHTS[WIDTHS[0]] },
            });
            for (const page of pages.filter((page) => page !== "404.html")) {
                await checkWithoutScripts(context, origin, page);
            }
            await context.close();
        })(),
    );
    await Promise.all(tasks);
    await browser.close();
    console.log(`${pages.length} pages, ${problems.length} problems`);
    process.exit(problems.length === 0 ? 0 : 1);
}

await main();
