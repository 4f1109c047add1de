//! Jobs that compute, in threads.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::{io, thread};

use experiment::hardware_threads;

use crate::jobs::{Jobs, Watch};

fn job(jobs: Jobs, watch: &Watch) {
    watch.enter();
    drop(site::compute(jobs.rounds));
    watch.leave();
}

/// A false friend: all have begun, and none is done.
pub fn thread_per_job(jobs: Jobs, watch: &'static Watch) -> io::Result<()> {
    thread::scope(|scope| {
        for _ in 0..jobs.count {
            thread::Builder::new().spawn_scoped(scope, || job(jobs, watch))?;
        }
        Ok(())
    })
}

/// A few threads take one job after the other.
pub fn thread_per_core(jobs: Jobs, watch: &'static Watch) -> io::Result<()> {
    let taken = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..hardware_threads() {
            thread::Builder::new().spawn_scoped(scope, || {
                while taken.fetch_add(1, SeqCst) < jobs.count {
                    job(jobs, watch);
                }
            })?;
        }
        Ok(())
    })
}
