// The scheduler lab: <scheduler-lab data-settings="pool threads=8 clients=20 wait=100"> plays a server that is only
// simulated. Below a question of the page it plays the answer. The settings that it names are its knobs, written into
// sentences, and a <button data-try="threads=16"> of the text above turns them.
{
    /** How much of a run is seen before it is asked for. */
    const SEEN_AT_FIRST = 0.06;
    /** An answer plays when so much of the picture is on the screen. */
    const SEEN_TO_PLAY = 0.6;
    /** What a class sees of a lab besides its picture, in pixels: its edge, its button, and the corner of the page. */
    const BESIDE = 160;
    /** The smallest scale at which a class sees it, however low the window is. */
    const LEAST_SCALE = 0.3;

    /** @typedef {keyof LabSettings} Knob */

    /**
     * The numbers that can be turned: their names, from where to where, and whether they are whole.
     * @type {Partial<Record<Knob, { name: string, least: number, most: number, whole: boolean }>>}
     */
    const NUMBERS = {
        cpus: { name: "CPUs", least: 1, most: 64, whole: true },
        threads: { name: "Threads", least: 1, most: 1000, whole: true },
        clients: { name: "Clients", least: 1, most: 2000, whole: true },
        think: { name: "Time between a response and the next request", least: 0, most: 100_000, whole: false },
        rate: { name: "Requests per second", least: 1, most: 10_000, whole: false },
        compute: { name: "Time of computing", least: 0, most: 100_000, whole: false },
        wait: { name: "Time of waiting", least: 0, most: 100_000, whole: false },
        every: { name: "One request in so many waits", least: 1, most: 1000, whole: true },
        switch: { name: "Cost of a switch", least: 0, most: 1000, whole: false },
    };

    /**
     * What can be chosen: its name, and the words of each value.
     * @type {Partial<Record<Knob, { name: string, words: Record<string, string> }>>}
     */
    const CHOICES = {
        model: { name: "Threads or tasks", words: LAB_MODELS },
        keep: { name: "Connections", words: { no: "closes its connection", yes: "keeps its connection" } },
        random: { name: "Spacing", words: { no: "evenly spaced", yes: "at random moments" } },
    };

    /** @param {number} value */
    const numberText = (value) =>
        value.toLocaleString("en", value < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 });

    /**
     * @param {number} count
     * @param {string} one
     */
    const countText = (count, one) => `${numberText(count)} ${one}${count === 1 ? "" : "s"}`;

    /**
     * The settings in sentences, with a setting's name in braces where its value belongs.
     * @param {LabSettings} settings
     * @param {(name: Knob) => boolean} has whether this one is of interest
     */
    function sentencesOf({ model, threads, cpus, rate, clients }, has) {
        const workers = `on {threads} ${threads === 1 ? "worker" : "workers"}`;
        const many = { pool: ", {threads} of them,", tasks: ` ${workers}`, "tasks-blocking": ` ${workers}` };
        const ask = clients === 1 ? "client asks" : "clients ask";
        const after = has("think") ? "{think} ms after each response" : "after each response";
        const does = [has("compute") && "computes for {compute} ms", has("wait") && "waits {wait} ms"];
        return [
            `The server has {model}${many[/** @type {"pool"} */ (model)] ?? ""} `,
            `and the machine has {cpus} ${cpus === 1 ? "CPU" : "CPUs"}. `,
            rate > 0 ? "{rate} requests come per second" : `{clients} ${ask} again ${after}`,
            rate > 0 && has("random") ? ", {random}" : "",
            rate === 0 && has("keep") ? ", and each {keep}" : "",
            `. A request ${does.filter(Boolean).join(", then ")}`,
            has("every") ? " if it is one in {every}" : "",
            has("switch") ? ". To take up another thread, a CPU needs {switch} ms." : ".",
        ].join("");
    }

    /**
     * What goes on at a moment.
     * @param {LabRun} run
     * @param {number} now
     */
    function stateText({ settings, clients, cpus, requests }, now) {
        // The end is the last moment of the run, and not the one after it.
        const moment = Math.min(now, settings.length * (1 - 1e-12));
        const states = statesAt(clients, moment);
        const running = statesAt(cpus, moment).works;
        const answered = requests.filter(({ finished }) => finished !== null && finished <= now).length;
        const found = [
            states.works > 0 && `${states.works} computing`,
            states.holds > 0 && `${states.holds} waiting with a thread`,
            states.free > 0 && `${states.free} waiting without a thread`,
            `${states.queues} queued`,
        ];
        const all = found.filter(Boolean).join(", ");
        return `${countText(answered, "request")} answered, ${all}. ${running} of ${countText(cpus.length, "CPU")} busy.`;
    }

    /** Of a time by which something is divided, every digit counts. @param {number} ms */
    const secondsText = (ms) => (ms / 1000).toLocaleString("en", { maximumSignificantDigits: 6 });

    /**
     * What the law says of these settings.
     * @param {LabSettings} settings
     */
    function lawText(settings) {
        const limits = limitsOf(settings).toSorted((one, other) => one.rate - other.rate);
        const words = limits.map(({ of, count, ms, rate }) =>
            of === "request"
                ? `the ${numberText(rate)} that come`
                : `${countText(count, of)} / ${secondsText(ms)} s = ${numberText(rate)}`,
        );
        return words.length > 1 ? `The law is the least of: ${words.join("; ")}.` : `The law: ${words[0]}.`;
    }

    /**
     * What came out, in sentences.
     * @param {LabRun} run
     */
    function figuresText({ settings, clients, threads, requests, throughput, median, slowest, busy }) {
        const line = mostAtOnce(clients, "queues");
        const answered = new Set(requests.filter(({ finished }) => finished !== null).map(({ client }) => client));
        const left = settings.rate > 0 ? 0 : clients.length - answered.size;
        const kind = settings.model.startsWith("tasks") ? "worker" : "thread";
        const times =
            median === undefined || slowest === undefined
                ? ""
                : `Half of the responses came within ${timeText(median)}, and all within ${timeText(slowest)}. `;
        const unanswered = left > 0 ? `${countText(left, "client")} got no response. ` : "";
        return {
            finding: `${numberText(throughput)} responses per second`,
            rest:
                `${times}${unanswered}At most ${countText(line, "request")} waited in a queue. The server had ` +
                `${countText(threads.length, kind)}, and the CPUs were busy for ${Math.round(100 * busy)}% of the time.`,
        };
    }

    class SchedulerLab extends HTMLElement {
        /** The settings that the page names. @type {string[]} */
        #named = [];
        /** What the page wants. */
        #first = LAB_DEFAULTS;
        #settings = LAB_DEFAULTS;
        /** @type {LabRun | undefined} */
        #run;
        #isSeen = false;
        /** For which room it is drawn. */
        #room = "";
        #picture = new LabPicture();
        #player = makePlayer({
            end: 1,
            moments: [],
            name: timeText,
            sentence: (time) => this.#sentence(time),
            show: (time, isPlaying) => this.#show(time, isPlaying),
        });
        #rows = make("div", { class: "rows" }, this.#picture.svg, this.#player.slider, this.#player.thumb);
        #controls = make("div", { class: "play" }, this.#player.button);
        #figures = make("div", { class: "lab-figures" });
        #knobs = make("p", { class: "lab-knobs" });
        #message = make("p", { class: "lab-message", role: "alert", hidden: true });

        connectedCallback() {
            if (this.children.length > 0) {
                return;
            }
            // A page may have many: each is made when a reader comes near it.
            const near = new IntersectionObserver(
                (entries) => {
                    if (entries.some(({ isIntersecting }) => isIntersecting)) {
                        near.disconnect();
                        this.#build();
                    }
                },
                { rootMargin: "100% 0px" },
            );
            near.observe(this);
        }

        disconnectedCallback() {
            this.#player.pause();
        }

        /** The question above it. */
        get #question() {
            return this.previousElementSibling?.matches(".predict") ? this.previousElementSibling : null;
        }

        #build() {
            if (this.children.length > 0) {
                return;
            }
            const text = this.dataset.settings ?? "";
            this.#named = namesIn(text);
            const parts = [this.#rows, this.#controls, this.#player.live, this.#figures, this.#knobs, this.#message];
            this.append(make("div", { class: "lab", role: "group", "aria-label": "The scheduler lab" }, ...parts));
            const next = this.#next();
            if (next) {
                this.#controls.append(next);
            }
            // mdBook turns the page at an arrow key, wherever it is pressed.
            this.addEventListener("keydown", (event) => {
                if (event.key.startsWith("Arrow")) {
                    event.stopPropagation();
                }
            });
            this.#first = settingsOf(text);
            const isAsked = this.#question !== null && !this.#question.matches(".is-answered");
            this.#question?.addEventListener("checked", () => this.#playWhenSeen());
            this.#take(this.#first, isAsked ? SEEN_AT_FIRST : 1);
            new ResizeObserver(() => this.#arrange()).observe(this.#rows);
        }

        /**
         * Turns what a button of the text proposes, and shows what comes of it.
         * @param {string} text
         */
        tries(text) {
            this.#build();
            this.#turn(settingsOf(text, this.#first));
            this.#rows.scrollIntoView({ block: "nearest", behavior: "instant" });
        }

        /**
         * Runs other settings, and shows so much of the run.
         * @param {LabSettings} settings
         * @param {number} share
         */
        #take(settings, share) {
            const run = simulate(settings);
            this.#settings = settings;
            this.#run = undefined;
            this.#isSeen = false;
            const rows = [...run.clients, ...run.threads, ...run.cpus];
            const moments = new Set(rows.flatMap(({ spans }) => spans.flatMap(({ from, to }) => [from, to])));
            this.#player.load({ end: settings.length, moments: [...moments].sort((one, other) => one - other) });
            this.#run = run;
            need(this, ".lab").dataset.model = settings.model;
            this.#room = "";
            this.#picture.isOpen = false;
            this.#writeFigures(run);
            this.#writeKnobs();
            this.#arrange();
            this.#player.seek(share * settings.length);
        }

        /** Settings that a reader wants: what comes of them is shown at once, and said. @param {LabSettings} settings */
        #turn(settings) {
            this.#message.hidden = true;
            this.#take(settings, 1);
            this.#player.live.textContent = this.#sentence(settings.length);
        }

        /** Draws for the room that there is, in letters as large as those of the page, which a class has larger. */
        #arrange() {
            const width = this.#rows.clientWidth;
            const root = document.documentElement;
            // A class sees all of it, from the first row to the buttons.
            const most = root.matches(".teaching")
                ? Math.max(LEAST_SCALE, (window.innerHeight - BESIDE) / MOST_HIGH)
                : Number.POSITIVE_INFINITY;
            const scale = Math.min(Number.parseFloat(getComputedStyle(root).fontSize) / 10, most);
            const room = `${width} ${scale}`;
            if (!this.#run || width === 0 || room === this.#room) {
                return;
            }
            this.#room = room;
            for (const [name, value] of Object.entries(this.#picture.load(this.#run, width, scale))) {
                this.#rows.style.setProperty(`--${name}`, `${value}px`);
            }
            this.#picture.show(this.#player.now);
        }

        /** Plays the run from its beginning, once it is on the screen; whoever wants nothing to move sees its end. */
        #playWhenSeen() {
            if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
                this.#player.seek(this.#settings.length);
                return;
            }
            const seen = new IntersectionObserver(
                (entries) => {
                    if (entries.some(({ intersectionRatio }) => intersectionRatio >= SEEN_TO_PLAY)) {
                        seen.disconnect();
                        this.#player.seek(0);
                        this.#player.play();
                    }
                },
                { threshold: SEEN_TO_PLAY },
            );
            seen.observe(this.#rows);
        }

        /** @param {number} time */
        #sentence(time) {
            if (!this.#run) {
                return "";
            }
            if (time < this.#run.settings.length) {
                return stateText(this.#run, time);
            }
            const { finding, rest } = figuresText(this.#run);
            return `The run is over: ${finding}. ${lawText(this.#settings)} ${rest}`;
        }

        /**
         * @param {number} time
         * @param {boolean} isPlaying
         */
        #show(time, isPlaying) {
            if (!this.#run) {
                return;
            }
            if (time >= this.#run.settings.length && !this.#isSeen) {
                this.#isSeen = true;
                this.#picture.isOpen = true;
                for (const hidden of all(this, "[data-later]")) {
                    hidden.removeAttribute("data-later");
                }
            }
            this.#picture.show(time);
            if (!isPlaying) {
                furnish(this.#picture.svg, { "aria-label": `Timeline of the run. ${stateText(this.#run, time)}` }, []);
            }
        }

        /** What came of a run: it has its room from the beginning, and is seen at the end. @param {LabRun} run */
        #writeFigures(run) {
            const { finding, rest } = figuresText(run);
            const words = [make("strong", {}, `${finding}. `), `${lawText(this.#settings)} ${rest}`];
            this.#figures.replaceChildren(make("p", { "data-later": true }, ...words));
        }

        /** The way to the next question of the lab's page; from a chapter, to that page. */
        #next() {
            if (!this.#question) {
                return null;
            }
            const asked = all(document, 'main [id^="preset="]');
            const isBelow = (/** @type {Element} */ one) =>
                this.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
            const next = asked.find(isBelow);
            if (asked.length === 0) {
                return make("a", { href: "lab.html", "data-later": true }, "More questions");
            }
            return next ? make("a", { href: `#${next.id}`, "data-later": true }, "Next question") : null;
        }

        // Knobs

        #writeKnobs() {
            const settings = this.#settings;
            const isOfInterest = (/** @type {Knob} */ name) =>
                this.#named.includes(name) || settings[name] !== LAB_DEFAULTS[name];
            const parts = sentencesOf(settings, isOfInterest).split(/\{(\w+)\}/);
            const focused = this.#knobs.querySelector(":focus")?.getAttribute("name");
            const fields = parts.map((part, index) =>
                index % 2 === 0 ? part : this.#field(/** @type {Knob} */ (part)),
            );
            this.#knobs.replaceChildren(...fields);
            if (focused) {
                all(this.#knobs, `[name="${focused}"]`)[0]?.focus();
            }
        }

        /**
         * What stands in a sentence for a setting: its control, or its value where the page gives it no knob.
         * @param {Knob} name
         */
        #field(name) {
            const value = this.#settings[name];
            const key = typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
            const number = NUMBERS[name];
            const choice = CHOICES[name];
            if (!this.#named.includes(name)) {
                return choice?.words[key] ?? numberText(Number(value));
            }
            const change = (/** @type {Event} */ event) =>
                this.#turnKnob(name, /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target));
            const attributes = { name, "aria-label": number?.name ?? choice?.name, change };
            if (number) {
                const range = { min: number.least, max: number.most, step: number.whole ? 1 : "any" };
                return make("input", { ...attributes, type: "number", ...range, value: key });
            }
            const options = Object.entries(choice?.words ?? {}).map(([value, text]) =>
                make("option", { value, selected: value === key }, text),
            );
            return make("select", attributes, ...options);
        }

        /**
         * @param {Knob} name
         * @param {HTMLInputElement | HTMLSelectElement} field
         */
        #turnKnob(name, field) {
            try {
                if (!field.checkValidity() || field.value === "") {
                    const range = NUMBERS[name];
                    throw new RangeError(`${range?.name}: that takes a number from ${range?.least} to ${range?.most}.`);
                }
                this.#turn(settingsOf(name === "model" ? field.value : `${name}=${field.value}`, this.#settings));
            } catch (error) {
                if (!(error instanceof RangeError)) {
                    throw error;
                }
                field.setAttribute("aria-invalid", "true");
                this.#message.textContent = `${error.message} The run is as before.`;
                this.#message.hidden = false;
            }
        }
    }

    customElements.define("scheduler-lab", SchedulerLab);

    // What the text proposes to try, in the next lab below it.
    document.addEventListener("click", (event) => {
        const button = targetOf(event).closest("[data-try]");
        const isBelow = (/** @type {Element} */ lab) =>
            button && button.compareDocumentPosition(lab) & Node.DOCUMENT_POSITION_FOLLOWING;
        const lab = /** @type {SchedulerLab[]} */ (all(document, "scheduler-lab")).find(isBelow);
        lab?.tries(button?.getAttribute("data-try") ?? "");
    });
}
