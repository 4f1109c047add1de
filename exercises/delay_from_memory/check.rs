//! Polls a delay before its time, at its time, with two wakers, and often.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use ex_delay_from_memory::Delay;
use exercise_kit::{Counted, block_on, check, comes_true, threads_begun, within};

exercise_kit::checks![
    it_is_ready_when_its_time_is_over,
    it_wakes_once_and_not_before,
    the_last_waker_counts,
    it_has_one_thread,
    delays_run_side_by_side,
];

/// Long enough for many polls before it is over.
const TIME: Duration = Duration::from_millis(500);

fn poll(delay: Pin<&mut Delay>, counted: &Arc<Counted>) -> Poll<()> {
    let waker = Waker::from(Arc::clone(counted));
    delay.poll(&mut Context::from_waker(&waker))
}

fn it_is_ready_when_its_time_is_over() {
    let took = within("awaiting a delay", "that its task is woken", || {
        let start = Instant::now();
        block_on("that its task is woken", Delay::new(TIME));
        start.elapsed()
    });
    check(took >= TIME, format_args!("ready after {took:?}"), format_args!("{TIME:?} at least"));
}

fn it_wakes_once_and_not_before() {
    let counted = Counted::new();
    let start = Instant::now();
    let mut delay = pin!(Delay::new(TIME));
    let first = poll(delay.as_mut(), &counted);
    check(first.is_pending(), "ready at its first poll", "`Pending`, at once");
    let woken = comes_true(|| counted.woken() > 0);
    let took = start.elapsed();
    check(woken, "a task that was not woken", format_args!("that it is, after {TIME:?}"));
    check(took >= TIME, "a task that was woken before its time was over", "no poll in vain");
    let last = poll(delay.as_mut(), &counted);
    check(last.is_ready(), "`Pending` after its task was woken", "`Ready`: no poll in vain");
    check(counted.woken() == 1, format_args!("woken {} times", counted.woken()), "once");
}

fn the_last_waker_counts() {
    let first = Counted::new();
    let last = Counted::new();
    let mut delay = pin!(Delay::new(TIME));
    let _ = poll(delay.as_mut(), &first);
    check(poll(delay.as_mut(), &last).is_pending(), "ready before its time", "`Pending`");
    let woken = comes_true(|| last.woken() > 0);
    check(
        woken,
        "the waker of the last poll was not called",
        "that it is: the future has moved there",
    );
}

fn it_has_one_thread() {
    let before = threads_begun();
    let counted = Counted::new();
    let mut delay = pin!(Delay::new(TIME));
    for _ in 0..50 {
        let _ = poll(delay.as_mut(), &counted);
    }
    if let (Some(before), Some(after)) = (before, threads_begun()) {
        let threads = after - before;
        check(
            threads <= 1,
            format_args!("{threads} threads for one delay"),
            "one, for all its polls",
        );
    }
    let woken = comes_true(|| counted.woken() > 0);
    check(woken, "a task that was not woken", format_args!("that it is, after {TIME:?}"));
}

fn delays_run_side_by_side() {
    let counted = Counted::new();
    let mut delays: Vec<_> = (0..5).map(|_| Box::pin(Delay::new(TIME))).collect();
    let start = Instant::now();
    let ready_at_once = delays.iter_mut().any(|it| poll(it.as_mut(), &counted).is_ready());
    check(!ready_at_once, "ready at its first poll", "`Pending`, at once");
    // All of them are polled before the first is over, which a `poll` that waits would not allow.
    let took = start.elapsed();
    let in_turn = took >= 5 * TIME;
    check(!in_turn, format_args!("five polls in {took:?}"), "that `poll` never waits");
    let woken = comes_true(|| counted.woken() >= 5);
    check(woken, format_args!("{} of 5 delays have woken", counted.woken()), "all 5");
}
