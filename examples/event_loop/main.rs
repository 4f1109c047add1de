//! By hand: one thread, an event loop, and many clients.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example event_loop

mod client;
mod clients;
mod stop;

use std::io;

use clients::Clients;
use mio::{Events, Poll, net::TcpListener};
use site::{Options, Site};

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::of("event_loop").read();
    let listener = options.bind();
    let site = Site::new(&options);
    let poll = Poll::new()?;
    stop::on_signal(&site, &poll)?;
    options.announce(&listener, "one thread for all connections");
    listener.set_nonblocking(true)?;
    serve(TcpListener::from_std(listener), &site, poll)
}
// ANCHOR_END: main

// ANCHOR: serve
/// Serves all clients on this thread until a signal comes, and then the clients in flight.
fn serve(listener: TcpListener, site: &Site, poll: Poll) -> io::Result<()> {
    let mut clients = Clients::new(listener, site, poll)?;
    // How many events the loop takes from the system in one call.
    let mut events = Events::with_capacity(1024);
    while !clients.is_over() {
        // Waits for clients here, and nowhere else, until something happens or a timer is due.
        clients.wait(&mut events)?;
        for event in &events {
            clients.happened(event);
        }
        clients.look_at_those_due();
    }
    Ok(())
}
// ANCHOR_END: serve
