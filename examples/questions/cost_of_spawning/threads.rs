//! Threads: made and ended, and made to wait.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::memory::Waiting;

/// Microseconds for one of `count`, from the first spawn to the last join.
pub fn spawn_and_join(count: usize) -> f64 {
    let start = Instant::now();
    let spawned = (0..count).map(|_| thread::Builder::new().spawn(|| {}));
    let spawned: Vec<JoinHandle<()>> = spawned.map_while(Result::ok).collect();
    let made = spawned.len().max(1) as f64;
    for thread in spawned {
        thread.join().expect("it does nothing");
    }
    start.elapsed().as_secs_f64() * 1e6 / made
}

/// A gate that lets threads wait until it is open.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

/// Threads that wait.
#[derive(Default)]
pub struct Threads {
    gate: Arc<Gate>,
    begun: Arc<AtomicUsize>,
    spawned: Vec<JoinHandle<()>>,
}

impl Waiting for Threads {
    fn add(&mut self) -> io::Result<()> {
        let gate = Arc::clone(&self.gate);
        let begun = Arc::clone(&self.begun);
        self.spawned.push(thread::Builder::new().spawn(move || {
            begun.fetch_add(1, SeqCst);
            let open = gate.open.lock().expect("nobody panics with it");
            drop(gate.opened.wait_while(open, |open| !*open));
        })?);
        Ok(())
    }

    fn begun(&self) -> usize {
        self.begun.load(SeqCst)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        *self.gate.open.lock().expect("nobody panics with it") = true;
        self.gate.opened.notify_all();
        for thread in self.spawned.drain(..) {
            thread.join().expect("it only waits");
        }
    }
}
