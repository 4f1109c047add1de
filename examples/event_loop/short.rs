//! Step 5 of the event loop: no read is in vain.
//!
//!     cargo run --example event_loop_short

mod reads;

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::time::Instant;

use mio::{Events, Interest, Poll, Registry, Token, net::TcpListener};
use reads::Client;
use site::{Options, Site};

const LISTENER: Token = Token(0);

fn main() -> io::Result<()> {
    let options = Options::of("event_loop_short").read();
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "one thread that sleeps until a client is ready or late");
    listener.set_nonblocking(true)?;
    serve(TcpListener::from_std(listener), &site)
}

// ANCHOR: serve
/// Sleeps until something happens, then looks only at the clients it concerns.
fn serve(mut listener: TcpListener, site: &Site) -> io::Result<()> {
    let mut poll = Poll::new()?;
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    let mut events = Events::with_capacity(64);
    let mut clients = HashMap::new();
    let mut last = LISTENER;
    loop {
        // Waits for clients here, and nowhere else, while the system watches all sockets.
        let first = clients.values().map(|client: &Client| client.due).min();
        let limit = first.map(|due| due.saturating_duration_since(Instant::now()));
        match poll.poll(&mut events, limit) {
            // A signal has ended the wait, as after Ctrl-Z and `fg`: there are no events.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            waited => waited?,
        }
        for event in &events {
            if event.token() == LISTENER {
                // All of them: the system says once that there are some.
                while let Ok((mut stream, _)) = listener.accept() {
                    // Each token is new, so an event can't reach another client.
                    last.0 += 1;
                    poll.registry().register(&mut stream, last, Interest::READABLE)?;
                    clients.insert(last, Client::new(stream, site));
                }
            } else if let Some(client) = clients.get_mut(&event.token()) {
                // New: the system tells it only once, so it is kept.
                client.finished |= event.is_read_closed();
                client.readable |= event.is_readable() || event.is_error() || client.finished;
                if !look_at(client, poll.registry()) {
                    clients.remove(&event.token());
                }
            }
        }
        // Those whose time is over, without an event.
        let now = Instant::now();
        clients.retain(|_, client| client.due > now || look_at(client, poll.registry()));
    }
}

/// Advances this client; `false` when it has ended.
fn look_at(client: &mut Client, registry: &Registry) -> bool {
    let stays = client.advance().unwrap_or(false);
    if !stays {
        // mio asks for this before the socket is closed.
        let _ = registry.deregister(&mut client.stream);
    }
    stays
}
// ANCHOR_END: serve
