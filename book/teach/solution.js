// An exercise's solution beside its wrong versions, for a class that is asked which check catches each. The texts are
// teach/solutions.js, which the build writes from the exercises and from what their tests have found; it comes when this is
// opened for the first time.

/**
 * Those lines of a text that another one does not have, in their order (the longest common subsequence).
 * @param {string[]} lines
 * @param {string[]} others
 * @returns {Set<number>}
 */
function linesOfItsOwn(lines, others) {
    const length = lines.map(() => others.map(() => 0));
    const at = (/** @type {number} */ line, /** @type {number} */ other) => length[line]?.[other] ?? 0;
    for (let line = lines.length - 1; line >= 0; line -= 1) {
        for (let other = others.length - 1; other >= 0; other -= 1) {
            const isSame = lines[line] === others[other];
            const without = Math.max(at(line + 1, other), at(line, other + 1));
            length[line][other] = isSame ? at(line + 1, other + 1) + 1 : without;
        }
    }
    const own = new Set(lines.keys());
    let line = 0;
    let other = 0;
    while (line < lines.length && other < others.length) {
        if (lines[line] === others[other]) {
            own.delete(line);
            line += 1;
            other += 1;
        } else if (at(line + 1, other) >= at(line, other + 1)) {
            line += 1;
        } else {
            other += 1;
        }
    }
    return own;
}

/** The dialog with an exercise's texts. */
class TaughtSolution {
    #src;
    #select = make("select", { "aria-label": "Exercise", change: () => this.#take(this.#select.value) });
    #place = make("span", { role: "status" });
    #solution = make("div", { class: "code" });
    #wrong = make("div", { class: "code" });
    #checks = make("ul");
    #answer = make("p", { class: "answer", role: "status" });
    #button = make("button", { type: "button", click: () => this.#tell() }, "Answer ", make("kbd", {}, "A"));
    #dialog = make(
        "dialog",
        { class: "teach-solution", "aria-label": "A solution and its wrong versions" },
        make(
            "header",
            {},
            this.#select,
            make("button", { type: "button", title: "The wrong version before", click: () => this.#turn(-1) }, "←"),
            this.#place,
            make("button", { type: "button", title: "The next wrong version", click: () => this.#turn(1) }, "→"),
            make("button", { type: "button", title: "Back to the page", click: () => this.#dialog.close() }, "Esc"),
        ),
        this.#solution,
        this.#wrong,
        make(
            "footer",
            {},
            make("h3", {}, "Which check catches this one?"),
            this.#checks,
            make("div", { class: "asked" }, this.#button, this.#answer),
        ),
    );
    #current = 0;
    /** @type {ExerciseTexts[]} */
    #exercises = [];

    /** @param {string} folder that of the data */
    constructor(folder) {
        this.#src = new URL("solutions.js", folder).href;
        this.#dialog.addEventListener("keydown", (event) => this.#onKey(event));
    }

    get isOpen() {
        return this.#dialog.open;
    }

    get #exercise() {
        return this.#exercises.find(({ name }) => name === this.#select.value);
    }

    /**
     * Opens, or closes.
     * @param {string | undefined} name of the exercise, where the class is at one
     */
    async toggle(name) {
        if (this.isOpen) {
            this.#dialog.close();
            return;
        }
        await this.#load();
        // Asked for twice while it was loading.
        if (this.#dialog.open) {
            return;
        }
        const chosen = this.#exercises.find((exercise) => exercise.name === name) ?? this.#exercise;
        document.body.append(this.#dialog);
        this.#dialog.showModal();
        this.#take((chosen ?? this.#exercises[0])?.name ?? "");
        this.#dialog.focus();
    }

    /** @returns {Promise<void>} */
    #load() {
        const fill = () => {
            this.#exercises = window.SOLUTIONS ?? [];
            this.#select.replaceChildren(
                ...this.#exercises.map(({ name, title }) => make("option", { value: name }, title)),
            );
        };
        return new Promise((done) => {
            if (this.#exercises.length > 0) {
                done();
                return;
            }
            const load = () => {
                fill();
                done();
            };
            document.head.append(make("script", { src: this.#src, load, error: load }));
        });
    }

    /** @param {string} name */
    #take(name) {
        this.#select.value = name;
        this.#current = 0;
        this.#show();
    }

    /**
     * Another wrong version, if there is one.
     * @param {1 | -1} direction
     */
    #turn(direction) {
        if (this.#exercise?.wrong[this.#current + direction]) {
            this.#current += direction;
            this.#show();
        }
    }

    #show() {
        const exercise = this.#exercise;
        const wrong = exercise?.wrong[this.#current];
        if (!exercise || !wrong) {
            this.#place.textContent = "This book was built without its exercises.";
            return;
        }
        this.#place.textContent = `${this.#current + 1} of ${exercise.wrong.length}`;
        const [right, other] = [exercise.solution, wrong.code].map((text) => text.trimEnd().split("\n"));
        this.#write(this.#solution, "A solution", right, linesOfItsOwn(right, other));
        this.#write(this.#wrong, `Wrong: ${wrong.title}`, other, linesOfItsOwn(other, right));
        this.#checks.replaceChildren(...exercise.checks.map((check) => make("li", {}, make("code", {}, check))));
        this.#answer.replaceChildren();
        this.#button.disabled = false;
    }

    /**
     * Writes one of the two texts, and shows the first line in which they differ.
     * @param {HTMLElement} column
     * @param {string} title
     * @param {string[]} lines
     * @param {Set<number>} marked
     */
    #write(column, title, lines, marked) {
        const code = make("code", { class: "hljs language-rust" });
        for (const [index, line] of lines.entries()) {
            const row = make(marked.has(index) ? "mark" : "span", { class: "line" });
            // A line by itself: marks and colours would cut each other elsewhere.
            row.innerHTML = `${hljs.highlight("rust", line, true).value}\n`;
            code.append(row);
        }
        const pre = make("pre", { tabindex: 0, role: "group", "aria-label": title }, code);
        pre.translate = false;
        column.replaceChildren(make("h2", {}, title), pre);
        const first = code.querySelector("mark");
        if (first instanceof HTMLElement) {
            pre.scrollTop = first.offsetTop - pre.offsetTop - pre.clientHeight / 3;
        }
    }

    /** Who catches it, and in which words, as the exercises' tests have seen it. */
    #tell() {
        const wrong = this.#exercise?.wrong[this.#current];
        if (!wrong) {
            return;
        }
        // The keys stay here.
        if (document.activeElement === this.#button) {
            this.#dialog.focus();
        }
        this.#button.disabled = true;
        for (const check of all(this.#checks, "code")) {
            check.classList.toggle("catches", check.textContent === wrong.caught);
        }
        const name = make("code", {}, wrong.caught);
        this.#answer.replaceChildren("Caught by ", name, `, which says: “… ${wrong.says} …”`);
    }

    /** @type {Record<string, () => void>} */
    keys = {
        // A presenter's remote control has these two keys only: the answer comes before the next.
        PageDown: () => (this.#button.disabled ? this.#turn(1) : this.#tell()),
        PageUp: () => this.#turn(-1),
        ArrowRight: () => this.#turn(1),
        ArrowLeft: () => this.#turn(-1),
        a: () => this.#tell(),
        w: () => this.#dialog.close(),
    };

    /** @param {KeyboardEvent} event */
    #onKey(event) {
        // The page below would go on, and mdBook search. The dialog closes at Escape by itself.
        event.stopPropagation();
        const act = this.keys[event.key] ?? this.keys[letterOf(event)];
        const taken = targetOf(event).matches("select") && !event.key.startsWith("Page");
        if (act && !taken && !event.ctrlKey && !event.altKey && !event.metaKey) {
            event.preventDefault();
            act();
        }
    }
}
