// Loads what moves and answers, with its style, where a page has it. A page reads well without all of this.
//
// No module, so that it works in a page from a file, too.
{
    /** The scripts of each folder, by the element that wants them; each may use those before it. */
    const folders = {
        glossary: { "glossary-filter": ["filter"] },
        law: { "law-numbers": ["axes", "formulas", "laws", "curves", "numbers"] },
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
    // The lab is large, so it comes when a reader comes near it. It is made of modules, which a file can't load.
    const labs = onPaper || location.protocol === "file:" ? [] : document.querySelectorAll("scheduler-lab");
    const load = () => {
        near.disconnect();
        import(new URL("../lab/lab.js", src).href);
    };
    const near = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && load(), {
        rootMargin: "100% 0px",
    });
    for (const lab of labs) {
        near.observe(lab);
        // A link to one of its questions leads to it from everywhere on its page.
        if (!lab.hasAttribute("preset")) {
            window.addEventListener("hashchange", () => location.hash.includes("=") && load());
        }
    }
}
