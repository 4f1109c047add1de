// Wrong: one waker for all futures, so each wake-up polls all of them.
// The check says: times that nothing had woken

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread::{self, Thread};

/// A future on the heap, of whatever type.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs all these futures on this thread, and returns when all of them have ended.
pub fn run_all(mut futures: Vec<Work>) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        futures.retain_mut(|future| future.as_mut().poll(&mut context).is_pending());
        if futures.is_empty() {
            return;
        }
        thread::park();
    }
}
