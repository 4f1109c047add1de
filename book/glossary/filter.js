// <glossary-filter> becomes a field: of the glossary, it leaves the terms whose name, or another name, holds what is typed.

/** @typedef {{ parts: HTMLElement[], names: string }} GlossaryTerm what shows it, and all its names in lower case */

class GlossaryFilter extends HTMLElement {
    connectedCallback() {
        const letters = all(need(document, "main"), "h2").map((heading) => ({ heading, terms: this.#termsBelow(heading) }));
        const status = make("p", { role: "status" });
        const field = make("input", { type: "search", id: "glossary-field", autocomplete: "off", input: () => filter() });
        const filter = () => {
            const typed = field.value.trim().toLowerCase();
            let shown = 0;
            for (const { heading, terms } of letters) {
                const found = terms.filter(({ names }) => names.includes(typed));
                heading.hidden = found.length === 0;
                for (const term of terms) {
                    for (const part of term.parts) {
                        part.hidden = !found.includes(term);
                    }
                }
                shown += found.length;
            }
            status.textContent = typed && (shown === 1 ? "1 term" : `${shown} terms`);
        };
        this.append(make("label", { for: field.id }, "Filter the terms by name"), field, status);
        // A link may lead to a term that is not shown.
        document.addEventListener("click", (event) => {
            if (targetOf(event).closest("a[href*='#']")) {
                field.value = "";
                filter();
            }
        });
    }

    /** @param {Element} heading */
    #termsBelow(heading) {
        /** @type {GlossaryTerm[]} */
        const terms = [];
        for (let next = heading.nextElementSibling; next?.matches("h3, p"); next = next.nextElementSibling) {
            const part = /** @type {HTMLElement} */ (next);
            const term = terms.at(-1);
            if (part.matches("h3") || !term) {
                terms.push({ parts: [part], names: wordsOf(part).toLowerCase() });
            } else {
                term.parts.push(part);
                term.names += `\n${all(part, "em").map(wordsOf).join("\n").toLowerCase()}`;
            }
        }
        return terms;
    }
}

customElements.define("glossary-filter", GlossaryFilter);
