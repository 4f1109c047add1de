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
