// Give a task one place.
//
// A runtime calls `wake` when the task's waker is called, `poll_begins` when a thread has taken the task from the
// queue, and `poll_ends` when that poll has returned `Pending`. A new task waits for its first wake.
//
// Your turn: let `wake` and `poll_ends` return whether the runtime has to put the task into the queue now, so that
// - the task is in the queue at most once, and never while it is polled;
// - a wake is never forgotten: after it, a poll begins.

/// Where a task is.
#[derive(Debug, Default)]
pub struct Place {
    queued: bool,
}

impl Place {
    /// Its waker was called. Whether to queue it.
    pub fn wake(&mut self) -> bool {
        self.queued = true;
        true
    }

    /// A thread has taken it from the queue, and polls it.
    pub fn poll_begins(&mut self) {}

    /// The poll has returned `Pending`. Whether to queue it.
    pub fn poll_ends(&mut self) -> bool {
        self.queued = false;
        false
    }
}
