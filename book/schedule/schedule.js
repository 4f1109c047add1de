// "You are the scheduler": a reader decides which of two threads takes the next step. What each step leads to is in the
// level's file; this script walks there from state to state. tests/models/schedules.rs has the same versions as models.
//
// No module, so that theme/load.js loads it as it loads the others.
{
    /**
     * @typedef {object} State
     * @property {(number | null)[]} at the line of each thread that it runs next
     * @property {string[]} says what there is to say of each thread besides
     * @property {string[]} values
     * @property {(number | null)[]} next the state after a step of each thread; none where it can't take one
     * @property {"done" | "lost" | "deadlock"} [end]
     *
     * @typedef {object} Version
     * @property {string[][]} lines of each thread
     * @property {string[]} names of the values
     * @property {State[]} states it begins in the first
     * @property {number[]} found whose each step is in a losing schedule
     * @property {number} schedules how many there are
     * @property {number} losing how many of them
     *
     * @typedef {object} Level
     * @property {string} goal
     * @property {string} fails
     * @property {string} well
     * @property {string[]} threads
     * @property {Version[]} versions the wrong one and the right one
     *
     * @typedef {object} Play
     * @property {number[]} steps whose each step was
     * @property {boolean} isShown whether they are those of the schedule that is shown
     */

    const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);

    /**
     * @param {string} words
     * @param {() => void} click
     */
    const button = (words, click) => make("button", { type: "button", click }, words);

    /**
     * Whether it has gone wrong.
     * @param {State} state
     */
    const isLost = ({ end }) => end !== undefined && end !== "done";

    /** In milliseconds: two taps that are less apart are one habit. */
    const QUICK = 400;

    /** @type {Play} */
    const START = { steps: [], isShown: false };

    /**
     * The losing schedules of a level that this browser has seen, each as the threads of its steps. A browser that may
     * store nothing forgets them.
     * @param {string} name
     */
    const stored = (name) => {
        try {
            return new Set((localStorage.getItem(`schedule:${name}`) ?? "").split(" ").filter(Boolean));
        } catch {
            return new Set();
        }
    };

    /**
     * @param {string} name
     * @param {Set<string>} found
     */
    const store = (name, found) => {
        try {
            localStorage.setItem(`schedule:${name}`, [...found].join(" "));
        } catch {
            // It is there until the page is left.
        }
    };

    class Game {
        #box;
        #level;
        #isRight = false;
        #play = START;
        /** What there was before each press: "Back" leads there. */
        #past = /** @type {Play[]} */ ([]);
        #name;
        /** Losing schedules of the wrong version that the reader has found. */
        #found;
        /** When the last one was found. */
        #wonAt = Number.NEGATIVE_INFINITY;
        #takes;
        #back = button("Back", () => this.#show(this.#past.pop() ?? START, "The last press is undone."));
        #again = button("Start again", () => this.#startAgain());
        #how = button("", () => this.#showHow());
        #other = make("button", { type: "button", class: "other", click: () => this.#change() });
        /** What must be watched, between the lines of the threads: what one of them has stands on its side. */
        #values = make("dl");
        /** What has run: an item for each step, in the lane of its thread. */
        #lanes = make("ol", { class: "lanes", "aria-label": "So far" });
        #status = make("div", { role: "status" });
        #count = make("p", { class: "count" });

        /**
         * @param {HTMLElement} box
         * @param {HTMLElement} place for all that is not there without a script
         * @param {Level} level
         */
        constructor(box, place, level) {
            this.#box = box;
            this.#level = level;
            this.#name = box.dataset.level ?? "";
            this.#found = stored(this.#name);
            this.#takes = level.threads.map((name, thread) => {
                const key = make("kbd", { "aria-hidden": "true" }, String(thread + 1));
                return make("button", { type: "button", click: () => this.#take(thread) }, `Let ${name} step`, key);
            });
            // The keys are the game's own only while the keyboard is in it (WCAG 2.1.4).
            const press = (/** @type {Event} */ event) => {
                const thread = event instanceof KeyboardEvent ? ["1", "2"].indexOf(event.key) : -1;
                if (
                    thread >= 0 &&
                    event instanceof KeyboardEvent &&
                    !event.ctrlKey &&
                    !event.altKey &&
                    !event.metaKey
                ) {
                    this.#take(thread);
                }
            };
            furnish(box, { role: "group", "aria-label": wordsOf(need(box, ".finding")), keydown: press }, []);
            place.append(
                this.#values,
                this.#lanes,
                // Above the buttons, because who sees these sees how it has ended.
                this.#status,
                make("div", { class: "takes" }, ...this.#takes),
                make("div", { class: "ways" }, this.#other, this.#back, this.#again, this.#how),
                this.#count,
            );
            this.#begin();
        }

        get #version() {
            return this.#level.versions[Number(this.#isRight)];
        }

        /**
         * Where these steps lead.
         * @param {number[]} steps
         */
        #state(steps) {
            const { states } = this.#version;
            return steps.reduce((state, thread) => states[state.next[thread] ?? 0], states[0]);
        }

        /** A version from its beginning. */
        #begin() {
            const { lines } = this.#version;
            const { goal } = this.#level;
            need(this.#box, ".goal").textContent = this.#isRight
                ? `The right version: can you still do it? ${goal}`
                : goal;
            all(this.#box, "pre").forEach((pre, thread) => {
                const spans = lines[thread].map((line) => {
                    const code = line.trimStart();
                    return make("span", { style: `--indent:${line.length - code.length}` }, code);
                });
                pre.replaceChildren(...spans);
            });
            this.#how.hidden = this.#isRight;
            this.#past = [];
            this.#show(START, "Which of the two runs its marked line first?");
        }

        /**
         * Goes on with another play, from which "Back" returns.
         * @param {Play} play
         * @param {Node | string} words what is said of it
         */
        #go(play, words) {
            this.#past.push(this.#play);
            this.#show(play, words);
        }

        /**
         * Shows where this play has led.
         * @param {Play} play
         * @param {Node | string} words what is said of it, unless it is at an end
         */
        #show(play, words) {
            this.#play = play;
            const { steps, isShown } = play;
            const { threads } = this.#level;
            const { names, found } = this.#version;
            const state = this.#state(steps);
            const before = this.#state(steps.slice(0, -1));
            const isWon = isLost(state);
            if (isWon) {
                this.#found.add(steps.join(""));
                store(this.#name, this.#found);
                this.#wonAt = performance.now();
            }
            const { at, says, next } = state;
            all(this.#box, ".threads > div").forEach((part, thread) => {
                all(part, "pre > span").forEach((line, place) => {
                    if (place === at[thread]) {
                        line.setAttribute("aria-current", "step");
                    } else {
                        line.removeAttribute("aria-current");
                    }
                });
                need(part, ".says").textContent = says[thread] && `${threads[thread]}: ${says[thread]}`;
                this.#takes[thread].setAttribute("aria-disabled", String(next[thread] === null));
            });
            // The buttons of the steps go away: the keyboard goes on to what leads on.
            const isSteppedByKeys = this.#takes.some((take) => take === document.activeElement);
            this.#box.classList.toggle("is-won", isWon);
            const values = names.map((name, place) => {
                const value = state.values[place];
                const owner = threads.findIndex((thread) => value.startsWith(`${thread} `) || value === thread);
                const isNew = value !== before.values[place];
                const side = owner < 0 ? "nobody" : ["first", "second"][owner];
                const word = make("dd", { class: isNew && "new" }, value);
                return make("div", { class: side }, make("dt", {}, name), word);
            });
            this.#values.replaceChildren(...values);
            this.#fillLanes(steps);
            this.#say(state.end ? "" : words);
            this.#back.setAttribute("aria-disabled", String(this.#past.length === 0));
            this.#again.setAttribute("aria-disabled", String(steps.length === 0));
            this.#how.textContent =
                isShown && !state.end
                    ? `Show the next step (${found.length - steps.length} left)`
                    : "Show me how, from the start";
            this.#other.textContent = this.#isRight ? "The wrong version again" : "Now try the right version";
            this.#other.hidden = !this.#isRight && this.#found.size === 0;
            if (isWon && isSteppedByKeys) {
                this.#other.focus({ preventScroll: true });
            }
            this.#tellCount();
        }

        /** Of the right version it is said at an end: a reader tries first. */
        #tellCount() {
            const { losing, schedules } = this.#level.versions[0];
            const plural = losing === 1 ? "schedule that loses" : "schedules that lose";
            const found = `Found ${this.#found.size} of ${losing} ${plural}; there are ${schedules} in all.`;
            this.#count.textContent = this.#isRight ? "" : found;
        }

        /**
         * What has run: the number of the line, in the lane of its thread.
         * @param {number[]} steps
         */
        #fillLanes(steps) {
            const { threads } = this.#level;
            const heads = threads.map((name, thread) =>
                make("li", { class: `head lane-${thread + 1}`, "aria-hidden": "true" }, name),
            );
            const items = steps.map((thread, index) => {
                const line = (this.#state(steps.slice(0, index)).at[thread] ?? 0) + 1;
                const whose = make("span", { class: "visually-hidden" }, `${threads[thread]}, line `);
                return make("li", { class: `lane-${thread + 1}`, style: `--step:${index + 2}` }, whose, String(line));
            });
            this.#lanes.replaceChildren(...heads, ...items);
        }

        /**
         * Says this, and at an end how it has ended.
         * @param {Node | string} words
         */
        #say(words) {
            const { fails, well } = this.#level;
            const { schedules } = this.#version;
            const state = this.#state(this.#play.steps);
            const parts = words === "" ? [] : [make("p", {}, words)];
            if (isLost(state)) {
                parts.push(make("p", { class: "won" }, `Found! ${fails}`));
            } else if (state.end) {
                const then = this.#isRight
                    ? `You can try other orders, but none of the ${schedules} schedules goes wrong.`
                    : "Go back, and try another order.";
                parts.push(make("p", {}, `${well} ${then}`));
            }
            this.#status.replaceChildren(...parts);
        }

        #startAgain() {
            if (this.#play.steps.length > 0) {
                this.#go(START, "From the start.");
            }
        }

        /**
         * A step of a thread after these, or why it can take none.
         * @param {number} thread
         * @param {Play} [play]
         */
        #take(thread, { steps, isShown } = { steps: this.#play.steps, isShown: false }) {
            const { lines, names, states } = this.#version;
            const state = this.#state(steps);
            const name = this.#level.threads[thread];
            const place = state.at[thread];
            const next = state.next[thread];
            if (place === null || next === null) {
                this.#say(`${name} can take no step, because it ${state.says[thread]}.`);
                return;
            }
            const after = states[next];
            const changes = names
                .map((value, index) => `${value}: ${after.values[index]}`)
                .filter((_, index) => after.values[index] !== state.values[index]);
            const told = [...changes, after.says[thread]].filter((words) => words !== "").join("; ");
            const line = make("code", { translate: "no" }, lines[thread][place].trim());
            const start = isShown && steps.length === 0 ? "From the start: " : "";
            const words = make("span", {}, `${start}${name} runs `, line, told && ` (${told})`);
            this.#go({ steps: [...steps, thread], isShown }, words);
        }

        /** A losing schedule, a step at a time. */
        #showHow() {
            const { found } = this.#version;
            const { steps, isShown } = this.#play;
            const shown = isShown && steps.length < found.length ? steps : [];
            this.#take(found[shown.length], { steps: shown, isShown: true });
        }

        #change() {
            // Where this button comes, one for a step has been, and two quick taps on that are no choice.
            if (this.#box.classList.contains("is-won") && performance.now() - this.#wonAt < QUICK) {
                return;
            }
            this.#isRight = !this.#isRight;
            this.#begin();
        }
    }

    class ScheduleGame extends HTMLElement {
        async connectedCallback() {
            if (this.querySelector(".game")) {
                return;
            }
            // It takes its room at once.
            const place = make("div", { class: "game" });
            this.append(place);
            try {
                const answer = await fetch(new URL(`${this.dataset.level}.json`, src));
                new Game(this, place, await answer.json());
            } catch {
                // The list that is there without a script.
                place.remove();
                need(this, ".found").style.display = "block";
            }
        }
    }

    customElements.define("schedule-game", ScheduleGame);
}
