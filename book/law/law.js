// Numbers that can be dragged, and curves that are guessed. A page reads well without this script.
//
// No module, so that it works in a page from a file, too.
{
    const folder = new URL(".", /** @type {HTMLScriptElement} */ (document.currentScript).src).href;
    const style = `${folder}law.css`;
    // A page with two of them names it twice, and all pages in one, for the printer, have no use for it.
    const loaded = all(document, 'link[rel="stylesheet"]').some((link) => link.getAttribute("href") === style);
    if (!loaded && !/\/print(-[a-z]+)?(\.html)?$/.test(location.pathname)) {
        // The script is deferred, so the whole page is there.
        const sentences = document.querySelector("law-numbers") ? ["laws", "curves", "numbers"] : [];
        const curves = document.querySelector("draw-guess") ? ["guess"] : [];
        loadStyle(style).then(() => loadScripts(folder, ["axes", ...sentences, ...curves]));
    }
}
