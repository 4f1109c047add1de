//! The run queue, which all threads share, and what a thread does that finds it empty.

// ANCHOR: queue
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// After so many ticks a thread looks at the reactor, although the queue is not empty.
const TICKS: u32 = 61;

/// How long the reactor may be left alone while a thread has nothing else to do.
const WATCH: Duration = Duration::from_millis(10);

/// What a thread does next.
pub enum Next<T> {
    /// Run this task.
    Run(T),
    /// Look at the reactor, and call [`Queue::led`]: this thread is the only one there. `sleep`
    /// says whether it may wait there until something happens.
    Lead { sleep: bool },
}

/// Tasks that can continue, in the order they were woken.
pub struct Queue<T> {
    state: Mutex<State<T>>,
    pushed: Condvar,
    /// Ends the sleep of the thread in the reactor.
    interrupt: Box<dyn Fn() + Send + Sync>,
}

struct State<T> {
    tasks: VecDeque<T>,
    /// Threads that wait for a push, including those that have been woken already.
    idle: usize,
    /// Whether one of these threads watches the reactor.
    watched: bool,
    /// Whether a task was run since that thread last looked.
    busy: bool,
    leader: Leader,
    /// Tasks polled since a thread last looked at the reactor.
    ticks: u32,
    /// Tasks that have not ended, and at first the queue's maker.
    alive: usize,
}

/// Where the leader is.
#[derive(PartialEq)]
enum Leader {
    /// No thread leads.
    Nowhere,
    /// A push has to interrupt it, if no other thread is free.
    AtReactor,
    /// It has events. It will run one of the tasks that it wakes.
    OnItsWay,
}

impl<T> Queue<T> {
    /// Makes an empty queue. Its maker counts as a task, so it calls [`Queue::ended`] as well,
    /// after it has added the first task.
    pub fn new(interrupt: impl Fn() + Send + Sync + 'static) -> Queue<T> {
        let state = State {
            tasks: VecDeque::new(),
            idle: 0,
            watched: false,
            busy: false,
            leader: Leader::Nowhere,
            ticks: 0,
            alive: 1,
        };
        Queue { state: Mutex::new(state), pushed: Condvar::new(), interrupt: Box::new(interrupt) }
    }
    // ANCHOR_END: queue

    // ANCHOR: next
    /// Waits until this thread has something to do; `None` when no task is left.
    pub fn next(&self) -> Option<Next<T>> {
        let mut state = self.lock();
        if state.leader == Leader::OnItsWay {
            state.leader = Leader::Nowhere;
        }
        while state.alive > 0 {
            let sleep = state.tasks.is_empty();
            state.ticks += 1;
            if state.leader == Leader::Nowhere && (sleep || state.ticks >= TICKS) {
                state.leader = Leader::AtReactor;
                state.ticks = 0;
                return Some(Next::Lead { sleep });
            }
            if let Some(task) = state.tasks.pop_front() {
                state.busy = true;
                // This task may take long, so another thread has to look after the reactor.
                if state.leader == Leader::Nowhere && !state.watched && state.idle > 0 {
                    self.pushed.notify_one();
                }
                return Some(Next::Run(task));
            }
            state = self.wait(state);
        }
        None
    }

    /// The thread that led comes back, to run a task itself.
    pub fn led(&self) {
        self.lock().leader = Leader::OnItsWay;
    }

    /// Waits until this thread is woken. While the others have tasks, one of the threads that
    /// wait comes back now and then: if it finds nobody at the reactor, it leads.
    fn wait<'a>(&self, mut state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        state.idle += 1;
        if state.busy && !state.watched {
            state.busy = false;
            state.watched = true;
            let waited = self.pushed.wait_timeout(state, WATCH);
            (state, _) = waited.expect("nothing panics under this lock");
            state.watched = false;
        } else {
            state = self.pushed.wait(state).expect("nothing panics under this lock");
        }
        state.idle -= 1;
        state
    }
    // ANCHOR_END: next

    // ANCHOR: push
    /// Adds a task, one that was woken or a `new` one, and wakes a thread for it: one that waits,
    /// if one is left for the last task, or else the one that sleeps at the reactor.
    pub fn push(&self, task: T, new: bool) {
        let mut state = self.lock();
        state.alive += usize::from(new);
        state.tasks.push_back(task);
        // A thread that is on its way from the reactor takes one task without being woken.
        let coming = usize::from(state.leader == Leader::OnItsWay);
        let tasks = state.tasks.len() - coming;
        let idle = state.idle;
        let at_reactor = state.leader == Leader::AtReactor;
        drop(state);
        if tasks > 0 && tasks <= idle {
            self.pushed.notify_one();
        } else if at_reactor {
            (self.interrupt)();
        }
    }
    // ANCHOR_END: push

    // ANCHOR: ended
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
        if self.lock().leader == Leader::AtReactor {
            (self.interrupt)();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect("nothing panics under this lock")
    }
}
// ANCHOR_END: ended
