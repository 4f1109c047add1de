// What plays a run: the timeline with its controls.

import { timeText } from "./canvas.js";
import { Moving } from "./moving.js";
import { Timeline } from "./timeline.js";
import { countsText, number, plural, stateText, wordFor } from "./words.js";

/** @typedef {import("./run.js").Run} Run */

/** How much of the run's time passes in a millisecond, and how it is said. @type {[number, string][]} */
const SPEEDS = [
    [0.001, "1 ms in 1 s"],
    [0.01, "10 ms in 1 s"],
    [0.05, "50 ms in 1 s"],
    [0.2, "200 ms in 1 s"],
    [0.5, "500 ms in 1 s"],
    [1, "1 s in 1 s"],
    [2, "2 s in 1 s"],
    [5, "5 s in 1 s"],
];
const WINDOWS = [10, 50, 200, 500, 1000, 5000];
/** How long a run plays unless the reader says otherwise. */
const PLAYING_TIME = 5000;
/** How high a timeline is: what plays is on the screen with its controls. */
const [LEAST_ROOM, MOST_ROOM] = [240, 480];
/** What is higher than this above a run is not kept on the screen with it. */
const MOST_ABOVE = 200;
/** What the menu bar of a page may hide at its top, in pixels. */
const MENU = 56;
/** How long after a move of the slider what goes on is said, in milliseconds. */
const TELLING = 400;

/** The signs of the buttons: outlines in a field of 24 by 24. */
const SIGNS = {
    start: "M5 5h3v14H5zM20 5v14L9 12z",
    back: "M17 5v14L8 12z",
    play: "M6 4v16l14-8z",
    pause: "M6 4h4v16H6zM14 4h4v16h-4z",
    step: "M7 5v14l9-7z",
    end: "M4 5v14l11-7zM16 5h3v14h-3z",
};

/** @param {keyof typeof SIGNS} name */
function makeSign(name) {
    return draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("path", { d: SIGNS[name] }));
}

/**
 * @param {keyof typeof SIGNS} sign
 * @param {string} words
 * @param {() => void} click
 */
function makeButton(sign, words, click) {
    const attributes = { type: "button", class: "lab-button", "aria-label": words, title: words, click };
    return make("button", attributes, makeSign(sign));
}

/** A run that can be played; what else belongs to a lab is in `SchedulerLab`. */
export class Player extends HTMLElement {
    /** @type {Run | undefined} */
    #run;
    #frame = 0;
    #telling = 0;
    #durationOfSpeed = 0;
    #width = 0;

    now = 0;
    playing = false;
    /** Whether the reader has asked for the run, and has seen its end. */
    started = false;
    revealed = false;
    calm = matchMedia("(prefers-reduced-motion: reduce)");

    picture = draw("svg", { class: "pic lab-picture", role: "img" });
    timeline = new Timeline(this.picture);
    moving = new Moving();
    guessed = make("p", { class: "lab-guessed" });
    verdict = make("p", { class: "lab-verdict" });
    // Both have the same place, so that the verdict moves nothing.
    said = make("div", { class: "lab-said", hidden: true }, this.guessed, this.verdict);
    playButton = make("button", { type: "button", class: "lab-button lab-primary", click: () => this.toggle() });
    scrubber = make("input", {
        ...{ type: "range", min: 0, step: "any", value: 0, "aria-label": "Moment of the run" },
        input: () => this.seek(Number(this.scrubber.value)),
        keydown: (event) => this.#scrubByKey(/** @type {KeyboardEvent} */ (event)),
    });
    clock = make("output", { class: "lab-clock", "aria-hidden": "true" });
    speed = make("select", {}, ...SPEEDS.map(([speed, words]) => make("option", { value: speed }, words)));
    speedLabel = make("label", { class: "lab-field" }, make("span", {}, "Speed"), this.speed);
    shownPart = make("select", { change: () => this.draw() });
    followed = make("input", {
        ...{ type: "number", min: 1, step: 1 },
        input: () => this.timeline.follow(Number(this.followed.value)),
    });
    state = make("p", { class: "lab-state", "aria-hidden": "true" });
    legend = make("ul", { class: "lab-legend" });
    transport = make(
        "div",
        { class: "lab-transport", role: "group", "aria-label": "Playing the run" },
        makeButton("start", "To the start", () => this.seek(0)),
        makeButton("back", "One event back", () => this.step(-1)),
        this.playButton,
        makeButton("step", "One event on", () => this.step(1)),
        makeButton("end", "To the end", () => this.finish()),
        this.clock,
    );
    live = make("p", { class: "lab-unseen", "aria-live": "polite" });
    stage = make(
        "div",
        { class: "lab-stage" },
        this.said,
        this.moving.svg,
        this.picture,
        this.scrubber,
        this.transport,
        this.state,
        this.legend,
        make(
            "div",
            { class: "lab-view" },
            this.speedLabel,
            make("label", { class: "lab-field" }, make("span", {}, "Time shown"), this.shownPart),
            make("label", { class: "lab-field" }, make("span", {}, "Follow request"), this.followed),
        ),
    );

    /** @returns {Run} */
    get run() {
        if (!this.#run) {
            throw new Error("nothing has been simulated yet");
        }
        return this.#run;
    }

    /** Draws again when the room, the theme or the reader's wishes change. */
    watch() {
        new ResizeObserver(() => {
            // What it has drawn is no reason.
            if (this.#run && this.stage.clientWidth !== this.#width) {
                this.#width = this.stage.clientWidth;
                this.arrange();
                this.draw();
            }
        }).observe(this.stage);
        new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["class"] });
        this.calm.addEventListener("change", () => this.showTransport());
    }

    /**
     * Takes another run.
     * @param {Run} run
     */
    load(run) {
        this.#run = run;
        this.moving.load(run);
        this.arrange();
        const { duration } = run;
        this.scrubber.max = String(duration);
        const chosen = this.shownPart.value;
        const shorter = WINDOWS.filter((length) => length < duration).reverse();
        this.shownPart.replaceChildren(
            make("option", { value: "all" }, "the whole run"),
            ...shorter.map((length) => make("option", { value: length }, timeText(length))),
        );
        this.shownPart.value = shorter.map(String).includes(chosen) ? chosen : "all";
        if (this.#durationOfSpeed !== duration) {
            this.#durationOfSpeed = duration;
            const off = (/** @type {number} */ speed) => Math.abs(Math.log((speed * PLAYING_TIME) / duration));
            const [speed] = SPEEDS.reduce((best, one) => (off(one[0]) < off(best[0]) ? one : best));
            this.speed.value = String(speed);
        }
        this.#buildLegend();
    }

    #buildLegend() {
        const mark = (/** @type {string} */ kind, /** @type {string} */ d, /** @type {string} */ words, wide = 30) => {
            const size = { width: wide, height: 20, viewBox: `0 0 ${wide} 20` };
            const path = draw("path", { class: kind, d });
            return make("li", {}, draw("svg", { class: "pic", "aria-hidden": "true", ...size }, path), words);
        };
        const word = wordFor(this.run);
        const isAsync = word === "worker";
        this.legend.replaceChildren(
            mark("works", "M1 1h6v18h-6z", "works on a CPU", 8),
            mark("holds", "M1 3h28v14h-28z", `waits, holds a ${word}`),
            ...(isAsync ? [mark("free", "M3 10H29", "waits, holds nothing")] : []),
            mark("hatch", "M5 14l8-8M10 14l8-8M15 14l8-8M20 14l8-8M3 4v12", "is in line"),
            mark("idle", "M0 10H30", "idle"),
            mark("done", "M5 10h0", "answered", 10),
        );
    }

    /** Lays the timeline out for the room that the screen has, beside what belongs to it. */
    arrange() {
        const parts = [this.said, this.scrubber, this.transport];
        const around = parts.reduce((sum, part) => sum + part.offsetHeight + 6, this.moving.height);
        // What stands above a run that answers no question is seen with it.
        const above = this.stage.getBoundingClientRect().top - this.getBoundingClientRect().top;
        const shared = above < MOST_ABOVE ? above : 0;
        const room = Math.max(LEAST_ROOM, Math.min(MOST_ROOM, window.innerHeight - MENU - around - shared - 12));
        // Its letters are as large as the page's are: before a class, larger.
        this.timeline.load(
            this.run,
            room,
            1.2 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
        );
    }

    /** What plays is seen: the verdict's place, the timeline and the controls. */
    #bringIntoView() {
        const { top } = this.stage.getBoundingClientRect();
        const { bottom } = this.transport.getBoundingClientRect();
        if (top < MENU || bottom > window.innerHeight) {
            window.scrollBy({ top: top - MENU, behavior: "instant" });
        }
    }

    // Playing

    toggle() {
        if (this.playing) {
            this.pause();
            this.tell(stateText(this.run, this.now));
        } else {
            this.play();
        }
    }

    play() {
        const byKey = this.contains(document.activeElement) && !this.stage.contains(document.activeElement);
        this.started = true;
        this.stage.hidden = false;
        this.judge();
        this.showTransport();
        this.arrange();
        this.draw();
        this.#bringIntoView();
        if (this.calm.matches) {
            this.finish();
            return;
        }
        if (this.now >= this.run.duration) {
            this.now = 0;
        }
        this.playing = true;
        this.show();
        // Who plays a question without a mouse goes on with the button that stops it.
        if (byKey || document.activeElement === document.body) {
            this.playButton.focus({ preventScroll: true });
        }
        this.#nextFrame(performance.now());
    }

    /** @param {number} before */
    #nextFrame(before) {
        this.#frame = requestAnimationFrame((at) => {
            if (!this.playing) {
                return;
            }
            this.now += Math.max(0, at - before) * Number(this.speed.value);
            if (this.now >= this.run.duration) {
                this.finish();
                return;
            }
            this.draw();
            this.#nextFrame(at);
        });
    }

    /** Stops playing, where it is. */
    pause() {
        if (this.playing) {
            this.playing = false;
            cancelAnimationFrame(this.#frame);
            this.show();
        }
    }

    /** @param {number} time */
    seek(time) {
        this.playing = false;
        this.now = Math.max(0, Math.min(time, this.run.duration));
        if (this.now >= this.run.duration) {
            this.finish();
            return;
        }
        this.show();
        clearTimeout(this.#telling);
        this.#telling = window.setTimeout(() => this.tell(stateText(this.run, this.now)), TELLING);
    }

    /** @param {number} direction */
    step(direction) {
        this.seek(this.run.step(this.now, direction));
    }

    /** @param {KeyboardEvent} event */
    #scrubByKey(event) {
        /** @type {Record<string, number>} */
        const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
        const direction = steps[event.key];
        if (direction !== undefined) {
            event.preventDefault();
            this.seek(this.now + (direction * this.run.duration) / 100);
        }
    }

    /** The run is over. */
    finish() {
        clearTimeout(this.#telling);
        this.playing = false;
        this.started = true;
        this.stage.hidden = false;
        this.now = this.run.duration;
        this.revealed = true;
        this.show();
    }

    // Showing

    /** Shows what is, after a change. */
    show() {
        this.judge();
        this.showTransport();
        this.draw();
    }

    /** What was guessed, and at the end whether it is right: a lab with a question says it. */
    judge() {}

    /** Whether a question has to be answered before the run is shown. */
    get asking() {
        return false;
    }

    showTransport() {
        const ended = this.now >= this.run.duration;
        const words = this.playing
            ? "Pause"
            : this.calm.matches
              ? "Show end"
              : ended && this.started
                ? "Play again"
                : "Play";
        if (this.playButton.getAttribute("aria-label") !== words) {
            this.playButton.setAttribute("aria-label", words);
            this.playButton.title = words;
            this.playButton.replaceChildren(makeSign(this.playing ? "pause" : "play"), make("span", {}, words));
        }
        this.speedLabel.hidden = this.calm.matches;
        // The run is the answer, so the question comes first.
        this.transport.hidden = this.asking;
        this.scrubber.hidden = this.asking;
    }

    get #view() {
        const { duration } = this.run;
        if (this.shownPart.value === "all") {
            return { from: 0, to: duration };
        }
        // Page by page, so that the picture stands still.
        const length = Number(this.shownPart.value);
        const page = Math.min(Math.floor(this.now / length), Math.ceil(duration / length) - 1);
        return { from: page * length, to: (page + 1) * length };
    }

    draw() {
        if (!this.#run || this.stage.hidden) {
            return;
        }
        // Before its end is seen, a run that answers a question shows only what has been played.
        this.timeline.isOpen = this.revealed;
        this.timeline.draw(this.#view, this.now);
        this.moving.draw(this.now, Number(this.speed.value));
        // The middle of the thumb, which is 20 pixels wide, lies under the time that it stands for.
        const { left, right } = this.timeline.edges;
        this.scrubber.style.marginInlineStart = `${left - 10}px`;
        this.scrubber.style.width = `${right - left + 20}px`;
        if (!this.playing || document.activeElement !== this.scrubber) {
            this.scrubber.value = String(this.now);
        }
        this.scrubber.setAttribute("aria-valuetext", timeText(this.now));
        this.clock.textContent = timeText(this.now);
        const { answered, queue, threads, tasks } = this.run.at(this.now);
        const parts = [
            plural(answered, "answer"),
            `${number(queue, 0)} in the queue`,
            `${wordFor(this.run)}s: ${countsText(threads, "thread")}`,
            ...(tasks ? [`tasks: ${countsText(tasks, "task")}`] : []),
        ];
        this.state.replaceChildren(...parts.map((part) => make("span", {}, part)));
        if (!this.playing) {
            this.picture.setAttribute("aria-label", `Timeline of the run. ${stateText(this.run, this.now)}`);
        }
    }

    /**
     * Says something to those who can't see it.
     * @param {string} words
     */
    tell(words) {
        this.live.textContent = words;
    }
}
