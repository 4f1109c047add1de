// The scheduler lab: <scheduler-lab></scheduler-lab> is the whole of it, whose settings stand in the page's
// address; <scheduler-lab preset="pool-80"></scheduler-lab> is one question of questions.json inside a chapter.
// What stands between the tags is for readers without JavaScript, and for paper.

import { knobsFor, labelOf, makeField, turned, valueIn } from "./knobs.js";
import { predict } from "./laws.js";
import { check } from "./options.js";
import { Player } from "./player.js";
import { presets } from "./presets.js";
import { Results } from "./results.js";
import { Run } from "./run.js";
import { complete, copy, fromHash, isLink, toHash } from "./settings.js";
import { simulate } from "./simulator.js";
import { findingText, number, summaryText } from "./words.js";

/**
 * @typedef {import("./options.js").Settings} Settings
 * @typedef {import("./knobs.js").Knob} Knob
 * @typedef {import("./presets.js").Preset} Preset
 * @typedef {import("./presets.js").Answer} Answer
 */

/** More requests than this in one run are too many to draw. */
const MOST_REQUESTS = 40_000;
const MOST_SLICES = 400_000;

/** With what the lab opens: few enough rows for a phone, and a line. */
const OPENING = complete({
    threads: 4,
    arrivals: { clients: 10 },
    work: { compute: 5, wait: 95 },
    duration: 1000,
});

let count = 0;

/**
 * Throws a RangeError if the simulator or the page can't take these settings.
 * @param {Settings} settings
 */
function admit(settings) {
    check(settings);
    const requests = (predict(settings).throughput * settings.duration) / 1000;
    if (requests > MOST_REQUESTS) {
        throw new RangeError(
            `This run would have about ${number(requests, 0)} requests, and the page draws at most ${number(MOST_REQUESTS, 0)}: make it shorter.`,
        );
    }
    const computes = settings.work.compute + settings.work.computeAfter > 0;
    const slices = computes ? (settings.cpus * settings.duration) / settings.slice : 0;
    if (slices > MOST_SLICES) {
        throw new RangeError(
            `This run could have ${number(slices, 0)} time slices, and the page draws at most ${number(MOST_SLICES, 0)}: make it shorter, or the slice longer.`,
        );
    }
}

/**
 * What it says of settings that it can't take; any other fault is one of the lab.
 * @param {unknown} error
 */
function complaintOf(error) {
    if (error instanceof RangeError) {
        return error.message;
    }
    throw error;
}

/**
 * What is said of an answer to whoever chose it.
 * @param {Answer} answer
 */
function said({ right, why }) {
    return right ? `Right: ${why[0].toLowerCase()}${why.slice(1)}` : why;
}

class SchedulerLab extends Player {
    #built = false;
    #key = "";
    #full = false;
    /** The question whose settings these are. @type {string | undefined} */
    #preset;
    /** The one whose settings they were before a knob was turned. @type {string | undefined} */
    #left;
    /** The question whose knobs are marked and whose other server stands in the table. @type {Preset | undefined} */
    #question;
    /** @type {number | undefined} */
    #guess;
    #settings = complete({});
    #law = predict(this.#settings);
    /** @type {Results | undefined} */
    #results;

    #message = make("p", { class: "lab-message", role: "alert", hidden: true });
    #heading = make("p", { class: "lab-title" });
    #asked = make("div", { class: "lab-question" });
    #knobs = make("div", { class: "lab-knobs" });
    #more = make("details", { class: "lab-more" });
    #figures = make("div", { class: "lab-results", hidden: true });
    #foot = make("p", { class: "lab-foot" });
    #chooser = make(
        "select",
        { change: () => this.#choose(this.#chooser.value) },
        make("option", { value: "" }, "Free play: turn any knob"),
        ...Object.entries(presets).map(([name, { title }]) => make("option", { value: name }, title)),
    );
    /** @type {HTMLElement[]} */
    #answers = [];
    #skip = make("button", { type: "button", class: "lab-button lab-quiet" }, "Play without a guess");
    #go = make("button", { type: "button", class: "lab-button lab-primary" }, "Play, and see");
    #hint = make("span", { class: "lab-hint" }, "Choose an answer first. ");

    connectedCallback() {
        if (this.#built) {
            return;
        }
        this.#built = true;
        count += 1;
        this.#key = `lab-${count}`;
        this.#full = !this.hasAttribute("preset");
        this.#build();
        this.watch();
        // mdBook turns the page at an arrow key, wherever it is pressed.
        this.addEventListener("keydown", (event) => {
            if (event.key.startsWith("Arrow") || targetOf(event).closest("input, select")) {
                event.stopPropagation();
            }
        });
        if (this.#full) {
            window.addEventListener("hashchange", () => this.#followLink());
            if (!this.#followLink()) {
                this.#open(undefined, OPENING);
            }
            return;
        }
        const name = this.getAttribute("preset") ?? "";
        if (Object.hasOwn(presets, name)) {
            this.#open(name, complete(presets[name].settings));
        } else {
            this.#say(`There is no question called “${name}”.`);
        }
    }

    disconnectedCallback() {
        this.playing = false;
    }

    // Building

    #build() {
        this.append(make("div", { class: "lab-fallback" }, ...this.childNodes));
        this.#skip.addEventListener("click", () => this.play());
        this.#go.addEventListener("click", () => this.play());
        if (!this.#full) {
            const title = presets[this.getAttribute("preset") ?? ""]?.title ?? "";
            const attributes = { class: "lab lab-small", "aria-label": `A question for the scheduler lab: ${title}` };
            const parts = [this.#message, this.#heading, this.#asked, this.stage, this.#figures, this.#knobs];
            this.append(make("section", attributes, ...parts, this.#foot, this.live));
            return;
        }
        this.#chooser.id = `${this.#key}-question`;
        const label = make("label", { for: this.#chooser.id }, "Question");
        const open = matchMedia("(min-width: 900px)").matches;
        const panel = make("details", { class: "lab-panel", open }, make("summary", {}, "Settings"), this.#knobs);
        const main = make("div", { class: "lab-main" }, this.stage, this.#figures);
        this.append(
            make(
                "section",
                { class: "lab lab-full", "aria-label": "The scheduler lab" },
                this.#message,
                make("div", { class: "lab-chooser" }, label, this.#chooser),
                this.#asked,
                make("div", { class: "lab-columns" }, panel, main),
                this.#foot,
                this.live,
            ),
        );
    }

    #buildKnobs() {
        const wanted = this.#question?.knobs;
        const knobs = knobsFor(this.#settings, this.#full ? undefined : (wanted ?? []));
        const focused = document.activeElement?.id;
        const fields = knobs.map((knob) => {
            const marked = this.#full && (wanted?.includes(knob.name) ?? false);
            const turn = (/** @type {HTMLInputElement | HTMLSelectElement} */ input) => this.#turn(knob, input);
            const field = makeField(knob, this.#settings, `${this.#key}-${knob.name}`, marked, turn);
            return { knob, field, isRare: Boolean(knob.rare) && !marked };
        });
        if (this.#full) {
            const groupsOf = (/** @type {typeof fields} */ some) =>
                [...new Set(some.map(({ knob }) => knob.group))].map((group) => {
                    const own = some.filter(({ knob }) => knob.group === group).map(({ field }) => field);
                    return make("fieldset", {}, make("legend", {}, group), ...own);
                });
            const rare = fields.filter(({ isRare }) => isRare);
            this.#more.open ||= rare.some(({ knob }) => valueIn(knob, this.#settings) !== valueIn(knob, OPENING));
            this.#more.replaceChildren(make("summary", {}, "More settings"), ...groupsOf(rare));
            this.#knobs.replaceChildren(...groupsOf(fields.filter(({ isRare }) => !isRare)), this.#more);
        } else {
            this.#knobs.hidden = !this.revealed;
            this.#knobs.replaceChildren(make("p", {}, "Turn a knob:"), ...fields.map(({ field }) => field));
        }
        if (focused && this.#knobs.querySelector(`#${CSS.escape(focused)}`)) {
            document.getElementById(focused)?.focus();
        }
    }

    #buildQuestion() {
        const preset = this.#preset ? presets[this.#preset] : undefined;
        this.#asked.hidden = !preset && !this.#left;
        this.#heading.textContent = preset?.title ?? (this.#left ? presets[this.#left].title : "");
        if (!preset) {
            const click = () => this.#choose(this.#left ?? "");
            const back = make(
                "button",
                { type: "button", class: "lab-button lab-quiet", click },
                "Back to the question",
            );
            const words = "These are no longer the settings of the question. ";
            this.#asked.replaceChildren(...(this.#left ? [make("p", { class: "lab-changed" }, words, back)] : []));
            return;
        }
        this.#answers = preset.answers.map(({ text }, index) => this.#makeAnswer(text, index));
        this.#asked.replaceChildren(
            make("fieldset", { class: "lab-answers" }, make("legend", {}, preset.question), ...this.#answers),
            make("p", { class: "lab-words" }, preset.given),
            make("p", { class: "lab-go" }, this.#go, this.#skip, this.#hint),
        );
    }

    /**
     * @param {string} text
     * @param {number} index
     */
    #makeAnswer(text, index) {
        const change = () => {
            this.#guess = index;
            this.showTransport();
        };
        const checked = this.#guess === index;
        const attributes = { type: "radio", name: `${this.#key}-answer`, value: index, checked, change };
        return make("label", { class: "lab-answer" }, make("input", attributes), make("span", {}, text));
    }

    // Settings

    /** Takes the settings from the page's address; false if it has none. */
    #followLink() {
        if (!isLink(location.hash)) {
            return false;
        }
        this.#hush();
        try {
            const { preset, settings } = fromHash(location.hash);
            admit(settings);
            this.#open(preset, settings);
        } catch (error) {
            const complaint = complaintOf(error);
            this.#open(undefined, OPENING);
            this.#say(`${complaint} The link was not followed; these are the lab's own settings.`);
        }
        this.scrollIntoView({ block: "start" });
        return true;
    }

    /** @param {string} name */
    #choose(name) {
        this.#hush();
        if (name === "") {
            this.#open(undefined, this.#settings);
        } else {
            this.#open(name, complete(presets[name].settings));
        }
        this.#writeLink();
    }

    /**
     * Starts over with these settings.
     * @param {string | undefined} name
     * @param {Settings} settings
     */
    #open(name, settings) {
        this.pause();
        this.#preset = name;
        this.#left = undefined;
        this.#guess = undefined;
        // A run that answers no question is shown at once.
        this.revealed = !name;
        this.started = false;
        this.#question = name ? presets[name] : undefined;
        this.#settings = copy(settings);
        this.#chooser.value = name ?? "";
        this.#simulate();
        this.now = name ? 0 : this.run.duration;
        this.#buildQuestion();
        this.#buildKnobs();
        this.show();
    }

    /**
     * A knob was turned.
     * @param {Knob} knob
     * @param {HTMLInputElement | HTMLSelectElement} input
     */
    #turn(knob, input) {
        this.#hush();
        let settings = this.#settings;
        try {
            settings = turned(this.#settings, knob, input);
            admit(settings);
        } catch (error) {
            const words = labelOf(knob, this.#settings).toLowerCase();
            const complaint = complaintOf(error);
            input.setAttribute("aria-invalid", "true");
            this.#say(`${complaint} The run below still has ${words} as before.`);
            return;
        }
        this.pause();
        if (this.#preset) {
            this.#left = this.#preset;
            this.#preset = undefined;
            this.#chooser.value = "";
            this.#buildQuestion();
        }
        this.#settings = settings;
        this.#simulate();
        // Who has seen a run to its end wants to see what the knob did to it.
        this.now = this.revealed ? this.run.duration : 0;
        this.#buildKnobs();
        this.show();
        this.#writeLink();
        if (this.revealed) {
            this.#tellSummary();
        }
    }

    #writeLink() {
        if (this.#full) {
            history.replaceState(history.state, "", this.#hash);
        }
        this.#buildFoot();
    }

    get #hash() {
        return `#${this.#preset ? `preset=${this.#preset}` : toHash(this.#settings)}`;
    }

    #buildFoot() {
        if (this.#full) {
            const words = ": the address of this page holds them, so you can keep or send it.";
            this.#foot.replaceChildren(make("a", { href: this.#hash }, "A link to these settings"), words);
        } else {
            const link = make("a", { href: `lab.html${this.#hash}` }, "Open this in the lab");
            this.#foot.replaceChildren(link, ", with all the knobs.");
        }
    }

    #simulate() {
        this.#law = predict(this.#settings);
        need(this, ".lab").dataset.model = this.#settings.model;
        this.load(new Run(simulate(this.#settings)));
        this.#results = undefined;
        this.#buildFoot();
    }

    /** The other server of the question, with the clients of this one. */
    #runBeside() {
        const beside = this.#question?.beside;
        if (!beside) {
            return undefined;
        }
        const arrivals = { ...this.#settings.arrivals, ...beside.settings.arrivals };
        const settings = complete({ ...this.#settings, ...beside.settings, arrivals });
        return { label: beside.label, law: predict(settings), run: new Run(simulate(settings)) };
    }

    // Showing

    finish() {
        const first = !this.revealed;
        super.finish();
        if (first) {
            this.#buildKnobs();
        }
        this.#tellSummary();
    }

    show() {
        // In a chapter the run takes room only when it is asked for.
        this.stage.hidden = !this.#full && !this.started;
        this.#figures.hidden = !this.revealed;
        this.#knobs.hidden = !this.#full && !this.revealed;
        if (this.revealed) {
            this.#showFigures();
        }
        super.show();
    }

    /** The figures of this run, which don't change any more. */
    #showFigures() {
        const preset = this.#preset ? presets[this.#preset] : undefined;
        if (preset) {
            this.#answers.forEach((label, index) => {
                label.classList.toggle("lab-right", Boolean(preset.answers[index].right));
            });
        }
        if (this.#results) {
            return;
        }
        this.#results = new Results(this.#law, this.run, this.#runBeside());
        const reveal = preset ? [make("p", {}, preset.reveal)] : [];
        this.#figures.replaceChildren(...reveal, ...this.#results.parts);
        const box = need(this.#figures, ".lab-table");
        if (box.scrollWidth > box.clientWidth) {
            box.tabIndex = 0;
        }
    }

    draw() {
        super.draw();
        if (this.revealed && !this.playing) {
            this.#results?.draw();
        }
    }

    judge() {
        const preset = this.#preset ? presets[this.#preset] : undefined;
        this.said.hidden = preset !== undefined && !this.started;
        this.guessed.classList.toggle("lab-finding", !preset);
        if (!preset) {
            this.guessed.textContent = findingText(this.run);
            this.verdict.textContent = "";
            this.verdict.className = "lab-verdict";
            this.said.classList.remove("lab-judged");
            return;
        }
        const right = preset.answers.find((answer) => answer.right) ?? preset.answers[0];
        const guess = this.#guess === undefined ? undefined : preset.answers[this.#guess];
        const verdict = guess ? said(guess) : `The answer: ${right.text}. ${right.why}`;
        const mark = guess === right ? "✓ " : guess ? "✗ " : "→ ";
        this.guessed.textContent = guess ? `Your guess: ${guess.text}` : "You play without a guess.";
        this.verdict.replaceChildren(make("span", { "aria-hidden": "true" }, mark), verdict);
        this.verdict.className = `lab-verdict ${guess === right ? "lab-right" : guess ? "lab-wrong" : ""}`;
        this.said.classList.toggle("lab-judged", this.revealed);
    }

    get asking() {
        return this.#preset !== undefined && !this.started;
    }

    showTransport() {
        super.showTransport();
        const go = this.#go.parentElement;
        if (go) {
            go.hidden = !this.asking;
        }
        this.#go.disabled = this.#guess === undefined;
        this.#skip.hidden = this.#guess !== undefined;
        this.#hint.hidden = this.#guess !== undefined;
        for (const label of this.#preset ? this.#answers : []) {
            need(label, "input", HTMLInputElement).disabled = this.revealed;
        }
    }

    // Words

    #tellSummary() {
        const guess =
            this.#guess === undefined || !this.#preset ? undefined : presets[this.#preset].answers[this.#guess];
        this.tell(summaryText(this.#law, this.run, guess ? `${said(guess)} ` : ""));
    }

    /** @param {string} words */
    #say(words) {
        this.#message.textContent = words;
        this.#message.hidden = false;
    }

    #hush() {
        this.#message.hidden = true;
        this.#message.textContent = "";
        for (const input of all(this, "[aria-invalid]")) {
            input.removeAttribute("aria-invalid");
        }
    }
}

// All pages in one, for the printer, show what is written for paper.
if (!/\/print(\.html)?$/.test(location.pathname)) {
    await Promise.all(["lab.css", "knobs.css"].map((name) => loadStyle(new URL(name, import.meta.url).href)));
    customElements.define("scheduler-lab", SchedulerLab);
}
