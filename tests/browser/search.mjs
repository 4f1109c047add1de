// Asks the search box of a built book for each term of the glossary, by its name and by all its other names.
//
//     node search.mjs FOLDER
//
// FOLDER is the built book; CHROMIUM names the browser's executable.
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
//
// Prints a line for each name that leads nowhere, and ends with 1 if there is any.

import { builtBook, finish, launch, PATIENCE, problem, serve } from "./book.mjs";

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
    backpressure: "glossary",
    "graceful shutdown": "glossary",
    "green threads": "glossary",
    C10k: "scale",
    goroutine: "other-languages",
    timeout: "ch06-tokio",
    deadlock: "glossary",
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
    "cannot move out of `self.queue`": "ch03-threadpool",
};
/** What these pages say stands elsewhere. */
const NOWHERE = ["teachers-notes", "changes"];
/** So many names at least, or they were not found on the page. */
const LEAST = 140;

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
 * @param {{ name: string, patience: number }} wanted
 * @returns {Promise<string[]>}
 */
async function found({ name, patience }) {
    const box = need(document, "#mdbook-searchbar", HTMLInputElement);
    const list = need(document, "#mdbook-searchresults");
    box.value = name;
    box.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
    const header = need(document, "#mdbook-searchresults-header");
    for (const end = Date.now() + patience; Date.now() < end; await new Promise((done) => setTimeout(done, 5))) {
        // The header tells how many there are for which words.
        if (header.textContent?.includes(`'${name}'`)) {
            const links = /** @type {HTMLAnchorElement[]} */ (all(list, "a[href]"));
            return links.map(({ pathname, hash }) => pathname + hash);
        }
    }
    return [];
}

const folder = builtBook("glossary.html");
const browser = await launch();
const tab = await browser.newPage();
tab.setDefaultTimeout(PATIENCE);
await tab.goto(`${await serve(folder)}/glossary.html`, { waitUntil: "load", timeout: PATIENCE });
const terms = await tab.evaluate(entries);
for (const name of EXPECTED) {
    // The first word of an entry's name is enough.
    if (!terms.some(({ names }) => names.some((one) => one.toLowerCase().startsWith(name)))) {
        problem("glossary.html", `no entry has the name ${name}`);
    }
}
await tab.keyboard.press("s");
await tab.waitForFunction(() => document.activeElement?.id === "mdbook-searchbar");
let asked = 0;
for (const { entry, names, pages } of terms) {
    for (const name of names) {
        asked += 1;
        const results = await tab.evaluate(found, { name, patience: PATIENCE });
        const first = results.slice(0, LOOKED_AT);
        const rare = EXPECTED.includes(name.toLowerCase());
        if (!first.includes(entry) && (rare || !first.some((result) => pages.includes(result.split("#")[0])))) {
            problem(
                "glossary.html",
                `${name}: ${entry} is not among the first ${LOOKED_AT} of ${results.length} results`,
            );
        }
    }
}
for (const [query, page] of Object.entries(QUERIES)) {
    const [first = "nothing"] = await tab.evaluate(found, { name: query, patience: PATIENCE });
    if (!first.startsWith(`/${page}.html`)) {
        problem(`${page}.html`, `${query}: ${first} comes first`);
    }
}
for (const query of FOUND) {
    if ((await tab.evaluate(found, { name: query, patience: PATIENCE })).length === 0) {
        problem("all pages", `${query}: nothing is found`);
    }
}
for (const [sentence, page] of Object.entries(SENTENCES)) {
    const [first = "nothing"] = await tab.evaluate(found, { name: sentence, patience: PATIENCE });
    if (!first.startsWith(`/${page}.html`)) {
        problem(`${page}.html`, `${sentence}: ${first} comes first`);
    }
}
const indexed = await tab.evaluate(() => window.search.doc_urls);
for (const page of NOWHERE.filter((name) => indexed.some((url) => url.startsWith(`${name}.html`)))) {
    problem(`${page}.html`, "is in the index");
}
// A word that only a closed fold has is in sight when its page is open.
await tab.goto(`${new URL(tab.url()).origin}/ch01-single-threaded.html?highlight=strace`, { waitUntil: "load" });
await tab
    .waitForFunction(() => document.querySelector("main mark")?.checkVisibility(), undefined, { timeout: 20_000 })
    .catch(() => problem("ch01-single-threaded.html", "what a search found in a fold is not in sight"));
// Also where the page has it in sight, but not the section that was chosen.
await tab.goto(`${new URL(tab.url()).origin}/ch01-single-threaded.html?highlight=carries#what-the-whole-server-adds`);
await tab
    .waitForFunction(() => document.querySelector("main details[open] mark")?.checkVisibility(), undefined, {
        timeout: 20_000,
    })
    .catch(() => problem("ch01-single-threaded.html", "what a search found in a fold of a section is not in sight"));
// Where it is in sight as well, the folds stay closed, for there are answers in them; and no word is marked in another.
await tab.goto(`${new URL(tab.url()).origin}/ch04-async-std.html?highlight=is%20async`, { waitUntil: "load" });
await tab.waitForFunction(() => document.querySelector("main mark"), undefined, { timeout: 20_000 });
const opened = await tab.evaluate(() => document.querySelectorAll("main details[open]:has(mark)").length);
if (opened > 0) {
    problem("ch04-async-std.html", `a search has opened ${opened} folds, although its words are in sight`);
}
const parts = await tab.evaluate(() => {
    const marks = [...document.querySelectorAll("main mark")];
    return marks.filter((mark) => /\p{L}$/u.test(mark.previousSibling?.textContent ?? "")).length;
});
if (parts > 0) {
    problem("ch04-async-std.html", `a search has marked ${parts} parts of words`);
}
if (asked < LEAST) {
    problem("glossary.html", `only ${asked} names on the page`);
}
await browser.close();
finish(`${asked} names of ${terms.length} terms and ${Object.keys(QUERIES).length} queries`);
