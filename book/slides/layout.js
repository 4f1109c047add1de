// Spreads sections over slides.

/**
 * Whether words lead to what comes next, and stay above it.
 * @param {Element} block
 */
function leadsOn(block) {
    const bold = block.childNodes.length === 1 && block.firstChild?.nodeName === "STRONG";
    return block.matches("p") && (/:$/.test(wordsOf(block)) || bold);
}

/** Spreads a section over as many slides as it needs. */
class Spread {
    #part = 0;
    #section;
    /** What is still to be placed. */
    #queue;
    /** @type {Slide} */
    #slide;

    /** @param {Section} section */
    constructor(section) {
        this.#section = section;
        this.#queue = blocksOf(section.elements, section.folded || section.whole || section.id === "predict");
        this.#slide = this.#begin();
        for (let guard = 0; guard < 2000; guard += 1) {
            const block = this.#queue.shift();
            if (!block) {
                break;
            }
            this.#place(block);
        }
        this.#gather();
    }

    #begin() {
        this.#part += 1;
        this.#slide = newSlide(this.#section, this.#part);
        return this.#slide;
    }

    /**
     * The next slide begins with these.
     * @param {...Element} blocks
     */
    #putOff(...blocks) {
        this.#queue.unshift(...blocks);
        this.#begin();
    }

    /** @param {Element} block */
    #place(block) {
        const slide = this.#slide;
        const others = [...slide.inner.children].filter((one) => !one.matches(".command")).length;
        const room = slide.body.clientHeight;
        const pre = preOf(block);
        if (pre && pre.dataset.size === undefined) {
            sizeListing(pre, block === pre ? room : room - 40);
        }
        slide.inner.append(block);
        sizePictures(slide);
        if (this.#chartStays(block) || (fits(slide) && !(others > 0 && isCramped(block, slide)))) {
            return;
        }
        // A command alone says nothing.
        if (block.matches(".command") && others > 0 && fitsSmaller(slide, 0.8)) {
            return;
        }
        if (others > 0 && this.#goesBelow(block, pre, room)) {
            return;
        }
        if (!this.#standsAlone(block, others)) {
            this.#share(block, pre, room);
        }
    }

    /**
     * A chart does not make room for what follows it: then that is put off.
     * @param {Element} block
     */
    #chartStays(block) {
        const chart = this.#slide.inner.querySelector("figure.chart:not(.replay, .race)");
        if (!(chart instanceof HTMLElement)) {
            return false;
        }
        const width = Number.parseFloat(chart.style.width);
        if (chart === block) {
            chart.dataset.width = String(width);
            return false;
        }
        if (!(width < 0.85 * Number(chart.dataset.width))) {
            return false;
        }
        const before = block.previousElementSibling;
        const together = before && leadsOn(before) ? [before, block] : [block];
        for (const one of together) {
            one.remove();
        }
        sizePictures(this.#slide);
        this.#putOff(...together);
        return true;
    }

    /**
     * Places a block below the few words before it, smaller or in part.
     * @param {Element} block
     * @param {HTMLElement | null} pre
     * @param {number} room
     */
    #goesBelow(block, pre, room) {
        const slide = this.#slide;
        const edge = slide.body.getBoundingClientRect().top;
        const top = (block.previousElementSibling?.getBoundingClientRect().bottom ?? edge) - edge;
        if (top >= room * (pre ? 0.4 : 0.3)) {
            return false;
        }
        if (!isCramped(block, slide) && fitsSmaller(slide, 0.8)) {
            return true;
        }
        if (pre) {
            const more = cutListing(block, pre, room - (pre.getBoundingClientRect().top - edge));
            refit(slide);
            if (more) {
                this.#putOff(more);
            }
            return true;
        }
        const rest = hasRows(block) && fitsBeside(block, slide) ? cutRows(block, slide) : null;
        if (rest) {
            this.#putOff(rest);
        }
        return rest !== null;
    }

    /**
     * Puts a block off for which there is no room, with the words that lead to it.
     * @param {Element} block
     * @param {number} others
     */
    #standsAlone(block, others) {
        const slide = this.#slide;
        const last = others > 0 ? block.previousElementSibling : null;
        // A picture that doesn't fit below the words that lead to it stands alone.
        const cramped =
            (others === 1 && block.matches("figure.chart, rung-replay, server-race")) ||
            (others > 0 && block.matches("figure.chart") && isCramped(block, slide));
        const led = last !== null && leadsOn(last) && !cramped;
        if (others <= (led ? 1 : 0)) {
            return false;
        }
        const together = led ? [last, block] : [block];
        for (const one of together) {
            one.remove();
        }
        slide.element.classList.remove("crowded");
        sizePictures(slide);
        this.#putOff(...together);
        return true;
    }

    /**
     * A block that is too large for any slide: smaller, in parts, or on a slide that scrolls.
     * @param {Element} block
     * @param {HTMLElement | null} pre
     * @param {number} room
     */
    #share(block, pre, room) {
        const slide = this.#slide;
        narrow(block, slide);
        // A row or two on a slide of their own are not worth it.
        if (fits(slide) || (!pre && fitsSmaller(slide, 0.85))) {
            return;
        }
        const above = pre ? pre.getBoundingClientRect().top - slide.body.getBoundingClientRect().top : 0;
        const rest = pre ? cutListing(block, pre, room - above) : cutRows(block, slide);
        refit(slide);
        if (rest) {
            this.#putOff(rest);
        } else if (this.#queue.length > 0) {
            this.#begin();
        }
    }

    /** The last few words, rather on the slide before. */
    #gather() {
        const slide = this.#slide;
        const before = slides[slides.length - 2];
        const few = [...slide.inner.children];
        const short = slide.inner.offsetHeight < slide.body.clientHeight * 0.25;
        if (slide.part === 1 || !short || slide.inner.querySelector(":is(pre, figure):not(.command pre)")) {
            return;
        }
        const { zoom } = before.inner.style;
        before.inner.append(...few);
        if (!before.body.classList.contains("scrolls") && (fits(before) || fitsSmaller(before, 0.85))) {
            slide.element.remove();
            slides.pop();
        } else {
            slide.inner.append(...few);
            before.inner.style.zoom = zoom;
        }
    }
}
