// From the page to sections: each heading begins one, and each folded box has one of its own.

/**
 * @typedef {object} Section
 * @property {string} title
 * @property {number} level 1 to 3, as that of its heading
 * @property {string} kicker what stands above its title
 * @property {string} id of its heading
 * @property {string[]} also the ids of headings that have no slide of their own
 * @property {boolean} folded whether the page folds it: then the keys that lead on pass over it
 * @property {boolean} whole whether its paragraphs keep all their sentences
 * @property {Element[]} elements
 */

/** All of the text is shown, and not only the paragraphs' first sentences. */
const wholeText = new URLSearchParams(location.search).get("slides") === "full";

/** @param {Partial<Section>} values */
function newSection(values) {
    return { title: "", level: 1, kicker: "", id: "", also: [], folded: false, whole: false, elements: [], ...values };
}

/** @param {Element} details */
function titleOf(details) {
    return wordsOf(need(details, ":scope > summary"));
}

/** @param {Element} details */
function insideOf(details) {
    return [...details.children].filter((child) => !child.matches("summary"));
}

/** @param {Element} code */
function linesOf(code) {
    return (code.textContent ?? "").replace(/\n$/, "").split("\n");
}

/**
 * Puts all behind the first sentence of a paragraph into a `span.more`; a line of the source is a sentence.
 * A question, or one of a few words, says nothing without the next.
 * @param {Element} paragraph
 */
function shorten(paragraph) {
    const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
    let said = "";
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = /** @type {Text} */ (node);
        let at = text.parentElement === paragraph ? text.data.indexOf("\n") : -1;
        while (at >= 0 && (said + text.data.slice(0, at)).trim().length < 45) {
            at = text.data.indexOf("\n", at + 1);
        }
        if (at >= 0 && /\?$/.test((said + text.data.slice(0, at)).trim())) {
            at = text.data.indexOf("\n", at + 1);
        }
        said += text.data;
        if (at >= 0) {
            const range = document.createRange();
            range.setStart(text, at);
            range.setEnd(paragraph, paragraph.childNodes.length);
            paragraph.append(make("span", { class: "more" }, range.extractContents()));
            return;
        }
    }
}

/**
 * Whether this is the name of a file above its listing.
 * @param {Element} element
 */
function isCaption(element) {
    const code = element.querySelector(":scope > strong > code");
    const alone = element.matches("p") && element.childNodes.length === 1 && element.firstChild?.nodeName === "STRONG";
    return alone && code !== null && wordsOf(element) === wordsOf(code);
}

/**
 * Whether these are a command and the few words before it, such as "To repeat it:".
 * @param {Element | undefined} before
 * @param {Element} element
 */
function isCommand(before, element) {
    return (
        before?.matches("p") &&
        /^.{1,24}:$/.test(wordsOf(before)) &&
        element.matches("pre") &&
        linesOf(element.querySelector("code") ?? element).length === 1
    );
}

/**
 * The blocks of these elements; a listing and the name of its file above it are one, and so is a command.
 * @param {Element[]} elements
 * @param {boolean} whole
 */
function blocksOf(elements, whole) {
    /** @type {Element[]} */
    const blocks = [];
    /** @type {Element | undefined} */
    let caption;
    for (const element of elements) {
        if (element.matches("script, style, link")) {
            continue;
        }
        if (isCaption(element)) {
            caption = element;
            continue;
        }
        if (caption) {
            caption.classList.add("caption");
            blocks.push(make("div", { class: "listing" }, caption, element));
            caption = undefined;
            continue;
        }
        if (!wholeText && !whole && element.matches("p")) {
            shorten(element);
        }
        if (isCommand(blocks.at(-1), element)) {
            blocks.push(make("div", { class: "command" }, blocks.pop(), element));
            continue;
        }
        blocks.push(element);
    }
    return caption ? [...blocks, caption] : blocks;
}

/**
 * A command that stands alone behind something folded moves to what it repeats, before the fold.
 * @param {Section[]} sections
 */
function bringCommands(sections) {
    for (const [index, { title, folded, id, elements }] of sections.entries()) {
        const [wordsBefore, command, ...more] = elements;
        const home = sections
            .slice(0, index)
            .findLast((other) => other.title === title && other.folded === folded && other.elements.length > 0);
        if (home && !id && command && more.length === 0 && isCommand(wordsBefore, command)) {
            home.elements.push(...elements.splice(0));
        }
    }
}

/**
 * What is folded on the page, in sections of its own.
 * @param {Section[]} sections
 * @param {Element} details
 * @param {string} kicker
 */
function unfold(sections, details, kicker) {
    const title = titleOf(details);
    const begin = (/** @type {boolean} */ folded) => {
        const section = newSection({ title, level: 3, kicker, folded });
        sections.push(section);
        return section;
    };
    let section = begin(title !== "Answer");
    if (title.startsWith("A solution")) {
        // One key more, lest it be shown to those who are still at it.
        section.elements.push(make("p", { class: "cover" }, "The key \u2193 shows it."));
        section = begin(true);
    }
    for (const child of insideOf(details)) {
        if (child.matches("details")) {
            child.remove();
            unfold(sections, child, title);
            section = begin(true);
        } else {
            section.elements.push(child);
        }
    }
}

/**
 * The sections that get slides: a heading with nothing below it but smaller headings is named on theirs.
 * @param {Section[]} sections
 */
function withoutEmpty(sections) {
    return sections.filter((one, index) => {
        const next = sections[index + 1];
        const stays =
            one.elements.length > 0 ||
            (one.level === 1 && one.title) ||
            (one.id && one.level === 2 && next?.level !== 3);
        if (!stays && one.id && next) {
            next.also.push(one.id, ...one.also);
        }
        return stays;
    });
}

/**
 * What the page says, in sections of a heading and blocks, and the notes for teachers.
 * @param {Element} main
 */
function takeApart(main) {
    let kicker = "";
    let section = newSection({});
    const sections = [section];
    /** @type {Element | undefined} */
    let notes;
    /** @param {Element} fold */
    const takeFold = (fold) => {
        const { title, level, kicker: above } = section;
        unfold(sections, fold, title);
        section = newSection({ title, level, kicker: above });
        sections.push(section);
    };
    for (const element of [...main.children]) {
        element.remove();
        const folds = element.matches("details") ? titleOf(element) : undefined;
        if (/^H[123]$/.test(element.tagName)) {
            const level = Number(element.tagName[1]);
            const title = wordsOf(element);
            section = newSection({ title, level, id: element.id, kicker: level === 3 ? kicker : "" });
            sections.push(section);
            kicker = level === 2 ? title : kicker;
        } else if (element.matches("template.for-teachers")) {
            const { content } = /** @type {HTMLTemplateElement} */ (element);
            notes = need(document.importNode(content, true), "details");
        } else if (folds?.startsWith("The task:")) {
            // The class has to see it while it works.
            const inside = insideOf(element);
            section.elements.push(...inside.filter((child) => !child.matches("details")));
            section.whole = true;
            inside.filter((child) => child.matches("details")).forEach(takeFold);
        } else if (folds !== undefined && section.id !== "predict" && section.title !== "Predict") {
            takeFold(element);
        } else {
            section.elements.push(element);
        }
    }
    bringCommands(sections);
    return { sections: withoutEmpty(sections), notes };
}
