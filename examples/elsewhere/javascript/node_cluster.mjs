// node_cluster: node_http once for each processor, as processes behind one port.
//
// Run it, then open http://127.0.0.1:8080/ in a browser:
//
//     cargo xtask run node_cluster

import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import process from "node:process";

import { createServer, stop } from "./node_server.mjs";
import { announce, cannotListen, GRACE_TIME, INTERRUPTED, readOptions } from "./site.mjs";

const options = readOptions("node_cluster");
const SIGNALS = ["SIGINT", "SIGTERM"];

// `fork` starts this file once more, as a process of its own, and there isPrimary is false.
if (cluster.isPrimary) {
    lead();
} else {
    work();
}

// ANCHOR: primary
/** The first process: accepts the connections, hands each to a worker in turn, and counts for /tenth. */
function lead() {
    const count = availableParallelism();
    let tenth = 0;
    let listening = 0;
    let running = count;
    let status = 0;
    let closing = false;
    for (const signal of SIGNALS) {
        process.on(signal, () => {
            // A second signal ends this process at once, and Node ends the workers, which have lost it.
            if (closing) process.exit(INTERRUPTED);
            closing = true;
            for (const worker of Object.values(cluster.workers)) {
                if (worker.isConnected()) worker.send("stop");
            }
            setTimeout(() => process.exit(1), GRACE_TIME + 500).unref();
        });
    }
    cluster.on("message", (worker, message) => {
        if (message === "tenth") {
            // The processes share no memory: a worker that wants the next number asks for it, and waits.
            tenth += 1;
            worker.send(tenth);
        } else {
            // Without the first process the others would complain that they can't reach it.
            for (const other of Object.values(cluster.workers)) other.process.kill("SIGKILL");
            cannotListen(options, message);
        }
    });
    cluster.on("listening", (_worker, address) => {
        listening += 1;
        if (listening === count) announce(options.name, address.port, `${count} processes of one thread each`);
    });
    cluster.on("exit", (_worker, code) => {
        running -= 1;
        status ||= code === 0 ? 0 : 1;
        if (running === 0) process.exit(status);
    });
    for (let number = 0; number < count; number += 1) {
        cluster.fork();
    }
}
// ANCHOR_END: primary

// ANCHOR: worker
/** One of the others: node_http, but that its connections come from the first process. */
function work() {
    const waiting = [];
    const nextTenth = () =>
        new Promise((resolve) => {
            // The numbers come in the order in which they were asked for.
            waiting.push(resolve);
            process.send("tenth");
        });
    const site = { ...options, closing: false, nextTenth };
    const server = createServer(site);
    server.on("error", ({ code, message }) => process.send({ code, message }));
    // Where the first process was killed, nobody reads the answer to its last message.
    cluster.worker.on("error", () => process.exit(1));
    process.on("message", (message) => (message === "stop" ? stop(server, site) : waiting.shift()(message)));
    // A terminal sends Ctrl-C to all processes. The first one tells the others.
    for (const signal of SIGNALS) {
        process.on(signal, () => {});
    }
    server.listen({ host: "127.0.0.1", port: options.port, backlog: 1024 });
}
// ANCHOR_END: worker
