//! A ring of tasks with a channel from each to the next.

use std::io;
use std::time::Instant;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::channel;

use crate::plan::{Laps, Plan};

/// A runtime with its worker threads where the plan wants them.
pub fn runtime(plan: Plan) -> io::Result<Runtime> {
    Builder::new_multi_thread().enable_io().on_thread_start(move || plan.settle()).build()
}

/// The first member of the ring is a task that looks at the clock after each lap.
pub fn ring(plan: Plan) -> Laps {
    let runtime = runtime(plan)?;
    let first = runtime.spawn(async move {
        let (first, mut receiver) = channel(1);
        for _ in 1..plan.members {
            let (sender, next) = channel(1);
            tokio::spawn(async move {
                while let Some(byte) = receiver.recv().await {
                    let _ = sender.send(byte).await;
                }
            });
            receiver = next;
        }
        let mut laps = Vec::new();
        for _ in 0..plan.laps {
            let start = Instant::now();
            first.send(1_u8).await.expect("the next one listens");
            receiver.recv().await.expect("the last one sends");
            laps.push(start.elapsed());
        }
        laps
    });
    Ok(runtime.block_on(first).expect("it does not panic"))
}
