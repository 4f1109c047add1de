// Pages as a teacher shows them: a section at a time, with the notes in a second window. They are opened as files, in a
// browser without any flag that a reader doesn't have, and one is served.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { expect, expectAccessible, folder, reader, test } from "./book.mjs";

/**
 * @typedef {import("@playwright/test").Page} Page
 */

const CHAPTERS = ["ch01-single-threaded.html", "ch03-threadpool.html", "ch06-tokio.html", "other-languages.html"];
const PAGE = "ch03-threadpool.html";
/** Of the second window: what is shown, what comes next, and the time since it was opened. */
const NOW = ".teach-head h1";
const NEXT = ".teach-head > p:last-child";
const SINCE = ".teach-head .since";
/** More keys than the longest page takes. */
const MOST_KEYS = 400;

const asFile = (/** @type {string} */ page) => new URL(page, `${pathToFileURL(folder).href}/`).href;
const place = (/** @type {Page} */ tab) => tab.locator(".teach-corner p");

/**
 * What a script of the built book that holds data sets.
 * @param {string} file
 */
function dataOf(file) {
    const set = /** @type {{ LESSONS: Lesson[], SOLUTIONS: ExerciseTexts[] }} */ ({});
    runInNewContext(readFileSync(join(folder, "teach", file), "utf8").replace("globalThis.", ""), set);
    return set;
}

/** @param {string} name */
function lessonOf(name) {
    const lesson = dataOf("lessons.js").LESSONS.find((one) => one.name === name);
    if (!lesson) {
        throw new Error(`there is no lesson ${name}`);
    }
    return lesson;
}

/** What stands below a first picture is seen when that is open. @param {Page} tab */
async function openFirstPicture(tab) {
    const closed = tab.locator("main > rung-replay.opening[data-closed]:not([data-elsewhere])");
    for (let press = 0; press < 4 && (await closed.count()) > 0; press += 1) {
        await tab.keyboard.press("o");
    }
}

/** @param {Page} tab */
async function begin(tab) {
    await tab.keyboard.press("p");
    await place(tab).waitFor();
}

/** Runs in the page: what of it is seen now, by its number among the page's elements, and what is wrong with that. */
function look() {
    const main = need(document, "main");
    const isFold = (/** @type {Element} */ element) =>
        element.matches("details") && !/^(Answer|The task:)/.test(wordsOf(element));
    const shown = [...main.children].filter((element) => element.checkVisibility());
    const seen = [...main.children].flatMap((element, index) =>
        shown.includes(element) && !isFold(element) ? [index] : [],
    );
    const below = shown.filter((element) => !element.matches("h1, h2, h3") && wordsOf(element) !== "");
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = scrollWidth > clientWidth ? [`is ${scrollWidth} px wide, of ${clientWidth}`] : [];
    // A fold is seen where there is nothing else, and then what is in it.
    const folds = all(main, "details").filter((fold) => fold.checkVisibility() && isFold(fold));
    const opens = folds.filter((fold) => !below.every(isFold) || !(/** @type {HTMLDetailsElement} */ (fold).open));
    const size = Number.parseFloat(getComputedStyle(main).fontSize);
    return {
        place: need(document, ".teach-corner p").textContent ?? "",
        seen,
        faults: [
            ...wide,
            ...opens.map((fold) => `shows ${wordsOf(fold).slice(0, 40)}`),
            ...(size < 20 ? [`letters of ${size} px`] : []),
            ...(below.length === 0 ? ["shows nothing but a heading"] : []),
        ],
    };
}

/** Runs in the page: the numbers of the elements that a class should see, which are all but the folds. */
function wanted() {
    return [...need(document, "main").children].flatMap((element, index) => {
        const folded = element.matches("details") && !/^(Answer|The task:)/.test(wordsOf(element));
        return element.checkVisibility() && !folded && !element.matches(".predictions") ? [index] : [];
    });
}

/** Runs in the page: what the reader has, without what plays by itself. */
function wholePage() {
    const copy = /** @type {Element} */ (need(document, "main").cloneNode(true));
    for (const playing of all(copy, "rung-replay, scheduler-lab")) {
        playing.remove();
    }
    const { className } = document.documentElement;
    return `${copy.innerHTML} ${className} ${document.body.children.length} ${location.href.split("#")[0]}`;
}

for (const [index, page] of CHAPTERS.entries()) {
    const screen = index === 1 ? { width: 1920, height: 1080 } : { width: 1366, height: 768 };
    test.describe(() => {
        test.use(reader({ ...screen, theme: index === 2 ? "dark" : "light" }));
        test(`all of ${page}, by keys`, async ({ page: tab }) => {
            await tab.goto(asFile(page));

            const [before, all] = [await tab.evaluate(wholePage), await tab.evaluate(wanted)];
            await begin(tab);
            await tab.keyboard.press("Home");
            const first = await tab.evaluate(look);
            /** @type {Map<string, number[]>} */
            const sections = new Map([[first.place, first.seen]]);
            const keys = ["PageDown", "ArrowRight", " "];
            const [, count] = first.place.split(" of ");
            for (let step = 0; step < MOST_KEYS; step += 1) {
                await tab.keyboard.press(keys[step % keys.length]);
                await openFirstPicture(tab);
                const { place, seen, faults } = await tab.evaluate(look);
                expect.soft(faults.join(), `at ${place}`).toBe("");
                sections.set(place, seen);
            }
            expect.soft([...sections.keys()].at(-1), "the last section").toBe(`${count} of ${count}`);
            expect.soft(sections.size, "sections that were shown").toBe(Number(count));
            expect
                .soft([...sections.values()].flat().join(), "the page's elements, each in one section")
                .toBe(all.join());
            await tab.keyboard.press("Home");
            expect.soft(await place(tab).textContent(), "the place after Home").toBe(`1 of ${count}`);
            await tab.keyboard.press("End");
            await tab.keyboard.press("PageUp");
            expect.soft((await tab.evaluate(look)).faults.join(), "on the way back").toBe("");
            await tab.keyboard.press("Escape");
            expect.soft(await tab.evaluate(wholePage), "the page after Escape").toBe(before);
        });
    });
}

test("an answer opens, and axe finds nothing", async ({ page: tab }) => {
    await tab.goto(`${PAGE}?teach#predict`);

    await place(tab).waitFor();
    const answer = tab.locator(".predict details").first();
    expect
        .soft(await answer.evaluate((fold) => /** @type {HTMLDetailsElement} */ (fold).open), "it is open at once")
        .toBe(false);
    await answer.locator("summary").click();
    expect.soft(await answer.locator("p").first().isVisible(), "the answer is seen").toBe(true);
    // The page's own heading is its first section.
    const rules = { "page-has-heading-one": { enabled: false } };
    await expectAccessible(tab, { rules });
    const shown = await place(tab).textContent();
    await tab.reload();
    await place(tab).waitFor();
    expect.soft(await place(tab).textContent(), "the place after a reload").toBe(shown);
});

test("what stands below a first picture waits until that is open", async ({ page: tab }) => {
    await tab.goto("ch01-single-threaded.html?teach#the-defect");

    await place(tab).waitFor();
    const asked = tab.locator("main > p", { hasText: "When does client 2 have its page?" });
    const told = tab.locator("main > p", { hasText: "nearly two seconds" });
    await expect.soft(asked, "the question").toBeVisible();
    await expect.soft(told, "the answer in words").toBeHidden();
    await tab.keyboard.press("o");
    await expect.soft(told, "when the picture is open").toBeVisible();
});

test("a teacher's own answer isn't shown to the class, nor is the class's kept", async ({ page: tab }) => {
    const stored = () =>
        tab.evaluate(() => Object.entries(localStorage).filter(([key]) => key.startsWith("prediction:")));
    const fold = tab.locator(".predict details").first();
    const isOpen = () => fold.evaluate((box) => /** @type {HTMLDetailsElement} */ (box).open);
    const check = tab.locator(".predict .play button").first();
    await tab.goto(PAGE);
    await tab.locator(".predict input").first().check();
    await check.click();
    const before = await stored();
    expect.soft(before.length, "the answers that are stored").toBe(1);
    expect.soft(await isOpen(), "it is open for its reader").toBe(true);

    await tab.goto(`${PAGE}?teach#predict`);
    await place(tab).waitFor();
    expect.soft(await isOpen(), "it is open for a class").toBe(false);
    expect.soft(await tab.locator(".predict input:checked").count(), "answers that a class sees").toBe(0);
    await tab.locator(".predict input").nth(1).check();
    await check.click();
    expect.soft(await isOpen(), "it opens for a class").toBe(true);
    expect.soft(await stored(), "what is stored then").toEqual(before);
});

test("keys that are somebody else's", async ({ page: tab }) => {
    await tab.goto(PAGE);

    await tab.keyboard.press("/");
    await tab.keyboard.press("p");
    expect.soft(await tab.locator("#mdbook-searchbar").inputValue(), "what is searched for").toBe("p");
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("Alt+p");
    expect
        .soft(await tab.evaluate(() => document.querySelector("[src*=teach]")), "teaching has been asked for")
        .toBe(null);
    await begin(tab);
    await tab.goto(`${tab.url().split("#")[0]}#predict`);
    const radio = tab.locator(".predict input").first();
    await radio.check();
    const shown = await place(tab).textContent();
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("ArrowRight");
    expect.soft(await place(tab).textContent(), "the place after an arrow among answers").toBe(shown);
    await tab.keyboard.press("p");
    expect.soft(await place(tab).count(), "P ends it").toBe(0);
});

/**
 * The second window: what it says, that it leads, and that it stays when the first one goes to another page.
 * @param {Page} tab
 */
async function checkNotes(tab) {
    await begin(tab);
    await tab.keyboard.press("Home");
    const opens = tab.waitForEvent("popup");
    await tab.keyboard.press("n");
    const notes = await opens;
    const says = (/** @type {string} */ selector, /** @type {string} */ words) =>
        notes.locator(selector, { hasText: words }).waitFor();
    await says(NOW, "A pool of threads");
    await says(NEXT, "Next: The defect");
    const seen = notes.locator("main > *:visible");
    expect.soft((await seen.allInnerTexts()).length, "notes that are seen").toBe(1);
    expect.soft(await seen.innerText(), "whose they are").toContain("A pool of threads");
    await notes.keyboard.press("ArrowRight");
    await says(NOW, "The defect");
    await notes.keyboard.press("PageUp");
    await says(NOW, "A pool of threads");
    await notes.keyboard.press("PageDown");
    await says(NOW, "The defect");
    const part = notes.locator('main a[href$="ch03-threadpool.html#a-queue-with-two-reasons-to-wait"]').first();
    await part.click();
    await says(NOW, "A queue with two reasons to wait");
    expect.soft(await notes.locator("main [aria-current]").count(), "parts that are marked").toBe(1);
    expect.soft(await part.getAttribute("aria-current"), "the part is marked").toBe("step");
    expect.soft(await notes.locator(SINCE).textContent(), "the time since it began").toContain("00:00:");
    await notes.locator(SINCE, { hasText: "00:00:02" }).waitFor();
    await notes.getByRole("button", { name: "from 0" }).click();
    expect.soft(await notes.locator(SINCE).textContent(), "the time after it began again").toBe("00:00:00");
    await expectAccessible(notes);
    await tab.keyboard.press("End");
    await tab.locator('main a[href*="ch04-async-std.html"]:visible').last().click();
    await says(NOW, "Tasks: async-std");
    expect.soft(await seen.innerText(), "whose notes they are then").toContain("Tasks: async-std");
    await notes.keyboard.press("End");
    await says(NEXT, "The end of this page");
    const shown = await notes.locator(".teach-head .place").textContent();
    expect.soft(await place(tab).textContent(), "the place in both windows").toBe(shown);
    await notes.keyboard.press("p");
    expect.soft(await notes.locator(".teach-corner").count(), "P teaches the notes").toBe(0);
}

test("the notes, from files", async ({ page: tab }) => {
    await tab.goto(asFile(PAGE));

    await checkNotes(tab);
});
test.describe(() => {
    test.use(reader({ theme: "dark" }));
    test("the notes, served", async ({ page: tab }) => {
        await tab.goto(PAGE);

        await checkNotes(tab);
    });
});

const SCREENS = [
    { width: 1366, height: 768 },
    { width: 1920, height: 1080 },
];
/** A picture of each kind, by its page; the lab is open from the beginning. */
const PICTURES = [
    { kind: "a race", page: "recap.html", selector: "rung-replay.race" },
    { kind: "a first picture", page: "ch02-thread-spawn.html", selector: "rung-replay.opening" },
    { kind: "before and after", page: "ch02-thread-spawn.html", selector: "rung-replay.pair" },
    { kind: "a recording", page: "ch02-thread-spawn.html", selector: "rung-replay.recording" },
    { kind: "a chart", page: "ch02-thread-spawn.html", selector: "figure.chart[id]" },
];

/**
 * Goes to the section of the first element that a selector finds.
 * @param {Page} tab
 * @param {string} page
 * @param {string} selector
 */
async function goToSectionOf(tab, page, selector) {
    await tab.goto(page);
    const id = await tab.evaluate((selector) => {
        const one = need(document, `main ${selector}`);
        const isBefore = (/** @type {Element} */ heading) =>
            heading.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
        return all(document, "main :is(h1, h2, h3)").findLast(isBefore)?.id;
    }, selector);
    await tab.goto(`${page}?teach#${id}`);
    await place(tab).waitFor();
}

/**
 * Runs in the page: what of a picture is not on the screen, of its title, its axis, its clock and its buttons.
 * @param {string} selector
 */
function cutOff(selector) {
    const picture = need(document, `main ${selector}`);
    const foot = need(document, ".teach-corner").getBoundingClientRect().top;
    const parts = all(picture, ".finding, svg.pic, .thumb, .rows > input, .play > *, .switch");
    const seen = parts.filter((part) => part.checkVisibility({ visibilityProperty: true }));
    const cut = seen.filter((part) => {
        const { top, bottom } = part.getBoundingClientRect();
        return top < 0 || bottom > foot;
    });
    return {
        seen: seen.length,
        cut: cut.map((part) => `${part.tagName} ${part.getAttribute("class")} ${part.getBoundingClientRect().bottom}`),
        wide: Math.max(...all(picture, "svg.pic:not(.sign-of)").map((drawn) => drawn.getBoundingClientRect().width)),
    };
}

for (const screen of SCREENS) {
    test.describe(() => {
        test.use(reader({ ...screen, motion: "no-preference" }));
        for (const { kind, page, selector } of PICTURES) {
            test(`${kind} is closed, opens and fits ${screen.width} by ${screen.height}`, async ({ page: tab }) => {
                await goToSectionOf(tab, page, selector);

                const picture = tab.locator(`main ${selector}`).first();
                const finding = picture.locator(".finding").first();
                await picture.locator(".teach-closed").waitFor();
                expect.soft(await finding.isVisible(), "the title is seen").toBe(false);
                expect
                    .soft(await picture.locator(".teach-closed").innerText(), "digits before the answer")
                    .not.toMatch(/\d/);
                await expectAccessible(tab, { inside: "main", rules: { "page-has-heading-one": { enabled: false } } });
                // Where there are several in the section, each press opens one.
                for (let press = 0; press < 4 && !(await finding.isVisible()); press += 1) {
                    await tab.keyboard.press("o");
                }
                await expect(finding).toBeVisible();
                const { seen, cut, wide } = await tab.evaluate(cutOff, selector);
                expect.soft(cut, "what is cut off").toEqual([]);
                expect.soft(seen, "parts of it").toBeGreaterThan(1);
                expect.soft(wide, "how wide it is drawn").toBeGreaterThan(screen.width / 3);
                await tab.keyboard.press("Escape");
                expect.soft(await tab.locator(".teach-closed, [data-closed]").count(), "closed for a reader").toBe(0);
            });
        }

        test(`a lab fits ${screen.width} by ${screen.height}`, async ({ page: tab }) => {
            await goToSectionOf(tab, "ch03-threadpool.html", "scheduler-lab");

            const lab = tab.locator("main scheduler-lab").first();
            await lab.locator(".play button").waitFor();
            await lab.evaluate((lab) => lab.scrollIntoView({ block: "start", behavior: "instant" }));
            const { seen, cut } = await tab.evaluate(cutOff, "scheduler-lab");
            expect.soft(cut, "what is cut off").toEqual([]);
            expect.soft(seen, "parts of it").toBeGreaterThan(3);
        });

        test(`solutions fit ${screen.width} by ${screen.height}`, async ({ page: tab }) => {
            await tab.goto(asFile("ch04-async-std.html"));

            await begin(tab);
            expect.soft(await tab.evaluate(() => window.SOLUTIONS), "loaded before it is asked for").toBe(undefined);
            await tab.keyboard.press("w");
            const dialog = tab.getByRole("dialog");
            await dialog.waitFor();
            await dialog.getByRole("combobox").selectOption("two_waits");
            const columns = dialog.locator("pre");
            const [right, wrong] = await columns.evaluateAll((all) =>
                all.map((one) => one.getBoundingClientRect().toJSON()),
            );
            expect.soft(right.right, "side by side").toBeLessThanOrEqual(wrong.left);
            expect.soft(right.top, "at one height").toBe(wrong.top);
            expect.soft(Math.min(right.height, wrong.height), "room for code").toBeGreaterThan(screen.height / 3);
            const size = await columns
                .first()
                .locator("code")
                .evaluate((code) => getComputedStyle(code).fontSize);
            expect.soft(Number.parseFloat(size), "letters, in pixels").toBeGreaterThanOrEqual(18);
            const beyond = await dialog.evaluate(
                (it) => it.scrollHeight - it.clientHeight + it.scrollWidth - it.clientWidth,
            );
            expect.soft(beyond, "pixels beyond the screen").toBe(0);
            expect.soft(await columns.nth(1).locator("mark").count(), "lines that differ").toBeGreaterThan(0);
            expect.soft(await dialog.innerText(), "the answer is seen").not.toContain("Caught by");
            await expectAccessible(tab, { inside: "dialog" });
            await tab.keyboard.press("a");
            await expect.soft(dialog.getByText(/Caught by both_questions_are_open_at_the_same_time/)).toBeVisible();
            await expectAccessible(tab, { inside: "dialog" });
            await tab.keyboard.press("PageDown");
            expect.soft(await dialog.innerText(), "the next one").toContain("2 of 2");
            expect.soft(await dialog.innerText(), "its answer is seen").not.toContain("Caught by");
            await tab.keyboard.press("Escape");
            expect.soft(await dialog.isVisible(), "after Escape").toBe(false);
            expect.soft(await place(tab).isVisible(), "the page is still taught").toBe(true);
        });
    });
}

test("each wrong version has a check that catches it", () => {
    for (const { name, checks, wrong } of dataOf("solutions.js").SOLUTIONS) {
        expect.soft(wrong.length, `wrong versions of ${name}`).toBeGreaterThan(0);
        for (const { title, caught } of wrong) {
            expect.soft(checks, `${name}: ${title}`).toContain(caught);
        }
    }
});

test("a click on the answer leaves the keys to the solutions", async ({ page: tab }) => {
    await tab.goto(asFile("ch04-async-std.html"));

    await begin(tab);
    const shown = String(await place(tab).textContent());
    await tab.keyboard.press("w");
    const dialog = tab.getByRole("dialog");
    await dialog.getByRole("combobox").selectOption("two_waits");
    await dialog.getByRole("button", { name: "Answer" }).click();
    await expect.soft(dialog).toContainText("Caught by");
    await tab.keyboard.press("ArrowRight");
    await expect.soft(dialog, "the next one").toContainText("2 of 2");
    await expect.soft(place(tab), "the page behind").toHaveText(shown);
});

/** Runs in the page: what of a lesson is on the wall. */
function onTheWall() {
    const part = new URLSearchParams(location.search).get("part");
    const shown = all(document, "main > *").filter((element) => element.checkVisibility());
    return {
        index: part === null ? -1 : Number(part),
        page: pageOf(location.pathname),
        screen: document.querySelector(".teach-screen h1")?.textContent ?? "",
        until: document.querySelector(".teach-screen .until")?.textContent ?? "",
        words: shown.map(wordsOf).join(" "),
        sections: shown.filter((element) => element.matches("h1, h2, h3")).map(({ id }) => id),
    };
}

test("a lesson is walked with one key, there and back, and axe finds nothing", async ({ page: tab }) => {
    const { parts } = lessonOf("90-minutes").days[0];
    await tab.goto(asFile("workshop.html?teach&lesson=90-minutes&part=0"));

    /** @type {Map<number, ReturnType<typeof onTheWall>>} */
    const walked = new Map();
    /** @returns {Promise<ReturnType<typeof onTheWall>>} */
    const look = async () => {
        await place(tab).waitFor();
        // The page may just have been left for another one.
        const wall = await tab.evaluate(onTheWall).catch(() => look());
        walked.set(wall.index, wall);
        return wall;
    };
    for (let step = 0; step < MOST_KEYS && (await look()).index < parts.length; step += 1) {
        await tab.keyboard.press("PageDown");
    }
    expect.soft([...walked.keys()], "the parts that were shown").toEqual([...parts.keys(), parts.length]);
    expect.soft(walked.get(parts.length)?.screen, "at the end").toContain("The end");
    const ends = parts.flatMap(({ through }, index) => (through === null ? [] : [{ through, index }]));
    expect.soft(ends.length, "parts that end where the lesson says").toBeGreaterThan(0);
    for (const { through, index } of ends) {
        expect.soft(walked.get(index)?.sections, `the last section of part ${index}`).toContain(through);
    }
    for (const [index, { title, page, kind, starts, minutes }] of parts.entries()) {
        const wall = walked.get(index);
        if (page === null || ["exercise", "together", "pause", "slack"].includes(kind)) {
            const [hours, late] = starts.split(":").map(Number);
            const end = new Date(0, 0, 0, hours, late + minutes).toTimeString().slice(0, 5);
            expect.soft([wall?.screen, wall?.until], `the screen of part ${index}`).toEqual([title, end]);
        } else {
            expect.soft([wall?.page, wall?.screen], `the page of part ${index}`).toEqual([page, ""]);
        }
    }
    await expectAccessible(tab);
    walked.clear();
    for (let step = 0; step < MOST_KEYS && (await look()).index > 0; step += 1) {
        await tab.keyboard.press("PageUp");
    }
    expect.soft([...walked.keys()], "on the way back").toEqual([...parts.keys(), parts.length].toReversed());
    // A reload stays where it is.
    const taught = parts.findIndex(({ page }) => page !== null);
    await tab.goto(asFile(`${parts[taught].page}.html?teach&lesson=90-minutes#${parts[taught].id}`));
    const before = await look();
    expect.soft(before.index, "the part to which its link leads").toBe(taught);
    await tab.reload();
    expect.soft(await look(), "after a reload").toEqual(before);
});

test("the screen of an exercise has its command, and a wrong lesson is named", async ({ page: tab }) => {
    const { days } = lessonOf("two-days");
    const index = days[1].parts.findIndex(({ kind }) => kind === "exercise");
    const { exercise, page } = days[1].parts[index];
    await tab.goto(`recap.html?teach&lesson=two-days&day=2&part=${index}`);

    await tab.getByText(`cargo xtask learn start ${exercise}`).waitFor();
    await expectAccessible(tab);
    await tab.keyboard.press("w");
    await expect.soft(tab.getByRole("dialog").getByRole("combobox")).toHaveValue(String(exercise));
    await tab.keyboard.press("w");
    await tab.getByRole("link", { name: "The task" }).click();
    await tab.waitForURL(`**/${page}.html*`);
    await expect.soft(tab.locator(`main [data-check="${exercise}"]`)).toBeAttached();
    expect.soft((await tab.evaluate(onTheWall)).screen, "a screen over the task").toBe("");
    await tab.goto(`${PAGE}?teach&lesson=ninety`);
    await expect.soft(place(tab)).toContainText("There is no lesson “ninety”, but: 90-minutes");
});

test("a link without a section leads on in a lesson, and a row of its table into it", async ({ page: tab }) => {
    const index = lessonOf("90-minutes").days[0].parts.findIndex(({ page }) => page === "ch03-threadpool");
    await tab.goto(asFile(`${PAGE}?teach&lesson=90-minutes&part=${index}#recap`));

    await place(tab).waitFor();
    await tab.locator('main a[href="ch04-async-std.html"]:visible').last().click();
    // Where it stays, the address has its section.
    await tab.waitForURL(new RegExp(`/ch04-async-std.html\\?teach&lesson=90-minutes&part=${index}#`));
    await expect.soft(place(tab)).toContainText(/^Part \d+ of \d+: 1 of \d+$/);
    await tab.goto(asFile("workshop.html"));
    const link = tab.getByRole("link", { name: /^Solutions of/ }).first();
    const name = String(await link.textContent());
    await link.click();
    await expect.soft(tab.locator(".teach-screen h1")).toHaveText(name.replace(/[“”]/g, '"'));
});

/**
 * The second window in a lesson: this part's lines alone, how late it is after a reload of both windows, and what each part
 * took.
 * @param {Page} tab
 * @param {(page: string) => string} address
 */
async function checkLesson(tab, address) {
    const { parts } = lessonOf("90-minutes").days[0];
    const minute = 60_000;
    await tab.context().clock.install({ time: new Date(2026, 0, 1, 10, 4) });
    await tab.goto(address(`ch01-single-threaded.html?teach&lesson=90-minutes&part=0`));
    await place(tab).waitFor();
    const opens = tab.waitForEvent("popup");
    await tab.keyboard.press("n");
    const notes = await opens;
    const slot = notes.locator(".teach-slot .slot");
    await notes.locator(NOW, { hasText: parts[0].title }).waitFor();
    await expect.soft(slot, "before it begins, by the plan").toHaveText(/^until 10:0\d$/);
    await notes.getByRole("button", { name: "Begin now" }).click();
    const ends = `until 10:${String(4 + parts[0].minutes).padStart(2, "0")}`;
    await expect.soft(slot).toHaveText(`${ends} · ${parts[0].minutes} minutes left`);
    await expect.soft(tab.locator(".until")).toHaveText(ends.slice(-5));
    await tab.context().clock.fastForward((parts[0].minutes + 3) * minute);
    await expect.soft(slot).toHaveText(`${ends} · 3 minutes late`);
    await tab.keyboard.press("PageDown");
    await notes.locator(NOW, { hasText: parts[1].title }).waitFor();
    const line = parts[1].lines.ask.replace(/<[^>]*>/g, "").slice(0, 20);
    await expect.soft(notes.locator(".teach-plan dl"), "the part's question").toContainText(line);
    expect.soft(await notes.locator(".sheet:visible").count(), "notes of the page").toBe(0);
    const took = (/** @type {number} */ index) => notes.locator(".teach-plan tbody tr").nth(index).locator("td").last();
    await expect.soft(took(0)).toHaveText(String(parts[0].minutes + 3));
    await expectAccessible(notes);
    await notes.reload();
    await notes.locator(NOW, { hasText: parts[1].title }).waitFor();
    await expect.soft(slot, "after a reload").toContainText(/left|late/);
    await expect.soft(took(0), "after a reload").toHaveText(String(parts[0].minutes + 3));
    await notes.getByRole("button", { name: parts[3].title }).click();
    await tab.waitForURL(`**/${parts[3].page}.html*`);
    await notes.locator(NOW, { hasText: parts[3].title }).waitFor();
    await tab.goto(address(`recap.html?teach&lesson=90-minutes&part=${parts.length}`));
    await notes.locator(NOW, { hasText: "The end" }).waitFor();
    await expect.soft(slot).toHaveText("");
    await expect.soft(took(0), "at the end").toHaveText(String(parts[0].minutes + 3));
    await notes.getByRole("button", { name: "Copy the table" }).click();
    const copied = await notes.evaluate(() => String(getSelection()));
    expect.soft(copied, "what is copied").toContain(`${parts[0].title}\t${parts[0].minutes}\t${parts[0].minutes + 3}`);
}

test("a lesson's notes, from files", async ({ page: tab }) => {
    await checkLesson(tab, asFile);
});
test.describe(() => {
    test.use(reader({ theme: "dark" }));
    test("a lesson's notes, served", async ({ page: tab }) => {
        await checkLesson(tab, (page) => page);
    });
});
