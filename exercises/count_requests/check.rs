//! Many clients ask, and many threads count; together they must have every number once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ex_count_requests::{Counter, serve};
use exercise_kit::{Client, Server, check, deadline};

exercise_kit::checks![
    requests_are_numbered_as_they_come,
    threads_that_count_at_the_same_time_share_no_number,
];

/// The number in a client's answer.
fn number(client: &mut Client) -> usize {
    let body = client.response("a response with a number").body;
    let number = body.trim().parse();
    check(number.is_ok(), format_args!("the response says {body:?}"), "a number");
    number.unwrap_or_default()
}

fn requests_are_numbered_as_they_come() {
    let server = Server::start(serve);
    let mut clients: Vec<_> = (1..=5).map(|_| server.connect()).collect();
    // The last client to connect asks first, and the next client asks after it has its response.
    for expected in 1..=clients.len() {
        let mut client = clients.pop().expect("there are as many");
        client.get("/");
        let seen = number(&mut client);
        let expected = format!(
            "{expected}, whenever its client has connected: count the requests as they come"
        );
        check(
            expected.starts_with(&format!("{seen},")),
            format_args!("a request got the number {seen}"),
            expected,
        );
    }
}

fn threads_that_count_at_the_same_time_share_no_number() {
    const THREADS: usize = 8;
    /// How often one of them must have come between another's numbers. With one processor that takes a while.
    const SWITCHES: usize = 2000;
    let counter = Counter::default();
    let switches = Arc::new(AtomicUsize::new(0));
    let end = Instant::now() + Duration::from_secs(3).min(deadline() / 3);
    let count = |_| {
        #[allow(unused_mut)]
        let mut counter = counter.clone();
        let switches = Arc::clone(&switches);
        thread::spawn(move || {
            let mut counted = 0;
            let mut last = 0;
            while switches.load(Ordering::Relaxed) < SWITCHES && Instant::now() < end {
                for _ in 0..1000 {
                    let number = counter.count();
                    if number != last + 1 {
                        switches.fetch_add(1, Ordering::Relaxed);
                    }
                    last = number;
                }
                counted += 1000;
            }
            counted
        })
    };
    let counting: Vec<_> = (0..THREADS).map(count).collect();
    let counted = counting.into_iter().map(|it| it.join().expect("counting does not panic"));
    let all: u64 = counted.sum();
    #[allow(unused_mut)]
    let mut counter = counter;
    let next = counter.count();
    check(
        next == all + 1,
        format_args!("{THREADS} threads have counted {all} times, and the next number is {next}"),
        format_args!(
            "{}: no number is given twice, and none is left out; look at what may happen between \
             reading and writing it",
            all + 1
        ),
    );
}
