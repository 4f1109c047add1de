//! Does not compile, which a test checks: a lock of the standard library, held across an await.

use std::future::{Future, ready};
use std::sync::Mutex;

// ANCHOR: guard
/// What every runtime asks of a task that may move from one worker to another.
fn spawn(_task: impl Future<Output = ()> + Send + 'static) {}

static COUNT: Mutex<u32> = Mutex::new(0);

fn main() {
    spawn(async {
        let mut count = COUNT.lock().expect("nobody panics with it");
        *count += 1;
        ready(()).await;
    });
}
// ANCHOR_END: guard
