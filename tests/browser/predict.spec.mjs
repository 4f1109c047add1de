// The questions to the reader, answered in every way. The pages are opened as files: so the questions need no server, and a
// request to any host is a fault.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, expectAccessible, folder, reader, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

const LADDER = "ch01-single-threaded";

const addressOf = (/** @type {string} */ name) => pathToFileURL(join(folder, `${name}.html`)).href;

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

test("the first page leads back", async ({ page: tab }) => {
    await tab.goto(addressOf(LADDER));
    await tab.locator("#your-turn").evaluate((heading) => heading.scrollIntoView());
    await tab.goto(addressOf("index"));
    await tab.locator(".go-on a").click();
    await tab.waitForURL(`**/${LADDER}.html#your-turn`);
});

test("answers are checked, kept and forgotten", async ({ page: tab }) => {
    await tab.goto(addressOf(LADDER));
    expect.soft(await summary(tab), "the summary").toContain("3 questions to predict on this page, none answered yet");
    expect.soft(await isOpen(tab, 0), "an unanswered question's box is open").toEqual(false);

    await button(tab, 0).click();
    expect.soft(await said(tab, 0), "the word about no answer").toContain("Choose an answer first");
    expect.soft(await stored(tab), "what is stored for no answer").toEqual([]);

    // By its text: the label belongs to its button.
    await group(tab, 0).getByText("When client 1 leaves: the thread is free again.").click();
    await button(tab, 0).click();
    expect.soft(await said(tab, 0), "the word about a wrong answer").toContain("Not right.");
    expect.soft(await isOpen(tab, 0), "the answer's box is open").toEqual(true);
    expect.soft(await marks(tab, 0), "how the answers are marked").toEqual(["✗", "✓", ""]);

    await radio(tab, 1, 2).check();
    await button(tab, 1).click();
    expect.soft(await said(tab, 1), "the word about a right answer").toContain("Right.");
    expect.soft(await summary(tab), "the summary").toContain("2 of 3 questions on this page answered, 1 right");
    expect.soft(await ticked(tab), "pages with a tick while a question is open").toEqual([]);
    await radio(tab, 2, 1).check();
    await button(tab, 2).click();
    expect.soft(await summary(tab), "the summary").toContain("3 of 3 questions on this page answered, 2 right");
    const keys = ["client-that-left", "one-thread", "silent-client"].map((name) => `prediction:${LADDER}/${name}`);
    expect.soft(await stored(tab), "what is stored").toEqual(keys);
    expect.soft(await ticked(tab), "pages with a tick").toEqual([`${LADDER}.html`]);

    await tab.reload({ waitUntil: "load" });
    expect.soft(await radio(tab, 0, 1).isChecked(), "the wrong answer after a reload").toEqual(true);
    expect.soft(await radio(tab, 1, 2).isChecked(), "the right answer after a reload").toEqual(true);
    expect.soft(await said(tab, 0), "the word after a reload").toContain("Not right.");
    expect.soft(await isOpen(tab, 0), "the answer's box after a reload").toEqual(true);
    expect.soft(await summary(tab), "the summary after a reload").toContain("2 right");

    await button(tab, 0).click();
    expect.soft(await ticked(tab), "pages with a tick when a question is open again").toEqual([]);
    expect.soft(await radio(tab, 0, 1).isChecked(), "one that is answered again").toEqual(false);
    expect.soft(await isOpen(tab, 0), "its box").toEqual(false);
    expect.soft(await stored(tab), "what is stored").toEqual(keys.slice(1));
    await radio(tab, 0, 2).check();
    await button(tab, 0).click();
    expect.soft(await said(tab, 0), "the word about the second try").toContain("Right.");

    // All of them on the page on how to read the book, and those of a page on the page.
    await tab.goto(addressOf("reading"));
    expect.soft(await summary(tab), "the count on the page on how to read").toContain("keeps 3 answers");
    await tab.evaluate(() => localStorage.setItem("another", "kept"));
    await tab.locator("main .predictions button").click();
    expect.soft(await summary(tab), "the count when all is forgotten").toContain("keeps none of your answers");
    expect.soft(await stored(tab), "what is stored").toEqual([]);
    expect.soft(await tab.evaluate(() => localStorage.getItem("another")), "what belongs to others").toEqual("kept");

    await tab.goto(addressOf(LADDER));
    expect.soft(await tab.locator(".predict input:checked").count(), "a forgotten answer").toEqual(0);
    await radio(tab, 0, 1).check();
    await button(tab, 0).click();
    await tab.locator("main .predictions button").click();
    expect.soft(await summary(tab), "the summary when the page's are forgotten").toContain("none answered yet");
    expect.soft(await isOpen(tab, 0), "a forgotten answer's box").toEqual(false);
    expect.soft(await stored(tab), "what is stored").toEqual([]);
});

test("numbers are estimated", async ({ page: tab }) => {
    await tab.goto(addressOf("load"));
    const field = group(tab, 0).locator("input");
    await field.fill("about twenty");
    await button(tab, 0).click();
    expect.soft(await said(tab, 0), "the word about no number").toContain("isn't a number");
    expect.soft(await field.evaluate((it) => it === document.activeElement), "the field with the focus").toEqual(true);
    await field.fill("1,000");
    // Enter is as good as the button.
    await field.press("Enter");
    expect.soft(await said(tab, 0), "the word about a wrong number").toContain("Not right.");
    expect.soft(await group(tab, 0).locator(".outcome").innerText(), "what it is").toContain("✗ It is 20 responses");
    await group(tab, 1).locator("input").fill("150");
    await button(tab, 1).click();
    expect.soft(await said(tab, 1), "the word about a right number").toContain("Right.");
    expect.soft(await group(tab, 1).locator(".outcome").innerText(), "what it is").toContain("✓ It is 140 responses");
    await tab.reload({ waitUntil: "load" });
    expect.soft(await field.inputValue(), "a number after a reload").toEqual("1,000");
    expect.soft(await said(tab, 0), "the word after a reload").toContain("Not right.");
});

test("the keyboard is enough, from the top of the page", async ({ page: tab }) => {
    await tab.goto(addressOf("ch03-threadpool"));
    const name = await radio(tab, 0, 1).getAttribute("name");
    const focused = () =>
        tab.evaluate(() => document.activeElement?.getAttribute("name") ?? document.activeElement?.textContent);
    let steps = 0;
    while ((await focused()) !== name && steps < 300) {
        await tab.keyboard.press("Tab");
        steps += 1;
    }
    expect.soft(await focused(), "the first thing of the question that Tab reaches").toEqual(name);
    await tab.keyboard.press("Space");
    await tab.keyboard.press("ArrowDown");
    expect.soft(await radio(tab, 0, 2).isChecked(), "the answer that the arrow chose").toEqual(true);
    await tab.keyboard.press("Tab");
    expect
        .soft(await button(tab, 0).evaluate((own) => own === document.activeElement), "what follows the answers")
        .toEqual(true);
    await tab.keyboard.press("Enter");
    expect.soft(await said(tab, 0), "the word").toContain("Right.");
    expect
        .soft(await button(tab, 0).evaluate((own) => own === document.activeElement), "the focus is kept")
        .toEqual(true);
    await tab.keyboard.press("Space");
    expect.soft(await focused(), "what has the focus to answer again").toEqual(name);
    expect.soft(await group(tab, 0).locator("input:checked").count(), "nothing is chosen").toEqual(0);
});

test("a screen reader is told", async ({ page: tab }) => {
    await tab.goto(addressOf(LADDER));
    const question = group(tab, 0).getByRole("group", { name: "When does client 2 get its response?" });
    expect.soft(await question.count(), "groups with the question as their name").toEqual(1);
    const answer = question.getByRole("radio", { name: "When the five seconds are over." });
    expect.soft(await answer.count(), "radio buttons with the answer as their name").toEqual(1);
    // A region must be there before its words, or they are not read out.
    expect.soft(await group(tab, 0).locator("[role=status]").count(), "status regions before an answer").toEqual(1);
    await tab.goto(addressOf("load"));
    const field = group(tab, 0).getByRole("textbox", { name: /Your estimate:.*responses/ });
    expect.soft(await field.count(), "fields with a name").toEqual(1);
});

test.describe(() => {
    test.use(reader({ scripts: false }));
    test("nothing needs the script", async ({ page: tab }) => {
        await tab.goto(addressOf(LADDER));
        expect.soft(await group(tab, 0).innerText(), "the question").toContain("When does client 2 get its response?");
        expect.soft(await numbers(tab), "how its answers are counted").toEqual(["decimal", "decimal", "decimal"]);
        expect
            .soft(await tab.locator(".predict :is(button:not([data-try]), input)").count(), "what would do nothing")
            .toEqual(0);
        const answer = group(tab, 0).locator("details");
        await answer.locator("summary").click();
        expect.soft(await answer.innerText(), "the answer").toContain("when the five seconds are over");
        await tab.goto(addressOf("reading"));
        expect
            .soft(await tab.locator(".forget-predictions").isVisible(), "the place for the count is hidden")
            .toEqual(false);
    });
});

test("nothing needs the storage", async ({ page: tab }) => {
    await tab.addInitScript(() => {
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
    await tab.goto(addressOf(LADDER));
    await radio(tab, 0, 2).check();
    await button(tab, 0).click();
    expect.soft(await said(tab, 0), "the word").toContain("Right.");
    await tab.locator("main .predictions button").click();
    expect.soft(await tab.locator(".predict input:checked").count(), "a forgotten answer").toEqual(0);
});

for (const theme of /** @type {const} */ (["light", "dark"])) {
    for (const page of [LADDER, "load", "measuring", "threads-and-tasks"]) {
        test.describe(() => {
            test.use(reader({ theme, width: 390 }));
            test(`${page} can be seen and touched, ${theme}`, async ({ page: tab }) => {
                await tab.goto(addressOf(page));
                const count = await tab.locator("main .predict").count();
                for (let index = 0; index < count; index += 1) {
                    for (const label of await group(tab, index).locator("li:first-child label").all()) {
                        await label.tap();
                    }
                    for (const field of await group(tab, index).locator("input[type=text]").all()) {
                        await field.fill("3");
                    }
                    await button(tab, index).tap();
                    expect.soft(await isOpen(tab, index), `the box of question ${index + 1}`).toEqual(true);
                }
                const small = await tab.evaluate(() =>
                    all(document, ".predict :is(button, label), .predictions button")
                        .filter((element) => element.getBoundingClientRect().height < 24)
                        .map(wordsOf),
                );
                expect.soft(small, "what is too small to touch").toEqual([]);
                expect.soft(await tab.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(391);
                await expectAccessible(tab, { inside: ".predict" });
                await expectAccessible(tab, { inside: ".predictions" });
            });
        });
    }
}

test("paper has numbers", async ({ page: tab }) => {
    await tab.goto(addressOf(LADDER));
    expect.soft(await numbers(tab), "how the answers are counted on a screen").toEqual(["none", "none", "none"]);
    await radio(tab, 0, 1).check();
    await button(tab, 0).click();
    await tab.emulateMedia({ media: "print" });
    // A page prints as it is on the screen, so an answer that is folded is not given away.
    await tab.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    expect.soft(await isOpen(tab, 1), "the answer of the other question is open").toEqual(false);
    const pressed = tab.locator("main :is(.predict, .predictions) :is(button, input)");
    expect.soft(await pressed.filter({ visible: true }).count(), "what is pressed").toEqual(0);
    expect.soft(await numbers(tab), "how the answers are counted").toEqual(["decimal", "decimal", "decimal"]);
    expect.soft(await marks(tab, 0), "how they are marked").toEqual(["", "", ""]);
});

test("every question is on the page for printing, once, with a name of its own", async ({ page: tab }) => {
    await tab.goto(addressOf("print"));
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
    expect.soft(found.count, "questions").toBeGreaterThan(0);
    expect.soft(found.twice, "what is there twice").toEqual([]);
    expect.soft(found.pressed, "what is pressed").toEqual(0);
    expect.soft(found.nameless, "questions whose text has no place of its own").toEqual([]);
});
