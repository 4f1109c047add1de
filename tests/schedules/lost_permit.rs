//! A task lends a future that asks for a permit to `select!`, and asks itself while nobody polls that future.

use std::{pin::pin, sync::Arc};

use super::{
    Level, Version, Work,
    board::{Semaphore, block_on, drop, second, select},
};

pub static LEVEL: Level = Level {
    name: "lost-permit",
    title: "Lose the permit",
    goal: "There is one permit. Task A lends a future that asks for it, and when a second is over, A asks for it as well. Let the two tasks take turns so that A sleeps forever.",
    fails: "The lent future has the permit and A sleeps. Only A could poll that future, and A waits for the permit.",
    well: "Both tasks have had the permit and have given it back.",
    threads: ["A", "B"],
    wanted: None,
    file: "tests/schedules/lost_permit.rs",
    versions: [
        Version { start: || start(lends), lines: [&["lends"], &["asks"]] },
        Version { start: || start(owns), lines: [&["owns"], &["asks"]] },
    ],
};

fn start(waits: fn(&Semaphore)) -> [Work; 2] {
    let permits = Arc::new(Semaphore::with_one_permit());
    [waits, asks].map(|work| -> Work {
        let permits = Arc::clone(&permits);
        Box::new(move || work(&permits))
    })
}

fn lends(permits: &Semaphore) {
    block_on(async {
        // ANCHOR: lends
        let mut future = pin!(permits.acquire());
        select! {
            permit = &mut future => drop(permit),
            () = second() => {
                let permit = permits.acquire().await;
                drop(permit);
            }
        }
        // ANCHOR_END: lends
    });
}

fn owns(permits: &Semaphore) {
    block_on(async {
        // ANCHOR: owns
        let future = permits.acquire();
        select! {
            permit = future => drop(permit),
            () = second() => {
                let permit = permits.acquire().await;
                drop(permit);
            }
        }
        // ANCHOR_END: owns
    });
}

fn asks(permits: &Semaphore) {
    block_on(async {
        // ANCHOR: asks
        let permit = permits.acquire().await;
        drop(permit);
        // ANCHOR_END: asks
    });
}
