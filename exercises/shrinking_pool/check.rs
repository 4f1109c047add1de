//! Jobs that panic, and then jobs that need every worker.

use std::sync::Arc;

use ex_shrinking_pool::ThreadPool;
use exercise_kit::{Gate, check, comes_true};

#[test]
fn workers_outlive_their_jobs() {
    let begun = Arc::new(Gate::new(usize::MAX));
    let gate = Arc::new(Gate::new(3));
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
    check(all, seen, "that the pool of three goes on after each of them");
    for _ in 0..3 {
        let gate = Arc::clone(&gate);
        pool.execute(move || {
            gate.pass();
        });
    }
    let opened = gate.wait();
    let seen = format!("{} jobs at the same time, after the panics", gate.most());
    check(opened, seen, "three, for three workers");
}
