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
    // The lab is large, and a level of "You are the scheduler" has a file of its own, so each comes when a reader comes near
    // it. Neither can be loaded by a page that is a file: the lab is made of modules, and a level is data.
    const game = new URL("../schedule/", src).href;
    /** @type {Record<string, () => void>} */
    const nearby = {
        "scheduler-lab": () => import(new URL("../lab/lab.js", src).href),
        "schedule-game": () => loadStyle(`${game}schedule.css`).then(() => loadScripts(game, ["schedule"])),
    };
    for (const [name, load] of onPaper || location.protocol === "file:" ? [] : Object.entries(nearby)) {
        const near = new IntersectionObserver(
            (entries) => {
                if (entries.some(({ isIntersecting }) => isIntersecting)) {
                    near.disconnect();
                    load();
                }
            },
            { rootMargin: "100% 0px" },
        );
        for (const element of document.querySelectorAll(name)) {
            near.observe(element);
            // A link to one of the lab's questions leads to it from everywhere on its page.
            if (element.matches("scheduler-lab:not([preset])")) {
                window.addEventListener("hashchange", () => location.hash.includes("=") && load());
            }
        }
    }
}
