// Offers the page as slides: `?slides` behind its address. What makes the slides is loaded only then.
{
    /** The scripts that make the slides, each of which uses those before it. */
    const SCRIPTS = ["sections", "frame", "cutting", "fitting", "layout", "showing", "speaker", "keys", "slides"];
    const here = /** @type {HTMLScriptElement} */ (document.currentScript).src;

    /** @param {string} file */
    const inSlides = (file) => new URL(`../slides/${file}`, here).href;

    const present = async () => {
        // The scripts measure what the style lays out.
        await Promise.all(["slides.css", "pictures.css", "phone.css"].map((file) => loadStyle(inSlides(file))));
        loadScripts(inSlides("."), SCRIPTS);
    };

    /** The link to the slides; they begin where the page is being read. */
    const makeLink = () => {
        const link = make("a", { href: "?slides", class: "present", title: "Show this page as slides" }, "Slides");
        link.addEventListener("click", () => {
            const headings = all(document, "main :is(h2, h3)[id]");
            const above = headings.findLast((one) => one.getBoundingClientRect().top < innerHeight / 3);
            link.href = `?slides${window.scrollY > 10 && above ? `#${above.id}` : ""}`;
        });
        return link;
    };

    const root = document.documentElement;
    // No room is kept for what won't come: modules don't load from files, and all pages in one play nothing.
    root.classList.toggle("from-file", location.protocol === "file:");
    root.classList.toggle("all-in-one", /\/print(-[a-z]+)?(\.html)?$/.test(location.pathname));
    const titles = all(document, "main h1");
    if (new URLSearchParams(location.search).has("slides") && titles.length > 0) {
        present();
    } else {
        // Only a page with something for teachers is presented.
        const taught = document.querySelector("main template.for-teachers");
        if (taught && titles.length === 1) {
            document.querySelector("#mdbook-menu-bar .right-buttons")?.prepend(makeLink());
        }
    }
}
