// Reports what a server on Node does, from Node's diagnostics channels, so that its own files stay as they are. Node
// loads this file before them: NODE_OPTIONS=--import=… The lines are those of `trace`, next to this file.

import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import process from "node:process";

const file = process.env.OBSERVE_TRACE;

/** The number of each response, from 0. */
const numbers = new WeakMap();
let next = 0;

/** Nanoseconds of the monotonic clock, which is the same in all processes. */
const now = () => process.hrtime.bigint();

/** JavaScript runs on the main thread, which has the number of the process. */
function report(message, response, more = "") {
    const connection = `connection=${numbers.get(response)}`;
    appendFileSync(file, `${now()} ${process.pid} message=${message} ${connection}${more}\n`);
}

if (file) {
    subscribe("http.server.request.start", ({ request, response }) => {
        numbers.set(response, next);
        next += 1;
        report("open", response);
        report("request", response, ` request=${request.headers["x-request"]}`);
    });
    subscribe("http.server.response.finish", ({ response }) => report("close", response));
}
