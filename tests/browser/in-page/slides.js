// Runs in a page that is shown as slides: where they stand, and what of the shown one can't be seen.
//
// Given to each page as it is loaded, with the helpers of theme/elements.js, which the page itself has.

/**
 * Where the slides stand.
 * @typedef {object} Place
 * @property {number} index
 * @property {number} count
 * @property {boolean} folded whether the shown one is
 * @property {string} title
 * @property {number} scrolled
 * @property {boolean} scrolls
 * @property {number} left how far it can still be scrolled
 * @property {number} open the open boxes
 *
 * @typedef {object} Shown the shown slide
 * @property {Element} slide
 * @property {DOMRect} stage
 * @property {number} zoom how much larger than laid out it is seen
 * @property {boolean} phone whether it is laid out for a phone
 * @property {Element} body
 * @property {DOMRect} edge of its body
 * @property {number} slack
 */

/** @param {Element} element */
const nameOf = (element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}">`;

/** @param {Element} element */
const textOf = (element) => wordsOf(element).slice(0, 50);

/** @returns {Place} */
function placeOfSlides() {
    const slides = all(document, ".slide");
    const slide = need(document, ".slide.shown");
    const body = need(slide, ".body");
    return {
        index: slides.indexOf(slide),
        count: slides.length,
        folded: slide.classList.contains("folded"),
        title: textOf(need(slide, ".slide-title")),
        scrolled: Math.round(body.scrollTop),
        scrolls: body.classList.contains("scrolls"),
        left: Math.round(body.scrollHeight - body.clientHeight - body.scrollTop),
        open: slide.querySelectorAll("details[open]").length,
    };
}

/** What is wrong with the shown slide, and where the slides stand. */
function lookAtSlide() {
    const slide = need(document, ".slide.shown");
    const deck = need(document, ".deck");
    const [stage, phone] = [deck.getBoundingClientRect(), deck.matches(".phone")];
    const zoom = stage.width / deck.offsetWidth;
    const body = need(slide, ".body");
    // Two pixels of the stage, and what rounding does.
    const slack = 2 * zoom + 1;
    const shown = { slide, stage, zoom, phone, body, edge: body.getBoundingClientRect(), slack };
    const faults = [
        ...faultsOfStage(stage),
        ...faultsOfPlaces(shown),
        ...faultsOfLetters(shown),
        ...faultsOfPictures(shown),
        ...faultsOfReplays(shown),
        ...faultsOfControls(shown),
    ];
    const [first, ...others] = all(slide, ".inner > *");
    if (first?.matches(".command") && others.length === 0) {
        faults.push(`a command alone: ${textOf(first)}`);
    }
    return { ...placeOfSlides(), faults: faults.slice(0, 4) };
}

/** @param {DOMRect} stage */
function faultsOfStage(stage) {
    const faults = [];
    const shown = all(document, ".slide.shown").length;
    if (shown !== 1) {
        faults.push(`${shown} slides are shown`);
    }
    const [width, height] = [window.innerWidth, window.innerHeight];
    if (stage.left < -1 || stage.top < -1 || stage.right > width + 1 || stage.bottom > height + 1) {
        faults.push(
            `the stage is ${Math.round(stage.width)} by ${Math.round(stage.height)} px on ${width} by ${height}`,
        );
    }
    const { scrollWidth, scrollHeight } = document.documentElement;
    if (scrollWidth > width + 1 || scrollHeight > height + 1) {
        faults.push(`the window scrolls: ${scrollWidth} by ${scrollHeight} px`);
    }
    return faults;
}

/**
 * What sticks out of the slide or of the stage, or hides a part of itself.
 * @param {Shown} shown
 */
function faultsOfPlaces({ slide, stage, phone, body, edge, slack }) {
    const faults = [];
    const scrolls = body.classList.contains("scrolls");
    for (const element of all(slide, "*")) {
        const box = element.getBoundingClientRect();
        const svg = element.closest("svg");
        // What only a screen reader sees is a point on the screen. Parts of a drawing may lie outside of its frame
        // where nothing is drawn; the text counts.
        const seen = box.width > 2 && box.height > 2 && element.checkVisibility({ visibilityProperty: true });
        const drawn = svg && !element.matches("svg") && !element.matches("text, foreignObject *");
        if (!seen || drawn || element.closest("svg desc, svg title, defs, clipPath, marker")) {
            continue;
        }
        // On a phone a wide table scrolls in its box.
        const scrolling = phone ? element.closest(".table-wrapper") : null;
        if (scrolling && element !== scrolling) {
            continue;
        }
        if (!body.contains(element) || element === body) {
            if (box.right > stage.right + 1 || box.bottom > stage.bottom + 1) {
                faults.push(`${nameOf(element)} leaves the stage: ${textOf(element)}`);
            }
            continue;
        }
        const below = box.bottom > edge.bottom + slack || box.top < edge.top - slack;
        const beside = box.right > edge.right + slack || box.left < edge.left - slack;
        if (beside || (below && !scrolls)) {
            const places = [box.left, box.top, box.right, box.bottom].map(Math.round);
            const ends = [edge.right, edge.bottom].map(Math.round);
            faults.push(`${nameOf(element)} lies at ${places}, outside of ${ends}: ${textOf(element)}`);
        }
        const clips = !scrolling && getComputedStyle(element).overflowX !== "visible" && element.clientWidth > 0;
        if (clips && element.scrollWidth > element.clientWidth + 1) {
            faults.push(`${nameOf(element)} hides a part of itself: ${textOf(element)}`);
        }
    }
    return faults;
}

/**
 * What a reader in the last row can't read: below 20 of 1080 pixels, in text, listings, tables and drawings. On a
 * phone: below 11 pixels.
 * @param {Shown} shown
 */
function faultsOfLetters({ slide, stage, zoom, phone }) {
    // What rounding does to 11 pixels is none of their faults.
    const [least, height] = phone ? [10.99, stage.height] : [20, 1080];
    const faults = [];
    const walker = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
    for (let words = walker.nextNode(); words; words = walker.nextNode()) {
        const element = words.parentElement;
        const text = (words.textContent ?? "").trim();
        const unseen = "script, style, title, desc, option, sup, sub";
        if (!element || text === "" || element.getClientRects().length === 0 || element.closest(unseen)) {
            continue;
        }
        const drawing = element.closest("foreignObject");
        const drawn =
            element instanceof SVGGraphicsElement ? element : /** @type {SVGGraphicsElement | null} */ (drawing);
        const { a, b } = drawn?.getScreenCTM() ?? { a: (element.currentCSSZoom ?? 1) * zoom, b: 0 };
        const size = (Number.parseFloat(getComputedStyle(element).fontSize) * Math.hypot(a, b) * height) / stage.height;
        if (size < least) {
            faults.push(`letters of ${size.toFixed(1)} of ${Math.round(height)} px: ${text.slice(0, 40)}`);
        }
    }
    return faults;
}

/**
 * A picture is not cut; on a slide that scrolls, and on a phone, where a recording does, it is no higher than the slide.
 * @param {Shown} shown
 */
function faultsOfPictures({ slide, phone, body, edge, slack }) {
    const faults = [];
    const scrolls = body.classList.contains("scrolls");
    for (const picture of all(slide, `figure.chart${phone ? ":not(.replay)" : ""} > svg`)) {
        const box = picture.getBoundingClientRect();
        const cut =
            phone || scrolls ? box.height > edge.height + slack : box.height > 0 && box.bottom > edge.bottom + slack;
        if (cut || box.right > edge.right + slack) {
            const [ends, wanted] = [box, edge].map(({ right, bottom }) => [right, bottom].map(Math.round));
            faults.push(`a picture is cut: it ends at ${ends}, and the slide at ${wanted}`);
        }
    }
    return faults;
}

/**
 * What plays is seen whole, with what plays it; on a phone, what plays it is seen wherever the picture is.
 * @param {Shown} shown
 */
function faultsOfReplays({ slide, phone, edge, slack }) {
    const faults = [];
    if (phone) {
        for (const part of all(slide, "rung-replay .replay-bar :is(input, button)")) {
            const [box, { top, bottom }] = [part, need(slide, "rung-replay svg.narrow")].map((one) =>
                one.getBoundingClientRect(),
            );
            if (top < edge.bottom && bottom > edge.top && (box.bottom > edge.bottom + slack || box.top < edge.top)) {
                faults.push(`${nameOf(part)} of a recording is not on the screen with its picture`);
            }
        }
        return faults;
    }
    for (const part of all(slide, "rung-replay :is(svg.wide, input, button, figcaption)")) {
        const box = part.getBoundingClientRect();
        if (box.bottom > edge.bottom + slack || box.top < edge.top - slack) {
            const ends = `ends at ${Math.round(box.bottom)}, and the slide at ${Math.round(edge.bottom)}`;
            faults.push(`${nameOf(part)} of a recording ${ends}`);
        }
        const caption = need(slide, "rung-replay figcaption").getBoundingClientRect();
        const below = box.bottom > caption.top + 1 && box.right > caption.left + 1 && box.left < caption.right;
        if (!part.matches("figcaption") && below) {
            faults.push(`${nameOf(part)} of a recording covers its caption`);
        }
    }
    return faults;
}

/** What is played or changed, with its picture and with its controls. */
const PLAYED = [
    ["rung-replay", "figure > svg", ".replay-bar"],
    ["server-race", "figure > svg.stage", ".race-controls > input, .race-row"],
    ["law-numbers", ".answers", "p"],
];

/**
 * A picture and its controls have room on one screen, also on a phone.
 * @param {Shown} shown
 */
function faultsOfControls({ slide, edge, slack }) {
    return PLAYED.flatMap(([name, picture, controls]) =>
        all(slide, name).flatMap((box) => {
            const heights = all(box, `${picture}, ${controls}`).map((part) => part.getBoundingClientRect().height);
            const high = heights.reduce((sum, height) => sum + height, 0);
            const [own, room] = [high, edge.height].map(Math.round);
            return high > edge.height + slack ? [`<${name}> with its controls is ${own} px high, of ${room}`] : [];
        }),
    );
}

/** What the page says, without what is for teachers, and how many pictures it has. */
function textsOfPage() {
    const whole = /** @type {Element} */ (need(document, "main").cloneNode(true));
    for (const unwanted of all(whole, ".buttons, script, style, svg")) {
        unwanted.remove();
    }
    // A task stands unfolded below the title of its exercise.
    for (const summary of all(whole, "summary")) {
        if (summary.textContent?.startsWith("The task:")) {
            summary.remove();
        }
    }
    const texts = all(whole, "h1, h2, h3, p, li:not(:has(p, li)), td, th, figcaption, summary, legend, label");
    const lines = all(whole, "pre").flatMap((pre) => (pre.textContent ?? "").split("\n"));
    const squeezed = [...texts.map(({ textContent }) => textContent ?? ""), ...lines].map((text) =>
        text.replace(/\s+/g, ""),
    );
    return {
        texts: squeezed.filter((text) => text !== ""),
        figures: all(document, "main figure").length,
        diagrams: all(document, "main figure.diagram").length,
    };
}

function textsOfSlides() {
    const whole = /** @type {Element} */ (need(document, ".deck main").cloneNode(true));
    for (const unwanted of all(whole, ".buttons, svg.mark")) {
        unwanted.remove();
    }
    return {
        text: (whole.textContent ?? "").replace(/\s+/g, ""),
        figures: all(whole, "figure").length,
        diagrams: all(whole, "figure.diagram svg.wide").length,
    };
}

/** The notes for teachers, without white space. */
function notesOfPage() {
    const { content } = need(document, "main template.for-teachers", HTMLTemplateElement);
    const inside = [...need(content, "details").children].slice(1);
    return inside
        .map(({ textContent }) => textContent)
        .join("")
        .replace(/\s+/g, "");
}

/** What is wrong with the slides of exercises: the task is open, a solution has a cover. */
function faultsOfExercises() {
    const faults = [];
    const title = (/** @type {Element} */ slide) => need(slide, ".slide-title").firstChild?.textContent ?? "";
    const slides = all(document, ".slide");
    for (const [index, slide] of slides.entries()) {
        if (title(slide).startsWith("The task:")) {
            faults.push(`${title(slide)} is folded`);
        }
        const covers = title(slide).startsWith("A solution") && title(slides[index - 1]) !== title(slide);
        if (
            covers &&
            (!slide.querySelector(".cover") || slide.querySelector("pre") || !slide.classList.contains("folded"))
        ) {
            faults.push(`${title(slide)} has no cover`);
        }
    }
    return faults;
}

/** Resolves when the slides have been laid out after a change, and have seen their new size. */
function slidesAtRest() {
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}

/**
 * Walks from the first slide to the last by the key that shows all of them, and looks at everything on the way. The
 * key comes from the page itself, without the browser: that real keys lead on is seen elsewhere.
 */
async function walkThroughSlides() {
    const steps = [lookAtSlide()];
    for (let step = 0; step < 3000; step += 1) {
        const key = new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true });
        document.body.dispatchEvent(key);
        await slidesAtRest();
        const after = lookAtSlide();
        const before = steps[steps.length - 1];
        steps.push(after);
        if (after.index === before.index && after.scrolled === before.scrolled && after.open === before.open) {
            break;
        }
    }
    return steps;
}

Object.assign(window, {
    ...{ placeOfSlides, lookAtSlide, textsOfPage, textsOfSlides, notesOfPage, faultsOfExercises, slidesAtRest },
    walkThroughSlides,
});
