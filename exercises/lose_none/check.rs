//! A pool is dropped while its workers are busy and its queue is full.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use ex_lose_none::ThreadPool;
use exercise_kit::{Gate, a_moment, check, comes_true, not_checked, threads_now, within};

exercise_kit::checks![
    what_was_queued_is_done_before_drop_returns,
    an_idle_pool_ends_at_once,
    no_worker_stays_behind,
];

fn what_was_queued_is_done_before_drop_returns() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let done = Arc::new(AtomicUsize::new(0));
    let pool = ThreadPool::new(2);
    for _ in 0..20 {
        let gate = Arc::clone(&gate);
        let done = Arc::clone(&done);
        pool.execute(move || {
            gate.wait();
            done.fetch_add(1, Ordering::SeqCst);
        });
    }
    // No job gets to its end before this; by then `drop` has begun.
    thread::spawn(move || {
        a_moment();
        gate.open();
    });
    let counted = Arc::clone(&done);
    let done = within(
        "dropping the pool",
        "`drop` to return when all is done; look at what each worker waits for",
        move || {
            drop(pool);
            counted.load(Ordering::SeqCst)
        },
    );
    check(
        done == 20,
        format_args!("{done} of 20 jobs were done when `drop` returned"),
        "all 20; look at what `drop` waits for",
    );
}

fn an_idle_pool_ends_at_once() {
    within(
        "dropping a pool that has nothing to do",
        "`drop` to return; look at how a worker hears that no job will come",
        || {
            drop(ThreadPool::new(4));
        },
    );
}

fn no_worker_stays_behind() {
    let Some(before) = threads_now() else {
        not_checked("whether every worker has ended when `drop` returns");
        return;
    };
    let pool = ThreadPool::new(4);
    (0..8).for_each(|_| pool.execute(|| ()));
    within(
        "dropping the pool",
        "`drop` to return when all is done; look at what each worker waits for",
        || drop(pool),
    );
    // What has been joined may be seen for a moment more.
    let gone = comes_true(|| threads_now().is_none_or(|now| now <= before));
    let left = threads_now().unwrap_or_default().saturating_sub(before);
    check(gone, format_args!("`drop` left {left} threads behind"), "none: join every worker");
}
