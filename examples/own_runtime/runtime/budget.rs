//! How much a task does on its socket before it yields to other tasks.

// ANCHOR: budget
use std::future::poll_fn;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll};

use super::runtime;

/// After so many calls on one socket its task yields.
const BUDGET: u32 = 64;

/// Counts the reads, writes and accepts on one socket.
#[derive(Default)]
pub struct Budget(AtomicU32);

impl Budget {
    /// Ready, except each 64th time.
    pub fn poll_spend(&self, context: &mut Context) -> Poll<()> {
        let spent = self.0.fetch_add(1, Relaxed) + 1;
        if !spent.is_multiple_of(BUDGET) {
            return Poll::Ready(());
        }
        // Others first: those whose events no thread has seen yet, and those in the queue, to whose
        // end this task goes.
        runtime().queue.look_next();
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Comes before each call, and not after it: a future that is dropped while it gives way must
    /// not take along what it has read or accepted.
    pub async fn spend(&self) {
        poll_fn(|context| self.poll_spend(context)).await
    }
}
// ANCHOR_END: budget
