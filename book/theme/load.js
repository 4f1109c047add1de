// What a page can be seen without: it comes after the first look.
//
// First, what moves and answers is loaded with its style, where a page has it. A page reads well without all of this.
//
// No module, so that it works in a page from a file, too.
{
    /** The scripts of each folder, by the element that wants them; each may use those before it. */
    const folders = {
        glossary: { "glossary-filter": ["filter"] },
        playing: { "rung-replay": ["player", "recording"] },
    };
    const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);
    // All pages in one, for the printer, have no use for it.
    const onPaper = /\/print(-[a-z]+)?(\.html)?$/.test(location.pathname);
    for (const [name, elements] of onPaper ? [] : Object.entries(folders)) {
        const folder = new URL(`../${name}/`, src).href;
        // This script is deferred, so the whole page is there.
        const here = Object.entries(elements).filter(([element]) => document.querySelector(element));
        if (here.length > 0) {
            const scripts = here.flatMap(([, scripts]) => scripts);
            loadStyle(`${folder}${name}.css`).then(() => loadScripts(folder, scripts));
        }
    }
    // In the book that `cargo xtask serve` shows, a page can start what it lists; elsewhere, a small server may be run by the
    // Playground, when a reader wants that.
    const startable = "served" in document.documentElement.dataset ? ".start" : ".start:is([data-sent], [data-lacks])";
    if (!onPaper && location.protocol !== "file:" && document.querySelector(startable)) {
        const folder = new URL("../start/", src).href;
        loadStyle(`${folder}start.css`).then(() => loadScripts(folder, ["start"]));
    }
    if (document.querySelector("pre.change")) {
        loadScripts(new URL("./", src).href, ["change"]);
    }
    // The lab, and a level of "You are the scheduler", come when a reader comes near them. A level is data, which a page
    // that is a file can't load. They come early, so that what they change of the page changes below what is read.
    const lab = new URL("../lab/", src).href;
    const playing = new URL("../playing/", src).href;
    const game = new URL("../schedule/", src).href;
    /** @type {Record<string, () => void>} */
    const nearby = {
        "scheduler-lab": () =>
            Promise.all([loadStyle(`${lab}lab.css`), loadStyle(`${playing}playing.css`)]).then(() => {
                loadScripts(playing, ["player"]);
                loadScripts(lab, ["simulator", "settings", "picture", "lab"]);
            }),
    };
    if (location.protocol !== "file:") {
        nearby["schedule-game"] = () => loadStyle(`${game}schedule.css`).then(() => loadScripts(game, ["schedule"]));
    }
    for (const [name, load] of onPaper ? [] : Object.entries(nearby)) {
        const near = new IntersectionObserver(
            (entries) => {
                if (entries.some(({ isIntersecting }) => isIntersecting)) {
                    near.disconnect();
                    load();
                }
            },
            { rootMargin: "300% 0px" },
        );
        for (const element of document.querySelectorAll(name)) {
            near.observe(element);
        }
    }
}

// Where the reader is in the book: a tick in the contents on each page whose questions are answered, and on the first
// page a link to where this browser was last. Both stay in this browser.
{
    const LAST = "last-place";
    const main = need(document, "main");
    /** @param {string} address */
    const pageOf = (address) => /([^/]*?)(\.html)?$/.exec(address)?.[1] || "index";
    const page = pageOf(location.pathname);
    const isFirst = ["index", "introduction"].includes(page);
    // All pages in one, and the page for a wrong address.
    const isNone = ["print", "404"].includes(page);

    const tick = () => {
        const keys = Object.keys(localStorage);
        for (const link of all(document, "#mdbook-sidebar .chapter a[href$='.html']")) {
            const name = pageOf(link.getAttribute("href") ?? "");
            const asked = Number(localStorage.getItem(`questions:${name}`));
            const given = keys.filter((key) => key.startsWith(`prediction:${name}/`)).length;
            link.classList.toggle("answered", asked > 0 && given >= asked);
        }
    };

    /** Where the reader is: the last section that begins above the middle of the screen. */
    const remember = () => {
        const above = all(main, "h2[id]").filter((heading) => heading.getBoundingClientRect().top < innerHeight / 2);
        const heading = above.at(-1);
        if (heading && !isFirst && !isNone) {
            const name = `${wordsOf(need(document, ".menu-title"))}: ${wordsOf(heading)}`;
            localStorage.setItem(LAST, [page, heading.id, name].join("\n"));
        }
    };

    const leadBack = () => {
        const [page, id, name] = (localStorage.getItem(LAST) ?? "").split("\n");
        const begin = document.getElementById("begin");
        if (name && begin) {
            const link = make("a", { href: `${page}.html#${id}` }, name);
            begin.before(make("p", { class: "go-on" }, "Continue where you were: ", link));
        }
    };

    const stores = () => {
        try {
            localStorage.getItem(LAST);
            return true;
        } catch {
            return false;
        }
    };
    // A browser that may store nothing has nothing to show.
    if (stores()) {
        if (isFirst) {
            leadBack();
        }
        window.addEventListener("pagehide", remember);
        document.addEventListener("DOMContentLoaded", tick);
        document.addEventListener("answered", tick);
    }
}

// What is typed into the search box finds something although mdBook's search knows no signs: "Mutex vs RwLock",
// "Ctrl+C", "Arc<Mutex<T>>". And mdBook's list gets another order: first the sections whose title is what was typed or has
// it before or after a colon, then those of whose title it is a part, then those that have the whole sentence, such as an
// error.
{
    /** Words that stand between those that are meant. */
    const BETWEEN = ["vs", "versus"];
    /** So many words in this order are a sentence. */
    const SENTENCE = 3;
    /** With fewer hits than this, a word is looked for in two words as well, as back-pressure is two for mdBook. */
    const FEW = 5;

    /** @param {string} text */
    const wordsIn = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

    /** @param {string} text */
    const bare = (text) => ` ${wordsIn(text).join(" ")} `;

    /** @param {string[]} words */
    const meant = (words) => words.filter((word) => !BETWEEN.includes(word.toLowerCase().replace(".", ""))).join(" ");

    /** @param {SearchResult} result */
    const isTerm = ({ doc }) => doc.breadcrumbs.startsWith("Glossary");

    /** @param {SearchIndex} prototype */
    const improve = (prototype) => {
        const ask = prototype.search;
        /** @type {Map<string, string>} */
        const bodies = new Map();
        prototype.search = function (query, settings) {
            const words = wordsIn(query);
            const sentence = bare(query);
            const sections = Object.entries(this.documentStore.docs).map(([ref, doc]) => ({ ref, doc, score: 0 }));
            /** @param {SearchResult} result */
            const textOf = ({ ref, doc }) => {
                const text = bodies.get(ref) ?? bare(`${doc.title} ${doc.body}`);
                bodies.set(ref, text);
                return text;
            };
            const has = (/** @type {SearchResult} */ result) => textOf(result).includes(sentence);
            const hasInTwo = (/** @type {SearchResult} */ result) =>
                textOf(result).replaceAll(" ", "").includes(words.join(""));
            const isCalledSo = (/** @type {SearchResult} */ { doc }) => {
                const title = bare(doc.title);
                return wordsIn(title).length >= Math.min(SENTENCE, words.length) && sentence.includes(title);
            };
            // "Two locks: a deadlock" is about a deadlock, and comes before the glossary's entry.
            const isAbout = (/** @type {SearchResult} */ result) =>
                !isTerm(result) &&
                result.doc.title.split(":").some((part) => bare(part.replace(/^\s*(a|an|the)\s/i, "")) === sentence);
            const find = () => {
                // The next way only where the one before finds nothing; a word that stands in every section, such as
                // "why", is not in the index.
                for (const way of [
                    () => ask.call(this, meant(query.split(/\s+/)), settings),
                    () => ask.call(this, meant(words), settings),
                    () => ask.call(this, meant(words), { ...settings, bool: "OR" }),
                    () => sections.filter(has),
                ]) {
                    const found = way();
                    if (found.length > 0) {
                        return found;
                    }
                }
                return [];
            };
            const found = find();
            // "The whole server" is a title on many pages, and says of none of them what it is about.
            const allAbout = sections.filter(isAbout);
            const about = allAbout.length === 1 ? allAbout : [];
            const called = sections.filter(isCalledSo);
            const whole = words.length < SENTENCE ? [] : found.filter(has);
            const inTwo = words.length === 1 && found.length < FEW ? sections.filter(hasInTwo) : [];
            const isTitle = (/** @type {SearchResult} */ { doc }) => bare(doc.title).replaceAll(" ", "") === words[0];
            const titled = inTwo.filter((result) => isTitle(result) && !isTerm(result));
            const order = [...about, ...called, ...whole, ...titled, ...found, ...inTwo];
            return [...new Map(order.map((result) => [result.ref, result])).values()];
        };
    };

    document.addEventListener("DOMContentLoaded", () => {
        if (window.elasticlunr) {
            improve(window.elasticlunr.Index.prototype);
        }
    });
}

// While somebody writes, a diagram may have no drawing yet (tools/diagrams makes it); then it is drawn here, if the packages
// of tools/diagrams are installed, and its source is shown if not. A published page never needs this.
{
    const here = /** @type {HTMLScriptElement} */ (document.currentScript).src;
    const waiting = all(document, "pre.mermaid");

    const draw = async () => {
        const style = getComputedStyle(document.documentElement);
        const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
        const grounds = ["background", "mainBkg", "primaryColor", "clusterBkg", "edgeLabelBackground", "actorBkg"];
        const inks = ["primaryTextColor", "textColor", "lineColor", "nodeBorder", "actorBorder", "signalColor"];
        mermaid.initialize({
            startOnLoad: false,
            securityLevel: "strict",
            theme: "base",
            // mermaid computes with colours, so it can't take the name of one.
            themeVariables: Object.fromEntries([
                ...[...grounds, "noteBkgColor", "stateBkg"].map((name) => [name, colour("--bg")]),
                ...[...inks, "signalTextColor", "transitionColor"].map((name) => [name, colour("--fg")]),
            ]),
        });
        for (const diagram of waiting) {
            // A folded box would give a diagram of no size.
            diagram.closest("details")?.setAttribute("open", "");
        }
        await mermaid.run({ nodes: waiting }).catch((error) => console.error("A diagram could not be drawn:", error));
    };

    if (waiting.length > 0) {
        document.head.append(make("script", { src: new URL("mermaid.min.js", here).href, load: draw }));
    }
}
