//! Lets several futures wait, wake themselves and end, and counts how often each is polled.

use std::{
    collections::HashSet,
    future::poll_fn,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    task::{Poll, Waker},
    thread,
};

use ex_many_by_hand::{Work, run_all};
use exercise_kit::{a_moment, check, check_idle, comes_true, within};

exercise_kit::checks![
    each_future_runs_to_its_end,
    all_wait_at_the_same_time,
    a_wake_up_during_a_poll_is_not_lost,
    only_what_was_woken_is_polled,
    what_has_ended_is_not_polled_again,
    what_has_ended_is_not_waited_for,
    it_sleeps_while_its_future_waits,
];

/// Runs these futures, with a deadline, until all of them have ended, and on which threads they are polled.
#[track_caller]
fn run(doing: &str, futures: Vec<Work>) {
    let count = futures.len();
    let ended = Arc::new(AtomicUsize::new(0));
    let threads: Arc<Mutex<HashSet<_>>> = Arc::default();
    let counted = |mut future: Work| -> Work {
        let ended = Arc::clone(&ended);
        let threads = Arc::clone(&threads);
        Box::pin(poll_fn(move |context| {
            threads.lock().expect("nobody panics").insert(thread::current().id());
            let poll = future.as_mut().poll(context);
            ended.fetch_add(usize::from(poll.is_ready()), SeqCst);
            poll
        }))
    };
    let futures: Vec<Work> = futures.into_iter().map(counted).collect();
    let caller = within(doing, "it to return when all futures have ended, and not before", || {
        run_all(futures);
        thread::current().id()
    });
    let threads = threads.lock().expect("nobody panics");
    let others = threads.iter().filter(|it| **it != caller).count();
    let seen = format!("{doing} polled them on {others} other threads");
    check(others == 0, seen, "all polls on the one thread that called it");
    let seen = ended.load(SeqCst);
    let seen = format!("{doing} returned when {seen} of {count} had ended");
    check(
        ended.load(SeqCst) >= count,
        seen,
        "it to return when all futures have ended, and not before",
    );
}

/// Ready when a thread has waited for a moment; `polls` counts.
fn a_wait(polls: Arc<AtomicUsize>) -> impl Future<Output = ()> + Send {
    let is_over = Arc::new(AtomicBool::new(false));
    poll_fn(move |context| {
        if polls.fetch_add(1, SeqCst) == 0 {
            let is_over = Arc::clone(&is_over);
            let waker = context.waker().clone();
            thread::spawn(move || {
                a_moment();
                is_over.store(true, SeqCst);
                waker.wake();
            });
        }
        if is_over.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
    })
}

/// Pending so often, each time with a wake-up of its own.
fn gives_way(mut times: usize) -> impl Future<Output = ()> + Send {
    poll_fn(move |context| {
        if times == 0 {
            return Poll::Ready(());
        }
        times -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

fn each_future_runs_to_its_end() {
    let futures: Vec<Work> = (0..10).map(|_| -> Work { Box::pin(async {}) }).collect();
    run("run_all with ten futures that never wait", futures);
}

fn all_wait_at_the_same_time() {
    const FUTURES: usize = 5;
    let begun = Arc::new(AtomicUsize::new(0));
    // How many had begun when the first wait was over.
    let at_first_end = Arc::new(AtomicUsize::new(0));
    let wait = || -> Work {
        let begun = Arc::clone(&begun);
        let at_first_end = Arc::clone(&at_first_end);
        Box::pin(async move {
            begun.fetch_add(1, SeqCst);
            a_wait(Arc::default()).await;
            let _ = at_first_end.compare_exchange(0, begun.load(SeqCst), SeqCst, SeqCst);
        })
    };
    run("run_all with five futures that wait", (0..FUTURES).map(|_| wait()).collect());
    let seen = at_first_end.load(SeqCst);
    let seen = format!("{seen} of {FUTURES} futures had begun when the first had waited");
    check(
        at_first_end.load(SeqCst) == FUTURES,
        seen,
        "all, so that their waits overlap; look at what keeps the second from its first poll",
    );
}

fn a_wake_up_during_a_poll_is_not_lost() {
    let mut polls = 0;
    let woken_by_another_thread = poll_fn(move |context| {
        polls += 1;
        if polls > 100 {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        // The poll is not over before the other thread has called the waker.
        let _ = thread::spawn(move || waker.wake()).join();
        Poll::Pending
    });
    let doing = "run_all with two futures that are woken while they are polled";
    run(doing, vec![Box::pin(woken_by_another_thread), Box::pin(gives_way(100))]);
}

/// Nothing but a wake-up polls a future; a few more are forgiven.
const IN_VAIN: usize = 3;

fn only_what_was_woken_is_polled() {
    let polls: [Arc<AtomicUsize>; 2] = Default::default();
    let waits = polls.iter().map(|polls| -> Work { Box::pin(a_wait(Arc::clone(polls))) });
    let mut futures: Vec<Work> = waits.collect();
    futures.push(Box::pin(gives_way(200)));
    run("run_all with two futures that wait and one that gives way 200 times", futures);
    for polls in polls {
        let in_vain = polls.load(SeqCst).saturating_sub(2);
        let seen = format!("run_all polled a future {in_vain} times that nothing had woken");
        check(
            in_vain <= IN_VAIN,
            seen,
            "no poll in vain: a wake-up polls the future that it is for",
        );
    }
}

fn what_has_ended_is_not_polled_again() {
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polls);
    let ends_and_is_woken = poll_fn(move |context| {
        counted.fetch_add(1, SeqCst);
        context.waker().wake_by_ref();
        Poll::Ready(())
    });
    let futures: Vec<Work> = vec![Box::pin(ends_and_is_woken), Box::pin(gives_way(10))];
    run("run_all with a future that is woken in its last poll", futures);
    let seen = format!(
        "run_all polled a future {} times that ended in its first poll",
        polls.load(SeqCst)
    );
    check(polls.load(SeqCst) == 1, seen, "one poll: what has ended isn't polled again");
}

fn what_has_ended_is_not_waited_for() {
    let kept: Arc<Mutex<Vec<Waker>>> = Arc::default();
    let futures = (0..3).map(|_| -> Work {
        let kept = Arc::clone(&kept);
        Box::pin(poll_fn(move |context| {
            kept.lock().expect("nobody panics").push(context.waker().clone());
            Poll::Ready(())
        }))
    });
    run(
        "run_all with three futures that have ended, whose wakers somebody keeps",
        futures.collect(),
    );
}

fn it_sleeps_while_its_future_waits() {
    let kept: Arc<Mutex<Option<Waker>>> = Arc::default();
    let keeps = Arc::clone(&kept);
    let waits: Work = Box::pin(poll_fn(move |context| {
        *keeps.lock().expect("nobody panics") = Some(context.waker().clone());
        Poll::Pending
    }));
    thread::spawn(|| run_all(vec![waits]));
    let polled = comes_true(|| kept.lock().expect("nobody panics").is_some());
    check(polled, "run_all didn't poll its future", "a first poll");
    check_idle("while its one future waits");
}
