// The book's own script, which a page waits for before it is first seen, so that nothing jumps. Every page reads well
// without it.
//
// The keys of one letter, on every keyboard and only for who wants them, and the arrows where a caret is in code.

/**
 * The letter of a key that was pressed. A keyboard of another alphabet has another letter where ours has P (з, π, פ, ح),
 * and then the place of the key counts.
 * @param {KeyboardEvent} event
 */
function letterOf({ key, code }) {
    const isForeign = /^[\p{L}\p{M}]$/u.test(key) && !/\p{Script=Latin}/u.test(key);
    const place = /^Key([A-Z])$/.exec(code)?.[1];
    return (isForeign && place ? place : key).toLowerCase();
}

/**
 * Whether a key goes into a field, or with others does something else.
 * @param {KeyboardEvent} event
 */
function isTyped(event) {
    const field = targetOf(event).closest("textarea, select, input:not([type=radio], [type=range], [type=checkbox])");
    return field !== null || event.ctrlKey || event.altKey || event.metaKey;
}

{
    const SETTING = "letter-keys";
    let off = false;
    /** Also where the browser may store nothing; then it holds for this page. */
    const read = () => {
        try {
            off = localStorage.getItem(SETTING) === "off";
        } catch {}
    };

    /** @param {boolean} wanted */
    const turn = (wanted) => {
        off = !wanted;
        try {
            localStorage.setItem(SETTING, off ? "off" : "on");
        } catch {}
    };

    // Who dictates says letters that are meant for nobody (WCAG 2.2, 2.1.4). This comes before mdBook's keys and ours.
    window.addEventListener(
        "keydown",
        (event) => {
            if (off && /^\S$/u.test(event.key) && !isTyped(event)) {
                event.stopImmediatePropagation();
            }
        },
        true,
    );

    // mdBook searches when its own S is pressed.
    document.addEventListener("keydown", (event) => {
        if (letterOf(event) === "s" && event.key.toLowerCase() !== "s" && !isTyped(event)) {
            event.preventDefault();
            document.getElementById("mdbook-search-toggle")?.click();
        }
    });

    // The arrows scroll a box and move a caret. Without this, mdBook would turn the page as well.
    document.body.addEventListener("keydown", (event) => {
        const caret = getSelection()?.focusNode;
        const at = caret instanceof Element ? caret : caret?.parentElement;
        const own = targetOf(event).closest("main :is(.table-wrapper, pre, summary)") ?? at?.closest("main pre");
        if (["ArrowLeft", "ArrowRight"].includes(event.key) && own) {
            event.stopPropagation();
        }
    });

    read();
    window.addEventListener("storage", read);
    const place = document.querySelector(".letter-keys");
    if (place instanceof HTMLElement) {
        const change = () => turn(box.checked);
        const box = make("input", { type: "checkbox", change });
        box.checked = !off;
        place.append(make("label", {}, box, "Keys of one letter or sign do something"));
        place.hidden = false;
    }
}

// What mdBook's own page lacks.
{
    const root = document.documentElement;
    const main = need(document, "main");
    const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);

    /** An address that was cut within an escape, such as `?search=caf%E`, ends mdBook's search before it begins. */
    const mendAddress = () => {
        try {
            decodeURIComponent(location.search);
        } catch {
            history.replaceState(null, "", `?${new URLSearchParams(location.search)}${location.hash}`);
        }
    };

    /** mdBook's first menu button is a label, which neither the keyboard nor a screen reader takes for a button. */
    const replaceLabel = () => {
        const label = document.getElementById("mdbook-sidebar-toggle");
        if (!label) {
            return;
        }
        const button = make("button", { type: "button", class: label.className, click: () => label.click() });
        button.append(...label.childNodes);
        const copy = () => {
            for (const name of ["title", "aria-label", "aria-controls", "aria-expanded"]) {
                button.setAttribute(name, label.getAttribute(name) ?? "");
            }
        };
        copy();
        new MutationObserver(copy).observe(label, { attributeFilter: ["aria-expanded"] });
        label.style.display = "none";
        label.after(button);
    };

    /** On a phone the contents push the page aside: a tap on what is left of it closes them, and does nothing else. */
    const closeContentsBeside = () => {
        const isOpen = document.getElementById("mdbook-sidebar-toggle-anchor");
        const close = (/** @type {Event} */ event) => {
            const inMenu = targetOf(event).closest("#mdbook-menu-bar") !== null;
            const onPhone = matchMedia("(max-width: 620px)").matches;
            if (isOpen instanceof HTMLInputElement && isOpen.checked && onPhone && !inMenu) {
                event.preventDefault();
                event.stopPropagation();
                isOpen.click();
            }
        };
        document.getElementById("mdbook-page-wrapper")?.addEventListener("click", close, true);
    };

    /** The first stop of the keyboard leads past the contents and the menu. */
    const leadToText = () => {
        main.id ||= "text";
        main.tabIndex = -1;
        const skip = make("a", { class: "skip", href: `#${main.id}` }, "Skip to the text");
        document.getElementById("mdbook-body-container")?.prepend(skip);
    };

    /** @type {Record<string, string>} */
    const KINDS = { DIV: "Table", CODE: "Listing" };

    /**
     * The edge of a box fades as long as the box goes on behind it.
     * @param {HTMLElement} box
     */
    const fade = (box) => {
        box.dataset.scrolls = box.scrollLeft + box.clientWidth < box.scrollWidth - 1 ? "on" : "";
    };

    /** What scrolls sideways can be reached with the keyboard, has a name, and says to the eye that it scrolls. */
    const markScrollBoxes = () => {
        let heading = "";
        /** @type {Record<string, number>} */
        let counts = {};
        for (const box of all(main, "h1, h2, h3, h4, h5, h6, .table-wrapper, pre > code")) {
            const kind = KINDS[box.tagName];
            if (!kind) {
                heading = (box.textContent ?? "").trim();
                counts = {};
                continue;
            }
            counts[kind] = (counts[kind] ?? 0) + 1;
            if (box.scrollWidth > box.clientWidth + 1) {
                box.tabIndex = 0;
                fade(box);
                box.setAttribute("role", "group");
                box.setAttribute("aria-label", `${kind} ${counts[kind]} under “${heading}”, scrolls sideways`);
            } else {
                for (const name of ["tabindex", "data-scrolls", "role", "aria-label"]) {
                    box.removeAttribute(name);
                }
                // A part of a pixel is rounding; the browser would have the keyboard stop there.
                const inside = box.firstElementChild?.getBoundingClientRect().width ?? 0;
                if (inside > box.getBoundingClientRect().width) {
                    box.tabIndex = -1;
                }
            }
        }
    };

    /**
     * Code has its ground and its room at once: mdBook's script, which also colours it, comes when the page is seen. And
     * a browser that translates the page leaves it alone.
     */
    const dressCode = () => {
        for (const code of all(document, "pre, code, kbd")) {
            code.translate = false;
        }
        for (const code of all(main, ":not(.header) > code")) {
            code.classList.add("hljs");
        }
    };

    const LINES = 40;

    /**
     * Shows the first lines of a listing, and a button for all of them. What is searched or marked behind them, the browser
     * scrolls to, so that opens it.
     * @param {HTMLElement} code
     * @param {number} lines
     */
    const cut = (code, lines) => {
        const pre = /** @type {HTMLElement} */ (code.parentElement);
        const label = new Text();
        const button = make("button", { type: "button", class: "show-all" }, label);
        const show = (/** @type {boolean} */ isCut) => {
            pre.classList.toggle("cut", isCut);
            label.data = isCut ? `Show all ${lines} lines` : `Show the first ${LINES} lines`;
        };
        button.addEventListener("click", () => {
            const isCut = !pre.classList.contains("cut");
            show(isCut);
            if (isCut) {
                button.scrollIntoView({ block: "nearest", behavior: "instant" });
            }
        });
        code.addEventListener("scroll", () => {
            const { scrollTop } = code;
            if (scrollTop > 0) {
                show(false);
                window.scrollBy({ top: scrollTop, behavior: "instant" });
            }
        });
        pre.append(button);
        show(true);
    };

    /** Who unfolds a listing wants all of it, and a change is short by itself. */
    const cutListings = () => {
        for (const code of all(main, "pre:not(.change) > code")) {
            const lines = (code.textContent ?? "").trimEnd().split("\n").length;
            if (lines > LINES && !code.closest("details")) {
                cut(code, lines);
            }
        }
    };

    /** A browser ends a line behind any hyphen, even in `-v`. A word with one stays whole, unless it is a long one. */
    const keepWordsWhole = () => {
        for (const code of all(main, ":not(pre) > code")) {
            const words = (code.textContent ?? "").split(/(\S*-\S*)/);
            if (words.length > 1 && code.childElementCount === 0) {
                const whole = (/** @type {string} */ word) => make("span", { class: "whole" }, word);
                const short = (/** @type {string} */ word, /** @type {number} */ index) =>
                    index % 2 === 1 && word.length <= 24;
                code.replaceChildren(...words.map((word, index) => (short(word, index) ? whole(word) : word)));
            }
        }
    };

    /**
     * mdBook lets its bar come down when the page goes up, but after a jump leaves it in the middle of the screen.
     * It mends that at the next scrolling, however far.
     */
    const putMenuRight = () => {
        const menu = document.getElementById("mdbook-menu-bar");
        if (menu && menu.getBoundingClientRect().top > 0 && window.scrollY > menu.offsetHeight) {
            document.dispatchEvent(new Event("scroll"));
        }
    };

    /**
     * What a search has found, in the section that was chosen, is in sight: mdBook marks the words when its index has come.
     * A long listing shows all its lines, but a fold is opened only if nothing else there has one of the words, for it may
     * hold an answer.
     */
    const openFound = () => {
        // A change has marks of its own.
        const MARKED = "mark[data-markjs]";
        if (!new URLSearchParams(location.search).has("highlight")) {
            return;
        }
        const headings = all(main, "h1, h2, h3, h4, h5, h6");
        const follows = (/** @type {Node} */ one, /** @type {Node | undefined} */ other) =>
            other !== undefined && one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
        const isInSection = (/** @type {Element} */ mark) => {
            const chosen = headings.findIndex((heading) => heading.matches(":target"));
            return chosen < 0 || (follows(headings[chosen], mark) && !follows(headings[chosen + 1] ?? mark, mark));
        };
        const isPartOfWord = (/** @type {Element} */ mark) => {
            const text = mark.textContent ?? "";
            const before = mark.previousSibling?.textContent ?? "";
            return /\p{L}$/u.test(before) || /^\p{Ll}{1,2}$/u.test(text);
        };
        const open = () => {
            for (const mark of all(main, MARKED).filter(isPartOfWord)) {
                mark.replaceWith(...mark.childNodes);
            }
            const found = all(main, MARKED).filter(isInSection);
            for (const button of all(main, "pre.cut > .show-all")) {
                if (found.some((mark) => button.parentElement?.contains(mark))) {
                    button.click();
                }
            }
            if (found.length === 0 || found.some((mark) => mark.checkVisibility())) {
                return;
            }
            for (let fold = found[0].closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) {
                fold.open = true;
            }
        };
        new MutationObserver(open).observe(main, { childList: true, subtree: true });
    };

    /** The pages of the short way have a mark in the contents, and so have the sections of this page that lie on it. */
    const markWay = () => {
        const listed = main.querySelector("template.way");
        if (!(listed instanceof HTMLElement) || !listed.dataset.way) {
            return;
        }
        /** @type {{ pages: string[], sections: string[] }} */
        const { pages, sections } = JSON.parse(listed.dataset.way);
        for (const link of document.querySelectorAll(".chapter a")) {
            const { pathname, hash } = /** @type {HTMLAnchorElement} */ (link);
            const own = link.matches(".header-in-summary");
            const name = pathname.split("/").at(-1) ?? "";
            if (own ? sections.includes(hash.slice(1)) : pages.includes(name)) {
                link.classList.add("way");
                // What is below a main section shows only where that is read; until then its section stands for it.
                link.closest(".header-item:not(.header-item .header-item)")?.querySelector("a")?.classList.add("way");
            }
        }
    };

    /** The section that is read stays in sight in the contents, and on a phone its name stands in the bar. */
    const followSection = () => {
        const contents = document.getElementById("mdbook-sidebar");
        const bar = document.querySelector(".menu-title");
        let last = "";
        const follow = () => {
            const current = all(document, ".chapter .current-header").at(-1);
            // What is below the third level is not shown; its section stands for it.
            const shown = current?.closest(".header-item:not(.header-item .header-item .header-item)");
            const link = shown?.querySelector("a");
            const { hash = "" } = /** @type {HTMLAnchorElement | undefined} */ (link) ?? {};
            if (!link || hash === last) {
                return;
            }
            last = hash;
            bar?.setAttribute("data-section", wordsOf(link));
            if (contents?.getClientRects().length) {
                link.scrollIntoView({ block: "nearest" });
            }
        };
        window.addEventListener("scrollend", follow);
    };

    /**
     * What the style can't do for the terms that explain themselves (pictures.css): a finger's first touch shows the words
     * and its second follows the link, and Escape hides what is shown, until something else is pointed at.
     */
    const tellTerms = () => {
        let finger = false;
        /** @param {Element | null} term */
        const tell = (term) => {
            for (const told of all(main, "a.term.told")) {
                told.classList.toggle("told", told === term);
            }
            term?.classList.add("told");
        };
        document.addEventListener("pointerdown", (event) => {
            finger = event.pointerType === "touch";
            tell(targetOf(event).closest("a.term.told"));
        });
        document.addEventListener("click", (event) => {
            const term = finger ? targetOf(event).closest("a.term:not(.told)") : null;
            if (term) {
                event.preventDefault();
            }
            tell(term);
        });
        document.addEventListener("keydown", (event) => {
            finger = false;
            root.classList.toggle("hushed", event.key === "Escape");
            tell(null);
        });
        document.addEventListener("pointerover", () => root.classList.remove("hushed"));
    };

    /**
     * The commands in what a terminal shows, as they are typed: without their prompt and without what they print. What
     * has no prompt in it stays as it is.
     * @param {string} shown
     */
    const typed = (shown) => {
        const commands = shown.split("\n").filter((line) => line.startsWith("$ "));
        return commands.length > 0 ? commands.map((line) => line.slice(2)).join("\n") : shown;
    };

    /**
     * What is marked in a terminal's block, with the prompt of the line in which it begins; `undefined` where it is marked
     * elsewhere, or where text behind the block is marked as well.
     */
    const marked = () => {
        const selection = getSelection();
        const range = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined;
        const start = range?.startContainer;
        const terminal = (start instanceof Element ? start : start?.parentElement)?.closest("code.language-console");
        if (!range || !terminal) {
            return undefined;
        }
        const inside = range.cloneRange();
        // A line that is clicked three times ends where the next paragraph begins.
        if (!terminal.contains(range.endContainer)) {
            inside.setEnd(terminal, terminal.childNodes.length);
            if (range.toString().trimEnd() !== inside.toString().trimEnd()) {
                return undefined;
            }
        }
        const before = document.createRange();
        before.setStart(terminal, 0);
        before.setEnd(range.startContainer, range.startOffset);
        const line = before.toString().split("\n").at(-1) ?? "";
        const text = line + inside.toString();
        return text.startsWith("$ ") ? `$ ${text.slice(Math.max(2, line.length))}` : inside.toString();
    };

    /**
     * Readers paste what they copy. mdBook's button copies by way of a text field that holds the whole block.
     * @param {ClipboardEvent} event
     */
    const copyCommands = (event) => {
        const field = event.target instanceof HTMLTextAreaElement ? event.target.value : undefined;
        const shown = field ?? marked();
        if (shown?.split("\n").some((line) => line.startsWith("$ ")) && event.clipboardData) {
            event.clipboardData.setData("text/plain", typed(shown));
            event.preventDefault();
        }
    };

    /** P shows the page to a class, and so does `?teach` in its address. What does it is loaded when it is asked for. */
    const offerTeaching = () => {
        const folder = new URL("../teach/", src).href;
        const asked = new URLSearchParams(location.search);
        const lessons = asked.has("lesson") ? ["lessons"] : [];
        let loaded = false;
        const teach = () => {
            if (loaded) {
                root.dispatchEvent(new Event("teach"));
                return;
            }
            loaded = true;
            const scripts = [...lessons, "time", "pictures", "solution", "lesson", "teach"];
            loadStyle(`${folder}teach.css`).then(() => loadScripts(folder, scripts));
        };
        document.addEventListener("keydown", (event) => {
            if (letterOf(event) === "p" && !isTyped(event)) {
                teach();
            }
        });
        if (window.opener && window.name === "teach-notes") {
            loadStyle(`${folder}notes.css`).then(() => loadScripts(folder, [...lessons, "time", "plan", "notes"]));
        } else if (asked.has("teach")) {
            teach();
        }
    };

    mendAddress();
    // No room is kept for what won't come: modules don't load from files, and all pages in one play nothing.
    root.classList.toggle("from-file", location.protocol === "file:");
    root.classList.toggle("all-in-one", /\/print(-[a-z]+)?(\.html)?$/.test(location.pathname));
    if (!root.classList.contains("all-in-one")) {
        offerTeaching();
        cutListings();
    }
    // By then mdBook has put the page's headings into the contents.
    document.addEventListener("DOMContentLoaded", () => {
        markWay();
        root.classList.add("contents-ready");
    });
    replaceLabel();
    closeContentsBeside();
    document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");
    leadToText();
    dressCode();
    // A folded box has no width, so look again when one opens.
    document.addEventListener("toggle", markScrollBoxes, true);
    window.addEventListener("resize", markScrollBoxes);
    window.addEventListener("load", markScrollBoxes);
    markScrollBoxes();
    const refade = (/** @type {Event} */ event) => {
        const box = targetOf(event);
        if (box instanceof HTMLElement && "scrolls" in box.dataset) {
            fade(box);
        }
    };
    main.addEventListener("scroll", refade, true);
    document.addEventListener("copy", copyCommands);
    followSection();
    openFound();
    keepWordsWhole();
    tellTerms();
    window.addEventListener("scroll", putMenuRight);
}

// The reader's predictions: checks them, and keeps them in this browser. Nothing is sent anywhere.
// Without this script, and on paper, a question has its answers as a numbered list, and the right one folded.
{
    const PREFIX = "prediction:";
    // In all pages at once, print.js moves the answers away.
    const isOnPaper = document.documentElement.classList.contains("all-in-one");
    const groups = isOnPaper ? [] : all(document, "main .predict");
    const forgetAll = document.querySelector("main .forget-predictions");

    // Before a class the answers that its teacher gave the evening before would stand open.
    const isForClass = new URLSearchParams(location.search).has("teach");

    // A browser may refuse to store anything; then answers last as long as the page.
    /** @type {Map<string, string>} */
    const memory = new Map();

    /**
     * What the storage answers; nothing if it refuses, or isn't to be asked.
     * @template Value
     * @param {(storage: Storage) => Value} ask
     * @returns {Value | undefined}
     */
    const stored = (ask) => {
        try {
            return isForClass ? undefined : ask(localStorage);
        } catch {
            return undefined;
        }
    };

    const store = {
        /** @param {string} key */
        get: (key) => stored((storage) => storage.getItem(PREFIX + key)) ?? memory.get(key) ?? null,
        /**
         * @param {string} key
         * @param {string} value
         */
        set(key, value) {
            memory.set(key, value);
            stored((storage) => storage.setItem(PREFIX + key, value));
        },
        /** @param {string} key */
        remove(key) {
            memory.delete(key);
            stored((storage) => storage.removeItem(PREFIX + key));
        },
        /** The keys of all pages. */
        keys() {
            const names = stored((storage) =>
                [...Array(storage.length).keys()].map((index) => storage.key(index) ?? ""),
            );
            const own = (names ?? [])
                .filter((name) => name.startsWith(PREFIX))
                .map((name) => name.slice(PREFIX.length));
            return [...new Set([...memory.keys(), ...own])];
        },
    };

    /**
     * `1,234.5`, `1234.5` and `1.2e3` as a number; NaN for anything else.
     * @param {string} text
     */
    const parse = (text) => {
        const plain = text.trim().replace(/,(?=\d{3}(\D|$))/g, "");
        return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
    };

    /** One question: a choice of answers, or a number to estimate. */
    class Question {
        #fieldset;
        /** How near an estimate was. */
        #outcome = make("p", { class: "outcome", hidden: true });

        /** @param {HTMLElement} fieldset */
        constructor(fieldset) {
            this.#fieldset = fieldset;
            this.key = fieldset.dataset.prediction ?? "";
            this.inputs = this.#choice ? this.#makeChoices() : [this.#makeField()];
        }

        /** The answers of the list, each with a button to choose it. */
        #makeChoices() {
            return all(this.#fieldset, "ol > li").map((item, index) => {
                const input = make("input", { type: "radio", name: this.key, value: index + 1 });
                const answer = make("span", {}, ...item.childNodes);
                item.replaceChildren(make("label", { class: "choice" }, input, answer));
                return input;
            });
        }

        /** A place for a number. */
        #makeField() {
            const input = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: 8 });
            const label = make("label", {}, "Your estimate: ", input, ` ${this.#fieldset.dataset.unit}`);
            this.#fieldset.append(make("p", { class: "estimate" }, label), this.#outcome);
            return input;
        }

        /** The right one of the answers; nothing where a number is asked for. */
        get #choice() {
            return this.#fieldset.dataset.choice;
        }

        get #given() {
            const chosen = this.#choice ? this.inputs.find((input) => input.checked) : this.inputs[0];
            return chosen?.value.trim() ?? "";
        }

        get answered() {
            return store.get(this.key) !== null;
        }

        get right() {
            const answer = store.get(this.key) ?? "";
            const choice = this.#choice;
            const [number, tolerance] = [
                Number(this.#fieldset.dataset.number),
                Number(this.#fieldset.dataset.tolerance),
            ];
            return choice ? answer === choice : Math.abs(parse(answer) - number) <= tolerance * number + 1e-9;
        }

        /** What is missing before it can be checked, or nothing. */
        get complaint() {
            if (this.#given === "") {
                return this.#choice ? "Choose an answer first." : "Give an estimate first.";
            }
            return !this.#choice && Number.isNaN(parse(this.#given))
                ? `“${this.#given}” isn't a number: write digits, as in 1,500 or 0.25.`
                : "";
        }

        keep() {
            store.set(this.key, this.#given);
        }

        forget() {
            store.remove(this.key);
            for (const input of this.inputs) {
                input.checked = false;
                if (!this.#choice) {
                    input.value = "";
                }
            }
        }

        /** Shows what is stored. */
        show() {
            const answer = store.get(this.key);
            for (const input of this.inputs) {
                input.disabled = answer !== null;
                if (this.#choice) {
                    this.#mark(input, answer);
                } else if (answer !== null) {
                    input.value = answer;
                    this.#compare();
                }
            }
            this.#outcome.hidden = answer === null;
        }

        /**
         * @param {HTMLInputElement} input one of the answers to choose from
         * @param {string | null} answer what is stored
         */
        #mark(input, answer) {
            const isRight = input.value === this.#choice;
            const isGiven = input.value === answer;
            if (answer !== null) {
                input.checked = isGiven;
            }
            input.parentElement?.classList.toggle("is-right", answer !== null && isRight);
            input.parentElement?.classList.toggle("is-wrong", isGiven && !isRight);
        }

        /** Says how near the estimate was. */
        #compare() {
            const { shown, unit, tolerance } = this.#fieldset.dataset;
            const near = `anything within ${Math.round(Number(tolerance) * 100)}% of it counts`;
            this.#outcome.textContent = `${this.right ? "✓" : "✗"} It is ${shown} ${unit}; ${near}.`;
        }
    }

    /** @type {Question[]} */
    const questions = [];
    /** @type {(() => void)[]} */
    const refreshers = [];
    const refresh = () => {
        for (const show of refreshers) {
            show();
        }
    };

    /** Questions that are checked together, and the box with their answer. */
    class Group {
        #element;
        #questions;
        #box;
        #button = make("button", { type: "button", click: () => this.#press() });
        #said = make("p", { role: "status" });

        /** @param {HTMLElement} element */
        constructor(element) {
            this.#questions = all(element, "fieldset[data-prediction]").map((fieldset) => new Question(fieldset));
            questions.push(...this.#questions);
            this.#element = element;
            this.#box = need(element, "details", HTMLDetailsElement);
            this.#box.before(make("div", { class: "play" }, this.#button, this.#said));
            element.addEventListener("keydown", (event) => {
                if (event.key === "Enter" && targetOf(event).tagName === "INPUT") {
                    event.preventDefault();
                    this.#check();
                }
            });
            refreshers.push(() => this.#refresh());
            this.#refresh();
            if (this.#done) {
                this.#box.open = true;
                this.#judge("");
            }
        }

        get #done() {
            return this.#questions.every(({ answered }) => answered);
        }

        get #result() {
            const right = this.#questions.filter((each) => each.right).length;
            if (this.#questions.length > 1) {
                return `${right} of ${this.#questions.length} right.`;
            }
            return right === 1 ? "Right." : "Not right.";
        }

        #refresh() {
            for (const question of this.#questions) {
                question.show();
            }
            this.#button.textContent = this.#done ? "Answer again" : "Check";
            this.#element.classList.toggle("is-answered", this.#done);
            this.#said.classList.toggle("verdict", this.#done);
            if (!this.#done) {
                this.#said.textContent = "";
            }
        }

        /** @param {string} more what is said besides */
        #judge(more) {
            const isRight = this.#questions.every(({ right }) => right);
            const mark = make("span", { "aria-hidden": "true" }, isRight ? "✓ " : "✗ ");
            this.#said.replaceChildren(mark, this.#result, more);
            this.#said.classList.toggle("is-wrong", !isRight);
        }

        #press() {
            if (!this.#done) {
                this.#check();
                return;
            }
            for (const question of this.#questions) {
                question.forget();
            }
            this.#box.open = false;
            refresh();
            this.#questions[0].inputs[0].focus();
        }

        #check() {
            const missing = this.#questions.find(({ complaint }) => complaint !== "");
            if (missing) {
                this.#said.textContent = missing.complaint;
                missing.inputs[0].focus();
                return;
            }
            for (const question of this.#questions) {
                question.keep();
            }
            refresh();
            this.#box.open = true;
            this.#judge(" The answer is open below.");
            this.#button.focus();
            // A lab below it plays the answer.
            this.#element.dispatchEvent(new Event("checked"));
        }
    }

    /** @param {string[]} keys */
    const forget = (keys) => {
        for (const question of questions.filter(({ key }) => keys.includes(key))) {
            question.forget();
        }
        for (const key of keys) {
            store.remove(key);
        }
    };

    /**
     * A line with a count and a button that forgets.
     * @param {Element} place
     * @param {string} label
     * @param {() => string} count
     * @param {() => string[]} keys
     */
    const summarise = (place, label, count, keys) => {
        const line = make("p");
        const click = () => {
            forget(keys());
            for (const group of groups) {
                need(group, "details", HTMLDetailsElement).open = false;
            }
            refresh();
            line.tabIndex = -1;
            line.focus();
        };
        const button = make("button", { type: "button", click }, label);
        const show = () => {
            line.textContent = count();
            button.hidden = !keys().some((key) => store.get(key) !== null);
        };
        place.append(line, button);
        refreshers.push(show);
        show();
    };

    const countOfAll = () => {
        const count = store.keys().length;
        const answers = count === 1 ? "1 answer" : `${count} answers`;
        return count === 0
            ? "This browser keeps none of your answers."
            : `This browser keeps ${answers} that you gave.`;
    };

    const countOfPage = () => {
        const answered = questions.filter((each) => each.answered);
        const right = answered.filter((each) => each.right).length;
        const asked = questions.length === 1 ? "1 question" : `${questions.length} questions`;
        return answered.length === 0
            ? `${asked} to predict on this page, none answered yet.`
            : `${answered.length} of ${asked} on this page answered, ${right} right.`;
    };

    for (const group of groups) {
        new Group(group);
    }
    if (forgetAll instanceof HTMLElement) {
        summarise(forgetAll, "Forget all my answers", countOfAll, () => store.keys());
        forgetAll.classList.add("predictions");
        forgetAll.hidden = false;
    }
    const pages = new Set(questions.map(({ key }) => key.split("/").slice(0, -1).join("/")));
    if (pages.size === 1) {
        // The contents have a tick when so many are answered.
        stored((storage) => storage.setItem(`questions:${[...pages][0]}`, String(questions.length)));
        refreshers.push(() => document.dispatchEvent(new Event("answered")));
        const place = make("div", { class: "predictions" });
        const keys = questions.map(({ key }) => key);
        summarise(place, "Forget these answers", countOfPage, () => keys);
        need(document, "main").append(place);
    }
}
