// Wrong: keeps only the waker of the first poll, so a task that gets the future later sleeps on.
// The check says: nobody called the waker of the last poll

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

/// A future that is ready when its time is over.
pub struct Delay {
    state: Arc<Mutex<State>>,
}

/// What the task and the thread that sleeps share.
enum State {
    /// Nobody has polled yet, or whoever did is to be woken.
    Waiting(Option<Waker>),
    Over,
}

impl Delay {
    /// The time begins now.
    pub fn new(time: Duration) -> Delay {
        let state = Arc::new(Mutex::new(State::Waiting(None)));
        let of_thread = Arc::clone(&state);
        thread::spawn(move || {
            thread::sleep(time);
            let mut state = of_thread.lock().expect("nothing panics under this lock");
            let before = std::mem::replace(&mut *state, State::Over);
            drop(state);
            if let State::Waiting(Some(waker)) = before {
                waker.wake();
            }
        });
        Delay { state }
    }
}

impl Future for Delay {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // Under one lock: between looking and leaving the waker, the time can't be over unseen.
        let mut state = self.state.lock().expect("nothing panics under this lock");
        match &mut *state {
            State::Over => Poll::Ready(()),
            State::Waiting(waker) => {
                waker.get_or_insert_with(|| context.waker().clone());
                Poll::Pending
            }
        }
    }
}
