// Draws what others see of the book before they open it: the first picture as the README shows it (.github/screenshot.png), and
// as a link to the book is previewed (book/images/how-many-wait.png, of 1200 by 630 pixels). Run it when its figures or its looks
// have changed:
//
//     cargo xtask build
//     CHROMIUM=/usr/bin/chromium npm run --prefix tests/browser preview

import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../..", import.meta.url));
const book = resolve(process.env.BOOK ?? `${root}/target/book`);
/** The page is the picture alone, without what surrounds it in the book. */
const ALONE = `
    #mdbook-menu-bar, #mdbook-menu-bar-hover-placeholder, #mdbook-sidebar, nav { display: none !important }
    main > :not(h1 + p, .how-many), .play { display: none !important }
    .page { margin: 0 !important }
    #mdbook-content.content { padding: 0 !important }
    .how-many > .at { padding: 0 !important }
`;
/** The README has said the sentence; a preview has less room above and below. */
const WITHOUT_SENTENCE = "main > p { display: none !important }";
const LOW = "table.lanes tbody :is(th, td) { height: 44px !important }";

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
for (const { file, width, height, scale, style } of [
    { file: ".github/screenshot.png", width: 810, height: 470, scale: 2, style: WITHOUT_SENTENCE },
    { file: "book/images/how-many-wait.png", width: 960, height: 504, scale: 1.25, style: LOW },
]) {
    const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: scale, colorScheme: "light" });
    await page.goto(pathToFileURL(`${book}/introduction.html`).href);
    await page.addStyleTag({ content: ALONE + style });
    // The same room on all sides.
    await page.evaluate(async () => {
        await document.fonts.ready;
        const main = /** @type {HTMLElement} */ (document.querySelector("main"));
        main.style.maxWidth = "750px";
        const high = main.getBoundingClientRect().height;
        main.style.margin = `${Math.max(0, (innerHeight - high) / 2)}px auto 0`;
    });
    await page.screenshot({ path: `${root}/${file}` });
    console.log(file);
}
await browser.close();
