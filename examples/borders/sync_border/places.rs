//! Which calls a thread may make, asked in eight places: `cargo run --example border_places`
use std::panic::{self, AssertUnwindSafe};
use std::sync::LazyLock;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::{LocalSet, block_in_place, spawn_blocking};

/// The runtime of this program; the calls are made on it and beside it.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

fn main() {
    // Each panic is counted below.
    panic::set_hook(Box::new(|_| {}));
    println!("{:36}try_current  block_on  block_in_place", "");
    try_in("a thread");
    let inside = RUNTIME.enter();
    try_in("a thread behind `runtime.enter()`");
    drop(inside);
    let no_panic = "it is caught";
    RUNTIME.block_on(async {
        try_in("the main thread in `block_on`");
        spawn_blocking(|| try_in("the blocking pool")).await.expect(no_panic);
        tokio::spawn(async { try_in("a task") }).await.expect(no_panic);
    });
    let one = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    let task = one.spawn(async { try_in("a task, and one worker") });
    one.block_on(task).expect(no_panic);
    let current = Builder::new_current_thread().build().expect("a runtime");
    let task = current.spawn(async { try_in("a task on `current_thread`") });
    current.block_on(task).expect(no_panic);
    let local = LocalSet::new();
    let task = local.spawn_local(async { try_in("a task in a `LocalSet`") });
    RUNTIME.block_on(local.run_until(task)).expect(no_panic);
}

// ANCHOR: try_in
/// Makes the three calls on this thread, and prints what they do.
fn try_in(place: &str) {
    let current = if Handle::try_current().is_ok() { "Ok" } else { "Err" };
    let block_on = outcome(|| RUNTIME.block_on(async {}));
    let in_place = outcome(|| block_in_place(|| {}));
    println!("{place:36}{current:13}{block_on:10}{in_place}");
}

fn outcome(call: impl FnOnce()) -> &'static str {
    match panic::catch_unwind(AssertUnwindSafe(call)) {
        Ok(()) => "returns",
        Err(_panic) => "panics",
    }
}
// ANCHOR_END: try_in
