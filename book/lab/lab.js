// The scheduler lab: <scheduler-lab></scheduler-lab> is the whole of it, whose settings stand in the page's
// address; <scheduler-lab preset="pool-80"></scheduler-lab> is one question of presets.js inside a chapter.
// What stands between the tags is for readers without JavaScript, and for paper.

import { check, simulate } from "./simulator.js";
import { predict } from "./laws.js";
import { presets } from "./presets.js";
import { arrivalsOf, complete, copy, fromHash, inWords, isLink, toHash } from "./settings.js";
import { Run, STATES, Timeline, drawHistogram, timeText } from "./timeline.js";

/** More requests than this in one run are too many to draw. */
const MOST_REQUESTS = 40_000;
const MOST_SLICES = 400_000;
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
/** What the menu bar of a page may hide at its top, in pixels. */
const MENU = 56;
/** How the states are called that are not called by their names. */
const WORDS = {
    holding: { thread: "waiting with a request", task: "waiting with a worker" },
    ready: { thread: "in line", task: "in line" },
    waiting: { thread: "waiting", task: "waiting with nothing" },
};

const closed = ({ arrivals }) => arrivals.kind === "closed";
const open = ({ arrivals }) => arrivals.kind === "open";
const hasThreads = ({ model }) => ["pool", "tasks", "tasks-blocking"].includes(model);
const MODELS = [
    ["one-thread", "one thread"],
    ["thread-per-connection", "a thread for each connection"],
    ["pool", "a pool of threads"],
    ["tasks", "tasks"],
    ["tasks-blocking", "tasks with blocking calls"],
];

/** The controls: the name in a link, the group, the words, and where the value is. */
const KNOBS = [
    { name: "cpus", group: "Machine", label: "CPUs (hardware threads)", path: ["cpus"], min: 1, step: 1 },
    { name: "slice", group: "Machine", label: "Time slice", unit: "ms", path: ["slice"], min: 0, step: "any" },
    {
        name: "switch",
        group: "Machine",
        label: "Cost of a switch",
        unit: "ms",
        path: ["switchCost"],
        min: 0,
        step: "any",
    },
    { name: "model", group: "Server", label: "Model", path: ["model"], options: MODELS },
    {
        name: "threads",
        group: "Server",
        label: ({ model }) => (model === "pool" ? "Threads" : "Workers"),
        path: ["threads"],
        min: 1,
        step: 1,
        shown: hasThreads,
    },
    { name: "keep-alive", group: "Server", label: "Connections are kept", path: ["keepAlive"], shown: closed },
    {
        name: "arrivals",
        group: "Clients",
        label: "Requests come",
        path: ["arrivals", "kind"],
        options: [
            ["closed", "from clients that wait"],
            ["open", "at a rate"],
        ],
    },
    {
        name: "clients",
        group: "Clients",
        label: "Clients",
        path: ["arrivals", "clients"],
        min: 1,
        step: 1,
        shown: closed,
    },
    {
        name: "think",
        group: "Clients",
        label: "Think time",
        unit: "ms",
        path: ["arrivals", "think"],
        min: 0,
        step: "any",
        shown: closed,
    },
    {
        name: "rate",
        group: "Clients",
        label: "Rate",
        unit: "a second",
        path: ["arrivals", "rate"],
        min: 0,
        step: "any",
        shown: open,
    },
    {
        name: "process",
        group: "Clients",
        label: "Spacing",
        path: ["arrivals", "process"],
        options: [
            ["poisson", "random"],
            ["even", "even"],
        ],
        shown: open,
    },
    {
        name: "compute",
        group: "A request",
        label: "Computes",
        unit: "ms",
        path: ["work", "compute"],
        min: 0,
        step: "any",
    },
    { name: "wait", group: "A request", label: "Waits", unit: "ms", path: ["work", "wait"], min: 0, step: "any" },
    { name: "every", group: "A request", label: "One in so many waits", path: ["work", "every"], min: 1, step: 1 },
    {
        name: "spread",
        group: "A request",
        label: "Times are",
        path: ["work", "spread"],
        options: [
            ["fixed", "always the same"],
            ["exponential", "random"],
        ],
    },
    { name: "duration", group: "Run", label: "Length", unit: "ms", path: ["duration"], min: 1, step: "any" },
    { name: "warmup", group: "Run", label: "Left out at its start", unit: "ms", path: ["warmup"], min: 0, step: "any" },
    { name: "seed", group: "Run", label: "Seed of the chance", path: ["seed"], min: 0, step: 1 },
];

/** An element with these attributes and children; a function is a listener. */
function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") {
            element.addEventListener(name, value);
        } else if (value === true) {
            element.setAttribute(name, "");
        } else if (value !== false && value !== undefined && value !== null) {
            element.setAttribute(name, value);
        }
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** A sign for a button, from the outline of a path in a field of 24 by 24. */
function sign(path) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const outline = document.createElementNS(SVG, "path");
    outline.setAttribute("d", path);
    svg.append(outline);
    return svg;
}

const SIGNS = {
    start: "M5 5h3v14H5zM20 5v14L9 12z",
    back: "M17 5v14L8 12z",
    play: "M6 4v16l14-8z",
    pause: "M6 4h4v16H6zM14 4h4v16h-4z",
    step: "M7 5v14l9-7z",
    end: "M4 5v14l11-7zM16 5h3v14h-3z",
};

function number(value, digits = 1) {
    if (value === null || value === undefined || !Number.isFinite(value)) {
        return "–";
    }
    const text = value.toFixed(value >= 1000 ? 0 : digits);
    const [whole, part] = text.split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return part && Number(part) !== 0 ? `${grouped}.${part.replace(/0+$/, "")}` : grouped;
}

function plural(count, one, more = `${one}s`) {
    return `${number(count, 0)} ${count === 1 ? one : more}`;
}

const valueOf = (settings, path) => path.reduce((object, key) => object[key], settings);

let count = 0;

class SchedulerLab extends HTMLElement {
    #abort = new AbortController();

    connectedCallback() {
        if (this.built) {
            return;
        }
        this.built = true;
        count += 1;
        this.key = `lab-${count}`;
        this.full = !this.hasAttribute("preset");
        const fallback = h("div", { class: "lab-fallback" });
        fallback.append(...this.childNodes);
        this.append(fallback);
        this.calm = matchMedia("(prefers-reduced-motion: reduce)");
        this.now = 0;
        this.playing = false;
        this.revealed = false;
        this.#build();
        const { signal } = this.#abort;
        // mdBook turns the page at an arrow key, wherever it is pressed.
        this.addEventListener("keydown", (event) => {
            if (event.key.startsWith("Arrow") || event.target.closest("input, select")) {
                event.stopPropagation();
            }
        });
        let width;
        new ResizeObserver(() => {
            // What it has drawn is no reason.
            if (this.run && this.stage.clientWidth !== width) {
                width = this.stage.clientWidth;
                this.#arrange();
                this.#draw();
            }
        }).observe(this.stage);
        new MutationObserver(() => this.#draw()).observe(document.documentElement, { attributeFilter: ["class"] });
        this.calm.addEventListener("change", () => this.#transport(), { signal });
        if (this.full) {
            window.addEventListener("hashchange", () => this.#followLink(true), { signal });
            if (!this.#followLink(true)) {
                this.#openPreset(undefined, complete({}));
            }
        } else {
            const name = this.getAttribute("preset");
            if (!Object.hasOwn(presets, name)) {
                this.#say(`There is no question called “${name}”.`);
                return;
            }
            this.#openPreset(name, complete(presets[name].settings));
        }
    }

    disconnectedCallback() {
        this.playing = false;
    }

    // Building

    #build() {
        this.message = h("p", { class: "lab-message", role: "alert", hidden: true });
        this.heading = h("p", { class: "lab-title" });
        this.question = h("div", { class: "lab-question" });
        this.knobs = h("div", { class: "lab-knobs" });
        this.stage = h("div", { class: "lab-stage" });
        this.results = h("div", { class: "lab-results", hidden: true });
        this.live = h("p", { class: "lab-unseen", "aria-live": "polite" });
        this.foot = h("p", { class: "lab-foot" });
        this.#buildStage();
        if (this.full) {
            this.chooser = h(
                "select",
                { id: `${this.key}-question`, change: () => this.#choose(this.chooser.value) },
                h("option", { value: "" }, "Free play: turn any knob"),
                ...Object.entries(presets).map(([name, { title }]) => h("option", { value: name }, title)),
            );
            const chooser = h(
                "div",
                { class: "lab-chooser" },
                h("label", { for: `${this.key}-question` }, "Question"),
                this.chooser,
            );
            this.panel = h("details", { class: "lab-panel" }, h("summary", {}, "Settings"), this.knobs);
            const wide = matchMedia("(min-width: 900px)");
            this.panel.open = wide.matches;
            this.append(
                h(
                    "section",
                    { class: "lab lab-full", "aria-label": "The scheduler lab" },
                    this.message,
                    chooser,
                    this.question,
                    h(
                        "div",
                        { class: "lab-columns" },
                        this.panel,
                        h("div", { class: "lab-main" }, this.stage, this.results),
                    ),
                    this.foot,
                    this.live,
                ),
            );
        } else {
            this.append(
                h(
                    "section",
                    {
                        class: "lab lab-small",
                        "aria-label": `A question for the scheduler lab: ${presets[this.getAttribute("preset")]?.title ?? ""}`,
                    },
                    this.message,
                    this.heading,
                    this.question,
                    this.stage,
                    this.results,
                    this.knobs,
                    this.foot,
                    this.live,
                ),
            );
        }
    }

    #button(name, words, action) {
        return h(
            "button",
            { type: "button", class: "lab-button", "aria-label": words, title: words, click: action },
            sign(SIGNS[name]),
        );
    }

    #buildStage() {
        this.canvas = h("canvas", { class: "lab-canvas", role: "img" });
        this.timeline = new Timeline(this.canvas);
        this.playButton = h("button", {
            type: "button",
            class: "lab-button lab-primary",
            click: () => this.#toggle(),
        });
        this.scrubber = h("input", {
            type: "range",
            min: 0,
            step: "any",
            value: 0,
            "aria-label": "Moment of the run",
            input: () => this.#seek(Number(this.scrubber.value)),
            keydown: (event) => this.#scrubByKey(event),
        });
        this.clock = h("output", { class: "lab-clock", "aria-hidden": "true" });
        this.speed = h(
            "select",
            { change: () => {} },
            ...SPEEDS.map(([speed, words]) => h("option", { value: speed }, words)),
        );
        this.window = h("select", { change: () => this.#draw() });
        this.speedLabel = h("label", { class: "lab-field" }, h("span", {}, "Speed"), this.speed);
        this.state = h("p", { class: "lab-state", "aria-hidden": "true" });
        this.legend = h("ul", { class: "lab-legend" });
        this.guessed = h("p", { class: "lab-guessed" });
        this.verdict = h("p", { class: "lab-verdict" });
        // Both have the same place, so that the verdict moves nothing.
        this.said = h("div", { class: "lab-said", hidden: true }, this.guessed, this.verdict);
        this.transport = h(
            "div",
            { class: "lab-transport", role: "group", "aria-label": "Playing the run" },
            this.#button("start", "To the start", () => this.#seek(0)),
            this.#button("back", "One event back", () => this.#step(-1)),
            this.playButton,
            this.#button("step", "One event on", () => this.#step(1)),
            this.#button("end", "To the end", () => this.#finish()),
            this.clock,
        );
        this.stage.append(
            this.said,
            this.canvas,
            this.scrubber,
            this.transport,
            this.state,
            this.legend,
            h(
                "div",
                { class: "lab-view" },
                this.speedLabel,
                h("label", { class: "lab-field" }, h("span", {}, "Shown at once"), this.window),
            ),
        );
    }

    #buildLegend() {
        const swatch = (kind, words) =>
            h("li", {}, h("span", { class: `lab-swatch lab-${kind}`, "aria-hidden": "true" }), words);
        const isAsync = this.settings.model.startsWith("tasks");
        this.legend.replaceChildren(
            swatch("running", "works on a CPU"),
            swatch("holding", `waits, and holds a ${isAsync ? "worker" : "thread"}; the number is the request’s`),
            ...(isAsync ? [swatch("waiting", "waits, and holds nothing")] : []),
            swatch("ready", isAsync ? "stands in line, for a CPU or a worker" : "stands in line for a CPU"),
            swatch("idle", "idle"),
        );
    }

    #buildKnobs() {
        const { settings } = this;
        const wanted = this.preset ? presets[this.preset].knobs : this.knobsOfQuestion;
        const shown = KNOBS.filter(
            (knob) => (knob.shown?.(settings) ?? true) && (this.full || wanted?.includes(knob.name)),
        );
        const focused = document.activeElement?.id;
        const fields = shown.map((knob) => [knob, this.#field(knob, this.full && wanted?.includes(knob.name))]);
        if (this.full) {
            const groups = [...new Set(shown.map((knob) => knob.group))];
            this.knobs.replaceChildren(
                ...groups.map((group) =>
                    h(
                        "fieldset",
                        {},
                        h("legend", {}, group),
                        ...fields.filter(([knob]) => knob.group === group).map(([, field]) => field),
                    ),
                ),
            );
        } else {
            this.knobs.hidden = !this.revealed;
            this.knobs.replaceChildren(h("p", {}, "Turn a knob:"), ...fields.map(([, field]) => field));
        }
        if (focused && this.knobs.querySelector(`#${CSS.escape(focused)}`)) {
            document.getElementById(focused).focus();
        }
    }

    #field(knob, marked) {
        const id = `${this.key}-${knob.name}`;
        const value = valueOf(this.settings, knob.path);
        const words = typeof knob.label === "function" ? knob.label(this.settings) : knob.label;
        const change = (event) => this.#turn(knob, event.target);
        let input;
        if (knob.options) {
            input = h(
                "select",
                { id, change },
                ...knob.options.map(([option, text]) =>
                    h("option", { value: option, selected: option === value }, text),
                ),
            );
        } else if (typeof value === "boolean") {
            input = h("input", { id, type: "checkbox", checked: value, change });
        } else {
            input = h("input", {
                id,
                type: "number",
                inputmode: "decimal",
                min: knob.min,
                step: knob.step,
                value,
                change,
            });
        }
        const name = h(
            "label",
            { for: id },
            words,
            knob.unit ? h("span", { class: "lab-unit" }, `, ${knob.unit}`) : null,
        );
        if (marked) {
            name.prepend(
                h(
                    "span",
                    { class: "lab-mark", "aria-hidden": "true", title: "a knob to turn for this question" },
                    "◆\u00a0",
                ),
            );
        }
        return h(
            "div",
            { class: `lab-field lab-${input.type === "checkbox" ? "switch" : knob.options ? "choice" : "value"}` },
            name,
            input,
        );
    }

    #buildQuestion() {
        const preset = this.preset && presets[this.preset];
        this.question.hidden = !preset && !this.left;
        this.heading.textContent = preset?.title ?? (this.left ? presets[this.left].title : "");
        if (!preset) {
            const back =
                this.left &&
                h(
                    "button",
                    { type: "button", class: "lab-button lab-quiet", click: () => this.#choose(this.left) },
                    "Back to the question",
                );
            this.question.replaceChildren(
                ...(this.left
                    ? [h("p", { class: "lab-changed" }, "These are no longer the settings of the question. ", back)]
                    : []),
            );
            return;
        }
        const name = `${this.key}-answer`;
        this.answers = preset.answers.map((answer, index) =>
            h(
                "label",
                { class: "lab-answer" },
                h("input", {
                    type: "radio",
                    name,
                    value: index,
                    checked: this.guess === index,
                    change: () => {
                        this.guess = index;
                        this.#transport();
                    },
                }),
                h("span", {}, answer.text),
            ),
        );
        const words = h("p", { class: "lab-words" }, inWords(this.settings));
        this.skip = h(
            "button",
            { type: "button", class: "lab-button lab-quiet", click: () => this.#play() },
            "Play without a guess",
        );
        this.go = h(
            "button",
            { type: "button", class: "lab-button lab-primary", click: () => this.#play() },
            "Play, and see",
        );
        this.hint = h("span", { class: "lab-hint" }, "Choose an answer first. ");
        this.question.replaceChildren(
            h("fieldset", { class: "lab-answers" }, h("legend", {}, preset.question), ...this.answers),
            words,
            h("p", { class: "lab-go" }, this.go, this.skip, this.hint),
        );
    }

    // Settings

    /** Takes the settings from the page's address; false if it has none. */
    #followLink(scroll) {
        if (!isLink(location.hash)) {
            return false;
        }
        this.#hush();
        try {
            const { preset, settings } = fromHash(location.hash);
            this.#admit(settings);
            this.#openPreset(preset, settings);
        } catch (error) {
            if (!(error instanceof RangeError)) {
                throw error;
            }
            this.#openPreset(undefined, complete({}));
            this.#say(`${error.message} The link was not followed; these are the lab's own settings.`);
        }
        if (scroll) {
            this.scrollIntoView({ block: "start" });
        }
        return true;
    }

    /** Throws a RangeError if the simulator or the page can't take these settings. */
    #admit(settings) {
        check(settings);
        const { throughput } = predict(settings);
        const requests = (throughput * settings.duration) / 1000;
        if (requests > MOST_REQUESTS) {
            throw new RangeError(
                `This run would have about ${number(requests, 0)} requests, and the page draws at most ${number(MOST_REQUESTS, 0)}: make it shorter.`,
            );
        }
        const slices =
            settings.work.compute + (settings.work.computeAfter ?? 0) > 0
                ? (settings.cpus * settings.duration) / settings.slice
                : 0;
        if (slices > MOST_SLICES) {
            throw new RangeError(
                `This run could have ${number(slices, 0)} time slices, and the page draws at most ${number(MOST_SLICES, 0)}: make it shorter, or the slice longer.`,
            );
        }
    }

    #choose(name) {
        this.#hush();
        if (name === "") {
            this.left = undefined;
            this.#openPreset(undefined, this.settings);
        } else {
            this.#openPreset(name, complete(presets[name].settings));
        }
        this.#writeLink();
    }

    /** Starts over with these settings. */
    #openPreset(name, settings) {
        this.pause();
        this.preset = name;
        this.left = undefined;
        this.guess = undefined;
        this.revealed = false;
        this.started = false;
        this.knobsOfQuestion = name ? presets[name].knobs : undefined;
        this.besideOfQuestion = name ? presets[name].beside : undefined;
        this.settings = copy(settings);
        if (this.chooser) {
            this.chooser.value = name ?? "";
        }
        this.#load();
        this.now = 0;
        this.#buildQuestion();
        this.#buildKnobs();
        this.#show();
    }

    /** A knob was turned. */
    #turn(knob, input) {
        const settings = copy(this.settings);
        const words = typeof knob.label === "function" ? knob.label(settings) : knob.label;
        let value = input.type === "checkbox" ? input.checked : input.value;
        this.#hush();
        try {
            if (input.type === "number") {
                if (value === "" || !Number.isFinite(Number(value))) {
                    throw new RangeError(`${words} takes a number.`);
                }
                value = Number(value);
            }
            if (knob.name === "arrivals") {
                settings.arrivals = arrivalsOf(value);
                if (value === "open") {
                    settings.keepAlive = false;
                }
            } else {
                const owner = knob.path.length === 1 ? settings : settings[knob.path[0]];
                owner[knob.path.at(-1)] = value;
            }
            this.#admit(settings);
        } catch (error) {
            if (!(error instanceof RangeError)) {
                throw error;
            }
            input.setAttribute("aria-invalid", "true");
            this.#say(`${error.message} The run below still has ${words.toLowerCase()} as before.`);
            return;
        }
        input.removeAttribute("aria-invalid");
        this.pause();
        if (this.preset) {
            this.left = this.preset;
            this.preset = undefined;
            if (this.chooser) {
                this.chooser.value = "";
            }
            this.#buildQuestion();
        }
        this.settings = settings;
        this.#load();
        // Who has seen a run to its end wants to see what the knob did to it.
        this.now = this.revealed ? this.run.duration : 0;
        this.#buildKnobs();
        this.#show();
        this.#writeLink();
        if (this.revealed) {
            this.#tell(this.#summaryText());
        }
    }

    #writeLink() {
        const hash = this.preset ? `preset=${this.preset}` : toHash(this.settings);
        if (this.full) {
            history.replaceState(history.state, "", `#${hash}`);
        }
        this.#buildFoot();
    }

    #buildFoot() {
        const hash = this.preset ? `preset=${this.preset}` : toHash(this.settings);
        if (this.full) {
            this.foot.replaceChildren(
                h("a", { href: `#${hash}` }, "A link to these settings"),
                ": the address of this page holds them, so you can keep or send it.",
            );
        } else {
            this.foot.replaceChildren(
                h("a", { href: `lab.html#${hash}` }, "Open this in the lab"),
                ", with all the knobs.",
            );
        }
    }

    /** Simulates. */
    #load() {
        this.law = predict(check(this.settings));
        this.run = new Run(simulate(this.settings));
        this.#arrange();
        const { besideOfQuestion: beside } = this;
        this.beside = undefined;
        if (beside) {
            const settings = complete({
                ...this.settings,
                ...beside.settings,
                arrivals: { ...this.settings.arrivals, ...beside.settings.arrivals },
            });
            this.beside = {
                label: beside.label,
                settings,
                law: predict(check(settings)),
                run: new Run(simulate(settings)),
            };
        }
        const { duration } = this.run;
        this.scrubber.max = duration;
        const chosen = this.window.value;
        this.window.replaceChildren(
            h("option", { value: "all" }, "the whole run"),
            ...WINDOWS.filter((length) => length < duration)
                .reverse()
                .map((length) => h("option", { value: length }, timeText(length))),
        );
        this.window.value = [...this.window.options].some((option) => option.value === chosen) ? chosen : "all";
        if (this.durationOfSpeed !== duration) {
            this.durationOfSpeed = duration;
            const wish = duration / PLAYING_TIME;
            const [speed] = SPEEDS.reduce((best, one) =>
                Math.abs(Math.log(one[0] / wish)) < Math.abs(Math.log(best[0] / wish)) ? one : best,
            );
            this.speed.value = speed;
        }
        this.#buildLegend();
        this.#buildFoot();
    }

    /** Lays the timeline out for the room that the screen has, beside what belongs to it. */
    #arrange() {
        const slide = this.closest(".slide")?.querySelector(".body");
        const around = [this.said, this.scrubber, this.transport].reduce((sum, part) => sum + part.offsetHeight + 6, 0);
        const height = slide ? slide.clientHeight - 30 : window.innerHeight - MENU;
        const room = Math.max(LEAST_ROOM, Math.min(MOST_ROOM, height - around - 12));
        this.timeline.load(this.run, room, slide ? 15 : 12);
    }

    /** What plays is seen: the verdict's place, the timeline and the controls. */
    #bringIntoView() {
        const { top } = this.stage.getBoundingClientRect();
        const { bottom } = this.transport.getBoundingClientRect();
        const slide = this.closest(".slide")?.querySelector(".body");
        if (slide) {
            slide.scrollTop = 0;
        } else if (top < MENU || bottom > window.innerHeight) {
            window.scrollBy({ top: top - MENU, behavior: "instant" });
        }
    }

    // Playing

    #toggle() {
        if (this.playing) {
            this.pause();
            this.#tell(this.#stateText());
        } else {
            this.#play();
        }
    }

    #play() {
        this.started = true;
        this.stage.hidden = false;
        this.#judge();
        this.#transport();
        this.#arrange();
        this.#draw();
        this.#bringIntoView();
        if (this.calm.matches) {
            this.#finish();
            return;
        }
        if (this.now >= this.run.duration) {
            this.now = 0;
        }
        this.playing = true;
        this.#show();
        // Who plays a question without a mouse goes on with the button that stops it.
        if (this.question.contains(document.activeElement) || document.activeElement === document.body) {
            this.playButton.focus({ preventScroll: true });
        }
        let before = performance.now();
        const frame = (at) => {
            if (!this.playing) {
                return;
            }
            this.now += Math.max(0, at - before) * Number(this.speed.value);
            before = at;
            if (this.now >= this.run.duration) {
                this.#finish();
                return;
            }
            this.#draw();
            requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
    }

    /** Stops playing, where it is. */
    pause() {
        if (this.playing) {
            this.playing = false;
            this.#show();
        }
    }

    #seek(time) {
        this.playing = false;
        this.now = Math.max(0, Math.min(time, this.run.duration));
        if (this.now >= this.run.duration) {
            this.#finish();
            return;
        }
        this.#show();
        clearTimeout(this.telling);
        this.telling = setTimeout(() => this.#tell(this.#stateText()), 400);
    }

    #step(direction) {
        this.#seek(this.run.step(this.now, direction));
    }

    #scrubByKey(event) {
        const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[
            event.key
        ];
        if (direction !== undefined) {
            event.preventDefault();
            this.#seek(this.now + (direction * this.run.duration) / 100);
        }
    }

    #finish() {
        const first = !this.revealed;
        clearTimeout(this.telling);
        this.playing = false;
        this.stage.hidden = false;
        this.started = true;
        this.now = this.run.duration;
        this.revealed = true;
        if (first) {
            this.#buildKnobs();
        }
        this.#show();
        this.#tell(this.#summaryText());
    }

    // Showing

    #show() {
        // In a chapter the run takes room only when it is asked for.
        this.stage.hidden = !this.full && !this.started;
        this.results.hidden = !this.revealed;
        this.knobs.hidden = !this.full && !this.revealed;
        this.#judge();
        this.#transport();
        if (this.revealed) {
            this.#buildResults();
        }
        this.#draw();
    }

    /** What was guessed, and at the end whether it is right. */
    #judge() {
        const preset = this.preset && presets[this.preset];
        this.said.hidden = !preset || !this.started;
        if (!preset) {
            return;
        }
        const right = preset.answers.find((answer) => answer.right);
        const guess = preset.answers[this.guess];
        const verdict = guess
            ? guess.why
            : `The answer: ${right.text}. ${right.why.replace(/^Right: (.)/, (_, first) => first.toUpperCase())}`;
        const mark = guess === right ? "✓ " : guess ? "✗ " : "→ ";
        this.guessed.textContent = guess ? `Your guess: ${guess.text}` : "You play without a guess.";
        this.verdict.replaceChildren(h("span", { "aria-hidden": "true" }, mark), verdict);
        this.verdict.className = `lab-verdict ${guess === right ? "lab-right" : guess ? "lab-wrong" : ""}`;
        this.said.classList.toggle("lab-judged", this.revealed);
    }

    #transport() {
        const words = this.playing
            ? "Pause"
            : this.calm.matches
              ? "Show end"
              : this.now >= this.run.duration
                ? "Play again"
                : "Play";
        if (this.playButton.getAttribute("aria-label") !== words) {
            this.playButton.setAttribute("aria-label", words);
            this.playButton.title = words;
            this.playButton.replaceChildren(sign(SIGNS[this.playing ? "pause" : "play"]), h("span", {}, words));
        }
        this.speedLabel.hidden = this.calm.matches;
        // The run is the answer, so the question comes first.
        const asking = Boolean(this.preset) && !this.started;
        this.transport.hidden = asking;
        this.scrubber.hidden = asking;
        if (this.go?.isConnected) {
            this.go.parentElement.hidden = !asking;
            this.go.disabled = this.guess === undefined;
            this.skip.hidden = this.guess !== undefined;
            this.hint.hidden = this.guess !== undefined;
        }
        for (const label of this.preset ? this.answers : []) {
            label.firstChild.disabled = this.revealed;
        }
    }

    get #view() {
        const { duration } = this.run;
        if (this.window.value === "all") {
            return { from: 0, to: duration };
        }
        // Page by page, so that the picture stands still.
        const length = Number(this.window.value);
        const page = Math.min(Math.floor(this.now / length), Math.ceil(duration / length) - 1);
        return { from: page * length, to: (page + 1) * length };
    }

    #draw() {
        if (!this.run || this.stage.hidden) {
            return;
        }
        this.timeline.draw(this.#view, this.now);
        // The middle of the thumb, which is 20 pixels wide, lies under the time that it stands for.
        const { left, right } = this.timeline.edges ?? { left: 10, right: 10 };
        this.scrubber.style.marginInlineStart = `${left - 10}px`;
        this.scrubber.style.width = `${right - left + 20}px`;
        if (!this.playing || document.activeElement !== this.scrubber) {
            this.scrubber.value = this.now;
        }
        this.scrubber.setAttribute("aria-valuetext", timeText(this.now));
        this.clock.textContent = timeText(this.now);
        const state = this.run.at(this.now);
        const parts = [
            `${plural(state.answered, "answer")}`,
            `${number(state.queue, 0)} in the queue`,
            `${this.settings.model.startsWith("tasks") ? "workers" : "threads"}: ${this.#countsText(state.threads, "thread")}`,
        ];
        if (state.tasks) {
            parts.push(`tasks: ${this.#countsText(state.tasks, "task")}`);
        }
        this.state.replaceChildren(...parts.map((part) => h("span", {}, part)));
        if (this.playing) {
            return;
        }
        this.canvas.setAttribute("aria-label", `Timeline of the run. ${this.#stateText()}`);
        if (this.revealed && this.histogram) {
            this.#drawHistogram();
        }
    }

    #countsText(counts, of) {
        return (
            STATES.filter((state) => counts[state] > 0)
                .map((state) => `${number(counts[state], 0)} ${WORDS[state]?.[of] ?? state}`)
                .join(", ") || "none"
        );
    }

    #stateText() {
        const state = this.run.at(this.now);
        const word = this.settings.model.startsWith("tasks") ? "worker" : "thread";
        const busy = state.busy.filter((span) => span !== null).length;
        const cpus =
            state.busy.length <= 4
                ? state.busy
                      .map((span, index) => `CPU ${index + 1} ${span ? `runs ${word} ${span.thread + 1}` : "is idle"}`)
                      .join(", ")
                : `${busy} of ${state.busy.length} CPUs are busy`;
        const tasks = state.tasks ? ` Tasks: ${this.#countsText(state.tasks, "task")}.` : "";
        return (
            `At ${timeText(this.now)}: ${plural(state.answered, "request is", "requests are")} answered, ` +
            `${plural(state.queue, "waits", "wait")} in the queue. ${cpus}. ${word[0].toUpperCase()}${word.slice(1)}s: ${this.#countsText(state.threads, "thread")}.${tasks}`
        );
    }

    /** How the run compares with what the law says of requests a second. */
    #comparison() {
        const { summary } = this.run.result;
        const law = this.law.throughput;
        const off = law > 0 ? (summary.throughput - law) / law : 0;
        const given = `The law says ${number(law)} answers a second; this run gave ${number(summary.throughput)}`;
        if (Math.abs(off) < 0.005) {
            return `${given}.`;
        }
        const percent = `${number(Math.abs(off) * 100)} % ${off < 0 ? "fewer" : "more"}`;
        const reason =
            off < 0
                ? "A limit is what can't be passed, and the start of a run, chance and threads that get in each other's way all stay below it."
                : "A short run with chance in it may lie on either side; a longer one comes closer.";
        return `${given}, ${percent}. ${reason}`;
    }

    #summaryText() {
        const { summary } = this.run.result;
        const verdict =
            this.preset && this.guess !== undefined ? `${presets[this.preset].answers[this.guess].why} ` : "";
        return (
            `The run is over. ${verdict}${this.#comparison()} ` +
            `Half of the answers came within ${timeText(summary.latency.p50)}, 99 of 100 within ${timeText(summary.latency.p99)}. ` +
            `The longest queue was ${number(this.run.longestQueue, 0)}. A table has all figures.`
        );
    }

    #buildResults() {
        const { result } = this.run;
        const parts = [];
        if (this.preset) {
            const { answers, reveal } = presets[this.preset];
            parts.push(h("p", {}, reveal));
            this.answers.forEach((label, index) => label.classList.toggle("lab-right", Boolean(answers[index].right)));
        }
        parts.push(
            h("p", { class: "lab-heading" }, "What the law says"),
            h("ul", { class: "lab-law" }, ...this.law.sentences.map((sentence) => h("li", {}, sentence))),
            h("p", {}, this.#comparison()),
            this.#table(),
        );
        const latencies = this.#latencies();
        if (latencies.length > 0) {
            this.histogram = h("canvas", { class: "lab-histogram", role: "img" });
            parts.push(h("p", { class: "lab-heading" }, "How long the answered requests took"), this.histogram);
        } else {
            this.histogram = undefined;
        }
        const open = result.requests.filter(
            (request) => request.finished === null || request.finished === undefined,
        ).length;
        if (open > 0) {
            const oldest = result.requests.reduce(
                (oldest, request) =>
                    request.finished === null || request.finished === undefined
                        ? Math.min(oldest, request.due)
                        : oldest,
                this.run.duration,
            );
            parts.push(
                h(
                    "p",
                    {},
                    `At the end ${plural(open, "request has", "requests have")} no answer yet, and ${open === 1 ? "is" : "are"} in no figure of latency; the oldest has waited for ${timeText(this.run.duration - oldest)}.`,
                ),
            );
        }
        this.results.replaceChildren(...parts);
        if (this.histogram) {
            this.#drawHistogram();
        }
        const box = this.results.querySelector(".lab-table");
        if (box.scrollWidth > box.clientWidth) {
            box.tabIndex = 0;
        }
    }

    #latencies() {
        const { settings, result } = this.run;
        return result.requests
            .filter(
                (request) =>
                    request.finished !== null && request.finished !== undefined && request.finished > settings.warmup,
            )
            .map((request) => request.finished - request.due);
    }

    #drawHistogram() {
        const { latency } = this.run.result.summary;
        const marks = [
            ["p50", latency.p50],
            ["p90", latency.p90],
            ["p99", latency.p99],
        ];
        drawHistogram(this.histogram, this.#latencies(), marks);
        this.histogram.setAttribute(
            "aria-label",
            `Histogram of the latencies. ${marks.map(([name, value]) => `${name} ${timeText(value)}`).join(", ")}, most ${timeText(latency.max)}.`,
        );
    }

    #table() {
        const ms = (value) =>
            value === null || value === undefined || !Number.isFinite(value) ? "–" : timeText(value);
        const rows = [
            ["answers a second", (law) => number(law.throughput), (summary) => number(summary.throughput)],
            [
                "latency, mean",
                (law) => (law.latency === null ? "grows" : ms(law.latency)),
                (summary) => ms(summary.latency.mean),
            ],
            ["p50: half take at most", null, (summary) => ms(summary.latency.p50)],
            ["p90: nine of ten", null, (summary) => ms(summary.latency.p90)],
            ["p99: 99 of 100", null, (summary) => ms(summary.latency.p99)],
            ["the slowest", null, (summary) => ms(summary.latency.max)],
            ["wait before it begins, mean", null, (summary) => ms(summary.waitingMean)],
            ["longest queue", null, (_, run) => number(run.longestQueue, 0)],
            ["CPUs busy", null, (summary) => `${number(summary.cpuBusy * 100)} %`],
            ["most threads at a time", null, (summary) => number(summary.threadsMax, 0)],
            ["switches of threads", null, (summary) => number(summary.switches, 0)],
            ["of these, preempted", null, (summary) => number(summary.preemptions, 0)],
        ];
        const { beside } = this;
        const cell = (text) => h("td", {}, text);
        return h(
            "div",
            { class: "table-wrapper lab-table" },
            h(
                "table",
                {},
                h("caption", {}, "The law and this run"),
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        h("th", { scope: "col" }, "Figure"),
                        h("th", { scope: "col" }, "Law"),
                        h("th", { scope: "col" }, "This run"),
                        beside ? h("th", { scope: "col" }, beside.label) : null,
                    ),
                ),
                h(
                    "tbody",
                    {},
                    ...rows.map(([name, law, run]) =>
                        h(
                            "tr",
                            {},
                            h("th", { scope: "row" }, name),
                            cell(law ? law(this.law) : ""),
                            cell(run(this.run.result.summary, this.run)),
                            beside ? cell(run(beside.run.result.summary, beside.run)) : null,
                        ),
                    ),
                ),
            ),
        );
    }

    // Words

    #say(words) {
        this.message.textContent = words;
        this.message.hidden = false;
    }

    #hush() {
        this.message.hidden = true;
        this.message.textContent = "";
        this.querySelectorAll("[aria-invalid]").forEach((input) => input.removeAttribute("aria-invalid"));
    }

    #tell(words) {
        this.live.textContent = words;
    }
}

// All pages in one, for the printer, show what is written for paper.
if (!/\/print(\.html)?$/.test(location.pathname)) {
    const style = h("link", { rel: "stylesheet", href: new URL("lab.css", import.meta.url).href });
    const define = () => customElements.define("scheduler-lab", SchedulerLab);
    style.addEventListener("load", define);
    style.addEventListener("error", define);
    document.head.append(style);
}
