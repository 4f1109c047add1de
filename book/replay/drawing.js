// One of the two drawings of a recording. The whole is drawn already; a part of the time is drawn in its place.

/** What of the time is shown, from when to when. @typedef {[number, number]} TimePart */

class ReplayDrawing {
    #future = draw("rect", { class: "future" });
    #outline = draw("path", { class: "outline" });
    #cursor = draw("path", { class: "cursor" });
    #label = draw("text", { class: "cursor-time", y: 12 });
    #axis;
    /** @type {MarkedRow[]} */
    #rows;
    /** Where the rows of a group begin and end. @type {[number, number][]} */
    #groups;
    /** @type {Plot} */
    #plot;
    #ticks;
    #bottom;
    #followed = 0;

    /**
     * @param {SVGSVGElement} svg
     * @param {Recording} recording
     */
    constructor(svg, { duration, groups }) {
        this.svg = svg;
        this.duration = duration;
        const { left, right, pitch, dot, ticks, rows, bottom } = svg.dataset;
        const edges = { left: Number(left), right: Number(right) };
        this.#plot = { ...edges, from: 0, to: duration, pitch: Number(pitch), dot: Number(dot) };
        this.#ticks = Number(ticks);
        this.#bottom = Number(bottom);
        const middles = (rows ?? "").split(" ").map(Number);
        this.#rows = groups.flatMap((group) => group.rows).map(({ bars }, index) => ({ y: middles[index], bars }));
        let first = 0;
        this.#groups = groups.map((group) => {
            const own = middles.slice(first, first + group.rows.length);
            first += group.rows.length;
            const half = this.#plot.pitch / 2;
            return [own[0] - half, own[own.length - 1] + half];
        });
        this.#axis = { grid: need(svg, ".grid", SVGPathElement), numbers: need(svg, ".ticks", SVGGElement) };
        const [[top]] = this.#groups;
        this.#future.setAttribute("y", String(top));
        this.#future.setAttribute("height", String(this.#bottom - top));
        svg.append(this.#future, this.#outline, this.#cursor, this.#label);
    }

    get left() {
        return this.#plot.left;
    }

    get right() {
        return this.#plot.right;
    }

    /** Whether this is the one that the page shows. */
    get isSeen() {
        return this.svg.getClientRects().length > 0;
    }

    /**
     * The time at a point of the screen, and the request whose mark is there, if any; nothing beside the plot.
     * @param {MouseEvent} event
     */
    at({ clientX, clientY }) {
        const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM()?.inverse());
        const { left, right, from, to } = this.#plot;
        if (x < left) {
            return undefined;
        }
        const time = Math.round(from + ((x - left) / (right - left)) * (to - from));
        return { time, request: requestAt(this.#plot, this.#rows, x, y) };
    }

    /**
     * Shows a part of the time, up to now; all of it where nobody has touched it.
     * @param {TimePart} part
     * @param {number} now
     * @param {boolean} touched
     */
    show(part, now, touched) {
        const [from, to] = part;
        if (from !== this.#plot.from || to !== this.#plot.to) {
            this.#plot = { ...this.#plot, from, to };
            drawMarks(this.svg, new Marks(this.#plot, this.#rows));
            const name = (/** @type {number} */ time) => `${time / 1000}${time === 0 ? " ms" : ""}`;
            drawAxis(this.#axis, this.#plot, this.#groups, this.#ticks, name);
            this.follow(this.#followed);
        }
        const { right } = this.#plot;
        const x = placeOf(this.#plot, now);
        this.#future.setAttribute("x", String(x));
        this.#future.setAttribute("width", String(touched ? Math.max(right + 8 - x, 0) : 0));
        this.#cursor.setAttribute("d", touched ? `M${x} ${this.#groups[0][0] - 4}V${this.#bottom}` : "");
        this.#label.textContent = touched ? `${(now / 1000).toFixed(1)} ms` : "";
        this.#label.setAttribute("x", String(Math.min(x, right - 24)));
    }

    /**
     * Outlines a request in every row; 0 is none.
     * @param {number} request
     */
    follow(request) {
        this.#followed = request;
        this.#outline.setAttribute("d", request === 0 ? "" : outlineOf(this.#plot, this.#rows, request));
    }
}
