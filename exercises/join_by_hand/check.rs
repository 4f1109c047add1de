//! Futures that wait for each other, and futures that must not be polled twice.

use std::{
    cell::Cell,
    future::{poll_fn, ready},
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use ex_join_by_hand::join;
use exercise_kit::{Counted, block_on, check};

exercise_kit::checks![
    outputs_come_in_order,
    both_make_progress,
    what_is_ready_is_left_alone,
    either_wakes_the_task,
];

/// Ready when `mine` has been polled and `other` too.
fn meets<'a>(
    mine: &'a Cell<bool>,
    other: &'a Cell<bool>,
    output: &'static str,
) -> impl Future<Output = &'static str> + 'a {
    poll_fn(move |context| {
        mine.set(true);
        if other.get() {
            Poll::Ready(output)
        } else {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
}

fn outputs_come_in_order() {
    let seen = block_on("both outputs, at once", join(ready(1), ready("two")));
    check(seen == (1, "two"), format_args!("the outputs are {seen:?}"), "(1, \"two\")");
}

fn both_make_progress() {
    // By hand, because a future that wakes itself forever would never be given up.
    let one = Cell::new(false);
    let other = Cell::new(false);
    let mut both = pin!(join(meets(&one, &other, "first"), meets(&other, &one, "second")));
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..100 {
        if let Poll::Ready(seen) = both.as_mut().poll(&mut context) {
            check(
                seen == ("first", "second"),
                format_args!("the outputs are {seen:?}"),
                "first, second",
            );
            return;
        }
    }
    let seen = format!(
        "the join was still pending after 100 polls: a was polled: {}, b was polled: {}",
        one.get(),
        other.get()
    );
    check(false, seen, "both to be polled each time, until the join is ready");
}

/// Ready at the poll of this number, and never to be polled again.
fn ready_at(number: usize) -> impl Future<Output = usize> {
    let mut polls = 0;
    // No `async fn`, which would panic with other words if it is polled too often.
    poll_fn(move |_| {
        polls += 1;
        check(
            polls <= number,
            "the join polled a future again that was ready",
            "no further poll: remember which of the two is ready",
        );
        if polls == number { Poll::Ready(number) } else { Poll::Pending }
    })
}

fn what_is_ready_is_left_alone() {
    for (a, b) in [(1, 4), (4, 1), (3, 3)] {
        let mut both = pin!(join(ready_at(a), ready_at(b)));
        let counted = Counted::new();
        let waker = Waker::from(Arc::clone(&counted));
        let mut polls = 0;
        let seen = loop {
            polls += 1;
            if let Poll::Ready(seen) = both.as_mut().poll(&mut Context::from_waker(&waker)) {
                break seen;
            }
            check(
                polls < 20,
                "the join was still pending after 20 polls",
                format_args!("({a}, {b})"),
            );
        };
        check(seen == (a, b), format_args!("the outputs are {seen:?}"), format_args!("({a}, {b})"));
        let first = format!("poll {}, the first at which both are", a.max(b));
        check(polls == a.max(b), format_args!("the join was ready at poll {polls}"), first);
        check(
            counted.woken() == 0,
            "the join woke its own task",
            "its futures to do that, with the waker of its `Context`",
        );
    }
}

/// Pending once, and then woken by the waker that it was polled with.
fn gives_way(output: u8) -> impl Future<Output = u8> {
    let mut polls = 0;
    poll_fn(move |context| {
        polls += 1;
        if polls == 2 {
            return Poll::Ready(output);
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

fn either_wakes_the_task() {
    let expected = "each future to be polled with the waker of the task, and asked when it wakes";
    for first in [true, false] {
        let seen = match first {
            true => block_on(expected, join(gives_way(1), ready(2))),
            false => block_on(expected, join(ready(1), gives_way(2))),
        };
        check(seen == (1, 2), format_args!("the outputs are {seen:?}"), "(1, 2)");
    }
}
