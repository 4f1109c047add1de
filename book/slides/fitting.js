// What is too large for its slide is made smaller, if it can be read then; and pictures get the room that is left.

/** How far a slide that is too full may shrink before it scrolls instead. */
const SMALLEST = 0.7;
/** How far a diagram may grow. */
const DIAGRAM = 1.8;
/** From this height on, in parts of its width, a chart has its caption beside it. */
const TALL = 0.42;

/** Which drawing of a picture there is room for. */
const DRAWN = `svg:is(.${ON_PHONE ? "narrow" : "wide"}, .alone)`;

/** The width that an element has, with its fractions: `clientWidth` rounds, and a rounded picture has letters too small.
 * @param {Element} element */
const exactWidth = (element) => Number.parseFloat(getComputedStyle(element).width);

/** @param {SVGElement} svg */
const ownLetters = (svg) => Number.parseFloat(getComputedStyle(need(svg, "text", SVGElement)).fontSize);

/**
 * A smaller heading, for a picture that has not enough room otherwise; false if that was done before.
 * @param {Slide} slide
 */
function crowd({ element }) {
    const was = element.classList.contains("crowded");
    element.classList.add("crowded");
    return !was;
}

/**
 * @param {HTMLElement} figure
 * @param {Slide} slide
 */
function sizeChart(figure, slide) {
    const svg = figure.querySelector(`:scope > ${DRAWN}`);
    if (!(svg instanceof SVGSVGElement)) {
        // In a narrow column a diagram may be a list.
        return;
    }
    const { width, height } = svg.viewBox.baseVal;
    const diagram = figure.matches(".diagram");
    figure.classList.toggle("beside", !ON_PHONE && !diagram && height > width * TALL);
    const least = (LETTERS / ownLetters(svg)) * width + (exactWidth(figure) - exactWidth(svg));
    let [low, high] = [least, Math.min(slide.body.clientWidth, diagram ? DIAGRAM * width : Infinity)];
    const fitsAt = (/** @type {number} */ wide) => {
        figure.style.width = `${wide}px`;
        return fits(slide);
    };
    if (fitsAt(high)) {
        return;
    }
    if (!fitsAt(low) && crowd(slide) && !fitsAt(low)) {
        return;
    }
    while (high - low > 20) {
        const middle = (low + high) / 2;
        [low, high] = fitsAt(middle) ? [middle, high] : [low, middle];
    }
    fitsAt(low);
}

/**
 * A recording is as high as its slide; on a phone it scrolls, and what plays it stays below it.
 * @param {HTMLElement} figure
 * @param {Slide} slide
 */
function sizeReplay(figure, slide) {
    if (ON_PHONE) {
        return;
    }
    const svg = need(figure, "svg.wide", SVGSVGElement);
    const room = () => {
        const above = svg.getBoundingClientRect().top - slide.inner.getBoundingClientRect().top;
        return slide.body.clientHeight - above / stageScale() - 36;
    };
    const least = (LETTERS / ownLetters(svg)) * svg.viewBox.baseVal.height;
    if (room() < least) {
        crowd(slide);
    }
    figure.style.setProperty("--room", `${Math.max(room(), least)}px`);
}

/**
 * A stage is as large as its slide, with its controls.
 * @param {HTMLElement} figure
 * @param {Slide} slide
 */
function sizeStage(figure, slide) {
    const svg = need(figure, `:scope > ${DRAWN}`, SVGSVGElement);
    svg.style.width = "";
    const { width, height } = svg.viewBox.baseVal;
    const room = () => slide.body.clientHeight - (figure.offsetHeight - svg.clientHeight);
    if (room() < svg.clientHeight) {
        crowd(slide);
    }
    svg.style.width = `${Math.min(svg.clientWidth, (room() * width) / height)}px`;
}

/**
 * Gives a picture the room that the rest of its slide leaves.
 * @param {Slide} slide
 */
function sizePictures(slide) {
    for (const figure of all(slide.inner, "figure.chart:not(.replay, .race)")) {
        sizeChart(figure, slide);
    }
    if (slide.inner.querySelector("scheduler-lab")) {
        crowd(slide);
    }
    for (const figure of all(slide.inner, "figure.replay")) {
        sizeReplay(figure, slide);
    }
    for (const figure of all(slide.inner, "figure.race")) {
        sizeStage(figure, slide);
    }
}

/**
 * The smallest letters of a slide, in pixels of the stage; those of code in a table, or in a caption.
 * @param {Slide} slide
 */
function lettersOf(slide) {
    const { inner } = slide;
    const [caption, code, table] = ON_PHONE ? [12, 12.9, 15] : [16.3, 18.9, 22];
    const sizes = [inner.querySelector("figcaption") ? caption : code];
    sizes.push(...all(inner, "pre[data-size]").map(({ dataset }) => Number(dataset.size)));
    sizes.push(...all(inner, ".narrow").map(({ style }) => table * 0.86 * Number(style.zoom || 1)));
    const charts = /** @type {SVGSVGElement[]} */ (all(inner, `figure.chart > ${DRAWN}`));
    const size = (/** @type {SVGSVGElement} */ svg, /** @type {number} */ own) =>
        (own * exactWidth(svg)) / svg.viewBox.baseVal.width;
    sizes.push(...charts.map((svg) => size(svg, ownLetters(svg))));
    return Math.min(...sizes);
}

/** What plays has the size of its slide. @param {Slide} slide */
const plays = ({ inner }) => inner.querySelector("rung-replay, server-race, scheduler-lab") !== null;

/**
 * Whether a slide fits at a size no smaller than this, with letters that can be read; then it has it.
 * @param {Slide} slide
 * @param {number} smallest
 */
function fitsSmaller(slide, smallest) {
    slide.inner.style.zoom = "";
    if (plays(slide)) {
        return false;
    }
    const least = Math.max(smallest, LETTERS / lettersOf(slide));
    for (let zoom = 0.95; zoom >= least - 0.001; zoom -= 0.05) {
        slide.inner.style.zoom = String(zoom);
        if (fits(slide)) {
            return true;
        }
    }
    slide.inner.style.zoom = "";
    return false;
}

/**
 * Makes a slide fit that is too full, or lets it scroll: then the keys that lead on scroll first.
 * @param {Slide} slide
 */
function refit(slide) {
    const { body, inner } = slide;
    const top = body.scrollTop;
    body.classList.remove("scrolls");
    for (const name of ["tabindex", "role", "aria-label"]) {
        body.removeAttribute(name);
    }
    inner.style.zoom = "";
    if (fits(slide) || fitsSmaller(slide, SMALLEST)) {
        return;
    }
    // Too wide is worse than too small.
    inner.style.zoom = plays(slide) ? "" : String(Math.max(0.85, Math.min(1, LETTERS / lettersOf(slide))));
    for (let zoom = 0.8; body.scrollWidth > body.clientWidth + 1 && zoom > 0.3; zoom -= 0.05) {
        inner.style.zoom = String(zoom);
    }
    body.classList.add("scrolls");
    body.tabIndex = 0;
    body.setAttribute("role", "region");
    body.setAttribute("aria-label", `${slide.section.title}, scrolls`);
    body.scrollTop = top;
}

/**
 * Whether a block is not too wide for its slide.
 * @param {Element} block
 * @param {Slide} slide
 */
function fitsBeside(block, { body }) {
    return block.getBoundingClientRect().width <= body.clientWidth + 1 && body.scrollWidth <= body.clientWidth + 1;
}

/**
 * Makes a table that is too wide smaller.
 * @param {Element} block
 * @param {Slide} slide
 */
function narrow(block, { body }) {
    const tooWide = () => body.scrollWidth > body.clientWidth + 1;
    if (!(block instanceof HTMLElement) || !block.matches(".table-wrapper, table") || !tooWide()) {
        return;
    }
    block.classList.add("narrow");
    // A long name may go on in the next line.
    for (const code of all(block, "code")) {
        const parts = (code.textContent ?? "").split(/(?<=_)/);
        code.replaceChildren(...parts.flatMap((part, index) => (index > 0 ? [make("wbr"), part] : [part])));
    }
    for (let zoom = 1; tooWide() && zoom > 0.7; zoom -= 0.05) {
        block.style.zoom = String(zoom);
    }
}

/**
 * Whether a picture would be much larger on a slide of its own.
 * @param {Element} block
 * @param {Slide} slide
 */
function isCramped(block, { body }) {
    if (block.matches("server-race")) {
        return true;
    }
    if (block.matches("rung-replay, scheduler-lab")) {
        return body.scrollHeight > body.clientHeight + 1;
    }
    if (!(block instanceof HTMLElement) || !block.matches("figure.chart:not(.replay)")) {
        return false;
    }
    const svg = block.matches(".diagram") ? block.querySelector(DRAWN) : null;
    const own = svg instanceof SVGSVGElement ? svg.viewBox.baseVal.width : Infinity;
    return Number.parseFloat(block.style.width) < Math.min(body.clientWidth * 0.8, own * 1.2);
}
