// Turns the book's print page into what an e-reader shows: text, tables and pictures, and no script.
// `cargo xtask print` puts this into a copy of that page, and takes what a browser has made of it.
window.addEventListener('load', async () => {
    const main = document.querySelector('main');
    const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

    // A folded box has no size, and an e-reader may not be able to open it.
    for (const box of main.querySelectorAll('details')) {
        box.open = true;
    }
    // mermaid draws after the page has loaded.
    const undrawn = () => [...main.querySelectorAll('pre.mermaid')].some((it) => !it.querySelector('svg'));
    for (let patience = 300; undrawn() && patience > 0; patience -= 1) {
        await sleep(100);
    }

    // Colours come from style sheets that a picture does not see, so each element gets its own copy.
    const KEPT = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'opacity', 'paint-order',
        'color', 'background-color', 'font-family', 'font-size', 'font-weight', 'text-anchor',
        'dominant-baseline', 'display', 'visibility', 'line-height', 'text-align', 'white-space', 'padding', 'margin'];
    const copyStyles = (from, to) => {
        const style = getComputedStyle(from);
        to.setAttribute('style', KEPT.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';'));
        [...from.children].forEach((child, index) => copyStyles(child, to.children[index]));
    };
    const picture = async (svg) => {
        const { width, height } = svg.getBoundingClientRect();
        const copy = svg.cloneNode(true);
        copyStyles(svg, copy);
        copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
        copy.setAttribute('width', width);
        copy.setAttribute('height', height);
        const image = new Image();
        image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        // Twice the size, for screens with fine pixels.
        canvas.width = Math.ceil(2 * width);
        canvas.height = Math.ceil(2 * height);
        const context = canvas.getContext('2d');
        context.fillStyle = '#ffffff';
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        const result = document.createElement('img');
        result.src = canvas.toDataURL('image/png');
        const described = svg.querySelector('title') ?? svg.querySelector('desc');
        result.alt = described?.textContent ?? svg.getAttribute('aria-label') ?? '';
        return result;
    };
    let failed = 0;
    for (const svg of main.querySelectorAll('svg')) {
        const { width } = svg.getBoundingClientRect();
        if (svg.parentElement.closest('svg') || svg.closest('[hidden]')) {
            continue;
        }
        // The icons of notes and buttons are decoration.
        if (width < 48) {
            svg.remove();
            continue;
        }
        try {
            const image = await picture(svg);
            (svg.closest('pre.mermaid') ?? svg).replaceWith(image);
        } catch (error) {
            failed += 1;
        }
    }

    for (const unwanted of main.querySelectorAll('button, script, style, input, .buttons, [hidden]')) {
        unwanted.remove();
    }
    for (const box of main.querySelectorAll('details')) {
        const open = document.createElement('div');
        for (const child of [...box.childNodes]) {
            if (child.nodeName === 'SUMMARY') {
                const title = document.createElement('p');
                const bold = document.createElement('strong');
                bold.append(...child.childNodes);
                title.append(bold);
                open.append(title);
            } else {
                open.append(child);
            }
        }
        box.replaceWith(open);
    }
    // A chapter is a file of its own where its title stands at the top level.
    document.body.replaceChildren(...main.childNodes);
    for (const leftover of document.head.querySelectorAll('script, style, link')) {
        leftover.remove();
    }
    document.documentElement.setAttribute('data-pictures-failed', String(failed));
});
