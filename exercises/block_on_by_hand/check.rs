//! Counts how often a future is polled that is woken once, often, or early.

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    task::{Poll, Waker},
    thread,
};

use ex_block_on_by_hand::block_on;
use exercise_kit::{a_moment, check, check_idle, comes_true, within};

exercise_kit::checks![
    what_is_ready_is_returned,
    the_thread_sleeps_until_it_is_woken,
    no_cpu_is_busy_meanwhile,
    each_wake_up_is_a_poll,
    an_early_wake_up_is_not_lost,
];

fn what_is_ready_is_returned() {
    let seen = within(
        "block_on",
        "the output of a future that is ready; look at what comes before the first poll",
        || block_on(async { 6 * 7 }),
    );
    check(seen == 42, seen, 42);
}

/// A parked thread may continue for no reason now and then.
const IN_VAIN: usize = 3;

fn the_thread_sleeps_until_it_is_woken() {
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polls);
    within(
        "block_on with a future that is woken after a while",
        "it to return; look at where a wake-up could be lost",
        move || {
            let ready = Arc::new(AtomicBool::new(false));
            block_on(poll_fn(move |context| {
                if ready.load(Ordering::SeqCst) {
                    return Poll::Ready(());
                }
                if counted.fetch_add(1, Ordering::SeqCst) == 0 {
                    let ready = Arc::clone(&ready);
                    let waker = context.waker().clone();
                    thread::spawn(move || {
                        a_moment();
                        ready.store(true, Ordering::SeqCst);
                        waker.wake();
                    });
                }
                Poll::Pending
            }));
        },
    );
    let in_vain = polls.load(Ordering::SeqCst) - 1;
    let seen =
        format!("block_on polled {in_vain} times in vain, before anything had woken the task");
    check(in_vain <= IN_VAIN, seen, "none: the thread sleeps until its waker is called");
}

fn no_cpu_is_busy_meanwhile() {
    let polled = Arc::new(AtomicBool::new(false));
    let begun = Arc::clone(&polled);
    thread::spawn(move || {
        block_on(poll_fn(|_| {
            begun.store(true, Ordering::SeqCst);
            Poll::<()>::Pending
        }))
    });
    let begun = comes_true(|| polled.load(Ordering::SeqCst));
    check(begun, "block_on didn't poll its future", "a first poll");
    check_idle("while its future waits");
}

fn each_wake_up_is_a_poll() {
    const TIMES: usize = 200;
    let expected = "a call of the waker to end the sleep, and nothing else";
    within("block_on with a future that is woken 200 times", expected, || {
        let (sender, receiver) = mpsc::channel::<Waker>();
        // Woken each time it has been polled, by a thread that waits for just that.
        thread::spawn(move || receiver.into_iter().for_each(Waker::wake));
        let mut polls = 0;
        block_on(poll_fn(move |context| {
            polls += 1;
            if polls > TIMES {
                return Poll::Ready(());
            }
            let _ = sender.send(context.waker().clone());
            Poll::Pending
        }));
    });
}

fn an_early_wake_up_is_not_lost() {
    let seen = within(
        "block_on with a future that wakes itself",
        "it to return; look at where a wake-up could be lost",
        || {
            let mut left = 1000;
            block_on(poll_fn(move |context| {
                left -= 1;
                context.waker().wake_by_ref();
                if left == 0 { Poll::Ready("done") } else { Poll::Pending }
            }))
        },
    );
    check(seen == "done", seen, "done");
}
