// A server, a program and a check are started from their pages, in the book that the real program serves. BOOK_PROGRAM is the
// path of that program (target/debug/book), which compiles the examples that are pressed.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { test as base, expect, expectClean, reader } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */
/** @typedef {import("@playwright/test").Locator} Locator */

const ROOT = resolve(import.meta.dirname, "../..");
const PROGRAM = process.env.BOOK_PROGRAM ?? "";
/** Compiling a server of Tokio's takes a while on a machine that is busy. */
const PATIENCE = 240_000;

/** A copy of the repository, of which a test may change a file, and in which a check may make one. */
const COPY = mkdtempSync(join(tmpdir(), "served-book-"));

/** Starts the program on the copy; resolves to it and to its address. */
async function serve() {
    const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
        cwd: ROOT,
        encoding: "utf8",
    });
    for (const file of listed.split("\0").filter((name) => name !== "" && existsSync(join(ROOT, name)))) {
        cpSync(join(ROOT, file), join(COPY, file));
    }
    const program = spawn(PROGRAM, ["serve", "--no-open", "--port", "0"], {
        cwd: COPY,
        env: { ...process.env, CARGO_TARGET_DIR: join(COPY, "target") },
        stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const line of createInterface(program.stdout)) {
        const origin = /(http:\/\/[\d.:]+)\/ /.exec(line)?.[1];
        if (origin) {
            return { program, origin };
        }
    }
    throw new Error("the program has ended without an address");
}

const test = base.extend({
    origin: [
        // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its first parameter.
        async ({}, use) => {
            const { program, origin } = await serve();
            await use(origin);
            // Whatever it has started ends with it.
            program.kill("SIGKILL");
            rmSync(COPY, { recursive: true, force: true, maxRetries: 10 });
        },
        { scope: "worker" },
    ],
});

test.skip(PROGRAM === "", "BOOK_PROGRAM is not set");
// One program runs at a time.
test.describe.configure({ mode: "serial" });

/**
 * The place from which this is started.
 * @param {Page} page
 * @param {string} name
 */
const placeOf = (page, name) =>
    page.locator(`:is([data-server="${name}"], [data-program="${name}"], [data-check="${name}"])`);

/**
 * @param {Locator} place
 * @param {string} phase
 */
const reaches = (place, phase) => expect(place).toHaveAttribute("data-phase", phase, { timeout: PATIENCE });

/** @param {Locator} place */
const press = (place) => place.locator(".play > button").first().press("Enter");

for (const [device, screen] of Object.entries({
    phone: { width: 390, phone: true },
    laptop: { width: 1366, height: 768 },
})) {
    test.describe(device, () => {
        test.use(reader(screen));

        test("a server starts, its clients wait, and it stops", async ({ page }) => {
            await page.goto("ch01-single-threaded.html");
            const place = placeOf(page, "ch01_small");
            await press(place);
            await expect(place.getByRole("status")).toHaveText("cargo compiles it …");
            await reaches(place, "runs");
            const clients = place.getByRole("listitem");
            await expect(clients).toHaveCount(3);
            // While they wait, their lines are there, and no dot is.
            await expect(place.locator("svg path.queues")).toHaveCount(1);
            await expect(clients.first()).toHaveText(/^\/sleep 2\.\d\d s: 200 OK$/);
            // One thread: who asks for a page that takes no time waits for the page that does.
            await expect(clients.last()).toHaveText(/^\/ 1\.[89]\d s: 200 OK$/);
            await expect(place.locator("svg path.done")).toHaveCount(1);
            await expect(place.getByRole("img")).toHaveAccessibleName(/3 of 3 answered/);
            await expect(place.getByLabel("What the program says")).toContainText("listening on http://127.0.0.1:");
            if (process.platform === "linux") {
                await expect(place.getByRole("status")).toContainText("It has 1 thread.");
            }
            await expectClean(page);
            await place.getByRole("button", { name: "One that says nothing" }).press("Enter");
            await place.getByRole("button", { name: "One that leaves" }).press("Enter");
            await expect(clients).toHaveText([/2\.\d\d s/, /1\.\d\d s/, /1\.\d\d s/, /has waited/, /left after/]);
            await press(place);
            await reaches(place, "ended");
            await expect(place.getByRole("status")).toContainText("It has ended");
            await expect(place.locator(".play > button").first()).toHaveText("Start it again");
        });
    });
}

test("a change is compiled, and an error is shown as the compiler has it", async ({ page }) => {
    const file = join(COPY, "examples/ch01/ch01_small/main.rs");
    const before = readFileSync(file, "utf8");
    await page.goto("ch01-single-threaded.html");
    const place = placeOf(page, "ch01_small");
    const change = async (/** @type {string} */ text) => {
        // The page is loaded again when the book has been built again.
        const loaded = page.waitForEvent("load");
        writeFileSync(file, text);
        await loaded;
        await press(place);
    };
    await change(before.replace("thread::sleep(", "nonsense("));
    await reaches(place, "ended");
    await expect(place.getByRole("status")).toHaveText("It does not compile.");
    await expect(place.getByLabel("What cargo says")).toContainText("cannot find function `nonsense`");
    await change(before.replace("from_secs(2)", "from_secs(1)"));
    await reaches(place, "runs");
    await expect(place.getByRole("listitem").first()).toHaveText(/^\/sleep 1\.\d\d s: 200 OK$/);
    await press(place);
    await reaches(place, "ended");
    await change(before);
    await reaches(place, "runs");
    await press(place);
    await reaches(place, "ended");
});

test("what breaks a server is done to it, and what was predicted stands beside it", async ({ page }) => {
    await page.goto("ch01-single-threaded.html");
    const question = page.locator(".predict").first();
    await question.getByRole("radio").first().check();
    await question.getByRole("button", { name: "Check" }).click();
    const place = placeOf(page, "first_server");
    await press(place);
    await reaches(place, "runs");
    await expect(place.getByRole("listitem")).toContainText("break_it -- two-pieces");
    await expect(place.getByRole("listitem")).toContainText("broken: it answered before the request was whole");
    await press(place);
    await reaches(place, "ended");
    const first = placeOf(page, "ch01_small");
    await press(first);
    await reaches(first, "runs");
    await expect(first.locator(".start-legend")).toContainText("You predicted: ");
    // A page that is loaded anew, as after a change, goes on with what runs.
    await page.reload();
    await reaches(first, "runs");
    await press(first);
    await reaches(first, "ended");
});

test("a second page sees what runs, and may stop it", async ({ page, context }) => {
    await page.goto("ch01-single-threaded.html");
    const place = placeOf(page, "ch01_small");
    await press(place);
    await reaches(place, "runs");
    const second = await context.newPage();
    await second.goto("ch02-thread-spawn.html");
    const other = placeOf(second, "ch02_small");
    await other.locator(".play > button").first().press("Enter");
    await expect(other.getByRole("status")).toHaveText("ch01_small is running, and one program runs at a time.");
    await press(other);
    await reaches(other, "runs");
    await reaches(place, "ended");
    await expect(other.getByRole("listitem").last()).toHaveText(/^\/ 0\.\d\d s: 200 OK$/);
    await press(other);
    await reaches(other, "ended");
});

test("a program runs to its end, and a check says what it saw", async ({ page }) => {
    await page.goto("ch04-async-std.html");
    const program = placeOf(page, "first_task");
    await expect(program.locator(".play > button").first()).toHaveText("Run it");
    await press(program);
    await reaches(program, "ended");
    await expect(program.getByLabel("What the program says")).toContainText("polls");
    await page.goto("ch01-single-threaded.html");
    const check = page.locator("[data-check]").first();
    await press(check);
    await reaches(check, "ended");
    await expect(check.getByRole("status")).toHaveText(/^Not passed yet\. Your file is exercises\/mine\/\w+\.rs\.$/);
    const own = `exercises/mine/${await check.getAttribute("data-check")}.rs`;
    expect(existsSync(join(COPY, own))).toBe(true);
    await expect(check.getByLabel("What the program says")).toContainText(own);
});

test("a class sees the button large, and the section that it belongs to", async ({ page }) => {
    await page.goto("ch01-single-threaded.html?teach#the-server");
    await expect(page.locator("html.teaching")).toHaveCount(1);
    const button = placeOf(page, "ch01_small").locator(".play > button").first();
    expect((await button.boundingBox())?.height).toBeGreaterThan(60);
    await page.goto("ch01-single-threaded.html?teach#predict");
    await expect(placeOf(page, "ch01_small")).toBeHidden();
});
