// A page shown to a class: one section at a time, in large letters. theme/ladder.js loads this when P is pressed for the
// first time, and says from then on when it is pressed again.
//
// Words are never cut or made smaller: what does not fit scrolls. The page's own elements stay where they are; those of the
// other sections, and what is folded, are marked as being elsewhere, and teach.css hides them.
//
// Beside this stand: pictures.js, which keeps pictures closed until they are asked for; solution.js, an exercise's texts
// beside each other; lesson.js, the walk through a lesson over many pages.
{
    const root = document.documentElement;
    const main = need(document, "main");
    const fromFile = location.protocol === "file:";
    const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);
    const page = pageOf(location.pathname);

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
        /** The lesson that is walked through, if the address names one. @type {LessonWalk | undefined} */
        lesson: undefined,
        /** The sections through which the keys go: those of the page, or of the lesson's part. */
        span: { first: 0, last: sections.length - 1 },
        /** What is shown in place of the page, if anything. @type {HTMLElement | undefined} */
        screen: undefined,
        /** Whether another page is on its way: a key that is pressed twice skips no part. */
        isLeaving: false,
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
        make(
            "button",
            { type: "button", title: "An exercise's solution and its wrong versions", click: () => openSolution() },
            "W",
        ),
        make("button", { type: "button", title: "Back to the whole page", click: () => end() }, "Esc"),
    );
    const pictures = new TaughtPictures(main, corner);
    const solution = new TaughtSolution(new URL("./", src).href);

    /**
     * Shows this section alone; none is shown where a screen is.
     * @param {number} current
     */
    const hideOthers = (current) => {
        for (const [index, section] of sections.entries()) {
            for (const element of section) {
                element.toggleAttribute("data-elsewhere", index !== current || folds.includes(element));
            }
        }
        state.screen?.remove();
        state.screen = undefined;
    };

    /**
     * What follows whenever something else is shown.
     * @param {string} hash of the section; of a screen there is none
     */
    const settle = (hash) => {
        history.replaceState(null, "", `?teach${state.lesson?.query ?? ""}${hash}`);
        window.scrollTo({ top: 0, behavior: "instant" });
        // What was hidden had no width: ladder.js looks again for what scrolls sideways, and pictures take their size.
        window.dispatchEvent(new Event("resize"));
        tell();
    };

    /** @param {number} wanted */
    const show = (wanted) => {
        state.current = Math.max(0, Math.min(wanted, sections.length - 1));
        hideOthers(state.current);
        const { first, last } = state.span;
        const isInside = state.current >= first && state.current <= last;
        const where = isInside ? `${state.current - first + 1} of ${last - first + 1}` : "beside it";
        place.textContent = state.lesson ? `${state.lesson.where}: ${where}` : where;
        const heading = sections[state.current].find(({ id }) => id !== "");
        settle(heading ? `#${heading.id}` : "");
    };

    /**
     * Shows the lesson's part: on this page, on a screen, or on another page.
     * @param {LessonWalk} lesson
     * @param {"first" | "last" | "here"} at the section with which it begins; that of the address
     * @param {"assign" | "replace"} go whether one can go back from the other page to this one
     */
    const showPart = (lesson, at, go = "assign") => {
        const { part } = lesson;
        if (lesson.isBare || !part) {
            hideOthers(-1);
            state.screen = main.appendChild(lesson.screen());
            place.textContent = lesson.where;
            settle("");
            return;
        }
        if (part.page !== page && at !== "here") {
            state.isLeaving = true;
            location[go](new URL(`../${part.page}.html?teach${lesson.query}&at=${at}#${part.id ?? ""}`, src));
            return;
        }
        // On a page to which a link has led from the part's own, the keys go through all of it.
        const whole = { first: 0, last: sections.length - 1 };
        state.span = part.page === page ? lesson.span(sections, sectionOf) : whole;
        const named = at === "first" && part.id ? namedBy(`#${part.id}`) : null;
        show(at === "here" ? sectionOf(location.hash) : state.span[at]);
        // A question stands among other things of its section.
        if (named && !isHeading(named)) {
            named.scrollIntoView({ block: "start", behavior: "instant" });
        }
    };

    /** To the section after this one or before it; at the end of a lesson's part, to its neighbour. */
    const turn = (/** @type {1 | -1} */ direction) => {
        const { lesson, span } = state;
        const wanted = state.current + direction;
        if (!state.screen && wanted >= span.first && wanted <= span.last) {
            show(wanted);
        } else if (!state.isLeaving && lesson?.go(lesson.index + direction)) {
            showPart(lesson, direction === 1 ? "first" : "last");
        }
    };

    /** Down or up by most of a screen; where there is no more of this section, to the next or the one before. */
    const move = (/** @type {1 | -1} */ direction) => {
        const below = root.scrollHeight - window.innerHeight - window.scrollY;
        const left = direction === 1 ? below : window.scrollY;
        // Of a screen everything is seen.
        if (left > 2 && !state.screen) {
            const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
            const most = window.innerHeight * 0.8;
            window.scrollBy({ top: direction === 1 ? pictures.step(most) : -most, behavior });
        } else {
            turn(direction);
        }
    };

    const jump = (/** @type {"first" | "last"} */ place) => {
        if (!state.screen) {
            show(state.span[place]);
        }
    };

    const end = () => {
        const heading = sections[state.current][0];
        root.classList.remove("teaching");
        pictures.openAll();
        state.screen?.remove();
        state.screen = undefined;
        state.lesson = undefined;
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
        pictures.closeAll();
        state.span = { first: 0, last: sections.length - 1 };
        const asked = new URLSearchParams(location.search);
        const lesson = LessonWalk.of();
        if (lesson instanceof LessonWalk) {
            state.lesson = lesson;
            const at = asked.get("at");
            const isOnWay = at === "here" || (asked.has("part") && location.hash !== "");
            showPart(lesson, at === "first" || at === "last" ? at : isOnWay ? "here" : "first", "replace");
            return;
        }
        show(asked.has("teach") ? sectionOf(location.hash) : read);
        if (lesson) {
            place.textContent = lesson.error;
        }
    };

    /** The exercise that the lesson is at, or the section. */
    const openSolution = () => {
        const places = all(main, "[data-check]");
        const own = places.find((place) => place.checkVisibility()) ?? places.at(0);
        solution.toggle(state.lesson?.part?.exercise ?? own?.dataset.check);
    };

    const openNotes = () => {
        if (state.notes && !state.notes.closed) {
            state.notes.focus();
            return;
        }
        const which = state.lesson ? `?lesson=${state.lesson.place.name}` : `#${page}`;
        const notes = new URL(`../teachers-notes.html${which}`, src).href;
        state.notes = window.open(notes, "teach-notes", "popup,width=1000,height=760");
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
        Home: () => jump("first"),
        End: () => jump("last"),
        Escape: () => end(),
        n: () => openNotes(),
        o: () => pictures.openNext(),
        w: () => openSolution(),
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
        // A button that can't be pressed any more loses the keys to the page behind the solution.
        const keys = solution.isOpen ? solution.keys : KEYS;
        const act = keys[key] ?? keys[letter];
        if (act && (key.startsWith("Page") || !(taken || pressed))) {
            event.preventDefault();
            act(event);
        }
    };

    /** What comes after this section; in a lesson, that may be another part. */
    const nextTitle = () => {
        const isLast = state.screen !== undefined || state.current >= state.span.last;
        return state.lesson && isLast ? state.lesson.nextTitle : titleOf(sections[state.current + 1]);
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
            lesson: state.lesson?.place,
            now: titleOf(sections[state.current]),
            next: nextTitle(),
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
        const keys = solution.isOpen ? solution.keys : KEYS;
        if (typeof data.key === "string" && Object.hasOwn(keys, data.key)) {
            keys[data.key](data);
        }
        if (state.lesson && Number.isInteger(data.goTo) && state.lesson.go(data.goTo)) {
            showPart(state.lesson, "first");
        }
        // The second window knows when the lesson really began.
        const until = state.screen?.querySelector(".until");
        if (until && typeof data.until === "string") {
            until.textContent = data.until;
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
        const leads = own && link.pathname !== location.pathname && !/^\?teach/.test(link.search);
        if (leads && root.classList.contains("teaching")) {
            // A link without a section would lead back to the lesson's part.
            link.search = state.lesson ? `teach${state.lesson.query}&at=here` : "teach";
        }
    });
    window.addEventListener("resize", () => {
        if (root.classList.contains("teaching")) {
            pictures.fit();
        }
    });
    window.addEventListener("hashchange", () => {
        if (root.classList.contains("teaching")) {
            show(sectionOf(location.hash));
        }
    });
    // Back from that page, and the browser has kept this one: its address says where in the lesson it is.
    window.addEventListener("pageshow", ({ persisted }) => {
        if (persisted && state.isLeaving) {
            location.reload();
        }
    });
    document.body.addEventListener("keydown", onKey);
    root.addEventListener("teach", () => (root.classList.contains("teaching") ? end() : start()));
    start();
}
