// A book that was built with the three lines of book.toml that name its places, in a folder of its host, which shows a page
// without its ending.

import { expect, expectClean, SHORT, test } from "./book.mjs";

test.use({ baseURL: async ({ origin }, use) => use(`${origin}/${SHORT}`) });
const REPOSITORY = "https://example.org/someone/one-thread";

test("from the first page to the end of a chapter", async ({ page: tab, baseURL }) => {
    await tab.goto("");

    await tab.locator("nav.nav-wrapper a[rel~=next]").click();
    await tab.waitForURL((url) => !url.pathname.endsWith(SHORT));
    expect.soft(tab.url().startsWith(baseURL ?? ""), `the second page is in the folder: ${tab.url()}`).toBe(true);
    await tab.locator("#mdbook-sidebar .chapter a", { hasText: "A pool of threads" }).first().click();
    await tab.waitForURL(`${baseURL}ch03-threadpool`);
    expect.soft(await tab.locator("html.contents-ready").count(), "the scripts have run").toBe(1);
    await tab.waitForFunction(() => document.querySelector("main code.language-rust .hljs-keyword"));
    const edit = await tab.locator("a[rel=edit]").getAttribute("href");
    expect.soft(edit, "where the page is edited").toBe(`${REPOSITORY}/edit/main/book/ch03-threadpool.md`);
    const source = (await tab.locator("main .listing-head a").first().getAttribute("href")) ?? "";
    expect.soft(source.startsWith(`${REPOSITORY}/blob/main/examples/`), `a listing leads to ${source}`).toBe(true);
    await expectClean(tab);
});

test("a search", async ({ page: tab, baseURL }) => {
    await tab.goto("ch03-threadpool");

    await tab.locator("#mdbook-search-toggle").click();
    await tab.locator("#mdbook-searchbar").pressSequentially("epoll");
    await tab.locator("#mdbook-searchresults a").first().click();
    await tab.waitForURL((url) => !url.pathname.includes("ch03"));
    expect.soft(tab.url().startsWith(baseURL ?? ""), `what was found is in the folder: ${tab.url()}`).toBe(true);
});

test("a page that has moved", async ({ page: tab, baseURL }) => {
    await tab.goto("source-001");

    await tab.waitForURL(`${baseURL}articles#source-001`);
});
