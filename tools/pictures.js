// Turns the page of all pages into what an e-reader shows: text, tables and pictures, and no script. tools/release.sh loads it.
addEventListener("load", () => {
    const main = /** @type {HTMLElement} */ (document.querySelector("main"));
    for (const box of main.querySelectorAll("details")) {
        box.open = true;
    }

    // Colours come from style sheets that a picture doesn't see, so each element gets its own copy.
    const kept =
        /^(fill|stroke|opacity|paint-order|color$|font-(family|size|weight)|text-anchor|dominant-baseline|display|visibility)/;
    /** @type {(from: Element, to: Element) => void} */
    const copyStyles = (from, to) => {
        const style = getComputedStyle(from);
        const own = [...style].filter((name) => kept.test(name));
        to.setAttribute("style", own.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
        [...from.children].forEach((child, index) => {
            copyStyles(child, to.children[index]);
        });
    };
    for (const svg of main.querySelectorAll("svg")) {
        const { width, height } = svg.getBoundingClientRect();
        const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
        copyStyles(svg, copy);
        copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
        copy.setAttribute("width", String(width));
        copy.setAttribute("height", String(height));
        const bytes = new TextEncoder().encode(new XMLSerializer().serializeToString(copy));
        const image = new Image();
        image.src = `data:image/svg+xml;base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
        image.alt = svg.querySelector("title, desc")?.textContent ?? svg.getAttribute("aria-label") ?? "";
        // Icons, and the form of a drawing that is not shown, are no pictures. In a figure of pandoc its words would be lost.
        if (width < 48) {
            svg.remove();
        } else {
            (svg.closest("figure.diagram") ?? svg).replaceWith(image);
        }
    }

    for (const unwanted of main.querySelectorAll("button, script, style, input, [hidden]")) {
        unwanted.remove();
    }
    // A chapter is a file of its own where its title stands at the top level.
    document.body.replaceChildren(...main.childNodes);
    for (const leftover of document.head.querySelectorAll("script, style, link")) {
        leftover.remove();
    }
});
