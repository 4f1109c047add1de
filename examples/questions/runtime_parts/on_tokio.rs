//! Tokio.

use std::{io, time::Instant};

use crate::both::{Part, Plan, TASKS, give_way, set_timers};

/// Nanoseconds for a step.
pub fn measure(plan: Plan) -> io::Result<f64> {
    let threads = match plan.part {
        Part::Queue => plan.threads,
        Part::Timers => 1,
    };
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(threads).enable_time().build()?;
    let begin = Instant::now();
    runtime.block_on(async move {
        let all = tokio::spawn(async move {
            match plan.part {
                Part::Queue => {
                    let tasks = (0..TASKS).map(|_| tokio::spawn(give_way(plan.polls / TASKS)));
                    for task in tasks.collect::<Vec<_>>() {
                        task.await?;
                    }
                    Ok(begin.elapsed().as_secs_f64() * 1e9 / plan.polls as f64)
                }
                // Tokio would make it yield after 128 timers.
                Part::Timers => {
                    Ok(tokio::task::unconstrained(set_timers(tokio::time::sleep, plan)).await)
                }
            }
        });
        let outcome: Result<f64, tokio::task::JoinError> = all.await.map_err(io::Error::other)?;
        outcome.map_err(io::Error::other)
    })
}
