//! Step 1 of the run queue: there is one thread.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

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
        Queue { state: Mutex::new(state), interrupt: Box::new(interrupt) }
    }

    /// What there is to do; `None` when no task is left.
    pub fn next(&self) -> Option<Next<T>> {
        let mut state = self.lock();
        if state.alive == 0 {
            return None;
        }
        let sleep = state.tasks.is_empty();
        state.ticks += 1;
        if sleep || state.ticks >= TICKS {
            state.led = true;
            state.ticks = 0;
            return Some(Next::Lead { sleep });
        }
        state.tasks.pop_front().map(Next::Run)
    }

    /// The thread comes back from the reactor.
    pub fn led(&self) {
        self.lock().led = false;
    }

    /// Adds a task, one that was woken or a `new` one. A thread of another kind may do that
    /// while this one sleeps.
    pub fn push(&self, task: T, new: bool) {
        let mut state = self.lock();
        state.alive += usize::from(new);
        state.tasks.push_back(task);
        if state.led {
            (self.interrupt)();
        }
    }
    // ANCHOR_END: queue

    /// A task has ended.
    pub fn ended(&self) {
        self.lock().alive -= 1;
    }

    /// A task gives way: before the next task the thread looks at the reactor.
    pub fn look_next(&self) {
        self.lock().ticks = TICKS;
    }

    /// A timer is the first now. The thread that has set it sleeps next: it will see that.
    pub fn interrupt_leader(&self) {}

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect("nothing panics under this lock")
    }
}
