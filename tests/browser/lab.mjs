// Plays the scheduler lab of a built book in headless Chromium, and says what is wrong with it.
//
//     node lab.mjs FOLDER
//
// FOLDER is the built book; CHROMIUM is the browser's executable. Prints a line for each check that
// fails, and ends with 1 if there is any, with 2 if it could not look.

import { AXE, PATIENCE, built_book, launch, serve } from "./book.mjs";

const folder = built_book("lab.html");
const origin = await serve(folder);
const browser = await launch();

let faults = 0;
let checks = 0;

/** Opens `address` in a fresh tab, lets `look` at it, and reports what fails there or is complained about. */
async function check(name, address, look, { theme = "light", motion = "reduce", width = 1280 } = {}) {
    const context = await browser.newContext({ colorScheme: theme, reducedMotion: motion, viewport: { width, height: 844 }, hasTouch: width < 500 });
    await context.addInitScript({ path: AXE });
    await context.addInitScript(() => { window.print = () => {}; });
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    const complaints = [];
    tab.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(`the console says: ${message.text()}`));
    tab.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
    tab.on("request", (request) => !request.url().startsWith(origin) && complaints.push(`asks another host: ${request.url()}`));
    const is = (given, wanted, what) => {
        if (given !== wanted) {
            complaints.push(`${what}: ${JSON.stringify(given)}, and not ${JSON.stringify(wanted)}`);
        }
    };
    const has = (text, words, what) => {
        if (!text.includes(words)) {
            complaints.push(`${what} does not say “${words}”: ${text.slice(0, 200)}`);
        }
    };
    const clean = async () => {
        const { violations } = await tab.evaluate(() => window.axe.run(document.querySelector("main"), { resultTypes: ["violations"] }));
        for (const violation of violations) {
            complaints.push(`axe ${violation.id}: ${violation.nodes[0].target.join(" ")}: ${violation.nodes[0].failureSummary}`);
        }
        is(await tab.evaluate(() => document.scrollingElement.scrollWidth <= document.documentElement.clientWidth), true, "the page fits the screen");
    };
    try {
        await tab.goto(`${origin}/${address}`, { waitUntil: "load", timeout: PATIENCE });
        await look(tab, { is, has, clean });
    } catch (error) {
        complaints.push(String(error.message ?? error).split("\n")[0]);
    }
    checks += 1;
    for (const complaint of complaints) {
        faults += 1;
        console.log(`${name}: ${complaint.replace(/\s+/g, " ")}`);
    }
    await context.close();
}

const row = (tab, name, column) => tab.locator(".lab-table tr", { has: tab.getByRole("rowheader", { name, exact: true }) }).locator("td").nth(column).innerText();

for (const [theme, width] of [["light", 1280], ["dark", 390]]) {
    await check(`a question, ${theme}, ${width} px`, "lab.html#preset=pool-80", async (tab, { is, has, clean }) => {
        const play = tab.getByRole("button", { name: "Play, and see" });
        await play.waitFor();
        is(await play.isDisabled(), true, "Play waits for an answer");
        is(await tab.locator(".lab-results").isVisible(), false, "the figures are shown before the answer");
        await tab.getByRole("radio", { name: "200, as there are twenty clients" }).check();
        await play.click();
        await tab.locator(".lab-verdict").waitFor();
        has(await tab.locator(".lab-verdict").innerText(), "8 / 0.1 s = 80", "the verdict");
        has(await tab.locator(".lab-law").innerText(), "8 / 0.1 s = 80 requests a second", "the law");
        is(await row(tab, "answers a second", 0), "80", "the law's figure");
        is(await row(tab, "answers a second", 1), "80", "the run's figure");
        has(await tab.locator("[aria-live=polite]").innerText(), "The law says 80 answers a second; this run gave 80.", "what a screen reader hears");
        await clean();
        const small = await tab.locator("scheduler-lab :is(button, select):visible").evaluateAll((all) => all.filter((it) => it.getBoundingClientRect().height < 37.5).length);
        is(small, 0, "controls that are too small");
    }, { theme, width });
}

await check("it plays by itself to the end", "ch03-threadpool.html", async (tab, { is, has }) => {
    const lab = tab.locator("scheduler-lab[preset=pool-80]");
    await lab.getByRole("radio").nth(1).check();
    await lab.getByRole("button", { name: "Play, and see" }).click();
    await lab.getByRole("button", { name: "Pause" }).waitFor();
    await lab.locator(".lab-verdict").waitFor();
    has(await lab.locator(".lab-verdict").innerText(), "Right", "the verdict");
    const threads = lab.getByRole("spinbutton", { name: "Threads", exact: true });
    await threads.fill("16");
    await threads.press("Tab");
    has(await lab.locator(".lab-results").innerText(), "16 / 0.1 s = 160 requests a second", "the law after a knob was turned");
    const link = await lab.getByRole("link", { name: "Open this in the lab" }).getAttribute("href");
    has(link, "threads=16", "the link to the lab");
    is(await tab.evaluate(() => location.hash), "", "a small lab changes the address");
}, { motion: "no-preference" });

await check("a link keeps the settings", "lab.html", async (tab, { is, has }) => {
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

await check("the keyboard is enough", "lab.html#preset=one-thread", async (tab, { is, has }) => {
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
    has(await tab.locator("canvas").first().getAttribute("aria-label"), "At 0 ms: 0 requests are answered, 19 wait in the queue", "the picture's words");
    is(await tab.locator(".lab-results").isVisible(), true, "the figures stay");
});

await check("a bad link gives a message", "lab.html#model=pool&thread=8", async (tab, { is, has }) => {
    await tab.locator(".lab-message").waitFor();
    has(await tab.locator(".lab-message").innerText(), "There is no setting “thread”", "the message");
    is(await tab.getByRole("spinbutton", { name: "Threads", exact: true }).inputValue(), "8", "threads");
    // A link on the page is followed at once, and takes the message away.
    await tab.getByRole("link", { name: "one blocking call in ten" }).click();
    await tab.getByText("Nine requests of ten").first().waitFor();
    is(await tab.locator(".lab-message").isVisible(), false, "the message is still there");
});

await check("the page for the printer", "print.html", async (tab, { is }) => {
    is(await tab.locator(".lab").count(), 0, "labs on the page for the printer");
    is(await tab.locator("scheduler-lab").first().isVisible(), true, "the question in words");
});

await check("a page without a lab", "recap.html", async (tab, { is }) => {
    is(await tab.evaluate(() => performance.getEntriesByType("resource").some((entry) => entry.name.includes("/lab/"))), false, "loads the lab");
});

await browser.close();
console.log(`${checks} checks, ${faults} faults`);
process.exit(faults === 0 ? 0 : 1);
