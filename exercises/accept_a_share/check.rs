//! Listeners with clients that wait, clients that gave up, and no descriptor left.

use std::io::{self, ErrorKind};

use ex_accept_a_share::{Next, accept_all};
use exercise_kit::{check, within};

exercise_kit::checks![
    all_who_wait_are_accepted,
    a_client_that_gave_up_is_not_the_end,
    a_shortage_is_waited_for,
    the_others_are_served_in_between,
    clients_that_gave_up_count_too,
];

/// More often than `accept` should be called in a check.
const TOO_OFTEN: usize = 1000;

/// What `accept` returns, call by call, and what it returns after that.
fn run(
    script: Vec<Result<u32, ErrorKind>>,
    then: ErrorKind,
    share: usize,
) -> (Vec<u32>, usize, Next) {
    within("accept_all", "`accept_all` to return", move || {
        let mut admitted = Vec::new();
        let mut calls = 0;
        let mut script = script.into_iter();
        let accept = || -> io::Result<u32> {
            calls += 1;
            // This ends a loop that would never end.
            let then = if calls < TOO_OFTEN { then } else { ErrorKind::WouldBlock };
            script.next().unwrap_or(Err(then)).map_err(io::Error::from)
        };
        let next = accept_all(accept, share, |client| admitted.push(client));
        (admitted, calls, next)
    })
}

fn all_who_wait_are_accepted() {
    for count in [0, 1, 5] {
        let script = (0..count).map(Ok).collect();
        let (admitted, _, next) = run(script, ErrorKind::WouldBlock, 100);
        let all: Vec<u32> = (0..count).collect();
        check(
            admitted == all && next == Next::Event,
            format_args!(
                "of {count} clients that waited {} were admitted, and the next step was {next:?}",
                admitted.len()
            ),
            "all of them, in their order, and then Event",
        );
    }
}

fn a_client_that_gave_up_is_not_the_end() {
    let script = vec![Ok(1), Err(ErrorKind::ConnectionAborted), Ok(2), Ok(3)];
    let (admitted, _, next) = run(script, ErrorKind::WouldBlock, 100);
    check(
        admitted == [1, 2, 3] && next == Next::Event,
        format_args!(
            "one client gave up among the others: {admitted:?} were admitted, and the next step \
             was {next:?}"
        ),
        "[1, 2, 3], and then Event: its error concerns no other client",
    );
}

fn a_shortage_is_waited_for() {
    // `std` has no name for the kind that `EMFILE` becomes.
    let (admitted, calls, next) = run(vec![Ok(1), Ok(2)], ErrorKind::Other, 100);
    check(
        calls == 3 && next == Next::Pause,
        format_args!(
            "`accept_all` tried {} times without a descriptor, and the next step was {next:?}",
            calls - 2
        ),
        "once, and then Pause",
    );
    check(admitted == [1, 2], format_args!("{admitted:?} were admitted"), "[1, 2]");
}

fn the_others_are_served_in_between() {
    let script = (0..50).map(Ok).collect();
    let (admitted, calls, next) = run(script, ErrorKind::WouldBlock, 8);
    check(
        calls <= 8,
        format_args!("`accept_all` called accept {calls} times, more than its share of 8"),
        "8 times, and then the other clients are served",
    );
    check(
        admitted.len() == 8 && next == Next::Again,
        format_args!("{} were admitted, and the next step was {next:?}", admitted.len()),
        "8, and then Again: no event will report the rest",
    );
}

fn clients_that_gave_up_count_too() {
    let script = vec![Err(ErrorKind::ConnectionAborted); 50];
    let (_, calls, next) = run(script, ErrorKind::WouldBlock, 8);
    check(
        calls == 8 && next == Next::Again,
        format_args!(
            "fifty clients gave up: `accept_all` called accept {calls} times, and the next step \
             was {next:?}"
        ),
        "8 times, its share of calls, and then Again",
    );
}
