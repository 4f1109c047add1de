//! Rung 1: one thread, one connection at a time.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch01_single_threaded

use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use site::{AcceptErrors, Options, Site, blocking};

// ANCHOR: main
fn main() {
    let options = Options::from_args("ch01_single_threaded");
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "one thread");
    serve(listener, &site);
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections and serves them, one after the other, for ever.
fn serve(listener: TcpListener, site: &Site) {
    let mut errors = AcceptErrors::new();
    // Blocks here until somebody connects.
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                // Blocks here until this client is served. All others wait in the backlog.
                // A panic or a lost client ends this connection, and must not end the server.
                let _ = catch_unwind(AssertUnwindSafe(|| blocking::handle(&stream, site)));
            }
            Err(error) => thread::sleep(errors.pause_after(&error)),
        }
    }
}
// ANCHOR_END: serve
