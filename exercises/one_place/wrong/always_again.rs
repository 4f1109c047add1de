// Wrong: queues a task after each poll, woken or not, so a CPU is busy while it waits.
// The check says: the task was queued without a wake

/// Where a task is.
#[derive(Debug, Default)]
pub enum Place {
    #[default]
    Waits,
    Queued,
    Polled,
    PolledAndWoken,
}

impl Place {
    /// Its waker was called. Whether to queue it.
    pub fn wake(&mut self) -> bool {
        let (next, queue) = match self {
            Place::Waits => (Place::Queued, true),
            Place::Queued => (Place::Queued, false),
            Place::Polled | Place::PolledAndWoken => (Place::PolledAndWoken, false),
        };
        *self = next;
        queue
    }

    /// A thread has taken it from the queue, and polls it.
    pub fn poll_begins(&mut self) {
        *self = Place::Polled;
    }

    /// The poll has returned `Pending`. Whether to queue it.
    pub fn poll_ends(&mut self) -> bool {
        *self = Place::Queued;
        true
    }
}
