// A published page has the public Playground run a small server, after it has asked. The real one can't be reached from
// here, so this one answers in its place, in the form of its source (rust-playground, ui/src/public_http_api.rs); what is
// sent is compiled and run by the tests of tools/book/src/playground.

import { expect, expectClean, reader, test } from "./book.mjs";

/** @typedef {import("@playwright/test").Page} Page */

const PLAYGROUND = "https://play.rust-lang.org/execute";
const OUTPUT = {
    success: true,
    exitDetail: "Exited with status 0",
    stdout: "listening on http://127.0.0.1:1/\nclient / 100 102 200 OK\nclient / 101 103 200 OK\nclient /sleep 0 2003 200 OK\n",
    stderr: "   Compiling playground v0.0.1 (/playground)\n",
};

/**
 * Answers in the Playground's place, and keeps what was asked.
 * @param {Page} page
 * @param {{ status?: number, json?: object, away?: boolean }} answer
 */
async function standIn(page, { status = 200, json = OUTPUT, away = false }) {
    /** @type {{ code: string, edition: string }[]} */
    const asked = [];
    await page.route("https://play.rust-lang.org/**", (route) => {
        asked.push(route.request().postDataJSON());
        const headers = { "Access-Control-Allow-Origin": "*" };
        return away ? route.abort("connectionrefused") : route.fulfill({ status, json, headers });
    });
    return asked;
}

/** @param {Page} page */
const placeOf = (page) => page.locator('[data-server="ch03_small"]');

for (const [device, screen] of Object.entries({ phone: { width: 390, phone: true }, laptop: { width: 1366 } })) {
    test.describe(device, () => {
        test.use(reader(screen));

        test("a page asks once, sends, and draws what comes back", async ({ page, complaints }) => {
            const asked = await standIn(page, {});
            await page.goto("ch03-threadpool.html");
            const place = placeOf(page);
            const button = place.getByRole("button", { name: /^Run it on play\.rust-lang\.org/ });
            await button.press("Enter");
            const question = place.getByRole("group", { name: "Before anything is sent" });
            await expect(question).toContainText("play.rust-lang.org");
            await expectClean(page);
            await question.getByRole("button", { name: "Don’t" }).press("Enter");
            await expect(question).toHaveCount(0);
            expect(asked).toEqual([]);
            expect(complaints, "nothing has left the host").toEqual([]);

            await button.press("Enter");
            await question.getByRole("group").click();
            const sent = await question.locator("pre").textContent();
            await question.getByRole("button", { name: "Send it" }).press("Enter");
            await expect(place.getByRole("listitem")).toHaveText([
                "/sleep 2.00 s: 200 OK",
                "/ 0.00 s: 200 OK",
                "/ 0.00 s: 200 OK",
            ]);
            await expect(place.locator("svg path.done")).toHaveCount(1);
            await expect(place.getByRole("status")).toHaveText("It has ended.");
            expect(asked).toHaveLength(1);
            expect(asked[0].code).toBe(sent);
            expect(asked[0].edition).toBe("2024");
            expect(sent).toContain("fn work(streams: &Mutex<Receiver<TcpStream>>)");
            await expectClean(page);

            // On another page as well, nobody is asked again.
            await page.goto("ch02-thread-spawn.html");
            await page.locator('[data-server="ch02_small"] button').first().press("Enter");
            await expect.poll(() => asked.length).toBe(2);
            expect(complaints.splice(0)).toEqual(Array(2).fill(`asks another host: ${PLAYGROUND}`));
        });
    });
}

test("where the Playground refuses or is away, a line says so and gives the command", async ({ page, complaints }) => {
    await standIn(page, { status: 429 });
    await page.goto("ch03-threadpool.html");
    const place = placeOf(page);
    const press = () => place.locator(".play > button").first().press("Enter");
    await press();
    await place.getByRole("button", { name: "Send it" }).press("Enter");
    const status = place.getByRole("status");
    await expect(status).toHaveText(
        "The Playground has refused it (429). On your own machine: cargo run --example ch03_small",
    );
    await page.unroute("https://play.rust-lang.org/**");
    await standIn(page, { away: true });
    await press();
    await expect(status).toHaveText(
        "The Playground can’t be reached. On your own machine: cargo run --example ch03_small",
    );
    // The browser says itself that both have failed.
    expect(complaints.splice(0).every((complaint) => /play\.rust-lang\.org|Failed to load/.test(complaint))).toBe(true);
});

test("a server of a crate that the Playground has not says so, and others offer nothing", async ({ page }) => {
    await page.goto("ch04-async-std.html");
    await expect(page.locator('[data-server="ch04_small"]')).toHaveText(
        /doesn’t have async-std.*cargo run --example ch04_small$/,
    );
    await expect(page.locator('[data-server="ch04_async_std"]')).toBeEmpty();
    await expect(page.locator("[data-check]").first()).toBeEmpty();
});
