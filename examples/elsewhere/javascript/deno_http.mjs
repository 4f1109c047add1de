// deno_http: the site on Deno.serve, one thread for all connections.
//
// Run it, then open http://127.0.0.1:8080/ in a browser:
//
//     cargo xtask run deno_http

import {
    announce,
    answer,
    cannotListen,
    complain,
    GRACE_TIME,
    INTERRUPTED,
    readOptions,
    refusal,
    splitTarget,
} from "./site.mjs";

// ANCHOR: main
const options = readOptions("deno_http");
let tenth = 0;
let closing = false;
const site = {
    ...options,
    nextTenth: () => {
        tenth += 1;
        return tenth;
    },
};

// ANCHOR: serve
/** Answers one request. Below this function is hyper, the HTTP library that Rust's frameworks use as well. */
async function serve(request) {
    // Deno gives the whole URL, with the host that the client named.
    const target = splitTarget(request.url, request.method);
    const { status, type, body } = target
        ? await answer(site, request.method, target.path, target.query)
        : refusal(400);
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const headers = new Headers({ "Content-Type": type, "Content-Length": String(bytes.length) });
    if (status === 405) headers.set("Allow", "GET, HEAD");
    // `request.body` is a stream for a POST without a body, too.
    const hasBody = request.headers.has("Transfer-Encoding") || (request.headers.get("Content-Length") ?? "0") !== "0";
    if (!options.keepAlive || closing || hasBody || !target) headers.set("Connection", "close");
    return new Response(request.method === "HEAD" ? null : bytes, { status, headers });
}
// ANCHOR_END: serve

/** Stops accepting, and gives what is in flight five seconds. */
async function stop() {
    // A second signal ends the process at once.
    if (closing) Deno.exit(INTERRUPTED);
    closing = true;
    // By then something is cut off, and the exit status says so.
    setTimeout(() => Deno.exit(1), GRACE_TIME);
    await server.shutdown();
    Deno.exit(0);
}

const server = listen();

function listen() {
    try {
        return Deno.serve(
            {
                hostname: "127.0.0.1",
                port: options.port,
                // There is no option for a limit of time: a client that says nothing stays connected.
                onListen: ({ port }) => {
                    for (const signal of ["SIGINT", "SIGTERM"]) {
                        Deno.addSignalListener(signal, stop);
                    }
                    announce(options.name, port, "one thread for all connections");
                },
                onError: (error) => {
                    complain(`a handler panicked: ${error.message}`);
                    const { type, body } = refusal(500);
                    return new Response(body, { status: 500, headers: { "Content-Type": type, Connection: "close" } });
                },
            },
            serve,
        );
    } catch (error) {
        return cannotListen(options, error);
    }
}
// ANCHOR_END: main
