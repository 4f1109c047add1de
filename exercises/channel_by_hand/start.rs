// Write a channel between tasks.
//
// One task sends one value, and another awaits it. The value gets across if it is sent first,
// but nobody wakes a receiver that waits.
//
// Your turn, three things:
// - `poll` keeps the newest waker of the waiting task, because the task may have moved.
// - `send` wakes it after giving the lock back, because a waker may poll the receiver immediately.
// - When the sender is dropped without a value, the receiver is woken and gets `None`.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

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
        self.0.lock().unwrap().value = Some(value);
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {}
}

impl<T> Future for Receiver<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<T>> {
        let mut shared = self.0.lock().unwrap();
        match shared.value.take() {
            Some(value) => Poll::Ready(Some(value)),
            None => Poll::Pending,
        }
    }
}
