// Wrong: leaves its waker first and looks only when woken, but a value that came earlier wakes nobody.
// The check says: the value that was sent before

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
    polled: usize,
    /// Wakes the task that waits.
    waker: Option<Waker>,
}

/// A channel for one value.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let shared =
        Arc::new(Mutex::new(Shared { value: None, closed: false, polled: 0, waker: None }));
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
            shared.waker.take()
        };
        // Not under the lock, because the woken receiver may want it immediately.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Future for Receiver<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<T>> {
        let mut shared = self.0.lock().expect(NOT_POISONED);
        if !shared.closed && shared.value.is_none() || shared.polled == 0 {
            shared.polled += 1;
            shared.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        match shared.value.take() {
            Some(value) => Poll::Ready(Some(value)),
            None if shared.closed => Poll::Ready(None),
            None => {
                shared.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
