//! Polls a delay before its time, at its time, with two wakers, and often.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use ex_delay_from_memory::Delay;
use exercise_kit::{
    Counted, PollsAtOnce, a_moment, block_on, check, comes_true, fail, shortest, threads_begun,
    within,
};

exercise_kit::checks![
    it_is_ready_when_its_time_is_over,
    its_time_begins_before_its_first_poll,
    it_wakes_once_and_not_before,
    the_last_waker_counts,
    no_wake_up_is_lost,
    it_has_one_thread,
    delays_run_side_by_side,
    a_waker_may_poll_at_once,
];

/// Long enough for many polls before it is over.
const TIME: Duration = Duration::from_millis(500);

fn poll(delay: Pin<&mut Delay>, counted: &Arc<Counted>) -> Poll<()> {
    let waker = Waker::from(Arc::clone(counted));
    delay.poll(&mut Context::from_waker(&waker))
}

/// A delay that has been polled before its time was over, and when that was.
fn polled(counted: &Arc<Counted>) -> (Pin<Box<Delay>>, Instant) {
    // On a machine that stalls the time may be over before the first poll.
    for _ in 0..5 {
        let start = Instant::now();
        let mut delay = Box::pin(Delay::new(TIME));
        let begun = start.elapsed();
        if poll(delay.as_mut(), counted).is_pending() {
            return (delay, start);
        }
        check(begun >= TIME, "ready at its first poll", "`Pending`, at once");
    }
    fail("five delays in a row that were ready at their first poll", "`Pending`, at once")
}

fn it_is_ready_when_its_time_is_over() {
    let took = within("awaiting a delay", "that its task is woken", || {
        let start = Instant::now();
        block_on("that its task is woken", Delay::new(TIME));
        start.elapsed()
    });
    check(took >= TIME, format_args!("ready after {took:?}"), format_args!("{TIME:?} at least"));
}

fn its_time_begins_before_its_first_poll() {
    let took = shortest(TIME, || {
        within("awaiting a delay whose time is over", "that its task is woken", || {
            let delay = Delay::new(TIME);
            thread::sleep(TIME);
            let start = Instant::now();
            block_on("that its task is woken", delay);
            start.elapsed()
        })
    });
    let seen = format!("first polled {TIME:?} after `new`, it is ready {took:?} after that poll");
    check(took < TIME, seen, "`Ready` then: the time begins with `new`");
}

fn it_wakes_once_and_not_before() {
    let counted = Counted::new();
    let (mut delay, start) = polled(&counted);
    let woken = comes_true(|| counted.woken() > 0);
    let took = start.elapsed();
    check(woken, "a task that was not woken", format_args!("that it is, after {TIME:?}"));
    check(took >= TIME, "a task that was woken before its time was over", "no poll in vain");
    let last = poll(delay.as_mut(), &counted);
    check(last.is_ready(), "`Pending` after its task was woken", "`Ready`: no poll in vain");
    check(counted.woken() == 1, format_args!("woken {} times", counted.woken()), "once");
}

fn the_last_waker_counts() {
    for _ in 0..5 {
        let first = Counted::new();
        let last = Counted::new();
        let (mut delay, start) = polled(&first);
        let second = poll(delay.as_mut(), &last);
        if start.elapsed() >= TIME {
            // The machine has stalled, and the time may have been over before the second poll.
            continue;
        }
        check(second.is_pending(), "ready before its time", "`Pending`");
        let woken = comes_true(|| last.woken() > 0);
        check(
            woken,
            "the waker of the last poll was not called",
            "that it is: the future has moved there",
        );
        a_moment();
        check(
            first.woken() == 0,
            "the waker of an earlier poll was called",
            "only that of the last: the future is gone from where it was before",
        );
        return;
    }
    fail(
        "five delays in a row whose time was over before their second poll",
        "a machine that does not stall",
    )
}

/// Polls without a pause, each time with a waker of its own, while the time gets over. A poll that looks before that and
/// leaves its waker after it must be seen by the thread that wakes, or the other way round.
fn no_wake_up_is_lost() {
    let end = Instant::now() + Duration::from_secs(2);
    while Instant::now() < end {
        let mut delay = pin!(Delay::new(Duration::from_micros(200)));
        let mut before = Counted::new();
        if poll(delay.as_mut(), &before).is_ready() {
            continue;
        }
        loop {
            let last = Counted::new();
            if poll(delay.as_mut(), &last).is_ready() {
                break;
            }
            (0..10).for_each(|_| std::hint::spin_loop());
            if before.woken() == 0 {
                before = last;
                continue;
            }
            // The time was over before this poll, and yet it has returned `Pending`.
            let woken = comes_true(|| last.woken() > 0);
            let seen = "a wake-up is lost: a poll returned `Pending` while the time got over, and its waker is not called";
            check(woken, seen, "`Ready`, or a wake-up, whenever the time gets over");
            break;
        }
    }
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
    let start = Instant::now();
    let _delays: Vec<_> = (0..5).map(|_| polled(&counted)).collect();
    // All of them are polled before the first is over, which a `poll` that waits would not allow.
    let took = start.elapsed();
    check(took < 5 * TIME, format_args!("five polls in {took:?}"), "that `poll` never waits");
    let woken = comes_true(|| counted.woken() >= 5);
    check(woken, format_args!("{} of 5 delays have woken", counted.woken()), "all 5");
}

fn a_waker_may_poll_at_once() {
    let task = PollsAtOnce::start(Delay::new(Duration::from_millis(50)));
    let ended = comes_true(|| task.output().is_some());
    let expected = "that a waker is called when the lock has been given back: it may poll at once";
    check(ended, "a delay that does not end when its waker polls it", expected);
}
