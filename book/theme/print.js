// The page for printing, which holds all pages: each thing once, no answer beside its question, and what is
// folded for reference only named. The PDF and the EPUB are made of it.
(() => {
    const main = document.querySelector("main");
    const titles = [...main.querySelectorAll("h1")];
    if (titles.length < 2) {
        return;
    }
    const make = (name, properties, ...children) => {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    };
    const title = (box) => box.querySelector(":scope > summary").textContent.trim();
    const boxes = [...main.querySelectorAll("details")].filter((box) => box.querySelector(":scope > summary"));

    // The contents name the pages in the order in which they stand here, each with its one title.
    const pages = [...document.querySelectorAll("#mdbook-sidebar a[href]")].map((link) => link.getAttribute("href"));
    const pageOf = (box) => {
        const above = titles.filter((one) => one.compareDocumentPosition(box) & Node.DOCUMENT_POSITION_FOLLOWING);
        return { title: above.at(-1)?.textContent ?? "", file: pages[above.length - 1] ?? "" };
    };

    // The notes for teachers stand together on a page of their own.
    if (main.querySelector(".sheet")) {
        boxes.filter((box) => title(box) === "For teachers").forEach((box) => box.remove());
    }

    // Paper can't be unfolded: what is not to be seen too early goes to the end.
    const end = (id, words) => {
        const section = make("section", { id }, make("h1", {}, words));
        section.style.breakBefore = "page";
        return section;
    };
    const answers = end("answers", "Answers to the questions");
    const solutions = end("hints-and-solutions", "Hints and solutions");
    let asked = 0;
    const moveAnswer = (box) => {
        asked += 1;
        const { title: above } = pageOf(box);
        if (answers.querySelector("h2:last-of-type")?.textContent !== above) {
            answers.append(make("h2", {}, above));
        }
        const [question, answer] = [`question-${asked}`, `answer-${asked}`];
        box.before(
            make(
                "p",
                { id: question, className: "folded" },
                "The answer is at the end of the book: ",
                make("a", { href: `#${answer}` }, `answer ${asked}`),
                ".",
            ),
        );
        const number = make("p", { id: answer }, make("a", { href: `#${question}` }, `Answer ${asked}`));
        const inside = make("div", { className: "answer" }, number, ...box.childNodes);
        inside.querySelector("summary").remove();
        answers.append(inside);
        box.remove();
    };
    const moveSolution = (box, name) => {
        if (solutions.querySelector("h2:last-of-type")?.textContent !== name) {
            solutions.append(make("h2", {}, name));
            box.before(
                make(
                    "p",
                    { className: "folded" },
                    "Hints and a solution: ",
                    make("a", { href: `#${solutions.id}` }, "at the end of the book"),
                    ".",
                ),
            );
        }
        solutions.append(box);
    };
    // Raw output, all figures of a chart, command lines: who needs them needs them to copy, or beside others.
    const nameOnly = (box) => {
        const before = box.previousElementSibling;
        const words = box.querySelector(":scope > summary").childNodes;
        if (before?.matches(".folded.named")) {
            before.append("; ", ...words);
            box.remove();
        } else {
            box.replaceWith(
                make("p", { className: "folded named" }, `On the screen, in ${pageOf(box).file}: `, ...words),
            );
        }
    };

    for (const box of boxes.filter((one) => main.contains(one))) {
        const [, what, name] = title(box).match(/^(The task|Hints, step by step|A solution, and why): (.*)$/s) ?? [];
        if (box.closest(".predict")) {
            moveAnswer(box);
        } else if (what && what !== "The task") {
            moveSolution(box, name);
        } else if (!what && main.contains(box)) {
            nameOnly(box);
        }
    }
    for (const section of [answers, solutions]) {
        if (section.children.length > 1) {
            main.append(section);
        }
    }
    main.querySelectorAll("details").forEach((box) => {
        box.open = true;
    });
    if (main.querySelector(".named")) {
        titles[0].before(
            make(
                "p",
                { className: "folded" },
                "A line like this one names what is folded on the screen, " +
                    "such as raw output and all figures behind a chart, and the page that holds it. It is not printed.",
            ),
        );
    }
})();
