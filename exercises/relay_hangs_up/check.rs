//! Clients and servers that speak at the same time, close a direction, say little at a time, or nothing.

use std::time::{Duration, Instant};

use ex_relay_hangs_up::relay;
use exercise_kit::{check, deadline, fail};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, join},
    runtime::Builder,
    task::JoinHandle,
    time::{sleep, timeout},
};

exercise_kit::checks![
    both_directions_at_the_same_time,
    a_client_that_has_said_all_gets_its_answer,
    a_server_that_has_said_all_hears_the_rest,
    a_slow_answer_comes_to_its_end,
    so_does_one_to_a_client_that_has_said_all,
    a_silent_pair_is_closed,
    a_direction_that_fails_ends_the_pair,
];

/// An eighth of what a check waits.
fn patience() -> Duration {
    deadline() / 8
}

/// A relay that runs, and what its client and its server hold.
struct Pair {
    client: DuplexStream,
    server: DuplexStream,
    relay: JoinHandle<std::io::Result<()>>,
}

impl Pair {
    fn start() -> Pair {
        let (client, to_client) = duplex(64);
        let (server, to_server) = duplex(64);
        let relay = tokio::spawn(relay(to_client, to_server, patience()));
        Pair { client, server, relay }
    }

    /// Waits for the end of the relay.
    async fn ends(self) -> std::io::Result<()> {
        match timeout(deadline(), self.relay).await {
            Ok(ended) => ended.expect("it doesn't panic"),
            Err(_late) => fail("the relay has nothing left to do and goes on", "its end"),
        }
    }
}

/// Runs this on a runtime of one thread.
fn run(work: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread().enable_time().build();
    runtime.expect("the system has what a runtime needs").block_on(work);
}

/// Says this, if the other side is there.
async fn say(stream: &mut DuplexStream, words: &str) {
    let _ = stream.write_all(words.as_bytes()).await;
}

/// What comes, as long as it hasn't all come, has no end and isn't late.
async fn hears(stream: &mut DuplexStream, words: &str) -> String {
    let mut heard = vec![0; words.len()];
    let mut count = 0;
    while count < heard.len() {
        match timeout(deadline(), stream.read(&mut heard[count..])).await {
            Ok(Ok(0) | Err(_)) | Err(_) => break,
            Ok(Ok(more)) => count += more,
        }
    }
    String::from_utf8_lossy(&heard[..count]).into_owned()
}

/// Fails unless the end comes next, and before the relay gives the pair up.
async fn hears_the_end(stream: &mut DuplexStream, who: &str) {
    let next = timeout(patience() / 2, stream.read(&mut [0])).await;
    let seen = format!("one side has closed its direction, and {who} hears no end");
    check(matches!(next, Ok(Ok(0))), seen, "the relay to pass the end on");
}

fn both_directions_at_the_same_time() {
    run(async {
        let mut pair = Pair::start();
        say(&mut pair.server, "welcome").await;
        let heard = hears(&mut pair.client, "welcome").await;
        let seen = format!(
            "the client hears {heard:?}: the two directions aren't passed on at the same time"
        );
        check(heard == "welcome", seen, "\"welcome\", although the client has said nothing");
        say(&mut pair.client, "hello").await;
        let heard = hears(&mut pair.server, "hello").await;
        check(heard == "hello", format_args!("the server hears {heard:?}"), "\"hello\"");
        drop((pair.client.shutdown().await, pair.server.shutdown().await));
        let ended = pair.ends().await;
        check(
            ended.is_ok(),
            format_args!("both directions have ended, and the relay returned {ended:?}"),
            "`Ok`",
        );
    });
}

fn a_client_that_has_said_all_gets_its_answer() {
    run(async {
        let mut pair = Pair::start();
        say(&mut pair.client, "question").await;
        let _ = pair.client.shutdown().await;
        let heard = hears(&mut pair.server, "question").await;
        check(heard == "question", format_args!("the server hears {heard:?}"), "the question");
        hears_the_end(&mut pair.server, "the server").await;
        sleep(patience() / 4).await;
        say(&mut pair.server, "answer").await;
        let heard = hears(&mut pair.client, "answer").await;
        let seen = format!("a client that has closed its sending direction hears {heard:?}");
        check(heard == "answer", seen, "\"answer\"; look at what the end of one direction ends");
        let _ = pair.server.shutdown().await;
        hears_the_end(&mut pair.client, "the client").await;
        let ended = pair.ends().await;
        check(
            ended.is_ok(),
            format_args!("both directions have ended, and the relay returned {ended:?}"),
            "`Ok`",
        );
    });
}

fn a_server_that_has_said_all_hears_the_rest() {
    run(async {
        let mut pair = Pair::start();
        say(&mut pair.server, "enough").await;
        let _ = pair.server.shutdown().await;
        let heard = hears(&mut pair.client, "enough").await;
        check(heard == "enough", format_args!("the client hears {heard:?}"), "\"enough\"");
        hears_the_end(&mut pair.client, "the client").await;
        sleep(patience() / 4).await;
        say(&mut pair.client, "the rest").await;
        let heard = hears(&mut pair.server, "the rest").await;
        let seen = format!("a server that has closed its sending direction hears {heard:?}");
        check(heard == "the rest", seen, "\"the rest\"");
    });
}

/// An answer in pieces, each of which comes in time, and all of which take longer than the patience.
async fn slow_answer(pair: &mut Pair) {
    const PIECES: usize = 8;
    for number in 1..=PIECES {
        sleep(patience() / 4).await;
        say(&mut pair.server, "piece").await;
        let heard = hears(&mut pair.client, "piece").await;
        let seen = format!("a slow answer breaks off in piece {number} of {PIECES}");
        check(
            heard == "piece",
            seen,
            "the whole answer: the pair isn't silent as long as one direction moves; look at \
             which wait has the limit",
        );
    }
}

fn a_slow_answer_comes_to_its_end() {
    run(async {
        let mut pair = Pair::start();
        say(&mut pair.client, "question").await;
        slow_answer(&mut pair).await;
    });
}

fn so_does_one_to_a_client_that_has_said_all() {
    run(async {
        let mut pair = Pair::start();
        say(&mut pair.client, "question").await;
        let _ = pair.client.shutdown().await;
        slow_answer(&mut pair).await;
    });
}

fn a_silent_pair_is_closed() {
    run(async {
        let begun = Instant::now();
        let Pair { mut client, server: _server, relay } = Pair::start();
        let Ok(ended) = timeout(deadline(), relay).await else {
            fail("the pair says nothing, and the relay goes on", "an error when `patience` is over")
        };
        let took = begun.elapsed();
        let seen = format!("the relay gave a silent pair up after {took:?}");
        check(took >= patience(), seen, format_args!("not before {:?}", patience()));
        let ended = ended.expect("it doesn't panic");
        check(ended.is_err(), "the relay gave a silent pair up with `Ok`", "an error");
        let next = client.read(&mut [0]).await;
        check(
            matches!(next, Ok(0)),
            "the relay has ended, and the client's connection is open",
            "its end",
        );
    });
}

fn a_direction_that_fails_ends_the_pair() {
    run(async {
        let (mut client, to_client) = duplex(64);
        // A server that says nothing, and to which nothing can be said.
        let (_silent, from_server) = duplex(64);
        let (gone, to_server) = duplex(64);
        drop(gone);
        let server = join(from_server, to_server);
        let relay = tokio::spawn(relay(to_client, server, patience()));
        say(&mut client, "hello").await;
        let Ok(ended) = timeout(patience() / 2, relay).await else {
            fail("one direction has failed, and the relay goes on", "it to end with the error")
        };
        let ended = ended.expect("it doesn't panic");
        check(ended.is_err(), "one direction has failed, and the relay returned `Ok`", "an error");
    });
}
