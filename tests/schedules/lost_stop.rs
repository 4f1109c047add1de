//! A worker of a pool looks whether the queue is closed, and sleeps; another thread closes the queue.

use std::sync::Arc;

use super::{
    Level, Version, Work,
    board::{Condvar, Guard, Mutex, drop},
};

pub static LEVEL: Level = Level {
    name: "lost-stop",
    title: "Lose the stop",
    goal: "A pool is dropped: one thread closes the queue, and the worker has no job. Let the two take turns so that the worker sleeps forever.",
    fails: "The queue is closed and the worker sleeps. No thread will wake it, so the join that follows waits forever.",
    well: "The worker has seen that the queue is closed.",
    threads: ["Worker", "Closer"],
    wanted: None,
    file: "tests/schedules/lost_stop.rs",
    versions: [
        Version { start: || start(two_locks), lines: [&["two-locks"], &["close"]] },
        Version { start: || start(one_lock), lines: [&["one-lock"], &["close"]] },
    ],
};

/// What of a pool's queue a stop needs.
struct Queue {
    state: Mutex<State>,
    job_added: Condvar,
}

struct State {
    closed: bool,
}

impl Queue {
    #[track_caller]
    fn lock(&self) -> Guard<'_, State> {
        self.state.lock().unwrap()
    }
}

fn start(pop: fn(&Queue)) -> [Work; 2] {
    let state = Mutex::new("the lock", State { closed: false }, |state| {
        vec![("closed", state.closed.to_string())]
    });
    let queue = Arc::new(Queue { state, job_added: Condvar::default() });
    [pop, close].map(|work| -> Work {
        let queue = Arc::clone(&queue);
        Box::new(move || work(&queue))
    })
}

fn two_locks(queue: &Queue) {
    // ANCHOR: two-locks
    while !queue.lock().closed {
        let state = queue.lock();
        drop(queue.job_added.wait(state).unwrap());
    }
    // ANCHOR_END: two-locks
}

fn one_lock(queue: &Queue) {
    // ANCHOR: one-lock
    let mut state = queue.lock();
    while !state.closed {
        state = queue.job_added.wait(state).unwrap();
    }
    // ANCHOR_END: one-lock
}

fn close(queue: &Queue) {
    // ANCHOR: close
    queue.lock().closed = true;
    queue.job_added.notify_all();
    // ANCHOR_END: close
}
