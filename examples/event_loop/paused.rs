//! Step 7 of the event loop: it lives on when no descriptor is left.
//!
//!     cargo run --example event_loop_paused

mod client;
#[path = "accepts.rs"]
mod clients;

use std::io;

use clients::Clients;
use mio::{Events, Poll, net::TcpListener};
use site::{Options, Site};

fn main() -> io::Result<()> {
    let options = Options::of("event_loop_paused").read();
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "one thread that sleeps until a client is ready or late");
    listener.set_nonblocking(true)?;
    serve(TcpListener::from_std(listener), &site)
}

// ANCHOR: serve
/// Serves all clients on this thread.
fn serve(listener: TcpListener, site: &Site) -> io::Result<()> {
    let mut clients = Clients::new(listener, site, Poll::new()?)?;
    // How many events the loop takes from the system in one call.
    let mut events = Events::with_capacity(1024);
    loop {
        // Waits for clients here, and nowhere else, until something happens or a timer is due.
        clients.wait(&mut events)?;
        for event in &events {
            clients.happened(event);
        }
        clients.look_at_those_due();
    }
}
// ANCHOR_END: serve
