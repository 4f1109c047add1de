//! The timers of the runtime by hand: a timer that is set while another thread leads, and one that changes its task.

use std::{
    future::pending,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Waker},
    time::Duration,
};

use shuttle::{sync::Mutex, thread};

use super::runtime::{
    queue::{Next, Queue},
    task::Task,
    time::{Sleep, sleep, timeout},
};
use super::{Kernel, Reactor, Tasks, explore, lock, runtime};

/// The time, which only a wait moves.
pub mod clock {
    use std::{ops::Add, time::Duration};

    /// As long after the run's begin.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(pub Duration);

    impl Instant {
        pub fn now() -> Instant {
            Instant(*crate::lock(&crate::runtime().now))
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, pause: Duration) -> Instant {
            Instant(self.0 + pause)
        }
    }
}

/// The queue, as the timers know it. Wrong without one: then no new timer interrupts the thread that leads.
#[derive(Default)]
pub struct Leading(pub Mutex<Option<Tasks>>);

impl Leading {
    pub fn interrupt_leader(&self) {
        let queue = lock(&self.0).clone();
        if let Some(queue) = queue {
            queue.interrupt_leader();
        }
    }

    pub fn look_next(&self) {
        let queue = lock(&self.0).clone();
        if let Some(queue) = queue {
            queue.look_next();
        }
    }
}

/// The leader's turn, as in the reactor: its limit is the first timer, which others may set meanwhile.
fn wait_for_timers(kernel: &Kernel, sleep: bool) -> Vec<Waker> {
    let Reactor { timers, .. } = &runtime().reactor;
    let first = lock(timers).first_key_value().map(|(&(due, _), _)| due);
    kernel.wait(sleep && first.is_none());
    if let Some(first) = first.filter(|_| sleep) {
        // Nothing else happens, so the time comes.
        let mut now = lock(&runtime().now);
        *now = first.0.max(*now);
    }
    let now = clock::Instant::now();
    let mut timers = lock(timers);
    let mut wakers = Vec::new();
    while timers.first_key_value().is_some_and(|((due, _), _)| *due <= now) {
        wakers.extend(timers.pop_first().map(|(_, waker)| waker));
    }
    wakers
}

/// Two tasks that wait for a time only: each timer may be set while another thread leads, and has computed its limit.
fn sleep_on(threads: usize, interrupts: bool) {
    let kernel = Arc::new(Kernel::default());
    let interrupted = Arc::clone(&kernel);
    let queue: Tasks = Arc::new(Queue::new(move || interrupted.interrupt()));
    *lock(&runtime().queue.0) = interrupts.then(|| Arc::clone(&queue));
    let late = async {
        assert!(timeout(Duration::from_millis(1), pending::<()>()).await.is_err());
    };
    Task::spawn(sleep(Duration::from_millis(2)), &queue);
    Task::spawn(late, &queue);
    queue.ended();
    let work = |_| {
        let queue = Arc::clone(&queue);
        let kernel = Arc::clone(&kernel);
        thread::spawn(move || {
            while let Some(next) = queue.next() {
                match next {
                    Next::Run(task) => task.run(),
                    Next::Lead { sleep } => {
                        let wakers = wait_for_timers(&kernel, sleep);
                        queue.led();
                        wakers.into_iter().for_each(Waker::wake);
                    }
                }
            }
        })
    };
    let workers: Vec<_> = (0..threads).map(work).collect();
    workers.into_iter().for_each(|thread| thread.join().expect("no thread panics"));
    assert!(lock(&runtime().reactor.timers).is_empty(), "a timer is left");
}

/// A sleep moves from a task that only its timer's waker keeps into another task. The first one owns a sleep too.
fn sleep_leaves_a_task_behind() {
    struct Owner {
        _sleep: Sleep,
    }
    impl std::task::Wake for Owner {
        fn wake(self: Arc<Owner>) {}
    }
    let pause = Duration::from_millis(1);
    let mut moves = pin!(sleep(pause));
    let owner = Arc::new(Owner { _sleep: sleep(pause) });
    let gone = Arc::downgrade(&owner);
    let poll = |moves: &mut Pin<&mut Sleep>, waker: Waker| {
        assert!(moves.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    };
    poll(&mut moves, Waker::from(owner));
    assert!(gone.upgrade().is_some(), "the timer keeps it");
    poll(&mut moves, Waker::noop().clone());
    assert!(gone.upgrade().is_none(), "nothing keeps it");
}

#[test]
fn a_timer_that_is_set_while_another_thread_leads_is_seen() {
    for threads in [2, 3] {
        explore(move || sleep_on(threads, true));
    }
}

#[test]
fn a_timer_that_does_not_interrupt_the_leader_is_found() {
    let wrong = || explore(|| sleep_on(2, false));
    let panic = catch_unwind(AssertUnwindSafe(wrong)).expect_err("a timer is not seen");
    let words = panic.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(words.contains("deadlock"), "{words:?}");
}

/// The old waker may be the last that keeps a task, so it is dropped without the lock that the task's timers need.
#[test]
fn a_timer_drops_its_old_waker_without_a_lock() {
    shuttle::check_random(sleep_leaves_a_task_behind, 1);
}
