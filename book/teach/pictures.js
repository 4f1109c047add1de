// Pictures before a class: each is a closed box until somebody asks for it, because its title and its drawing answer the
// question above it; and an open one is as large as it can be seen whole, from its title to its buttons.

/** The name of a closed picture, which says nothing of what is in it; the first that fits. @type {[string, string][]} */
const CLOSED_NAMES = [
    [".pair", "The same clients, before the change and after it"],
    [".opening", "What happened to each client"],
    [".race", "A race of the servers"],
    [".recording", "What the threads and the CPUs did"],
    [".crowd", "How long the last client waited"],
    ["*", "What was measured"],
];

/** Pixels between a picture and the edge of the screen. */
const PICTURE_EDGE = 8;

/** The pictures of a page that is shown to a class. */
class TaughtPictures {
    #pictures;
    #corner;

    /**
     * @param {HTMLElement} main
     * @param {HTMLElement} corner what lies over the foot of the screen
     */
    constructor(main, corner) {
        this.#corner = corner;
        // What is behind the answer to a prediction waits there already; a drawing of how something works answers nothing.
        this.#pictures = all(main, "rung-replay, figure.chart:not(.diagram, rung-replay *)").filter(
            (picture) => !picture.closest(".predict, .start"),
        );
    }

    /** The height in which a picture is to be seen, in pixels. */
    get #room() {
        return window.innerHeight - this.#corner.offsetHeight;
    }

    /** Those that are seen, or would be if the page were scrolled. */
    get #shown() {
        return this.#pictures.filter((picture) => picture.checkVisibility());
    }

    closeAll() {
        for (const picture of this.#pictures) {
            const name = CLOSED_NAMES.find(([selector]) => picture.matches(selector))?.[1] ?? "";
            const button = make(
                "button",
                { type: "button", click: () => this.#open(picture) },
                "Show it ",
                make("kbd", {}, "O"),
            );
            picture.toggleAttribute("data-closed", true);
            picture.append(make("div", { class: "teach-closed", role: "group", "aria-label": name }, name, button));
        }
    }

    /** As they are for a reader. */
    openAll() {
        for (const picture of this.#pictures) {
            this.#uncover(picture);
            this.#release(this.#drawnIn(picture));
        }
    }

    /** Opens the next picture that is closed here. */
    openNext() {
        const closed = this.#shown.filter((picture) => picture.matches("[data-closed]"));
        const next = closed.find((picture) => picture.getBoundingClientRect().bottom > 0) ?? closed[0];
        if (next) {
            this.#open(next);
        }
    }

    /** @param {HTMLElement} picture */
    #open(picture) {
        const had = picture.contains(document.activeElement);
        // Where one of several is chosen, they answer one question.
        const same = this.#pictures.filter(
            (other) => other === picture || picture.closest(".how-many")?.contains(other),
        );
        for (const one of same) {
            this.#uncover(one);
        }
        this.fit();
        picture.scrollIntoView({ block: "start", behavior: "instant" });
        if (had) {
            all(picture, ".play button")[0]?.focus({ preventScroll: true });
        }
    }

    /** @param {HTMLElement} picture */
    #uncover(picture) {
        picture.removeAttribute("data-closed");
        picture.querySelector(":scope > .teach-closed")?.remove();
    }

    /**
     * What of a picture has the size that it is given.
     * @param {HTMLElement} picture
     */
    #drawnIn(picture) {
        return all(picture, ".rows, figure > svg.pic, :scope > svg.pic");
    }

    /**
     * Lets them be as wide as they are for a reader.
     * @param {HTMLElement[]} drawn
     */
    #release(drawn) {
        for (const one of drawn) {
            one.style.removeProperty("max-width");
            if (one.getAttribute("style") === "") {
                one.removeAttribute("style");
            }
        }
    }

    /** Gives each picture that is seen the width at which its height fits the screen. */
    fit() {
        for (const picture of this.#shown) {
            const drawn = this.#drawnIn(picture).filter((one) => one.checkVisibility());
            this.#release(drawn);
            const sizes = drawn.map((one) => one.getBoundingClientRect());
            const heights = sizes.map(({ height }) => height);
            const sides = picture.querySelector(".sides");
            // The two sides of a pair may lie in one place.
            const isStacked = !sides || getComputedStyle(sides).display !== "grid";
            const high = isStacked ? heights.reduce((sum, height) => sum + height, 0) : Math.max(...heights);
            const over = this.#boxOf(picture).height + 2 * PICTURE_EDGE - this.#room;
            if (over > 0 && high > over) {
                for (const [index, one] of drawn.entries()) {
                    one.style.maxWidth = `${Math.floor((sizes[index].width * (high - over)) / high)}px`;
                }
            }
        }
    }

    /**
     * Where a picture is, from its top to its buttons, or to what its marks mean; what is written below these may be scrolled to.
     * @param {HTMLElement} picture
     */
    #boxOf(picture) {
        const { top, bottom } = picture.getBoundingClientRect();
        const drawn = this.#drawnIn(picture).filter((one) => one.checkVisibility());
        const last = [...drawn, ...all(picture, ".play, .marks")].map((one) => one.getBoundingClientRect().bottom);
        const end = last.length > 0 ? Math.max(...last) : bottom;
        return { top, end, height: end - top };
    }

    /**
     * How far down a key may lead: not past the top of a picture that begins on this screen and ends below it.
     * @param {number} wanted in pixels
     */
    step(wanted) {
        const cut = this.#shown
            .map((picture) => this.#boxOf(picture))
            .find(({ top, end }) => top > 2 * PICTURE_EDGE && top < wanted && end > this.#room);
        return cut ? cut.top - PICTURE_EDGE : wanted;
    }
}
