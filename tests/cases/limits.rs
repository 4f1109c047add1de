//! How large a head may be, how much is drained, and how long a client may take.

use std::time::{Duration, Instant};

use site::{DRAIN_LIMIT, DRAIN_TIME, HEAD_LIMIT, HEAD_TIME};

use super::{
    HTML, INDEX, Target, ask, check_page, check_refusal, published::check_answer, still_answers,
    usual,
};
use crate::{Client, End, Excerpt, Failure};

/// The head whose target is too long; a library may count the whole head.
pub const LONG_PATH: &str = "a long path";

/// A head of exactly so many bytes.
fn head(server: &Target, length: usize) -> String {
    let start = format!("GET / HTTP/1.1\r\nHost: {}\r\nX: ", server.host());
    format!("{start}{}\r\n\r\n", "x".repeat(length - start.len() - 4))
}

/// Checks that a head of so many bytes is read.
fn takes(server: &Target, length: usize) -> Result<(), Failure> {
    let mut client = Client::connect(server)?;
    client.send(head(server, length))?;
    check_page(server, &client.response()?, HTML, INDEX, usual(server))
}

/// As a browser with a few cookies sends it.
pub fn takes_a_head_of_2000_bytes(server: &Target) -> Result<(), Failure> {
    takes(server, 2000)
}

/// Without its length, a client can't tell a whole response from half of one.
pub fn states_its_length(server: &Target) -> Result<(), Failure> {
    let response = ask(server, "/")?;
    let lines = ["Content-Length", "Transfer-Encoding"];
    let says = lines.iter().any(|name| response.header(name).is_some());
    response.ensure(says, "a `Content-Length`")
}

/// The longest head is read, and a longer one refused.
pub fn limits_the_head(server: &Target) -> Result<(), Failure> {
    let too_large = (431, "Request Header Fields Too Large");
    takes_a_head_of_2000_bytes(server)?;
    takes(server, HEAD_LIMIT - 1)?;
    takes(server, HEAD_LIMIT)?;
    if server.can.keep_alive {
        // The limit is each head's own, also where several arrive at once.
        let mut client = Client::connect(server)?;
        let longest = head(server, HEAD_LIMIT);
        client.send(longest.repeat(2) + &head(server, 100))?;
        for _ in 0..3 {
            check_page(server, &client.response()?, HTML, INDEX, None)?;
        }
    }
    let host = server.host();
    let long_path = format!("GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n", "p".repeat(HEAD_LIMIT));
    let many_lines = format!("GET / HTTP/1.1\r\nHost: {host}\r\n{}\r\n", "X: y\r\n".repeat(200));
    let endless = format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: {}", "x".repeat(100_000));
    let cases = [
        ("a byte too many", head(server, HEAD_LIMIT + 1), too_large),
        ("a long header line", head(server, 100_000), too_large),
        (LONG_PATH, long_path, (414, "URI Too Long")),
        ("many header lines", many_lines, too_large),
        // The server must not wait for more.
        ("a header line that never ends", endless, too_large),
    ];
    for (name, request, status) in &cases {
        if let Some(instead) = server.instead(name) {
            check_answer(server, name, request.as_bytes(), &server.plain_request(), instead)?;
            continue;
        }
        // The client sends everything first and reads then, and must still find the whole answer.
        let outcome = server.conclusive(DRAIN_TIME, || {
            let mut client = Client::connect(server)?;
            client.send(request)?;
            check_refusal(&mut client, *status)
        });
        outcome.map_err(|failure| failure.part(name))?;
    }
    Ok(())
}

/// A server that drains whatever comes would be kept busy for ever by a client that never stops.
pub fn bounds_what_it_drains(server: &Target) -> Result<(), Failure> {
    let mut client = Client::connect(server)?;
    let host = server.host();
    client
        .send(format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000000\r\n\r\n"))?;
    // What may be under way in the buffers of both sides comes on top of the limit.
    let most = DRAIN_LIMIT + 64 * 1024 * 1024;
    let sent = client.flood(&[b'x'; 65536], most);
    let came = format_args!("the server took {sent} bytes of a body that nobody wanted");
    client.ensure(sent < most, came, "a server that stops reading a body without end")?;
    still_answers(server)
}

/// A client that asks much and reads nothing: the server's writes block, and then it reads no more. The client is still
/// there.
pub fn asks_and_reads_nothing(server: &Target) -> Result<Client, Failure> {
    let mut slow = Client::connect_with_small_buffers(server)?;
    let requests = server.plain_request().repeat(1000);
    let most = 64 * 1024 * 1024;
    let sent = slow.flood(&requests, most);
    // Behind a response that ends the connection, a server may read on for a while and throw away what comes.
    let has_ended = sent >= most && server.is_theirs() && slow.is_told_to_end();
    let came = format_args!("the server took {sent} bytes of requests from it");
    slow.ensure(sent < most || has_ended, came, "no more read from a client that reads nothing")?;
    still_answers(server)?;
    Ok(slow)
}

/// Such a client costs nobody else the server.
pub fn bounds_a_client_that_reads_nothing(server: &Target) -> Result<(), Failure> {
    asks_and_reads_nothing(server).map(drop)
}

/// Checks that no limit of time was over too early.
fn took_its_time(client: &Client, start: Instant) -> Result<(), Failure> {
    // Timers may be a little early; nobody may be early by a tenth of a second. actix-web's clock has ticks of 0.5 s.
    let is_coarse = client.server.library.is_some_and(|library| library.name == "actix-web");
    let early = if is_coarse { 600 } else { 100 };
    let least = HEAD_TIME - Duration::from_millis(early);
    let came = format_args!("the end of the limit after {:?}", start.elapsed());
    client.ensure(start.elapsed() >= least, came, format_args!("{HEAD_TIME:?} for the client"))
}

/// Checks how a client ends whose time is over. Our own servers answer a client that has said something, and close
/// quietly where it has not. The contract lets a server do either, and libraries do.
fn turned_away(client: &mut Client, said_something: bool) -> Result<(), Failure> {
    if client.server.library.is_some() {
        let (answer, end) = client.rest()?;
        let is_fine = answer.is_empty() || answer.starts_with(b"HTTP/1.1 408 ");
        client.ensure(is_fine, Excerpt::of(&answer), "a 408 or nothing")?;
        client.ensure(end == End::Closed, end, End::Closed)
    } else if said_something {
        check_refusal(client, (408, "Request Timeout"))
    } else {
        client.ends()
    }
}

/// A client that says nothing is disconnected when its time is over.
pub fn turns_a_silent_client_away(server: &Target) -> Result<(), Failure> {
    let start = Instant::now();
    let mut client = Client::connect(server)?;
    turned_away(&mut client, false)?;
    took_its_time(&client, start)?;
    drop(client);
    still_answers(server)
}

/// So is one that was answered, on a connection that is kept, and says nothing more.
pub fn ends_an_idle_kept_connection(server: &Target) -> Result<(), Failure> {
    let mut client = Client::connect(server)?;
    let start = Instant::now();
    client.get("/")?;
    check_page(server, &client.response()?, HTML, INDEX, None)?;
    client.ends()?;
    took_its_time(&client, start)?;
    still_answers(server)
}

/// A client that has sent half a head, and says nothing more, is told so.
pub fn tells_a_client_whose_head_is_late(server: &Target) -> Result<(), Failure> {
    let start = Instant::now();
    let mut client = Client::half_open(server)?;
    check_refusal(&mut client, (408, "Request Timeout"))?;
    took_its_time(&client, start)?;
    still_answers(server)
}

/// Each byte comes in good time. The head as a whole does not: the limit is for the head.
pub fn limits_the_time_of_a_whole_head(server: &Target) -> Result<(), Failure> {
    let start = Instant::now();
    let mut client = Client::connect(server)?;
    client.send(format!("GET / HTTP/1.1\r\nHost: {}\r\nX: ", server.host()))?;
    while !client.hears_within(Duration::from_millis(300)) {
        let came = format_args!("nothing for {:.1?}", start.elapsed());
        client.ensure(start.elapsed() < 4 * HEAD_TIME, came, "a 408")?;
        // It fails if the server was just about to answer.
        let _ = client.try_send("x");
    }
    let (answer, _) = client.rest()?;
    client.ensure(answer.starts_with(b"HTTP/1.1 408 "), Excerpt::of(&answer), "a 408")?;
    took_its_time(&client, start)?;
    still_answers(server)
}

/// Half a head right behind a whole request: its time runs as any other's.
pub fn limits_the_time_behind_a_request(server: &Target) -> Result<(), Failure> {
    let start = Instant::now();
    let mut client = Client::connect(server)?;
    let request = server.plain_request();
    let half = &request[..request.len() - 2];
    client.send([&request, half].concat())?;
    check_page(server, &client.response()?, HTML, INDEX, None)?;
    turned_away(&mut client, true)?;
    took_its_time(&client, start)?;
    still_answers(server)
}
