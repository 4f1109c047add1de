//! No fault: rung 2 once more, a thread for each connection, so that experiments compare like with
//! like.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::{io, thread};

use site::{AcceptErrors, Site, blocking};

use crate::options::{Fault, Options};

/// The correct server.
pub const FAULT: Fault = Fault {
    name: "none",
    what: "nothing is wrong: a thread for each connection, as in rung 2",
    takes: &["--keep-alive"],
    run,
};

/// What the threads are, in the line that is printed.
pub const THREADS: &str = "a thread for each connection";

/// What serves a connection from its first byte to its last.
pub type Handler = fn(&TcpStream, &Site) -> io::Result<()>;

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    let listener = options.listen();
    options.announce(listener.local_addr()?, THREADS);
    serve(listener, &site, correct);
    Ok(())
}

/// The handler of rungs 1 to 3.
pub fn correct(stream: &TcpStream, site: &Site) -> io::Result<()> {
    blocking::handle(stream, site)
}

/// Accepts connections and gives each its own thread, forever.
pub fn serve(listener: TcpListener, site: &Arc<Site>, handle: Handler) {
    let mut errors = AcceptErrors::new();
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => spawn(stream, Arc::clone(site), handle),
            Err(error) => thread::sleep(errors.pause_after(&error)),
        }
    }
}

/// Serves one connection on its own thread, and returns immediately.
pub fn spawn(stream: TcpStream, site: Arc<Site>, handle: Handler) {
    // Two owners: the thread, and this function, which needs the stream if there is no thread.
    let stream = Arc::new(stream);
    let for_thread = Arc::clone(&stream);
    let spawned = thread::Builder::new().spawn(move || handle(&for_thread, &site));
    if spawned.is_err() {
        let _ = blocking::refuse(&stream);
    }
}
