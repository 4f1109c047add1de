//! What is written for an answer, and what is read as a message.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::pin::Pin;
use std::task::{Context, Poll};

use behind_a_proxy::{Connection, Message};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[allow(dead_code)]
#[path = "../kept.rs"]
mod kept;
#[allow(dead_code)]
#[path = "../kept_one_write.rs"]
mod kept_one_write;
#[allow(dead_code)]
#[path = "../pooling_relay.rs"]
mod pooling_relay;

/// The writes that come to a client: each could be a packet of its own.
#[derive(Default)]
struct Writes(Vec<Vec<u8>>);

impl AsyncWrite for Writes {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.push(bytes.to_vec());
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn head_and_body_are_two_writes_or_one() {
    let mut apart = Writes::default();
    let mut together = Writes::default();
    kept::answer(&mut apart, true).await.unwrap();
    kept_one_write::answer(&mut together, true).await.unwrap();
    assert_eq!(apart.0.len(), 2);
    assert_eq!(together.0.len(), 1);
    assert_eq!(apart.0.concat(), together.0.concat());
}

/// Both ends of a connection.
async fn pair() -> (TcpStream, Connection) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (client, server) = tokio::join!(TcpStream::connect(address), listener.accept());
    (client.unwrap(), Connection::new(server.unwrap().0))
}

/// The messages in these bytes, or the kind of error.
async fn requests(bytes: &str) -> Result<Vec<Message>, ErrorKind> {
    let (mut client, mut server) = pair().await;
    client.write_all(bytes.as_bytes()).await.unwrap();
    drop(client);
    let mut all = Vec::new();
    while let Some(request) = server.request().await.map_err(|error| error.kind())? {
        all.push(request);
    }
    Ok(all)
}

#[tokio::test]
async fn messages_that_come_together_are_told_apart() {
    let first =
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: Keep-Alive, X\r\n\r\none";
    let second = "GET /b HTTP/1.1\r\nHost: a\r\nConnection: x, close\r\nTE: trailers\r\n\r\n";
    let all = requests(&format!("{first}{second}")).await.unwrap();
    assert_eq!(all.len(), 2);
    let sent = all[0].to_bytes();
    assert_eq!(
        String::from_utf8_lossy(&sent),
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\none"
    );
    assert!(all[0].keeps && !all[1].keeps);
    assert_eq!(all[1].headers, [("Host".to_owned(), b"a".to_vec())]);
}

#[tokio::test]
async fn what_connection_names_is_not_passed_on_but_a_client_cannot_take_the_length_away() {
    let headers = "Host: a\r\nX-Hop: 1\r\nX-End: 2\r\nContent-Length: 3\r\nConnection: x-hop, host\r\n\
                   Connection: content-length , close";
    let all = requests(&format!("POST / HTTP/1.1\r\n{headers}\r\n\r\none")).await.unwrap();
    let [request] = &all[..] else { panic!("{all:?}") };
    let names: Vec<&str> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Host", "X-End", "Content-Length"]);
    assert_eq!((request.body.as_slice(), request.keeps), (b"one".as_slice(), false));
}

/// RFC 7239, section 6: an IPv6 address is in brackets, and what has colons or brackets in quotes.
#[test]
fn the_header_that_says_who_asks_has_quotes_around_an_ipv6_address() {
    let old = Ipv4Addr::new(192, 0, 2, 7);
    let new: Ipv6Addr = "2001:db8::1".parse().unwrap();
    assert_eq!(pooling_relay::forwarded(old.into()), "for=192.0.2.7");
    assert_eq!(pooling_relay::forwarded(new.into()), "for=\"[2001:db8::1]\"");
}

/// Two programs that read a body in different ways see different requests.
#[tokio::test]
async fn a_body_whose_end_could_be_doubted_is_refused() {
    for headers in [
        "Content-Length: 3\r\nContent-Length: 4",
        "Content-Length: +3",
        "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked",
        "Content-Length: 9999999999",
        "Content-Length: ",
    ] {
        let refused =
            requests(&format!("POST / HTTP/1.1\r\nHost: a\r\n{headers}\r\n\r\nabc")).await;
        assert_eq!(refused, Err(ErrorKind::InvalidData), "{headers}");
    }
    let long = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", "a".repeat(20_000));
    assert_eq!(requests(&long[..18_000]).await, Err(ErrorKind::InvalidData));
    assert_eq!(requests("GET / HTTP/1.1\r\nHo").await, Err(ErrorKind::UnexpectedEof));
    assert_eq!(requests("").await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_response_to_head_has_no_body_and_interim_responses_are_passed_over() {
    let (mut server, mut client) = pair().await;
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    let interim = "HTTP/1.1 103 Early Hints\r\n\r\n";
    server.write_all(format!("{head}{interim}{head}hello").as_bytes()).await.unwrap();
    assert_eq!(client.response(true).await.unwrap().unwrap().body, b"");
    assert_eq!(client.response(false).await.unwrap().unwrap().body, b"hello");
    assert!(!client.has_more());
}
