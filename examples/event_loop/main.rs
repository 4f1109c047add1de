//! By hand: one thread, an event loop, and many clients.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example event_loop

mod client;
mod clients;

use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, process, sync::Arc, thread};

use clients::{Clients, LISTENER};
use mio::{Events, Interest, Poll, Token, Waker, net::TcpListener};
use site::{GRACE_TIME, Options, Site};

/// The token of the event that ends the wait when the server is to stop.
const STOP: Token = Token(1);

/// How many events the loop takes from the system in one call.
const EVENTS: usize = 1024;

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::from_args("event_loop");
    let listener = options.bind();
    let site = Site::new(&options);
    let poll = Poll::new()?;
    let stop = stop_on_signal(&poll, &site)?;
    options.announce(&listener, "one thread for all connections");
    listener.set_nonblocking(true)?;
    serve(TcpListener::from_std(listener), &site, poll, &stop)
}
// ANCHOR_END: main

// ANCHOR: serve
/// Serves all clients on this thread until `stop` is set, and then those that are in flight.
fn serve(
    mut listener: TcpListener,
    site: &Site,
    mut poll: Poll,
    stop: &AtomicBool,
) -> io::Result<()> {
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    let mut clients = Clients::new(listener, site, poll.registry().try_clone()?);
    let mut events = Events::with_capacity(EVENTS);
    while !clients.is_over() {
        // Blocks here, and nowhere else, until something happens or the first timer is due.
        match poll.poll(&mut events, clients.time_left()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            outcome => outcome?,
        }
        if stop.load(Ordering::Relaxed) {
            clients.stop_accepting();
        }
        for event in &events {
            clients.happened(event);
        }
        clients.look_at_those_due();
    }
    Ok(())
}
// ANCHOR_END: serve

// ANCHOR: stop
/// On Ctrl-C or SIGTERM, wakes the loop to stop, and gives what is in flight five seconds.
fn stop_on_signal(poll: &Poll, site: &Arc<Site>) -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let waker = Waker::new(poll.registry(), STOP)?;
    let (site, stopping) = (Arc::clone(site), Arc::clone(&stop));
    // The handler runs on a thread of its own, so it may block.
    let handler = move || {
        stopping.store(true, Ordering::Relaxed);
        site.start_closing();
        // The loop may wait for an event: this is one.
        let _ = waker.wake();
        // If `main` gets to its end first, the process is gone before this sleep is over.
        thread::sleep(GRACE_TIME);
        // Something is cut off, and the exit status says so.
        process::exit(1);
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)?;
    Ok(stop)
}
// ANCHOR_END: stop
