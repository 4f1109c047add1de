// A curve that the reader draws before the chart shows it: <draw-guess> stands before the chart of an experiment and
// says what was measured. The style sheet hides the chart until the guess is made.

/** The sheet and the plot in it. */
const GUESS_SHEET = [340, 210];
/** @type {Plotted} */
const PLOT = [62, 26, 332, 176];
/** How many steps of an arrow key are as high as the plot. */
const KEY_STEPS = 40;

class DrawGuess extends HTMLElement {
    /** What was measured: where, and how much. @type {[number, number][]} */
    #measured = [];
    /** The heights of the guess on the sheet. @type {number[]} */
    #guess = [];
    /** Where the points are on the sheet. @type {number[]} */
    #places = [];
    #scale = scaleOf({ log: false, low: 0, high: 1, from: 0, to: 1 });
    #line = draw("polyline", { class: "guessed" });
    /** @type {SVGElement[]} */
    #handles = [];
    #plot = draw("svg", { class: "pic narrow", viewBox: `0 0 ${GUESS_SHEET.join(" ")}`, role: "group" });
    #status = make("p", { role: "status" });

    connectedCallback() {
        // The slides move it, which connects it once more.
        if (this.firstChild) {
            return;
        }
        const { points = "", scales = "", ends = "", across = "", metric = "", series = "" } = this.dataset;
        const numbers = (/** @type {string} */ text) => text.trim().split(" ").map(Number);
        this.#measured = points.split(",").map((pair) => /** @type {[number, number]} */ (numbers(pair)));
        const [acrossLog, upLog] = scales.split(" ").map((scale) => scale === "log");
        const [least, most] = numbers(ends);
        const [low, high] = upLog ? [least / 1.6, most * 1.6] : [0, most * 1.1];
        this.#scale = scaleOf({ log: upLog, low, high, from: PLOT[3], to: PLOT[1] });
        const xs = this.#measured.map(([x]) => x);
        const inset = { from: PLOT[0] + 14, to: PLOT[2] - 14 };
        const wide = scaleOf({ log: acrossLog, low: Math.min(...xs), high: Math.max(...xs), ...inset });
        this.#places = xs.map((x) => wide.at(x));
        this.#guess = xs.map(() => (PLOT[1] + PLOT[3]) / 2);
        this.#plot.setAttribute("aria-label", `Your guess: ${metric} of ${series}, by ${across}`);
        const up = roundNumbers(upLog, low, high).map((tick) => ({ at: this.#scale.at(tick), value: tick }));
        const along = xs.map((value, index) => ({ at: this.#places[index], value }));
        const names = [axisName(metric, upLog), axisName(across, acrossLog)];
        this.#plot.append(...drawAxes(PLOT, { name: names[0], ticks: up }, { name: names[1], ticks: along }));
        this.#handles = xs.map((x, index) => this.#makeHandle(index, `${across}: ${roughly(x)}`));
        this.#plot.append(this.#line, ...this.#handles);
        this.#plot.addEventListener("pointerdown", (event) => this.#onPointer(event));
        const show = make("button", { type: "button" }, "Show what was measured");
        show.addEventListener("click", () => {
            show.remove();
            this.#reveal();
        });
        const name = make("strong", {}, "Draw your guess");
        const how = ` of the line “${series}” before you look, with a finger or the mouse, or point by point with the arrow keys.`;
        const axes = ` Upwards: ${names[0]}; to the right: ${names[1]}.`;
        this.append(make("p", {}, name, how, axes), this.#plot, show, this.#status);
        this.#update();
    }

    /**
     * @param {number} index
     * @param {string} name
     */
    #makeHandle(index, name) {
        const keys = (/** @type {Event} */ event) => this.#onKey(/** @type {KeyboardEvent} */ (event), index);
        const states = { role: "slider", tabindex: 0, "aria-label": name, "aria-orientation": "vertical" };
        const range = { "aria-valuemin": 0, "aria-valuemax": KEY_STEPS };
        return draw("circle", { ...states, ...range, class: "handle", cx: this.#places[index], r: 7, keydown: keys });
    }

    /**
     * @param {KeyboardEvent} event
     * @param {number} index
     */
    #onKey(event, index) {
        const step = (PLOT[3] - PLOT[1]) / KEY_STEPS;
        /** @type {Record<string, number>} */
        const steps = { ArrowUp: -step, ArrowDown: step, PageUp: -5 * step, PageDown: 5 * step };
        /** @type {Record<string, number>} */
        const beside = { ArrowLeft: -1, ArrowRight: 1 };
        if (event.key in steps) {
            this.#move(index, this.#guess[index] + steps[event.key]);
        } else if (event.key in beside) {
            this.#handles[index + beside[event.key]]?.focus();
        } else {
            return;
        }
        event.preventDefault();
        // It turns no page.
        event.stopPropagation();
    }

    /** @param {PointerEvent} event */
    #onPointer(event) {
        const plot = this.#plot;
        plot.setPointerCapture(event.pointerId);
        const move = (/** @type {PointerEvent} */ moved) => {
            const { left, top, width } = plot.getBoundingClientRect();
            const zoom = GUESS_SHEET[0] / width;
            const [x, y] = [(moved.clientX - left) * zoom, (moved.clientY - top) * zoom];
            const away = this.#places.map((place) => Math.abs(place - x));
            this.#move(away.indexOf(Math.min(...away)), y);
        };
        move(event);
        plot.addEventListener("pointermove", move);
        plot.addEventListener("lostpointercapture", () => plot.removeEventListener("pointermove", move), {
            once: true,
        });
    }

    /**
     * @param {number} index
     * @param {number} y
     */
    #move(index, y) {
        if (!this.classList.contains("shown")) {
            this.#guess[index] = Math.min(PLOT[3], Math.max(PLOT[1], y));
            this.#update();
        }
    }

    #update() {
        this.#line.setAttribute("points", this.#guess.map((y, index) => `${this.#places[index]},${y}`).join(" "));
        this.#handles.forEach((handle, index) => {
            const y = this.#guess[index];
            const steps = Math.round(((PLOT[3] - y) / (PLOT[3] - PLOT[1])) * KEY_STEPS);
            const text = `${roughly(this.#scale.value(y))} ${this.dataset.metric}`;
            furnish(handle, { cy: y, "aria-valuenow": steps, "aria-valuetext": text }, []);
        });
    }

    /** What was measured, over the guess, and the chart. */
    #reveal() {
        this.classList.add("shown");
        const points = this.#measured.map(([, y], index) => [this.#places[index], this.#scale.at(y)]);
        const marks = points.map(([cx, cy]) => draw("circle", { class: "measured", cx, cy, r: 4 }));
        this.#plot.append(draw("polyline", { class: "measured", points: points.join(" ") }), ...marks);
        const guessed = this.#guess.map((y) => this.#scale.value(y));
        const times = guessed.map((value, index) => {
            const [, measured] = this.#measured[index];
            return Math.max(value / measured, measured / Math.max(value, 1e-9));
        });
        const worst = times.indexOf(Math.max(...times));
        const [x, measured] = this.#measured[worst];
        const where = `${roughly(x)} (${this.dataset.across})`;
        const what = `you guessed ${roughly(guessed[worst])}, but ${roughly(measured)} was measured`;
        this.#status.textContent =
            times[worst] < 1.25
                ? "Your curve is within a quarter of the measured curve everywhere."
                : `Your guess is furthest from the measurement at ${where}: ${what}. The chart follows.`;
    }
}

customElements.define("draw-guess", DrawGuess);
