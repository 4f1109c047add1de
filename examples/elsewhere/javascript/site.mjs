// What the three servers in JavaScript share: the command line, the pages, and what is said to the user.
// It does for JavaScript what examples/site does for Rust, and runs in Node.js as in Deno.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** The limits of the contract, in bytes, lines and milliseconds. */
export const HEAD_LIMIT = 16 * 1024;
export const MAX_HEADERS = 100;
export const HEAD_TIME = 5000;
export const WRITE_TIME = 5000;
export const DRAIN_TIME = 1000;
export const DRAIN_LIMIT = 1024 * 1024;
export const GRACE_TIME = 5000;

/** The exit status after a second signal: what a shell shows for a program that Ctrl-C has ended. */
export const INTERRUPTED = 130;

const TEXT = "text/plain; charset=utf-8";
const HTML = "text/html; charset=utf-8";

/** The reason phrases of the statuses that the site has (RFC 9110, section 15). */
export const REASONS = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    414: "URI Too Long",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
    505: "HTTP Version Not Supported",
};

const pages = new URL("../../site/", import.meta.url);
const index = readFileSync(new URL("index.html", pages));
const hello = fileURLToPath(new URL("hello.html", pages));

/**
 * Reads the command line. Ends the process with status 2 on anything that is no option.
 *
 * @param {string} name
 */
export function readOptions(name) {
    // Node ends a program whose output can't be written, unless it listens for that error.
    for (const stream of [process.stdout, process.stderr]) {
        stream.on("error", () => {});
    }
    const flag = { type: /** @type {const} */ ("boolean"), default: false };
    try {
        const { values } = parseArgs({
            args: process.argv.slice(2),
            options: {
                port: { type: "string", default: "8080" },
                "keep-alive": flag,
                "panic-route": flag,
                help: { ...flag, short: "h" },
            },
        });
        if (values.help) {
            process.stdout.write(usage(name));
            process.exit(0);
        }
        const port = /^[0-9]{1,5}$/.test(values.port) ? Number(values.port) : Number.POSITIVE_INFINITY;
        if (port > 65535) {
            throw new Error(`--port takes a whole number from 0 to 65535, not "${values.port}"`);
        }
        return { name, port, keepAlive: values["keep-alive"], panicRoute: values["panic-route"] };
    } catch (error) {
        const [complaint] = error.message.split("\n");
        complain(`${name}: ${complaint}; --help lists the options`);
        process.exit(2);
    }
}

const usage = (name) => `Usage: ${name} [OPTIONS]

  --port N       listen on this port of 127.0.0.1 (default 8080; 0 takes any free one)
  --keep-alive   let a connection carry more than one request
  --panic-route  add a page /panic whose handler panics, to see what that does
  -h, --help     print this
`;

/** Prints a line on standard error, whether somebody listens or not. */
export function complain(line) {
    process.stderr.write(`${line}\n`);
}

/** Says in one line that the server is ready. Call it when everything is in place, signals included. */
export function announce(name, port, threads) {
    process.stdout.write(
        `${name}: listening on http://127.0.0.1:${port}/ with ${threads}, process id ${process.pid}\n`,
    );
}

/** Says in one line why the port can't be had, and ends the process with status 1. */
export function cannotListen(options, error) {
    const taken = error.code === "EADDRINUSE" || error.name === "AddrInUse";
    const why = taken ? "another program holds that port" : error.message;
    complain(
        `${options.name}: cannot listen on 127.0.0.1:${options.port}: ${why}; try --port 0, which takes any free one`,
    );
    process.exit(1);
}

/** A response before it is bytes. */
export function text(status, body) {
    return { status, type: TEXT, body };
}

/** The answer to a request that is refused: its status in words. */
export function refusal(status) {
    return text(status, `${status} ${REASONS[status]}\n`);
}

// ANCHOR: answer
/**
 * Does what a request asks for, and promises the answer.
 *
 * At each `await` this function is put aside, and the one thread runs what else is ready. Between two of them nothing
 * else runs, so no lock is needed, and a long computation stops the whole server.
 *
 * @param {{ panicRoute: boolean, nextTenth: () => number | Promise<number> }} site
 */
export async function answer(site, method, path, query) {
    if (site.panicRoute && path === "/panic") {
        throw new Error("somebody asked for /panic");
    }
    if (!["/", "/sleep", "/tenth", "/file", "/work", "*"].includes(path)) {
        return text(404, "404 Not Found: this site has the pages /, /sleep, /tenth, /file and /work.\n");
    }
    if (method !== "GET" && method !== "HEAD") {
        return text(405, "405 Method Not Allowed: this site answers GET and HEAD.\n");
    }
    switch (path) {
        // A timer counts whole milliseconds and may end within the last one, hence the one more.
        case "/sleep": {
            const ms = parameter(query, "ms", 100, 10_000);
            if (ms.refused) return ms.refused;
            await sleep(ms.value + 1);
            return text(200, `slept ${ms.value} ms\n`);
        }
        case "/tenth": {
            const ms = parameter(query, "ms", 2000, 10_000);
            if (ms.refused) return ms.refused;
            const number = await site.nextTenth();
            if (number % 10 !== 0) return text(200, `request ${number} did not wait\n`);
            await sleep(ms.value + 1);
            return text(200, `request ${number} waited ${ms.value} ms\n`);
        }
        case "/file":
            return fileAnswer();
        case "/work": {
            const rounds = parameter(query, "n", 100, 100_000);
            return rounds.refused ?? { status: 200, type: "application/json", body: compute(rounds.value) };
        }
        default:
            return { status: 200, type: HTML, body: index };
    }
}

/** Reads the file anew. Four threads of the runtime wait for the disk; this one does not. */
async function fileAnswer() {
    try {
        return { status: 200, type: HTML, body: await readFile(hello) };
    } catch (error) {
        if (error.code !== "EMFILE" && error.code !== "ENFILE") return refusal(500);
        return text(
            503,
            "503 Service Unavailable: every file that this server may open is open. Try again in a few seconds.\n",
        );
    }
}
// ANCHOR_END: answer

/** Makes a string and the JSON of a small object, so many times, and returns the last JSON. */
function compute(rounds) {
    let json = "{}";
    for (let round = 0; round < rounds; round += 1) {
        json = JSON.stringify({ street: "10 Downing Street", city: `Value: ${round}` });
    }
    return json;
}

/** The value of `name` in the query, or `usual` where the query does not name it. */
function parameter(query, name, usual, most) {
    const pair = query.split("&").find((pair) => pair.startsWith(`${name}=`));
    if (pair === undefined) return { value: usual };
    const digits = pair.slice(name.length + 1);
    if (/^[0-9]+$/.test(digits) && Number(digits) <= most) return { value: Number(digits) };
    return { refused: text(400, `400 Bad Request: ${name} must be a whole number from 0 to ${most}\n`) };
}

/**
 * Takes a request target apart: a path, an absolute `http` URL, or `*` (RFC 9112, section 3.2).
 * Nothing where it is none of these.
 */
export function splitTarget(target, method) {
    const parts = /^(?:http:\/\/([^/?]*))?(\/[^?#]*|\*)?(?:\?([^#]*))?$/i.exec(target);
    const isReadable = parts !== null && /^[!-~]*$/.test(target);
    const [, authority, path = "/", query = ""] = parts ?? [];
    const isStar = path === "*" && (authority !== undefined || method === "GET" || method === "HEAD");
    const isFine = authority === undefined ? parts?.[2] !== undefined : isAuthority(authority);
    return isReadable && isFine && !isStar ? { path, query } : undefined;
}

/** Whether this is a host with or without a port (RFC 9110, section 7.2). */
export function isAuthority(text) {
    return /^(?:\[[\w.~%!$&'()*+;=:-]+\]|[\w.~%!$&'()*+;=-]+)(?::[0-9]*)?$/.test(text);
}
