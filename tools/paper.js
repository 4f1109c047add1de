// Makes the page of all pages ready for paper and for an e-reader. tools/release.sh loads it.

// Left to itself the page opens the dialog for printing, and a browser without a window then drops what it was told to print.
window.print = () => {};

addEventListener("load", () => {
    for (const link of document.querySelectorAll("main a[href]")) {
        const address = link.getAttribute("href") ?? "";
        const isOutside = /^[a-z][a-z0-9+.-]*:/i.test(address);
        const isHere = address.startsWith("#") && document.getElementById(decodeURIComponent(address.slice(1)));
        // What leads to something that only the web has (`…html?teach`, a question of the lab) leads nowhere: its words stay.
        if (!isOutside && !isHere) {
            link.replaceWith(...link.childNodes);
        }
    }
});
