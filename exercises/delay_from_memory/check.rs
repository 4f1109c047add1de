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
        check(
            begun >= TIME,
            "the delay was ready at its first poll",
            "`Pending`, at once: `poll` never waits",
        );
    }
    fail(
        "five delays in a row were ready at their first poll",
        "`Pending`, at once: `poll` never waits",
    )
}

fn it_is_ready_when_its_time_is_over() {
    let took =
        within("awaiting a delay", "its task to be woken; look at who calls the waker", || {
            let start = Instant::now();
            block_on("its task to be woken; look at who calls the waker", Delay::new(TIME));
            start.elapsed()
        });
    check(
        took >= TIME,
        format_args!("the delay was ready after {took:?}"),
        format_args!("at least {TIME:?}, its time"),
    );
}

fn its_time_begins_before_its_first_poll() {
    let took = shortest(TIME, || {
        within(
            "awaiting a delay whose time is over",
            "its task to be woken; look at who calls the waker",
            || {
                let delay = Delay::new(TIME);
                thread::sleep(TIME);
                let start = Instant::now();
                block_on("its task to be woken; look at who calls the waker", delay);
                start.elapsed()
            },
        )
    });
    let seen = format!(
        "the first poll came {TIME:?} after `new`, and the delay was ready {took:?} after that \
         poll"
    );
    check(took < TIME, seen, "`Ready` then: the time begins with `new`");
}

fn it_wakes_once_and_not_before() {
    let counted = Counted::new();
    let (mut delay, start) = polled(&counted);
    let woken = comes_true(|| counted.woken() > 0);
    let took = start.elapsed();
    check(
        woken,
        "nobody woke the task",
        format_args!("a wake-up after {TIME:?}; look at where `poll` leaves the waker"),
    );
    check(took >= TIME, "the task was woken before its time was over", "no poll in vain");
    let last = poll(delay.as_mut(), &counted);
    check(
        last.is_ready(),
        "the task was woken, and the next poll returned `Pending`",
        "`Ready`: note first that the time is over, then wake",
    );
    check(
        counted.woken() == 1,
        format_args!("the task was woken {} times", counted.woken()),
        "once",
    );
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
        check(second.is_pending(), "the delay was ready before its time", "`Pending`");
        let woken = comes_true(|| last.woken() > 0);
        check(
            woken,
            "nobody called the waker of the last poll",
            "a call of that one: the future has moved there",
        );
        a_moment();
        check(
            first.woken() == 0,
            "the delay called the waker of an earlier poll",
            "a call of the last one only: the future is gone from where it was before",
        );
        return;
    }
    fail(
        "the time of five delays in a row was over before their second poll",
        "a machine that does not stall; check again when it has less to do",
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
            let seen = "a wake-up is lost: a poll returned `Pending` just as the time ran out, \
                        and nobody calls its waker";
            check(
                woken,
                seen,
                "`Ready`, or a wake-up, whenever the time runs out; look at what may come \
                 between looking and leaving the waker",
            );
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
            format_args!("one delay began {threads} threads"),
            "one thread, for all its polls",
        );
    }
    let woken = comes_true(|| counted.woken() > 0);
    check(
        woken,
        "nobody woke the task",
        format_args!("a wake-up after {TIME:?}; look at where `poll` leaves the waker"),
    );
}

fn delays_run_side_by_side() {
    let counted = Counted::new();
    let start = Instant::now();
    let _delays: Vec<_> = (0..5).map(|_| polled(&counted)).collect();
    // All of them are polled before the first is over, which a `poll` that waits would not allow.
    let took = start.elapsed();
    check(took < 5 * TIME, format_args!("five polls took {took:?}"), "`poll` never to wait");
    let woken = comes_true(|| counted.woken() >= 5);
    check(woken, format_args!("{} of 5 delays woke their task", counted.woken()), "all 5");
}

fn a_waker_may_poll_at_once() {
    let task = PollsAtOnce::start(Delay::new(Duration::from_millis(50)));
    let ended = comes_true(|| task.output().is_some());
    let expected = "a waker to be called when the lock has been given back: it may poll at once";
    check(ended, "a delay doesn't end when its waker polls it", expected);
}
