// A published book in a folder of its host, which shows a page without its ending.
//
//     node published.mjs FOLDER
//
// FOLDER is a book that was built with the three lines of book.toml that name its places. Environment: CHROMIUM, the
// browser's executable (required). Prints a line for each problem, and ends with 1 if there is any.

import { builtBook, finish, launch, serve } from "./book.mjs";
import { Checks } from "./checks.mjs";

const PREFIX = "/book/";
const REPOSITORY = "https://example.org/someone/one-thread";

const origin = await serve(builtBook("index.html"), { prefix: PREFIX, withoutEnding: true });
const browser = await launch();
const checks = new Checks(browser, origin + PREFIX.slice(0, -1));

checks.check("from the first page to the end of a chapter", "", async (tab, { is, clean }) => {
    await tab.locator("nav.nav-wrapper a[rel~=next]").click();
    await tab.waitForURL((url) => !url.pathname.endsWith(PREFIX));
    is(tab.url().startsWith(`${origin}${PREFIX}`), true, `the second page is in the folder: ${tab.url()}`);
    await tab.locator("#mdbook-sidebar .chapter a", { hasText: "A pool of threads" }).first().click();
    await tab.waitForURL(`${origin}${PREFIX}ch03-threadpool`);
    is(await tab.locator("html.contents-ready").count(), 1, "the scripts have run");
    await tab.waitForFunction(() => document.querySelector("main code.language-rust .hljs-keyword"));
    const edit = await tab.locator("a[rel=edit]").getAttribute("href");
    is(edit, `${REPOSITORY}/edit/main/book/ch03-threadpool.md`, "where the page is edited");
    const source = (await tab.locator("main .listing-head a").first().getAttribute("href")) ?? "";
    is(source.startsWith(`${REPOSITORY}/blob/main/examples/`), true, `a listing leads to ${source}`);
    await clean();
});

checks.check("a search", "ch03-threadpool", async (tab, { is }) => {
    await tab.locator("#mdbook-search-toggle").click();
    await tab.locator("#mdbook-searchbar").pressSequentially("epoll");
    await tab.locator("#mdbook-searchresults a").first().click();
    await tab.waitForURL((url) => !url.pathname.includes("ch03"));
    is(tab.url().startsWith(`${origin}${PREFIX}`), true, `what was found is in the folder: ${tab.url()}`);
});

checks.check("a page that has moved", "source-001", async (tab) => {
    await tab.waitForURL(`${origin}${PREFIX}articles#source-001`);
});

const count = await checks.run(2);
await browser.close();
finish(`${count} checks of a published book`);
