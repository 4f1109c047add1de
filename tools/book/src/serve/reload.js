// Put into each page on its way out: asks whether the book was built again, and loads the page anew, or says why not.
(() => {
    let seen;
    let box;
    const show = (error) => {
        if (!error) {
            box?.remove();
            box = undefined;
            return;
        }
        if (!box) {
            box = document.createElement("pre");
            box.setAttribute("role", "alert");
            box.style.cssText =
                "position:fixed;inset:auto 0 0 0;max-height:50vh;overflow:auto;margin:0;" +
                "padding:1em;z-index:10000;background:#7a0000;color:#fff;font:14px/1.4 monospace;white-space:pre-wrap";
            document.body.append(box);
        }
        box.textContent = `The book could not be built again; this is the last good version.\n${error}`;
    };
    const ask = async () => {
        try {
            const state = await (await fetch("/__version", { cache: "no-store" })).json();
            if (seen !== undefined && state.version !== seen) {
                location.reload();
                return;
            }
            seen = state.version;
            show(state.error);
        } catch {
            // The server is gone, or not back yet.
        }
        setTimeout(ask, 250);
    };
    ask();
})();
