// Which slide is shown, and what the keys do to it.

/**
 * A part of the page that the notes count minutes for, with its first slide.
 * @typedef {{ link: string, name: string, minutes: number, first: number }} Part
 */

const showing = {
    current: 0,
    /** @type {Part | null} */
    part: null,
    /** @type {Part[]} */
    parts: [],
};

const live = make("p", { class: "said", "aria-live": "polite" });
const place = make("span", { class: "place" });
const hint = make("span", { class: "hint" });

/** @returns {Slide} */
const slideNow = () => slides[showing.current];

/**
 * The slide that comes next in this direction, folded ones left out unless they are wanted.
 * @param {number} by
 * @param {boolean} folded
 */
function nextOf(by, folded) {
    let to = showing.current + by;
    while (slides[to]?.folded && !folded) {
        to += by;
    }
    return slides[to] ? to : showing.current;
}

/** The address of the slide that is shown: the heading that it belongs to, and how many slides behind it. */
function addressNow() {
    let first = showing.current;
    while (first > 0 && !slides[first].section.id) {
        first -= 1;
    }
    while (first > 0 && slides[first - 1].section === slides[first].section) {
        first -= 1;
    }
    const { id } = slides[first].section;
    return showing.current === first ? `#${id}` : `#${id}~${showing.current - first + 1}`;
}

/** @param {string} hash */
function indexOf(hash) {
    const [id, count] = decodeURIComponent(hash.slice(1)).split("~");
    if (!id) {
        return 0;
    }
    let at = slides.findIndex(({ section }) => section.id === id || section.also.includes(id));
    if (at < 0) {
        at = slides.findIndex(({ element }) => all(element, "[id]").some((one) => one.id === id));
    }
    return Math.min(Math.max(at, 0) + Math.max(Number(count) || 1, 1) - 1, slides.length - 1);
}

/**
 * The parts that the notes count minutes for.
 * @param {Element | undefined} notes
 * @returns {Part[]}
 */
function partsOf(notes) {
    const agenda = notes?.querySelector("p");
    const found = (agenda ? all(agenda, 'a[href^="#"]') : []).map((link) => ({
        link: link.getAttribute("href") ?? "",
        name: wordsOf(link),
        minutes: Number.parseInt(link.nextSibling?.textContent ?? "", 10),
        first: indexOf(link.getAttribute("href") ?? ""),
    }));
    return found.sort((one, other) => one.first - other.first);
}

/**
 * Shows a slide, and says so with the event `slide`.
 * @param {number} index
 */
function showSlide(index) {
    showing.current = index;
    // What comes before the first part belongs to it.
    showing.part = showing.parts.findLast((one) => one.first <= index) ?? showing.parts[0] ?? null;
    slides.forEach(({ element }, other) => {
        element.classList.toggle("shown", other === index);
        element.inert = other !== index;
    });
    const slide = slides[index];
    slide.body.scrollTop = 0;
    place.textContent = `${index + 1} / ${slides.length}`;
    const below = slides[index + 1];
    hint.textContent = below?.folded && !slide.folded ? `\u2193 ${below.section.title}` : "";
    live.textContent = `Slide ${index + 1} of ${slides.length}: ${slide.section.title}`;
    try {
        history.replaceState(null, "", `${location.pathname}${location.search}${addressNow()}`);
    } catch {
        // A page from a file may not change its address everywhere; the slides work all the same.
    }
    deck.dispatchEvent(new Event("slide"));
}

/**
 * Scrolls a slide that scrolls by most of its height; false if it is at its end.
 * @param {number} direction
 */
function scrollSlide(direction) {
    const { body } = slideNow();
    if (!body.classList.contains("scrolls")) {
        return false;
    }
    const before = body.scrollTop;
    body.scrollTop += direction * body.clientHeight * 0.8;
    return Math.abs(body.scrollTop - before) > 1;
}

/** Opens the first closed answer of the slide; false if there is none. */
function reveal() {
    const slide = slideNow();
    const boxes = /** @type {HTMLDetailsElement[]} */ (all(slide.inner, "details:not([open])"));
    const box = boxes.find((one) => one.getClientRects().length > 0);
    if (slide.section.id !== "predict" || !box) {
        return false;
    }
    box.open = true;
    refit(slide);
    const { body } = slide;
    if (body.classList.contains("scrolls")) {
        // What was hidden is what they want to see.
        const [inside, seen] = [box.getBoundingClientRect(), body.getBoundingClientRect()];
        const over = Math.min(inside.bottom - seen.bottom, inside.top - seen.top);
        body.scrollTop += (Math.max(0, over) * body.clientHeight) / seen.height;
    }
    return true;
}

/**
 * One step on (1) or back (-1).
 * @param {1 | -1} direction
 * @param {boolean} folded whether folded slides are shown as well
 */
function stepSlide(direction, folded) {
    if (!scrollSlide(direction) && !(direction > 0 && reveal())) {
        showSlide(nextOf(direction, folded));
    }
}
