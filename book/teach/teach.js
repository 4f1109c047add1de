// A page shown to a class: one section at a time, in large letters. theme/ladder.js loads this when P is pressed for the
// first time, and says from then on when it is pressed again.
//
// Nothing is measured, cut or made smaller: what does not fit scrolls. The page's own elements stay where they are; those
// of the other sections, and what is folded, are marked as being elsewhere, and teach.css hides them.
{
    const root = document.documentElement;
    const main = need(document, "main");
    const fromFile = location.protocol === "file:";
    const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);
    const page = pageOf(location.pathname);
    const NOTES = new URL(`../teachers-notes.html#${page}`, src).href;

    /** @param {Element} element */
    const isHeading = (element) => element.matches("h1, h2, h3");

    /**
     * The page's elements from one heading to the next. A heading with nothing below it begins no section: it stands above
     * the next one.
     * @type {Element[][]}
     */
    const sections = [];
    for (const element of main.children) {
        const last = sections.at(-1);
        if (last && (!isHeading(element) || last.every(isHeading))) {
            last.push(element);
        } else {
            sections.push([element]);
        }
    }

    /** @param {Element[] | undefined} section */
    const titleOf = (section) => (section ?? []).filter(isHeading).map(wordsOf).join(": ");

    /**
     * The section that holds the element of this name; -1 if there is none.
     * @param {string} hash
     */
    const sectionOf = (hash) => {
        const named = namedBy(hash);
        return sections.findIndex((section) => section.some((element) => named && element.contains(named)));
    };

    /** @type {HTMLDetailsElement[]} */
    const boxes = all(main, "details");
    /** What a reader unfolds, but for what the class is to see: the answer to a question, and the task of an exercise. */
    const folded = boxes.filter((fold) => !/^(Answer|The task:)/.test(wordsOf(need(fold, "summary"))));

    /** Those of them that are all there is below a heading: the class sees them, open. */
    const alone = sections.flatMap((section) => {
        const own = folded.filter((fold) => section.includes(fold));
        const isMore = (/** @type {Element} */ element) =>
            !isHeading(element) &&
            !folded.some((fold) => fold === element) &&
            element.checkVisibility() &&
            wordsOf(element) !== "";
        return section.some(isMore) ? [] : own;
    });
    /** @type {Element[]} */
    const folds = folded.filter((fold) => !alone.includes(fold));

    const state = {
        current: 0,
        /** Those of the folds that were opened for the class. */
        opened: alone,
        /** The window with the notes, once it has been opened. @type {Window | null} */
        notes: null,
    };

    const place = make("p", { role: "status" });
    const corner = make(
        "div",
        { class: "teach-corner" },
        place,
        make(
            "button",
            { type: "button", title: "Notes and a clock, in a second window", click: () => openNotes() },
            "N",
        ),
        make("button", { type: "button", title: "Back to the whole page", click: () => end() }, "Esc"),
    );

    /** @param {number} wanted */
    const show = (wanted) => {
        state.current = Math.max(0, Math.min(wanted, sections.length - 1));
        for (const [index, section] of sections.entries()) {
            for (const element of section) {
                element.toggleAttribute("data-elsewhere", index !== state.current || folds.includes(element));
            }
        }
        place.textContent = `${state.current + 1} of ${sections.length}`;
        const heading = sections[state.current].find(({ id }) => id !== "");
        history.replaceState(null, "", `?teach${heading ? `#${heading.id}` : ""}`);
        window.scrollTo({ top: 0, behavior: "instant" });
        // What was hidden had no width: ladder.js looks again for what scrolls sideways.
        window.dispatchEvent(new Event("resize"));
        tell();
    };

    /** Down or up by most of a screen; where there is no more of this section, to the next or the one before. */
    const move = (/** @type {1 | -1} */ direction) => {
        const below = root.scrollHeight - window.innerHeight - window.scrollY;
        const left = direction === 1 ? below : window.scrollY;
        if (left > 2) {
            const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
            window.scrollBy({ top: direction * window.innerHeight * 0.8, behavior });
        } else if (sections[state.current + direction]) {
            show(state.current + direction);
        }
    };

    const end = () => {
        const heading = sections[state.current][0];
        root.classList.remove("teaching");
        for (const fold of state.opened) {
            fold.open = false;
        }
        for (const element of all(main, "[data-elsewhere]")) {
            element.removeAttribute("data-elsewhere");
        }
        corner.remove();
        history.replaceState(null, "", `${location.pathname}${location.hash}`);
        window.dispatchEvent(new Event("resize"));
        heading.scrollIntoView({ behavior: "instant" });
    };

    /** Begins with the section that is being read. */
    const start = () => {
        const headings = sections.map(([heading]) => heading);
        const read = headings.findLastIndex((heading) => heading.getBoundingClientRect().top < window.innerHeight / 2);
        root.classList.add("teaching");
        for (const fold of folds) {
            fold.toggleAttribute("data-elsewhere", true);
        }
        state.opened = alone.filter(({ open }) => !open);
        for (const fold of state.opened) {
            fold.open = true;
        }
        document.body.append(corner);
        show(new URLSearchParams(location.search).has("teach") ? sectionOf(location.hash) : read);
    };

    const openNotes = () => {
        if (state.notes && !state.notes.closed) {
            state.notes.focus();
            return;
        }
        state.notes = window.open(NOTES, "teach-notes", "popup,width=1000,height=760");
        if (!state.notes) {
            place.textContent = "The browser did not open the notes: allow this page to open windows.";
        }
    };

    /** @type {Record<string, (event: { shiftKey: boolean }) => void>} */
    const KEYS = {
        ArrowRight: () => move(1),
        PageDown: () => move(1),
        " ": ({ shiftKey }) => move(shiftKey ? -1 : 1),
        ArrowLeft: () => move(-1),
        PageUp: () => move(-1),
        Home: () => show(0),
        End: () => show(sections.length - 1),
        Escape: () => end(),
        n: () => openNotes(),
    };

    /** @param {KeyboardEvent} event */
    const onKey = (event) => {
        const { key, ctrlKey, altKey, metaKey, defaultPrevented } = event;
        // ladder.js waits for P.
        const letter = letterOf(event);
        if (!root.classList.contains("teaching") || ctrlKey || altKey || metaKey || letter === "p") {
            return;
        }
        // mdBook would turn the page, or search in it.
        event.stopPropagation();
        const target = targetOf(event);
        // These have keys of their own. A presenter's remote control sends those of the pages, whatever has been clicked.
        const taken = defaultPrevented || target.closest("input, select, textarea, [role=slider], [data-scrolls]");
        const pressed = target.closest("a, button, summary") && key === " ";
        const act = KEYS[key] ?? KEYS[letter];
        if (act && (key.startsWith("Page") || !(taken || pressed))) {
            event.preventDefault();
            act(event);
        }
    };

    /** What the second window shows. Pages from files share no objects, so it is sent. */
    const tell = () => {
        if (!state.notes || state.notes.closed || !root.classList.contains("teaching")) {
            return;
        }
        const begun = sections.slice(0, state.current + 1).flat();
        const named = begun.flatMap((element) => [element, ...all(element, "[id]")]).filter(({ id }) => id !== "");
        /** @type {TeachMessage} */
        const message = {
            page,
            place: place.textContent ?? "",
            now: titleOf(sections[state.current]),
            next: titleOf(sections[state.current + 1]),
            begun: named.map(({ id }) => `#${id}`),
        };
        state.notes.postMessage(message, fromFile ? "*" : location.origin);
    };

    window.addEventListener("message", ({ source, origin, data }) => {
        const foreign = fromFile ? /^https?:/.test(origin) : origin !== location.origin;
        if (foreign || !data?.fromNotes || !root.classList.contains("teaching")) {
            return;
        }
        // It stays when this window goes to another page, and asks every second who is there.
        state.notes = /** @type {Window} */ (source);
        if (typeof data.key === "string" && Object.hasOwn(KEYS, data.key)) {
            KEYS[data.key](data);
        }
        const part = typeof data.part === "string" ? sectionOf(data.part) : -1;
        if (part >= 0) {
            show(part);
        }
        tell();
    });
    // A link to another page of the book goes on in the same way.
    main.addEventListener("click", (event) => {
        const link = targetOf(event).closest("a[href]");
        const own =
            link instanceof HTMLAnchorElement && link.protocol === location.protocol && link.host === location.host;
        if (own && link.pathname !== location.pathname && root.classList.contains("teaching")) {
            link.search = "teach";
        }
    });
    window.addEventListener("hashchange", () => {
        if (root.classList.contains("teaching")) {
            show(sectionOf(location.hash));
        }
    });
    document.body.addEventListener("keydown", onKey);
    root.addEventListener("teach", () => (root.classList.contains("teaching") ? end() : start()));
    start();
}
