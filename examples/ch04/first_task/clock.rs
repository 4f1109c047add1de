//! One thread that waits for the times of all tasks.

use std::sync::LazyLock;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::task::Waker;
use std::thread;
use std::time::{Duration, Instant};

/// To the thread of the clock, which the first use starts.
static CLOCK: LazyLock<Sender<(Instant, Waker)>> = LazyLock::new(|| {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || run(&receiver));
    sender
});

/// Calls this waker when `due` has come.
pub fn wake_at(due: Instant, waker: Waker) {
    CLOCK.send((due, waker)).expect("the thread of the clock never ends");
}

// ANCHOR: run
/// The same wait as an event loop's: until the earliest time, or until there is news.
fn run(news: &Receiver<(Instant, Waker)>) {
    let mut waiting: Vec<(Instant, Waker)> = Vec::new();
    loop {
        let now = Instant::now();
        for (_, waker) in waiting.extract_if(.., |(due, _)| *due <= now) {
            waker.wake();
        }
        let earliest = waiting.iter().map(|(due, _)| *due).min();
        let within = earliest.map_or(Duration::MAX, |due| due.saturating_duration_since(now));
        match news.recv_timeout(within) {
            Ok(entry) => waiting.push(entry),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
// ANCHOR_END: run
