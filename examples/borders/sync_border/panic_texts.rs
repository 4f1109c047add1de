//! What Tokio says when it panics at the border: `cargo run --example border_panic_texts`
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;
use tokio::task::block_in_place;
use tokio::time::sleep;

fn main() {
    // Each is printed below.
    panic::set_hook(Box::new(|_| {}));
    print("a runtime's timer without a runtime", || drop(sleep(Duration::ZERO)));
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        print("`block_on` in a task", || Handle::current().block_on(async {}));
        let (_answer, received) = oneshot::channel::<()>();
        print("`blocking_recv` in a task", || drop(received.blocking_recv()));
        let other = Builder::new_multi_thread().worker_threads(1).build();
        let other: Runtime = other.expect("a runtime");
        print("a runtime dropped in a task", || drop(other));
        print("`block_in_place` on one thread", || block_in_place(|| {}));
    });
}

/// Prints which call panics, and with which words.
fn print(what: &str, call: impl FnOnce()) {
    let panicked = panic::catch_unwind(AssertUnwindSafe(call));
    println!("{what}:\n  {}", text(&*panicked.expect_err("it panics")));
}

fn text(panic: &dyn Any) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).expect("a text")
}
