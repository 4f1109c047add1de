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
