// Write an executor for one future.
//
// `block_on` polls a future until it is ready. This version polls as fast as it can, and keeps a CPU
// busy while there is nothing to do.
//
// Your turn: give the future a waker that wakes this thread, and let the thread sleep until then.
// `std::task::Wake` makes a waker of an `Arc`; `thread::park` sleeps and `Thread::unpark` wakes.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Runs `future` on this thread, and sleeps while it can't continue.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
