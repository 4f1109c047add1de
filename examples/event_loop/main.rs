//! By hand: one thread, an event loop, and many clients.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example event_loop

mod client;
mod clients;

use std::{io, process, sync::Arc, thread};

use clients::{Clients, STOP};
use mio::{Events, Poll, Waker, net::TcpListener};
use site::{GRACE_TIME, Options, Site};

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::from_args("event_loop");
    let listener = options.bind();
    let (site, poll) = (Site::new(&options), Poll::new()?);
    stop_on_signal(&poll, &site)?;
    options.announce(&listener, "one thread for all connections");
    listener.set_nonblocking(true)?;
    serve(TcpListener::from_std(listener), &site, poll)
}
// ANCHOR_END: main

// ANCHOR: serve
/// Serves all clients on this thread until a signal comes, and then those that are in flight.
fn serve(listener: TcpListener, site: &Site, poll: Poll) -> io::Result<()> {
    let mut clients = Clients::new(listener, site, poll)?;
    // How many events the loop takes from the system in one call.
    let mut events = Events::with_capacity(1024);
    while !clients.is_over() {
        // Blocks here, and nowhere else, until something happens or the first timer is due.
        clients.wait(&mut events)?;
        events.iter().for_each(|event| clients.happened(event));
        clients.look_at_those_due();
    }
    Ok(())
}
// ANCHOR_END: serve

// ANCHOR: stop
/// On Ctrl-C or SIGTERM, tells the loop to stop, and gives what is in flight five seconds.
fn stop_on_signal(poll: &Poll, site: &Arc<Site>) -> io::Result<()> {
    let (waker, site) = (Waker::new(poll.registry(), STOP)?, Arc::clone(site));
    // The handler runs on a thread of its own, so it may block.
    let handler = move || {
        site.start_closing();
        // The loop waits for an event: this is one.
        let _ = waker.wake();
        // If `main` gets to its end first, the process is gone before this sleep is over.
        thread::sleep(GRACE_TIME);
        // Something is cut off, and the exit status says so.
        process::exit(1);
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)
}
// ANCHOR_END: stop
