// What this window tells the second one, which has the notes.
//
// Each page from a file is an origin of its own, so the windows share no objects: notes.js asks, and gets messages.
// It goes on when this window shows another page, and its times are kept for when it is closed.

/**
 * @typedef {object} PageMessage the page that the slides are made of
 * @property {string} key names this page, as it is loaded now
 * @property {string} title
 * @property {string} theme
 * @property {string} base
 * @property {string[]} styles
 * @property {string} notes
 * @property {Times | null} times
 *
 * @typedef {object} SlideMessage the slide that is shown
 * @property {string} where
 * @property {string} now
 * @property {string} next
 * @property {string} said
 * @property {(Part & { id: string }) | null} part
 *
 * When the notes were opened, and how long each part has been on the screen before.
 * @typedef {{ began: number, parts: Record<string, number> }} Times
 */

const TIMES = "slides-times";
const FROM_FILE = location.protocol === "file:";
const NOTES = new URL("notes.html", /** @type {HTMLScriptElement} */ (document.currentScript).src).href;
const PAGE_KEY = `${Date.now()} ${Math.random()}`;

const speaker = {
    /** @type {Window | null} */
    window: null,
    /** @type {Element | undefined} */
    notes: undefined,
};

/** @param {{ page: PageMessage } | { slide: SlideMessage }} message */
function send(message) {
    if (speaker.window && !speaker.window.closed) {
        speaker.window.postMessage({ slides: true, ...message }, FROM_FILE ? "*" : location.origin);
    }
}

function openSpeaker() {
    if (speaker.window && !speaker.window.closed) {
        speaker.window.focus();
        return;
    }
    speaker.window = window.open(NOTES, "slides-notes", "popup,width=1120,height=760");
    if (!speaker.window) {
        live.textContent = "The browser did not open the notes: allow this page to open windows.";
        hint.textContent = live.textContent;
    }
}

/** @param {Times} times */
function keepTimes(times) {
    try {
        sessionStorage.setItem(TIMES, JSON.stringify(times));
    } catch {
        // Some browsers refuse storage to a page from a file.
    }
}

/** @returns {Times | null} */
function keptTimes() {
    try {
        return JSON.parse(sessionStorage.getItem(TIMES) ?? "null");
    } catch {
        return null;
    }
}

function tellPage() {
    // Not those for paper, nor those of another theme.
    const sheets = /** @type {HTMLLinkElement[]} */ (all(document, 'link[rel="stylesheet"]')).filter(
        ({ media, disabled }) => media !== "print" && !disabled,
    );
    const notes = speaker.notes ? insideOf(speaker.notes) : [];
    send({
        page: {
            key: PAGE_KEY,
            title: slides[0].section.title,
            theme: document.documentElement.className,
            base: location.href.split("#")[0],
            styles: sheets.map(({ href }) => href),
            notes: notes.map((child) => child.outerHTML).join(""),
            times: keptTimes(),
        },
    });
}

function tellSlide() {
    const slide = slideNow();
    const next = slides[nextOf(1, false)];
    const { part } = showing;
    const texts = all(slide.inner, ":scope > :is(p, ul, ol, blockquote), details > :is(p, ul, ol)");
    send({
        slide: {
            where: `${showing.current + 1} / ${slides.length}`,
            now: [slide.section.kicker, slide.section.title].filter(Boolean).join(" \u203a "),
            next: next === slide ? "" : next.element.outerHTML,
            said: texts.map((text) => text.outerHTML).join(""),
            part: part && { ...part, id: `${location.pathname.split("/").at(-1)}${part.link}` },
        },
    });
}
