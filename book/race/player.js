// The element of a race and of a chapter's opening: its controls, and what is to be seen at each moment in words.
{
    /** An opening plays when so much of its picture is seen. */
    const SEEN = 0.6;
    /** How often the time and the words change while it plays, in milliseconds. */
    const WORDS = 150;
    /** What the menu bar of a page may hide at its top, in pixels. */
    const MENU = 56;

    /**
     * @typedef {object} StageLayout
     * @property {StageForm} form
     * @property {StagePanel[]} panels
     * @property {{ left: number, right: number, last: number }} clock
     *
     * @typedef {object} Show
     * @property {Pace & { slower: number }} pace
     * @property {number} end when the last answer has arrived, which may be after the end of the clock
     * @property {number} first the frame before it plays
     * @property {number[]} frames
     * @property {string[]} names
     * @property {Stage[]} stages
     * @property {StageLayout[]} layouts
     */

    /** @param {number} time */
    const ms = (time) => `${Math.round(time / 1000).toLocaleString("en")} ms`;

    /**
     * @param {string} text
     * @param {() => void} click
     */
    const makeButton = (text, click) => make("button", { type: "button", click }, text);

    class ServerRace extends HTMLElement {
        /** @type {Show | undefined} */
        #data;
        /** @type {SVGSVGElement[]} */
        #svgs = [];
        /** @type {number[]} */
        #moments = [];
        #now = 0;
        #playing = false;
        #frame = 0;
        /** When the words were last changed. */
        #said = 0;
        #calm = matchMedia("(prefers-reduced-motion: reduce)");

        #toggle = make("button", { type: "button", class: "race-toggle", click: () => this.#press() }, "Play");
        #slider = make("input", {
            ...{ type: "range", min: 0, step: 1, "aria-label": "Time" },
            input: () => this.#slide(Number(this.#slider.value)),
        });
        #clock = make("span", { class: "race-clock", "aria-hidden": "true" });
        #words = make("p", { class: "race-now", "aria-live": "polite" });
        #controls = make(
            "div",
            { class: "race-controls", role: "group", "aria-label": "Playing the requests" },
            this.#slider,
            make(
                "div",
                { class: "race-row" },
                makeButton("Back", () => this.#turn(-1)),
                this.#toggle,
                makeButton("Next", () => this.#turn(1)),
                this.#clock,
            ),
            this.#words,
        );
        #resizes = new ResizeObserver(() => requestAnimationFrame(() => this.#lineUp()));
        #sees = new IntersectionObserver((entries) => this.#seen(entries), { threshold: SEEN });
        #wishes = () => this.#show();

        /** @returns {Show} */
        get #given() {
            if (!this.#data) {
                throw new Error("nothing has been read yet");
            }
            return this.#data;
        }

        connectedCallback() {
            if (!this.#data) {
                this.#data = /** @type {Show} */ (JSON.parse(need(this, "script").textContent ?? ""));
                const { end, first, layouts, stages } = this.#data;
                this.#svgs = /** @type {SVGSVGElement[]} */ (all(this, "figure > svg.stage"));
                const times = stages.flatMap(({ journeys }) =>
                    journeys.flatMap(({ steps }) => steps.map(([at]) => at)),
                );
                this.#moments = [...new Set([0, ...times, end])].sort((one, other) => one - other);
                this.#slider.max = String(layouts[0].clock.last);
                this.#now = first;
                need(this, "figcaption").before(this.#controls);
                this.#controls.addEventListener("keydown", (event) => this.#onKey(event));
                if (this.matches(".opening")) {
                    this.#sees.observe(this.#svgs[0]);
                }
            }
            this.#resizes.observe(this);
            this.#calm.addEventListener("change", this.#wishes);
            this.#show();
        }

        disconnectedCallback() {
            this.pause();
            this.#resizes.disconnect();
            this.#calm.removeEventListener("change", this.#wishes);
        }

        // --- what can be done ---

        play() {
            if (this.#playing || this.#calm.matches) {
                return;
            }
            if (this.#now >= this.#given.end || this.#now === this.#given.first) {
                this.#now = 0;
            }
            this.#playing = true;
            this.#said = 0;
            this.#show();
            this.#nextFrame(performance.now());
        }

        pause() {
            if (this.#playing) {
                cancelAnimationFrame(this.#frame);
                this.#playing = false;
                this.#show();
            }
        }

        /**
         * Goes to a time, in microseconds.
         * @param {number} time
         */
        seek(time) {
            this.#now = Math.min(Math.max(time, 0), this.#given.end);
            this.#show();
        }

        /** At its end all has arrived. @param {number} time */
        #slide(time) {
            this.#jump(time < Number(this.#slider.max) ? time : this.#given.end);
        }

        /** @param {number} time */
        #jump(time) {
            this.pause();
            this.seek(time);
        }

        /**
         * Goes to the next of these times, or to the one before.
         * @param {number[]} times
         * @param {number} by
         */
        #step(times, by) {
            const now = this.#now;
            const next = by > 0 ? times.find((time) => time > now) : times.findLast((time) => time < now);
            this.#jump(next ?? (by > 0 ? this.#given.end : 0));
        }

        /** Goes to the next key moment. @param {number} by */
        #turn(by) {
            this.#step(this.#given.frames, by);
        }

        #press() {
            if (this.#playing) {
                this.pause();
                return;
            }
            this.#bringIntoView();
            this.play();
        }

        /** An opening plays once by itself. @param {IntersectionObserverEntry[]} entries */
        #seen(entries) {
            if (entries.some(({ intersectionRatio }) => intersectionRatio >= SEEN)) {
                this.#sees.disconnect();
                this.play();
            }
        }

        /** What plays is seen: the picture and the controls below it. */
        #bringIntoView() {
            const { top } = this.#svgs[this.#shown].getBoundingClientRect();
            const below = this.#controls.getBoundingClientRect().bottom - window.innerHeight;
            if (top < MENU || below > 0) {
                window.scrollBy({ top: top < MENU ? top - MENU : Math.min(below, top - MENU), behavior: "instant" });
            }
        }

        /** @param {number} before */
        #nextFrame(before) {
            this.#frame = requestAnimationFrame((at) => {
                const { end, pace } = this.#given;
                // A page that was hidden for a while continues where it was.
                const passed = Math.min(Math.max(at - before, 0), 100);
                this.#now = Math.min(this.#now + (passed * 1000) / pace.slower, end);
                if (this.#now >= end) {
                    this.pause();
                    return;
                }
                this.#nextFrame(at);
                const speaks = at - this.#said > WORDS;
                this.#said = speaks ? at : this.#said;
                this.#show(speaks);
            });
        }

        /** @param {KeyboardEvent} event */
        #onKey(event) {
            const act = {
                ArrowRight: () => this.#step(this.#moments, 1),
                ArrowLeft: () => this.#step(this.#moments, -1),
                Home: () => this.#jump(0),
                End: () => this.#jump(this.#given.end),
                " ": () => this.#press(),
            }[event.key];
            if (event.ctrlKey || event.metaKey || event.altKey || !act) {
                return;
            }
            // mdBook would turn the page.
            event.stopPropagation();
            if (event.key === " " && targetOf(event).matches("button")) {
                return;
            }
            event.preventDefault();
            act();
        }

        // --- showing ---

        /** Which of the drawings the page shows. */
        get #shown() {
            return Math.max(
                this.#svgs.findIndex((svg) => svg.getClientRects().length > 0),
                0,
            );
        }

        /** The middle of the slider's thumb, which is 20 pixels wide, lies under the time that it stands for. */
        #lineUp() {
            const svg = this.#svgs[this.#shown];
            const { left, right } = this.#given.layouts[this.#shown].clock;
            const scale = svg.clientWidth / svg.viewBox.baseVal.width;
            this.#slider.style.marginInlineStart = `${left * scale - 10}px`;
            this.#slider.style.width = `${(right - left) * scale + 20}px`;
        }

        #show(speaks = true) {
            this.#svgs.forEach((svg, index) => {
                this.#draw(svg, this.#given.layouts[index]);
            });
            this.#slider.value = String(this.#now);
            if (speaks) {
                this.#say();
            }
        }

        /**
         * @param {SVGSVGElement} svg
         * @param {StageLayout} layout
         */
        #draw(svg, { form, panels, clock }) {
            const { stages, pace } = this.#given;
            const now = this.#now;
            const [groups, landings] = [all(svg, ".panel"), all(svg, ".landing")];
            stages.forEach((stage, index) => {
                const moment = new StageMoment(stage, panels[index], form, pace, now);
                drawMoment(need(groups[index], ".moving", SVGGElement), moment);
                const [answered, total] = [answeredOf(stage, now), stage.journeys.length];
                const done = answered === total;
                const end = Math.max(...stage.journeys.map(endOf));
                need(groups[index], ".state", SVGTextElement).textContent = done ? ms(end) : `${answered} of ${total}`;
                landings[index].setAttribute("visibility", end <= now ? "visible" : "hidden");
            });
            const x = tenth(clock.left + (Math.min(now, clock.last) / clock.last) * (clock.right - clock.left));
            const passed = need(svg, ".passed", SVGPathElement);
            passed.setAttribute("d", (passed.getAttribute("d") ?? "").replace(/H.*/, `H${x}`));
        }

        /** What is to be seen now, in words. */
        #say() {
            const { last } = this.#given.layouts[0].clock;
            const time = ms(Math.min(this.#now, last));
            this.#toggle.textContent = this.#playing ? "Pause" : "Play";
            // A reader who wants no motion steps from one key moment to the next.
            this.#toggle.hidden = this.#calm.matches;
            this.#clock.textContent = `${time} of ${ms(last)}`;
            // A screen reader would never stop.
            this.#words.setAttribute("aria-live", this.#playing ? "off" : "polite");
            const sentence = this.#sentence();
            this.#slider.setAttribute("aria-valuetext", `${time}: ${sentence}`);
            if (this.#words.textContent !== sentence) {
                this.#words.textContent = sentence;
            }
        }

        #sentence() {
            const { names, stages } = this.#given;
            const now = this.#now;
            const servers = stages.map((stage, index) => {
                const line = requestsThat(stage, "queues", now);
                const waits = line.length > 0 ? `, ${line.length} in line` : "";
                return `${names[index]}: ${answeredOf(stage, now)} of ${stage.journeys.length} answered${waits}`;
            });
            if (servers.length > 1) {
                return `${servers.join("; ")}.`;
            }
            const part = (/** @type {Kind} */ kind, /** @type {string} */ one, /** @type {string} */ many) => {
                const own = requestsThat(stages[0], kind, now);
                if (own.length > 1 && own.length === stages[0].journeys.length) {
                    return [`${own.length === 2 ? "both" : `all ${own.length}`} requests ${many}`];
                }
                if (own.length > 1) {
                    return [`requests ${own.slice(0, -1).join(", ")} and ${own[own.length - 1]} ${many}`];
                }
                return own.map((request) => `request ${request} ${one}`);
            };
            const parts = [
                ...part("queues", "is in line", "are in line"),
                ...part("holds", "waits and holds a thread", "wait and hold a thread each"),
                ...part("free", "waits and holds nothing", "wait and hold nothing"),
                ...part("works", "works on a CPU", "work on a CPU"),
                ...part("done", "has been answered", "have been answered"),
                ...part("refused", "has been cut off", "have been cut off"),
            ];
            const words = parts.join("; ") || "no client has sent a request yet";
            return `${words[0].toUpperCase()}${words.slice(1)}.`;
        }
    }

    customElements.define("server-race", ServerRace);
}
