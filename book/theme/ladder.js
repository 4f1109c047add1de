// The book's own script. Every page reads well without it.
(() => {
    const here = document.currentScript.src;

    // mdBook's first menu button is a label, which neither the keyboard nor a screen reader takes for a
    // button. A real one stands in for it.
    const label = document.getElementById("mdbook-sidebar-toggle");
    if (label) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = label.className;
        button.append(...label.childNodes);
        const copy = () => {
            for (const name of ["title", "aria-label", "aria-controls", "aria-expanded"]) {
                button.setAttribute(name, label.getAttribute(name));
            }
        };
        copy();
        new MutationObserver(copy).observe(label, { attributeFilter: ["aria-expanded"] });
        button.addEventListener("click", () => label.click());
        label.style.display = "none";
        label.after(button);
    }
    document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");

    // The first stop of the keyboard leads past the contents and the menu.
    const main = document.querySelector("main");
    const skip = document.createElement("a");
    skip.className = "skip";
    skip.textContent = "Skip to the text";
    main.id ||= "text";
    main.tabIndex = -1;
    skip.href = `#${main.id}`;
    document.getElementById("mdbook-body-container")?.prepend(skip);

    // What scrolls sideways can be reached with the keyboard, has a name, and says to the eye that it scrolls.
    const KINDS = { DIV: "Table", CODE: "Listing", PRE: "Diagram" };
    const markScrollBoxes = () => {
        let heading = "";
        let counts = {};
        for (const box of main.querySelectorAll("h1, h2, h3, h4, h5, h6, .table-wrapper, pre > code, pre.mermaid")) {
            const kind = KINDS[box.tagName];
            if (!kind) {
                heading = box.textContent.trim();
                counts = {};
                continue;
            }
            counts[kind] = (counts[kind] ?? 0) + 1;
            if (box.scrollWidth > box.clientWidth + 1) {
                box.tabIndex = 0;
                box.dataset.scrolls = "";
                box.setAttribute("role", "group");
                box.setAttribute("aria-label", `${kind} ${counts[kind]} under “${heading}”, scrolls sideways`);
            } else {
                ["tabindex", "data-scrolls", "role", "aria-label"].forEach((name) => box.removeAttribute(name));
            }
        }
    };
    // A folded box has no width, so look again when one opens.
    document.addEventListener("toggle", markScrollBoxes, true);
    window.addEventListener("resize", markScrollBoxes);
    window.addEventListener("load", markScrollBoxes);
    markScrollBoxes();

    // There the arrow keys scroll. Without this, mdBook would turn the page as well.
    main.addEventListener("keydown", (event) => {
        if (["ArrowLeft", "ArrowRight"].includes(event.key) && event.target.closest(".table-wrapper, pre, summary")) {
            event.stopPropagation();
        }
    });

    // A browser ends a line behind any hyphen, even in `-v`. A word with one stays whole, unless it is a long one.
    for (const code of main.querySelectorAll(":not(pre) > code")) {
        const words = code.textContent.split(/(\S*-\S*)/);
        if (words.length > 1 && code.childElementCount === 0) {
            code.replaceChildren(
                ...words.map((word, index) => {
                    if (index % 2 === 0 || word.length > 24) {
                        return word;
                    }
                    const whole = document.createElement("span");
                    whole.className = "whole";
                    whole.textContent = word;
                    return whole;
                }),
            );
        }
    }

    // mdBook lets its bar come down when the page goes up, but after a jump leaves it in the middle of the screen.
    // It mends that at the next scrolling, however far.
    const menu = document.getElementById("mdbook-menu-bar");
    window.addEventListener("scroll", () => {
        if (menu.getBoundingClientRect().top > 0 && window.scrollY > menu.offsetHeight) {
            document.dispatchEvent(new Event("scroll"));
        }
    });

    // Diagrams: mermaid is large, so only a page that has one loads it.
    const diagrams = [...document.querySelectorAll("pre.mermaid")];
    if (diagrams.length === 0) {
        return;
    }
    // A slide is wide and is not scrolled: there flows go from left to right, and messages stand close together.
    const onSlides = new URLSearchParams(location.search).has("slides");
    const shapes = {
        flowchart: { nodeSpacing: 30, rankSpacing: 30, wrappingWidth: 120 },
        sequence: { mirrorActors: false, boxMargin: 5, noteMargin: 7, height: 40 },
    };
    const sources = diagrams.map(({ textContent: text }) =>
        onSlides ? text.replace(/^(\s*flowchart) TD$/m, "$1 LR") : text,
    );
    const isDark = () => ["ayu", "coal", "navy"].some((name) => document.documentElement.classList.contains(name));
    let drawnDark;
    let drawing = Promise.resolve();
    const draw = async () => {
        if (drawnDark === isDark()) {
            return;
        }
        drawnDark = isDark();
        // An open box is measured right; a folded one would give a diagram of no size.
        const closed = diagrams.flatMap((diagram) => {
            const box = diagram.closest("details:not([open])");
            return box ? [box] : [];
        });
        closed.forEach((box) => {
            box.open = true;
        });
        diagrams.forEach((diagram, index) => {
            diagram.removeAttribute("data-processed");
            diagram.textContent = sources[index];
        });
        mermaid.initialize({
            startOnLoad: false,
            securityLevel: "strict",
            theme: drawnDark ? "dark" : "default",
            // The dark theme's own grey behind a label is too close to the label's colour.
            themeVariables: drawnDark ? { edgeLabelBackground: "#2b2d33" } : {},
            ...(onSlides ? shapes : {}),
        });
        try {
            await mermaid.run({ nodes: diagrams });
        } catch (error) {
            console.error("A diagram could not be drawn:", error);
        }
        closed.forEach((box) => {
            box.open = false;
        });
        markScrollBoxes();
    };
    const queue = () => {
        drawing = drawing.then(draw);
    };
    const script = document.createElement("script");
    script.src = new URL("mermaid.min.js", here).href;
    script.addEventListener("load", () => {
        queue();
        // mdBook puts the theme's name into the class of the root element.
        new MutationObserver(queue).observe(document.documentElement, { attributeFilter: ["class"] });
    });
    document.head.append(script);
})();
