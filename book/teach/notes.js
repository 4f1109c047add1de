// The second window of a page that is shown to a class: the page's notes for teachers, what comes next, and a clock.
//
// It asks every second, so it also finds the page to which the first window has gone in the meantime.

/**
 * @typedef {object} TeachMessage what teach.js tells
 * @property {string} base the page's address
 * @property {string} scheme light or dark
 * @property {string} place such as "3 of 22"
 * @property {string} now the title of the section that is shown
 * @property {string} next that of the section after it; empty at the end
 * @property {string} part the link to the part of the page that is being taught
 * @property {string} notes as HTML; empty where the page has none
 */
{
    const opener = /** @type {Window | null} */ (window.opener);
    const fromFile = location.protocol === "file:";
    let began = Date.now();
    let shown = "";

    /** @param {Record<string, unknown>} message */
    const send = (message) => opener?.postMessage({ fromNotes: true, ...message }, fromFile ? "*" : location.origin);

    /** @param {number} seconds */
    const clock = (seconds) =>
        [seconds / 3600, (seconds / 60) % 60, seconds % 60]
            .map((part) => String(Math.floor(part)).padStart(2, "0"))
            .join(":");

    const tick = () => {
        const now = new Date();
        need(document, "#since").textContent = clock((now.getTime() - began) / 1000);
        need(document, "#day").textContent = clock(now.getHours() * 3600 + now.getMinutes() * 60 + now.getSeconds());
        send({});
    };

    /** @param {TeachMessage} message */
    const take = ({ base, scheme, place, now, next, part, notes }) => {
        document.documentElement.style.colorScheme = scheme;
        need(document, "#place").textContent = place;
        need(document, "#now").textContent = now;
        need(document, "#next").textContent = next ? `Next: ${next}` : "The end of this page";
        // Where its links lead, each in a window of its own.
        document.head.querySelector("base")?.remove();
        document.head.prepend(make("base", { href: base, target: "_blank" }));
        if (notes !== shown) {
            need(document, "#notes").innerHTML = notes || "<p>This page has no notes.</p>";
            shown = notes;
        }
        for (const link of all(document, '#notes a[href^="#"]')) {
            const here = link.getAttribute("href") === part;
            furnish(link, { "aria-current": here ? "step" : false }, []);
            if (!here) {
                link.removeAttribute("aria-current");
            }
        }
    };

    window.addEventListener("message", ({ source, origin, data }) => {
        // Only the window that opened this one, and no page of the net that may be in it by now.
        const foreign = fromFile ? /^https?:/.test(origin) : origin !== location.origin;
        if (opener && source === opener && !foreign && typeof data?.notes === "string") {
            take(data);
        }
    });
    document.addEventListener("keydown", (event) => {
        const { key, shiftKey, ctrlKey, altKey, metaKey } = event;
        const leads = /^(Arrow(Left|Right)|Page(Up|Down)|Home|End| )$/.test(key);
        const pressed = targetOf(event).closest("a, button") && key === " ";
        if (leads && !pressed && !ctrlKey && !altKey && !metaKey) {
            event.preventDefault();
            send({ key, shiftKey });
        }
    });
    document.addEventListener("click", (event) => {
        const link = targetOf(event).closest('#notes a[href^="#"]');
        if (link) {
            event.preventDefault();
            send({ part: link.getAttribute("href") });
        } else if (targetOf(event).closest("#again")) {
            began = Date.now();
            tick();
        }
    });
    setInterval(tick, 1000);
    tick();
}
