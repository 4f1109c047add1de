//! A future that has its task woken when it is due: `cargo run --example first_task_woken`
// ANCHOR: future
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

/// Done when its time is over; a thread of its own waits for that.
struct Pause {
    shared: Arc<Mutex<Shared>>,
}

/// What a pause and its thread share.
struct Shared {
    over: bool,
    waker: Option<Waker>,
}

impl Future for Pause {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut shared = self.shared.lock().expect("nothing panics under it");
        if shared.over {
            return Poll::Ready(());
        }
        shared.waker = Some(context.waker().clone());
        Poll::Pending
    }
}
// ANCHOR_END: future

// ANCHOR: block_on
/// Waking the task ends the sleep of the thread that polls it.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls `future` until it is done, and counts the polls.
fn block_on<T>(future: impl Future<Output = T>) -> (T, u64) {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut polls = 0;
    loop {
        polls += 1;
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return (output, polls);
        }
        // Sleeps until `unpark`; if that came first, it does not sleep.
        // It may also return for no reason; then the loop polls once in vain.
        thread::park();
    }
}
// ANCHOR_END: block_on

// ANCHOR: pause
fn pause(ms: u64) -> Pause {
    let shared = Arc::new(Mutex::new(Shared { over: false, waker: None }));
    let for_thread = Arc::clone(&shared);
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(ms));
        let mut shared = for_thread.lock().expect("nothing panics under it");
        shared.over = true;
        let waker = shared.waker.take();
        // The poll that follows the wake wants this lock, perhaps at once and in this thread.
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
    });
    Pause { shared }
}
// ANCHOR_END: pause

fn main() {
    let ((), polls) = block_on(pause(100));
    println!("100 ms are over, after {polls} polls");
}
