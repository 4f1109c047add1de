//! A runtime by hand: tasks, a run queue, a reactor and timers.

// ANCHOR: runtime
mod budget;
mod join;
mod reactor;
mod readiness;
mod task;
mod time;

pub use self::{join::spawn, reactor::Source, readiness::Readiness, time::sleep, time::timeout};

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::task::Poll;
use std::{future::poll_fn, io, pin::pin, thread};

use crate::queue::{Next, Queue};
use {reactor::Reactor, task::Task};

/// What the threads share. There is one runtime in this program; others keep theirs in a
/// thread-local variable.
pub struct Runtime {
    queue: Arc<Queue<Arc<Task>>>,
    pub reactor: Reactor,
    closing: AtomicBool,
}

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

pub fn runtime() -> &'static Runtime {
    RUNTIME.get().expect("`start` comes first")
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics under a lock of the runtime")
}
// ANCHOR_END: runtime

// ANCHOR: work
/// Runs tasks, and leads where no thread does, until no task is left: the work of each thread.
fn work() {
    let Runtime { queue, reactor, .. } = runtime();
    while let Some(next) = queue.next() {
        match next {
            Next::Run(task) => task.run(),
            Next::Lead { sleep } => {
                let wakers = reactor.wait(sleep);
                queue.led();
                for waker in wakers {
                    waker.wake();
                }
            }
        }
    }
}
// ANCHOR_END: work

// ANCHOR: start
/// Makes the runtime and all its threads but one: that is the one that calls [`run`].
pub fn start(threads: usize) -> io::Result<()> {
    let (reactor, interrupt) = Reactor::new()?;
    let queue = Arc::new(Queue::new(move || {
        // If the system refuses it, the thread in the reactor sees the task after its next event.
        let _ = interrupt.wake();
    }));
    RUNTIME.get_or_init(|| Runtime { queue, reactor, closing: AtomicBool::new(false) });
    for number in 2..=threads {
        thread::Builder::new().name(format!("worker-{number}")).spawn(work)?;
    }
    Ok(())
}

/// Runs this future, and returns when it and everything spawned have ended.
pub fn run(future: impl Future<Output = ()> + Send + 'static) {
    spawn(future);
    runtime().queue.ended();
    work();
}
// ANCHOR_END: start

// ANCHOR: close
/// From now on [`until_closing`] waits no longer.
pub fn close() {
    // Relaxed: a task looks at it after it has taken a lock that `set` has had, or was woken.
    runtime().closing.store(true, Ordering::Relaxed);
    let sources: Vec<_> = lock(&runtime().reactor.sources).values().cloned().collect();
    // As if there were something to read, so that each task looks at `closing`.
    for source in sources {
        if let Some(waker) = source.read.set(false) {
            waker.wake();
        }
    }
}

/// Returns the output of `future`, which waits for a socket; `None` if the server closes before.
pub async fn until_closing<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| {
        let first = future.as_mut().poll(context);
        let closing = runtime().closing.load(Ordering::Relaxed);
        // Polled once more: the first poll may only have given way, with bytes still to read.
        let poll =
            if closing && first.is_pending() { future.as_mut().poll(context) } else { first };
        if closing && poll.is_pending() { Poll::Ready(None) } else { poll.map(Some) }
    })
    .await
}
// ANCHOR_END: close
