//! What the wrong event loops share: the loop of `event_loop`, small, with the habit that tells each of them apart.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, mem};

use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token, event::Event};
use site::{AcceptErrors, Connection, HEAD_TIME, Site, Step, compute};

use crate::options::Options;

const LISTENER: Token = Token(0);

/// What the loops do differently.
#[derive(Clone, Copy)]
pub struct Habits {
    /// How many clients it accepts for an event that says that there are some.
    pub accepts: usize,
    /// How often it reads for an event that says that there are bytes.
    pub reads: usize,
    /// How many steps one client takes before the loop goes on to others.
    pub steps: usize,
    /// Whether it comes back by itself to a client that has had its share.
    pub comes_back: bool,
    /// Whether a token is given away again when its client has gone.
    pub reuses_tokens: bool,
    /// Whether it leaves the listener alone for a while when no client can be accepted.
    pub pauses: bool,
}

/// The habits of the loop that is right.
pub const RIGHT: Habits = Habits {
    accepts: usize::MAX,
    reads: usize::MAX,
    steps: 64,
    comes_back: true,
    reuses_tokens: false,
    pauses: true,
};

struct Client<'site> {
    stream: TcpStream,
    connection: Connection<'site>,
    sleeps: bool,
    due: Instant,
}

struct Loop<'site> {
    habits: Habits,
    site: &'site Site,
    poll: Poll,
    listener: TcpListener,
    accept_errors: AcceptErrors,
    clients: HashMap<Token, Client<'site>>,
    last: Token,
    /// Whom to look at when. What a client that has gone leaves here finds no client.
    timers: BTreeSet<(Instant, Token)>,
}

/// Serves all clients on this thread, forever.
pub fn run(options: &Options, site: &Arc<Site>, habits: Habits) -> io::Result<()> {
    let listener = options.listen();
    let address = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let mut listener = TcpListener::from_std(listener);
    let poll = options.started("its event loop", Poll::new());
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    options.announce(address, "one thread for all connections");
    let mut event_loop = Loop {
        habits,
        site,
        poll,
        listener,
        accept_errors: AcceptErrors::new(),
        clients: HashMap::new(),
        last: LISTENER,
        timers: BTreeSet::new(),
    };
    event_loop.serve()
}

impl Loop<'_> {
    fn serve(&mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        loop {
            let first = self.timers.first();
            let wait = first.map(|(due, _)| due.saturating_duration_since(Instant::now()));
            match self.poll.poll(&mut events, wait) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                outcome => outcome?,
            }
            let later = self.timers.split_off(&(Instant::now(), LISTENER));
            let due = mem::replace(&mut self.timers, later);
            for (_, token) in due {
                // A client has one timer, so this must be the end of its sleep.
                if let Some(client) = self.clients.get_mut(&token) {
                    client.sleeps = false;
                }
                self.look_at(token);
            }
            for event in &events {
                self.happened(event);
            }
        }
    }

    // ANCHOR: happened
    fn happened(&mut self, event: &Event) {
        if event.is_error() {
            // A connection that its client has reset is lost.
            self.end(event.token());
        } else {
            self.look_at(event.token());
        }
    }
    // ANCHOR_END: happened

    fn look_at(&mut self, token: Token) {
        if token == LISTENER {
            return self.accept();
        }
        let Some(client) = self.clients.get_mut(&token) else { return };
        match client.advance(self.habits) {
            Ok(Some(due)) => {
                self.timers.remove(&(client.due, token));
                client.due = due;
                self.timers.insert((due, token));
            }
            Ok(None) | Err(_) => self.end(token),
        }
    }

    /// Closes this client's connection. Before that the system stops watching it, as mio asks.
    fn end(&mut self, token: Token) {
        if let Some(mut client) = self.clients.remove(&token) {
            let _ = self.poll.registry().deregister(&mut client.stream);
        }
    }

    fn accept(&mut self) {
        for _ in 0..self.habits.accepts {
            match self.listener.accept() {
                Ok((stream, _)) => self.admit(stream),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) => {
                    let pause = self.accept_errors.pause_after(&error);
                    let pause = if self.habits.pauses { pause } else { Duration::ZERO };
                    self.timers.insert((Instant::now() + pause, LISTENER));
                    return;
                }
            }
        }
    }

    // ANCHOR: token
    /// The token of a new client.
    fn token(&mut self) -> Token {
        if self.habits.reuses_tokens {
            // The lowest that is free, as the system does it with descriptors.
            let free = (1..).map(Token).find(|token| !self.clients.contains_key(token));
            free.expect("there are more tokens than clients")
        } else {
            self.last.0 += 1;
            self.last
        }
    }
    // ANCHOR_END: token

    fn admit(&mut self, mut stream: TcpStream) {
        let token = self.token();
        let both = Interest::READABLE | Interest::WRITABLE;
        if self.poll.registry().register(&mut stream, token, both).is_ok() {
            let connection = Connection::new(self.site);
            let due = Instant::now();
            self.clients.insert(token, Client { stream, connection, sleeps: false, due });
            self.look_at(token);
        }
    }
}

impl Client<'_> {
    /// Goes on until it has to wait or has had its share: when to look at it again. `None` when it has ended.
    fn advance(&mut self, habits: Habits) -> io::Result<Option<Instant>> {
        let mut buffer = [0; 4096];
        let mut reads = 0;
        for _ in 0..habits.steps {
            if self.sleeps {
                return Ok(Some(self.due));
            }
            match self.connection.next_step() {
                Step::Read { within } if reads == habits.reads => {
                    return Ok(Some(Instant::now() + within));
                }
                Step::Read { within } => match self.stream.read(&mut buffer) {
                    Ok(0) => self.connection.ended(),
                    Ok(count) => {
                        reads += 1;
                        self.connection.received(&buffer[..count]);
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        return Ok(Some(Instant::now() + within));
                    }
                    Err(error) => return Err(error),
                },
                Step::Sleep(pause) => {
                    self.sleeps = true;
                    return Ok(Some(Instant::now() + pause));
                }
                Step::ReadFile(path) => self.connection.file_read(fs::read(path)),
                Step::Compute(rounds) => self.connection.computed(compute(rounds)),
                // The rung waits here for a client that reads slowly; this one gives it up.
                Step::Write(bytes) => self.stream.write_all(&bytes)?,
                Step::FinishWriting => self.stream.shutdown(Shutdown::Write)?,
                Step::Close => return Ok(None),
            }
        }
        // ANCHOR: share
        // It has had its share. There may be more to do, of which no event will tell.
        let again = if habits.comes_back { Duration::ZERO } else { HEAD_TIME };
        Ok(Some(Instant::now() + again))
        // ANCHOR_END: share
    }
}
