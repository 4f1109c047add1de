// The book's own script. Every page reads well without it.
(() => {
    const here = document.currentScript.src;

    // mdBook's first menu button is a label, which neither the keyboard nor a screen reader takes for a
    // button. A real one stands in for it.
    const label = document.getElementById('mdbook-sidebar-toggle');
    if (label) {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = label.className;
        button.append(...label.childNodes);
        const copy = () => {
            for (const name of ['title', 'aria-label', 'aria-controls', 'aria-expanded']) {
                button.setAttribute(name, label.getAttribute(name));
            }
        };
        copy();
        new MutationObserver(copy).observe(label, { attributeFilter: ['aria-expanded'] });
        button.addEventListener('click', () => label.click());
        label.style.display = 'none';
        label.after(button);
    }
    document.getElementById('mdbook-menu-bar')?.setAttribute('role', 'banner');

    // What scrolls sideways must be reachable with the keyboard.
    const reachScrollBoxes = () => {
        for (const box of document.querySelectorAll('main .table-wrapper, main pre > code, main pre.mermaid')) {
            if (box.scrollWidth > box.clientWidth) {
                box.tabIndex = 0;
            } else {
                box.removeAttribute('tabindex');
            }
        }
    };
    // A folded box has no width, so look again when one opens.
    document.addEventListener('toggle', reachScrollBoxes, true);
    window.addEventListener('resize', reachScrollBoxes);
    window.addEventListener('load', reachScrollBoxes);
    reachScrollBoxes();

    // Paper can't be unfolded.
    let folded = [];
    window.addEventListener('beforeprint', () => {
        folded = [...document.querySelectorAll('main details:not([open])')];
        folded.forEach((box) => { box.open = true; });
    });
    window.addEventListener('afterprint', () => {
        folded.forEach((box) => { box.open = false; });
        folded = [];
    });

    // Diagrams: mermaid is large, so only a page that has one loads it.
    const diagrams = [...document.querySelectorAll('pre.mermaid')];
    if (diagrams.length === 0) {
        return;
    }
    const sources = diagrams.map((diagram) => diagram.textContent);
    const isDark = () => ['ayu', 'coal', 'navy'].some((name) => document.documentElement.classList.contains(name));
    let drawnDark;
    let drawing = Promise.resolve();
    const draw = async () => {
        if (drawnDark === isDark()) {
            return;
        }
        drawnDark = isDark();
        // An open box is measured right; a folded one would give a diagram of no size.
        const closed = diagrams.flatMap((diagram) => {
            const box = diagram.closest('details:not([open])');
            return box ? [box] : [];
        });
        closed.forEach((box) => { box.open = true; });
        diagrams.forEach((diagram, index) => {
            diagram.removeAttribute('data-processed');
            diagram.textContent = sources[index];
        });
        mermaid.initialize({
            startOnLoad: false,
            securityLevel: 'strict',
            theme: drawnDark ? 'dark' : 'default',
            // The dark theme's own grey behind a label is too close to the label's colour.
            themeVariables: drawnDark ? { edgeLabelBackground: '#2b2d33' } : {},
        });
        try {
            await mermaid.run({ nodes: diagrams });
        } catch (error) {
            console.error('A diagram could not be drawn:', error);
        }
        closed.forEach((box) => { box.open = false; });
        reachScrollBoxes();
    };
    const queue = () => { drawing = drawing.then(draw); };
    const script = document.createElement('script');
    script.src = new URL('mermaid.min.js', here).href;
    script.addEventListener('load', () => {
        queue();
        // mdBook puts the theme's name into the class of the root element.
        new MutationObserver(queue).observe(document.documentElement, { attributeFilter: ['class'] });
    });
    document.head.append(script);
})();
