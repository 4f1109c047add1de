//! The plan of a ring, and what it reports.

use std::time::Duration;

use experiment::pin_this_thread;

/// How large a ring is, how often the byte goes round, and where.
#[derive(Clone, Copy)]
pub struct Plan {
    /// How many are in the ring.
    pub members: usize,
    /// How often the byte goes round.
    pub laps: usize,
    /// The hardware thread for all of it; `None` for wherever the system puts it.
    pub cpu: Option<usize>,
}

impl Plan {
    /// What each thread of the experiment does first.
    pub fn settle(self) {
        if let Some(cpu) = self.cpu {
            pin_this_thread(cpu);
        }
    }
}

/// How long each lap took, or what the system refused.
pub type Laps = std::io::Result<Vec<Duration>>;
