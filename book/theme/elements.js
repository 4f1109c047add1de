// How the scripts of the book make elements, and find them. What they declare is for all of them: no module, because
// modules don't load from files, and pages do.

/** @typedef {{ handle(event: Event): void }["handle"]} Listener */
/** @typedef {string | number | boolean | null | undefined | Listener} Attribute */
/** @typedef {Node | string | null | undefined} Child */

/**
 * Gives an element its attributes and children. A function is a listener, `true` an attribute without a value; what is
 * missing or `false` is left out.
 * @param {Element} element
 * @param {Record<string, Attribute>} attributes
 * @param {Child[]} children
 */
function furnish(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") {
            element.addEventListener(name, value);
        } else if (value !== false && value !== undefined && value !== null) {
            element.setAttribute(name, value === true ? "" : String(value));
        }
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
}

/**
 * An element of HTML.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, Attribute>} [attributes]
 * @param {...Child} children
 */
function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    furnish(element, attributes, children);
    return element;
}

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, Attribute>} [attributes]
 * @param {...Child} children
 */
function draw(name, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    furnish(element, attributes, children);
    return element;
}

/**
 * All elements that a selector finds, of a kind that the caller knows.
 * @template {Element} [Kind=HTMLElement]
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {Kind[]}
 */
function all(parent, selector) {
    return [.../** @type {NodeListOf<Kind>} */ (parent.querySelectorAll(selector))];
}

/**
 * The first element that a selector finds, which must be there.
 * @template {Element} [Kind=HTMLElement]
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => Kind} [kind] the class of the element, where it is no matter of course
 * @returns {Kind}
 */
function need(parent, selector, kind) {
    const found = parent.querySelector(selector);
    if (!found || (kind && !(found instanceof kind))) {
        throw new Error(`there is no ${selector}`);
    }
    return /** @type {Kind} */ (found);
}

/**
 * What an element says, in one line.
 * @param {Element} element
 */
function wordsOf(element) {
    return (element.textContent ?? "").trim().replace(/\s+/g, " ");
}

/**
 * The element that an event came from.
 * @param {Event} event
 */
function targetOf(event) {
    return event.target instanceof Element ? event.target : document.documentElement;
}

/**
 * The element that the fragment of an address names; none where the address was cut within an escape.
 * @param {string} hash
 */
function namedBy(hash) {
    try {
        return document.getElementById(decodeURIComponent(hash.slice(1)));
    } catch {
        return null;
    }
}

/**
 * The name of the page at this path, whether its host shows the ending or not. mdBook shows the first page as index.html,
 * too.
 * @param {string} path
 */
function pageOf(path) {
    const name = (path.split("/").at(-1) ?? "").replace(/\.html$/, "");
    return ["", "index"].includes(name) ? "introduction" : name;
}

/**
 * Loads a style sheet; resolves when it is there, or will not come.
 * @param {string} href
 * @returns {Promise<void>}
 */
function loadStyle(href) {
    return new Promise((done) => {
        document.head.append(make("link", { rel: "stylesheet", href, load: () => done(), error: () => done() }));
    });
}

/**
 * Loads scripts, each of which may use those before it; two that play on one page share what both draw with.
 * @param {string} folder
 * @param {string[]} names
 */
function loadScripts(folder, names) {
    for (const name of names) {
        const { href } = new URL(`${name}.js`, folder);
        if ([...document.scripts].some(({ src }) => src === href)) {
            continue;
        }
        const script = make("script", { src: href });
        // In this order, whichever comes first.
        script.async = false;
        document.head.append(script);
    }
}
