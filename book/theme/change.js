// The change from one program to the next: it alone, or the whole new file, and either to be copied without its signs.
{
    /**
     * The lines that are shown, of the new file alone.
     * @param {HTMLElement} pre
     */
    const shown = (pre) => {
        const code = /** @type {HTMLElement} */ (need(pre, "code").cloneNode(true));
        const left = pre.classList.contains("whole") ? "del" : "del, .only-whole";
        for (const element of all(code, left)) {
            element.remove();
        }
        return code.textContent ?? "";
    };

    /**
     * Copies by the browser's own command, which also works where a page comes from a file or from another machine.
     * @param {string} text
     */
    const copy = (text) => {
        const put = (/** @type {ClipboardEvent} */ event) => {
            event.clipboardData?.setData("text/plain", text);
            event.preventDefault();
            event.stopImmediatePropagation();
        };
        document.addEventListener("copy", put, { capture: true, once: true });
        const isCopied = document.execCommand("copy");
        document.removeEventListener("copy", put, { capture: true });
        return isCopied;
    };

    /** @param {HTMLElement} pre */
    const offer = (pre) => {
        const views = ["Change", "Whole file"].map((name, index) =>
            make("button", { type: "button", click: () => show(index === 1) }, name),
        );
        const show = (/** @type {boolean} */ isWhole) => {
            pre.classList.toggle("whole", isWhole);
            views.forEach((button, index) => {
                button.ariaPressed = String(isWhole === (index === 1));
            });
        };
        const copied = make("button", { type: "button" }, "Copy");
        copied.addEventListener("click", () => {
            copied.textContent = copy(shown(pre)) ? "Copied" : "Not copied";
            setTimeout(() => {
                copied.textContent = "Copy";
            }, 1500);
        });
        const group = make("span", { class: "views", role: "group", "aria-label": "What is shown" }, ...views, copied);
        pre.previousElementSibling?.append(group);
        show(false);
    };

    for (const pre of all(document, ".listing-head + pre.change")) {
        offer(pre);
    }
}
