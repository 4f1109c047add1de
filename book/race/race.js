// Plays requests on a stage: <server-race> holds still pictures and, as JSON, where each request is and when. Both come
// from tools/report/src/stage. A page reads well without this script, and paper shows the still pictures.
//
// No module, so that it works in a page from a file, too.
{
    const folder = new URL(".", /** @type {HTMLScriptElement} */ (document.currentScript).src).href;
    const style = `${folder}race.css`;
    // A page with two of them names it twice, and all pages in one, for the printer, have no use for it.
    const loaded = all(document, 'link[rel="stylesheet"]').some((link) => link.getAttribute("href") === style);
    if (!loaded && !/\/print(-[a-z]+)?(\.html)?$/.test(location.pathname)) {
        loadStyle(style).then(() => loadScripts(folder, ["../pictures/rows", "../pictures/stage", "player"]));
    }
}
