import { chromium } from "playwright-core";
const B = process.env.BOOK ?? "/tmp/tm-book";
const only = process.argv[2];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", chromiumSandbox: false, args: ["--disable-gpu"] });
for (const [width, height] of [[1366, 768], [1920, 1080]]) for (const theme of ["light", "navy"]) {
    if (only && !only.includes(`${width}`) ) continue;
    if (only && !only.includes(theme) && /light|navy/.test(only)) continue;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme === "light" ? "light" : "dark" });
    await context.addInitScript((theme) => { try { localStorage.setItem("mdbook-theme", theme); } catch {} window.print = () => {}; }, theme);
    const tab = await context.newPage();
    tab.on("pageerror", (e) => console.log("ERR", e.message));
    tab.on("console", (m) => m.type() === "error" && console.log("CON", m.text()));
    const shot = (name, page = tab) => page.screenshot({ path: `/tmp/tm-shots/${name}-${width}-${theme}.png` });
    const go = async (address) => { await tab.goto("about:blank"); await tab.goto(`file://${B}/${address}`); await tab.locator(".teach-corner p").waitFor(); };
    await go("ch01-single-threaded.html?teach&lesson=90-minutes#the-defect");
    await shot("closed");
    await tab.keyboard.press("o"); await tab.waitForTimeout(7500); await shot("opened");
    await go("ch02-thread-spawn.html?teach#the-change");
    for (let i = 0; i < 3; i++) { await tab.keyboard.press("o"); await tab.waitForTimeout(300); }
    await tab.waitForTimeout(7000); await shot("pair");
    await go("workshop.html?teach&lesson=half-day&part=5"); await shot("exercise");
    await tab.keyboard.press("w"); await tab.locator("dialog pre").first().waitFor(); await shot("solution");
    await tab.keyboard.press("a"); await shot("answer");
    await tab.keyboard.press("Escape");
    await go("ch01-single-threaded.html?teach&lesson=90-minutes&part=1#the-defect");
    await context.clock.install({ time: new Date(2026, 0, 1, 10, 9) });
    const [notes] = await Promise.all([tab.waitForEvent("popup"), tab.keyboard.press("n")]);
    await notes.setViewportSize({ width: 1000, height: 760 });
    await notes.locator(".teach-slot").waitFor();
    await notes.waitForTimeout(1500);
    await notes.getByRole("button", { name: "Begin now" }).click();
    await shot("notes-on-time", notes);
    await context.clock.fastForward(11 * 60000); await notes.waitForTimeout(500); await shot("notes-late", notes);
    await go("recap.html?teach&lesson=90-minutes&part=11"); await notes.waitForTimeout(1500);
    await shot("end", tab); await shot("end-notes", notes);
    await context.close();
}
await browser.close();
