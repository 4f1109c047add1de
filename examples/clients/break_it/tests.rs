use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use super::*;

/// A response counts only when the server has sent one and ended the connection.
#[test]
fn a_response_is_told_from_silence_and_from_nothing() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let server = listener.local_addr().expect("it is bound");
    let responses = ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 404 Not Found\r\n\r\n", ""];
    let serve = thread::spawn(move || {
        for response in responses {
            let (mut stream, _) = listener.accept().expect("a client");
            stream.write_all(response.as_bytes()).expect("it is there");
        }
    });
    let seen = responses.map(|_| client::ask(server, b""));
    serve.join().expect("it does not panic");
    assert_eq!(seen[..2], [Ok("200 OK".to_owned()), Ok("404 Not Found".to_owned())]);
    assert!(seen[2].is_err(), "{seen:?}");
    // The listener is gone.
    assert!(client::next_is_served(server).is_err());
}

/// Keeps each connection, with what its client sends, to the end.
#[test]
fn clients_that_stay_send_what_they_should_and_leave() {
    for it in &STAYS {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let server = listener.local_addr().expect("it is bound");
        let staying = thread::spawn(move || stay::stay(it, server, 3, Duration::ZERO));
        for _ in 0..3 {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut sent = String::new();
            stream.read_to_string(&mut sent).expect("it leaves");
            assert_eq!(sent, it.sends, "{}", it.name);
        }
        assert_eq!(staying.join().expect("it does not panic"), Ok(()));
    }
}

fn read(line: &str) -> Option<(Vec<&'static str>, u16)> {
    let options = options(line.split_whitespace().map(str::to_owned))?;
    let breaks = options.breaks.iter().map(|it| it.name);
    Some((breaks.chain(options.stays.iter().map(|it| it.name)).collect(), options.port))
}

#[test]
fn the_command_line_is_read() {
    assert_eq!(read("leave"), Some((vec!["leave"], 8080)));
    assert_eq!(read("panic silent --port 81"), Some((vec!["panic", "silent"], 81)));
    assert_eq!(read("all").map(|(names, _)| names.len()), Some(BREAKS.len()));
    assert_eq!(read("half-open --clients 50 --seconds 4"), Some((vec!["half-open"], 8080)));
    for wrong in [
        "",
        "--clients 5",
        "half-open --clients",
        "ask-once --seconds x",
        "--port",
        "--port 81",
        "leave --port many",
        "nonsense",
    ] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
}
