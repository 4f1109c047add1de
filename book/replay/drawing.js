// One of the two drawings of a recording. It is drawn already: a part of the time is shown by another scale.

/** The letters of a number in a bar, and what it needs around them, in units of the drawing. */
const NUMBER = { letter: 7, around: 6, before: 3 };

/** What of the time is shown, from when to when. @typedef {[number, number]} TimePart */

class ReplayDrawing {
    #time;
    #axis;
    #ownAxis = draw("g");
    #future = draw("rect", { class: "future" });
    #cursor = draw("path", { class: "cursor" });
    /** @type {[number, SVGTextElement][]} */
    #numbers;
    /** The places of the numbers in the whole, as they were drawn. @type {(string | null)[]} */
    #places;
    #patterns;
    #marks;
    /** @type {TimePart} */
    #shown;

    /**
     * @param {SVGSVGElement} svg
     * @param {number} duration
     */
    constructor(svg, duration) {
        this.svg = svg;
        this.duration = duration;
        const { left, right, top, bottom, ticks } = svg.dataset;
        this.left = Number(left);
        this.right = Number(right);
        this.top = Number(top);
        this.bottom = Number(bottom);
        this.ticks = Number(ticks);
        this.#time = need(svg, ".time", SVGGElement);
        this.#axis = need(svg, ".axis", SVGGElement);
        this.#axis.after(this.#ownAxis);
        this.#patterns = all(svg, "pattern");
        this.#marks = all(svg, "marker > path");
        const numbers = /** @type {SVGTextElement[]} */ (all(svg, "[data-number]"));
        this.#numbers = numbers.map((text) => [Number(text.dataset.number), text]);
        this.#places = numbers.map((text) => text.getAttribute("x"));
        this.#shown = [0, duration];
        this.#future.setAttribute("y", String(this.top));
        this.#future.setAttribute("height", String(this.bottom - this.top));
        svg.append(this.#future, this.#cursor);
    }

    /** Whether this is the one that the page shows. */
    get isSeen() {
        return this.svg.getClientRects().length > 0;
    }

    /**
     * Where a time lies in the drawing.
     * @param {number} time
     */
    #place(time) {
        const [start, end] = this.#shown;
        return this.left + ((time - start) / (end - start)) * (this.right - this.left);
    }

    /**
     * The time at a point of the screen; nothing beside the plot.
     * @param {MouseEvent} event
     */
    timeAt({ clientX, clientY }) {
        const { x } = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM()?.inverse());
        const [start, end] = this.#shown;
        return x < this.left
            ? undefined
            : Math.round(start + ((x - this.left) / (this.right - this.left)) * (end - start));
    }

    /**
     * Shows a part of the time, up to now; all of it where nobody has touched it.
     * @param {Bar[]} bars
     * @param {TimePart} part
     * @param {number} now
     * @param {boolean} touched
     */
    show(bars, part, now, touched) {
        if (part.some((time, index) => time !== this.#shown[index])) {
            this.#shown = part;
            this.#stretch();
            this.#placeNumbers(bars);
            this.#drawAxis();
        }
        const x = this.#place(now);
        this.#future.setAttribute("x", String(x));
        this.#future.setAttribute("width", String(touched ? Math.max(this.right + 1 - x, 0) : 0));
        this.#cursor.setAttribute("d", `M${x} ${this.top}V${this.bottom}`);
    }

    get #isWhole() {
        const [start, end] = this.#shown;
        return end - start >= this.duration;
    }

    #stretch() {
        const [start, end] = this.#shown;
        const unit = (end - start) / (this.right - this.left);
        this.#time.setAttribute("transform", `translate(${this.left} 0) scale(${1 / unit} 1) translate(${-start} 0)`);
        // Patterns and marks look as before.
        for (const pattern of this.#patterns) {
            pattern.setAttribute("patternTransform", `scale(${unit} 1)`);
        }
        for (const mark of this.#marks) {
            mark.setAttribute("transform", `scale(${unit} 1)`);
        }
    }

    /**
     * A number stands in the widest piece of its bar that is seen, if there is room.
     * @param {Bar[]} bars
     */
    #placeNumbers(bars) {
        this.#numbers.forEach(([index, text], which) => {
            let x = this.#places[which];
            if (!this.#isWhole) {
                const pieces = bars[index].spans.map((span) =>
                    span.map((time) => Math.min(Math.max(this.#place(time), this.left), this.right)),
                );
                const [from, to] = pieces.reduce((best, one) => (one[1] - one[0] > best[1] - best[0] ? one : best));
                const least = NUMBER.around + NUMBER.letter * wordsOf(text).length;
                x = to - from >= least ? String(from + NUMBER.before) : null;
            }
            for (const [name, value] of [
                ["x", x],
                ["display", x === null ? "none" : null],
            ]) {
                if (value === null) {
                    text.removeAttribute(String(name));
                } else {
                    text.setAttribute(String(name), String(value));
                }
            }
        });
    }

    /** The axis of the whole is drawn already; a part has one of its own. */
    #drawAxis() {
        this.#axis.setAttribute("display", "none");
        this.#ownAxis.replaceChildren();
        if (this.#isWhole) {
            this.#axis.removeAttribute("display");
            return;
        }
        const [start, end] = this.#shown;
        // Parts are 1, 10 or 100 ms long.
        const step = (end - start) / (this.ticks > 4 ? 5 : 2);
        const size = Number(this.svg.getAttribute("font-size"));
        for (let time = Math.ceil(start / step) * step; time <= end; time += step) {
            const x = this.#place(time);
            const number = `${time / 1000}${time === 0 ? " ms" : ""}`;
            this.#ownAxis.append(
                draw("path", { d: `M${x} ${this.top}V${this.bottom}`, stroke: "var(--chart-grid)" }),
                draw("text", { x, y: this.bottom + size, "text-anchor": "middle" }, number),
            );
        }
    }
}
