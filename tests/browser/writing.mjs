// Writes a diagram into a page of a book that is served, and looks whether it shows, although nobody has drawn it yet.
//
//     node writing.mjs FOLDER ADDRESS
//
// FOLDER is a copy of the repository, whose book `cargo xtask serve` serves at ADDRESS, such as 127.0.0.1:3000;
// CHROMIUM is the browser's executable. Ends with 1 if the diagram does not show.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { finish, giveUp, launch, PATIENCE, problem } from "./book.mjs";

/** The page that is written, and what stands in its new diagram. */
const PAGE = "ch02-thread-spawn";
const WORDS = "not drawn yet";

const [folder, address] = process.argv.slice(2);
if (!address) {
    giveUp("usage: node writing.mjs FOLDER ADDRESS");
}
const browser = await launch();
const tab = await browser.newPage();
await tab.goto(`http://${address}/${PAGE}.html`, { waitUntil: "load", timeout: PATIENCE });
const before = await tab.locator("pre.mermaid").count();
if (before > 0) {
    problem(PAGE, `${before} diagrams are not drawn before anything was written`);
}
const source = `flowchart LR\n    one[${WORDS}] --> two[and shown]\n`;
appendFileSync(join(folder, "book", `${PAGE}.md`), `\n\`\`\`mermaid\n${source}\`\`\`\n`);
// The page loads again by itself, and a script draws.
const drawing = tab.locator("pre.mermaid svg", { hasText: WORDS });
await drawing.waitFor({ timeout: PATIENCE }).catch(() => problem(PAGE, "a new diagram does not show"));
await browser.close();
finish("a diagram that was written while the book was served");
