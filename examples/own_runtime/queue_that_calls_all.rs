//! Step 2 of the run queue: all threads share it, and each push wakes a thread, needed or not.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};

/// After so many ticks a thread looks at the reactor, although the queue is not empty.
const TICKS: u32 = 61;

/// What a thread does next.
pub enum Next<T> {
    /// Run this task.
    Run(T),
    /// Look at the reactor, and call [`Queue::led`]: this thread is the only one there. `sleep`
    /// says whether it may wait there until something happens.
    Lead { sleep: bool },
}

// ANCHOR: queue
/// Tasks that can continue, in the order they were woken.
pub struct Queue<T> {
    state: Mutex<State<T>>,
    pushed: Condvar,
    /// Ends the sleep of the thread in the reactor.
    interrupt: Box<dyn Fn() + Send + Sync>,
}

struct State<T> {
    tasks: VecDeque<T>,
    /// Whether a thread is at the reactor.
    led: bool,
    /// Tasks polled since a thread last looked at the reactor.
    ticks: u32,
    /// Tasks that have not ended, and at first the queue's maker.
    alive: usize,
}

impl<T> Queue<T> {
    /// Makes an empty queue. Its maker counts as a task, so it calls [`Queue::ended`] as well,
    /// after it has added the first task.
    pub fn new(interrupt: impl Fn() + Send + Sync + 'static) -> Queue<T> {
        let state = State { tasks: VecDeque::new(), led: false, ticks: 0, alive: 1 };
        Queue { state: Mutex::new(state), pushed: Condvar::new(), interrupt: Box::new(interrupt) }
    }

    // ANCHOR: next
    /// Waits until this thread has something to do; `None` when no task is left.
    pub fn next(&self) -> Option<Next<T>> {
        let mut state = self.lock();
        while state.alive > 0 {
            let sleep = state.tasks.is_empty();
            state.ticks += 1;
            if !state.led && (sleep || state.ticks >= TICKS) {
                state.led = true;
                state.ticks = 0;
                return Some(Next::Lead { sleep });
            }
            if let Some(task) = state.tasks.pop_front() {
                return Some(Next::Run(task));
            }
            state = self.pushed.wait(state).expect("nothing panics under this lock");
        }
        None
    }

    /// The thread that led comes back. Another thread takes its place.
    pub fn led(&self) {
        self.lock().led = false;
        self.pushed.notify_one();
    }
    // ANCHOR_END: next

    /// Adds a task, one that was woken or a `new` one, and wakes a thread that waits here, and
    /// the one that sleeps at the reactor.
    pub fn push(&self, task: T, new: bool) {
        let mut state = self.lock();
        state.alive += usize::from(new);
        state.tasks.push_back(task);
        self.pushed.notify_one();
        if state.led {
            (self.interrupt)();
        }
    }
    // ANCHOR_END: queue

    /// A task has ended. If it was the last, wakes all threads, because none has anything to do
    /// any more.
    pub fn ended(&self) {
        let mut state = self.lock();
        state.alive -= 1;
        if state.alive == 0 {
            self.pushed.notify_all();
            (self.interrupt)();
        }
    }

    /// A task gives way: before the next task a thread looks at the reactor, unless one is there.
    pub fn look_next(&self) {
        self.lock().ticks = TICKS;
    }

    /// A timer is the first now: the thread that sleeps at the reactor has to begin again.
    pub fn interrupt_leader(&self) {
        if self.lock().led {
            (self.interrupt)();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect("nothing panics under this lock")
    }
}
