//! Two permits, and computations that don't end before their deadlines.

use std::sync::Arc;
use std::time::Duration;

use ex_keep_its_permit::compute;
use exercise_kit::{Gate, a_moment, check, deadline, within};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

exercise_kit::checks![no_more_compute_than_may_after_a_deadline];

/// Long enough that no check sees its end, however slow the machine is.
const AN_HOUR: Duration = Duration::from_secs(3600);

/// What a computation returned, or that it was given up.
fn told(outcome: Option<u32>) -> String {
    outcome.map_or("nothing".to_owned(), |number| format!("the result {number}"))
}

fn no_more_compute_than_may_after_a_deadline() {
    let runtime = Arc::new(Runtime::new().expect("the system has what a runtime needs"));
    let permits = Arc::new(Semaphore::new(2));
    let gate = Arc::new(Gate::new(usize::MAX));
    // One after the other: each is given up before the next asks.
    for _ in 0..5 {
        let inside = Arc::clone(&gate);
        let computes = compute(Arc::clone(&permits), deadline() / 20, move || {
            inside.pass();
            1
        });
        let runtime = Arc::clone(&runtime);
        let expected = "nothing, because the deadline was over";
        let outcome = within("a computation", expected, move || runtime.block_on(computes));
        check(outcome.is_none(), told(outcome), expected);
    }
    // For a computation too many to show itself. A right solution is not hurried by it.
    a_moment();
    let seen = format!("{} computed at the same time", gate.most());
    check(gate.most() <= 2, seen, "never more than two, for two permits");
    gate.open();
    let expected = "the result of a computation, once there are permits again";
    let computes = compute(permits, AN_HOUR, || 7);
    let outcome = within("a computation", expected, move || runtime.block_on(computes));
    check(outcome == Some(7), told(outcome), expected);
}
