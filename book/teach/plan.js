// The second window of a lesson: the lines of the part that is on the wall, the end of its slot, how late one is, and what
// each part took. What is known of the time is kept here, because the first window goes from page to page, and pages from
// files share nothing.

/**
 * @typedef {object} LessonHeld what outlasts a reload
 * @property {number | null} began when the class began, in milliseconds since 1970
 * @property {Record<number, number>} took for how long each part was on the wall before, in milliseconds
 * @property {number} index the part that is on the wall
 * @property {number} since from when on, in milliseconds since 1970
 */

/**
 * Whether a value has this form: what was stored may be of another version of the book.
 * @param {unknown} value
 * @returns {value is LessonHeld}
 */
function isHeld(value) {
    if (typeof value !== "object" || value === null) {
        return false;
    }
    const { began, took, index, since } = /** @type {Record<string, unknown>} */ (value);
    const isTimed = typeof took === "object" && took !== null && Object.values(took).every(Number.isFinite);
    const hasBegun = began === null || Number.isFinite(began);
    return isTimed && hasBegun && Number.isInteger(index) && Number.isFinite(since);
}

/**
 * Writes a text that is another one now: what somebody marks must stay.
 * @param {Element} element
 * @param {string} text
 */
function writeNew(element, text) {
    if (element.textContent !== text) {
        element.textContent = text;
    }
}

/** A day of a lesson as it was held. */
class LessonPlan {
    #lesson;
    #day;
    /** @type {LessonHeld} */
    #held = { began: null, took: {}, index: 0, since: 0 };
    /** The part whose lines are written. @type {number | undefined} */
    #written;
    #slot = make("span", { class: "slot" });
    #lines = make("dl");
    #rows = make("tbody");
    #sum = make("td");
    #begin = make("button", { type: "button", click: () => this.#start() }, "Begin now");
    #table = make(
        "table",
        {},
        make("caption", {}, "What each part takes, in minutes"),
        make(
            "thead",
            {},
            make("tr", {}, ...["starts", "part", "plan", "took"].map((name) => make("th", { scope: "col" }, name))),
        ),
        this.#rows,
        make("tfoot", {}, make("tr", {}, make("td"), make("th", { scope: "row" }, "all"), make("td"), this.#sum)),
    );
    /** The line with the clock. */
    line = make("p", { class: "teach-slot" }, this.#slot, this.#begin);
    sheet = make(
        "section",
        { class: "teach-plan", "aria-label": "The lesson" },
        this.#lines,
        make("div", { class: "table-wrapper" }, this.#table),
        make("button", { type: "button", click: () => this.#copy() }, "Copy the table"),
    );
    #goTo;

    /**
     * @param {LessonPlace} place
     * @param {(index: number) => void} goTo leads the first window to another part
     */
    constructor({ name, day }, goTo) {
        const lesson = window.LESSONS?.find((one) => one.name === name);
        if (!lesson) {
            throw new Error(`there is no lesson ${name}`);
        }
        this.#lesson = lesson;
        this.#day = day;
        this.#goTo = goTo;
        try {
            const stored = JSON.parse(sessionStorage.getItem(this.#key) ?? "null");
            if (isHeld(stored)) {
                this.#held = stored;
            }
        } catch {}
        this.#rows.append(...this.#parts.map((part, index) => this.#rowOf(part, index)));
    }

    get #key() {
        return `lesson:${this.#lesson.name}:${this.#day}`;
    }

    get #parts() {
        return this.#lesson.days[this.#day - 1].parts;
    }

    /** @param {LessonPlace} place */
    isOf({ name, day }) {
        return name === this.#lesson.name && day === this.#day;
    }

    /** @param {number} index */
    title(index) {
        return this.#parts[index]?.title ?? "The end";
    }

    #save() {
        try {
            sessionStorage.setItem(this.#key, JSON.stringify(this.#held));
        } catch {}
    }

    /** The class begins with the part that is on the wall. What was shown before, while it came in, took none of its time. */
    #start() {
        const now = Date.now();
        const { starts } = this.#parts[this.#held.index] ?? this.#parts[0];
        const before = minutesOf(starts) - minutesOf(this.#lesson.days[this.#day - 1].start);
        Object.assign(this.#held, { began: now - before * 60_000, took: {}, since: now });
        this.#save();
        this.tick();
    }

    /**
     * Another part is on the wall, or still this one.
     * @param {number} index behind the last part, the end
     */
    take(index) {
        if (index !== this.#held.index) {
            this.#count();
            this.#held.index = index;
            this.#save();
        }
        this.tick();
        // It is told every second, and what somebody marks or presses must stay.
        if (index !== this.#written) {
            this.#written = index;
            this.#write(index);
        }
    }

    /**
     * Writes the lines of a part, and marks it in the plan.
     * @param {number} index
     */
    #write(index) {
        const part = this.#parts[index];
        const lines = part ? part.lines : { type: [], ask: "", answers: "", class: "" };
        /** @type {[string, string][]} */
        const named = [
            ...lines.type.map((line) => /** @type {[string, string]} */ (["Do", line])),
            ["Ask", lines.ask],
            ["Answers", lines.answers],
            ["The class", lines.class],
        ];
        window.scrollTo({ top: 0, behavior: "instant" });
        this.#lines.replaceChildren(
            ...named.flatMap(([name, html], place) => {
                const text = make("dd");
                text.innerHTML = html;
                const isSame = named[place - 1]?.[0] === name;
                return html === "" ? [] : [...(isSame ? [] : [make("dt", {}, name)]), text];
            }),
        );
        for (const [place, row] of all(this.#rows, "tr").entries()) {
            if (place === index) {
                row.setAttribute("aria-current", "step");
            } else {
                row.removeAttribute("aria-current");
            }
        }
    }

    /** Adds the time that the part was on the wall. */
    #count() {
        const { began, index, since, took } = this.#held;
        const now = Date.now();
        if (began !== null && this.#parts[index]) {
            took[index] = (took[index] ?? 0) + now - since;
        }
        this.#held.since = now;
    }

    /** How long a part was on the wall until now, in milliseconds. @param {number} index */
    #timeOf(index) {
        const { began, since, took } = this.#held;
        const isNow = began !== null && index === this.#held.index;
        return (took[index] ?? 0) + (isNow ? Date.now() - since : 0);
    }

    /** When the part's slot ends: by the time at which the class began or, before that, by the plan. */
    get #ends() {
        const { index, began } = this.#held;
        const part = this.#parts[index];
        const { start } = this.#lesson.days[this.#day - 1];
        if (!part) {
            return undefined;
        }
        const minute = minutesOf(part.starts) + part.minutes;
        return began === null
            ? { clock: clockText(minute), left: undefined }
            : this.#endsAt(began + (minute - minutesOf(start)) * 60_000);
    }

    /** @param {number} time */
    #endsAt(time) {
        const at = new Date(time);
        return { clock: clockText(at.getHours() * 60 + at.getMinutes()), left: time - Date.now() };
    }

    /** The end of the slot, for the screen of a break. */
    get until() {
        return this.#ends?.clock;
    }

    /** Writes what time has changed. */
    tick() {
        const ends = this.#ends;
        const isLate = ends?.left !== undefined && ends.left < 0;
        const left = ends?.left === undefined ? "" : ` · ${leftText(ends.left)}`;
        const text = ends ? `until ${ends.clock}${left}` : "";
        writeNew(this.#slot, text);
        this.#slot.classList.toggle("late", isLate);
        this.#begin.hidden = this.#held.began !== null;
        let sum = 0;
        for (const [index, row] of all(this.#rows, "tr").entries()) {
            const time = this.#timeOf(index);
            sum += time;
            writeNew(need(row, "td:last-child"), time > 0 ? String(Math.round(time / 60_000)) : "");
        }
        writeNew(this.#sum, String(Math.round(sum / 60_000)));
        const planned = this.#parts.reduce((all, { minutes }) => all + minutes, 0);
        writeNew(need(this.#table, "tfoot td:nth-child(3)"), String(planned));
    }

    /**
     * @param {LessonPart} part
     * @param {number} index
     */
    #rowOf({ starts, title, minutes }, index) {
        const button = make("button", { type: "button", click: () => this.#goTo(index) }, title);
        return make(
            "tr",
            {},
            make("td", {}, starts),
            make("th", { scope: "row" }, button),
            make("td", {}, String(minutes)),
            make("td"),
        );
    }

    /** The browser copies a table so that a text and a sheet both take it. */
    #copy() {
        const selection = getSelection();
        selection?.selectAllChildren(this.#table);
        document.execCommand("copy");
    }
}

/**
 * How much time is left, in words.
 * @param {number} left milliseconds; less than none, if one is late
 */
function leftText(left) {
    const minutes = left >= 0 ? Math.ceil(left / 60_000) : Math.floor(-left / 60_000);
    if (minutes === 0) {
        return "time is up";
    }
    return `${minutes} ${minutes === 1 ? "minute" : "minutes"} ${left >= 0 ? "left" : "late"}`;
}
