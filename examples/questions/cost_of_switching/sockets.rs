//! Rings with a pair of connected sockets from each member to the next.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::plan::{Laps, Plan};

/// A ring of threads. Its first member is this thread, which looks at the clock after each lap.
pub fn threads(plan: Plan) -> Laps {
    plan.settle();
    let (mut first, mut receiver) = UnixStream::pair()?;
    let mut spawned = Vec::new();
    for _ in 1..plan.members {
        let (sender, next) = UnixStream::pair()?;
        let hand_on = move || {
            plan.settle();
            member(receiver, sender)
        };
        spawned.push(thread::Builder::new().spawn(hand_on)?);
        receiver = next;
    }
    let mut laps = Vec::new();
    for _ in 0..plan.laps {
        let start = Instant::now();
        first.write_all(&[1])?;
        receiver.read_exact(&mut [0])?;
        laps.push(start.elapsed());
    }
    // Each reads the end of its stream when the one before it has gone.
    drop(first);
    for thread in spawned {
        thread.join().expect("it does not panic")?;
    }
    Ok(laps)
}

fn member(mut receiver: UnixStream, mut sender: UnixStream) -> io::Result<()> {
    let mut byte = [0];
    while receiver.read(&mut byte)? == 1 {
        sender.write_all(&byte)?;
    }
    Ok(())
}

/// A ring of tasks. Its first member is a task, which looks at the clock after each lap.
pub fn tasks(plan: Plan) -> Laps {
    let runtime = crate::tasks::runtime(plan)?;
    let first = runtime.spawn(async move {
        let (mut first, mut receiver) = tokio::net::UnixStream::pair()?;
        for _ in 1..plan.members {
            let (mut sender, next) = tokio::net::UnixStream::pair()?;
            tokio::spawn(async move {
                let mut byte = [0];
                while receiver.read(&mut byte).await? == 1 {
                    sender.write_all(&byte).await?;
                }
                io::Result::Ok(())
            });
            receiver = next;
        }
        let mut laps = Vec::new();
        for _ in 0..plan.laps {
            let start = Instant::now();
            first.write_all(&[1]).await?;
            receiver.read_exact(&mut [0]).await?;
            laps.push(start.elapsed());
        }
        Ok(laps)
    });
    runtime.block_on(first).expect("it does not panic")
}
