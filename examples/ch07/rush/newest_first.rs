//! Who may ask the database: the last to come is the first to get a permit.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::oneshot;

/// How many clients may wait for the database.
const SLOTS: usize = 20;

// ANCHOR: newest_first
/// Permits to ask the database: the last to come is the first to get one.
#[derive(Clone)]
pub struct NewestFirst(Arc<Mutex<State>>);

struct State {
    /// Permits that nobody has.
    free: usize,
    /// Who waits for one, the oldest in front.
    waiting: VecDeque<oneshot::Sender<Permit>>,
}

/// A permit, which is handed on when it is dropped, also when its task panics.
pub struct Permit(NewestFirst);

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(newest) = self.0.newest() {
            // Whoever has left doesn't get it: the permit is dropped again, and goes to the next.
            let _ = newest.send(Permit(self.0.clone()));
        }
    }
}

impl NewestFirst {
    /// Lets this many ask at the same time.
    pub fn new(permits: usize) -> NewestFirst {
        let state = State { free: permits, waiting: VecDeque::new() };
        NewestFirst(Arc::new(Mutex::new(state)))
    }

    /// Waits for a permit; `None` when so many newer clients have come that there will be none.
    pub async fn permit(&self) -> Option<Permit> {
        let (sender, permit) = oneshot::channel();
        match self.free_or_wait(sender) {
            Some(free) => Some(free),
            None => permit.await.ok(),
        }
    }

    /// A free permit, or else `sender` is the newest of those who wait.
    fn free_or_wait(&self, sender: oneshot::Sender<Permit>) -> Option<Permit> {
        let mut state = self.lock();
        if state.free > 0 {
            state.free -= 1;
            return Some(Permit(self.clone()));
        }
        let is_full = state.waiting.len() == SLOTS;
        let oldest = if is_full { state.waiting.pop_front() } else { None };
        state.waiting.push_back(sender);
        drop(state);
        // The oldest learns that its sender is gone. That wakes its task, so not under the lock.
        drop(oldest);
        None
    }

    /// The newest of those who wait. If nobody does, one more permit is free.
    fn newest(&self) -> Option<oneshot::Sender<Permit>> {
        let mut state = self.lock();
        let newest = state.waiting.pop_back();
        if newest.is_none() {
            state.free += 1;
        }
        newest
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no thread panics while it holds the lock")
    }
}
// ANCHOR_END: newest_first
