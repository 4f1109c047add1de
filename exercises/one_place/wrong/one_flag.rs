// Wrong: a flag says that the task is queued or polled, so a wake during the poll is forgotten.
// The check says: the task was woken during its poll, and nobody queued it

/// Where a task is.
#[derive(Debug, Default)]
pub struct Place {
    busy: bool,
}

impl Place {
    /// Its waker was called. Whether to queue it.
    pub fn wake(&mut self) -> bool {
        !std::mem::replace(&mut self.busy, true)
    }

    /// A thread has taken it from the queue, and polls it.
    pub fn poll_begins(&mut self) {}

    /// The poll has returned `Pending`. Whether to queue it.
    pub fn poll_ends(&mut self) -> bool {
        self.busy = false;
        false
    }
}
