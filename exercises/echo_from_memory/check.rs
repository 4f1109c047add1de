//! Clients that speak, are silent, take nothing, leave, or stay; and a stop while one of them is there.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use ex_echo_from_memory::serve;
use exercise_kit::{Client, Server, a_moment, check, comes_true, deadline, shortest};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Handle},
    sync::oneshot,
};

exercise_kit::checks![
    what_is_sent_comes_back,
    a_silent_client_holds_up_no_other,
    a_silent_client_is_disconnected,
    a_client_that_speaks_now_and_then_stays,
    a_client_that_leaves_ends_nothing,
    a_client_that_takes_nothing_is_disconnected,
    a_stop_ends_the_server_when_no_task_is_left,
    what_was_sent_before_the_stop_comes_back,
    a_client_that_goes_on_talking_does_not_hold_up_the_end,
];

/// Long enough that no check sees its end, however slow the machine is.
const AN_HOUR: Duration = Duration::from_secs(3600);

/// Long enough for a client that means it, and short enough for a check to wait for its end.
fn patience() -> Duration {
    deadline() / 8
}

/// A server, what tells it to stop, and how many tasks were left when it had returned.
fn start(patience: Duration) -> (Server, oneshot::Sender<()>, Receiver<usize>) {
    let (server, stop, left, _) = start_counted(patience);
    (server, stop, left)
}

/// The same, and what counts its tasks.
fn start_counted(patience: Duration) -> (Server, oneshot::Sender<()>, Receiver<usize>, Handle) {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("the system has what a runtime needs");
    let handle = runtime.handle().clone();
    let (stop, stopped) = oneshot::channel();
    let (count, left) = mpsc::channel();
    let server = Server::start(move |listener| {
        runtime.block_on(async {
            listener.set_nonblocking(true).expect("it is a socket");
            let listener = TcpListener::from_std(listener).expect("it is a socket");
            // A sender that was dropped stops nothing.
            let stop = async {
                if stopped.await.is_err() {
                    std::future::pending().await
                }
            };
            serve(listener, patience, stop).await;
            let _ = count.send(Handle::current().metrics().num_alive_tasks());
        });
    });
    (server, stop, left, handle)
}

/// The time after which a server is late that should act after `patience`.
fn late() -> Duration {
    2 * patience()
}

/// Sends a word and reads as many bytes.
fn comes_back(client: &mut Client, word: &str) -> bool {
    client.send(word);
    client.bytes(word.len()) == word.as_bytes()
}

fn what_is_sent_comes_back() {
    let (server, _stop, _) = start(AN_HOUR);
    let mut client = server.connect();
    for word in ["one", "two words", &"a long word ".repeat(1000)] {
        let shown = &word[..word.len().min(12)];
        check(
            comes_back(&mut client, word),
            format_args!("the client sent {shown:?} and didn't get it back"),
            "the same bytes, in their order",
        );
    }
}

fn a_silent_client_holds_up_no_other() {
    let (server, _stop, _, handle) = start_counted(AN_HOUR);
    let _silent: Vec<_> = (0..20).map(|_| server.connect()).collect();
    let mut client = server.connect();
    let echo = comes_back(&mut client, "hello");
    check(
        echo,
        "a client got no echo while another was silent",
        "a task for each client; look at what the accept loop awaits",
    );
    let tasks = handle.metrics().num_alive_tasks();
    let seen = format!("`serve` runs {tasks} tasks for 21 clients");
    check(tasks >= 21, seen, "a task for each client");
}

fn a_silent_client_is_disconnected() {
    let (server, _stop, _) = start(patience());
    let took = shortest(late(), || {
        let mut silent = server.connect();
        let start = Instant::now();
        check(
            comes_back(&mut silent, "hello") && silent.is_closed(),
            "the connection of a silent client is still open",
            format_args!("the server to close it after {:?}, its patience", patience()),
        );
        start.elapsed()
    });
    let expected =
        format!("the server to close its connection after {:?}, its patience", patience());
    check(
        took >= patience(),
        format_args!("the connection of a silent client was closed after {took:?}"),
        &expected,
    );
    check(
        took < late(),
        format_args!("the connection of a silent client was closed only after {took:?}"),
        expected,
    );
}

fn a_client_that_speaks_now_and_then_stays() {
    let (server, _stop, _) = start(patience());
    let mut client = server.connect();
    for _ in 0..6 {
        thread::sleep(patience() / 4);
        check(
            comes_back(&mut client, "still here"),
            "the server hung up on a client that had not been silent",
            "each word to begin the time anew",
        );
    }
}

fn a_client_that_leaves_ends_nothing() {
    let (server, _stop, _) = start(AN_HOUR);
    for _ in 0..20 {
        let gone = TcpStream::connect(server.address());
        check(gone.is_ok(), "the server accepts no connection", "a server");
    }
    a_moment();
    let mut half = server.connect();
    half.send("the beginning of a w");
    drop(half);
    let echo = comes_back(&mut server.connect(), "hello");
    check(
        echo,
        "a client got no echo after others had left",
        "a server that goes on; look at what an error of one client ends",
    );
}

/// Sends without reading, until neither the server nor the kernel takes any more: how many bytes are gone.
fn fill(mut client: &TcpStream) -> usize {
    let limit = Duration::from_millis(300);
    client.set_write_timeout(Some(limit)).expect("the limit is not zero");
    let mut sent = 0;
    while let Ok(count) = client.write(&[b'x'; 65536]) {
        sent += count;
        check(sent < 1 << 28, "the server took all and sent nothing back", "an echo");
    }
    sent
}

fn a_client_that_takes_nothing_is_disconnected() {
    let (server, _stop, _) = start(patience());
    let expected = format!(
        "the server to close the connection after {:?}; look for a write without a limit",
        patience()
    );
    let took = shortest(late(), || {
        let mut client = TcpStream::connect(server.address()).expect("a server");
        fill(&client);
        // The server waits in its write by now.
        let start = Instant::now();
        let closed = comes_true(|| match client.write(b"x") {
            Ok(_) => false,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        });
        let seen = "a client takes nothing, and the server still waits to write to it";
        check(closed, seen, &expected);
        start.elapsed()
    });
    check(
        took < late(),
        format_args!(
            "the connection of a client that takes nothing was closed only after {took:?}"
        ),
        expected,
    );
}

fn a_stop_ends_the_server_when_no_task_is_left() {
    let (server, stop, left) = start(AN_HOUR);
    let mut silent = server.connect();
    check(
        comes_back(&mut silent, "hello"),
        "the client got no echo",
        "the same bytes, in their order",
    );
    let early = server.end();
    check(early.is_none(), "`serve` returned before its stop", "it to serve until then");
    let _ = stop.send(());
    let ended = comes_true(|| server.end().is_some());
    check(
        ended,
        "the stop came, and the server went on",
        "it to close the connections of silent clients, and to return",
    );
    let end = server.end().unwrap_or_default();
    let left = left.try_recv();
    check(left.is_ok(), end, "`serve` to return");
    let left = left.unwrap_or_default();
    check(
        left == 0,
        format_args!("{left} tasks were left when `serve` had returned"),
        "it to wait for all",
    );
    check(
        silent.is_closed(),
        "the connection of a silent client is still open",
        "its task to have closed it",
    );
    let refused = TcpStream::connect(server.address()).is_err();
    check(
        refused,
        "a client could connect to a server that had stopped",
        "the system to refuse it: the listener is closed",
    );
}

fn what_was_sent_before_the_stop_comes_back() {
    let (server, stop, _) = start(AN_HOUR);
    let mut client = TcpStream::connect(server.address()).expect("a server");
    // Now the server waits in a write.
    let sent = fill(&client);
    let _ = stop.send(());
    a_moment();
    // It need not be refused, but it must not be served, as long as the server waits for its earlier clients.
    let newcomer = TcpStream::connect(server.address());
    let served = newcomer.is_ok_and(|mut newcomer| {
        let _ = newcomer.set_read_timeout(Some(deadline() / 20));
        newcomer.write_all(b"x").is_ok() && matches!(newcomer.read(&mut [0]), Ok(1))
    });
    check(
        !served,
        "a client that came after the stop got an echo",
        "the server to take no more clients",
    );
    client.set_read_timeout(Some(deadline())).expect("the deadline is not zero");
    let mut buffer = vec![0; 65536];
    let mut back = 0;
    while back < sent {
        match client.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(count) => back += count,
        }
    }
    let seen = format!("{back} of {sent} bytes came back that were sent before the stop");
    check(back == sent, seen, "all of them: a stop cuts off no echo");
    let ended = comes_true(|| server.end().is_some());
    check(ended, "the stop came, and the server went on", "it to return");
}

fn a_client_that_goes_on_talking_does_not_hold_up_the_end() {
    let took = shortest(late(), end_with_a_client_that_talks);
    let seen = format!("a client went on talking, and `serve` returned {took:?} after the stop");
    check(
        took < late(),
        seen,
        format_args!(
            "it to return after {:?} at the latest; look at what bounds the wait for the tasks",
            patience()
        ),
    );
}

/// How long `serve` takes to return after its stop.
fn end_with_a_client_that_talks() -> Duration {
    let (server, stop, _) = start(patience());
    let client = TcpStream::connect(server.address()).expect("a server");
    let mut talks = client.try_clone().expect("the system has a descriptor to give");
    thread::spawn(move || while talks.write_all(&[b'x'; 1024]).is_ok() {});
    let (heard, hears) = mpsc::channel();
    let mut listens = client;
    thread::spawn(move || {
        let mut buffer = vec![0; 65536];
        while matches!(listens.read(&mut buffer), Ok(1..)) {
            let _ = heard.send(());
        }
    });
    let echo = hears.recv_timeout(deadline()).is_ok();
    check(echo, "the client got no echo", "the same bytes, in their order");
    let start = Instant::now();
    let _ = stop.send(());
    let ended = comes_true(|| server.end().is_some());
    check(
        ended,
        "the stop came, and the server went on, while a client went on talking",
        format_args!(
            "it to return after {:?} at the latest; look at what bounds the wait for the tasks",
            patience()
        ),
    );
    start.elapsed()
}
