// Wrong: keeps the waker of every poll, and calls them all.
// The check says: the delay called the waker of an earlier poll

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
    /// Whoever has polled is to be woken.
    Waiting(Vec<Waker>),
    Over,
}

impl Delay {
    /// The time begins now.
    pub fn new(time: Duration) -> Delay {
        let state = Arc::new(Mutex::new(State::Waiting(Vec::new())));
        let of_thread = Arc::clone(&state);
        thread::spawn(move || {
            thread::sleep(time);
            let mut state = of_thread.lock().expect("nothing panics under this lock");
            let before = std::mem::replace(&mut *state, State::Over);
            drop(state);
            if let State::Waiting(wakers) = before {
                wakers.into_iter().for_each(Waker::wake);
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
            State::Waiting(wakers) => {
                wakers.push(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
