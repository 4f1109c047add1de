//! Jobs that wait for each other show how many run at the same time.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use ex_shared_receiver::ThreadPool;
use exercise_kit::{Gate, a_moment, check, comes_true};

exercise_kit::checks![
    four_workers_run_four_jobs_at_the_same_time,
    four_workers_run_no_fifth,
    no_job_waits_for_a_worker_that_is_busy,
];

fn four_workers_run_four_jobs_at_the_same_time() {
    let gate = Arc::new(Gate::new(4));
    let pool = ThreadPool::new(4);
    for _ in 0..4 {
        let gate = Arc::clone(&gate);
        pool.execute(move || {
            gate.pass();
        });
    }
    let opened = gate.wait();
    check(
        opened,
        format_args!("the pool ran at most {} jobs at the same time", gate.most()),
        "four jobs at the same time, for four workers; look at how long the lock is held",
    );
}

fn four_workers_run_no_fifth() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let pool = ThreadPool::new(4);
    for _ in 0..200 {
        let gate = Arc::clone(&gate);
        pool.execute(move || {
            gate.pass();
        });
    }
    let four = gate.wait_for_entered(4);
    check(
        four,
        format_args!("the pool ran at most {} jobs at the same time", gate.most()),
        "four jobs at the same time, for four workers; look at how long the lock is held",
    );
    // For a fifth to show itself. A right solution is not hurried by it.
    a_moment();
    gate.open();
    let all = comes_true(|| gate.entered() == 200 && gate.inside() == 0);
    check(all, format_args!("the pool ran {} of 200 jobs", gate.entered()), "every job, once");
    let most = gate.most();
    check(most == 4, format_args!("{most} jobs ran at the same time"), "never more than 4 workers");
}

fn no_job_waits_for_a_worker_that_is_busy() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let pool = ThreadPool::new(2);
    let busy = Arc::clone(&gate);
    pool.execute(move || {
        busy.pass();
    });
    check(gate.wait_for_entered(1), "a job was queued and didn't begin", "a worker to run it");
    let done = Arc::new(AtomicUsize::new(0));
    for _ in 0..6 {
        let done = Arc::clone(&done);
        let busy = Arc::clone(&gate);
        pool.execute(move || {
            done.fetch_add(busy.inside(), Ordering::SeqCst);
        });
    }
    comes_true(|| done.load(Ordering::SeqCst) == 6);
    let done = done.load(Ordering::SeqCst);
    gate.open();
    let seen = format!("{done} of 6 jobs were done while one of two workers was busy");
    check(done == 6, seen, "all 6, by the other worker: both take jobs from the one receiver");
}
