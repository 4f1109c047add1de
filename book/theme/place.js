// Where the reader is in the book: a tick in the contents on each page whose questions are answered, and on the first
// page a link to where this browser was last. Both stay in this browser.
{
    const LAST = "last-place";
    const main = need(document, "main");
    /** @param {string} address */
    const pageOf = (address) => /([^/]*)\.html/.exec(address)?.[1] ?? "index";
    const page = pageOf(location.pathname);
    const isFirst = ["index", "introduction"].includes(page);

    const tick = () => {
        const keys = Object.keys(localStorage);
        for (const link of all(document, "#mdbook-sidebar .chapter a[href$='.html']")) {
            const name = pageOf(link.getAttribute("href") ?? "");
            const asked = Number(localStorage.getItem(`questions:${name}`));
            const given = keys.filter((key) => key.startsWith(`prediction:${name}/`)).length;
            link.classList.toggle("answered", asked > 0 && given >= asked);
        }
    };

    /** The section at the top of the screen is where the reader is. */
    const remember = () => {
        const above = all(main, "h2[id]").filter((heading) => heading.getBoundingClientRect().top < innerHeight / 2);
        const heading = above.at(-1);
        if (heading && !isFirst) {
            const title = wordsOf(need(document, ".menu-title"));
            const place = { page, title, id: heading.id, section: wordsOf(heading) };
            localStorage.setItem(LAST, JSON.stringify(place));
        }
    };

    const leadBack = () => {
        const last = JSON.parse(localStorage.getItem(LAST) ?? "null");
        const begin = document.getElementById("begin");
        if (last && begin) {
            const link = make("a", { href: `${last.page}.html#${last.id}` }, `${last.title}: ${last.section}`);
            begin.before(make("p", { class: "go-on" }, "Go on where you were: ", link));
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
        window.addEventListener("scrollend", remember);
        document.addEventListener("DOMContentLoaded", tick);
        document.addEventListener("answered", tick);
    }
}
