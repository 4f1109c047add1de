// Wrong: keeps the wakers of all polls, and also calls those from before the task moved.
// The check says: and by no other

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

const NOT_POISONED: &str = "nothing panics while it holds this lock";

/// Sends one value.
pub struct Sender<T>(Arc<Mutex<Shared<T>>>);

/// A future: the value, or `None` if there will be none.
pub struct Receiver<T>(Arc<Mutex<Shared<T>>>);

/// What both ends see.
struct Shared<T> {
    value: Option<T>,
    /// Whether the sender is gone.
    closed: bool,
    /// Wakes the task that waits.
    waker: Vec<Waker>,
}

/// A channel for one value.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Mutex::new(Shared { value: None, closed: false, waker: Vec::new() }));
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

impl<T> Sender<T> {
    /// Sends the value. The sender is dropped at the end of this.
    pub fn send(self, value: T) {
        // `drop` follows, and wakes the receiver.
        self.0.lock().expect(NOT_POISONED).value = Some(value);
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let waker = {
            let mut shared = self.0.lock().expect(NOT_POISONED);
            shared.closed = true;
            std::mem::take(&mut shared.waker)
        };
        // Not under the lock, because the woken receiver may want it immediately.
        for waker in waker {
            waker.wake();
        }
    }
}

impl<T> Future for Receiver<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<T>> {
        let mut shared = self.0.lock().expect(NOT_POISONED);
        match shared.value.take() {
            Some(value) => Poll::Ready(Some(value)),
            None if shared.closed => Poll::Ready(None),
            None => {
                shared.waker.push(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
