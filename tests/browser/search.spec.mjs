// The search box, asked for each term of the glossary, by its name and by all its other names, and for what learners type.
//
// How a term is found by another name: mdBook's index has a document for each heading, in which all text up to the
// next heading counts, and nothing else (no attribute, no comment). So the other names stand in the entry's text, in
// lines that begin with "Also called" or "Also known", each name in italics: for the reader and for the index alike.
//
// A name leads there if the entry, or a page to which it refers, is among the first results: "thread pool" is in so
// many places that the chapter about it comes first.
//
// What learners type leads first to the page that answers it, also with signs in it, and a sentence to the section that
// has it. What a page hides for its teacher, nobody finds.

import { expect, test } from "./book.mjs";

/** A name must be among the first results that a reader looks through. */
const LOOKED_AT = 10;
/** What someone may type who learnt the word elsewhere; each is a name of an entry. */
const EXPECTED = [
    "backpressure",
    "back-pressure",
    "coroutine",
    "head-of-line",
    "green thread",
    "goroutine",
    "event loop",
];
/** What learners type, and the page that must come first. */
const QUERIES = {
    "async vs threads": "threads-and-tasks",
    "Arc Mutex": "shared-data",
    Pin: "glossary",
    "tokio spawn": "ch06-tokio",
    "thread pool": "ch03-threadpool",
    select: "ch06-tokio",
    "how many threads": "ch03-threadpool",
    "what is a thread": "glossary",
    wrk: "measuring",
    backpressure: "ch03-threadpool",
    "how many threads should I use": "ch03-threadpool",
    "too many open files": "ch02-thread-spawn",
    "cannot start a runtime": "where-async-ends",
    "502 Bad Gateway": "behind-a-proxy",
    "graceful shutdown": "ending-well",
    "blocking the executor": "ch04-async-std",
    "green threads": "glossary",
    C10k: "scale",
    goroutine: "other-languages",
    timeout: "ch06-tokio",
    deadlock: "shared-data",
    benchmark: "measuring",
    waker: "glossary",
    epoll: "glossary",
    "keep-alive": "glossary",
    spawn_blocking: "futures-tasks-threads",
    JoinSet: "glossary",
};
/** What learners type, with the signs of Rust and with words that stand in every section: something is found for each. */
const FOUND = [
    "Mutex vs RwLock",
    "tokio vs. async-std",
    "threads versus tasks",
    "Ctrl+C",
    "Send/Sync",
    "async/await",
    "I/O",
    "Arc<Mutex<T>>",
    "Rc<RefCell>",
    "Vec<u8>",
    "Result<(), io::Error>",
    "#[tokio::main]",
    "'static",
    "&mut",
    "select!",
    "!Send",
    ".await",
    "thread::spawn(move || ...)",
    "http/1.1",
    "Why?",
    "C++",
];
/** Sentences that stand in one section only, among them errors: it comes first. */
const SENTENCES = {
    "there is no reactor running": "ch05-futures-executor",
    "cannot be sent between threads safely": "ch02-thread-spawn",
    "future cannot be sent between threads safely": "ch04-async-std",
    "cannot move out of `self.queue`": "ch03-threadpool",
};
/** What these pages say stands elsewhere. */
const NOWHERE = ["teachers-notes", "changes", "own-solutions"];

/** Runs in the glossary: each entry's address with its names, and the pages to which it refers. */
function entries() {
    return all(document, "main h3").map((heading) => {
        const entry = /** @type {Element} */ (heading.nextElementSibling);
        const lines = entry.innerHTML.split("\n").filter((line) => /^Also (called|known)/.test(line));
        const others = lines.flatMap((line) => [...line.matchAll(/<em>(.*?)<\/em>/g)].map(([, name]) => name));
        const links = /** @type {HTMLAnchorElement[]} */ (all(entry, "a[href]")).map(({ pathname }) => pathname);
        return {
            entry: `${location.pathname}#${heading.id}`,
            names: [wordsOf(heading), ...others],
            pages: links.filter((page) => page.startsWith("/") && page !== location.pathname),
        };
    });
}

/**
 * Runs in the glossary: the addresses of what the search box finds, as it shows them.
 * @param {string} name
 * @returns {Promise<string[]>}
 */
async function found(name) {
    const box = need(document, "#mdbook-searchbar", HTMLInputElement);
    const list = need(document, "#mdbook-searchresults");
    box.value = name;
    box.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
    const header = need(document, "#mdbook-searchresults-header");
    for (;;) {
        await new Promise((done) => setTimeout(done, 5));
        // The header tells how many there are for which words.
        if (header.textContent?.includes(`'${name}'`)) {
            const links = /** @type {HTMLAnchorElement[]} */ (all(list, "a[href]"));
            return links.map(({ pathname, hash }) => pathname + hash);
        }
    }
}

test("terms by all their names, and what learners type", async ({ page }) => {
    await page.goto("glossary.html");
    const terms = await page.evaluate(entries);
    const all = terms.flatMap(({ names }) => names.map((name) => name.toLowerCase()));
    for (const name of EXPECTED) {
        // The first word of an entry's name is enough.
        expect
            .soft(
                all.some((one) => one.startsWith(name)),
                `an entry has the name ${name}`,
            )
            .toBe(true);
    }
    await page.keyboard.press("s");
    await expect(page.locator("#mdbook-searchbar")).toBeFocused();
    for (const { entry, names, pages } of terms) {
        for (const name of names) {
            const first = (await page.evaluate(found, name)).slice(0, LOOKED_AT);
            const others = EXPECTED.includes(name.toLowerCase()) ? [] : pages;
            const leads = first.some((result) => result === entry || others.includes(result.split("#")[0]));
            expect.soft(leads, `${name} leads to ${entry}, and not only to ${first}`).toBe(true);
        }
    }
    for (const [query, name] of Object.entries({ ...QUERIES, ...SENTENCES })) {
        const [first = "nothing"] = await page.evaluate(found, query);
        expect.soft(first, `what comes first for ${query}`).toContain(`/${name}.html`);
    }
    for (const query of FOUND) {
        expect.soft((await page.evaluate(found, query)).length, `results for ${query}`).toBeGreaterThan(0);
    }
    const indexed = await page.evaluate(() => window.search.doc_urls);
    expect.soft(indexed.filter((url) => NOWHERE.includes(url.split(".html")[0]))).toEqual([]);
});

test("a word that only a closed fold has is in sight when its page is open", async ({ page }) => {
    await page.goto("ch01-single-threaded.html?highlight=netstat");
    await expect(page.locator("main mark[data-markjs]").first()).toBeVisible();
});

test("so is one that is in sight as well, but not in the section that was chosen", async ({ page }) => {
    await page.goto("ch01-single-threaded.html?highlight=dropping#what-the-whole-server-adds");
    await expect(page.locator("main details[open] mark[data-markjs]").first()).toBeVisible();
});

test("folds stay closed where the words are in sight, and no part of a word is marked", async ({ page }) => {
    await page.goto("ch04-async-std.html?highlight=is%20async");
    await expect(page.locator("main mark[data-markjs]").first()).toBeAttached();
    // There are answers in them.
    await expect.soft(page.locator("main details[open]:has(mark[data-markjs])")).toHaveCount(0);
    const before = await page
        .locator("main mark[data-markjs]")
        .evaluateAll((marks) =>
            marks.map((mark) => mark.previousSibling?.textContent ?? "").filter((text) => /\p{L}$/u.test(text)),
        );
    expect.soft(before).toEqual([]);
});
