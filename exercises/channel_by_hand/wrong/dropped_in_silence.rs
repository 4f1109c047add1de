// Wrong: notes that the sender is gone, but wakes nobody.
// The check says: the receiver to be woken when the sender is dropped

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
    waker: Option<Waker>,
}

/// A channel for one value.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Mutex::new(Shared { value: None, closed: false, waker: None }));
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

impl<T> Sender<T> {
    /// Sends the value. The sender is dropped at the end of this.
    pub fn send(self, value: T) {
        let mut shared = self.0.lock().expect(NOT_POISONED);
        shared.value = Some(value);
        let waker = shared.waker.take();
        drop(shared);
        waker.into_iter().for_each(Waker::wake);
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.lock().expect(NOT_POISONED).closed = true;
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
                shared.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
