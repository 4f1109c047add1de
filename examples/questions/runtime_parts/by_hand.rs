//! The runtime by hand.

use std::time::Instant;
use std::{io, sync::mpsc};

use crate::both::{Part, Plan, TASKS, give_way, set_timers};
use crate::runtime;

/// Nanoseconds for a step. There is one such runtime in a process, so this is called once.
pub fn measure(plan: Plan) -> io::Result<f64> {
    let (tell, told) = mpsc::channel();
    let begin = Instant::now();
    match plan.part {
        Part::Queue => {
            runtime::start(plan.threads)?;
            runtime::run(async move {
                for _ in 0..TASKS {
                    runtime::spawn(give_way(plan.polls / TASKS));
                }
            });
            Ok(begin.elapsed().as_secs_f64() * 1e9 / plan.polls as f64)
        }
        Part::Timers => {
            runtime::start(1)?;
            runtime::run(async move {
                let _ = tell.send(set_timers(runtime::sleep, plan).await);
            });
            told.recv().map_err(io::Error::other)
        }
    }
}
