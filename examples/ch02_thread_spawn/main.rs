//! Rung 2: an operating-system thread for each connection.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch02_thread_spawn

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use site::{AcceptErrors, Options, Site, blocking};

// ANCHOR: main
fn main() {
    let options = Options::from_args("ch02_thread_spawn");
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "a thread for each connection");
    serve(listener, &site);
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections and gives each a thread of its own, for ever.
fn serve(listener: TcpListener, site: &Arc<Site>) {
    let mut errors = AcceptErrors::new();
    let mut connections = 0;
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                connections += 1;
                spawn(stream, Arc::clone(site), connections);
            }
            Err(error) => thread::sleep(errors.pause_after(&error)),
        }
    }
}
// ANCHOR_END: serve

// ANCHOR: spawn
/// New: serves one connection on a thread of its own, and returns at once.
fn spawn(stream: TcpStream, site: Arc<Site>, number: u64) {
    // Two owners: the thread, and this function, which needs the stream if there is no thread.
    let stream = Arc::new(stream);
    let for_thread = Arc::clone(&stream);
    let spawned = thread::Builder::new()
        .name(format!("connection-{number}"))
        // A panic ends this thread and this connection, and nothing else.
        .spawn(move || blocking::handle(&*for_thread, &site));
    // `thread::spawn` would panic here. The system is out of threads or memory, which costs
    // this client its answer, and must not cost everybody the server.
    if spawned.is_err() {
        let _ = blocking::refuse(&stream);
    }
}
// ANCHOR_END: spawn
