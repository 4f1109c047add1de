// The keys of one letter, on every keyboard and only for who wants them, and the arrows where a caret is in code.

/**
 * The letter of a key that was pressed. A keyboard of another alphabet has another letter where ours has P (з, π, פ, ح),
 * and then the place of the key counts.
 * @param {KeyboardEvent} event
 */
function letterOf({ key, code }) {
    const isForeign = /^[\p{L}\p{M}]$/u.test(key) && !/\p{Script=Latin}/u.test(key);
    const place = /^Key([A-Z])$/.exec(code)?.[1];
    return (isForeign && place ? place : key).toLowerCase();
}

/**
 * Whether a key goes into a field, or with others does something else.
 * @param {KeyboardEvent} event
 */
function isTyped(event) {
    const field = targetOf(event).closest("textarea, select, input:not([type=radio], [type=range], [type=checkbox])");
    return field !== null || event.ctrlKey || event.altKey || event.metaKey;
}

{
    const SETTING = "letter-keys";
    let off = false;
    /** Also where the browser may store nothing; then it holds for this page. */
    const read = () => {
        try {
            off = localStorage.getItem(SETTING) === "off";
        } catch {}
    };

    /** @param {boolean} wanted */
    const turn = (wanted) => {
        off = !wanted;
        try {
            localStorage.setItem(SETTING, off ? "off" : "on");
        } catch {}
    };

    // Who dictates says letters that are meant for nobody (WCAG 2.2, 2.1.4). This comes before mdBook's keys and ours.
    window.addEventListener(
        "keydown",
        (event) => {
            if (off && /^\S$/u.test(event.key) && !isTyped(event)) {
                event.stopImmediatePropagation();
            }
        },
        true,
    );

    // mdBook searches when its own S is pressed.
    document.addEventListener("keydown", (event) => {
        if (letterOf(event) === "s" && event.key.toLowerCase() !== "s" && !isTyped(event)) {
            event.preventDefault();
            document.getElementById("mdbook-search-toggle")?.click();
        }
    });

    // The arrows scroll a box and move a caret. Without this, mdBook would turn the page as well.
    document.body.addEventListener("keydown", (event) => {
        const caret = getSelection()?.focusNode;
        const at = caret instanceof Element ? caret : caret?.parentElement;
        const own = targetOf(event).closest("main :is(.table-wrapper, pre, summary)") ?? at?.closest("main pre");
        if (["ArrowLeft", "ArrowRight"].includes(event.key) && own) {
            event.stopPropagation();
        }
    });

    read();
    window.addEventListener("storage", read);
    const place = document.querySelector(".letter-keys");
    if (place instanceof HTMLElement) {
        const change = () => turn(box.checked);
        const box = make("input", { type: "checkbox", change });
        box.checked = !off;
        place.append(make("label", {}, box, "Keys of one letter or sign do something"));
        place.hidden = false;
    }
}
