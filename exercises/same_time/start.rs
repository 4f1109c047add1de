// Keep timers that are due at the same time.
//
// A task that waits for a time calls `set` and gets a name for its wait. It may take the wait back with `unset`.
// The reactor sleeps as long as `wait` tells it to, and then wakes the tasks that `take_due` returns.
//
// Your turn: the map has one task for each time. Let it keep all of them, so that
// - several tasks may wait for the same time, and all are woken;
// - `unset` takes back one wait and no other.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The name of a wait.
pub type Name = Instant;

/// Which task waits until when.
#[derive(Default)]
pub struct Timers {
    tasks: BTreeMap<Instant, u32>,
}

impl Timers {
    /// From now on this task waits until `due`.
    pub fn set(&mut self, due: Instant, task: u32) -> Name {
        self.tasks.insert(due, task);
        due
    }

    /// Takes a wait back.
    pub fn unset(&mut self, name: Name) {
        self.tasks.remove(&name);
    }

    /// How long until a task is due; `None` if no task waits.
    pub fn wait(&self, now: Instant) -> Option<Duration> {
        let (due, _) = self.tasks.first_key_value()?;
        Some(due.saturating_duration_since(now))
    }

    /// The tasks whose time has come, the earliest first. They wait no longer.
    pub fn take_due(&mut self, now: Instant) -> Vec<u32> {
        let later = self.tasks.split_off(&(now + Duration::from_nanos(1)));
        std::mem::replace(&mut self.tasks, later).into_values().collect()
    }
}
