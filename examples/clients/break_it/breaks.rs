//! What is done to a server.

use std::{
    net::{SocketAddr, TcpStream},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use crate::client::{REQUEST, ask, connect, next_is_served, response, send};

/// Long enough for a server to do the wrong thing.
const PAUSE: Duration = Duration::from_millis(300);

/// Shorter than the 5 s that our servers wait for one read, so that each read of a drip comes in time.
const DRIP: Duration = Duration::from_secs(1);

/// One way to break a server.
pub struct Break {
    /// Its name on the command line.
    pub name: &'static str,
    /// What the client does.
    pub what: &'static str,
    /// Does it. Returns what was seen, or how the server broke.
    pub try_on: fn(SocketAddr) -> Result<String, String>,
}

/// All of them.
pub static BREAKS: [Break; 7] = [
    Break { name: "two-pieces", what: "a request arrives in two pieces", try_on: two_pieces },
    Break { name: "long-head", what: "a request has a cookie of 2,000 bytes", try_on: long_head },
    Break { name: "leave", what: "clients ask, and leave before the response", try_on: leave },
    Break { name: "silent", what: "a client connects and says nothing", try_on: silent },
    Break {
        name: "lost-response",
        what: "a client sends more than the server wants to read",
        try_on: lost_response,
    },
    Break { name: "panic", what: "a request is not UTF-8", try_on: panic },
    Break { name: "drip", what: "a client sends a byte each second, and never ends", try_on: drip },
];

fn two_pieces(server: SocketAddr) -> Result<String, String> {
    let stream = connect(server)?;
    // The cut is inside the empty line: a server that forgets the first piece finds none in the second.
    let (first, second) = REQUEST.as_bytes().split_at(REQUEST.len() - 2);
    send(&stream, first)?;
    thread::sleep(PAUSE);
    // A response that is here already answers half a request.
    stream.set_nonblocking(true).map_err(|error| error.to_string())?;
    if stream.peek(&mut [0]).is_ok() {
        return Err("it answered before the request was whole".to_owned());
    }
    stream.set_nonblocking(false).map_err(|error| error.to_string())?;
    send(&stream, second)?;
    wanted(response(&stream)?)
}

fn long_head(server: SocketAddr) -> Result<String, String> {
    let cookie = "c".repeat(2000);
    wanted(ask(
        server,
        REQUEST.replace("\r\n\r\n", &format!("\r\nCookie: {cookie}\r\n\r\n")).as_bytes(),
    )?)
}

fn leave(server: SocketAddr) -> Result<String, String> {
    // While the server waits for this client, the others come and go.
    let first = connect(server)?;
    for _ in 0..10 {
        send(&connect(server)?, REQUEST.as_bytes())?;
    }
    send(&first, REQUEST.as_bytes())?;
    wanted(response(&first)?)
}

fn silent(server: SocketAddr) -> Result<String, String> {
    let silent = connect(server)?;
    next_is_served(server)?;
    drop(silent);
    Ok("the next client has its response".to_owned())
}

fn lost_response(server: SocketAddr) -> Result<String, String> {
    let stream = connect(server)?;
    let body = [b'x'; 2000];
    send(&stream, &[form().as_bytes(), &body].concat())?;
    // The second half comes when the server has answered.
    thread::sleep(PAUSE);
    send(&stream, &body)?;
    response(&stream)
}

fn panic(server: SocketAddr) -> Result<String, String> {
    let response = ask(server, b"GET /caf\xe9 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    // A handler that panics may owe its own client the response, and no other.
    Ok(response.unwrap_or_else(|_| "this client got no response, but the next one does".to_owned()))
}

/// The request is whole. What never ends is the form behind it, which no server here wants.
fn drip(server: SocketAddr) -> Result<String, String> {
    let stream = &connect(server)?;
    send(stream, form().as_bytes())?;
    let (served, until_served) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || send_drops(stream, &until_served));
        let next = next_is_served(server);
        drop(served);
        next
    })?;
    Ok("the next client has its response".to_owned())
}

/// Until the next client is served, or the server takes no more.
fn send_drops(stream: &TcpStream, until_served: &Receiver<()>) {
    while until_served.recv_timeout(DRIP) == Err(RecvTimeoutError::Timeout) {
        if send(stream, b"x").is_err() {
            return;
        }
    }
}

/// The head of a request with a form of 4,000 bytes, which is still to come.
fn form() -> String {
    REQUEST.replace("GET", "POST").replace("\r\n\r\n", "\r\nContent-Length: 4000\r\n\r\n")
}

/// The status, if it is what a good request should get.
fn wanted(status: String) -> Result<String, String> {
    if status == "200 OK" { Ok(status) } else { Err(format!("{status} instead of 200 OK")) }
}
