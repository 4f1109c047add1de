// The second window of a page that is shown to a class: its notes for teachers, what comes next, and a clock.
//
// It is the page with all notes, of which it shows those of the page that is taught. It asks every second, so it also
// finds the page to which the first window has gone in the meantime.

/**
 * @typedef {object} TeachMessage what teach.js tells
 * @property {string} page the page's name, which is that of its notes
 * @property {string} place such as "3 of 22"
 * @property {string} now the title of the section that is shown
 * @property {string} next that of the section after it; empty at the end
 * @property {string[]} begun what can be linked to, up to the end of that section
 * @property {LessonPlace} [lesson] where the lesson is that is walked through, if one is
 */
{
    const main = need(document, "main");
    const opener = /** @type {Window} */ (window.opener);
    const fromFile = location.protocol === "file:";
    const since = make("span", { class: "since", title: "Since the notes were opened" });
    const day = make("span", { title: "The time of day" });
    const place = make("span", { class: "place" });
    const now = make("h1", {}, "Notes for teachers");
    const next = make("p");
    const none = make("p", { class: "none" }, "This page has no notes.");
    let began = Date.now();
    let page = "";
    /** @type {LessonPlan | undefined} */
    let plan;

    /** @param {Record<string, unknown>} message */
    const send = (message) => opener.postMessage({ fromNotes: true, ...message }, fromFile ? "*" : location.origin);

    /** @param {number} seconds */
    const clock = (seconds) =>
        [seconds / 3600, (seconds / 60) % 60, seconds % 60]
            .map((part) => String(Math.floor(part)).padStart(2, "0"))
            .join(":");

    const tick = () => {
        const time = new Date();
        since.textContent = clock((time.getTime() - began) / 1000);
        day.textContent = clock(time.getHours() * 3600 + time.getMinutes() * 60 + time.getSeconds());
        plan?.tick();
        send({ until: plan?.until });
    };

    const again = () => {
        began = Date.now();
        tick();
    };

    /**
     * Whether a link leads to the page that is taught.
     * @param {HTMLAnchorElement} link
     */
    const isToPage = ({ pathname, hash }) => hash !== "" && pageOf(pathname) === page;

    /**
     * Shows the lines of the lesson's part in place of the page's notes.
     * @param {LessonPlace} lesson
     */
    const takeLesson = (lesson) => {
        if (!window.LESSONS) {
            // This window was opened before the lesson.
            location.search = `?lesson=${lesson.name}`;
            return;
        }
        if (!plan?.isOf(lesson)) {
            plan?.line.remove();
            plan?.sheet.remove();
            plan = new LessonPlan(lesson, (goTo) => send({ goTo }));
            head.append(plan.line);
            main.append(plan.sheet);
        }
        plan.take(lesson.index);
        now.textContent = plan.title(lesson.index);
    };

    /** @param {TeachMessage} message */
    const take = (message) => {
        place.textContent = message.place;
        now.textContent = message.now;
        next.textContent = message.next ? `Next: ${message.next}` : "The end of this page";
        document.documentElement.classList.toggle("lesson", message.lesson !== undefined);
        if (message.lesson) {
            next.textContent = message.next && `Next: ${message.next}`;
            takeLesson(message.lesson);
            return;
        }
        if (message.page !== page) {
            page = message.page;
            const own = document.getElementById(page)?.closest(".sheet") ?? none;
            for (const element of main.children) {
                element.classList.toggle("shown", element === own);
            }
            window.scrollTo({ top: 0, behavior: "instant" });
        }
        /** @type {HTMLAnchorElement[]} */
        const links = all(main, ".shown a[href]");
        const parts = links.filter(isToPage);
        // The line "Parts" names them in their order.
        const line = parts[0]?.parentElement;
        const current = parts.findLast(({ hash, parentElement }) => {
            return parentElement === line && message.begun.includes(hash);
        });
        for (const part of parts) {
            if (part === current) {
                part.setAttribute("aria-current", "step");
            } else {
                part.removeAttribute("aria-current");
            }
        }
    };

    const head = make(
        "header",
        { class: "teach-head" },
        make("p", {}, since, make("button", { type: "button", click: again }, "from 0"), day, place),
        now,
        next,
    );
    document.documentElement.classList.add("notes");
    document.body.prepend(head);
    main.append(none);
    window.addEventListener("message", ({ source, origin, data }) => {
        // Only the window that opened this one, and no page of the net that may be in it by now.
        const foreign = fromFile ? /^https?:/.test(origin) : origin !== location.origin;
        if (source === opener && !foreign && typeof data?.page === "string") {
            take(data);
        }
    });
    document.body.addEventListener("keydown", (event) => {
        const { key, shiftKey, ctrlKey, altKey, metaKey } = event;
        const letter = letterOf(event);
        const leads = /^(Arrow(Left|Right)|Page(Up|Down)|Home|End| )$/.test(key) || /^[oaw]$/.test(letter);
        const pressed = targetOf(event).closest("a, button") && key === " ";
        // mdBook would turn this page, and P would teach it.
        event.stopPropagation();
        if (leads && !pressed && !ctrlKey && !altKey && !metaKey) {
            event.preventDefault();
            send({ key: /^[oaw]$/.test(letter) ? letter : key, shiftKey });
        }
    });
    main.addEventListener("click", (event) => {
        const link = targetOf(event).closest("a[href]");
        if (!(link instanceof HTMLAnchorElement) || link.pathname === location.pathname) {
            return;
        }
        if (isToPage(link)) {
            event.preventDefault();
            send({ part: link.hash });
        } else {
            link.target = "_blank";
        }
    });
    setInterval(tick, 1000);
    tick();
}
