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
    /**
     * What a screen reader says of a drawing: its title, and what it shows; or, where it passes the drawing over because a
     * sentence before it says the same, that sentence.
     * @type {(svg: Element) => string}
     */
    const words = (svg) => {
        const [title, shown] = ["title", "desc"].map(
            (name) => svg.querySelector(`:scope > ${name}`)?.textContent ?? "",
        );
        const before = svg.closest("[aria-hidden=true]")?.previousElementSibling;
        const said = `${title.replace(/[^.?!]$/, "$&.")} ${shown}`.trim() || before?.textContent || "";
        return said.trim().replace(/\s+/g, " ");
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
        image.alt = words(svg);
        // Icons, and the form of a drawing that is not shown, are no pictures.
        if (width < 48) {
            svg.remove();
        } else {
            (svg.closest("figure.diagram") ?? svg).replaceWith(image);
        }
    }

    // A sign that a style sheet draws before its word in a caption.
    const signs = { works: "▮", holds: "▭", free: "⋯", queues: "▨", idle: "─", done: "●", woken: "△", refused: "✕" };
    for (const [name, sign] of Object.entries(signs)) {
        for (const mark of main.querySelectorAll(`.mark.${name}`)) {
            mark.textContent = sign;
        }
    }
    // What pandoc reads in another way, under a name by which it keeps it: where a figure holds one picture, the caption would
    // take the place of the picture's words; and a number in a sentence would be a paragraph. An element of our own would
    // also draw once more where it is put down.
    const names = { figure: "div", figcaption: "p", output: "strong", "rung-replay": "div", "[data-try]": "span" };
    for (const [name, other] of Object.entries(names)) {
        for (const element of main.querySelectorAll(name)) {
            const box = document.createElement(other);
            if (element.id) {
                box.id = element.id;
            }
            box.append(...element.childNodes);
            element.replaceWith(box);
        }
    }
    // It keeps the names of headings and boxes alone, and links lead to some others.
    for (const link of main.querySelectorAll("a[href^='#']")) {
        const place = document.getElementById(decodeURIComponent(link.getAttribute("href")?.slice(1) ?? ""));
        if (place && !place.matches("h1, h2, h3, h4, h5, h6, div, section, span")) {
            const name = Object.assign(document.createElement("span"), { id: place.id });
            place.removeAttribute("id");
            if (place.matches("p, li, td, th, dt, dd, a, strong")) {
                place.prepend(name);
            } else {
                place.before(name);
            }
        }
    }
    for (const unwanted of main.querySelectorAll("button, script, style, input, scheduler-lab, [hidden]")) {
        unwanted.remove();
    }
    // A chapter is a file of its own where its title stands at the top level.
    document.body.replaceChildren(...main.childNodes);
    for (const leftover of document.head.querySelectorAll("script, style, link")) {
        leftover.remove();
    }
});
