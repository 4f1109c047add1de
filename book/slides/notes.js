// The second window of the slides: the notes for teachers, a clock and the slide that comes next.
//
// Each page from a file is an origin of its own, so this window and the slides share no objects. They send each
// other messages: this one asks again and again, so a new page in the first window finds it; slides.js answers.
(() => {
    const WIDTH = 1280;
    // How often this window asks and its clocks go on, in milliseconds.
    const PERIOD = 500;

    const deck = window.opener;
    const fromFile = location.protocol === "file:";
    const byId = (id) => document.getElementById(id);

    /** The page that the slides told of, and the part that they are in. */
    let page = null;
    let part = null;
    /** When the notes were opened, and how long each part has been on the screen before; null until the slides said. */
    let times = null;
    let since = 0;

    const send = (message) => deck?.postMessage({ notes: true, ...message }, fromFile ? "*" : location.origin);

    // --- the clocks ---

    const two = (number) => String(number).padStart(2, "0");

    /** Adds the time since the last look to the part that is shown. */
    const count = () => {
        const now = Date.now();
        if (times && part) {
            times.parts[part.id] = (times.parts[part.id] ?? 0) + now - since;
        }
        since = now;
    };

    const tick = () => {
        count();
        const now = new Date();
        const seconds = Math.max(0, Math.floor((now - (times?.began ?? now)) / 1000));
        byId("clock").textContent = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
        byId("elapsed").textContent =
            `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
        byId("part").hidden = !part;
        if (part) {
            const spent = Math.floor((times.parts[part.id] ?? 0) / 1000);
            byId("part").textContent =
                `${part.name}: ${Math.floor(spent / 60)}:${two(spent % 60)} of ${part.minutes} minutes`;
            byId("part").classList.toggle("over", spent > part.minutes * 60);
        }
        send({ has: page, times });
    };

    // --- what the slides tell ---

    const takePage = ({ key, title, theme, base, styles, notes, times: before }) => {
        page = key;
        document.documentElement.className = theme;
        document.title = `Notes: ${title}`;
        document.querySelectorAll("base, link[data-book]").forEach((old) => old.remove());
        // A link of the notes opens a window of its own.
        document.head.prepend(Object.assign(document.createElement("base"), { href: base, target: "_blank" }));
        for (const href of styles) {
            const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
            link.dataset.book = "";
            document.head.append(link);
        }
        byId("notes").innerHTML = notes || "This page has no notes.";
        times ??= before ?? { began: Date.now(), parts: {} };
    };

    const takeSlide = ({ where, now, next, said, part: shown }) => {
        byId("where").textContent = where;
        byId("now").textContent = now;
        const box = byId("next");
        box.innerHTML = next
            ? '<div class="content deck small" aria-hidden="true"><main></main></div>'
            : "The end of this page.";
        if (next) {
            box.querySelector("main").innerHTML = next;
            const slide = box.querySelector(".slide");
            slide.classList.add("shown");
            slide.inert = true;
            slide.querySelectorAll("details").forEach((one) => {
                one.open = false;
            });
        }
        fit();
        byId("said").innerHTML = said || "Only what stands on the slide.";
        byId("said").scrollTop = 0;
        count();
        part = shown;
        for (const link of document.querySelectorAll('#notes a[href^="#"]')) {
            if (link.getAttribute("href") === part?.link) {
                link.setAttribute("aria-current", "true");
            } else {
                link.removeAttribute("aria-current");
            }
        }
        tick();
    };

    const fit = () => {
        const box = byId("next");
        box.querySelector(".small")?.style.setProperty("transform", `scale(${box.clientWidth / WIDTH})`);
    };

    window.addEventListener("message", ({ source, origin, data }) => {
        // Only the window that opened this one, and no page of the net that may be in it by now.
        if (
            !deck ||
            source !== deck ||
            !data?.slides ||
            (fromFile ? /^https?:/.test(origin) : origin !== location.origin)
        ) {
            return;
        }
        if (data.page) {
            takePage(data.page);
        }
        if (data.slide && times) {
            takeSlide(data.slide);
        }
    });

    // --- what leads the slides ---

    document.addEventListener("keydown", (event) => {
        const { key, shiftKey, target } = event;
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
        const button = event.target.closest("button");
        const link = event.target.closest('a[href^="#"]');
        if (button?.dataset.key) {
            send({ key: button.dataset.key });
            button.blur();
        } else if (button && times) {
            times.began = Date.now();
            tick();
        } else if (link) {
            event.preventDefault();
            send({ go: link.getAttribute("href") });
            link.blur();
        }
    });

    new ResizeObserver(fit).observe(byId("next"));
    setInterval(tick, PERIOD);
    tick();
})();
