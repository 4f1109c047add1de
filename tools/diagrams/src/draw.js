// Draws the diagrams that `cargo xtask diagrams` hands over, with the vendored mermaid, and leaves them in the page.
{
    /**
     * @typedef {{ name: string, source: string }} Block
     * @typedef {{ name: string, wide: string, narrow?: string, list?: string[][], error?: string }} Drawn
     *
     * @typedef {{ fontSize: number, nodeSpacing: number, padding: number, wrappingWidth: number, sheet: number, directions?: string[] }} Form
     * @typedef {{ both: Record<string, unknown>, wide: Form, narrow: Form }} Settings
     *
     * @typedef {{ from: string, to: string, message: string, type: number }} Message
     * @typedef {{ getActors(): Map<string, { description: string }>, getMessages(): Message[] }} Sequence
     */

    /** From so many lifelines on, a sequence is a list where there is little room. */
    const LIFELINES = 3;
    /** mermaid's number for a note in a sequence; up to 6, except for this, they are arrows. */
    const NOTE = 2;

    /** @param {string} id */
    const given = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "");
    /** @type {Settings} */
    const settings = given("settings");
    /** @type {Block[]} */
    const blocks = given("blocks");

    /**
     * @param {string} source
     * @param {Form} form
     */
    const drawAs = async (source, { fontSize, nodeSpacing, padding, wrappingWidth }) => {
        const all = /** @type {Record<string, Record<string, unknown>>} */ (settings.both);
        const sizes = { actorFontSize: fontSize, messageFontSize: fontSize, noteFontSize: fontSize };
        mermaid.initialize({
            ...all,
            fontSize,
            themeVariables: { ...all.themeVariables, fontSize: `${fontSize}px` },
            flowchart: { ...all.flowchart, nodeSpacing, padding, wrappingWidth },
            sequence: { ...all.sequence, ...sizes },
        });
        // What is drawn into the page itself is measured as the page's own text.
        document.body.style.fontSize = `${fontSize}px`;
        const { svg } = await mermaid.render("m", source);
        const box = document.createElement("div");
        box.innerHTML = svg;
        document.body.append(box);
        const drawing = /** @type {SVGSVGElement} */ (box.firstElementChild);
        // Its style sheet stays behind; what decides where a word stands comes along.
        for (const words of drawing.querySelectorAll("text")) {
            const { textAnchor, dominantBaseline } = getComputedStyle(words);
            words.setAttribute("text-anchor", textAnchor === "start" ? "" : textAnchor);
            words.setAttribute("dominant-baseline", dominantBaseline === "auto" ? "" : dominantBaseline);
            words.removeAttribute("alignment-baseline");
        }
        const text = new XMLSerializer().serializeToString(drawing);
        const { width } = drawing.viewBox.baseVal;
        box.remove();
        return { text, width };
    };

    /**
     * The same flow in another direction.
     * @param {string} source
     * @param {string} direction
     */
    const turned = (source, direction) =>
        source
            .replace(/^(\s*(?:flowchart|graph)) \w+/m, `$1 ${direction}`)
            .replace(/^(\s*stateDiagram-v2)$/m, `$1\n    direction ${direction}`);

    /** @param {string} source */
    const drawNarrow = async (source) => {
        const { directions = [], sheet } = settings.narrow;
        const drawings = [];
        for (const direction of directions) {
            drawings.push(await drawAs(turned(source, direction), settings.narrow));
        }
        return drawings.find(({ width }) => width <= sheet) ?? drawings[0];
    };

    /**
     * A sequence of many lifelines as lines: between whom, and what.
     * @param {Sequence} sequence
     */
    const listed = (sequence) => {
        const actors = sequence.getActors();
        const called = (/** @type {string} */ name) => actors.get(name)?.description ?? name;
        return sequence.getMessages().map(({ from, to, message, type }) => {
            if (type > 6) {
                throw new Error(`a list can't say what this part of a sequence says: ${message || type}`);
            }
            const both = type !== NOTE && from !== to;
            return [both ? `${called(from)} → ${called(to)}` : called(from), message];
        });
    };

    /**
     * @param {Block} block
     * @returns {Promise<Drawn>}
     */
    const draw = async ({ name, source }) => {
        try {
            const { text: wide } = await drawAs(source, settings.wide);
            const { type, db } = await mermaid.mermaidAPI.getDiagramFromText(source);
            const sequence = /** @type {Sequence} */ (db);
            if (type === "sequence" && sequence.getActors().size >= LIFELINES) {
                return { name, wide, list: listed(sequence) };
            }
            return { name, wide, narrow: (await drawNarrow(source)).text };
        } catch (error) {
            return { name, wide: "", error: String(error).split("\n")[0] };
        }
    };

    window.addEventListener("load", async () => {
        const faces = ["14px", "600 14px"].map((font) => document.fonts.load(`${font} "Open Sans"`));
        const fonts = (await Promise.all(faces)).flat().length;
        const drawn = [];
        for (const block of blocks) {
            drawn.push(await draw(block));
        }
        // Read as text that needs no unescaping.
        const escaped = (/** @type {string} */ c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
        const text = JSON.stringify({ fonts, drawn }).replace(/[<>&\u00a0]/g, escaped);
        document.body.replaceChildren(Object.assign(document.createElement("pre"), { id: "drawn", textContent: text }));
    });
}
