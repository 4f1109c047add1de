//! Counts how often a future is polled that is woken once, often, or early.

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Poll,
    thread,
    time::Duration,
};

use ex_block_on_by_hand::block_on;
use exercise_kit::{check, within};

#[test]
fn what_is_ready_is_returned() {
    let seen = within("block_on", "the output", || block_on(async { 6 * 7 }));
    check(seen == 42, seen, 42);
}

#[test]
fn the_thread_sleeps_until_it_is_woken() {
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polls);
    within("block_on with a future that is woken after a while", "that it returns", move || {
        let ready = Arc::new(AtomicBool::new(false));
        block_on(poll_fn(move |context| {
            if ready.load(Ordering::SeqCst) {
                return Poll::Ready(());
            }
            if counted.fetch_add(1, Ordering::SeqCst) == 0 {
                let (ready, waker) = (Arc::clone(&ready), context.waker().clone());
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(300));
                    ready.store(true, Ordering::SeqCst);
                    waker.wake();
                });
            }
            Poll::Pending
        }));
    });
    let polls = polls.load(Ordering::SeqCst);
    // A parked thread may go on for no reason, now and then.
    check(polls < 100, format_args!("{polls} polls in vain, for one wake-up"), "about one");
}

#[test]
fn an_early_wake_up_is_not_lost() {
    let seen = within("block_on with a future that wakes itself", "that it returns", || {
        let mut left = 1000;
        block_on(poll_fn(move |context| {
            left -= 1;
            context.waker().wake_by_ref();
            if left == 0 { Poll::Ready("done") } else { Poll::Pending }
        }))
    });
    check(seen == "done", seen, "done");
}
