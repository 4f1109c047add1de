//! Jobs that wait, in tasks that share a counter behind a lock.

use std::io;
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::time::sleep;

use crate::blocking::in_tasks;
use crate::jobs::{Jobs, Watch};

/// A false friend: the lock is held during the pause, so the others wait for lock and pause.
pub fn across_await(jobs: Jobs, watch: &'static Watch) -> io::Result<()> {
    let count = Arc::new(Mutex::new(0));
    in_tasks(jobs, || {
        let count = Arc::clone(&count);
        async move {
            let mut count = count.lock().await;
            watch.enter();
            *count += 1;
            sleep(jobs.pause).await;
            watch.leave();
        }
    })
}

/// The lock is given back before the pause.
pub fn before_await(jobs: Jobs, watch: &'static Watch) -> io::Result<()> {
    // It is never held across an await, so it may be the standard library's.
    let count = Arc::new(std::sync::Mutex::new(0));
    in_tasks(jobs, || {
        let count = Arc::clone(&count);
        async move {
            *count.lock().expect("nobody panics with it") += 1;
            watch.enter();
            sleep(jobs.pause).await;
            watch.leave();
        }
    })
}
