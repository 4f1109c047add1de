//! A ring of threads with a channel from each to the next.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use crate::plan::{Laps, Plan};

/// The first member of the ring is this thread, which looks at the clock after each lap.
pub fn ring(plan: Plan) -> Laps {
    plan.settle();
    let (first, mut receiver) = sync_channel(1);
    let mut spawned = Vec::new();
    for _ in 1..plan.members {
        let (sender, next) = sync_channel(1);
        let hand_on = move || {
            plan.settle();
            member(&receiver, &sender);
        };
        spawned.push(thread::Builder::new().spawn(hand_on)?);
        receiver = next;
    }
    let mut laps = Vec::new();
    for _ in 0..plan.laps {
        let start = Instant::now();
        first.send(1).expect("the next one listens");
        receiver.recv().expect("the last one sends");
        laps.push(start.elapsed());
    }
    // Each ends when the one before it has gone.
    drop(first);
    for thread in spawned {
        thread.join().expect("it does not panic");
    }
    Ok(laps)
}

fn member(receiver: &Receiver<u8>, sender: &SyncSender<u8>) {
    while let Ok(byte) = receiver.recv() {
        let _ = sender.send(byte);
    }
}
