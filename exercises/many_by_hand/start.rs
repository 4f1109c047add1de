// Run many futures on one thread.
//
// `run_all` runs these futures one after the other: while the first waits, no other is polled.
//
// Your turn: let all of them wait at the same time, still on this one thread.
// Make a task of each future: a struct with the future and the way into a queue. Waking a task puts it into the queue,
// and the thread polls what comes out of it, so a future is polled only when it has been woken.

use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// A future on the heap, of whatever type.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs all these futures on this thread, and returns when all of them have ended.
pub fn run_all(futures: Vec<Work>) {
    for future in futures {
        block_on(future);
    }
}

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on(mut future: Work) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    while future.as_mut().poll(&mut context).is_pending() {
        thread::park();
    }
}
