// A page of the book as slides. theme/present.js loads the scripts of this folder one after the other; each uses only
// those before it, and this one puts them together.
//
// The slides are made of the page's own elements: each heading begins one, and what does not fit goes on to the next.
// They are laid out once, on a stage that is scaled to the screen. A part that stands alone and is still too large is
// made smaller; if it would become too small to read, its slide scrolls.

/** So many letters alone on a slide are its whole message. */
const FEW = 150;

/** Resolves when the page is complete. */
async function settled() {
    if (document.readyState !== "complete") {
        await new Promise((done) => window.addEventListener("load", done, { once: true }));
    }
    await document.fonts.ready;
}

/**
 * The last slide leads to the next page of the book.
 * @param {HTMLAnchorElement} next
 */
function addNextPage(next) {
    const entries = /** @type {HTMLAnchorElement[]} */ (all(document, "#mdbook-sidebar a"));
    const entry = entries.find(({ href }) => href === next.href);
    const title = entry ? wordsOf(entry) : "The next page, as slides";
    const slide = newSlide(newSection({ title: "The next page:", level: 2, id: "the-end" }), 1);
    slide.inner.append(make("p", {}, make("a", { href: `${next.getAttribute("href")}?slides` }, title)));
}

/** Marks slides of few words, and numbers those that share a title. */
function label() {
    for (const slide of slides) {
        const { element, inner, section } = slide;
        const [only, ...more] = inner.children;
        const few = only?.matches("p") && more.length === 0 && wordsOf(only).length < FEW;
        element.classList.toggle("alone", few && section.level !== 1);
        const parts = slides.filter((other) => other.section === section).length;
        if (parts > 1) {
            slide.title.append(" ", make("small", {}, `${slide.part} of ${parts}`));
        }
    }
}

/** What opens or grows: its slide must hold it. */
function keepFitting() {
    for (const slide of slides) {
        let height = 0;
        new ResizeObserver(() => {
            if (Math.abs(slide.inner.scrollHeight - height) > 1) {
                refit(slide);
                height = slide.inner.scrollHeight;
            }
        }).observe(slide.inner);
        slide.inner.addEventListener("toggle", () => refit(slide), true);
    }
}

function listen() {
    window.addEventListener("keydown", onKey, true);
    // A key that a form takes goes no further, where mdBook would turn the page.
    deck.addEventListener("keydown", (event) => event.stopPropagation());
    deck.addEventListener("slide", tellSlide);
    window.addEventListener("resize", fillScreen);
    UPRIGHT.addEventListener("change", () => location.reload());
    window.addEventListener("hashchange", () => showSlide(indexOf(location.hash)));
    stage.addEventListener("click", (event) => {
        const link = targetOf(event).closest('a[href^="#"]');
        if (link) {
            event.preventDefault();
            showSlide(indexOf(link.getAttribute("href") ?? ""));
        }
    });
}

async function present() {
    await settled();
    const page = need(document, "main");
    const before = location.hash;
    const next = document.querySelector('nav a[rel~="next"]');
    const { sections, notes } = takeApart(page);
    speaker.notes = notes;
    page.remove();
    document.documentElement.classList.add("presenting");
    document.body.append(deck);
    for (const section of sections) {
        new Spread(section);
    }
    if (next instanceof HTMLAnchorElement) {
        addNextPage(next);
    }
    label();
    deck.append(makeBar(), live, help);
    keepFitting();
    listen();
    fillScreen();
    showing.parts = partsOf(notes);
    showSlide(indexOf(before));
    window.addEventListener("message", onMessage);
    document.documentElement.classList.add("slides-ready");
}

present().catch((error) => console.error("The slides could not be made:", error));
