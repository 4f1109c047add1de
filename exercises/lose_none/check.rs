//! A pool is dropped while its workers are busy and its queue is full.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use ex_lose_none::ThreadPool;
use exercise_kit::{Gate, a_moment, check, within};

exercise_kit::checks![what_was_queued_is_done_before_drop_returns, an_idle_pool_ends_at_once];

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
    let done = within("dropping the pool", "that `drop` returns when all is done", move || {
        drop(pool);
        counted.load(Ordering::SeqCst)
    });
    check(done == 20, format_args!("{done} of 20 jobs done when `drop` returned"), "all 20");
}

fn an_idle_pool_ends_at_once() {
    within("dropping a pool that has nothing to do", "that `drop` returns", || {
        drop(ThreadPool::new(4));
    });
}
