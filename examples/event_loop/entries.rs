//! The table of the clients of step 6, and the timers: which client is looked at, and when.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, ErrorKind};
use std::time::Instant;

use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token, event::Event};
use site::Site;

use crate::client::Client;

/// The token of the event that a client waits to be accepted.
const LISTENER: Token = Token(0);

// ANCHOR: clients
/// All that the thread has to know while it serves many clients.
pub struct Clients<'site> {
    poll: Poll,
    listener: TcpListener,
    site: &'site Site,
    table: HashMap<Token, Client<'site>>,
    /// One higher for each client, so no client gets a token that another client had.
    next: Token,
    /// When to look at a client if no event comes. The earliest is the first.
    timers: BTreeSet<(Instant, Token)>,
    /// One for all clients, because only one of them advances at a time.
    buffer: [u8; 4096],
}
// ANCHOR_END: clients

impl<'site> Clients<'site> {
    /// Makes a table without clients, and watches the listener.
    ///
    /// # Errors
    /// When the system can't watch the listener.
    pub fn new(mut listener: TcpListener, site: &'site Site, poll: Poll) -> io::Result<Self> {
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        Ok(Clients {
            poll,
            listener,
            site,
            table: HashMap::new(),
            next: Token(LISTENER.0 + 1),
            timers: BTreeSet::new(),
            buffer: [0; 4096],
        })
    }

    // ANCHOR: timers
    /// Sleeps until something happens or the first timer is due.
    ///
    /// # Errors
    /// Those of the system's call. A signal that only interrupts the sleep is none.
    pub fn wait(&mut self, events: &mut Events) -> io::Result<()> {
        let first = self.timers.first();
        let limit = first.map(|(due, _)| due.saturating_duration_since(Instant::now()));
        match self.poll.poll(events, limit) {
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            waited => waited,
        }
    }

    /// Looks at the clients whose time has come, with an event or without.
    pub fn look_at_those_due(&mut self) {
        let now = Instant::now();
        // A client that is due again is due later than `now`, so this ends.
        while let Some(&(due, token)) = self.timers.first().filter(|(due, _)| *due <= now) {
            self.timers.remove(&(due, token));
            self.look_at(token);
        }
    }
    // ANCHOR_END: timers

    // ANCHOR: happened
    /// The system says that something happened.
    pub fn happened(&mut self, event: &Event) {
        if let Some(client) = self.table.get_mut(&event.token()) {
            // The system tells it only once, so it is kept.
            client.finished |= event.is_read_closed();
            client.readable |= event.is_readable() || event.is_error() || client.finished;
        }
        self.look_at(event.token());
    }

    fn look_at(&mut self, token: Token) {
        if token == LISTENER {
            return self.accept();
        }
        // No client has this token if its client has gone since.
        let Some(mut client) = self.table.remove(&token) else { return };
        self.timers.remove(&(client.due, token));
        if client.advance(&mut self.buffer).unwrap_or(false) {
            self.timers.insert((client.due, token));
            self.table.insert(token, client);
        } else {
            // mio asks for this before the socket is closed.
            let _ = self.poll.registry().deregister(&mut client.stream);
        }
    }
    // ANCHOR_END: happened

    // ANCHOR: accept
    /// Accepts until no client waits any more: the system says only once that some do.
    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            self.admit(stream);
        }
    }

    /// Adds a client, and does what there is to do for it already.
    fn admit(&mut self, mut stream: TcpStream) {
        let token = self.next;
        self.next.0 += 1;
        let both = Interest::READABLE | Interest::WRITABLE;
        // Where the system can't watch it, this client is lost.
        if self.poll.registry().register(&mut stream, token, both).is_ok() {
            self.table.insert(token, Client::new(stream, self.site));
            self.look_at(token);
        }
    }
    // ANCHOR_END: accept
}
