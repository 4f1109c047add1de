//! A runtime on each thread: `cargo run -p doors --example door_per_core`
use std::cell::Cell;
use std::rc::Rc;
use std::thread;

use tokio::runtime::{Builder, LocalOptions};
use tokio::task::spawn_local;

fn main() {
    let cores = [1, 2].map(|core| thread::spawn(move || run(core)));
    for core in cores {
        core.join().expect("it does not panic");
    }
}

// ANCHOR: run
fn run(core: u32) {
    let runtime = Builder::new_current_thread().build_local(LocalOptions::default());
    runtime.expect("the system has what a runtime needs").block_on(async {
        let visits = Rc::new(Cell::new(0));
        let counted = Rc::clone(&visits);
        let task = spawn_local(async move { counted.set(counted.get() + 1) });
        task.await.expect("it does not panic");
        println!("core {core}: {} visit", visits.get());
    });
}
// ANCHOR_END: run
