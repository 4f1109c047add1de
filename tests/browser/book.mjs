// What all tests of the built book begin with: its folder and its pages, a server for it, and a page that may complain of
// nothing and asks no other host.

import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { createGzip } from "node:zlib";
import AxeBuilder from "@axe-core/playwright";
import { test as base, expect } from "@playwright/test";

export { expect };

/** @typedef {import("@playwright/test").Page} Page */

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

/** The folder of the built book. */
export const folder = resolve(process.env.BOOK ?? "../../target/book");
if (!existsSync(join(folder, "index.html"))) {
    throw new Error(`${folder} is no built book: build it (cargo xtask build), or set BOOK to the folder of one`);
}

/**
 * Whether a file is a page: not the old address of one that has moved, which leads on, nor the contents, which the others
 * show in a frame where there is no JavaScript.
 * @param {string} file
 */
function isPage(file) {
    const moved = () => readFileSync(join(folder, file), "utf8").includes('<meta http-equiv="refresh"');
    return file.endsWith(".html") && file !== "toc.html" && !moved();
}

/** All pages, with those for the printer and for a wrong address. */
export const everyPage = readdirSync(folder).filter(isPage);

/** The pages that readers read; the introduction is the first page, too. */
export const pages = everyPage.filter((file) => !["print.html", "404.html", "index.html"].includes(file));

/** What web servers compress. */
const TEXT = /^text\/|json|svg/;
/** A folder of a site, as GitHub Pages has it: a link that begins with a slash would leave the book. */
export const FOLDER = "book/";
/** A folder where /page stands for /page.html, which leads there, as some hosts have it. */
export const SHORT = "short/";

/**
 * The file that an address stands for, or where it leads.
 * @param {string} address
 */
function find(address) {
    let path = decodeURIComponent(new URL(address, "http://localhost").pathname).slice(1);
    const isShort = path.startsWith(SHORT);
    path = path.replace(isShort ? SHORT : FOLDER, "");
    if (isShort && path.endsWith(".html")) {
        return { leadsTo: `/${SHORT}${path.slice(0, -".html".length)}` };
    }
    path += isShort && path !== "" && extname(path) === "" ? ".html" : "";
    const file = resolve(folder, path || "index.html");
    return file.startsWith(folder + sep) && existsSync(file) && statSync(file).isFile() ? { file } : {};
}

/**
 * Serves the book on 127.0.0.1, in the folders that are named above and under /, and resolves to its server and its origin.
 * @returns {Promise<{ server: import("node:http").Server, origin: string }>}
 */
function serve() {
    const server = createServer((request, response) => {
        const { file, leadsTo } = find(request.url ?? "");
        if (leadsTo) {
            response.writeHead(308, { Location: leadsTo }).end();
            return;
        }
        if (!file) {
            response.writeHead(404, { "Content-Type": "text/plain" }).end("no such file\n");
            return;
        }
        const type = TYPES[extname(file)] ?? "application/octet-stream";
        const encoding = TEXT.test(type) ? { "Content-Encoding": "gzip" } : {};
        response.writeHead(200, { "Content-Type": type, "Cache-Control": "max-age=60", ...encoding });
        const bytes = createReadStream(file);
        (TEXT.test(type) ? bytes.pipe(createGzip()) : bytes).pipe(response);
    });
    return new Promise((done) => {
        server.listen(0, "127.0.0.1", () => {
            const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
            done({ server, origin: `http://127.0.0.1:${port}` });
        });
    });
}

/**
 * A reader with this screen, theme and browser.
 * @param {{ theme?: "light" | "dark", motion?: "reduce" | "no-preference", width?: number, height?: number, scripts?: boolean, phone?: boolean }} [options]
 */
export function reader({ theme, motion = "reduce", width = 1280, height = 844, scripts = true, phone = false } = {}) {
    return {
        colorScheme: theme ?? /** @type {const} */ ("light"),
        contextOptions: { reducedMotion: motion },
        viewport: { width, height },
        hasTouch: width < 500,
        isMobile: phone,
        javaScriptEnabled: scripts,
    };
}

/**
 * @typedef {import("@playwright/test").PlaywrightTestArgs & import("@playwright/test").PlaywrightTestOptions} Args
 * @typedef {import("@playwright/test").PlaywrightWorkerArgs & import("@playwright/test").PlaywrightWorkerOptions} WorkerArgs
 *
 * @type {import("@playwright/test").Fixtures<{ complaints: string[] }, { origin: string }, Args, WorkerArgs>}
 */
const fixtures = {
    origin: [
        // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its first parameter.
        async ({}, use) => {
            const { server, origin } = await serve();
            await use(origin);
            server.closeAllConnections();
            server.close();
        },
        { scope: "worker" },
    ],
    baseURL: ({ origin }, use) => use(`${origin}/`),
    /** What pages complain about, fail to load, or ask elsewhere: in each test, nothing. */
    complaints: [
        async ({ context, origin }, use) => {
            /** @type {string[]} */
            const complaints = [];
            context.on("console", (message) => {
                // A page that only leads on names no icon, so the browser asks its host for one.
                const isIcon = message.location().url.endsWith("/favicon.ico");
                if (["error", "warning"].includes(message.type()) && !isIcon) {
                    complaints.push(`the console says: ${message.text()}`);
                }
            });
            context.on("weberror", (error) => complaints.push(`uncaught: ${error.error().message}`));
            context.on("request", (request) => {
                const url = request.url();
                if (!/^(data|blob|about|file):/.test(url) && !url.startsWith(`${origin}/`)) {
                    complaints.push(`asks another host: ${url}`);
                }
            });
            context.on("requestfailed", (request) => {
                // Whoever leaves a page stops what it still loads.
                if (request.failure()?.errorText !== "net::ERR_ABORTED") {
                    complaints.push(`fails: ${request.url()}: ${request.failure()?.errorText}`);
                }
            });
            // print.html opens the browser's print dialogue.
            await context.addInitScript(() => {
                window.print = () => {};
            });
            await use(complaints);
            expect(complaints).toEqual([]);
        },
        { auto: true },
    ],
};

export const test = base.extend(fixtures);

/**
 * axe finds nothing in this part of a page.
 * @param {Page} page
 * @param {{ inside?: string, rules?: import("axe-core").RuleObject }} [where]
 */
export async function expectAccessible(page, { inside, rules = {} } = {}) {
    const axe = new AxeBuilder({ page }).options({
        resultTypes: ["violations"],
        // It asks for the styles, which a page that is a file may not.
        preload: !page.url().startsWith("file:"),
        rules,
    });
    const { violations } = await (inside ? axe.include(inside) : axe).analyze();
    const found = violations.flatMap(({ id, nodes }) =>
        nodes.slice(0, 3).map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
    expect.soft(found, "what axe finds").toEqual([]);
}

/**
 * axe finds nothing in the text, and the page fits the screen.
 * @param {Page} page
 */
export async function expectClean(page) {
    await expectAccessible(page, { inside: "main" });
    const beyond = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
    });
    expect.soft(beyond, "pixels beyond the edge of the screen").toBeLessThanOrEqual(0);
}
