// Offers the page as slides: `?slides` behind its address. What makes the slides is loaded only then.
(() => {
    const here = document.currentScript.src;
    // No room is kept for what won't come: modules don't load from files, and all pages in one play nothing.
    document.documentElement.classList.toggle("from-file", location.protocol === "file:");
    document.documentElement.classList.toggle("all-in-one", /\/print(-[a-z]+)?(\.html)?$/.test(location.pathname));
    const asked = new URLSearchParams(location.search);
    if (asked.has("slides") && document.querySelector("main h1")) {
        const style = document.createElement("link");
        style.rel = "stylesheet";
        style.href = new URL("../slides/slides.css", here).href;
        const script = document.createElement("script");
        script.src = new URL("../slides/slides.js", here).href;
        // The script measures what the style lays out.
        style.addEventListener("load", () => document.head.append(script));
        document.head.append(style);
        return;
    }
    // Only a page with something for teachers is presented.
    const summaries = [...document.querySelectorAll("main details > summary")];
    const taught =
        document.querySelectorAll("main h1").length === 1 &&
        summaries.some((summary) => summary.textContent.trim() === "For teachers");
    const buttons = document.querySelector("#mdbook-menu-bar .right-buttons");
    if (!taught || !buttons) {
        return;
    }
    const link = document.createElement("a");
    link.href = "?slides";
    link.className = "present";
    link.title = "Show this page as slides";
    link.textContent = "Slides";
    // They begin where the page is being read.
    link.addEventListener("click", () => {
        const headings = [...document.querySelectorAll("main :is(h2, h3)[id]")];
        const here = headings.findLast((one) => one.getBoundingClientRect().top < innerHeight / 3);
        link.href = `?slides${window.scrollY > 10 && here ? `#${here.id}` : ""}`;
    });
    buttons.prepend(link);
})();
