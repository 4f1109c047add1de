// Replays the recording of a real run: <rung-replay> holds a still picture and, as JSON, the bars that it shows.
// Both come from xtask/src/replay. A page reads well without this script, and paper shows the still picture.
//
// No module, so that it works in a page from a file, too.
(() => {
    // A page with two recordings names it twice, and all pages in one, for the printer, have no use for it.
    if (customElements.get("rung-replay") || /\/print(-[a-z]+)?(\.html)?$/.test(location.pathname)) {
        return;
    }
    const here = document.currentScript.src;
    const SVG = "http://www.w3.org/2000/svg";

    /** How fast the recording's time goes, and what the reader sees. */
    const SPEEDS = [
        [1, "real time"],
        [1 / 10, "10 times slower"],
        [1 / 100, "100 times slower"],
        [1 / 1000, "1000 times slower"],
    ];
    /** The parts of the time that can be shown, in microseconds. */
    const WINDOWS = [
        [Infinity, "everything"],
        [100_000, "100 ms"],
        [10_000, "10 ms"],
        [1000, "1 ms"],
    ];
    /** A recording plays as slowly as it can in this time, in milliseconds. */
    const PATIENCE = 90_000;
    /** How often the words below the picture change while it plays, in milliseconds. */
    const WORDS = 150;
    /** Who wants no motion sees one picture after the other, for this long each, in milliseconds. */
    const STILL = 500;

    /** Where a bar lies in its row, how high it is, and how wide at least: the same as in xtask/src/replay/drawing.rs. */
    const SHAPES = { runs: [0, 14, 2], holds: [1, 12, 1], ready: [3, 8, 1], free: [5, 4, 1], idle: [6.5, 1, 1] };
    /** The moments, and how they are drawn. */
    const MARKS = { woken: "9l-3 5h6z", answered: "7a3 3 0 1 0 6 0a3 3 0 1 0-6 0z" };
    /** What the menu bar of a page may hide at its top, in pixels. */
    const MENU = 56;
    /** What the rows of a group can do, and how it is said; those of a thread first. */
    const STATES = {
        runs: ["work", "work"],
        holds: ["asleep with a request", "wait and hold a thread"],
        free: ["", "wait and hold nothing"],
        ready: ["in line", "in line"],
        idle: ["idle", "not seen"],
    };

    const make = (name, properties = {}, ...children) => {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    };
    const draw = (name, attributes, ...children) => {
        const element = document.createElementNS(SVG, name);
        Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
        element.append(...children);
        return element;
    };
    const tenth = (value) => Math.floor(value * 10 + 0.5) / 10;
    const ms = (time) => `${(time / 1000).toFixed(3)} ms`;

    /** From where to where the spans go that lie between `start` and `end`; those that touch are one. */
    const rectanglesOf = ({ kind, spans }, start, end, left, right) => {
        const place = (time) => tenth(left + ((time - start) / (end - start)) * (right - left));
        const least = SHAPES[kind]?.[2] ?? 0;
        const rectangles = [];
        for (const [from, to] of spans) {
            if (to < start || from > end) {
                continue;
            }
            const x = place(Math.max(from, start));
            // What took a few microseconds is seen all the same.
            const until = Math.max(place(Math.min(to, end)), tenth(x + least));
            const last = rectangles.at(-1);
            if (last && x <= last[1] && !MARKS[kind]) {
                last[1] = Math.max(last[1], until);
            } else {
                rectangles.push([x, until]);
            }
        }
        return rectangles;
    };

    const outline = ({ kind }, rectangles) =>
        rectangles
            .map(([from, to]) => {
                if (MARKS[kind]) {
                    return `M${from} ${MARKS[kind]}`;
                }
                const [y, height] = SHAPES[kind];
                return `M${from} ${y}h${tenth(to - from)}v${height}h-${tenth(to - from)}z`;
            })
            .join("");

    /** Where the number of a request stands: in the widest piece, if it has room there. */
    const numberAt = (rectangles, digits) => {
        const widest = rectangles.reduce((best, one) => (one[1] - one[0] > best[1] - best[0] ? one : best), [0, 0]);
        return widest[1] - widest[0] >= 6 + 7 * digits ? tenth(widest[0] + 3) : null;
    };

    /** The step between two numbers of the time axis: 1, 2 or 5 and zeros. */
    const stepOf = (length, most) => {
        for (let ten = 1; ; ten *= 10) {
            const found = [ten, 2 * ten, 5 * ten].find((step) => Math.floor(length / step) <= most);
            if (found) {
                return found;
            }
        }
    };

    /** `["holds", 2, 5, from, to, …]` as the bar that it stands for: thread 2 is asleep with request 5 in hand. */
    const barOf = ([kind, who, request, ...times]) => {
        const spans = [];
        for (let index = 0; index < times.length; index += 2) {
            spans.push([times[index], times[index + 1]]);
        }
        return { kind, who, request, spans };
    };

    class RungReplay extends HTMLElement {
        connectedCallback() {
            // Slides move it to another place.
            if (this.bars) {
                this.#watch();
                return;
            }
            const { duration, threads, groups } = JSON.parse(this.querySelector("script").textContent);
            this.duration = duration;
            this.threads = threads;
            this.groups = groups.map(({ id, rows }) => ({
                id,
                rows: rows.map(({ label, bars }) => ({ label, bars: bars.map(barOf) })),
            }));
            this.bars = this.groups.flatMap(({ rows }) => rows.flatMap(({ bars }) => bars));
            const times = this.bars.flatMap(({ spans }) => spans.flat());
            this.moments = [...new Set([0, ...times, duration])].sort((one, other) => one - other);
            this.now = 0;
            this.length = duration;
            this.speed = SPEEDS.reduce((best, [speed]) => (duration / 1000 / speed <= PATIENCE ? speed : best), 1);
            // Until somebody touches it, the picture is whole.
            this.touched = false;
            this.playing = false;
            this.drawings = [...this.querySelectorAll("figure svg:is(.wide, .narrow)")].map((svg) =>
                this.#prepare(svg),
            );
            this.#build();
            this.#watch();
            this.#show();
        }

        disconnectedCallback() {
            this.pause();
            this.observer.disconnect();
            window.removeEventListener("beforeprint", this.printBegins);
            window.removeEventListener("afterprint", this.printEnds);
        }

        // --- what can be done ---

        play() {
            if (this.playing) {
                return;
            }
            this.touched = true;
            if (this.now >= this.duration) {
                this.now = 0;
            }
            this.#bringIntoView();
            this.playing = true;
            if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
                this.#nextStill();
            } else {
                this.said = 0;
                this.#nextFrame(performance.now());
            }
            this.#show();
        }

        pause() {
            if (!this.playing) {
                return;
            }
            this.stopClock();
            this.playing = false;
            this.#show();
        }

        /** Goes to the next moment at which something changes, or to the one before. */
        step(by) {
            this.pause();
            const { moments, now } = this;
            this.seek((by > 0 ? moments.find((time) => time > now) : moments.findLast((time) => time < now)) ?? now);
        }

        seek(time) {
            this.touched = true;
            this.now = Math.min(Math.max(time, 0), this.duration);
            this.#show();
        }

        /** What plays is seen: the picture and the bar below it. */
        #bringIntoView() {
            const { svg } = this.#shown();
            const { top, bottom } = svg.getBoundingClientRect();
            const below = bottom + this.bar.offsetHeight - window.innerHeight;
            if (!this.closest(".deck") && (top < MENU || below > 0)) {
                // Where not all of it fits, its beginning counts.
                window.scrollBy({ top: top < MENU ? top - MENU : Math.min(below, top - MENU), behavior: "instant" });
            }
        }

        #nextFrame(before) {
            const frame = requestAnimationFrame((at) => {
                // A page that nobody saw for a while goes on where it was.
                const passed = Math.min(Math.max(at - before, 0), 100);
                this.now = Math.min(this.now + passed * 1000 * this.speed, this.duration);
                if (this.now >= this.duration) {
                    this.pause();
                    return;
                }
                this.#nextFrame(at);
                this.#show(at - this.said > WORDS);
                this.said = at - this.said > WORDS ? at : this.said;
            });
            this.stopClock = () => cancelAnimationFrame(frame);
        }

        #nextStill() {
            const timer = setTimeout(() => {
                const least = Math.max(this.now + STILL * 1000 * this.speed, this.now + 1);
                this.now = this.moments.find((time) => time >= least) ?? this.duration;
                if (this.now >= this.duration) {
                    this.pause();
                    return;
                }
                this.#nextStill();
                this.#show();
            }, STILL);
            this.stopClock = () => clearTimeout(timer);
        }

        // --- building ---

        /** The parts of a drawing that change. */
        #prepare(svg) {
            const { left, right, top, bottom, ticks } = Object.fromEntries(
                Object.entries(svg.dataset).map(([key, value]) => [key, Number(value)]),
            );
            const future = draw("rect", { class: "future", y: top, height: bottom - top });
            const cursor = draw("path", { class: "cursor" });
            svg.append(future, cursor);
            svg.addEventListener("click", (event) => {
                const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
                const [start, end] = this.#part();
                if (x >= left) {
                    this.pause();
                    this.seek(Math.round(start + ((x - left) / (right - left)) * (end - start)));
                }
            });
            return {
                svg,
                left,
                right,
                top,
                bottom,
                ticks,
                future,
                cursor,
                axis: svg.querySelector(".axis"),
                paths: [...svg.querySelectorAll("[data-bar]")],
                numbers: new Map(
                    [...svg.querySelectorAll("[data-number]")].map((text) => [Number(text.dataset.number), text]),
                ),
            };
        }

        #build() {
            const button = (text, action) => {
                const made = make("button", { type: "button" }, text);
                made.addEventListener("click", action);
                return made;
            };
            const choice = (text, options, value, action) => {
                const select = make(
                    "select",
                    {},
                    ...options.map(([option, label]) =>
                        make("option", { value: String(option), selected: option === value }, label),
                    ),
                );
                select.addEventListener("change", () => action(Number(select.value)));
                return make("label", {}, `${text} `, select);
            };
            this.toggle = button("Play", () => (this.playing ? this.pause() : this.play()));
            this.toggle.className = "replay-toggle";
            this.slider = make("input", { type: "range", min: 0, max: this.duration, step: 1, value: 0 });
            this.slider.setAttribute("aria-label", "Time");
            this.slider.addEventListener("input", () => {
                this.pause();
                this.seek(Number(this.slider.value));
            });
            this.clock = make("span", { className: "replay-clock" });
            const windows = WINDOWS.filter(([length]) => length === Infinity || length < this.duration);
            this.words = make("dl", { className: "replay-now" });
            this.lines = this.groups.map(({ id }) => {
                const line = make("dd");
                line.dataset.group = id;
                const name = { cpus: "CPUs", threads: "Threads", requests: "Requests", tasks: "Tasks" }[id];
                this.words.append(make("div", {}, make("dt", {}, name), line));
                return line;
            });
            const row = (...parts) => make("div", { className: "replay-row" }, ...parts);
            this.bar = make(
                "div",
                { className: "replay-bar" },
                this.slider,
                row(
                    button("Step back", () => this.step(-1)),
                    this.toggle,
                    button("Step on", () => this.step(1)),
                    this.clock,
                ),
            );
            const speed = choice("Speed", SPEEDS, this.speed, (value) => {
                this.speed = value;
            });
            const part = choice("Show", windows, Infinity, (length) => {
                this.length = Math.min(length, this.duration);
                this.touched = true;
                this.#show();
            });
            const controls = make(
                "div",
                { className: "replay-controls" },
                this.bar,
                make("div", { className: "replay-more" }, row(speed, part), this.words),
            );
            const title = this.querySelector("figcaption code")?.textContent ?? "the recording";
            controls.setAttribute("role", "group");
            controls.setAttribute("aria-label", `Replay of ${title}`);
            // Between the picture and what is said about it.
            this.querySelector("figcaption").before(controls);
            controls.addEventListener("keydown", (event) => this.#onKey(event));
        }

        #onKey(event) {
            const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (event.ctrlKey || event.metaKey || event.altKey || !(by || event.key === " ")) {
                return;
            }
            // mdBook would turn the page.
            event.stopPropagation();
            if (event.target.matches("select") || (event.key === " " && event.target.matches("button"))) {
                return;
            }
            event.preventDefault();
            if (by) {
                this.step(by);
            } else {
                this.toggle.click();
            }
        }

        /** Draws anew when another of the two drawings is shown; paper has the still picture. */
        #watch() {
            let width;
            this.observer = new ResizeObserver(() =>
                requestAnimationFrame(() => {
                    // Its height changes with its words, which is no reason.
                    if (this.clientWidth !== width) {
                        width = this.clientWidth;
                        this.words.style.minHeight = "";
                        this.#show();
                    }
                    this.#lineUp();
                }),
            );
            [this, ...this.drawings.map(({ svg }) => svg)].forEach((one) => this.observer.observe(one));
            this.printBegins = () => {
                this.pause();
                this.printing = true;
                this.#show();
            };
            this.printEnds = () => {
                this.printing = false;
                this.#show();
            };
            window.addEventListener("beforeprint", this.printBegins);
            window.addEventListener("afterprint", this.printEnds);
        }

        // --- showing ---

        /** The drawing that the page shows, of the two. */
        #shown() {
            return this.drawings.find(({ svg }) => svg.getClientRects().length > 0) ?? this.drawings[0];
        }

        /** The middle of the slider's thumb, which is 20 pixels wide, lies under the time that it stands for. */
        #lineUp() {
            const { svg, left, right } = this.#shown();
            const { a: scale, e: start } = svg.getScreenCTM();
            const around = svg.parentElement;
            const edge = around.getBoundingClientRect();
            // A slide is scaled as a whole.
            const whole = edge.width / around.offsetWidth || 1;
            this.slider.style.marginInlineStart = `${(start + left * scale - edge.left) / whole - 10}px`;
            this.slider.style.width = `${((right - left) * scale) / whole + 20}px`;
        }

        /** The part of the time that is shown: the cursor is in its middle, where that is possible. */
        #part() {
            if (this.printing || this.length >= this.duration) {
                return [0, this.duration];
            }
            const start = Math.min(Math.max(this.now - this.length / 2, 0), this.duration - this.length);
            return [start, start + this.length];
        }

        #show(withWords = true) {
            if (!this.toggle) {
                return;
            }
            for (const drawing of this.drawings) {
                // Paper may have the other one than the screen.
                if (this.printing || drawing.svg.getClientRects().length > 0) {
                    this.#draw(drawing);
                }
            }
            this.slider.value = String(Math.round(this.now));
            if (withWords) {
                this.#say();
            }
        }

        #draw(drawing) {
            const { left, right, top, bottom } = drawing;
            const [start, end] = this.#part();
            if (drawing.start !== start || drawing.end !== end) {
                this.bars.forEach((bar, index) => {
                    const rectangles = rectanglesOf(bar, start, end, left, right);
                    drawing.paths[index].setAttribute("d", outline(bar, rectangles));
                    this.#placeNumber(drawing.numbers.get(index), rectangles);
                });
                this.#drawAxis(drawing, start, end);
                [drawing.start, drawing.end] = [start, end];
            }
            const x = tenth(left + ((this.now - start) / (end - start)) * (right - left));
            drawing.future.setAttribute("x", x);
            drawing.future.setAttribute("width", this.touched ? Math.max(tenth(right + 1 - x), 0) : 0);
            drawing.cursor.setAttribute("d", `M${x} ${top}V${bottom}`);
        }

        #placeNumber(text, rectangles) {
            const x = text && numberAt(rectangles, text.textContent.length);
            if (typeof x === "number") {
                text.setAttribute("x", x);
                text.removeAttribute("display");
            } else {
                text?.setAttribute("display", "none");
                text?.removeAttribute("x");
            }
        }

        #drawAxis({ axis, left, right, top, bottom, ticks, svg }, start, end) {
            const step = stepOf(end - start, ticks);
            const size = Number(svg.getAttribute("font-size"));
            const parts = [];
            for (let time = Math.ceil(start / step) * step; time <= end; time += step) {
                const x = tenth(left + ((time - start) / (end - start)) * (right - left));
                const number = draw(
                    "text",
                    { x, y: bottom + size, "text-anchor": "middle" },
                    `${time / 1000}${time === 0 ? " ms" : ""}`,
                );
                parts.push(draw("path", { d: `M${x} ${top}V${bottom}`, stroke: "var(--chart-grid)" }), number);
            }
            axis.replaceChildren(...parts);
        }

        /** What happens now, in words. */
        #say() {
            const { playing } = this;
            this.toggle.textContent = playing ? "Pause" : "Play";
            // A screen reader would read for ever.
            this.words.setAttribute("aria-live", playing ? "off" : "polite");
            this.clock.textContent = `${ms(this.now)} of ${ms(this.duration)}`;
            this.slider.setAttribute("aria-valuetext", ms(this.now));
            this.groups.forEach(({ id, rows }, index) => {
                const text = this.#wordsOf(id, rows);
                if (this.lines[index].textContent !== text) {
                    this.lines[index].textContent = text;
                }
            });
            // What stands below does not jump.
            const { words } = this;
            if (words.offsetHeight > (parseFloat(words.style.minHeight) || 0)) {
                // The height is rounded, and may have been a little more.
                words.style.minHeight = `${words.offsetHeight + 1}px`;
            }
        }

        /** What a row does now: the bar, or nothing. */
        #bar({ bars }) {
            return bars.find(
                ({ kind, spans }) => !MARKS[kind] && spans.some(([from, to]) => from <= this.now && this.now < to),
            );
        }

        #wordsOf(id, rows) {
            if (id === "cpus") {
                const cpu = (row) => {
                    const bar = this.#bar(row);
                    return bar?.kind === "runs" ? `${row.label} runs ${this.threads[bar.who]}` : `${row.label} is idle`;
                };
                return rows.map(cpu).join("; ");
            }
            const short = (row) => {
                const bar = id === "threads" ? this.#bar(row) : undefined;
                return row.label.replace(/^request /, "") + (bar?.request ? ` (${bar.request})` : "");
            };
            const list = (some) => (some.length ? some.map(short).join(", ") : "none");
            const done = (row) => row.bars.some(({ kind, spans }) => kind === "answered" && spans[0][0] <= this.now);
            const open = rows.filter((row) => !done(row));
            // Only what rows of this group do at some time.
            const kinds = Object.keys(STATES).filter((kind) =>
                rows.some(({ bars }) => bars.some((bar) => bar.kind === kind)),
            );
            const parts = kinds.map(
                (kind) =>
                    `${STATES[kind][id === "threads" ? 0 : 1]}: ${list(open.filter((row) => this.#bar(row)?.kind === kind))}`,
            );
            if (id === "requests") {
                const answered = rows.length - open.length;
                const sent = answered + open.filter((row) => this.#bar(row)).length;
                parts.unshift(`${sent} sent, ${answered} answered`);
            }
            return parts.join("; ");
        }
    }

    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = new URL("replay.css", here).href;
    const define = () => customElements.get("rung-replay") || customElements.define("rung-replay", RungReplay);
    style.addEventListener("load", define);
    style.addEventListener("error", define);
    document.head.append(style);
})();
