// Answers the questions of a built book in headless Chromium, as readers do, and says what goes wrong.
//
//     node predict.mjs FOLDER
//
// FOLDER is the built book. Environment:
//   CHROMIUM      the browser's executable (required)
//   SCREENSHOTS   a folder for pictures of answered questions, and of pages as they are printed
//
// Prints a line for each thing that is wrong, and ends with 1 if there is any, with 2 if it could not look.
// The pages are opened as files: so the questions need no server, and a request to any host is a fault.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { askAxe, builtBook, finish, launch, PATIENCE, pictureFolder, problem as report, watch } from "./book.mjs";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").Browser} Browser
 * @typedef {import("playwright-core").BrowserContext} Context
 * @typedef {(tab: Page, name: string) => Promise<void>} Shot
 */

const LADDER = "ch01-single-threaded";

/** What is looked at now. */
let where = "";

/** @param {string} what */
const problem = (what) => report(where, what);

/**
 * @param {string} what
 * @param {unknown} found
 * @param {unknown} expected
 */
function same(what, found, expected) {
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
        problem(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    }
}

/**
 * @param {string} what
 * @param {string} text
 * @param {string} part
 */
function contains(what, text, part) {
    if (!text.includes(part)) {
        problem(`${what} is ${JSON.stringify(text)}, without ${JSON.stringify(part)}`);
    }
}

/**
 * A page, and what is needed to use its questions.
 * @param {Context} context
 * @param {string} folder
 * @param {string} name
 */
async function open(context, folder, name) {
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    watch(tab, /^file:/, problem);
    await tab.goto(pathToFileURL(join(folder, `${name}.html`)).href, { waitUntil: "load", timeout: PATIENCE });
    return tab;
}

const group = (/** @type {Page} */ tab, /** @type {number} */ index) => tab.locator("main .predict").nth(index);
const radio = (/** @type {Page} */ tab, /** @type {number} */ index, /** @type {number} */ number) =>
    group(tab, index).locator(`input[value="${number}"]`);
const button = (/** @type {Page} */ tab, /** @type {number} */ index) => group(tab, index).locator(".play button");
const said = (/** @type {Page} */ tab, /** @type {number} */ index) =>
    group(tab, index).locator("[role=status]").innerText();
const isOpen = (/** @type {Page} */ tab, /** @type {number} */ index) =>
    group(tab, index)
        .locator("details")
        .evaluate((box) => /** @type {HTMLDetailsElement} */ (box).open);
/** What is seen behind each answer. @param {Page} tab @param {number} index */
const marks = (tab, index) =>
    group(tab, index)
        .locator(".choice > span")
        .evaluateAll((answers) =>
            answers.map((answer) => /[✓✗]/.exec(getComputedStyle(answer, "::after").content)?.[0] ?? ""),
        );
/** Before each answer there is a number or a circle, and never both. @param {Page} tab */
const numbers = (tab) =>
    group(tab, 0)
        .locator("ol > li")
        .evaluateAll((items) => items.map((item) => getComputedStyle(item).listStyleType));
const summary = (/** @type {Page} */ tab) => tab.locator("main .predictions p").innerText();
const stored = (/** @type {Page} */ tab) =>
    tab.evaluate(() =>
        Object.keys(localStorage)
            .filter((key) => key.startsWith("prediction:"))
            .sort(),
    );

const ticked = (/** @type {Page} */ tab) =>
    tab.locator("#mdbook-sidebar a.answered").evaluateAll((links) => links.map((link) => link.getAttribute("href")));

/**
 * @param {Context} context
 * @param {string} folder
 */
async function theFirstPageLeadsBack(context, folder) {
    where = "the way back";
    const tab = await open(context, folder, LADDER);
    await tab.locator("#your-turn").evaluate((heading) => heading.scrollIntoView());
    await tab.goto(pathToFileURL(join(folder, "index.html")).href);
    await tab.locator(".go-on a").click();
    await tab.waitForURL(`**/${LADDER}.html#your-turn`);
    await tab.close();
}

/**
 * @param {Context} context
 * @param {string} folder
 * @param {Shot} shot
 */
async function answersAreCheckedKeptAndForgotten(context, folder, shot) {
    where = "answers";
    const tab = await open(context, folder, LADDER);
    contains("the summary", await summary(tab), "3 questions to predict on this page, none answered yet");
    same("an unanswered question's box is open", await isOpen(tab, 0), false);

    await button(tab, 0).click();
    contains("the word about no answer", await said(tab, 0), "Choose an answer first");
    same("what is stored for no answer", await stored(tab), []);

    // By its text: the label belongs to its button.
    await group(tab, 0).getByText("When client 1 leaves: the thread is free again.").click();
    await button(tab, 0).click();
    contains("the word about a wrong answer", await said(tab, 0), "Not right.");
    same("the answer's box is open", await isOpen(tab, 0), true);
    same("how the answers are marked", await marks(tab, 0), ["✗", "✓", ""]);

    await radio(tab, 1, 2).check();
    await button(tab, 1).click();
    contains("the word about a right answer", await said(tab, 1), "Right.");
    contains("the summary", await summary(tab), "2 of 3 questions on this page answered, 1 right");
    same("pages with a tick while a question is open", await ticked(tab), []);
    await radio(tab, 2, 1).check();
    await button(tab, 2).click();
    contains("the summary", await summary(tab), "3 of 3 questions on this page answered, 2 right");
    const keys = ["client-that-left", "one-thread", "silent-client"].map((name) => `prediction:${LADDER}/${name}`);
    same("what is stored", await stored(tab), keys);
    same("pages with a tick", await ticked(tab), [`${LADDER}.html`]);
    await shot(tab, "answered");

    await tab.reload({ waitUntil: "load" });
    same("the wrong answer after a reload", await radio(tab, 0, 1).isChecked(), true);
    same("the right answer after a reload", await radio(tab, 1, 2).isChecked(), true);
    contains("the word after a reload", await said(tab, 0), "Not right.");
    same("the answer's box after a reload", await isOpen(tab, 0), true);
    contains("the summary after a reload", await summary(tab), "2 right");

    await button(tab, 0).click();
    same("pages with a tick when a question is open again", await ticked(tab), []);
    same("one that is answered again", await radio(tab, 0, 1).isChecked(), false);
    same("its box", await isOpen(tab, 0), false);
    same("what is stored", await stored(tab), keys.slice(1));
    await radio(tab, 0, 2).check();
    await button(tab, 0).click();
    contains("the word about the second try", await said(tab, 0), "Right.");
    await tab.close();
    await answersAreForgotten(context, folder);
}

/**
 * All of them on the page on how to read the book, and those of a page on the page.
 * @param {Context} context
 * @param {string} folder
 */
async function answersAreForgotten(context, folder) {
    let tab = await open(context, folder, "reading");
    contains("the count on the page on how to read", await summary(tab), "keeps 3 answers");
    await tab.evaluate(() => localStorage.setItem("another", "kept"));
    await tab.locator("main .predictions button").click();
    contains("the count when all is forgotten", await summary(tab), "keeps none of your answers");
    same("what is stored", await stored(tab), []);
    same("what belongs to others", await tab.evaluate(() => localStorage.getItem("another")), "kept");
    await tab.close();

    tab = await open(context, folder, LADDER);
    same("a forgotten answer", await tab.locator(".predict input:checked").count(), 0);
    await radio(tab, 0, 1).check();
    await button(tab, 0).click();
    await tab.locator("main .predictions button").click();
    contains("the summary when the page's are forgotten", await summary(tab), "none answered yet");
    same("a forgotten answer's box", await isOpen(tab, 0), false);
    same("what is stored", await stored(tab), []);
    await tab.close();
}

/**
 * @param {Context} context
 * @param {string} folder
 * @param {Shot} shot
 */
async function numbersAreEstimated(context, folder, shot) {
    where = "numbers";
    const tab = await open(context, folder, "load");
    const field = group(tab, 0).locator("input");
    await field.fill("about twenty");
    await button(tab, 0).click();
    contains("the word about no number", await said(tab, 0), "isn't a number");
    same("the field with the focus", await field.evaluate((it) => it === document.activeElement), true);
    await field.fill("1,000");
    // Enter is as good as the button.
    await field.press("Enter");
    contains("the word about a wrong number", await said(tab, 0), "Not right.");
    contains("what it is", await group(tab, 0).locator(".outcome").innerText(), "✗ It is 20 responses");
    await group(tab, 1).locator("input").fill("150");
    await button(tab, 1).click();
    contains("the word about a right number", await said(tab, 1), "Right.");
    contains("what it is", await group(tab, 1).locator(".outcome").innerText(), "✓ It is 140 responses");
    await shot(tab, "numbers");
    await tab.reload({ waitUntil: "load" });
    same("a number after a reload", await field.inputValue(), "1,000");
    contains("the word after a reload", await said(tab, 0), "Not right.");
    await tab.close();
}

/**
 * From the top of the page, with the keys alone.
 * @param {Context} context
 * @param {string} folder
 */
async function theKeyboardIsEnough(context, folder) {
    where = "keyboard";
    const tab = await open(context, folder, "ch03-threadpool");
    const name = await radio(tab, 0, 1).getAttribute("name");
    const focused = () =>
        tab.evaluate(() => document.activeElement?.getAttribute("name") ?? document.activeElement?.textContent);
    let steps = 0;
    while ((await focused()) !== name && steps < 300) {
        await tab.keyboard.press("Tab");
        steps += 1;
    }
    same("the first thing of the question that Tab reaches", await focused(), name);
    await tab.keyboard.press("Space");
    await tab.keyboard.press("ArrowDown");
    same("the answer that the arrow chose", await radio(tab, 0, 2).isChecked(), true);
    await tab.keyboard.press("Tab");
    same("what follows the answers", await button(tab, 0).evaluate((own) => own === document.activeElement), true);
    await tab.keyboard.press("Enter");
    contains("the word", await said(tab, 0), "Right.");
    same("the focus is kept", await button(tab, 0).evaluate((own) => own === document.activeElement), true);
    await tab.keyboard.press("Space");
    same("what has the focus to answer again", await focused(), name);
    same("nothing is chosen", await group(tab, 0).locator("input:checked").count(), 0);
    await tab.close();
}

/**
 * @param {Context} context
 * @param {string} folder
 */
async function aScreenReaderIsTold(context, folder) {
    where = "screen reader";
    const tab = await open(context, folder, LADDER);
    const question = group(tab, 0).getByRole("group", { name: "When does client 2 get its response?" });
    same("groups with the question as their name", await question.count(), 1);
    const answer = question.getByRole("radio", { name: "When the five seconds are over." });
    same("radio buttons with the answer as their name", await answer.count(), 1);
    // A region must be there before its words, or they are not read out.
    same("status regions before an answer", await group(tab, 0).locator("[role=status]").count(), 1);
    await tab.close();
    const other = await open(context, folder, "load");
    const field = group(other, 0).getByRole("textbox", { name: /Your estimate:.*responses/ });
    same("fields with a name", await field.count(), 1);
    await other.close();
}

/**
 * @param {Browser} browser
 * @param {string} folder
 */
async function nothingNeedsTheScript(browser, folder) {
    where = "no JavaScript";
    const context = await browser.newContext({ javaScriptEnabled: false });
    const tab = await open(context, folder, LADDER);
    contains("the question", await group(tab, 0).innerText(), "When does client 2 get its response?");
    same("how its answers are counted", await numbers(tab), ["decimal", "decimal", "decimal"]);
    same("what would do nothing", await tab.locator(".predict :is(button:not([data-try]), input)").count(), 0);
    const answer = group(tab, 0).locator("details");
    await answer.locator("summary").click();
    contains("the answer", await answer.innerText(), "when the five seconds are over");
    await tab.close();
    const start = await open(context, folder, "reading");
    same("the place for the count is hidden", await start.locator(".forget-predictions").isVisible(), false);
    await context.close();
}

/**
 * @param {Browser} browser
 * @param {string} folder
 */
async function nothingNeedsTheStorage(browser, folder) {
    where = "no storage";
    const context = await browser.newContext();
    await context.addInitScript(() => {
        const storage = /** @type {Record<string, any>} */ (/** @type {unknown} */ (Storage.prototype));
        for (const name of ["getItem", "setItem", "removeItem", "key"]) {
            const old = storage[name];
            storage[name] = function (/** @type {string} */ key, /** @type {string[]} */ ...rest) {
                // mdBook keeps things of its own.
                if (name === "key" || key.startsWith("prediction:")) {
                    throw new DOMException("denied", "SecurityError");
                }
                return old.call(this, key, ...rest);
            };
        }
    });
    const tab = await open(context, folder, LADDER);
    await radio(tab, 0, 2).check();
    await button(tab, 0).click();
    contains("the word", await said(tab, 0), "Right.");
    await tab.locator("main .predictions button").click();
    same("a forgotten answer", await tab.locator(".predict input:checked").count(), 0);
    await context.close();
}

/**
 * In light and dark, at the width of a phone, with answers: no fault of axe, nothing too wide, targets for a finger.
 * @param {Browser} browser
 * @param {string} folder
 * @param {string | undefined} shots
 */
async function itCanBeSeenAndTouched(browser, folder, shots) {
    for (const theme of /** @type {const} */ (["light", "dark"])) {
        where = `390 px, ${theme}`;
        const context = await browser.newContext({
            colorScheme: theme,
            hasTouch: true,
            reducedMotion: "reduce",
            viewport: { width: 390, height: 844 },
        });
        for (const page of [LADDER, "load", "measuring", "threads-and-tasks"]) {
            const tab = await open(context, folder, page);
            const count = await tab.locator("main .predict").count();
            for (let index = 0; index < count; index += 1) {
                for (const label of await group(tab, index).locator("li:first-child label").all()) {
                    await label.tap();
                }
                for (const field of await group(tab, index).locator("input[type=text]").all()) {
                    await field.fill("3");
                }
                await button(tab, index).tap();
                same(`the box of question ${index + 1} on ${page}`, await isOpen(tab, index), true);
            }
            const small = await tab.evaluate(() =>
                [...document.querySelectorAll(".predict :is(button, label), .predictions button")]
                    .filter((element) => element.getBoundingClientRect().height < 24)
                    .map((element) => element.textContent.trim()),
            );
            same(`what is too small to touch on ${page}`, small, []);
            const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
            if (wide > 391) {
                problem(`${page} is ${wide} px wide`);
            }
            for (const inside of [".predict", ".predictions"]) {
                for (const fault of await askAxe(tab, { inside })) {
                    problem(`${page}: ${fault}`);
                }
            }
            if (shots) {
                await group(tab, 0).screenshot({ path: join(shots, `predict-${page}-390-${theme}.png`) });
            }
            await tab.close();
        }
        await context.close();
    }
}

/**
 * @param {Context} context
 * @param {string} folder
 * @param {string | undefined} shots
 */
async function paperHasNumbers(context, folder, shots) {
    where = "paper";
    const tab = await open(context, folder, LADDER);
    same("how the answers are counted on a screen", await numbers(tab), ["none", "none", "none"]);
    await radio(tab, 0, 1).check();
    await button(tab, 0).click();
    if (shots) {
        await tab.pdf({ path: join(shots, "predict-paper.pdf") });
    }
    await tab.emulateMedia({ media: "print" });
    // A page prints as it is on the screen, so an answer that is folded is not given away.
    await tab.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    same("the answer of the other question is open", await isOpen(tab, 1), false);
    const pressed = tab.locator("main :is(.predict, .predictions) :is(button, input)");
    same("what is pressed", await pressed.filter({ visible: true }).count(), 0);
    same("how the answers are counted", await numbers(tab), ["decimal", "decimal", "decimal"]);
    same("how they are marked", await marks(tab, 0), ["", "", ""]);
    if (shots) {
        await group(tab, 0).screenshot({ path: join(shots, "predict-paper.png") });
    }
    await tab.close();
}

/**
 * The page for printing holds the questions of all pages: each once, with a name of its own.
 * @param {Context} context
 * @param {string} folder
 */
async function everyQuestionIsOnThePageForPrinting(context, folder) {
    where = "print.html";
    await context.addInitScript(() => {
        window.print = () => {};
    });
    const tab = await open(context, folder, "print");
    const found = await tab.evaluate(() => {
        const questions = all(document, "fieldset[data-prediction]");
        const names = questions.map((question) => question.dataset.prediction);
        const labels = questions.map((question) => question.getAttribute("aria-labelledby"));
        return {
            count: questions.length,
            twice: names.filter((name, index) => names.indexOf(name) !== index),
            pressed: all(document, ".predict :is(input, .play)").length,
            nameless: labels.filter((label) => document.querySelectorAll(`[id="${label}"]`).length !== 1),
        };
    });
    if (found.count < 30) {
        problem(`has only ${found.count} questions`);
    }
    same("what is there twice", found.twice, []);
    same("what is pressed", found.pressed, 0);
    same("questions whose text has no place of its own", found.nameless, []);
    await tab.close();
}

async function main() {
    const folder = builtBook("index.html");
    const shots = pictureFolder();
    const shot = async (/** @type {Page} */ tab, /** @type {string} */ name) => {
        if (shots) {
            await group(tab, 0).screenshot({ path: join(shots, `predict-${name}.png`) });
        }
    };
    const browser = await launch();
    const alone = async (/** @type {(context: Context) => Promise<void>} */ check) => {
        const context = await browser.newContext({ reducedMotion: "reduce" });
        await check(context);
        await context.close();
    };
    try {
        await alone((context) => answersAreCheckedKeptAndForgotten(context, folder, shot));
        await alone((context) => theFirstPageLeadsBack(context, folder));
        await alone((context) => numbersAreEstimated(context, folder, shot));
        await alone((context) => theKeyboardIsEnough(context, folder));
        await alone((context) => aScreenReaderIsTold(context, folder));
        await nothingNeedsTheScript(browser, folder);
        await nothingNeedsTheStorage(browser, folder);
        await itCanBeSeenAndTouched(browser, folder, shots);
        await alone((context) => paperHasNumbers(context, folder, shots));
        await alone((context) => everyQuestionIsOnThePageForPrinting(context, folder));
    } catch (error) {
        problem(String(error instanceof Error ? error.stack : error));
    }
    await browser.close();
    finish("all questions");
}

await main();
