// Turns the book's print page into what an e-reader shows: text, tables and pictures, and no script.
// `cargo xtask print` puts this into a copy of that page, and takes what a browser has made of it.
{
    /** What `elements.js` knows is there only when the page has loaded. */
    const main = () => need(document, "main");

    // Colours come from style sheets that a picture does not see, so each element gets its own copy.
    const KEPT = [
        ...["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin"],
        ...["stroke-opacity", "opacity"],
        ...["paint-order", "color", "background-color", "font-family", "font-size", "font-weight", "text-anchor"],
        ...["dominant-baseline", "display", "visibility", "line-height", "text-align", "white-space"],
        ...["padding", "margin"],
    ];

    /** A folded box has no size, and an e-reader may not be able to open it. */
    const openBoxes = () => {
        for (const box of main().querySelectorAll("details")) {
            box.open = true;
        }
    };

    /**
     * @param {Element} from
     * @param {Element} to
     */
    const copyStyles = (from, to) => {
        const style = getComputedStyle(from);
        to.setAttribute("style", KEPT.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
        [...from.children].forEach((child, index) => {
            copyStyles(child, to.children[index]);
        });
    };

    /** @param {SVGElement} svg */
    const pictureOf = async (svg) => {
        const { width, height } = svg.getBoundingClientRect();
        const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
        copyStyles(svg, copy);
        copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
        copy.setAttribute("width", String(width));
        copy.setAttribute("height", String(height));
        const image = new Image();
        const text = new XMLSerializer().serializeToString(copy);
        image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
        await image.decode();
        // Twice the size, for screens with fine pixels.
        const canvas = make("canvas", { width: Math.ceil(2 * width), height: Math.ceil(2 * height) });
        const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
        context.fillStyle = "#ffffff";
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        const described = svg.querySelector("title") ?? svg.querySelector("desc");
        const alt = described?.textContent ?? svg.getAttribute("aria-label") ?? "";
        return make("img", { src: canvas.toDataURL("image/png"), alt });
    };

    /** Replaces all drawings; returns how many could not be. */
    const replaceDrawings = async () => {
        let failed = 0;
        for (const svg of /** @type {SVGElement[]} */ (all(main(), "svg"))) {
            if (svg.parentElement?.closest("svg") || svg.closest("[hidden]")) {
                continue;
            }
            // The icons of notes and buttons are decoration.
            if (svg.getBoundingClientRect().width < 48) {
                svg.remove();
                continue;
            }
            try {
                const image = await pictureOf(svg);
                // Alone in a figure, a picture would lose its words in pandoc.
                (svg.closest("figure.diagram") ?? svg).replaceWith(image);
            } catch {
                failed += 1;
            }
        }
        return failed;
    };

    /** What is left is text: folded boxes become paragraphs. */
    const leaveText = () => {
        for (const unwanted of all(main(), "button, script, style, input, .buttons, [hidden]")) {
            unwanted.remove();
        }
        for (const box of all(main(), "details")) {
            const parts = [...box.childNodes].map((child) =>
                child.nodeName === "SUMMARY" ? make("p", {}, make("strong", {}, ...child.childNodes)) : child,
            );
            box.replaceWith(make("div", {}, ...parts));
        }
        // A chapter is a file of its own where its title stands at the top level.
        document.body.replaceChildren(...main().childNodes);
        for (const leftover of all(document.head, "script, style, link")) {
            leftover.remove();
        }
    };

    window.addEventListener("load", async () => {
        openBoxes();
        const failed = await replaceDrawings();
        leaveText();
        document.documentElement.setAttribute("data-pictures-failed", String(failed));
    });
}
