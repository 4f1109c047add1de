//! Wrong: an event loop that looks at no request but sends the same bytes for each read.
//!
//! No client could use it. It is the floor for `event_loop`: it has a table of its clients too, and makes as
//! many system calls. What a request costs more there is the parser, the response and the timers.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;

use mio::{Events, Interest, Poll, Token, net::TcpListener, net::TcpStream};
use site::{Connection, Site, Step};

use crate::options::{Fault, Options};

const LISTENER: Token = Token(0);

/// Answers without a look at the question, on connections that stay.
pub const FAULT: Fault = Fault {
    name: "parses-nothing",
    what: "an event loop that sends the same bytes for each read, and never closes",
    takes: &[],
    run,
};

fn run(options: &Options, _site: Arc<Site>) -> io::Result<()> {
    let listener = options.listen();
    let address = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let mut listener = TcpListener::from_std(listener);
    let mut poll = options.started("its event loop", Poll::new());
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    options.announce(address, "one thread for all connections");
    let answer = answer();
    let mut events = Events::with_capacity(1024);
    let mut clients = HashMap::new();
    let mut last = LISTENER;
    let mut buffer = [0; 4096];
    loop {
        match poll.poll(&mut events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            outcome => outcome?,
        }
        for event in &events {
            if event.token() == LISTENER {
                while let Ok((mut stream, _)) = listener.accept() {
                    last.0 += 1;
                    poll.registry().register(&mut stream, last, Interest::READABLE)?;
                    clients.insert(last, stream);
                }
            } else if let Some(stream) = clients.get_mut(&event.token())
                && (!answered(stream, &mut buffer, &answer) || event.is_read_closed())
            {
                // mio asks for this before the socket is closed.
                let _ = poll.registry().deregister(stream);
                clients.remove(&event.token());
            }
        }
    }
}

/// What a rung sends for `/` on a connection that stays.
fn answer() -> Vec<u8> {
    let site = Site::with_keep_alive(true);
    let mut connection = Connection::new(&site);
    connection.received(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    match connection.next_step() {
        Step::Write(bytes) => bytes,
        other => unreachable!("`/` needs no work before its answer: {other:?}"),
    }
}

/// One read and one write; whether the client is still there.
fn answered(stream: &mut TcpStream, buffer: &mut [u8], answer: &[u8]) -> bool {
    match stream.read(buffer) {
        Ok(0) => false,
        Ok(_) => stream.write_all(answer).is_ok(),
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}
