//! Tasks: made and ended, and made to wait.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use crate::memory::Waiting;

/// Microseconds for one of `count`, from the first spawn to the last join.
pub fn spawn_and_join(count: usize) -> f64 {
    let runtime = Runtime::new().expect("a runtime of a few threads");
    runtime.block_on(async {
        // Spawned by a task, as in a server, rather than from outside the runtime.
        let spawning = tokio::spawn(async move {
            let start = Instant::now();
            let spawned: Vec<_> = (0..count).map(|_| tokio::spawn(async {})).collect();
            for task in spawned {
                task.await.expect("it does nothing");
            }
            start.elapsed().as_secs_f64() * 1e6 / count as f64
        });
        spawning.await.expect("it does not panic")
    })
}

/// Tasks that wait.
pub struct Tasks {
    runtime: Runtime,
    /// It has no permits, so a task that asks for one waits.
    gate: Arc<Semaphore>,
    begun: Arc<AtomicUsize>,
}

impl Default for Tasks {
    fn default() -> Tasks {
        let runtime = Runtime::new().expect("a runtime of a few threads");
        Tasks { runtime, gate: Arc::new(Semaphore::new(0)), begun: Arc::default() }
    }
}

impl Waiting for Tasks {
    fn add(&mut self) -> io::Result<()> {
        let gate = Arc::clone(&self.gate);
        let begun = Arc::clone(&self.begun);
        // Its handle is dropped; the task lives until the runtime is dropped.
        drop(self.runtime.spawn(async move {
            begun.fetch_add(1, SeqCst);
            drop(gate.acquire().await);
        }));
        Ok(())
    }

    fn begun(&self) -> usize {
        self.begun.load(SeqCst)
    }
}
