// Wrong: the time and the waker have a lock each, so the time can run out between looking and leaving the waker.
// The check says: a wake-up is lost

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

/// A future that is ready when its time is over.
pub struct Delay {
    is_over: Arc<Mutex<bool>>,
    waker: Arc<Mutex<Option<Waker>>>,
}

impl Delay {
    /// The time begins now.
    pub fn new(time: Duration) -> Delay {
        let is_over = Arc::new(Mutex::new(false));
        let waker: Arc<Mutex<Option<Waker>>> = Arc::default();
        let is_over_of_thread = Arc::clone(&is_over);
        let waker_of_thread = Arc::clone(&waker);
        thread::spawn(move || {
            thread::sleep(time);
            *is_over_of_thread.lock().unwrap() = true;
            let waker = waker_of_thread.lock().unwrap().take();
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        Delay { is_over, waker }
    }
}

impl Future for Delay {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if *self.is_over.lock().unwrap() {
            return Poll::Ready(());
        }
        *self.waker.lock().unwrap() = Some(context.waker().clone());
        Poll::Pending
    }
}
