// The reader's predictions: checks them, and keeps them in this browser. Nothing is sent anywhere.
// Without this script the questions and their answers are there all the same, and the boxes can be marked.
(() => {
    const PREFIX = "prediction:";
    // Nothing is checked where print.js has moved the answers away.
    const groups = [...document.querySelectorAll("main .predict:has(details)")];
    const forgetAll = document.querySelector("main .forget-predictions");
    if (groups.length === 0 && !forgetAll) {
        return;
    }
    const make = (name, text, properties = {}) =>
        Object.assign(document.createElement(name), { textContent: text }, properties);

    // A browser may refuse to store anything; then answers last as long as the page.
    const memory = new Map();
    const store = {
        get(key) {
            try {
                return localStorage.getItem(PREFIX + key) ?? memory.get(key) ?? null;
            } catch {
                return memory.get(key) ?? null;
            }
        },
        set(key, value) {
            memory.set(key, value);
            try {
                localStorage.setItem(PREFIX + key, value);
            } catch {
                // It is in `memory`.
            }
        },
        remove(key) {
            memory.delete(key);
            try {
                localStorage.removeItem(PREFIX + key);
            } catch {
                // There is nothing to remove.
            }
        },
        /** The keys of all pages. */
        keys() {
            const keys = new Set(memory.keys());
            try {
                for (let index = 0; index < localStorage.length; index += 1) {
                    const key = localStorage.key(index);
                    if (key.startsWith(PREFIX)) {
                        keys.add(key.slice(PREFIX.length));
                    }
                }
            } catch {
                // What `memory` has is all there is.
            }
            return [...keys];
        },
    };

    /** `1,234.5`, `1234.5` and `1.2e3` as a number; NaN for anything else. */
    const parse = (text) => {
        const plain = text.trim().replace(/,(?=\d{3}(\D|$))/g, "");
        return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
    };

    const question = (fieldset) => {
        const { prediction: key, choice, number, shown, unit, tolerance } = fieldset.dataset;
        const inputs = [...fieldset.querySelectorAll("input")];
        const verdict = make("p", "", { className: "verdict", hidden: true });
        fieldset.append(verdict);
        const percent = Math.round(Number(tolerance) * 100);
        const given = () => {
            if (choice) {
                return inputs.find((input) => input.checked)?.value ?? "";
            }
            return inputs[0].value.trim();
        };
        const isRight = (answer) =>
            choice ? answer === choice : Math.abs(parse(answer) - Number(number)) <= tolerance * number + 1e-9;
        return {
            key,
            inputs,
            answered: () => store.get(key) !== null,
            right: () => isRight(store.get(key) ?? ""),
            /** What is missing before it can be checked, or nothing. */
            complaint() {
                if (given() === "") {
                    return choice ? "Choose an answer first." : "Give an estimate first.";
                }
                return number && Number.isNaN(parse(given()))
                    ? `“${given()}” is no number: write digits, as in 1,500 or 0.25.`
                    : "";
            },
            keep: () => store.set(key, given()),
            forget() {
                store.remove(key);
                for (const input of inputs) {
                    input.checked = false;
                    if (!choice) {
                        input.value = "";
                    }
                }
            },
            /** Shows what is stored. */
            show() {
                const answer = store.get(key);
                const done = answer !== null;
                fieldset.classList.toggle("checked", done);
                fieldset.querySelectorAll(".mark").forEach((mark) => mark.remove());
                for (const input of inputs) {
                    input.disabled = done;
                    if (done && choice) {
                        input.checked = input.value === answer;
                        const words = [];
                        if (input.value === choice) {
                            words.push("✓ right");
                        } else if (input.checked) {
                            words.push("✗ not this one");
                        }
                        words.forEach((text) =>
                            input.closest("label").append(make("span", text, { className: "mark" })),
                        );
                    } else if (done) {
                        input.value = answer;
                    }
                }
                verdict.hidden = !done || Boolean(choice);
                if (done && number) {
                    const near = `anything within ${percent}\u00a0% of it counts`;
                    verdict.textContent = isRight(answer)
                        ? `✓ Right: ${shown} ${unit}, and ${near}.`
                        : `✗ Not this: it is ${shown} ${unit}, and ${near}.`;
                }
            },
        };
    };

    const questions = [];
    const refreshers = [];
    const refresh = () => refreshers.forEach((show) => show());

    for (const group of groups) {
        const own = [...group.querySelectorAll("fieldset[data-prediction]")].map(question);
        questions.push(...own);
        const box = group.querySelector("details");
        const button = make("button", "", { type: "button" });
        const said = make("p", "");
        said.setAttribute("role", "status");
        const controls = make("div", "", { className: "controls" });
        controls.append(button, said);
        box.before(controls);
        const done = () => own.every((each) => each.answered());
        const show = () => {
            own.forEach((each) => each.show());
            button.textContent = done() ? "Answer again" : "Check";
        };
        const result = () => {
            const right = own.filter((each) => each.right()).length;
            if (own.length > 1) {
                return `${right} of ${own.length} right.`;
            }
            return right === 1 ? "Right." : "Not right.";
        };
        const check = () => {
            const missing = own.find((each) => each.complaint() !== "");
            if (missing) {
                said.textContent = missing.complaint();
                missing.inputs[0].focus();
                return;
            }
            own.forEach((each) => each.keep());
            refresh();
            box.open = true;
            said.textContent = `${result()} The answer is open below.`;
            button.focus();
        };
        button.addEventListener("click", () => {
            if (!done()) {
                check();
                return;
            }
            own.forEach((each) => each.forget());
            box.open = false;
            refresh();
            said.textContent = "";
            own[0].inputs[0].focus();
        });
        group.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && event.target.tagName === "INPUT") {
                event.preventDefault();
                check();
            }
        });
        refreshers.push(() => {
            show();
            if (!done()) {
                said.textContent = "";
            }
        });
        show();
        if (done()) {
            box.open = true;
            said.textContent = result();
        }
    }

    /** A line with a count and a button that forgets. */
    const summary = (place, label, count, keys) => {
        const line = make("p", "");
        const button = make("button", label, { type: "button" });
        button.addEventListener("click", () => {
            forget(keys());
            groups.forEach((group) => {
                group.querySelector("details").open = false;
            });
            refresh();
            line.tabIndex = -1;
            line.focus();
        });
        const show = () => {
            line.textContent = count();
            button.hidden = !keys().some((key) => store.get(key) !== null);
        };
        place.append(line, button);
        refreshers.push(show);
        show();
    };

    const forget = (keys) => {
        questions.filter((each) => keys.includes(each.key)).forEach((each) => each.forget());
        keys.forEach((key) => store.remove(key));
    };
    if (forgetAll) {
        const count = () => {
            const stored = store.keys().length;
            const answers = stored === 1 ? "1 answer" : `${stored} answers`;
            return stored === 0 ? "This browser keeps no answer of yours." : `This browser keeps ${answers} of yours.`;
        };
        summary(forgetAll, "Forget all my answers", count, () => store.keys());
        forgetAll.classList.add("predictions");
        forgetAll.hidden = false;
    }
    const main = document.querySelector("main");
    const pages = new Set(questions.map((each) => each.key.split("/").slice(0, -1).join("/")));
    if (pages.size === 1) {
        const place = make("div", "", { className: "predictions" });
        const keys = questions.map((each) => each.key);
        const count = () => {
            const answered = questions.filter((each) => each.answered());
            const right = answered.filter((each) => each.right()).length;
            const all = questions.length === 1 ? "1 question" : `${questions.length} questions`;
            return answered.length === 0
                ? `${all} to predict on this page, none answered yet.`
                : `${answered.length} of ${all} on this page answered, ${right} right.`;
        };
        summary(place, "Forget these answers", count, () => keys);
        main.append(place);
    }
})();
