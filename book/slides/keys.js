// What leads the slides: the keys, the bar, and the second window.

const KEYS = /** @type {const} */ ({
    ArrowRight: "next",
    PageDown: "next",
    " ": "next",
    ArrowLeft: "back",
    PageUp: "back",
    Backspace: "back",
    ArrowDown: "down",
    ArrowUp: "up",
    Home: "first",
    End: "last",
    b: "blank",
    ".": "blank",
    f: "fullscreen",
    s: "notes",
    t: "text",
    Escape: "leave",
    "?": "help",
    h: "help",
});

const HELP = [
    ["\u2192, Space, Page Down", "on: first down a slide that scrolls, then open its answer"],
    ["\u2190, Shift+Space, Page Up", "back"],
    ["\u2193, \u2191", "the same, folded boxes of the page included"],
    ["Home, End", "the first, the last slide"],
    ["S", "the notes, in a second window, which may stay open from page to page"],
    ["T", "all of the text, or the first sentences"],
    ["B", "nothing on the screen, and back"],
    ["F", "the whole screen, up to the next page; the browser\u2019s own key, often F11, stays"],
    ["Escape", "back to the page"],
];

const help = make(
    "dialog",
    { class: "keys" },
    make("h2", {}, "Keys"),
    make("table", {}, make("tbody", {}, ...HELP.map(([key, what]) => helpRow(key, what)))),
);

/**
 * @param {string} key
 * @param {string} what
 */
function helpRow(key, what) {
    return make("tr", {}, make("th", { scope: "row" }, key), make("td", {}, what));
}

function leaveSlides() {
    if (help.open) {
        help.close();
        return;
    }
    const { id } = slides[indexOf(addressNow().split("~")[0])].section;
    location.href = `${location.pathname}${id ? `#${id}` : ""}`;
}

function toggleFullscreen() {
    if (document.fullscreenElement) {
        document.exitFullscreen();
    } else {
        // A browser may refuse, or not know how.
        document.documentElement.requestFullscreen?.().catch(() => {});
    }
}

const actions = {
    next: () => stepSlide(1, false),
    back: () => stepSlide(-1, false),
    down: () => stepSlide(1, true),
    up: () => stepSlide(-1, true),
    first: () => showSlide(0),
    last: () => showSlide(slides.length - 1),
    blank: () => deck.classList.toggle("blank"),
    fullscreen: toggleFullscreen,
    notes: openSpeaker,
    text: () => {
        const other = wholeText ? "?slides" : "?slides=full";
        location.href = `${location.pathname}${other}${location.hash.split("~")[0]}`;
    },
    leave: leaveSlides,
    help: () => (help.open ? help.close() : help.show()),
};

/**
 * @param {{ key: string, shiftKey?: boolean }} event
 * @returns {keyof typeof actions | undefined}
 */
function actionOf({ key, shiftKey }) {
    const names = /** @type {Record<string, keyof typeof actions>} */ (KEYS);
    return key === " " && shiftKey ? "back" : (names[key] ?? names[key.toLowerCase()]);
}

/**
 * Whether an element wants this key for itself.
 * @param {Element} target
 * @param {string} key
 */
function takesKey(target, key) {
    if (key.startsWith("Page") || key === "Escape") {
        return false;
    }
    if (target.closest(".bar, .speaker-bar, summary, a")) {
        return key === " " || key === "Enter";
    }
    const controls =
        'input, select, textarea, button, [contenteditable], [role="slider"], [role="spinbutton"], rung-replay, server-race';
    return target.closest(controls) !== null;
}

/** @param {KeyboardEvent} event */
function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || takesKey(targetOf(event), event.key)) {
        return;
    }
    const name = actionOf(event);
    // mdBook's own keys would turn the page, or search.
    event.stopImmediatePropagation();
    if (name) {
        event.preventDefault();
        actions[name]();
    }
}

/**
 * A message of the notes: of a window that this one opened, and no other.
 * @param {MessageEvent} event
 */
function onMessage({ source, origin, data }) {
    const notes = /** @type {Window | null} */ (source);
    if (!data?.notes || notes?.opener !== window || !(FROM_FILE || origin === location.origin)) {
        return;
    }
    speaker.window = notes;
    if (data.has !== undefined) {
        if (data.times) {
            keepTimes(data.times);
        }
        if (data.has !== PAGE_KEY) {
            tellPage();
            tellSlide();
        }
    } else if (data.go) {
        showSlide(indexOf(data.go));
    } else {
        const name = actionOf(data);
        if (name) {
            actions[name]();
        }
    }
}

/**
 * @param {string} label
 * @param {string} text
 * @param {() => void} action
 */
function barButton(label, text, action) {
    const click = () => {
        action();
        button.blur();
    };
    const button = make("button", { type: "button", title: label, "aria-label": label, click }, text);
    return button;
}

function makeBar() {
    return make(
        "nav",
        { class: "bar", "aria-label": "Slides" },
        hint,
        barButton("Back (\u2190)", "\u2190", actions.back),
        place,
        barButton("On (\u2192)", "\u2192", actions.next),
        barButton("Notes in a second window (S)", "Notes", actions.notes),
        barButton("Keys (?)", "?", actions.help),
        barButton("Back to the page (Escape)", "\u00d7", actions.leave),
    );
}
