// Wrong: tells waits apart by the task's number, but one task may wait twice for the same time.
// The check says: one task waited twice

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The name of a wait: when it is over, and the number of its task.
pub type Name = (Instant, u64);

/// Which task waits until when.
#[derive(Default)]
pub struct Timers {
    tasks: BTreeMap<Name, u32>,
    next: u64,
}

impl Timers {
    /// From now on this task waits until `due`.
    pub fn set(&mut self, due: Instant, task: u32) -> Name {
        let name = (due, u64::from(task));
        self.tasks.insert(name, task);
        name
    }

    /// Takes a wait back.
    pub fn unset(&mut self, name: Name) {
        self.tasks.remove(&name);
    }

    /// How long until a task is due; `None` if no task waits.
    pub fn wait(&self, now: Instant) -> Option<Duration> {
        let ((due, _), _) = self.tasks.first_key_value()?;
        Some(due.saturating_duration_since(now))
    }

    /// The tasks whose time has come, the earliest first. They wait no longer.
    pub fn take_due(&mut self, now: Instant) -> Vec<u32> {
        let later = self.tasks.split_off(&(now, u64::MAX));
        std::mem::replace(&mut self.tasks, later).into_values().collect()
    }
}
