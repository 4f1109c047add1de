//! Wrong: calls that wait for the blocking pool fill it: `cargo run --example border_full_pool`
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::Duration;

use futures::future::join_all;
use tokio::net::lookup_host;
use tokio::runtime::{Builder, Handle};
use tokio::task::spawn_blocking;

/// How many threads the pool may have; 512 unless one says otherwise.
const THREADS: usize = 2;

fn main() {
    for calls in [1, 2] {
        let how = if do_end(calls) { "all end" } else { "after a second none has ended" };
        println!("threads in the pool: {THREADS}, calls at the same time: {calls}, {how}");
    }
}

/// Whether so many calls, each of which looks up a name, end within a second.
fn do_end(calls: usize) -> bool {
    let (done, ended) = mpsc::channel();
    // On a thread of its own: what stands still can't end itself.
    thread::spawn(move || {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.max_blocking_threads(THREADS).enable_all().build();
        runtime.expect("the system has threads to give").block_on(look_up(calls));
        done.send(())
    });
    ended.recv_timeout(Duration::from_secs(1)).is_ok()
}

// ANCHOR: look_up
async fn look_up(calls: usize) {
    // None of them looks up before all have a thread.
    let all_begun = Arc::new(Barrier::new(calls));
    let running = (0..calls).map(|_| {
        let runtime = Handle::current();
        let all_begun = Arc::clone(&all_begun);
        spawn_blocking(move || {
            all_begun.wait();
            // Tokio gives the lookup to the blocking pool.
            runtime.block_on(lookup_host(("localhost", 80))).is_ok()
        })
    });
    join_all(running).await;
}
// ANCHOR_END: look_up
