//! Jobs that panic, and then jobs that need every worker.

use std::{panic::panic_any, sync::Arc};

use ex_shrinking_pool::ThreadPool;
use exercise_kit::{Gate, a_moment, check, comes_true};

exercise_kit::checks![workers_outlive_their_jobs, so_they_do_when_a_panic_carries_another];

fn workers_outlive_their_jobs() {
    outlive(|| panic!("this job is meant to panic"), "panic");
}

/// Panics when it is dropped.
struct PanicsAgain;

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        panic!("what a panic carried was dropped");
    }
}

fn so_they_do_when_a_panic_carries_another() {
    outlive(|| panic_any(PanicsAgain), "panic with something that panics when it is dropped");
}

/// Lets seven jobs end like this, and looks whether three workers are left.
#[track_caller]
fn outlive(end: fn(), how: &str) {
    let begun = Arc::new(Gate::new(usize::MAX));
    let gate = Arc::new(Gate::new(usize::MAX));
    let pool = ThreadPool::new(3);
    for _ in 0..7 {
        let begun = Arc::clone(&begun);
        pool.execute(move || {
            begun.enter();
            end();
        });
    }
    let all = comes_true(|| begun.entered() == 7);
    let seen = format!("the pool began only {} of 7 jobs that {how}", begun.entered());
    check(all, seen, "all of them: each leaves three workers; look at what a panic ends");
    for _ in 0..9 {
        let gate = Arc::clone(&gate);
        pool.execute(move || {
            gate.pass();
        });
    }
    let three = gate.wait_for_entered(3);
    let seen =
        format!("after seven jobs that {how}, only {} jobs ran at the same time", gate.most());
    check(three, seen, "three, for three workers; count the threads after each request");
    // For a fourth to show itself. A right solution is not hurried by it.
    a_moment();
    let seen = format!("{} jobs ran at the same time", gate.most());
    check(gate.most() == 3, seen, "never more than three, for a pool of three workers");
    gate.open();
    let all = comes_true(|| gate.entered() == 9 && gate.inside() == 0);
    check(all, format_args!("the pool ran {} of 9 jobs", gate.entered()), "every job, once");
}
