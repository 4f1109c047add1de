// Replays the recording of a real run: <rung-replay> holds a still picture and, as JSON, the bars that it shows.
// Both come from xtask/src/replay. A page reads well without this script, and paper shows the still picture.
//
// No module, so that it works in a page from a file, too.
{
    const folder = new URL(".", /** @type {HTMLScriptElement} */ (document.currentScript).src).href;
    const style = `${folder}replay.css`;
    // A page with two recordings names it twice, and all pages in one, for the printer, have no use for it.
    const loaded = all(document, 'link[rel="stylesheet"]').some((link) => link.getAttribute("href") === style);
    if (!loaded && !/\/print(-[a-z]+)?(\.html)?$/.test(location.pathname)) {
        loadStyle(style).then(() => loadScripts(folder, ["../pictures/rows", "recording", "drawing", "player"]));
    }
}
