//! The jobs as they are, each of which reports what it does, whether it is a task of its own or not.

use std::{
    pin::pin,
    task::{Context, Waker},
};

pub use jobs::draw;

/// Waits, and reports.
pub async fn wait(name: &'static str) {
    let work = async {
        observed_trace::due_after(jobs::PAUSE);
        jobs::wait(name).await;
    };
    observed_trace::job(name, work).await;
}

/// Computes, and reports.
pub fn compute(name: &'static str) {
    let work = pin!(observed_trace::job(name, async { jobs::compute(name) }));
    let done = work.poll(&mut Context::from_waker(Waker::noop()));
    assert!(done.is_ready(), "it awaits nothing");
}
