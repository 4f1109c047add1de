//! Tasks that wait for a stop and for the last connection, and news that comes at every moment.

use std::{
    future::{pending, poll_fn, ready},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use ex_stop_by_hand::Stop;
use exercise_kit::{Counted, PollsAtOnce, block_on, check, within};

exercise_kit::checks![
    what_is_ready_is_handed_on,
    who_is_told_before_does_not_wait,
    every_task_that_waits_is_told,
    news_that_comes_during_the_poll_is_not_missed,
    the_last_connection_wakes_who_waits_for_all,
    the_newest_waker_is_woken,
    a_task_that_looks_often_is_woken_once,
    a_wait_that_ends_leaves_no_waker,
    a_waker_may_poll_at_once,
];

/// A future on the heap.
type Wait<'a> = Pin<Box<dyn Future<Output = Option<u8>> + Send + 'a>>;

/// Waits for the stop, with a client that never sends anything.
fn until_told(stop: &Stop) -> Wait<'_> {
    Box::pin(stop.until_told(pending()))
}

/// Waits until no connection is in flight.
fn all_done(stop: &Stop) -> Wait<'_> {
    Box::pin(async {
        stop.all_done().await;
        None
    })
}

fn poll(wait: &mut Wait, task: &Arc<Counted>) -> Poll<Option<u8>> {
    let waker = Waker::from(Arc::clone(task));
    wait.as_mut().poll(&mut Context::from_waker(&waker))
}

fn what_is_ready_is_handed_on() {
    let stop = Stop::new();
    let seen =
        block_on("what the future gives, as long as there is no stop", stop.until_told(ready(7)));
    check(seen == Some(7), format_args!("`until_told` gave {seen:?}"), "Some(7)");
    // A future that is woken by its own waker, and not by the stop.
    let mut polls = 0;
    let third = poll_fn(|context| {
        polls += 1;
        context.waker().wake_by_ref();
        if polls == 3 { Poll::Ready(3) } else { Poll::Pending }
    });
    let seen = block_on(
        "the output of a future that is ready at its third poll, with the waker of its task",
        stop.until_told(third),
    );
    check(seen == Some(3), format_args!("`until_told` gave {seen:?}"), "Some(3)");
    block_on("`all_done` to be ready where there are no connections", stop.all_done());
}

fn who_is_told_before_does_not_wait() {
    let stop = Stop::new();
    stop.tell();
    let seen = block_on(
        "`until_told` to be ready after the stop: the server accepts no client",
        stop.until_told(pending::<u8>()),
    );
    check(seen.is_none(), format_args!("`until_told` gave {seen:?}"), "None");
    let kept = Arc::new(());
    let held = Arc::clone(&kept);
    let holds = async move {
        let _held = held;
        pending::<u8>().await
    };
    block_on(
        "`until_told` to be ready after the stop: the server accepts no client",
        stop.until_told(holds),
    );
    let dropped = Arc::strong_count(&kept) == 1;
    check(dropped, "`until_told` still holds its future after the stop", "`until_told` to drop it");
}

fn every_task_that_waits_is_told() {
    let stop = Stop::new();
    let tasks: Vec<_> = (0..5).map(|_| Counted::new()).collect();
    let mut waits: Vec<_> = tasks.iter().map(|_| until_told(&stop)).collect();
    for (wait, task) in waits.iter_mut().zip(&tasks) {
        check(
            poll(wait, task).is_pending(),
            "a wait was over before the stop",
            "Pending until then",
        );
    }
    stop.tell();
    let woken = tasks.iter().filter(|task| task.woken() > 0).count();
    check(
        woken == 5,
        format_args!("`tell` woke {woken} of 5 tasks that waited"),
        "all five; look at how many wakers `State` has room for",
    );
    for (wait, task) in waits.iter_mut().zip(&tasks) {
        let seen = poll(wait, task);
        check(
            seen == Poll::Ready(None),
            format_args!("`until_told` gave {seen:?} after the stop"),
            "Ready(None)",
        );
    }
}

/// The future itself tells the server to stop: the news comes after the look, and before the poll is over.
fn news_that_comes_during_the_poll_is_not_missed() {
    let stop = Stop::new();
    let expected = "no news to be missed: the waker is there before the lock is given back";
    let over = within("polling a future that calls `tell`", expected, move || {
        let tells = poll_fn(|_| {
            stop.tell();
            Poll::<u8>::Pending
        });
        let task = Counted::new();
        let mut wait: Wait = Box::pin(stop.until_told(tells));
        poll(&mut wait, &task).is_ready() || task.woken() > 0
    });
    check(
        over,
        "the stop came between the look and the end of the poll, and woke nobody",
        expected,
    );
}

fn the_last_connection_wakes_who_waits_for_all() {
    let stop = Stop::new();
    let mut connections: Vec<_> = (0..3).map(|_| stop.in_flight()).collect();
    let tasks = [Counted::new(), Counted::new()];
    let mut waits = [all_done(&stop), all_done(&stop)];
    while let Some(connection) = connections.pop() {
        for (wait, task) in waits.iter_mut().zip(&tasks) {
            let left = connections.len() + 1;
            let seen = format!("`all_done` was ready with {left} connections in flight");
            check(poll(wait, task).is_pending(), seen, "Pending");
        }
        let woken: usize = tasks.iter().map(|task| task.woken()).sum();
        let seen = format!("a connection that was not the last woke tasks {woken} times");
        check(woken == 0, seen, "only the last one to wake those that wait in `all_done`");
        drop(connection);
    }
    let woken = tasks.iter().filter(|task| task.woken() > 0).count();
    let seen = format!("the last connection woke {woken} of 2 tasks that waited");
    check(woken == 2, seen, "both");
    for (wait, task) in waits.iter_mut().zip(&tasks) {
        let seen = "a wait goes on, with nothing in flight";
        check(poll(wait, task).is_ready(), seen, "its end");
    }
}

fn the_newest_waker_is_woken() {
    let stop = Stop::new();
    let connection = stop.in_flight();
    let old = Counted::new();
    let new = Counted::new();
    let mut told = until_told(&stop);
    let mut done = all_done(&stop);
    for wait in [&mut told, &mut done] {
        let _ = poll(wait, &old);
        let _ = poll(wait, &new);
    }
    let expected = "a task to be woken by the waker of its last poll";
    stop.tell();
    check(new.woken() > 0, "`tell` called an old waker, and not the new one", expected);
    let before = new.woken();
    drop(connection);
    let seen = "the last connection called an old waker, and not the new one";
    check(new.woken() > before, seen, expected);
    let seen = format!("the waker of an earlier poll was called {} times", old.woken());
    check(old.woken() == 0, seen, "only that of the last: the future has moved to another task");
}

fn a_task_that_looks_often_is_woken_once() {
    let stop = Stop::new();
    let task = Counted::new();
    let mut wait = until_told(&stop);
    for _ in 0..1000 {
        let _ = poll(&mut wait, &task);
    }
    stop.tell();
    let woken = task.woken();
    check(
        woken > 0,
        "the stop didn't wake a task that had looked a thousand times",
        "it to be woken",
    );
    let seen = format!("one stop woke one task {woken} times, after a thousand looks");
    check(woken < 10, seen, "once: a task that looks again is on the list already");
}

/// Waits that end before any news: by their future, and because they are dropped.
fn a_wait_that_ends_leaves_no_waker() {
    const WAITS: usize = 20;
    let stop = Stop::new();
    let _connection = stop.in_flight();
    let task = Counted::new();
    let count = |ended: &str| {
        let kept = Arc::strong_count(&task) - 1;
        let seen = format!("the list keeps {kept} wakers after {WAITS} waits {ended}");
        check(kept == 0, seen, "none: a wait that ends takes its waker out");
    };
    for _ in 0..WAITS {
        let mut polls = 0;
        let second = poll_fn(|_| {
            polls += 1;
            if polls == 2 { Poll::Ready(2) } else { Poll::Pending }
        });
        let mut wait: Wait = Box::pin(stop.until_told(second));
        let _ = poll(&mut wait, &task);
        let seen = poll(&mut wait, &task);
        check(
            seen == Poll::Ready(Some(2)),
            format_args!("`until_told` gave {seen:?}"),
            "Ready(Some(2))",
        );
    }
    count("whose future was ready");
    for _ in 0..WAITS {
        let _ = poll(&mut until_told(&stop), &task);
    }
    count("in `until_told` that were dropped");
    for _ in 0..WAITS {
        let _ = poll(&mut all_done(&stop), &task);
    }
    count("in `all_done` that were dropped");
}

fn a_waker_may_poll_at_once() {
    let expected = "a waker to be called when the lock has been given back: it may poll at once";
    let over = within("stopping a task that its waker polls", expected, || {
        let stop = Stop::new();
        let connection = stop.in_flight();
        let told = stop.clone();
        let told = PollsAtOnce::start(async move { until_told(&told).await });
        let done = stop.clone();
        let done = PollsAtOnce::start(async move { all_done(&done).await });
        stop.tell();
        drop(connection);
        told.output().is_some() && done.output().is_some()
    });
    check(over, "a task that its waker polled still waits", "the news to be there by then");
}
