// A sentence that says a law, with numbers that can be dragged: <law-numbers> holds the sentence, in which
// <b data-number> are given and <output> follow. Without this script the sentence stands as it is.

/**
 * @typedef {Record<string, number>} Numbers
 * @typedef {"holds" | "idle" | "free" | "line"} Mark a mark of the visual language: a thread that is held, an idle
 *   one, a request that holds nothing, a request in line
 * @typedef {{ words: string, marks: [Mark, number][], server?: string }} LawRow
 */

/** So many marks of a row are drawn; the rest is a number. */
const MOST_MARKS = 66;
const IN_A_LINE = 33;
/** The size of a mark, in pixels of the sheet, and the width and the height of the sheet. */
const MARK = 10;
const SHEET = [340, 112];

/**
 * What follows from the given numbers: `clients` that always ask again, `workers`, and `ms` for each request.
 * @type {Record<string, (given: Numbers) => Numbers>}
 */
const LAWS = {
    thread: ({ clients, ms }) => ({ rate: 1000 / ms, line: clients - 1, wait: (clients * ms) / 1000 }),
    pool: ({ clients, workers, ms }) => {
        const held = Math.min(clients, workers);
        const rate = (held * 1000) / ms;
        return { rate, held, line: clients - held, wait: clients / rate };
    },
    tasks: ({ clients, workers, ms }) => ({
        rate: (clients * 1000) / ms,
        pooled: (Math.min(clients, workers) * 1000) / ms,
    }),
};

/**
 * What a law's picture shows.
 * @type {Record<string, (given: Numbers) => LawRow[]>}
 */
const PICTURES = {
    thread: (given) => PICTURES.pool({ ...given, workers: 1 }),
    pool: ({ clients, workers }) => {
        const held = Math.min(clients, workers);
        const idle = workers - held;
        return [
            {
                words: `${held} of ${workers} ${workers === 1 ? "thread is" : "threads are"} held`,
                marks: [
                    ["holds", held],
                    ["idle", idle],
                ],
            },
            { words: `${clients - held} in line`, marks: [["line", clients - held]] },
        ];
    },
    tasks: ({ clients, workers }) => {
        const held = Math.min(clients, workers);
        return [
            { words: `Tasks: ${clients} requests wait but hold no thread`, marks: [["free", clients]] },
            {
                words: `Pool: ${held} requests hold a thread, ${clients - held} in line`,
                server: "pool",
                marks: [
                    ["holds", held],
                    ["line", clients - held],
                ],
            },
        ];
    },
};

/**
 * A number as the book writes it.
 * @param {number} value
 */
const inWords = (value) =>
    value >= 100
        ? Math.round(value).toLocaleString("en")
        : value.toLocaleString("en", { maximumSignificantDigits: 3, useGrouping: false });

/**
 * A mark with its left upper corner at a place.
 * @param {Mark} mark
 * @param {number} x
 * @param {number} y
 */
function drawMark(mark, x, y) {
    const size = MARK - 3;
    return mark === "holds" || mark === "idle"
        ? draw("rect", { class: mark, x, y, width: size, height: size })
        : draw("circle", { class: mark, cx: x + size / 2, cy: y + size / 2, r: size / 2 });
}

/**
 * The rows of a picture, one below the other.
 * @param {LawRow[]} rows
 */
function drawRows(rows) {
    return rows.map(({ words, marks, server }, row) => {
        const top = 14 + (row * SHEET[1]) / 2;
        const all = marks.flatMap(([mark, count]) => Array.from({ length: Math.min(count, MOST_MARKS) }, () => mark));
        const shown = all.slice(0, MOST_MARKS);
        const more = marks.reduce((sum, [, count]) => sum + count, 0) - shown.length;
        const drawn = shown.map((mark, index) =>
            drawMark(mark, 2 + (index % IN_A_LINE) * MARK, top + 7 + Math.floor(index / IN_A_LINE) * MARK),
        );
        const text = more > 0 ? `${words} (the picture leaves out ${inWords(more)})` : words;
        const style = server && `--s:var(--server-${server})`;
        return draw("g", { style }, draw("text", { y: top }, text), ...drawn);
    });
}

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

class LawNumbers extends HTMLElement {
    connectedCallback() {
        const law = this.dataset.law ?? "";
        // The slides move it, which connects it once more.
        if (this.querySelector("svg") || !(law in LAWS)) {
            return;
        }
        const style = `--s:var(--server-${this.dataset.server})`;
        const picture = draw("svg", { class: "pic narrow", viewBox: `0 0 ${SHEET.join(" ")}`, style });
        picture.setAttribute("aria-hidden", "true");
        const show = () => {
            const given = Object.fromEntries(numbers.map(({ name, value }) => [name, value]));
            const found = LAWS[law](given);
            for (const output of all(this, "output")) {
                output.textContent = inWords(found[output.dataset.value ?? ""]);
            }
            picture.replaceChildren(...drawRows(PICTURES[law](given)));
        };
        const numbers = all(this, "[data-number]").map((element) => new Dragged(element, show));
        this.append(picture);
        show();
    }
}

customElements.define("law-numbers", LawNumbers);
