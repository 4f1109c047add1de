//! Step 1 of the event loop: one thread, many clients, and no rest.
//!
//!     cargo run --example event_loop_busy

mod advance;

use std::{io, net::TcpListener};

use advance::advance;
use site::{Connection, Options, Site};

fn main() -> io::Result<()> {
    let options = Options::from_args("event_loop_busy");
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "one thread that never sleeps");
    serve(listener, &site)
}

// ANCHOR: serve
/// Asks the listener and each client whether there is something to do, again and again.
fn serve(listener: TcpListener, site: &Site) -> io::Result<()> {
    // From here on `accept` returns at once, with a client or with `WouldBlock`.
    listener.set_nonblocking(true)?;
    let mut clients = Vec::new();
    loop {
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(true)?;
            clients.push((stream, Connection::new(site)));
        }
        clients.retain_mut(|(stream, connection)| advance(stream, connection).unwrap_or(false));
    }
}
// ANCHOR_END: serve
