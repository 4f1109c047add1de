// Draws the diagrams of the pages with mermaid-cli and svgo, and an installed Chromium:
//
//     npm ci --prefix tools/diagrams
//     npm run --prefix tools/diagrams draw
//
// A drawing's name is a hash of its block, so a changed block is drawn anew, and the drawings of a block that is gone are
// removed. With `-- --all` at the end all are drawn, as other settings or another mermaid want it.
// CHROMIUM is the browser's executable, if it is not /usr/bin/chromium.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { renderMermaid } from "@mermaid-js/mermaid-cli";
import puppeteer from "puppeteer";
import { optimize } from "svgo";

const book = new URL("../../book/", import.meta.url);
const folder = new URL("diagrams/", book);
const settings = JSON.parse(readFileSync(new URL("settings.json", import.meta.url), "utf8"));

/** From so many lifelines on, a sequence is a list where there is little room. */
const LIFELINES = 3;

const hash = (text) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** The blocks of all pages, by the names of their drawings. The book finds them in the same way (tools/book). */
function blocks() {
    const pages = readdirSync(book).filter((name) => name.endsWith(".md"));
    const texts = pages.map((name) => readFileSync(new URL(name, book), "utf8").replaceAll("\r", ""));
    const found = texts.flatMap((text) => [...text.matchAll(/^```mermaid\n(.*?)^```$/gms)]);
    return new Map(found.map(([, block]) => [hash(block), block]));
}

/** A browser whose pages have the book's letters, of the size in which mermaid is to measure its words. */
async function open(fontSize) {
    const fonts = [400, 600].map((weight) => {
        const file = new URL(`fonts/open-sans-${weight}.woff2`, book);
        return { weight: String(weight), bytes: [...readFileSync(file)] };
    });
    const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
    // The only pages that it opens are ours, and for root the sandbox does not start.
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const browser = await puppeteer.launch({ executablePath, args });
    const newPage = async () => {
        const page = await browser.newPage();
        await page.evaluateOnNewDocument(
            (faces, size) => {
                for (const { weight, bytes } of faces) {
                    document.fonts.add(new FontFace("Open Sans", new Uint8Array(bytes), { weight }));
                }
                addEventListener("DOMContentLoaded", () => {
                    document.body.style.fontSize = `${size}px`;
                });
            },
            fonts,
            fontSize,
        );
        return page;
    };
    return { newPage, close: () => browser.close() };
}

/** What mermaid writes of colours, letters and lines, which the book's style sheet says. */
const STYLE = "style|fill|stroke.*|font-.*|color|background-color|opacity|filter|cursor|line-height|alignment-baseline";

/** What a page can hold: shapes and words, named for the book's style sheet. */
function clean(drawing, id, block, form) {
    const server = block.match(/^\s*%% server: (.*)$/m);
    // svgo takes a class from what it has given the style of that class.
    const keep = (node) => {
        const names = (node.attributes.class ?? "").split(" ");
        node.attributes.kept = names.filter((name) => settings.classes.includes(name)).join(" ");
    };
    const restore = (node, parent) => {
        const { viewBox, kept } = node.attributes;
        if (node.name === "marker" && !node.attributes.id) {
            parent.children = parent.children.filter((child) => child !== node);
        } else if (node.name === "svg") {
            const width = Math.ceil(Number(viewBox.split(" ")[2]));
            const colour = server ? `;--s:var(--server-${server[1]})` : "";
            node.attributes = {
                class: `pic mm ${form}`,
                viewBox,
                "font-size": settings[form].fontSize,
                style: `max-width:${width}px${colour}`,
                role: "img",
                "aria-labelledby": `${id}-t ${id}-d`,
            };
        } else if (node.name === "title" || node.name === "desc") {
            node.attributes = { id: `${id}-${node.name[0]}` };
        } else {
            delete node.attributes.kept;
            Object.assign(node.attributes, kept && { class: kept });
        }
    };
    const own = (name, enter) => ({ name, fn: () => ({ element: { enter } }) });
    const { data } = optimize(drawing, {
        floatPrecision: 1,
        plugins: [
            own("keep", keep),
            { name: "inlineStyles", params: { onlyMatchedOnce: false } },
            "convertStyleToAttrs",
            "removeStyleElement",
            { name: "removeAttrs", params: { attrs: `(class|name|data-.*|${STYLE})` } },
            "cleanupIds",
            "removeUselessDefs",
            { name: "prefixIds", params: { prefix: id, delim: "-", prefixClassNames: false } },
            own("restore", restore),
            "removeEmptyAttrs",
            "removeEmptyText",
            "removeEmptyContainers",
            "collapseGroups",
            "cleanupNumericValues",
            "convertPathData",
            "convertTransform",
        ],
    });
    return data;
}

async function draw(block, id, form, source = block) {
    const { fontSize, nodeSpacing, padding, wrappingWidth } = settings[form];
    const { both } = settings;
    const mermaidConfig = {
        ...both,
        fontSize,
        themeVariables: { ...both.themeVariables, fontSize: `${fontSize}px` },
        flowchart: { ...both.flowchart, nodeSpacing, padding, wrappingWidth },
        sequence: { ...both.sequence, actorFontSize: fontSize, messageFontSize: fontSize, noteFontSize: fontSize },
    };
    const browser = await open(fontSize);
    const { data, title, desc } = await renderMermaid(browser, source, "svg", { mermaidConfig, svgId: "m" });
    await browser.close();
    if (!title || !desc) {
        throw new Error("write accTitle and accDescr");
    }
    return clean(new TextDecoder().decode(data), id, block, form);
}

/** The same flow in another direction. */
const turned = (block, direction) =>
    block
        .replace(/^(\s*(?:flowchart|graph)) \w+/m, `$1 ${direction}`)
        .replace(/^(\s*stateDiagram-v2)$/m, `$1\n    direction ${direction}`);

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** A sequence of many lifelines as lines: between whom, and what. Nothing for another diagram. */
function list(block) {
    const lines = block.split("\n").map((line) => line.trim());
    const actors = new Map();
    const items = [];
    for (const line of lines) {
        const [, actor, called] = line.match(/^(?:participant|actor) (\w+)(?: as (.*))?$/) ?? [];
        const [, from, to, message] = line.match(/^(\w+) *(?:--?>>?|--?[x)]) *(\w+) *: *(.*)$/) ?? [];
        const [, beside, note] = line.match(/^Note [a-z ]+ (\w+)[\w, ]*: *(.*)$/) ?? [];
        if (actor) {
            actors.set(actor, called ?? actor);
        } else if (from) {
            const who = from === to ? [from] : [from, to];
            items.push([who.map((one) => actors.get(one)).join(" → "), message]);
        } else if (beside) {
            items.push([actors.get(beside), note]);
        } else if (!/^(sequenceDiagram|acc\w+: .*|%%.*|)$/.test(line)) {
            throw new Error(`a list can't say \`${line}\``);
        }
    }
    const title = block.match(/accTitle: *(.*)/)?.[1] ?? "";
    const rows = items.map(([who, what]) => `<li><b>${escaped(who)}:</b> ${escaped(what)}</li>\n`);
    return `<ol class="narrow" aria-label="${escaped(title)}">\n${rows.join("")}</ol>`;
}

/** The form for a phone: its file's ending, and what is in it. */
async function drawNarrow(block, id) {
    if (/^\s*sequenceDiagram/m.test(block) && block.match(/^ *(participant|actor) /gm)?.length >= LIFELINES) {
        return ["html", list(block)];
    }
    const { directions, sheet } = settings.narrow;
    const drawings = [];
    for (const direction of directions) {
        drawings.push(await draw(block, id, "narrow", turned(block, direction)));
    }
    const fits = (drawing) => Number(drawing.match(/max-width:(\d+)px/)[1]) <= sheet;
    return ["svg", drawings.find(fits) ?? drawings[0]];
}

const all = process.argv.includes("--all");
const found = blocks();
for (const file of readdirSync(folder)) {
    if (all || !found.has(file.split("-")[0])) {
        rmSync(new URL(file, folder));
    }
}
for (const [name, block] of found) {
    if (existsSync(new URL(`${name}-wide.svg`, folder))) {
        continue;
    }
    console.log(`${name}: ${block.match(/accTitle: *(.*)/)?.[1]}`);
    const wide = await draw(block, `d${name}-wide`, "wide");
    const [ending, narrow] = await drawNarrow(block, `d${name}-narrow`);
    writeFileSync(new URL(`${name}-narrow.${ending}`, folder), `${narrow}\n`);
    writeFileSync(new URL(`${name}-wide.svg`, folder), `${wide}\n`);
}
