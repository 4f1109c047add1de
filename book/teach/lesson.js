// A lesson that is walked through part by part, over many pages. The plan is teach/lessons.js, which the build writes from
// book/lessons.toml; where one is in it stands in the address, so that a reload and a page from a file know it.

/** A day of a lesson, and the part of it that is on the wall. */
class LessonWalk {
    #lesson;
    #day;
    /** Whether the task of an exercise is read, and not its screen. */
    #isTask;

    /**
     * @param {Lesson} lesson
     * @param {number} day from 1
     * @param {number} index the part's place in the day; behind the last one, the end
     * @param {boolean} isTask
     */
    constructor(lesson, day, index, isTask) {
        this.#lesson = lesson;
        this.#day = day;
        this.index = index;
        this.#isTask = isTask;
    }

    /**
     * The lesson that the address names, at the part that it names; without one, at the part to whose beginning it leads,
     * or at the first.
     * @returns {LessonWalk | { error: string } | undefined} nothing where the address names no lesson
     */
    static of({ search, hash, pathname } = location) {
        const asked = new URLSearchParams(search);
        const name = asked.get("lesson");
        if (name === null) {
            return undefined;
        }
        const lessons = window.LESSONS ?? [];
        const lesson = lessons.find((one) => one.name === name);
        if (!lesson) {
            return { error: `There is no lesson “${name}”, but: ${lessons.map((one) => one.name).join(", ")}.` };
        }
        const days = lesson.days.map(({ parts }) => parts);
        const wantedDay = asked.get("day");
        if (wantedDay !== null && !days[Number(wantedDay) - 1]) {
            return { error: `“${lesson.title}” has no day ${wantedDay}, but ${days.length}.` };
        }
        const page = pageOf(pathname);
        const places = days
            .flatMap((parts, day) => parts.map((part, index) => ({ part, day: day + 1, index })))
            .filter(({ day }) => wantedDay === null || day === Number(wantedDay));
        const id = namedBy(hash)?.id;
        const here = places.find(({ part }) => part.page === page && part.id === id);
        const { day, index } = here ?? places[0];
        const wanted = Number(asked.get("part") ?? index);
        const isPart = Number.isInteger(wanted) && wanted >= 0 && wanted <= days[day - 1].length;
        return new LessonWalk(lesson, day, isPart ? wanted : index, asked.has("task"));
    }

    get #parts() {
        return this.#lesson.days[this.#day - 1].parts;
    }

    /** The part that is on the wall; nothing at the end. @returns {LessonPart | undefined} */
    get part() {
        return this.#parts[this.index];
    }

    get where() {
        return this.part ? `Part ${this.index + 1} of ${this.#parts.length}` : "The end";
    }

    /** The title of the part after this one. */
    get nextTitle() {
        return this.#parts[this.index + 1]?.title ?? "";
    }

    /** Where this is, for the second window. @returns {LessonPlace} */
    get place() {
        return { name: this.#lesson.name, day: this.#day, index: this.index };
    }

    /** What the address says of it. */
    get query() {
        const day = this.#lesson.days.length > 1 ? `&day=${this.#day}` : "";
        return `&lesson=${this.#lesson.name}${day}&part=${this.index}${this.#isTask ? "&task" : ""}`;
    }

    /**
     * Goes to another part, if there is one, or to the end.
     * @param {number} index
     */
    go(index) {
        const isThere = index >= 0 && index <= this.#parts.length;
        if (isThere) {
            this.index = index;
            this.#isTask = false;
        }
        return isThere;
    }

    /** Whether the part is shown on a plain screen: a break, an exercise and what follows it, the end. */
    get isBare() {
        const kinds = this.#isTask ? [] : ["exercise", "together", "pause", "slack"];
        return !this.part?.page || kinds.includes(this.part.kind);
    }

    /**
     * Those sections of this page that belong to the part: from its heading to the last one that the lesson names; else to
     * the next one of that level, or to where another part begins. A question has its section alone.
     * @param {Element[][]} sections
     * @param {(hash: string) => number} sectionOf
     */
    span(sections, sectionOf) {
        const begins = this.part?.id ? Math.max(0, sectionOf(`#${this.part.id}`)) : 0;
        const through = this.part?.through ? sectionOf(`#${this.part.through}`) : -1;
        if (through >= begins) {
            return { first: begins, last: through };
        }
        if (this.part?.kind === "prediction") {
            return { first: begins, last: begins };
        }
        const named = this.part?.id ? namedBy(`#${this.part.id}`) : null;
        const level = (named?.matches("h1, h2, h3") ? named : sections[begins][0]).tagName;
        const others = this.#parts.filter(({ page, id }) => page === this.part?.page && id !== null);
        const starts = others.map(({ id }) => sectionOf(`#${id}`)).filter((start) => start > begins);
        const next = sections.findIndex(
            ([heading], index) => index > begins && (heading.tagName <= level || level === "H1"),
        );
        const end = Math.min(...starts, next < 0 ? sections.length : next);
        return { first: begins, last: end - 1 };
    }

    /** When the slot ends by the plan. */
    get until() {
        const { part } = this;
        return part ? clockText(minutesOf(part.starts) + part.minutes) : "";
    }

    /**
     * What a class needs for an exercise: its command, and the way to its task.
     * @param {LessonPart} part
     */
    #taskOf({ exercise, page, id }) {
        const command = make("pre", {}, make("code", {}, `cargo xtask learn start ${exercise}`));
        const address = `${page}.html?teach${this.query}&task${id ? `#${id}` : ""}`;
        return [command, make("p", {}, make("a", { href: address }, "The task"))];
    }

    /** The screen of a part that is on no page. */
    screen() {
        const { part } = this;
        if (!part) {
            const isLast = this.#day === this.#lesson.days.length;
            const words = isLast ? `The end of “${this.#lesson.title}”` : `The end of day ${this.#day}`;
            return make("section", { class: "teach-screen" }, make("h1", {}, words));
        }
        return make(
            "section",
            { class: "teach-screen" },
            make("h1", {}, part.title),
            make("p", {}, "until ", make("strong", { class: "until" }, this.until)),
            ...(part.kind === "exercise" ? this.#taskOf(part) : []),
        );
    }
}
