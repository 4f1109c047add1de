// What all checks of a built book begin with: the book that is named on the command line, a server for it, and a
// headless Chromium that reaches nothing but this machine.

import { createReadStream, existsSync, mkdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, extname, join, resolve, sep } from "node:path";
import { chromium } from "playwright-core";

/** How long a page may take, in milliseconds. Generous, because a machine that is busy is no fault of the book. */
export const PATIENCE = 120_000;

/** The script that finds what keeps people from reading a page. */
export const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
};

/** Ends with 2: there was nothing to look at, or nothing to look with. */
export function giveUp(what) {
    console.error(what);
    process.exit(2);
}

/** The folder that the command line names, in which `file` shows that it is a built book. */
export function builtBook(file) {
    const folder = process.argv[2] && resolve(process.argv[2]);
    if (!folder || !existsSync(join(folder, file))) {
        const script = basename(process.argv[1]);
        giveUp(`usage: node ${script} FOLDER, where FOLDER is a built book (cargo xtask build), with its ${file}`);
    }
    return folder;
}

/** The folder for pictures that SCREENSHOTS names, made where it is missing; `undefined` where none is named. */
export function pictureFolder() {
    const shots = process.env.SCREENSHOTS && resolve(process.env.SCREENSHOTS);
    if (shots) {
        mkdirSync(shots, { recursive: true });
    }
    return shots;
}

/** Serves `folder` on 127.0.0.1, both under `prefix` and under /, and resolves to the origin. */
export function serve(folder, prefix = "/") {
    const server = createServer((request, response) => {
        let path;
        try {
            path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
        } catch {
            path = "/no such file";
        }
        path = path.startsWith(prefix) ? path.slice(prefix.length) : path.slice(1);
        const file = resolve(folder, path.endsWith("/") || path === "" ? `${path}index.html` : path);
        const inside = file.startsWith(folder + sep);
        if (!inside || !existsSync(file) || !statSync(file).isFile()) {
            response.writeHead(404, { "Content-Type": "text/plain" }).end("no such file\n");
            return;
        }
        const type = TYPES[extname(file)] ?? "application/octet-stream";
        response.writeHead(200, { "Content-Type": type, "Cache-Control": "max-age=60" });
        createReadStream(file).pipe(response);
    });
    return new Promise((done) => {
        server.listen(0, "127.0.0.1", () => {
            server.unref();
            done(`http://127.0.0.1:${server.address().port}`);
        });
    });
}

/** Whether a message only says that the lab, which is made of modules, can't be loaded from a file: its page says so. */
export function isLabInAFile(message) {
    return /^file:.*\/lab\/lab\.js/.test(message.location().url) || /'file:[^']*\/lab\/lab\.js'/.test(message.text());
}

/** Starts the browser that CHROMIUM names. */
export function launch() {
    const executablePath = process.env.CHROMIUM;
    if (!executablePath) {
        giveUp("set CHROMIUM to the path of a Chromium or Chrome executable");
    }
    // playwright-core adds --headless and a fresh --user-data-dir by itself.
    return chromium.launch({
        executablePath,
        // root can't have the sandbox.
        chromiumSandbox: process.getuid?.() !== 0,
        timeout: PATIENCE,
        args: [
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-gpu",
            "--disable-quic",
            "--disable-sync",
            "--no-first-run",
            // Nothing but this machine can be reached, whatever a page or the browser itself tries.
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        ],
    });
}
