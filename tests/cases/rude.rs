//! Clients that are rude.

use std::{
    thread,
    time::{Duration, Instant},
};

use site::HEAD_TIME;

use super::{Target, still_answers};
use crate::{Client, Failure};

/// Clients that connect and leave, at any point of a request, with and without a word.
pub fn survives_rude_clients(server: &Target) -> Result<(), Failure> {
    for _ in 0..50 {
        drop(Client::connect(server)?);
    }
    for _ in 0..50 {
        Client::connect(server)?.reset();
    }
    for _ in 0..50 {
        let mut half = Client::connect(server)?;
        half.send("GET / HTTP/1.1\r\nHos")?;
        drop(half);
    }
    for target in ["/", "/sleep?ms=20", "/file", "/work?n=500"] {
        for _ in 0..20 {
            let mut hasty = Client::connect(server)?;
            hasty.get(server.page(target))?;
            hasty.reset();
        }
    }
    still_answers(server)
}

/// So many clients that have sent half a request each. The backlog has room for those that are not accepted.
pub fn half_open(server: &Target, count: usize) -> Result<Vec<Client>, Failure> {
    (0..count).map(|_| Client::half_open(server)).collect()
}

/// Checks that a client is served at once beside so many that have sent half a request.
fn serves_beside(server: &Target, count: usize) -> Result<(), Failure> {
    server.conclusive(HEAD_TIME, || {
        let clients = half_open(server, count)?;
        let start = Instant::now();
        still_answers(server)?;
        served_at_once(&clients[0], start)
    })
}

/// Checks that another client was served before this one, which waits, had to go.
pub fn served_at_once(waiting: &Client, start: Instant) -> Result<(), Failure> {
    let came = format_args!("the answer to another after {:?}", start.elapsed());
    waiting.ensure(start.elapsed() < HEAD_TIME, came, "that answer before this one had to go")
}

/// One client that has sent half a request keeps no other waiting.
pub fn serves_beside_half_a_request(server: &Target) -> Result<(), Failure> {
    serves_beside(server, 1)
}

/// Nor do two hundred.
pub fn serves_beside_two_hundred_half_requests(server: &Target) -> Result<(), Failure> {
    serves_beside(server, 200)
}

/// Two hundred clients that have sent half a request each.
pub fn survives_half_open_clients(server: &Target) -> Result<(), Failure> {
    if server.can.serve_beside_waiting_clients {
        serves_beside_half_a_request(server)?;
        serves_beside_two_hundred_half_requests(server)?;
    } else {
        drop(half_open(server, 200)?);
    }
    still_answers(server)
}

/// A client that says nothing and stays: the next one is served all the same, at the latest when the time of the first is
/// over.
pub fn outlasts_a_silent_client(server: &Target) -> Result<(), Failure> {
    let silent = Client::connect(server)?;
    still_answers(server)?;
    drop(silent);
    Ok(())
}

/// A client sends more than the server wants to read, the second half when the response may be under way. It gets it.
pub fn answers_before_it_closes(server: &Target) -> Result<(), Failure> {
    let half = "x".repeat(2000);
    let mut client = Client::connect(server)?;
    let host = server.host();
    client
        .send(format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4000\r\n\r\n{half}"))?;
    // Long enough for a server to do the wrong thing.
    thread::sleep(Duration::from_millis(300));
    client.send(half)?;
    client.response().map(drop)
}

/// Clients, one after the other, whose request is not UTF-8. Each may get any response, or none.
fn sends_what_is_no_text(server: &Target, times: usize) -> Result<(), Failure> {
    for _ in 0..times {
        let mut client = Client::connect(server)?;
        let host = server.host();
        client.send([b"GET /caf\xe9 HTTP/1.1\r\nHost: ", host.as_bytes(), b"\r\n\r\n"].concat())?;
        client.hears_within(server.patience());
    }
    still_answers(server)
}

/// A handler that panics may owe its own client the response, and no other.
pub fn survives_a_request_that_is_no_text(server: &Target) -> Result<(), Failure> {
    sends_what_is_no_text(server, 1)
}

/// Nor may each panic cost a thread that serves.
pub fn keeps_its_threads(server: &Target) -> Result<(), Failure> {
    sends_what_is_no_text(server, 32)
}

/// A client that sends one request after the other, and never waits for an answer, always has bytes to read and room to
/// write. Others are served beside it.
pub fn serves_beside_a_client_that_never_pauses(server: &Target) -> Result<(), Failure> {
    let page = server.page("/work?n=0");
    let request = format!("GET {page} HTTP/1.1\r\nHost: {}\r\n\r\n", server.host());
    let greedy = Client::connect(server)?.never_pause(&request);
    thread::sleep(Duration::from_millis(200));
    for _ in 0..3 {
        still_answers(server)?;
    }
    drop(greedy);
    still_answers(server)
}
