//! A door that opens when enough threads have come, and counts the threads that pass.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use crate::deadline;

/// A place where work waits for other work that must run alongside it.
///
/// It proves that things overlap without a clock: it opens only when `needed`
/// are inside at the same time.
#[derive(Debug)]
pub struct Gate {
    needed: usize,
    counts: Mutex<Counts>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    inside: usize,
    most: usize,
    entered: usize,
    open: bool,
}

impl Gate {
    /// A gate that opens, for good, once `needed` are inside.
    pub fn new(needed: usize) -> Gate {
        Gate { needed, counts: Mutex::default(), changed: Condvar::new() }
    }

    /// Enters, waits until the gate is open, and leaves. Gives up after the deadline: whether it opened.
    pub fn pass(&self) -> bool {
        self.enter();
        let opened = self.wait();
        self.leave();
        opened
    }

    /// Enters without waiting. For tasks, which wait in their own way.
    pub fn enter(&self) {
        let mut counts = self.counts();
        counts.inside += 1;
        counts.entered += 1;
        counts.most = counts.most.max(counts.inside);
        counts.open |= counts.inside >= self.needed;
        self.changed.notify_all();
    }

    /// Leaves.
    pub fn leave(&self) {
        self.counts().inside -= 1;
        self.changed.notify_all();
    }

    /// Opens the gate, however many are inside.
    pub fn open(&self) {
        self.counts().open = true;
        self.changed.notify_all();
    }

    /// Waits, without being inside, until the gate is open; `false` after the deadline.
    pub fn wait(&self) -> bool {
        self.until(|counts| counts.open)
    }

    /// Waits until `count` have entered since the beginning; `false` after the deadline.
    pub fn wait_for_entered(&self, count: usize) -> bool {
        self.until(|counts| counts.entered >= count)
    }

    /// Counts those that are inside now.
    pub fn inside(&self) -> usize {
        self.counts().inside
    }

    /// Returns the most that were inside at the same time.
    pub fn most(&self) -> usize {
        self.counts().most
    }

    /// Counts those that have entered since the beginning.
    pub fn entered(&self) -> usize {
        self.counts().entered
    }

    /// Tells whether it is open.
    pub fn is_open(&self) -> bool {
        self.counts().open
    }

    fn until(&self, holds: impl Fn(&Counts) -> bool) -> bool {
        let end = Instant::now() + deadline();
        let mut counts = self.counts();
        while !holds(&counts) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let woken = self.changed.wait_timeout(counts, left);
            counts = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn it_opens_when_enough_are_inside() {
        let gate = Gate::new(3);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert!(gate.pass()));
            }
        });
        assert_eq!((gate.inside(), gate.most(), gate.entered()), (0, 3, 3));
        assert!(gate.is_open());
    }
}
