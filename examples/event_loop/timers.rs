//! Step 3 of the event loop: no wait is longer than the earliest time limit.
//!
//!     cargo run --example event_loop_timers

use std::io::{self, ErrorKind, Read, Write};
use std::{collections::HashMap, fs, time::Instant};

use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};
use site::{Connection, Options, Site, Step, compute};

const LISTENER: Token = Token(0);

fn main() -> io::Result<()> {
    let options = Options::from_args("event_loop_timers");
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "one thread that sleeps until somebody is ready or late");
    listener.set_nonblocking(true)?;
    serve(TcpListener::from_std(listener), &site)
}

// ANCHOR: client
/// New: what was two local variables needs a name, because there is more to remember.
struct Client<'site> {
    stream: TcpStream,
    connection: Connection<'site>,
    /// When to look at this client, even if nothing happens.
    until: Instant,
    sleeps: bool,
}
// ANCHOR_END: client

// ANCHOR: serve
/// Sleeps until something happens or somebody's time is over.
fn serve(mut listener: TcpListener, site: &Site) -> io::Result<()> {
    let mut poll = Poll::new()?;
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    let (mut clients, mut last, mut events) = (HashMap::new(), LISTENER, Events::with_capacity(64));
    loop {
        let first = clients.values().map(|client: &Client| client.until).min();
        poll.poll(&mut events, first.map(|until| until.saturating_duration_since(Instant::now())))?;
        for event in &events {
            if event.token() == LISTENER {
                while let Ok((mut stream, _)) = listener.accept() {
                    last.0 += 1;
                    poll.registry().register(&mut stream, last, Interest::READABLE)?;
                    let (connection, until) = (Connection::new(site), Instant::now());
                    clients.insert(last, Client { stream, connection, until, sleeps: false });
                }
            } else if let Some(client) = clients.get_mut(&event.token())
                && !advance(client).unwrap_or(false)
            {
                clients.remove(&event.token());
            }
        }
        // New: those whose time is over.
        let now = Instant::now();
        clients.retain(|_, client| now < client.until || advance(client).unwrap_or(false));
    }
}
// ANCHOR_END: serve

// ANCHOR: advance
/// Goes on with one client until it has to wait; `false` when it has ended.
fn advance(client: &mut Client) -> io::Result<bool> {
    let mut buffer = [0; 4096];
    // An event may come while it sleeps.
    while !client.sleeps || client.until <= Instant::now() {
        client.sleeps = false;
        match client.connection.next_step() {
            Step::Read { within } => match client.stream.read(&mut buffer) {
                Ok(count) => client.connection.received(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    client.until = Instant::now() + within;
                    return Ok(true);
                }
                Err(error) => return Err(error),
            },
            // New: to sleep is to write down until when, and to return.
            Step::Sleep(pause) => (client.sleeps, client.until) = (true, Instant::now() + pause),
            Step::ReadFile(path) => client.connection.file_read(fs::read(path)),
            Step::Compute(rounds) => client.connection.computed(compute(rounds)),
            Step::Write(bytes) => client.stream.write_all(&bytes)?,
            Step::FinishWriting | Step::Close => return Ok(false),
        }
    }
    Ok(true)
}
// ANCHOR_END: advance
