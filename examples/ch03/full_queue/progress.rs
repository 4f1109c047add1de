//! How far the clients have got in rung 3.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// When nothing has changed for so long, nothing will.
const QUIET: Duration = Duration::from_millis(500);

/// How many clients have got how far in rung 3. Only counted: nothing here knows what a pool does.
#[derive(Clone, Copy, PartialEq)]
pub struct Progress {
    /// Taken from the backlog.
    pub accepted: usize,
    /// Handed to the pool: `execute` has returned.
    pub queued: usize,
    /// Taken from the queue by a worker.
    pub begun: usize,
    /// Served.
    pub ended: usize,
}

static PROGRESS: Mutex<Progress> =
    Mutex::new(Progress { accepted: 0, queued: 0, begun: 0, ended: 0 });

impl Progress {
    /// Where the clients are at this moment.
    pub fn now() -> Progress {
        *PROGRESS.lock().expect("counting does not panic")
    }

    /// Counts one more.
    pub fn count(change: impl FnOnce(&mut Progress)) {
        change(&mut PROGRESS.lock().expect("counting does not panic"));
    }

    /// Clients that wait for a worker.
    pub fn in_queue(self) -> usize {
        // A worker may be faster than the thread that counts what it has queued.
        self.queued.saturating_sub(self.begun)
    }

    /// Clients that have one.
    pub fn with_worker(self) -> usize {
        self.begun - self.ended
    }

    /// Waits until the pool has all clients and its workers have enough to do, or nothing changes.
    pub fn settled(came: usize, workers: usize) -> Progress {
        let mut last = (Progress::now(), Instant::now());
        loop {
            let now = Progress::now();
            if now != last.0 {
                last = (now, Instant::now());
            }
            let all_inside = now.queued == came;
            let all_busy = now.in_queue() == 0 || now.with_worker() == workers;
            if (all_inside && all_busy) || last.1.elapsed() > QUIET {
                return now;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}
