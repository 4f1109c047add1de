//! The run queue, which all threads share, and what a thread does that finds it empty.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};

/// After so many tasks somebody looks at the reactor, although the queue is not empty.
const TURNS: u32 = 61;

/// What a thread does next.
pub enum Next<T> {
    /// Run this task.
    Run(T),
    /// Look at the reactor, and call [`Queue::led`]: this thread is the only one there.
    Lead {
        /// Whether to sleep there until something happens.
        sleep: bool,
    },
    /// End.
    Stop,
}

// ANCHOR: queue
/// Tasks that can go on, in the order in which they were woken.
pub struct Queue<T> {
    state: Mutex<State<T>>,
    pushed: Condvar,
    /// Ends the sleep of the thread in the reactor.
    interrupt: Box<dyn Fn() + Send + Sync>,
}

struct State<T> {
    tasks: VecDeque<T>,
    /// Threads that wait for a push of which they have not been told.
    asleep: usize,
    /// Threads that have been told, and are not awake yet.
    called: usize,
    /// Whether a thread is at the reactor.
    led: bool,
    turns: u32,
    stopped: bool,
}
// ANCHOR_END: queue

impl<T> Queue<T> {
    /// An empty queue.
    pub fn new(interrupt: impl Fn() + Send + Sync + 'static) -> Queue<T> {
        let tasks = VecDeque::new();
        let state = State { tasks, asleep: 0, called: 0, led: false, turns: 0, stopped: false };
        let state = Mutex::new(state);
        Queue { state, pushed: Condvar::new(), interrupt: Box::new(interrupt) }
    }

    // ANCHOR: next
    /// Waits until this thread has something to do.
    pub fn next(&self) -> Next<T> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return Next::Stop;
            }
            state.turns += 1;
            if !state.led && (state.tasks.is_empty() || state.turns >= TURNS) {
                (state.led, state.turns) = (true, 0);
                return Next::Lead { sleep: state.tasks.is_empty() };
            }
            if let Some(task) = state.tasks.pop_front() {
                return Next::Run(task);
            }
            state.asleep += 1;
            while state.called == 0 && !state.stopped {
                state = self.pushed.wait(state).expect("nothing panics under this lock");
            }
            state.called = state.called.saturating_sub(1);
        }
    }

    /// The thread that led comes back. If it has tasks to run, another one takes its place.
    pub fn led(&self) {
        let mut state = self.lock();
        state.led = false;
        if !state.tasks.is_empty() {
            self.wake_one(state);
        }
    }
    // ANCHOR_END: next

    // ANCHOR: push
    /// Adds a task, and wakes a thread for it.
    pub fn push(&self, task: T) {
        let mut state = self.lock();
        state.tasks.push_back(task);
        self.wake_one(state);
    }

    /// Wakes a thread that waits here, or else the one that sleeps at the reactor.
    fn wake_one(&self, mut state: MutexGuard<State<T>>) {
        let led = state.led;
        if state.asleep > 0 {
            state.asleep -= 1;
            state.called += 1;
            drop(state);
            self.pushed.notify_one();
        } else if led {
            drop(state);
            (self.interrupt)();
        }
    }
    // ANCHOR_END: push

    /// A timer is the first now: whoever sleeps at the reactor has to begin anew.
    pub fn interrupt_leader(&self) {
        if self.lock().led {
            (self.interrupt)();
        }
    }

    /// From now on each thread gets [`Next::Stop`].
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.pushed.notify_all();
        (self.interrupt)();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect("nothing panics under this lock")
    }
}
