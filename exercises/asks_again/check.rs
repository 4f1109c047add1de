//! A server that answers, closes before it reads a request, or in the middle of its answer; and how often it is asked.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use ex_asks_again::ask;
use exercise_kit::{check, within};
use tokio::runtime::Builder;

exercise_kit::checks![
    a_kept_connection_is_used,
    a_request_that_is_lost_is_sent_again_on_a_new_connection,
    a_request_that_may_be_carried_out_once_only_is_sent_once,
    a_request_that_has_been_answered_in_part_is_sent_once,
    a_request_is_sent_again_once,
];

/// What a server does with a connection.
#[derive(Clone, Copy)]
enum Does {
    /// Reads requests, and answers each.
    Answers,
    /// Ends its direction at once, and reads.
    HasEnded,
    /// Closes when a request comes, and reads nothing of it, which resets the connection.
    ClosesAsItComes,
    /// Reads a request, and sends a part of the answer.
    AnswersInPart,
}

impl Does {
    fn in_words(self) -> &'static str {
        match self {
            Does::Answers => "works",
            Does::HasEnded => "had ended before",
            Does::ClosesAsItComes => "was reset as it came",
            Does::AnswersInPart => "ended in the answer",
        }
    }
}

/// A server that does this with its connections, in their order; the count of them.
fn server(all: &[Does]) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let all = all.to_vec();
    thread::spawn(move || {
        for does in all {
            let (stream, _) = listener.accept().expect("a client");
            counted.fetch_add(1, SeqCst);
            // A client that leaves is the end of its own connection.
            thread::spawn(move || serve(stream, does));
        }
    });
    (address, count)
}

fn serve(mut stream: TcpStream, does: Does) -> io::Result<()> {
    match does {
        Does::Answers => {
            for _request in BufReader::new(stream.try_clone()?).lines() {
                stream.write_all(b"done\n")?;
            }
        }
        Does::HasEnded => {
            stream.shutdown(Shutdown::Write)?;
            io::copy(&mut stream, &mut io::sink())?;
        }
        Does::ClosesAsItComes => {
            stream.peek(&mut [0])?;
        }
        Does::AnswersInPart => {
            let _ = stream.read(&mut [0; 100])?;
            stream.write_all(b"do")?;
        }
    }
    Ok(())
}

/// What comes of a request to such a server, and how many connections it has seen.
fn outcome(method: &str, keeps: bool, all: &[Does]) -> (String, usize) {
    let (address, connections) = server(all);
    let request = format!("{method} /stock HTTP/1.1\n");
    let answer = within(&format!("a {method}"), "an answer or an error", move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("the system has what a runtime needs");
        runtime.block_on(async {
            let kept = match keeps {
                true => Some(tokio::net::TcpStream::connect(address).await.expect("it listens")),
                false => None,
            };
            ask(kept, address, &request).await
        })
    });
    let told = match answer {
        Ok(answer) => format!("the answer {:?}", String::from_utf8_lossy(&answer)),
        Err(_error) => "an error".to_owned(),
    };
    (told, connections.load(SeqCst))
}

const ANSWERED: &str = "the answer \"done\\n\"";

fn a_kept_connection_is_used() {
    for method in ["GET", "POST"] {
        let (told, connections) = outcome(method, true, &[Does::Answers, Does::Answers]);
        let seen = format!(
            "a {method} with a kept connection got {told}, and the server saw {connections} \
             connections"
        );
        check(
            told == ANSWERED && connections == 1,
            seen,
            "the kept one to be used, and no other to be opened",
        );
    }
    let (told, connections) = outcome("GET", false, &[Does::Answers, Does::Answers]);
    let seen = format!(
        "a GET without a kept connection got {told}, and the server saw {connections} connections"
    );
    check(told == ANSWERED && connections == 1, seen, "an answer, on one new connection");
}

fn a_request_that_is_lost_is_sent_again_on_a_new_connection() {
    for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] {
        for gone in [Does::HasEnded, Does::ClosesAsItComes] {
            let (told, _) = outcome(method, true, &[gone, Does::Answers]);
            let seen =
                format!("a {method} got {told}, when its kept connection {}", gone.in_words());
            check(told == ANSWERED, seen, "the server to be asked again on a new connection");
        }
    }
}

fn a_request_that_may_be_carried_out_once_only_is_sent_once() {
    for method in ["POST", "PATCH", "GETAWAY"] {
        let (told, connections) = outcome(method, true, &[Does::ClosesAsItComes, Does::Answers]);
        let is_right = told == "an error" && connections == 1;
        let seen = format!(
            "a {method} was lost and got {told}, and the server saw {connections} connections"
        );
        check(is_right, seen, "an error: it may have been carried out, so it isn't sent again");
    }
}

fn a_request_that_has_been_answered_in_part_is_sent_once() {
    let (told, connections) = outcome("GET", true, &[Does::AnswersInPart, Does::Answers]);
    let seen = format!(
        "a GET got {told} after a part of its answer had come, and the server saw {connections} \
         connections"
    );
    check(told == "an error" && connections == 1, seen, "an error, and no second request");
}

fn a_request_is_sent_again_once() {
    for (keeps, most) in [(true, 2), (false, 1)] {
        let (told, connections) = outcome("GET", keeps, &[Does::ClosesAsItComes; 5]);
        let seen = format!(
            "the server closed each connection: a GET got {told} after {connections} connections"
        );
        let expected = format!(
            "an error after {most}: there is at most one repetition, and only of a kept connection"
        );
        check(told == "an error" && connections == most, seen, expected);
    }
}
