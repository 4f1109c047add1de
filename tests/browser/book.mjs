// What all checks of a built book begin with: the book that is named on the command line, a server for it, and a
// headless Chromium that reaches nothing but this machine.

import { createReadStream, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, extname, join, resolve, sep } from "node:path";
import { createGzip } from "node:zlib";
import { chromium } from "playwright-core";

/** @typedef {import("playwright-core").Page} Page */

/** How long a page may take, in milliseconds. Generous, because a machine that is busy is no fault of the book. */
export const PATIENCE = 300_000;

/** The script that finds what keeps people from reading a page. */
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** @type {Record<string, string>} */
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

/**
 * Ends with 2: there was nothing to look at, or nothing to look with.
 * @param {string} what
 * @returns {never}
 */
export function giveUp(what) {
    console.error(what);
    process.exit(2);
}

/**
 * The folder that the command line names, in which `file` shows that it is a built book.
 * @param {string} file
 */
export function builtBook(file) {
    const folder = process.argv[2] && resolve(process.argv[2]);
    if (!folder || !existsSync(join(folder, file))) {
        const script = basename(process.argv[1]);
        giveUp(`usage: node ${script} FOLDER, where FOLDER is a built book (cargo xtask build), with its ${file}`);
    }
    return folder;
}

/**
 * Whether a file is the old address of a page that has moved: it shows nothing and leads on.
 * @param {string} folder
 * @param {string} file
 */
export function hasMoved(folder, file) {
    return readFileSync(join(folder, file), "utf8").includes('<meta http-equiv="refresh"');
}

/** The folder for pictures that SCREENSHOTS names, made where it is missing; `undefined` where none is named. */
export function pictureFolder() {
    const shots = process.env.SCREENSHOTS && resolve(process.env.SCREENSHOTS);
    if (shots) {
        mkdirSync(shots, { recursive: true });
    }
    return shots;
}

/** What web servers compress. */
const TEXT = /^text\/|json|svg/;

/**
 * Serves `folder` on 127.0.0.1, both under `prefix` and under /, and resolves to the origin.
 * @param {string} folder
 * @param {{ prefix?: string, compressed?: boolean, withoutEnding?: boolean }} [options] `compressed`: text is sent so;
 *   `withoutEnding`: /page stands for /page.html, which leads there, as some hosts have it
 * @returns {Promise<string>}
 */
export function serve(folder, { prefix = "/", compressed = false, withoutEnding = false } = {}) {
    const server = createServer((request, response) => {
        let path = "";
        try {
            path = decodeURIComponent(new URL(request.url ?? "", "http://localhost").pathname);
        } catch {
            path = "/no such file";
        }
        path = path.startsWith(prefix) ? path.slice(prefix.length) : path.slice(1);
        if (withoutEnding && path.endsWith(".html")) {
            response.writeHead(308, { Location: `${prefix}${path.slice(0, -".html".length)}` }).end();
            return;
        }
        path += withoutEnding && path !== "" && extname(path) === "" ? ".html" : "";
        const file = resolve(folder, path.endsWith("/") || path === "" ? `${path}index.html` : path);
        const inside = file.startsWith(folder + sep);
        if (!inside || !existsSync(file) || !statSync(file).isFile()) {
            response.writeHead(404, { "Content-Type": "text/plain" }).end("no such file\n");
            return;
        }
        const type = TYPES[extname(file)] ?? "application/octet-stream";
        const small = compressed && TEXT.test(type);
        const encoding = small ? { "Content-Encoding": "gzip" } : {};
        response.writeHead(200, { "Content-Type": type, "Cache-Control": "max-age=60", ...encoding });
        const bytes = createReadStream(file);
        (small ? bytes.pipe(createGzip()) : bytes).pipe(response);
    });
    return new Promise((done) => {
        server.listen(0, "127.0.0.1", () => {
            server.unref();
            const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
            done(`http://127.0.0.1:${port}`);
        });
    });
}

/**
 * Reports what a page complains about, and what it asks for elsewhere.
 * @param {Page} tab
 * @param {RegExp} allowed the addresses that it may ask for
 * @param {(what: string) => void} say
 */
export function watch(tab, allowed, say) {
    tab.on("console", (message) => {
        // A page that only leads on names no icon, so the browser asks its host for one.
        const isIcon = message.location().url.endsWith("/favicon.ico");
        if (["error", "warning"].includes(message.type()) && !isIcon) {
            say(`the console says: ${message.text()}`);
        }
    });
    tab.on("pageerror", (error) => say(`uncaught: ${error.message}`));
    tab.on("request", (request) => {
        const url = request.url();
        if (!/^(data|blob|about):/.test(url) && !allowed.test(url)) {
            say(`asks another host: ${url}`);
        }
    });
}

/**
 * What axe finds, a line each.
 * @param {Page} tab
 * @param {{ inside?: string, rules?: import("axe-core").RuleObject }} [where]
 * @returns {Promise<string[]>}
 */
export async function askAxe(tab, { inside = "html", rules = {} } = {}) {
    await tab.addScriptTag({ path: AXE });
    return tab.evaluate(
        async ([selector, wanted]) => {
            // It asks for the styles, which a page that is a file may not.
            const options = {
                resultTypes: /** @type {["violations"]} */ (["violations"]),
                preload: location.protocol !== "file:",
                rules: wanted,
            };
            const { violations } = await window.axe.run(selector === "html" ? document : selector, options);
            return violations.flatMap(({ id, nodes }) =>
                nodes.slice(0, 3).map(({ target, failureSummary }) => {
                    return `axe ${id}: ${target.join(" ")}: ${(failureSummary ?? "").replace(/\s+/g, " ")}`;
                }),
            );
        },
        /** @type {[string, import("axe-core").RuleObject]} */ ([inside, rules]),
    );
}

/** @type {string[]} */
const problems = [];

/**
 * Notes something that is wrong, once, and prints it.
 * @param {string} where
 * @param {string} what
 */
export function problem(where, what) {
    const line = `${where}: ${what.replace(/\s+/g, " ")}`;
    if (!problems.includes(line)) {
        problems.push(line);
        console.log(line);
    }
}

/**
 * Says how many problems there were, and ends: with 1 if there was any.
 * @param {string} looked what was looked at
 * @returns {never}
 */
export function finish(looked) {
    console.log(`${looked}, ${problems.length} problems`);
    process.exit(problems.length === 0 ? 0 : 1);
}

/**
 * Does something with each of these, so many at a time.
 * @template Item
 * @param {Item[]} items
 * @param {number} width
 * @param {(item: Item) => Promise<void>} work
 */
export async function each(items, width, work) {
    const queue = [...items];
    const worker = async () => {
        for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
            await work(item);
        }
    };
    await Promise.all(Array.from({ length: width }, worker));
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
