//! Step 1 of the event loop with the site: one thread, many clients, and no rest.
//!
//!     cargo run --example event_loop_busy

mod advance;

use std::{io, net::TcpListener};

use advance::Client;
use site::{Options, Site};

fn main() -> io::Result<()> {
    let options = Options::of("event_loop_busy").read();
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "one thread that never sleeps");
    listener.set_nonblocking(true)?;
    serve(listener, &site)
}

/// Asks the listener and each client whether there is something to do, again and again.
fn serve(listener: TcpListener, site: &Site) -> io::Result<()> {
    let mut clients = Vec::new();
    loop {
        // Returns immediately, with a client or with `WouldBlock`.
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(true)?;
            clients.push(Client::new(stream, site));
        }
        clients.retain_mut(|client| client.advance().unwrap_or(false));
    }
}
