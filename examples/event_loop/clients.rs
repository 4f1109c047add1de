//! The table of the clients, and the timers: who is looked at when.

use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use mio::net::{TcpListener, TcpStream};
use mio::{Interest, Registry, Token, event::Event};
use site::{AcceptErrors, Site};

use crate::client::Client;

/// The token of the event that somebody wants to be accepted.
pub const LISTENER: Token = Token(0);

/// The first client's token. Each next one is one higher: no client gets a token that another had.
const FIRST_CLIENT: Token = Token(16);

/// How many clients are accepted before those inside have their turn.
const ACCEPTED_AT_ONCE: usize = 1024;

// ANCHOR: clients
/// All that the thread has to know while it serves many clients.
pub struct Clients<'site> {
    /// `None` when the server stops.
    listener: Option<TcpListener>,
    site: &'site Site,
    registry: Registry,
    accept_errors: AcceptErrors,
    accept_due: Instant,
    table: HashMap<Token, Client<'site>>,
    next_token: Token,
    /// When to look at whom if no event comes. The earliest is the first.
    timers: BTreeSet<(Instant, Token)>,
    /// One for all: nobody leaves bytes in it between two steps.
    buffer: [u8; 4096],
}
// ANCHOR_END: clients

impl<'site> Clients<'site> {
    /// No client yet.
    pub fn new(listener: TcpListener, site: &'site Site, registry: Registry) -> Clients<'site> {
        Clients {
            listener: Some(listener),
            site,
            registry,
            accept_errors: AcceptErrors::new(),
            accept_due: Instant::now(),
            table: HashMap::new(),
            next_token: FIRST_CLIENT,
            timers: BTreeSet::new(),
            buffer: [0; 4096],
        }
    }

    /// Whether nobody is left, and nobody will come.
    pub fn is_over(&self) -> bool {
        self.listener.is_none() && self.table.is_empty()
    }

    // ANCHOR: timers
    /// How long nobody has to be looked at; `None` where that is for ever.
    pub fn time_left(&self) -> Option<Duration> {
        let (due, _) = self.timers.first()?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    /// Looks at those whose time has come, an event or not.
    pub fn look_at_those_due(&mut self) {
        let now = Instant::now();
        // Who is due again after its turn is due later than `now`, so this ends.
        while let Some(&(due, token)) = self.timers.first()
            && due <= now
        {
            self.timers.pop_first();
            self.look_at(token);
        }
    }
    // ANCHOR_END: timers

    // ANCHOR: happened
    /// The system says that something happened to a socket.
    pub fn happened(&mut self, event: &Event) {
        if let Some(client) = self.table.get_mut(&event.token()) {
            client.notice(event);
        }
        self.look_at(event.token());
    }

    fn look_at(&mut self, token: Token) {
        if token == LISTENER {
            return self.accept();
        }
        // Nobody has this token: the client has gone since, or the event only ended the wait.
        let Some(client) = self.table.get_mut(&token) else { return };
        self.timers.remove(&(client.due, token));
        // A panic or a lost client ends this connection, and must not end the server.
        let turn = catch_unwind(AssertUnwindSafe(|| client.turn(&mut self.buffer)));
        let stays = matches!(turn, Ok(Ok(true)));
        // When the server stops, nobody waits for a client that asked for nothing.
        if stays && (self.listener.is_some() || !client.is_idle()) {
            self.timers.insert((client.due, token));
        } else {
            // Closes the socket, and the system forgets that it was watched.
            self.table.remove(&token);
        }
    }
    // ANCHOR_END: happened

    // ANCHOR: accept
    /// Accepts until nobody is left who wants to be: the system says only once that there are some.
    fn accept(&mut self) {
        self.timers.remove(&(self.accept_due, LISTENER));
        for _ in 0..ACCEPTED_AT_ONCE {
            let Some(listener) = &self.listener else { return };
            match listener.accept() {
                Ok((stream, _)) => self.admit(stream),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) => {
                    let pause = self.accept_errors.pause_after(&error);
                    return self.accept_again(pause);
                }
            }
        }
        self.accept_again(Duration::ZERO);
    }

    /// No event will come for those who wait already, so a timer has to.
    fn accept_again(&mut self, pause: Duration) {
        self.accept_due = Instant::now() + pause;
        self.timers.insert((self.accept_due, LISTENER));
    }

    /// A new client, and what there is to do for it at once.
    fn admit(&mut self, mut stream: TcpStream) {
        let token = self.next_token;
        self.next_token.0 += 1;
        let both = Interest::READABLE | Interest::WRITABLE;
        // Where the system can't watch it, this client is lost.
        if self.registry.register(&mut stream, token, both).is_ok() {
            self.table.insert(token, Client::new(stream, self.site));
            self.look_at(token);
        }
    }
    // ANCHOR_END: accept

    // ANCHOR: stop
    /// Closes the listener, and lets those go who have asked for nothing.
    pub fn stop_accepting(&mut self) {
        if self.listener.take().is_none() {
            return;
        }
        let tokens: Vec<Token> = self.table.keys().copied().collect();
        for token in tokens {
            if let Some(client) = self.table.get_mut(&token) {
                // A request may have come of which no event has told yet: it is answered.
                client.readable = true;
            }
            self.look_at(token);
        }
    }
    // ANCHOR_END: stop
}
