// What is too long for one slide is cut: listings between two lines, lists and tables between two rows.

/** The sizes of a listing's letters, in pixels of the stage. */
const CODE = {
    ...(ON_PHONE
        ? { largest: 15, least: 12, tall: 11.5, padding: 24 }
        : { largest: 23, least: 17.5, tall: 17, padding: 44 }),
    ...{ line: 1.32, letter: 0.603 },
};
/** As wide as a listing may be. */
const CODE_WIDTH = WIDTH - 2 * SIDE - CODE.padding;

/**
 * The listing of a block, if it is one.
 * @param {Element} block
 * @returns {HTMLElement | null}
 */
function preOf(block) {
    if (block instanceof HTMLElement && block.matches("pre")) {
        return block;
    }
    return block.matches(".listing") ? block.querySelector(":scope > pre") : null;
}

/**
 * The rows that a line takes at this size of the letters.
 * @param {string} line
 * @param {number} size
 */
function rowsOf(line, size) {
    const columns = Math.floor(CODE_WIDTH / (size * CODE.letter));
    return Math.max(1, Math.ceil(line.length / columns));
}

/**
 * Chooses the size of a listing's letters: its longest line fits, and if possible all of it.
 * @param {HTMLElement} pre
 * @param {number} height
 */
function sizeListing(pre, height) {
    const lines = linesOf(pre.querySelector("code") ?? pre);
    const longest = Math.max(1, ...lines.map((line) => line.length));
    // The rest of a listing has no larger letters than what stands before it.
    const largest = Number(pre.dataset.most ?? CODE.largest);
    let size = Math.min(largest, Math.max(CODE.least, Math.floor((CODE_WIDTH / (longest * CODE.letter)) * 2) / 2));
    const tall = (height - CODE.padding) / (lines.length * CODE.line);
    if (tall < size && tall >= CODE.tall) {
        size = Math.floor(tall * 2) / 2;
    }
    pre.style.setProperty("--code-size", `${size}px`);
    pre.dataset.size = String(size);
}

/**
 * Behind how many lines a listing is cut that has so many rows of room, preferably where a line is empty; all of them
 * where it fits.
 * @param {string[]} lines
 * @param {number} size
 * @param {number} most
 */
function placeToCut(lines, size, most) {
    let rows = 0;
    let fit = 0;
    while (fit < lines.length && rows + rowsOf(lines[fit], size) <= most) {
        rows += rowsOf(lines[fit], size);
        fit += 1;
    }
    fit = Math.max(1, fit);
    if (fit >= lines.length) {
        return lines.length;
    }
    // Where few lines would be left over, halves read better.
    const ideal = Math.min(fit, Math.ceil(lines.length / Math.ceil(lines.length / fit)) + 3);
    let at = ideal;
    // A closing bracket stays with what it closes.
    while (at < fit && /^\s*[})\]]/.test(lines[at])) {
        at += 1;
    }
    for (let line = Math.min(at, fit); line > ideal * 0.35; line -= 1) {
        if (lines[line] === "" || lines[line - 1] === "") {
            return line;
        }
    }
    return at;
}

/**
 * Takes out of this code what is behind so many characters; returns it as code of the same kind.
 * @param {Element} code
 * @param {number} characters
 */
function takeRest(code, characters) {
    let left = characters;
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    let text = /** @type {Text} */ (walker.nextNode());
    while (left > text.data.length) {
        left -= text.data.length;
        text = /** @type {Text} */ (walker.nextNode());
    }
    const range = document.createRange();
    range.setStart(text, left);
    range.setEnd(code, code.childNodes.length);
    const rest = /** @type {Element} */ (code.cloneNode(false));
    rest.append(range.extractContents());
    // The line end that was cut at, and empty lines, belong to neither part.
    const first = document.createTreeWalker(rest, NodeFilter.SHOW_TEXT);
    for (let node = first.nextNode(); node; node = first.nextNode()) {
        const begins = /** @type {Text} */ (node);
        begins.data = begins.data.replace(/^\n+/, "");
        if (begins.data !== "") {
            break;
        }
    }
    return rest;
}

/**
 * Cuts a listing where this room ends; returns the listing of the rest, or null if all of it fits.
 * @param {Element} block
 * @param {HTMLElement} pre
 * @param {number} room
 */
function cutListing(block, pre, room) {
    const code = pre.querySelector("code") ?? pre;
    const size = Number(pre.dataset.size);
    const lines = linesOf(code);
    const most = Math.max(4, Math.floor((room - CODE.padding) / (size * CODE.line)));
    const at = placeToCut(lines, size, most);
    if (at >= lines.length) {
        return null;
    }
    const rest = takeRest(code, lines.slice(0, at).join("\n").length);
    const restPre = /** @type {HTMLElement} */ (pre.cloneNode(false));
    restPre.dataset.most = restPre.dataset.size;
    delete restPre.dataset.size;
    restPre.append(rest);
    if (block === pre) {
        return restPre;
    }
    return make("div", { class: "listing" }, need(block, ":scope > .caption").cloneNode(true), restPre);
}

/**
 * What holds the rows of a list or a table.
 * @param {Element} block
 * @returns {Element | null}
 */
function holderOf(block) {
    const table = block.matches(".table-wrapper") ? block.querySelector("table") : block;
    return table instanceof HTMLTableElement ? table.tBodies[0] : block.matches("ul, ol") ? block : null;
}

/**
 * Whether a list or a table has rows to spare for the next slide.
 * @param {Element} block
 */
function hasRows(block) {
    return (holderOf(block)?.children.length ?? 0) > 3;
}

/**
 * Moves what does not fit of a list or a table into another of its kind, and returns that; null if it can't.
 * @param {Element} block
 * @param {Slide} slide
 */
function cutRows(block, slide) {
    const holder = holderOf(block);
    if (!holder || holder.children.length < 2) {
        return null;
    }
    const rest = /** @type {Element} */ (block.cloneNode(holder !== block));
    const into = holderOf(rest) ?? rest;
    into.replaceChildren();
    const moveLast = () => into.prepend(/** @type {Element} */ (holder.lastElementChild));
    while (holder.children.length > 1 && !fits(slide)) {
        moveLast();
    }
    if (!fits(slide) || into.children.length === 0) {
        holder.append(...into.children);
        return null;
    }
    // One row alone looks lost.
    while (into.children.length < 3 && holder.children.length > 4) {
        moveLast();
    }
    if (block instanceof HTMLOListElement && rest instanceof HTMLOListElement) {
        rest.start = (block.start || 1) + holder.children.length;
    }
    return rest;
}
