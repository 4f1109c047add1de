//! Jobs that wait, in tasks.

use std::future::Future;
use std::{io, thread};

use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

use crate::jobs::{Jobs, Watch};

/// A runtime with two workers, and a task for each job.
pub fn in_tasks<F>(jobs: Jobs, job: impl Fn() -> F) -> io::Result<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
    let spawned: Vec<_> = (0..jobs.count).map(|_| runtime.spawn(job())).collect();
    for task in spawned {
        runtime.block_on(task).expect("it does not panic");
    }
    Ok(())
}

/// A false friend: it waits, and the worker with it.
pub fn call(jobs: Jobs, watch: &'static Watch) -> io::Result<()> {
    in_tasks(jobs, || async move {
        watch.enter();
        thread::sleep(jobs.pause);
        watch.leave();
    })
}

/// The runtime has more threads, only for calls that block.
pub fn pool(jobs: Jobs, watch: &'static Watch) -> io::Result<()> {
    in_tasks(jobs, || async move {
        watch.enter();
        let waits = spawn_blocking(move || thread::sleep(jobs.pause));
        waits.await.expect("it does not panic");
        watch.leave();
    })
}

/// The task gives its worker back while it waits.
pub fn not_at_all(jobs: Jobs, watch: &'static Watch) -> io::Result<()> {
    in_tasks(jobs, || async move {
        watch.enter();
        tokio::time::sleep(jobs.pause).await;
        watch.leave();
    })
}
