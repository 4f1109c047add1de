//! How large a head may be, and how much is drained.

use site::{DRAIN_LIMIT, DRAIN_TIME, HEAD_LIMIT};

use super::{
    HTML, INDEX, Target, check_ok, check_refusal,
    published::{NEXT, unexpected},
    still_answers, usual,
};
use crate::{Client, conclusive, none};

/// The head whose target is too long; a library may count the whole head.
pub const LONG_PATH: &str = "a long path";

/// The longest head is read, and a longer one refused.
pub fn limits_the_head(server: &Target) {
    let too_large = (431, "Request Header Fields Too Large");
    // A head of exactly so many bytes.
    let head = |length: usize| {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
        format!("{start}{}\r\n\r\n", "x".repeat(length - start.len() - 4))
    };
    for length in [HEAD_LIMIT - 1, HEAD_LIMIT] {
        let mut client = Client::connect(server);
        client.send(head(length));
        check_ok(&client.response(), HTML, INDEX, usual(server));
    }
    if server.can.keep_alive {
        // The limit is each head's own, also where several arrive at once.
        let mut client = Client::connect(server);
        client.send(head(HEAD_LIMIT) + &head(HEAD_LIMIT) + &head(100));
        for _ in 0..3 {
            check_ok(&client.response(), HTML, INDEX, None);
        }
    }
    let long_path = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "p".repeat(HEAD_LIMIT));
    let many_lines = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(200));
    let endless = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(100_000));
    let cases = [
        ("a byte too many", head(HEAD_LIMIT + 1), too_large),
        ("a long header line", head(100_000), too_large),
        (LONG_PATH, long_path, (414, "URI Too Long")),
        ("many header lines", many_lines, too_large),
        // The server must not wait for more.
        ("a header line that never ends", endless, too_large),
    ];
    for (name, request, status) in &cases {
        if let Some(instead) = server.instead(name) {
            let complaint = unexpected(server, name, request.as_bytes(), NEXT, instead);
            none(complaint.into_iter().collect());
            continue;
        }
        // The client sends everything first and reads then, and must still find the whole answer.
        conclusive(DRAIN_TIME, || {
            let mut client = Client::connect(server);
            client.send(request);
            check_refusal(&mut client, *status);
        });
    }
}

/// A server that drains whatever comes would be kept busy for ever by a client that never stops.
pub fn bounds_what_it_drains(server: &Target) {
    let mut client = Client::connect(server);
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n");
    // What may be under way in the buffers of both sides comes on top of the limit.
    let most = DRAIN_LIMIT + 64 * 1024 * 1024;
    let sent = client.flood(&[b'x'; 65536], most);
    assert!(sent < most, "the server took {sent} bytes of a body that nobody wanted");
    still_answers(server);
}
