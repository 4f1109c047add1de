// Draws the diagrams of a page. mermaid is large, so only a page that has one loads it.
{
    const here = /** @type {HTMLScriptElement} */ (document.currentScript).src;
    // A slide is wide and is not scrolled: there flows go from left to right, and messages stand close together.
    const onSlides = new URLSearchParams(location.search).has("slides");
    const SHAPES = {
        flowchart: { nodeSpacing: 30, rankSpacing: 30, wrappingWidth: 120 },
        sequence: { mirrorActors: false, boxMargin: 5, noteMargin: 7, height: 40 },
    };

    const isDark = () => ["ayu", "coal", "navy"].some((name) => document.documentElement.classList.contains(name));

    /** @param {boolean} dark */
    const configure = (dark) =>
        mermaid.initialize({
            startOnLoad: false,
            securityLevel: "strict",
            theme: dark ? "dark" : "default",
            // The dark theme's own grey behind a label is too close to the label's colour.
            themeVariables: dark ? { edgeLabelBackground: "#2b2d33" } : {},
            ...(onSlides ? SHAPES : {}),
        });

    /**
     * Draws all of them in the theme's colours.
     * @param {HTMLElement[]} diagrams
     * @param {string[]} sources
     */
    const drawAll = async (diagrams, sources) => {
        // An open box is measured right; a folded one would give a diagram of no size.
        const closed = diagrams.flatMap((diagram) => {
            const box = diagram.closest("details:not([open])");
            return box instanceof HTMLDetailsElement ? [box] : [];
        });
        for (const box of closed) {
            box.open = true;
        }
        diagrams.forEach((diagram, index) => {
            diagram.removeAttribute("data-processed");
            diagram.textContent = sources[index];
        });
        try {
            await mermaid.run({ nodes: diagrams });
        } catch (error) {
            console.error("A diagram could not be drawn:", error);
        }
        for (const box of closed) {
            box.open = false;
        }
        document.querySelector("main")?.dispatchEvent(new Event("drawn"));
    };

    const load = () => {
        const diagrams = all(document, "pre.mermaid");
        if (diagrams.length === 0) {
            return;
        }
        const sources = diagrams.map(({ textContent }) => {
            const text = textContent ?? "";
            return onSlides ? text.replace(/^(\s*flowchart) TD$/m, "$1 LR") : text;
        });
        /** @type {boolean | undefined} */
        let drawnDark;
        let drawing = Promise.resolve();
        const redraw = async () => {
            if (drawnDark !== isDark()) {
                drawnDark = isDark();
                configure(drawnDark);
                await drawAll(diagrams, sources);
            }
        };
        const queue = () => {
            drawing = drawing.then(redraw);
        };
        const begin = () => {
            queue();
            // mdBook puts the theme's name into the class of the root element.
            new MutationObserver(queue).observe(document.documentElement, { attributeFilter: ["class"] });
        };
        document.head.append(make("script", { src: new URL("mermaid.min.js", here).href, load: begin }));
    };

    load();
}
