//! A runtime by hand: tasks, a run queue, a reactor and timers.

mod net;
mod queue;
mod reactor;
mod readiness;
mod task;
mod time;

pub use net::{TcpListener, TcpStream};
pub use time::{race, sleep, timeout};

use std::future::{Future, poll_fn};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Poll, Waker};
use std::{io, thread};

use queue::{Next, Queue};
use reactor::Reactor;
use task::Task;

/// What the threads share. There is one runtime in this program; others keep theirs in a thread-local variable.
struct Runtime {
    queue: Arc<Queue<Arc<Task>>>,
    reactor: Reactor,
}

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

fn runtime() -> &'static Runtime {
    RUNTIME.get().expect("`start` comes first")
}

// ANCHOR: work
/// What each thread of the runtime does.
fn work() {
    let Runtime { queue, reactor } = runtime();
    loop {
        match queue.next() {
            Next::Run(task) => task.run(),
            Next::Lead { sleep } => {
                let wakers = reactor.wait(sleep);
                queue.led();
                wakers.into_iter().for_each(Waker::wake);
            }
            Next::Stop => return,
        }
    }
}
// ANCHOR_END: work

/// Makes the runtime and all its threads but one: that is the one that calls [`run`].
pub fn start(threads: usize) -> io::Result<()> {
    let (reactor, interrupt) = Reactor::new()?;
    let queue = Arc::new(Queue::new(move || drop(interrupt.wake())));
    assert!(RUNTIME.set(Runtime { queue, reactor }).is_ok(), "it is started once");
    for number in 2..=threads {
        thread::Builder::new().name(format!("worker-{number}")).spawn(work)?;
    }
    Ok(())
}

/// Runs this future, and all that is spawned, until it has ended. `None` if it has panicked.
pub fn run<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> Option<T> {
    let output = Arc::new(Mutex::new(None));
    let (main, place) = (spawn(future), Arc::clone(&output));
    spawn(async move {
        let output = main.join().await;
        *place.lock().expect("nothing panics under this lock") = output;
        runtime().queue.stop();
    });
    work();
    output.lock().expect("nothing panics under this lock").take()
}

// ANCHOR: join
/// Where a task leaves its output.
struct Slot<T> {
    output: Option<T>,
    ended: bool,
    waker: Option<Waker>,
}

/// The end of a task. Awaited, it is its output, or `None` if the task has panicked.
pub struct JoinHandle<T>(Arc<Mutex<Slot<T>>>);

impl<T> JoinHandle<T> {
    pub async fn join(self) -> Option<T> {
        poll_fn(|context| {
            let mut slot = self.0.lock().expect("nothing panics under this lock");
            if slot.ended {
                return Poll::Ready(slot.output.take());
            }
            slot.waker = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}

/// Says that a task has ended, in whichever way it did.
struct End<T>(Arc<Mutex<Slot<T>>>);

impl<T> Drop for End<T> {
    fn drop(&mut self) {
        let mut slot = self.0.lock().expect("nothing panics under this lock");
        slot.ended = true;
        let waker = slot.waker.take();
        drop(slot);
        waker.into_iter().for_each(Waker::wake);
    }
}

/// Lets a task run beside this one.
pub fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let slot = Arc::new(Mutex::new(Slot { output: None, ended: false, waker: None }));
    let end = End(Arc::clone(&slot));
    let work = async move {
        let output = future.await;
        end.0.lock().expect("nothing panics under this lock").output = Some(output);
    };
    Task::spawn(work, &runtime().queue);
    JoinHandle(slot)
}
// ANCHOR_END: join

/// Runs what blocks on a thread of its own. A real runtime keeps such threads.
pub async fn unblock<T: Send + 'static>(blocks: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let slot = Arc::new(Mutex::new(Slot { output: None, ended: false, waker: None }));
    let end = End(Arc::clone(&slot));
    let run = move || {
        let output = blocks();
        end.0.lock().expect("nothing panics under this lock").output = Some(output);
    };
    // Without a thread the closure is dropped, and with it `end`.
    let _ = thread::Builder::new().name("blocking".to_owned()).spawn(run);
    JoinHandle(slot).join().await
}
