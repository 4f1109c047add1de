//! Who may ask the database: the last to come is the first to be let in.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::oneshot;

/// How many clients may wait for the database.
const WAITING: usize = 20;

// ANCHOR: turns
/// Who may ask the database: the last to come is the first to be let in.
#[derive(Clone)]
pub struct Turns(Arc<Mutex<State>>);

struct State {
    free: usize,
    /// The oldest in front.
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

/// A turn, which is handed on when it is dropped, also when its task panics.
pub struct Turn(Turns);

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(newest) = self.0.newest() {
            // Whoever has left doesn't get it: the turn is dropped again, and goes to the next.
            let _ = newest.send(Turn(self.0.clone()));
        }
    }
}

impl Turns {
    /// So many may ask at the same time.
    pub fn new(free: usize) -> Turns {
        Turns(Arc::new(Mutex::new(State { free, waiting: VecDeque::new() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no thread panics while it holds the lock")
    }

    /// Waits for a turn; `None` when so many newer clients have come that there will be none.
    pub async fn take(&self) -> Option<Turn> {
        let (sender, turn) = oneshot::channel();
        {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                return Some(Turn(self.clone()));
            }
            if state.waiting.len() == WAITING {
                // The oldest. Its receiver learns that the sender is gone.
                state.waiting.pop_front();
            }
            state.waiting.push_back(sender);
        }
        turn.await.ok()
    }

    /// The newest of those who wait. If nobody does, the turn is free.
    fn newest(&self) -> Option<oneshot::Sender<Turn>> {
        let mut state = self.state();
        let newest = state.waiting.pop_back();
        if newest.is_none() {
            state.free += 1;
        }
        newest
    }
}
// ANCHOR_END: turns
