// Loads what moves and answers, with its style, where a page has it. A page reads well without all of this.
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
    // The lab, and a level of "You are the scheduler", come when a reader comes near them. A level is data, which a page
    // that is a file can't load.
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
            { rootMargin: "100% 0px" },
        );
        for (const element of document.querySelectorAll(name)) {
            near.observe(element);
        }
    }
}
