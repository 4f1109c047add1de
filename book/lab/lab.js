// The scheduler lab: <scheduler-lab></scheduler-lab> is the whole of it, whose settings stand in the page's
// address; <scheduler-lab preset="pool-80"></scheduler-lab> is one question of questions.json inside a chapter.
// What stands between the tags is for readers without JavaScript, and for paper.

import { knobsFor, labelOf, makeField, turned } from "./knobs.js";
import { predict } from "./laws.js";
import { check } from "./options.js";
import { presets } from "./presets.js";
import { resultsOf } from "./results.js";
import { Run } from "./run.js";
import { complete, copy, fromHash, isLink, toHash } from "./settings.js";
import { simulate } from "./simulator.js";
import { Stage } from "./stage.js";
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

/** With what the lab opens. */
const [FIRST] = Object.keys(presets);

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
    const computes = settings.work.compute > 0;
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

class SchedulerLab extends HTMLElement {
    #key = "";
    /** Whether it is the whole lab, and not one question inside a chapter. */
    #full = false;
    /** Whether its run has been asked for, and been seen to its end. @type {"asked" | "begun" | "seen"} */
    #phase = "asked";
    /** The question whose settings these are. @type {string | undefined} */
    #preset;
    /** The question whose knobs are offered first and whose other server stands in the table. @type {string | undefined} */
    #question;
    /** @type {number | undefined} */
    #guess;
    #settings = complete({});
    #law = predict(this.#settings);

    #stage = new Stage((time) => this.#moved(time));
    #message = make("p", { class: "lab-message", role: "alert", hidden: true });
    #heading = make("p", { class: "lab-title" });
    #asked = make("div", { class: "lab-question" });
    #given = make("p", { class: "lab-words" });
    #knobs = make("div", { class: "lab-knobs" });
    #more = make("details", { class: "lab-more" });
    #figures = make("div", { class: "lab-results", hidden: true });
    #foot = make("p", { class: "lab-foot" });
    #chooser = make(
        "select",
        { change: () => this.#choose(this.#chooser.value) },
        ...Object.entries(presets).map(([name, { title }]) => make("option", { value: name }, title)),
        make("option", { value: "" }, "Your own settings"),
    );
    /** @type {HTMLElement[]} */
    #answers = [];

    connectedCallback() {
        if (this.#key) {
            return;
        }
        count += 1;
        this.#key = `lab-${count}`;
        this.#full = !this.hasAttribute("preset");
        // The lab may come while the keyboard is in what stands in its place.
        const isInside = this.contains(document.activeElement);
        this.#build();
        if (isInside) {
            this.#stage.player.button.focus({ preventScroll: true });
        }
        // mdBook turns the page at an arrow key, wherever it is pressed.
        this.addEventListener("keydown", (event) => {
            if (event.key.startsWith("Arrow") || targetOf(event).closest("input, select")) {
                event.stopPropagation();
            }
        });
        if (this.#full) {
            window.addEventListener("hashchange", () => this.#followLink());
            if (!this.#followLink()) {
                this.#open(FIRST, complete(presets[FIRST].settings));
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
        this.#stage.player.pause();
    }

    // Building

    #build() {
        this.append(make("div", { class: "lab-fallback" }, ...this.childNodes));
        // Before the player hears of it, so that it finds the rows in the page.
        this.#stage.player.button.addEventListener("click", () => this.#begin(), { capture: true });
        if (!this.#full) {
            const title = presets[this.getAttribute("preset") ?? ""]?.title ?? "";
            const attributes = { class: "lab lab-small", "aria-label": `A question for the scheduler lab: ${title}` };
            const parts = [this.#message, this.#heading, this.#asked, this.#given, this.#stage.element];
            this.append(make("section", attributes, ...parts, this.#figures, this.#knobs, this.#foot));
            return;
        }
        this.#chooser.id = `${this.#key}-question`;
        const label = make("label", { for: this.#chooser.id }, "Question");
        const open = matchMedia("(min-width: 900px)").matches;
        const panel = make("details", { class: "lab-panel", open }, make("summary", {}, "Settings"), this.#knobs);
        const main = make("div", { class: "lab-main" }, this.#stage.element, this.#given, this.#figures);
        this.append(
            make(
                "section",
                { class: "lab lab-full", "aria-label": "The scheduler lab" },
                this.#message,
                make("div", { class: "lab-chooser" }, label, this.#chooser),
                this.#asked,
                make("div", { class: "lab-columns" }, main, panel),
                this.#foot,
            ),
        );
    }

    #buildKnobs() {
        const wanted = this.#question ? presets[this.#question].knobs : [];
        const focused = document.activeElement?.id;
        const fields = knobsFor(this.#settings).map((knob) => {
            const turn = (/** @type {HTMLInputElement | HTMLSelectElement} */ input) => this.#turn(knob, input);
            const field = makeField(knob, this.#settings, `${this.#key}-${knob.name}`, turn);
            return { field, isWanted: wanted.includes(knob.name) };
        });
        const first = fields.filter(({ isWanted }) => isWanted).map(({ field }) => field);
        const others = fields.filter(({ isWanted }) => !isWanted).map(({ field }) => field);
        this.#more.replaceChildren(make("summary", {}, "More settings"), ...others);
        // Settings that are of no question are all of interest.
        this.#more.open ||= first.length === 0;
        const words = this.#full ? [] : [make("p", {}, "Turn a knob:")];
        this.#knobs.replaceChildren(...words, ...first, ...(this.#full ? [this.#more] : []));
        if (focused && this.#knobs.querySelector(`#${CSS.escape(focused)}`)) {
            document.getElementById(focused)?.focus();
        }
    }

    #buildQuestion() {
        const preset = this.#preset ? presets[this.#preset] : undefined;
        const left = this.#question;
        this.#asked.hidden = !preset && !left;
        this.#given.hidden = !preset;
        this.#heading.textContent = left ? presets[left].title : "";
        if (!preset) {
            const click = () => this.#choose(left ?? "");
            const back = make("button", { type: "button", class: "lab-button", click }, "Back to the question");
            const words = "These are no longer the settings of the question. ";
            this.#asked.replaceChildren(...(left ? [make("p", { class: "lab-changed" }, words, back)] : []));
            return;
        }
        this.#given.textContent = preset.given;
        this.#answers = preset.answers.map(({ text }, index) => this.#makeAnswer(text, index));
        const answers = make("div", {}, ...this.#answers);
        this.#asked.replaceChildren(
            make("fieldset", { class: "lab-answers" }, make("legend", {}, preset.question), answers),
        );
    }

    /**
     * @param {string} text
     * @param {number} index
     */
    #makeAnswer(text, index) {
        const change = () => {
            this.#guess = index;
            this.#show();
        };
        const attributes = { type: "radio", name: `${this.#key}-answer`, value: index, change };
        return make("label", { class: "choice" }, make("input", attributes), make("span", {}, text));
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
            this.#open(FIRST, complete(presets[FIRST].settings));
            this.#say(`${complaint} The link was not followed; this is the lab's first question.`);
        }
        this.scrollIntoView({ block: "start" });
        return true;
    }

    /** @param {string} name */
    #choose(name) {
        this.#hush();
        this.#open(name || undefined, name ? complete(presets[name].settings) : this.#settings);
        this.#writeLink();
    }

    /**
     * Starts over with these settings.
     * @param {string | undefined} name
     * @param {Settings} settings
     */
    #open(name, settings) {
        this.#preset = name;
        this.#question = name;
        this.#guess = undefined;
        this.#settings = copy(settings);
        this.#chooser.value = name ?? "";
        this.#buildQuestion();
        this.#simulate();
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
            this.#say(`${complaint} The run still has ${words} as before.`);
            return;
        }
        if (this.#preset) {
            this.#preset = undefined;
            this.#chooser.value = "";
            this.#buildQuestion();
        }
        this.#settings = settings;
        this.#simulate();
        this.#writeLink();
        this.#stage.player.live.textContent = this.#stage.summary;
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

    /** Runs the model; a run that answers a question waits at its start, any other is shown at once. */
    #simulate() {
        this.#law = predict(this.#settings);
        need(this, ".lab").dataset.model = this.#settings.model;
        this.#phase = this.#preset ? "asked" : "seen";
        const run = new Run(simulate(this.#settings));
        this.#buildFoot();
        this.#buildKnobs();
        this.#show();
        this.#stage.load(run, this.#phase === "asked" ? 0 : run.duration, this.#phase === "seen");
        if (this.#phase === "seen") {
            this.#showFigures();
        }
        this.#judge();
    }

    /** The other server of the question, with the clients of this one. */
    #runBeside() {
        const beside = this.#question ? presets[this.#question].beside : undefined;
        if (!beside) {
            return undefined;
        }
        const arrivals = { ...this.#settings.arrivals, ...beside.settings.arrivals };
        const settings = complete({ ...this.#settings, ...beside.settings, arrivals });
        return { label: beside.label, run: new Run(simulate(settings)) };
    }

    // Playing

    /** The run is asked for. */
    #begin() {
        if (this.#phase === "asked") {
            this.#phase = "begun";
            this.#show();
            this.#judge();
            this.#stage.arrange();
            this.#stage.bringIntoView();
        }
    }

    /**
     * Another moment is shown.
     * @param {number} time
     */
    #moved(time) {
        if (time > 0) {
            this.#begin();
        }
        if (time >= this.#stage.run.duration && this.#phase === "begun") {
            this.#phase = "seen";
            this.#stage.isOpen = true;
            this.#showFigures();
            this.#show();
            this.#judge();
        }
    }

    // Showing

    /** Shows what belongs to the phase. */
    #show() {
        const isAsking = this.#phase === "asked";
        const isSeen = this.#phase === "seen";
        // In a chapter the run takes room only when it is asked for.
        this.#stage.rows.hidden = !this.#full && isAsking;
        this.#stage.said.hidden = isAsking;
        this.#stage.hint.hidden = !isAsking || this.#guess !== undefined;
        this.#figures.hidden = !isSeen;
        this.#knobs.hidden = !this.#full && !isSeen;
        const preset = this.#preset ? presets[this.#preset] : undefined;
        this.#answers.forEach((label, index) => {
            need(label, "input", HTMLInputElement).disabled = isSeen;
            const isRight = Boolean(preset?.answers[index].right);
            label.classList.toggle("is-right", isSeen && isRight);
            label.classList.toggle("is-wrong", isSeen && !isRight && index === this.#guess);
        });
    }

    /** The figures of this run, which don't change any more. */
    #showFigures() {
        const reveal = this.#preset ? [make("p", {}, presets[this.#preset].reveal)] : [];
        this.#figures.replaceChildren(...reveal, ...resultsOf(this.#law, this.#stage.run, this.#runBeside()));
        this.#figures.hidden = false;
        const box = need(this.#figures, ".lab-table");
        if (box.scrollWidth > box.clientWidth) {
            box.tabIndex = 0;
            box.dataset.scrolls = "on";
        }
    }

    /** What was guessed, and at the end whether it is right; of a run without a question, what it found. */
    #judge() {
        const { said: line, guessed, verdict, run } = this.#stage;
        const preset = this.#preset ? presets[this.#preset] : undefined;
        const guess = this.#guess === undefined ? undefined : preset?.answers[this.#guess];
        this.#stage.summary = summaryText(this.#law, run, guess ? `${said(guess)} ` : "");
        guessed.classList.toggle("lab-finding", !preset);
        line.classList.toggle("lab-judged", preset !== undefined && this.#phase === "seen");
        if (!preset) {
            guessed.textContent = findingText(run);
            verdict.textContent = "";
            return;
        }
        const right = preset.answers.find((answer) => answer.right) ?? preset.answers[0];
        const mark = guess === right ? "✓ " : guess ? "✗ " : "→ ";
        const words = guess ? said(guess) : `The answer: ${right.text}. ${right.why}`;
        guessed.textContent = guess ? `Your guess: ${guess.text}` : "You play without a guess.";
        verdict.replaceChildren(make("span", { "aria-hidden": "true" }, mark), words);
        verdict.classList.toggle("is-wrong", guess !== undefined && guess !== right);
    }

    // Words

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

const styles = ["lab.css", "knobs.css", "../playing/playing.css"];
await Promise.all(styles.map((name) => loadStyle(new URL(name, import.meta.url).href)));
customElements.define("scheduler-lab", SchedulerLab);
