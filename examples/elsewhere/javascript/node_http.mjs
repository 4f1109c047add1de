// node_http: the site on node:http, one thread for all connections.
//
// Run it, then open http://127.0.0.1:8080/ in a browser:
//
//     cargo xtask run node_http

import process from "node:process";

import { createServer, stop } from "./node_server.mjs";
import { announce, cannotListen, readOptions } from "./site.mjs";

// ANCHOR: main
const options = readOptions("node_http");
let tenth = 0;
const site = {
    ...options,
    closing: false,
    // No other function runs between reading the number and writing it: there is but one thread.
    nextTenth: () => {
        tenth += 1;
        return tenth;
    },
};
const server = createServer(site);
server.on("error", (error) => cannotListen(options, error));
for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => stop(server, site));
}
// These two calls only say what is to happen. When this file has been read to its end, Node waits for events, and
// calls what belongs to each of them.
server.listen({ host: "127.0.0.1", port: options.port, backlog: 1024 }, () => {
    announce(options.name, server.address().port, "one thread for all connections");
});
// ANCHOR_END: main
