// Wrong: a condition variable without a value, so a wake-up that comes before the sleep is lost.
// The check says: a future that wakes itself had not ended

use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};

/// Wakes a thread that waits.
#[derive(Default)]
struct Bell(Mutex<()>, Condvar);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.1.notify_one();
    }
}

/// Runs `future` on this thread, and sleeps while it can't continue.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(Arc::clone(&bell));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        drop(bell.1.wait(bell.0.lock().unwrap()));
    }
}
