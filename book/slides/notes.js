// The second window of the slides: the notes for teachers, a clock and the slide that comes next.
//
// Each page from a file is an origin of its own, so this window and the slides share no objects. They send each
// other messages: this one asks again and again, so a new page in the first window finds it; speaker.js answers.
{
    // How often this window asks and its clocks go on, in milliseconds.
    const PERIOD = 500;

    const opener = /** @type {Window | null} */ (window.opener);
    const fromFile = location.protocol === "file:";
    /** @param {string} id */
    const byId = (id) => need(document, `#${id}`);

    const told = {
        /** The page that the slides told of. @type {string | null} */
        page: null,
        /** The part that they are in. @type {SlideMessage["part"]} */
        part: null,
        /** Null until the slides said. @type {Times | null} */
        times: null,
        since: 0,
    };

    /** @param {Record<string, unknown>} message */
    const send = (message) => opener?.postMessage({ notes: true, ...message }, fromFile ? "*" : location.origin);

    // --- the clocks ---

    /** @param {number} number */
    const two = (number) => String(number).padStart(2, "0");

    /** Adds the time since the last look to the part that is shown. */
    const count = () => {
        const now = Date.now();
        const { times, part } = told;
        if (times && part) {
            times.parts[part.id] = (times.parts[part.id] ?? 0) + now - told.since;
        }
        told.since = now;
    };

    const tick = () => {
        count();
        const now = new Date();
        const { times, part } = told;
        const seconds = Math.max(0, Math.floor((now.getTime() - (times?.began ?? now.getTime())) / 1000));
        byId("clock").textContent = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(":");
        const elapsed = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
        byId("elapsed").textContent = elapsed.map(two).join(":");
        byId("part").hidden = !part;
        if (part) {
            const spent = Math.floor((times?.parts[part.id] ?? 0) / 1000);
            const time = `${Math.floor(spent / 60)}:${two(spent % 60)}`;
            byId("part").textContent = `${part.name}: ${time} of ${part.minutes} minutes`;
            byId("part").classList.toggle("over", spent > part.minutes * 60);
        }
        send({ has: told.page, times });
    };

    // --- what the slides tell ---

    /** @param {PageMessage} message */
    const takePage = ({ key, title, theme, base, styles, notes, times }) => {
        told.page = key;
        document.documentElement.className = theme;
        document.title = `Notes: ${title}`;
        for (const old of all(document, "base, link[data-book]")) {
            old.remove();
        }
        // A link of the notes opens a window of its own.
        document.head.prepend(make("base", { href: base, target: "_blank" }));
        document.head.append(...styles.map((href) => make("link", { rel: "stylesheet", href, "data-book": true })));
        byId("notes").innerHTML = notes || "This page has no notes.";
        told.times ??= times ?? { began: Date.now(), parts: {} };
    };

    /** The next slide is as wide as its place. */
    const fit = () => {
        const box = byId("next");
        const small = box.querySelector(".small");
        if (small instanceof HTMLElement) {
            small.style.transform = `scale(${box.clientWidth / 1280})`;
        }
    };

    /** @param {string} next */
    const preview = (next) => {
        const box = byId("next");
        if (!next) {
            box.textContent = "The end of this page.";
            return;
        }
        const main = make("main");
        main.innerHTML = next;
        box.replaceChildren(make("div", { class: "content deck wide small", "aria-hidden": "true" }, main));
        const slide = need(main, ".slide");
        slide.classList.add("shown");
        slide.inert = true;
        for (const details of slide.querySelectorAll("details")) {
            details.open = false;
        }
        fit();
    };

    /** @param {SlideMessage} message */
    const takeSlide = ({ where, now, next, said, part }) => {
        byId("where").textContent = where;
        byId("now").textContent = now;
        preview(next);
        byId("said").innerHTML = said || "Only the text on the slide.";
        byId("said").scrollTop = 0;
        count();
        told.part = part;
        for (const link of all(document, '#notes a[href^="#"]')) {
            if (link.getAttribute("href") === part?.link) {
                link.setAttribute("aria-current", "true");
            } else {
                link.removeAttribute("aria-current");
            }
        }
        tick();
    };

    window.addEventListener("message", ({ source, origin, data }) => {
        // Only the window that opened this one, and no page of the net that may be in it by now.
        const foreign = fromFile ? /^https?:/.test(origin) : origin !== location.origin;
        if (!opener || source !== opener || !data?.slides || foreign) {
            return;
        }
        if (data.page) {
            takePage(data.page);
        }
        if (data.slide && told.times) {
            takeSlide(data.slide);
        }
    });

    // --- what leads the slides ---

    document.addEventListener("keydown", (event) => {
        const { key, shiftKey } = event;
        const target = targetOf(event);
        const onControl = target.closest("button, summary, a") && [" ", "Enter"].includes(key);
        const scrolls = target.closest('[tabindex="0"]') && /^(Arrow(Up|Down)|Page|Home|End| )/.test(key);
        if (event.ctrlKey || event.metaKey || event.altKey || key === "Tab" || onControl || scrolls) {
            return;
        }
        send({ key, shiftKey });
        if (/^(Arrow|Page|Home|End| |Backspace)/.test(key)) {
            event.preventDefault();
        }
    });
    document.addEventListener("click", (event) => {
        const button = targetOf(event).closest("button");
        const link = targetOf(event).closest('a[href^="#"]');
        if (button?.dataset.key) {
            send({ key: button.dataset.key });
            button.blur();
        } else if (button && told.times) {
            told.times.began = Date.now();
            tick();
        } else if (link instanceof HTMLElement) {
            event.preventDefault();
            send({ go: link.getAttribute("href") });
            link.blur();
        }
    });

    new ResizeObserver(fit).observe(byId("next"));
    setInterval(tick, PERIOD);
    tick();
}
