// A run on the screen: its rows over time, what plays them, and what is said of a guess.

import "../playing/player.js";
import { timeText } from "./time.js";
import { Timeline } from "./timeline.js";
import { stateText } from "./words.js";

/** @typedef {import("./run.js").Run} Run */

/** How high the rows are: what plays is on the screen with its button. */
const [LEAST_ROOM, MOST_ROOM] = [200, 480];
/** The letters by which mdBook counts, in pixels, where nobody made them larger: a reader's browser, or a class. */
const LETTERS = 10;
/** What the menu bar of a page may hide at its top, in pixels. */
const MENU = 56;

/** A run that can be played; what else belongs to a lab is in `SchedulerLab`. */
export class Stage {
    /** @type {Run | undefined} */
    #run;
    #changed;
    #width = 0;

    /** What is said at the end, for those who can't see it. */
    summary = "";
    picture = draw("svg", { class: "pic lab-picture", role: "img" });
    #timeline = new Timeline(this.picture);
    guessed = make("p", { class: "lab-guessed" });
    verdict = make("p", { class: "verdict lab-verdict" });
    // Both have the same place, so that the verdict moves nothing.
    said = make("div", { class: "lab-said" }, this.guessed, this.verdict);
    player = makePlayer({
        end: 1,
        moments: [],
        name: timeText,
        sentence: (time) => this.#sentence(time),
        show: (time, isPlaying) => this.#show(time, isPlaying),
    });
    rows = make("div", { class: "rows" }, this.picture, this.player.slider, this.player.thumb);
    hint = make("span", { class: "lab-hint" }, "Choose an answer first, or play without one.");
    controls = make("div", { class: "play" }, this.player.button, this.hint);
    element = make("div", { class: "lab-stage" }, this.said, this.rows, this.controls, this.player.live);

    /** @param {(time: number) => void} changed is called when another moment is shown */
    constructor(changed) {
        this.#changed = changed;
        new ResizeObserver(() => {
            // What it has drawn is no reason.
            if (this.element.clientWidth !== this.#width) {
                this.#width = this.element.clientWidth;
                this.arrange();
            }
        }).observe(this.element);
        // Other letters may take other lines.
        document.fonts.ready.then(() => this.arrange());
    }

    /** @returns {Run} */
    get run() {
        if (!this.#run) {
            throw new Error("nothing has been simulated yet");
        }
        return this.#run;
    }

    /**
     * Takes another run, and shows it as it is at a moment.
     * @param {Run} run
     * @param {number} at
     * @param {boolean} isOpen whether what comes after that moment may be seen
     */
    load(run, at, isOpen) {
        this.#run = undefined;
        this.player.load({ end: run.duration, moments: run.moments });
        this.#run = run;
        this.isOpen = isOpen;
        this.arrange();
        this.player.seek(at);
    }

    /** @param {boolean} isOpen */
    set isOpen(isOpen) {
        this.#timeline.isOpen = isOpen;
    }

    /** Lays the rows out for the room that the screen has, with what belongs to them. */
    arrange() {
        if (!this.#run || this.rows.hidden) {
            return;
        }
        const around = this.said.offsetHeight + this.controls.offsetHeight + 24;
        const room = window.innerHeight - MENU - around;
        // Before it is played, it is seen with its question where that is at the top of a page.
        const above = this.rows.getBoundingClientRect().top + window.scrollY;
        const below = window.innerHeight - above - this.controls.offsetHeight - 20;
        const wanted = this.said.hidden && below >= LEAST_ROOM ? below : room;
        const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / LETTERS;
        const high = Math.max(LEAST_ROOM, Math.min(MOST_ROOM * scale, wanted));
        const { left, right, axis } = this.#timeline.load(this.#run, high, scale);
        for (const [name, value] of Object.entries({ left, right, axis })) {
            this.rows.style.setProperty(`--${name}`, `${value}px`);
        }
        this.#timeline.draw(this.player.now);
    }

    /** What plays is seen: the guess, the rows and the button. */
    bringIntoView() {
        const { top } = this.element.getBoundingClientRect();
        const { bottom } = this.controls.getBoundingClientRect();
        if (top < MENU || bottom > window.innerHeight) {
            window.scrollBy({ top: top - MENU, behavior: "instant" });
        }
    }

    /** @param {number} time */
    #sentence(time) {
        if (!this.#run) {
            return "";
        }
        return time >= this.#run.duration ? this.summary : stateText(this.#run, time);
    }

    /**
     * @param {number} time
     * @param {boolean} isPlaying
     */
    #show(time, isPlaying) {
        if (!this.#run) {
            return;
        }
        this.#changed(time);
        this.#timeline.draw(time);
        if (!isPlaying) {
            this.picture.setAttribute("aria-label", `Timeline of the run. ${stateText(this.#run, time)}`);
        }
    }
}
