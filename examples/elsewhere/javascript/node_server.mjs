// What node_http and each process of node_cluster do with a connection: node:http, with the limits of the contract.

import http from "node:http";
import process from "node:process";

import {
    answer,
    complain,
    DRAIN_LIMIT,
    DRAIN_TIME,
    GRACE_TIME,
    HEAD_LIMIT,
    HEAD_TIME,
    INTERRUPTED,
    isAuthority,
    MAX_HEADERS,
    REASONS,
    refusal,
    splitTarget,
    WRITE_TIME,
} from "./site.mjs";

// ANCHOR: server
/** A server with the contract's limits. */
export function createServer(site) {
    const server = http.createServer({
        maxHeaderSize: HEAD_LIMIT,
        headersTimeout: HEAD_TIME,
        requestTimeout: HEAD_TIME,
        // Node adds a second, so that a client with the same limit closes first.
        keepAliveTimeout: HEAD_TIME - 1000,
        // Without this line Node looks for clients that are late only every 30 seconds.
        connectionsCheckingInterval: 100,
        // The handler looks at Host itself, and more closely.
        requireHostHeader: false,
    });
    // A client that has finished sending may still read: without this line Node closes on it before the answer is
    // there. The manual does not name it.
    server.httpAllowHalfOpen = true;
    const handler = (request, response) => {
        const { socket } = request;
        unanswered.set(socket, response);
        // Node would go on reading, and one client that always has more to say would keep the thread for itself.
        socket.pause();
        response.once("close", () => {
            if (unanswered.get(socket) !== response) return;
            unanswered.delete(socket);
            socket.resume();
        });
        // A promise that fails and is not caught ends the process, with all other connections.
        serve(site, request, response).catch((error) => {
            complain(`a handler panicked: ${error.message}`);
            socket.destroy();
        });
    };
    server.on("request", handler);
    // A client that waits for "100 Continue" gets the answer instead, and keeps its body.
    server.on("checkContinue", handler);
    server.on("checkExpectation", handler);
    server.on("connect", (_request, socket) => refuse(socket, 400, false));
    server.on("clientError", refuseUnreadable);
    server.on("connection", (socket) => {
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
    });
    return server;
}

/** Answers one request. Node has read its head. */
async function serve(site, request, response) {
    const target = splitTarget(request.url, request.method);
    const refused = refusedStatus(request, target);
    const hasBody = "transfer-encoding" in request.headers || Number(request.headers["content-length"] ?? 0) > 0;
    const { status, type, body } = refused
        ? refusal(refused)
        : await answer(site, request.method, target.path, target.query);
    // Past a body that nobody reads the next request can't be found: such a connection ends.
    const keep = site.keepAlive && response.shouldKeepAlive && !hasBody && !refused && !site.closing;
    response.statusMessage = REASONS[status];
    response.setHeader("Content-Type", type);
    response.setHeader("Content-Length", Buffer.byteLength(body));
    if (status === 405) response.setHeader("Allow", "GET, HEAD");
    if (!keep) {
        ended.add(request.socket);
        response.setHeader("Connection", "close");
    }
    // A 1.0 client waits for these words; a 1.1 client takes them for granted, and Node would say them.
    if (keep && request.httpVersionMinor === 0) response.setHeader("Connection", "keep-alive");
    else if (keep) response.removeHeader("Connection");
    response.writeHead(status);
    limitWrite(response, request.socket);
    if (hasBody) {
        // The client gets its answer now; the connection ends when what it still sends has been read, within limits.
        response.flushHeaders();
        response.write(body);
        await drained(request);
        response.end();
    } else {
        response.end(body);
    }
}
// ANCHOR_END: server

/** A response that has not left after this time never will: its client does not read. */
function limitWrite(response, socket) {
    const timer = setTimeout(() => socket.destroy(), WRITE_TIME);
    response.on("close", () => clearTimeout(timer));
}

/** What the contract refuses and Node lets through; nothing for a request that is fine. */
function refusedStatus(request, target) {
    const hosts = request.headersDistinct.host ?? [];
    const isHostFine =
        hosts.length === 1 ? isAuthority(hosts[0]) : hosts.length === 0 && request.httpVersionMinor === 0;
    // Node's own limit leaves out what stands between the names and the values.
    const headers = request.rawHeaders.reduce((sum, part) => sum + part.length + 2, 0);
    const length = request.method.length + request.url.length + " HTTP/1.1\r\n\r\n".length + 1 + headers;
    if (request.rawHeaders.length > 2 * MAX_HEADERS || length > HEAD_LIMIT) return 431;
    // Only `chunked` says where a body ends, so it has to come last, and HTTP/1.0 does not know it.
    const coding = request.headers["transfer-encoding"]?.split(",").at(-1).trim().toLowerCase();
    const isCodingFine = coding === undefined || (coding === "chunked" && request.httpVersionMinor === 1);
    if (request.httpVersionMajor > 1) return 505;
    // A request line of two words is HTTP/0.9 to Node.
    const isFine = target !== undefined && isHostFine && isCodingFine && request.httpVersionMajor === 1;
    return isFine ? undefined : 400;
}

/** Reads what a client still sends of its body, and throws it away, within the contract's limits. */
function drained(request) {
    return new Promise((resolve) => {
        let left = DRAIN_LIMIT;
        const timer = setTimeout(resolve, DRAIN_TIME);
        const done = () => {
            clearTimeout(timer);
            resolve();
        };
        request.on("data", (bytes) => {
            left -= bytes.length;
            if (left <= 0) {
                request.pause();
                done();
            }
        });
        request.on("end", done);
        request.on("close", done);
    });
}

/** The last response that each connection waits for: what was read with its request may hold more of them. */
const unanswered = new WeakMap();

/** The connections that are open. */
const sockets = new Set();

/** Connections whose last response is on its way: what still arrives on them changes nothing. */
const ended = new WeakSet();

/** Node calls this for bytes that are no request, and for a client that is late. */
function refuseUnreadable(error, socket) {
    // The second is what Node calls bytes behind a request that asked for the end.
    if (ended.has(socket) || error.code === "HPE_CLOSED_CONNECTION") return;
    const before = unanswered.get(socket);
    if (before !== undefined) {
        before.once("close", () => refuseUnreadable(error, socket));
        return;
    }
    const seen = error.rawPacket?.toString("latin1") ?? "";
    const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    // The client has left, or never said a word: there is nobody to tell.
    const isGone = error.code === "ECONNRESET" || error.code === "HPE_INVALID_EOF_STATE" || !socket.writable;
    if (isGone || (isLate && socket.bytesRead === 0)) {
        socket.destroy();
        return;
    }
    let status = 400;
    if (isLate) status = 408;
    else if (error.code === "HPE_HEADER_OVERFLOW") status = isInTarget(seen) ? 414 : 431;
    else if (/^(?:\r\n)*[^ \r\n]+ [^ \r\n]+ HTTP\/(?!1\.[01]\r)[0-9]\.[0-9]\r\n/.test(seen)) status = 505;
    refuse(socket, status, /^(?:\r\n)*HEAD /.test(seen));
}

/** Whether the target has not ended where a head must have: one space, and no end of a line. */
function isInTarget(seen) {
    const head = seen.slice(0, HEAD_LIMIT);
    return head.split(" ").length === 2 && !head.includes("\r");
}

/** Answers a request that no handler sees, and closes when the client has, or after a second. */
function refuse(socket, status, isHead) {
    ended.add(socket);
    const { type, body } = refusal(status);
    socket.end(
        `HTTP/1.1 ${status} ${REASONS[status]}\r\nDate: ${new Date().toUTCString()}\r\nContent-Type: ${type}\r\n` +
            `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${isHead ? "" : body}`,
    );
    socket.resume();
    setTimeout(() => socket.destroy(), DRAIN_TIME).unref();
}

// ANCHOR: stop
/** Stops accepting, and gives what is in flight five seconds. */
export function stop(server, site) {
    // A second signal ends the process at once.
    if (site.closing) process.exit(INTERRUPTED);
    site.closing = true;
    server.close(() => process.exit(0));
    // Node lets go the connections that are idle now. One that is busy may be idle when its response has left, and one
    // that has not sent a byte is busy to Node.
    const endIdle = () => {
        server.closeIdleConnections();
        for (const socket of sockets) {
            if (socket.bytesRead === 0) socket.destroy();
        }
    };
    // An immediate comes after the loop has read what had arrived: a request is not taken for silence.
    setInterval(() => setImmediate(endIdle), 20);
    // By then something is cut off, and the exit status says so.
    setTimeout(() => process.exit(1), GRACE_TIME);
}
// ANCHOR_END: stop
