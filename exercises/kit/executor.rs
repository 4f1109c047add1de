//! An executor that gives up, for futures that may never be woken.

use std::{
    pin::{Pin, pin},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::Instant,
};

use crate::{deadline, fail};

/// Counts how often it was woken, and wakes a thread.
#[derive(Debug)]
pub struct Counted {
    woken: AtomicUsize,
    thread: Thread,
}

impl Counted {
    /// For the thread that calls this.
    pub fn new() -> Arc<Counted> {
        Arc::new(Counted { woken: AtomicUsize::new(0), thread: thread::current() })
    }

    /// How often it was woken.
    pub fn woken(&self) -> usize {
        self.woken.load(Ordering::SeqCst)
    }
}

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.woken.fetch_add(1, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// A task that is polled in each call of its waker, on the thread that calls it: a lock held there is never free.
pub struct PollsAtOnce<F: Future> {
    /// `None` when it has ended.
    future: Mutex<Option<Pin<Box<F>>>>,
    output: Mutex<Option<F::Output>>,
}

impl<F> PollsAtOnce<F>
where
    F: Future<Output: Send> + Send + 'static,
{
    /// Polls the future once, so that it leaves its waker.
    pub fn start(future: F) -> Arc<PollsAtOnce<F>> {
        let future = Mutex::new(Some(Box::pin(future)));
        let task = Arc::new(PollsAtOnce { future, output: Mutex::new(None) });
        Waker::from(Arc::clone(&task)).wake();
        task
    }

    /// Takes its output, if it has ended.
    pub fn output(&self) -> Option<F::Output> {
        self.output.lock().expect("nothing panics under this lock").take()
    }
}

impl<F> Wake for PollsAtOnce<F>
where
    F: Future<Output: Send> + Send + 'static,
{
    fn wake(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        let mut future = self.future.lock().expect("one poll at a time");
        let Some(waits) = future.as_mut() else { return };
        if let Poll::Ready(output) = waits.as_mut().poll(&mut Context::from_waker(&waker)) {
            *future = None;
            *self.output.lock().expect("nothing panics under this lock") = Some(output);
        }
    }
}

/// Polls a future whenever it was woken, until it is ready.
///
/// # Panics
/// When it is not ready after the deadline: in words, with `expected` among them.
#[track_caller]
pub fn block_on<F: Future>(expected: &str, future: F) -> F::Output {
    let mut future = pin!(future);
    let counted = Counted::new();
    let waker = Waker::from(Arc::clone(&counted));
    let end = Instant::now() + deadline();
    let mut polled = 0;
    let mut seen = None;
    loop {
        // Parked threads may continue for no reason; only a woken task is polled.
        let woken = counted.woken();
        if seen != Some(woken) {
            seen = Some(woken);
            polled += 1;
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let state = format!("polled {polled} times, woken {woken} times");
            fail(
                format_args!("the future was still pending after {:?}: {state}", deadline()),
                expected,
            );
        }
        thread::park_timeout(left);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[test]
    fn it_polls_as_often_as_it_is_woken() {
        let mut left = 3;
        let polls = poll_fn(move |context| {
            left -= 1;
            context.waker().wake_by_ref();
            if left == 0 { Poll::Ready("done") } else { Poll::Pending }
        });
        assert_eq!(block_on("the third poll", polls), "done");
    }
}
