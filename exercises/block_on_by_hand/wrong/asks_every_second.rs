// Wrong: sleeps so long that it is rarely caught polling, but each wake-up waits for the end of its sleep.
// The check says: a future that is woken 200 times had not ended

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
        thread::sleep(std::time::Duration::from_secs(1));
    }
}
