// Wrong: the flag is cleared when the poll begins, so a wake queues a task that is being polled.
// The check says: while it was polled

/// Where a task is.
#[derive(Debug, Default)]
pub struct Place {
    queued: bool,
}

impl Place {
    /// Its waker was called. Whether to queue it.
    pub fn wake(&mut self) -> bool {
        !std::mem::replace(&mut self.queued, true)
    }

    /// A thread has taken it from the queue, and polls it.
    pub fn poll_begins(&mut self) {
        self.queued = false;
    }

    /// The poll has returned `Pending`. Whether to queue it.
    pub fn poll_ends(&mut self) -> bool {
        false
    }
}
