//! Two permits, and computations that don't end before their deadlines, that panic, or that find no permit.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use ex_keep_its_permit::compute;
use exercise_kit::{Gate, a_moment, check, comes_true, deadline, within};
use tokio::runtime::{Builder, Runtime};
use tokio::select;
use tokio::sync::Semaphore;
use tokio::time::sleep;

exercise_kit::checks![
    no_more_compute_than_may_after_a_deadline,
    but_as_many_as_may,
    a_panic_gives_its_permit_back,
    who_waits_gets_the_permit_of_another,
    who_finds_no_permit_in_time_computes_nothing,
    the_deadline_counts_the_wait,
];

/// Long enough that no check sees its end, however slow the machine is.
const AN_HOUR: Duration = Duration::from_secs(3600);

fn runtime() -> Runtime {
    Runtime::new().expect("the system has what a runtime needs")
}

/// What a computation returned, or that it was given up.
fn told(outcome: Option<u32>) -> String {
    outcome.map_or("the request got nothing".to_owned(), |number| {
        format!("the computation gave {number}")
    })
}

fn no_more_compute_than_may_after_a_deadline() {
    let runtime = Arc::new(runtime());
    let permits = Arc::new(Semaphore::new(2));
    let gate = Arc::new(Gate::new(usize::MAX));
    // One after the other: each is given up before the next asks.
    for _ in 0..5 {
        let inside = Arc::clone(&gate);
        let computes = compute(Arc::clone(&permits), deadline() / 40, deadline() / 20, move || {
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
    let seen = format!("{} closures computed at the same time", gate.most());
    check(
        gate.most() <= 2,
        seen,
        "never more than two, for two permits; look at what the deadline drops, and what goes on",
    );
    gate.open();
    let expected = "the result of a computation, once there are permits again";
    let computes = compute(permits, AN_HOUR, AN_HOUR, || 7);
    let outcome = within("a computation", expected, move || runtime.block_on(computes));
    check(outcome == Some(7), told(outcome), expected);
}

fn but_as_many_as_may() {
    let permits = Arc::new(Semaphore::new(2));
    let gate = Arc::new(Gate::new(2));
    let opened = within("two computations", "both to run at the same time", move || {
        let both = [(); 2].map(|()| {
            let inside = Arc::clone(&gate);
            compute(Arc::clone(&permits), AN_HOUR, AN_HOUR, move || u32::from(inside.pass()))
        });
        runtime().block_on(async {
            let [one, other] = both;
            tokio::join!(one, other)
        })
    });
    let both = opened == (Some(1), Some(1));
    check(both, "only one computation ran at a time, with two permits", "two");
}

fn a_panic_gives_its_permit_back() {
    let permits = Arc::new(Semaphore::new(2));
    let computes = compute(Arc::clone(&permits), AN_HOUR, AN_HOUR, || -> u32 {
        panic!("this computation panics, and the check wants it so")
    });
    within("a computation that panics", "its end", || {
        let _ = catch_unwind(AssertUnwindSafe(|| runtime().block_on(computes)));
    });
    let back = comes_true(|| permits.available_permits() == 2);
    let seen = format!("{} of 2 permits were there after a panic", permits.available_permits());
    check(back, seen, "both: none is lost, however a computation ends");
}

fn who_waits_gets_the_permit_of_another() {
    let expected = "it to wait for a permit as long as `patience`, and to compute when it has one";
    let outcome = within("a computation", expected, || {
        runtime().block_on(async {
            let permits = Arc::new(Semaphore::new(1));
            let held = Arc::clone(&permits).acquire_owned().await.expect("nobody closes it");
            let mut computes = pin!(compute(permits, AN_HOUR, AN_HOUR, || 7));
            // So that it asks before the permit comes back.
            if let Poll::Ready(early) = poll_fn(|it| Poll::Ready(computes.as_mut().poll(it))).await
            {
                return early;
            }
            drop(held);
            computes.await
        })
    });
    check(outcome == Some(7), told(outcome), expected);
}

fn who_finds_no_permit_in_time_computes_nothing() {
    let runtime = runtime();
    let permits = Arc::new(Semaphore::new(2));
    let held = Arc::clone(&permits).try_acquire_many_owned(2).expect("both are there");
    let computed = Arc::new(AtomicBool::new(false));
    let computing = Arc::clone(&computed);
    let computes = compute(permits, deadline() / 20, AN_HOUR, move || {
        computing.store(true, Ordering::SeqCst);
        1
    });
    let expected = "nothing, when `patience` is over, although the deadline is an hour";
    let (runtime, outcome) = within("a request that finds no permit", expected, move || {
        let outcome = runtime.block_on(computes);
        (runtime, outcome)
    });
    check(outcome.is_none(), told(outcome), expected);
    drop(held);
    a_moment();
    let computed = computed.load(Ordering::SeqCst);
    let expected = "nobody to compute for a request that has been given up";
    check(!computed, "a computation began when its request had been given up", expected);
    drop(runtime);
}

/// A permit comes when half of the time is over, and the computation doesn't end.
fn the_deadline_counts_the_wait() {
    // Where the machine stalls, the deadline may be over before the permit comes. That proves nothing.
    for _ in 0..5 {
        let expected = "nothing, when the deadline is over";
        let end = within("a computation", expected, || {
            let gate = Arc::new(Gate::new(usize::MAX));
            // One thread: it looks at times in the order in which they are over, however late it comes to it.
            let runtime = Builder::new_current_thread().enable_time().build();
            let runtime = runtime.expect("the system has what a runtime needs");
            let end = runtime.block_on(end_with_a_late_permit(&gate));
            gate.open();
            end
        });
        match end {
            End::BeforeThePermit => {}
            End::AtTheDeadline(outcome) => {
                check(outcome.is_none(), told(outcome), expected);
                return;
            }
            End::Later => check(
                false,
                "a request still waited when a quarter more than its deadline was over",
                "one deadline for all of it, the wait for the permit included",
            ),
        }
    }
}

enum End {
    BeforeThePermit,
    AtTheDeadline(Option<u32>),
    Later,
}

async fn end_with_a_late_permit(gate: &Arc<Gate>) -> End {
    let limit = deadline() / 10;
    let permits = Arc::new(Semaphore::new(1));
    let held = Arc::clone(&permits).acquire_owned().await.expect("nobody closes it");
    let inside = Arc::clone(gate);
    let mut computes = pin!(compute(permits, AN_HOUR, limit, move || {
        inside.pass();
        1
    }));
    // Its deadline begins with its first poll, and the two times below begin after that.
    if poll_fn(|context| Poll::Ready(computes.as_mut().poll(context))).await.is_ready() {
        return End::BeforeThePermit;
    }
    let permit_comes = sleep(limit / 2);
    let mut later = pin!(sleep(limit * 5 / 4));
    select! {
        biased;
        _ = &mut computes => return End::BeforeThePermit,
        () = permit_comes => drop(held),
    }
    select! {
        biased;
        outcome = &mut computes => End::AtTheDeadline(outcome),
        () = &mut later => End::Later,
    }
}
