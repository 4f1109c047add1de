// The stage, which is scaled to the screen, and the slides that stand on it: 1280 by 720 pixels, and on a phone that is
// held upright as large as its screen, in one column.

/**
 * @typedef {object} Slide
 * @property {Section} section
 * @property {number} part which of the slides of its section it is, from 1
 * @property {HTMLElement} element
 * @property {HTMLElement} title
 * @property {HTMLElement} body
 * @property {HTMLElement} inner
 * @property {boolean} folded
 */

/** A screen on which a stage of 1280 pixels would be too small to read. */
const UPRIGHT = matchMedia("(max-width: 600px) and (orientation: portrait)");
/** The slides are laid out once, for the screen on which they were opened. */
const ON_PHONE = UPRIGHT.matches;
const [WIDTH, HEIGHT] = ON_PHONE ? [window.innerWidth, window.innerHeight] : [1280, 720];
/** What stands at both sides of a slide, in pixels. */
const SIDE = ON_PHONE ? 16 : 48;
/** Letters of 20 of 1080 pixels can be read in the last row, and of 11 pixels in the hand. */
const LETTERS = ON_PHONE ? 11 : 13.4;

const stage = make("main");
const deck = make(
    "div",
    { class: `content deck ${ON_PHONE ? "phone" : "wide"}`, style: `width: ${WIDTH}px; height: ${HEIGHT}px` },
    stage,
);
/** @type {Slide[]} */
const slides = [];

/**
 * An empty slide, the last one.
 * @param {Section} section
 * @param {number} part
 */
function newSlide(section, part) {
    const { kicker, level, folded } = section;
    const title = make(level === 1 ? "h1" : "h2", { class: "slide-title" }, section.title);
    const header = make("header", {}, kicker ? make("p", { class: "kicker" }, kicker) : null, title);
    const inner = make("div", { class: "inner" });
    const body = make("div", { class: "body" }, inner);
    const element = make("section", { class: "slide", "aria-roledescription": "slide" }, header, body);
    element.classList.toggle("opening", level === 1);
    element.classList.toggle("folded", folded);
    stage.append(element);
    const slide = { section, part, element, title, body, inner, folded };
    slides.push(slide);
    return slide;
}

/** @param {Slide} slide */
function fits({ body }) {
    return body.scrollHeight <= body.clientHeight + 1 && body.scrollWidth <= body.clientWidth + 1;
}

/** How much larger the screen shows the stage. */
function stageScale() {
    return deck.getBoundingClientRect().width / WIDTH;
}

function fillScreen() {
    const { clientWidth } = document.documentElement;
    const factor = Math.min(clientWidth / WIDTH, window.innerHeight / HEIGHT);
    const left = (clientWidth - WIDTH * factor) / 2;
    const top = (window.innerHeight - HEIGHT * factor) / 2;
    deck.style.transform = `translate(${left}px, ${top}px) scale(${factor})`;
}
