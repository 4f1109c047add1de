//! A pool with a bounded queue: how many of its jobs run at the same time, and who waits when it is full.

use std::{
    panic::panic_any,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use ex_pool_from_memory::ThreadPool;
use exercise_kit::{
    Gate, a_moment, check, check_idle, comes_true, not_checked, threads_now, within,
};

exercise_kit::checks![
    each_worker_has_a_job,
    the_oldest_job_is_taken_first,
    no_job_waits_for_a_worker_that_is_busy,
    a_full_queue_makes_execute_wait,
    a_panic_costs_one_job,
    so_does_a_panic_that_carries_another,
    what_was_queued_is_done_before_drop_returns,
    no_worker_stays_behind,
    workers_without_a_job_sleep,
];

/// Queues jobs that stay at the gate until it is open.
fn fill(pool: &Arc<ThreadPool>, gate: &Arc<Gate>, jobs: usize) {
    let pool = Arc::clone(pool);
    let gate = Arc::clone(gate);
    let expected = "it to return, as long as the queue has room";
    within("`execute`", expected, move || {
        for _ in 0..jobs {
            let gate = Arc::clone(&gate);
            pool.execute(move || {
                gate.pass();
            });
        }
    });
}

fn each_worker_has_a_job() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let pool = Arc::new(ThreadPool::new(4, 8));
    fill(&pool, &gate, 8);
    gate.wait_for_entered(4);
    a_moment();
    let most = gate.most();
    gate.open();
    let seen = format!("{most} of 4 workers ran a job at the same time, with 8 jobs to do");
    check(most == 4, seen, "all 4; look at how long a worker holds the lock");
}

fn the_oldest_job_is_taken_first() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let pool = Arc::new(ThreadPool::new(1, 8));
    fill(&pool, &gate, 1);
    let begun = gate.wait_for_entered(1);
    check(begun, "a job was queued and didn't begin", "a worker to run it");
    let order = Arc::new(Mutex::new(Vec::new()));
    let ran = Arc::clone(&order);
    // The worker is busy, so all five are in the queue before it takes one of them.
    within("`execute`", "it to return, as long as the queue has room", move || {
        for number in 1..=5 {
            let ran = Arc::clone(&ran);
            pool.execute(move || ran.lock().expect("nobody panics").push(number));
        }
        gate.open();
    });
    comes_true(|| order.lock().expect("nobody panics").len() == 5);
    let order = order.lock().expect("nobody panics");
    let seen = format!("the pool ran the jobs 1 to 5 in the order {order:?}");
    check(*order == [1, 2, 3, 4, 5], seen, "[1, 2, 3, 4, 5]: the oldest first");
}

fn no_job_waits_for_a_worker_that_is_busy() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let pool = Arc::new(ThreadPool::new(2, 8));
    fill(&pool, &gate, 1);
    let begun = gate.wait_for_entered(1);
    check(begun, "a job was queued and didn't begin", "a worker to run it");
    let done = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&done);
    let busy = Arc::clone(&gate);
    let queueing = Arc::clone(&pool);
    within("`execute`", "it to return, as long as the queue has room", move || {
        for _ in 0..6 {
            let counted = Arc::clone(&counted);
            let busy = Arc::clone(&busy);
            queueing.execute(move || {
                counted.fetch_add(busy.inside(), Ordering::SeqCst);
            });
        }
    });
    comes_true(|| done.load(Ordering::SeqCst) == 6);
    let done = done.load(Ordering::SeqCst);
    gate.open();
    let seen = format!("{done} of 6 jobs were done while one of two workers was busy");
    check(done == 6, seen, "all 6, by the other worker: both take jobs from one queue");
}

fn a_full_queue_makes_execute_wait() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let pool = Arc::new(ThreadPool::new(1, 2));
    fill(&pool, &gate, 1);
    let begun = gate.wait_for_entered(1);
    check(begun, "a job was queued and didn't begin", "a worker to run it");
    fill(&pool, &gate, 2);
    // One job is running and two are waiting, so the queue is full.
    let returned = Arc::new(AtomicBool::new(false));
    let (runs, has_run) = mpsc::channel();
    let queued = Arc::clone(&returned);
    let queueing = Arc::clone(&pool);
    thread::spawn(move || {
        queueing.execute(move || runs.send(()).unwrap_or_default());
        queued.store(true, Ordering::SeqCst);
    });
    a_moment();
    let early = has_run.try_recv().is_ok();
    check(!early, "`execute` ran the job itself, with a full queue", "a worker to run it");
    let early = returned.load(Ordering::SeqCst);
    check(
        !early,
        "`execute` returned although the queue was full",
        "it to wait for room; look at the bound of the queue",
    );
    check_idle("while `execute` waits for room");
    gate.open();
    let ended = comes_true(|| returned.load(Ordering::SeqCst));
    check(ended, "the queue had room again, and `execute` still waited", "it to return");
    let done = comes_true(|| has_run.try_recv().is_ok());
    check(done, "a job had to wait for room and never ran", "a worker to run it");
}

fn a_panic_costs_one_job() {
    five_jobs_are_done_after(|| panic!("this job panics, and the check wants it so"), "");
}

/// Panics when it is dropped.
struct PanicsAgain;

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        panic!("what a panic carried was dropped");
    }
}

fn so_does_a_panic_that_carries_another() {
    five_jobs_are_done_after(
        || panic_any(PanicsAgain),
        ", with something that panics when dropped",
    );
}

/// Runs this job, and then five more on the same worker.
#[track_caller]
fn five_jobs_are_done_after(first: fn(), how: &str) {
    let done = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&done);
    thread::spawn(move || {
        let pool = ThreadPool::new(1, 8);
        pool.execute(first);
        for _ in 0..5 {
            let counted = Arc::clone(&counted);
            pool.execute(move || {
                counted.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    comes_true(|| done.load(Ordering::SeqCst) == 5);
    let done = done.load(Ordering::SeqCst);
    check(
        done == 5,
        format_args!("{done} of 5 jobs were done after a job had panicked{how}"),
        "all 5, on the same worker; look at what a panic ends",
    );
}

fn what_was_queued_is_done_before_drop_returns() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let done = Arc::new(AtomicUsize::new(0));
    let pool = ThreadPool::new(2, 20);
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

fn no_worker_stays_behind() {
    let Some(before) = threads_now() else {
        not_checked("whether every worker has ended when `drop` returns");
        return;
    };
    let pool = Arc::new(ThreadPool::new(4, 8));
    let gate = Arc::new(Gate::new(usize::MAX));
    gate.open();
    fill(&pool, &gate, 8);
    within(
        "dropping the pool",
        "`drop` to return when all is done; look at what each worker waits for",
        move || drop(pool),
    );
    // What has been joined may be seen for a moment more.
    let gone = comes_true(|| threads_now().is_none_or(|now| now <= before));
    let left = threads_now().unwrap_or_default().saturating_sub(before);
    check(gone, format_args!("`drop` left {left} threads behind"), "none: join every worker");
}

fn workers_without_a_job_sleep() {
    let gate = Arc::new(Gate::new(usize::MAX));
    let pool = Arc::new(ThreadPool::new(4, 8));
    gate.open();
    fill(&pool, &gate, 1);
    let begun = gate.wait_for_entered(1);
    check(begun, "a job was queued and didn't begin", "a worker to run it");
    check_idle("while no job is there");
}
