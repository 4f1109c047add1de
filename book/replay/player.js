// The element of a recording: its controls, and what happens at each moment in words.
{
    /** How fast the recording's time goes, and what the reader sees. @type {[number, string][]} */
    const SPEEDS = [
        [1, "real time"],
        [1 / 10, "10 times slower"],
        [1 / 100, "100 times slower"],
        [1 / 1000, "1000 times slower"],
    ];
    /** The parts of the time that can be shown, in microseconds. @type {[number, string][]} */
    const WINDOWS = [
        [Number.POSITIVE_INFINITY, "everything"],
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
    /** What the menu bar of a page may hide at its top, in pixels. */
    const MENU = 56;

    /** @param {number} time */
    const ms = (time) => `${(time / 1000).toFixed(3)} ms`;

    /**
     * @param {string} text
     * @param {() => void} click
     */
    const makeButton = (text, click) => make("button", { type: "button", click }, text);

    /**
     * @param {string} text
     * @param {[number, string][]} options
     * @param {number} chosen
     * @param {(value: number) => void} action
     */
    const makeChoice = (text, options, chosen, action) => {
        const change = () => action(Number(select.value));
        const choices = options.map(([value, label]) => make("option", { value, selected: value === chosen }, label));
        const select = make("select", { change }, ...choices);
        return make("label", {}, `${text} `, select);
    };

    /** @param {...HTMLElement} parts */
    const makeRow = (...parts) => make("div", { class: "replay-row" }, ...parts);

    class RungReplay extends HTMLElement {
        /** @type {Recording} */
        #recording = { duration: 0, threads: [], groups: [] };
        /** @type {number[]} */
        #moments = [];
        /** @type {ReplayDrawing[]} */
        #drawings = [];
        #now = 0;
        /** How much of the time is shown, in microseconds. */
        #length = Number.POSITIVE_INFINITY;
        #speed = 1;
        // Until somebody touches it, the picture is whole.
        #touched = false;
        #playing = false;
        #printing = false;
        /** When the words were last changed. */
        #said = 0;
        #width = 0;
        #stopClock = () => {};

        #toggle = make("button", { type: "button", class: "replay-toggle", click: () => this.#press() }, "Play");
        #slider = make("input", { type: "range", min: 0, step: 1, "aria-label": "Time", input: () => this.#slide() });
        #clock = make("span", { class: "replay-clock" });
        #words = make("p", { class: "replay-now" });
        /** The request that the reader follows; 0 is none. */
        #followed = 0;
        #bar = make(
            "div",
            { class: "replay-bar" },
            this.#slider,
            makeRow(
                makeButton("Step back", () => this.step(-1)),
                this.#toggle,
                makeButton("Step on", () => this.step(1)),
                this.#clock,
            ),
        );
        #observer = new ResizeObserver(() => requestAnimationFrame(() => this.#resized()));
        #printBegins = () => {
            this.pause();
            this.#printing = true;
            this.#show();
        };
        #printEnds = () => {
            this.#printing = false;
            this.#show();
        };

        connectedCallback() {
            if (this.#drawings.length === 0) {
                this.#recording = readRecording(need(this, "script").textContent ?? "");
                const { duration } = this.#recording;
                this.#moments = momentsOf(this.#recording);
                this.#speed = SPEEDS.reduce((best, [speed]) => (duration / 1000 / speed <= PATIENCE ? speed : best), 1);
                const svgs = /** @type {SVGSVGElement[]} */ (all(this, "figure > svg"));
                this.#drawings = svgs.map((svg) => new ReplayDrawing(svg, this.#recording));
                this.#build();
            }
            for (const element of [this, ...this.#drawings.map(({ svg }) => svg)]) {
                this.#observer.observe(element);
            }
            window.addEventListener("beforeprint", this.#printBegins);
            window.addEventListener("afterprint", this.#printEnds);
            this.#show();
        }

        disconnectedCallback() {
            this.pause();
            this.#observer.disconnect();
            window.removeEventListener("beforeprint", this.#printBegins);
            window.removeEventListener("afterprint", this.#printEnds);
        }

        // --- what can be done ---

        play() {
            if (this.#playing) {
                return;
            }
            this.#touched = true;
            if (this.#now >= this.#recording.duration) {
                this.#now = 0;
            }
            this.#bringIntoView();
            this.#playing = true;
            if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
                this.#nextStill();
            } else {
                this.#said = 0;
                this.#nextFrame(performance.now());
            }
            this.#show();
        }

        pause() {
            if (this.#playing) {
                this.#stopClock();
                this.#playing = false;
                this.#show();
            }
        }

        /**
         * Goes to the next moment at which something changes, or to the one before.
         * @param {number} by
         */
        step(by) {
            this.pause();
            const now = this.#now;
            const on = () => this.#moments.find((time) => time > now);
            const back = () => this.#moments.findLast((time) => time < now);
            this.seek((by > 0 ? on() : back()) ?? now);
        }

        /** @param {number} time */
        seek(time) {
            this.#touched = true;
            this.#now = Math.min(Math.max(time, 0), this.#recording.duration);
            this.#show();
        }

        #press() {
            if (this.#playing) {
                this.pause();
            } else {
                this.play();
            }
        }

        #slide() {
            this.#jump(Number(this.#slider.value));
        }

        /** @param {number} time */
        #jump(time) {
            this.pause();
            this.seek(time);
        }

        /** What plays is seen: the picture and the bar below it. */
        #bringIntoView() {
            const { top, bottom } = this.#seen.svg.getBoundingClientRect();
            const below = bottom + this.#bar.offsetHeight - window.innerHeight;
            if (top < MENU || below > 0) {
                // Where not all of it fits, its beginning counts.
                window.scrollBy({ top: top < MENU ? top - MENU : Math.min(below, top - MENU), behavior: "instant" });
            }
        }

        /** @param {number} before */
        #nextFrame(before) {
            const { duration } = this.#recording;
            const frame = requestAnimationFrame((at) => {
                // A page that nobody saw for a while goes on where it was.
                const passed = Math.min(Math.max(at - before, 0), 100);
                this.#now = Math.min(this.#now + passed * 1000 * this.#speed, duration);
                if (this.#now >= duration) {
                    this.pause();
                    return;
                }
                this.#nextFrame(at);
                this.#show(at - this.#said > WORDS);
                this.#said = at - this.#said > WORDS ? at : this.#said;
            });
            this.#stopClock = () => cancelAnimationFrame(frame);
        }

        #nextStill() {
            const { duration } = this.#recording;
            const timer = setTimeout(() => {
                const least = Math.max(this.#now + STILL * 1000 * this.#speed, this.#now + 1);
                this.#now = this.#moments.find((time) => time >= least) ?? duration;
                if (this.#now >= duration) {
                    this.pause();
                    return;
                }
                this.#nextStill();
                this.#show();
            }, STILL);
            this.#stopClock = () => clearTimeout(timer);
        }

        // --- building ---

        #build() {
            const { duration } = this.#recording;
            this.#slider.max = String(duration);
            const speed = makeChoice("Speed", SPEEDS, this.#speed, (value) => {
                this.#speed = value;
            });
            const windows = WINDOWS.filter(([length]) => !Number.isFinite(length) || length < duration);
            const part = makeChoice("Show", windows, Number.POSITIVE_INFINITY, (length) => {
                this.#length = length;
                this.#touched = true;
                this.#show();
            });
            const requests = requestsOf(this.#recording).map((request) => [request, `request ${request}`]);
            const all = /** @type {[number, string][]} */ ([[0, "no request"], ...requests]);
            const follow = makeChoice("Follow", all, 0, (request) => {
                this.#followed = request;
                this.#follow(request);
            });
            const more = make("div", { class: "replay-more" }, makeRow(speed, part, follow), this.#words);
            const title = this.querySelector("figcaption code")?.textContent ?? "the recording";
            const attributes = { class: "replay-controls", role: "group", "aria-label": `Replay of ${title}` };
            const controls = make("div", attributes, this.#bar, more);
            // Between the picture and what is said about it.
            need(this, "figcaption").before(controls);
            controls.addEventListener("keydown", (event) => this.#onKey(event));
            for (const drawing of this.#drawings) {
                const { svg } = drawing;
                svg.addEventListener("click", (event) => {
                    const place = drawing.at(event);
                    if (place) {
                        this.#jump(place.time);
                    }
                });
                svg.addEventListener("pointermove", (event) => this.#follow(drawing.at(event)?.request ?? 0));
                svg.addEventListener("pointerleave", () => this.#follow(0));
            }
        }

        /**
         * Outlines the request that is pointed at, or else the one that was chosen.
         * @param {number} request
         */
        #follow(request) {
            for (const drawing of this.#drawings) {
                drawing.follow(request || this.#followed);
            }
        }

        /** @param {KeyboardEvent} event */
        #onKey(event) {
            const act = {
                ArrowRight: () => this.step(1),
                ArrowLeft: () => this.step(-1),
                Home: () => this.#jump(0),
                End: () => this.#jump(this.#recording.duration),
                " ": () => this.#press(),
            }[event.key];
            if (event.ctrlKey || event.metaKey || event.altKey || !act) {
                return;
            }
            // mdBook would turn the page.
            event.stopPropagation();
            const target = targetOf(event);
            if (target.matches("select") || (event.key === " " && target.matches("button"))) {
                return;
            }
            event.preventDefault();
            act();
        }

        // --- showing ---

        /** The drawing that the page shows, of the two. */
        get #seen() {
            return this.#drawings.find(({ isSeen }) => isSeen) ?? this.#drawings[0];
        }

        /** Another of the two drawings may be shown now. */
        #resized() {
            // Its height changes with its words, which is no reason.
            if (this.clientWidth !== this.#width) {
                this.#width = this.clientWidth;
                this.#words.style.minHeight = "";
                this.#show();
            }
            this.#lineUp();
        }

        /** The middle of the slider's thumb, which is 20 pixels wide, lies under the time that it stands for. */
        #lineUp() {
            const { svg, left, right } = this.#seen;
            const around = svg.parentElement;
            const matrix = svg.getScreenCTM();
            if (!around || !matrix) {
                return;
            }
            const edge = around.getBoundingClientRect();
            const start = matrix.e + left * matrix.a - edge.left;
            this.#slider.style.marginInlineStart = `${start - 10}px`;
            this.#slider.style.width = `${(right - left) * matrix.a + 20}px`;
        }

        /**
         * The part of the time that is shown: the cursor is in its middle, where that is possible. Paper has all of it.
         * @returns {TimePart}
         */
        get #part() {
            const { duration } = this.#recording;
            if (this.#printing || this.#length >= duration) {
                return [0, duration];
            }
            const start = Math.min(Math.max(this.#now - this.#length / 2, 0), duration - this.#length);
            return [start, start + this.#length];
        }

        #show(withWords = true) {
            for (const drawing of this.#drawings) {
                // Paper may have the other one than the screen.
                if (this.#printing || drawing.isSeen) {
                    drawing.show(this.#part, this.#now, this.#touched);
                }
            }
            this.#slider.value = String(Math.round(this.#now));
            if (withWords) {
                this.#say();
            }
        }

        /** What happens now, in words. */
        #say() {
            const playing = this.#playing;
            this.#toggle.textContent = playing ? "Pause" : "Play";
            // A screen reader would read for ever.
            this.#words.setAttribute("aria-live", playing ? "off" : "polite");
            this.#clock.textContent = `${ms(this.#now)} of ${ms(this.#recording.duration)}`;
            const sentence = sentenceAt(this.#recording, this.#now);
            this.#slider.setAttribute("aria-valuetext", `${ms(this.#now)}: ${sentence}`);
            if (this.#words.textContent !== sentence) {
                this.#words.textContent = sentence;
            }
            // What stands below does not jump.
            const words = this.#words;
            if (words.offsetHeight > (Number.parseFloat(words.style.minHeight) || 0)) {
                // The height is rounded, and may have been a little more.
                words.style.minHeight = `${words.offsetHeight + 1}px`;
            }
        }
    }

    customElements.define("rung-replay", RungReplay);
}
