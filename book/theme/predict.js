// The reader's predictions: checks them, and keeps them in this browser. Nothing is sent anywhere.
// Without this script, and on paper, a question has its answers as a numbered list, and the right one folded.
{
    const PREFIX = "prediction:";
    // In all pages at once, print.js moves the answers away.
    const isOnPaper = document.documentElement.classList.contains("all-in-one");
    const groups = isOnPaper ? [] : all(document, "main .predict");
    const forgetAll = document.querySelector("main .forget-predictions");

    // A browser may refuse to store anything; then answers last as long as the page.
    /** @type {Map<string, string>} */
    const memory = new Map();

    /**
     * What the storage answers; nothing if it refuses.
     * @template Value
     * @param {(storage: Storage) => Value} ask
     * @returns {Value | undefined}
     */
    const stored = (ask) => {
        try {
            return ask(localStorage);
        } catch {
            return undefined;
        }
    };

    const store = {
        /** @param {string} key */
        get: (key) => stored((storage) => storage.getItem(PREFIX + key)) ?? memory.get(key) ?? null,
        /**
         * @param {string} key
         * @param {string} value
         */
        set(key, value) {
            memory.set(key, value);
            stored((storage) => storage.setItem(PREFIX + key, value));
        },
        /** @param {string} key */
        remove(key) {
            memory.delete(key);
            stored((storage) => storage.removeItem(PREFIX + key));
        },
        /** The keys of all pages. */
        keys() {
            const names = stored((storage) =>
                [...Array(storage.length).keys()].map((index) => storage.key(index) ?? ""),
            );
            const own = (names ?? [])
                .filter((name) => name.startsWith(PREFIX))
                .map((name) => name.slice(PREFIX.length));
            return [...new Set([...memory.keys(), ...own])];
        },
    };

    /**
     * `1,234.5`, `1234.5` and `1.2e3` as a number; NaN for anything else.
     * @param {string} text
     */
    const parse = (text) => {
        const plain = text.trim().replace(/,(?=\d{3}(\D|$))/g, "");
        return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
    };

    /** One question: a choice of answers, or a number to estimate. */
    class Question {
        #fieldset;
        /** How near an estimate was. */
        #outcome = make("p", { class: "outcome", hidden: true });

        /** @param {HTMLElement} fieldset */
        constructor(fieldset) {
            this.#fieldset = fieldset;
            this.key = fieldset.dataset.prediction ?? "";
            this.inputs = this.#choice ? this.#makeChoices() : [this.#makeField()];
        }

        /** The answers of the list, each with a button to choose it. */
        #makeChoices() {
            return all(this.#fieldset, "ol > li").map((item, index) => {
                const input = make("input", { type: "radio", name: this.key, value: index + 1 });
                const answer = make("span", {}, ...item.childNodes);
                item.replaceChildren(make("label", { class: "choice" }, input, answer));
                return input;
            });
        }

        /** A place for a number. */
        #makeField() {
            const input = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: 8 });
            const label = make("label", {}, "Your estimate: ", input, ` ${this.#fieldset.dataset.unit}`);
            this.#fieldset.append(make("p", { class: "estimate" }, label), this.#outcome);
            return input;
        }

        /** The right one of the answers; nothing where a number is asked for. */
        get #choice() {
            return this.#fieldset.dataset.choice;
        }

        get #given() {
            const chosen = this.#choice ? this.inputs.find((input) => input.checked) : this.inputs[0];
            return chosen?.value.trim() ?? "";
        }

        get answered() {
            return store.get(this.key) !== null;
        }

        get right() {
            const answer = store.get(this.key) ?? "";
            const choice = this.#choice;
            const [number, tolerance] = [
                Number(this.#fieldset.dataset.number),
                Number(this.#fieldset.dataset.tolerance),
            ];
            return choice ? answer === choice : Math.abs(parse(answer) - number) <= tolerance * number + 1e-9;
        }

        /** What is missing before it can be checked, or nothing. */
        get complaint() {
            if (this.#given === "") {
                return this.#choice ? "Choose an answer first." : "Give an estimate first.";
            }
            return !this.#choice && Number.isNaN(parse(this.#given))
                ? `“${this.#given}” isn't a number: write digits, as in 1,500 or 0.25.`
                : "";
        }

        keep() {
            store.set(this.key, this.#given);
        }

        forget() {
            store.remove(this.key);
            for (const input of this.inputs) {
                input.checked = false;
                if (!this.#choice) {
                    input.value = "";
                }
            }
        }

        /** Shows what is stored. */
        show() {
            const answer = store.get(this.key);
            for (const input of this.inputs) {
                input.disabled = answer !== null;
                if (this.#choice) {
                    this.#mark(input, answer);
                } else if (answer !== null) {
                    input.value = answer;
                    this.#compare();
                }
            }
            this.#outcome.hidden = answer === null;
        }

        /**
         * @param {HTMLInputElement} input one of the answers to choose from
         * @param {string | null} answer what is stored
         */
        #mark(input, answer) {
            const isRight = input.value === this.#choice;
            const isGiven = input.value === answer;
            if (answer !== null) {
                input.checked = isGiven;
            }
            input.parentElement?.classList.toggle("is-right", answer !== null && isRight);
            input.parentElement?.classList.toggle("is-wrong", isGiven && !isRight);
        }

        /** Says how near the estimate was. */
        #compare() {
            const { shown, unit, tolerance } = this.#fieldset.dataset;
            const near = `anything within ${Math.round(Number(tolerance) * 100)}% of it counts`;
            this.#outcome.textContent = `${this.right ? "✓" : "✗"} It is ${shown} ${unit}; ${near}.`;
        }
    }

    /** @type {Question[]} */
    const questions = [];
    /** @type {(() => void)[]} */
    const refreshers = [];
    const refresh = () => {
        for (const show of refreshers) {
            show();
        }
    };

    /** Questions that are checked together, and the box with their answer. */
    class Group {
        #element;
        #questions;
        #box;
        #button = make("button", { type: "button", click: () => this.#press() });
        #said = make("p", { role: "status" });

        /** @param {HTMLElement} element */
        constructor(element) {
            this.#questions = all(element, "fieldset[data-prediction]").map((fieldset) => new Question(fieldset));
            questions.push(...this.#questions);
            this.#element = element;
            this.#box = need(element, "details", HTMLDetailsElement);
            this.#box.before(make("div", { class: "play" }, this.#button, this.#said));
            element.addEventListener("keydown", (event) => {
                if (event.key === "Enter" && targetOf(event).tagName === "INPUT") {
                    event.preventDefault();
                    this.#check();
                }
            });
            refreshers.push(() => this.#refresh());
            this.#refresh();
            if (this.#done) {
                this.#box.open = true;
                this.#judge("");
            }
        }

        get #done() {
            return this.#questions.every(({ answered }) => answered);
        }

        get #result() {
            const right = this.#questions.filter((each) => each.right).length;
            if (this.#questions.length > 1) {
                return `${right} of ${this.#questions.length} right.`;
            }
            return right === 1 ? "Right." : "Not right.";
        }

        #refresh() {
            for (const question of this.#questions) {
                question.show();
            }
            this.#button.textContent = this.#done ? "Answer again" : "Check";
            this.#element.classList.toggle("is-answered", this.#done);
            this.#said.classList.toggle("verdict", this.#done);
            if (!this.#done) {
                this.#said.textContent = "";
            }
        }

        /** @param {string} more what is said besides */
        #judge(more) {
            const isRight = this.#questions.every(({ right }) => right);
            const mark = make("span", { "aria-hidden": "true" }, isRight ? "✓ " : "✗ ");
            this.#said.replaceChildren(mark, this.#result, more);
            this.#said.classList.toggle("is-wrong", !isRight);
        }

        #press() {
            if (!this.#done) {
                this.#check();
                return;
            }
            for (const question of this.#questions) {
                question.forget();
            }
            this.#box.open = false;
            refresh();
            this.#questions[0].inputs[0].focus();
        }

        #check() {
            const missing = this.#questions.find(({ complaint }) => complaint !== "");
            if (missing) {
                this.#said.textContent = missing.complaint;
                missing.inputs[0].focus();
                return;
            }
            for (const question of this.#questions) {
                question.keep();
            }
            refresh();
            this.#box.open = true;
            this.#judge(" The answer is open below.");
            this.#button.focus();
            // A lab below it plays the answer.
            this.#element.dispatchEvent(new Event("checked"));
        }
    }

    /** @param {string[]} keys */
    const forget = (keys) => {
        for (const question of questions.filter(({ key }) => keys.includes(key))) {
            question.forget();
        }
        for (const key of keys) {
            store.remove(key);
        }
    };

    /**
     * A line with a count and a button that forgets.
     * @param {Element} place
     * @param {string} label
     * @param {() => string} count
     * @param {() => string[]} keys
     */
    const summarise = (place, label, count, keys) => {
        const line = make("p");
        const click = () => {
            forget(keys());
            for (const group of groups) {
                need(group, "details", HTMLDetailsElement).open = false;
            }
            refresh();
            line.tabIndex = -1;
            line.focus();
        };
        const button = make("button", { type: "button", click }, label);
        const show = () => {
            line.textContent = count();
            button.hidden = !keys().some((key) => store.get(key) !== null);
        };
        place.append(line, button);
        refreshers.push(show);
        show();
    };

    const countOfAll = () => {
        const count = store.keys().length;
        const answers = count === 1 ? "1 answer" : `${count} answers`;
        return count === 0
            ? "This browser keeps none of your answers."
            : `This browser keeps ${answers} that you gave.`;
    };

    const countOfPage = () => {
        const answered = questions.filter((each) => each.answered);
        const right = answered.filter((each) => each.right).length;
        const asked = questions.length === 1 ? "1 question" : `${questions.length} questions`;
        return answered.length === 0
            ? `${asked} to predict on this page, none answered yet.`
            : `${answered.length} of ${asked} on this page answered, ${right} right.`;
    };

    for (const group of groups) {
        new Group(group);
    }
    if (forgetAll instanceof HTMLElement) {
        summarise(forgetAll, "Forget all my answers", countOfAll, () => store.keys());
        forgetAll.classList.add("predictions");
        forgetAll.hidden = false;
    }
    const pages = new Set(questions.map(({ key }) => key.split("/").slice(0, -1).join("/")));
    if (pages.size === 1) {
        // The contents have a tick when so many are answered.
        stored((storage) => storage.setItem(`questions:${[...pages][0]}`, String(questions.length)));
        refreshers.push(() => document.dispatchEvent(new Event("answered")));
        const place = make("div", { class: "predictions" });
        const keys = questions.map(({ key }) => key);
        summarise(place, "Forget these answers", countOfPage, () => keys);
        need(document, "main").append(place);
    }
}
