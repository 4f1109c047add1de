// The page for printing, which holds all pages: each thing once, no answer beside its question, and what is
// folded for reference only named. The PDF and the EPUB are made of it.
{
    const main = need(document, "main");
    const titles = all(main, "h1");
    // The contents name the pages in the order in which they stand here, each with its one title.
    const pages = all(document, "#mdbook-sidebar a[href]").map((link) => link.getAttribute("href") ?? "");

    /** @param {Element} box */
    const summaryOf = (box) => need(box, ":scope > summary");

    /** @param {Element} box */
    const titleOf = (box) => (summaryOf(box).textContent ?? "").trim();

    /** @param {Element} box */
    const pageOf = (box) => {
        const follows = (/** @type {Element} */ one) =>
            one.compareDocumentPosition(box) & Node.DOCUMENT_POSITION_FOLLOWING;
        const above = titles.filter(follows);
        return { title: above.at(-1)?.textContent ?? "", file: pages[above.length - 1] ?? "" };
    };

    // Paper can't be unfolded: what is not to be seen too early goes to the end.
    const end = (/** @type {string} */ id, /** @type {string} */ words) => {
        const section = make("section", { id }, make("h1", {}, words));
        section.style.breakBefore = "page";
        return section;
    };
    const answers = end("answers", "Answers to the questions");
    const solutions = end("hints-and-solutions", "Hints and solutions");
    let asked = 0;

    /**
     * A title below that of the section, if the last one is another; whether it was needed.
     * @param {Element} section
     * @param {string} title
     */
    const addTitle = (section, title) => {
        const isNew = section.querySelector("h2:last-of-type")?.textContent !== title;
        if (isNew) {
            section.append(make("h2", {}, title));
        }
        return isNew;
    };

    /** @param {Element} box */
    const moveAnswer = (box) => {
        asked += 1;
        addTitle(answers, pageOf(box).title);
        const [question, answer] = [`question-${asked}`, `answer-${asked}`];
        const link = make("a", { href: `#${answer}` }, `answer ${asked}`);
        box.before(make("p", { id: question, class: "folded" }, "The answer is at the end of the book: ", link, "."));
        const number = make("p", { id: answer }, make("a", { href: `#${question}` }, `Answer ${asked}`));
        const inside = make("div", { class: "answer" }, number, ...box.childNodes);
        need(inside, "summary").remove();
        answers.append(inside);
        box.remove();
    };

    /**
     * @param {Element} box
     * @param {string} name
     */
    const moveSolution = (box, name) => {
        if (addTitle(solutions, name)) {
            const link = make("a", { href: `#${solutions.id}` }, "at the end of the book");
            box.before(make("p", { class: "folded" }, "Hints and a solution: ", link, "."));
        }
        solutions.append(box);
    };

    /**
     * Raw output, all figures of a chart, command lines: who needs them needs them to copy, or beside others.
     * @param {Element} box
     */
    const nameOnly = (box) => {
        const before = box.previousElementSibling;
        const words = summaryOf(box).childNodes;
        if (before?.matches(".folded.named")) {
            before.append("; ", ...words);
            box.remove();
        } else {
            const place = `On the screen, in ${pageOf(box).file}: `;
            box.replaceWith(make("p", { class: "folded named" }, place, ...words));
        }
    };

    /**
     * How something was measured or recorded, in a few lines: on paper it stands below its picture.
     * @param {Element} box
     */
    const printConditions = (box) => {
        summaryOf(box).remove();
        box.replaceWith(make("div", { class: "folded conditions" }, ...box.childNodes));
    };

    /** The page of the lab asks once more what chapters ask. */
    const askOnce = () => {
        for (const question of all(main, 'fieldset[data-prediction^="lab/"]')) {
            const name = question.dataset.prediction?.replace(/^lab/, "");
            const others = `fieldset[data-prediction$="${name}"]:not([data-prediction^="lab/"])`;
            const other = main.querySelector(others);
            if (other) {
                const link = make("a", { href: `#${other.getAttribute("aria-labelledby")}` }, pageOf(other).title);
                question.closest(".predict")?.replaceWith(make("p", {}, "The question is in ", link, "."));
            }
        }
    };

    const sortOut = () => {
        askOnce();
        const boxes = all(main, "details").filter((box) => box.querySelector(":scope > summary"));
        for (const box of boxes.filter((one) => main.contains(one))) {
            const kinds = /^(The task|Hints, step by step|A solution, and why): (.*)$/s;
            const [, what, name] = titleOf(box).match(kinds) ?? [];
            if (box.closest(".predict") || titleOf(box) === "Answer") {
                moveAnswer(box);
            } else if (what && what !== "The task") {
                moveSolution(box, name);
            } else if (box.matches(".about") && !box.querySelector("table")) {
                printConditions(box);
            } else if (!what && main.contains(box)) {
                nameOnly(box);
            }
        }
    };

    if (titles.length > 1) {
        sortOut();
        main.append(...[answers, solutions].filter((section) => section.children.length > 1));
        for (const box of main.querySelectorAll("details")) {
            box.open = true;
        }
        if (main.querySelector(".named")) {
            const words =
                "A line like this one names what is folded on the screen, such as raw output and all figures behind " +
                "a chart, and the page that holds it. It is not printed.";
            titles[0].before(make("p", { class: "folded" }, words));
        }
    }
}
