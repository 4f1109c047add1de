// A sentence that says a law, with numbers that can be dragged: <law-numbers> holds the sentence, in which
// <b data-number> are given and <output> follow. Without this script the sentence stands as it is.

/** A number of the sentence: by the arrow keys, or drawn to the side. */
class Dragged {
    /**
     * @param {HTMLElement} element
     * @param {() => void} changed
     */
    constructor(element, changed) {
        const [least, most, step = 1] = (element.dataset.range ?? "").split(" ").map(Number);
        Object.assign(this, { least, most, step });
        this.element = element;
        this.changed = changed;
        this.value = Number(element.textContent);
        this.name = element.dataset.number ?? "";
        element.tabIndex = 0;
        const states = { role: "spinbutton", "aria-label": element.dataset.name ?? this.name };
        furnish(element, { ...states, "aria-valuemin": least, "aria-valuemax": most }, []);
        element.setAttribute("aria-valuenow", String(this.value));
        element.addEventListener("keydown", (event) => this.#onKey(event));
        element.addEventListener("pointerdown", (event) => this.#onPointer(event));
    }

    least = 0;
    most = 0;
    step = 1;

    /** @param {number} value */
    set(value) {
        const steps = Math.round((value - this.least) / this.step);
        const next = Math.min(this.most, Math.max(this.least, this.least + steps * this.step));
        if (next !== this.value) {
            this.value = next;
            this.element.textContent = String(next);
            this.element.setAttribute("aria-valuenow", String(next));
            this.changed();
        }
    }

    /** @param {KeyboardEvent} event */
    #onKey(event) {
        /** @type {Record<string, number>} */
        const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };
        /** @type {Record<string, number>} */
        const ends = { Home: this.least, End: this.most };
        const value = event.key in ends ? ends[event.key] : this.value + (steps[event.key] ?? 0) * this.step;
        if (event.key in steps || event.key in ends) {
            event.preventDefault();
            // It turns no page.
            event.stopPropagation();
            this.set(value);
        }
    }

    /** @param {PointerEvent} event */
    #onPointer(event) {
        const { element, value, least, most, step } = this;
        element.setPointerCapture(event.pointerId);
        element.focus();
        // The whole range is half a phone's width; a few steps are not too near each other.
        const pixels = Math.min(12, Math.max(1, (180 * step) / (most - least)));
        const move = (/** @type {PointerEvent} */ moved) =>
            this.set(value + Math.round((moved.clientX - event.clientX) / pixels) * step);
        element.addEventListener("pointermove", move);
        element.addEventListener("lostpointercapture", () => element.removeEventListener("pointermove", move), {
            once: true,
        });
    }
}

/**
 * Moves a number to and fro when it is first seen, because it can be drawn.
 * @param {HTMLElement} element
 */
function nudge(element) {
    const seen = new IntersectionObserver(
        (entries) => {
            if (entries.some(({ isIntersecting }) => isIntersecting)) {
                seen.disconnect();
                element.animate({ left: ["0", "8px", "-8px", "0"] }, { duration: 1200, easing: "ease-in-out" });
            }
        },
        { threshold: 1 },
    );
    seen.observe(element);
}

class LawNumbers extends HTMLElement {
    connectedCallback() {
        const law = this.dataset.law ?? "";
        if (this.querySelector("svg") || !(law in LAWS)) {
            return;
        }
        const style = `--s:var(--server-${this.dataset.server})`;
        const sheetOf = (/** @type {number[]} */ size) =>
            draw("svg", { class: "pic narrow", viewBox: `0 0 ${size.join(" ")}`, style });
        const [picture, chart] = [sheetOf(SHEET), sheetOf(CURVE_SHEET)];
        const show = () => {
            const given = Object.fromEntries(numbers.map(({ name, value }) => [name, value]));
            const found = LAWS[law](given);
            for (const output of all(this, "output")) {
                output.textContent = inWords(found[output.dataset.value ?? ""]);
            }
            picture.replaceChildren(...drawRows(PICTURES[law](given)));
            chart.replaceChildren(...drawCurves(law, given));
        };
        const numbers = all(this, "[data-number]").map((element) => new Dragged(element, show));
        show();
        if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
            nudge(numbers[0].element);
        }
        // The sentence says all that they show.
        this.append(make("div", { class: "answers", "aria-hidden": "true" }, picture, chart));
    }
}

customElements.define("law-numbers", LawNumbers);
