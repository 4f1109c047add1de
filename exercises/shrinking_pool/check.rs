//! Jobs that panic, and then jobs that need every worker.

use std::sync::Arc;

use ex_shrinking_pool::ThreadPool;
use exercise_kit::{Gate, a_moment, check, comes_true};

exercise_kit::checks![workers_outlive_their_jobs];

fn workers_outlive_their_jobs() {
    let begun = Arc::new(Gate::new(usize::MAX));
    let gate = Arc::new(Gate::new(usize::MAX));
    let pool = ThreadPool::new(3);
    for _ in 0..7 {
        let begun = Arc::clone(&begun);
        pool.execute(move || {
            begun.enter();
            panic!("this job is meant to panic");
        });
    }
    let all = comes_true(|| begun.entered() == 7);
    let seen = format!("only {} of 7 jobs that panic were begun", begun.entered());
    check(all, seen, "that the pool of three continues after each of them");
    for _ in 0..9 {
        let gate = Arc::clone(&gate);
        pool.execute(move || {
            gate.pass();
        });
    }
    let three = gate.wait_for_entered(3);
    let seen = format!("{} jobs at the same time, after the panics", gate.most());
    check(three, seen, "three, for three workers");
    // For a fourth to show itself. A right solution is not hurried by it.
    a_moment();
    let seen = format!("{} jobs at the same time", gate.most());
    check(gate.most() == 3, seen, "never more than three, for a pool of three workers");
    gate.open();
    let all = comes_true(|| gate.entered() == 9 && gate.inside() == 0);
    check(all, format_args!("{} of 9 jobs were run", gate.entered()), "every job, once");
}
