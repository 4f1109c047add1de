//! Handlers on a clock that only they and the check move.

use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    task::Poll,
    time::Duration,
};

use ex_holds_its_worker::watched;
use exercise_kit::{check, within};
use tokio::{runtime::Builder, sync::Semaphore, task::yield_now};

exercise_kit::checks![
    one_that_holds_its_worker_is_reported,
    one_that_waits_is_not,
    many_short_polls_are_none,
];

const LIMIT: Duration = Duration::from_millis(100);

/// A clock, and what was reported, in milliseconds.
#[derive(Default)]
struct World {
    now: AtomicU64,
    reports: Mutex<Vec<u64>>,
}

impl World {
    /// Lets time pass, without giving the worker back.
    fn pass(&self, milliseconds: u64) {
        self.now.fetch_add(milliseconds, SeqCst);
    }

    fn reports(&self) -> Vec<u64> {
        self.reports.lock().expect("nothing panics with it").clone()
    }

    async fn watch<F: Future>(&self, handler: F) -> F::Output {
        let now = || Duration::from_millis(self.now.load(SeqCst));
        let report = |held: Duration| {
            let milliseconds = held.as_millis().try_into().expect("it is short");
            self.reports.lock().expect("nothing panics with it").push(milliseconds);
        };
        watched(handler, LIMIT, now, report).await
    }
}

/// Runs this on a runtime of one thread, and gives it up when it doesn't end.
fn on_a_runtime<T: Send + 'static>(
    expected: &str,
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    within("the handler", expected, || {
        let runtime = Builder::new_current_thread().build();
        runtime.expect("the system has what a runtime needs").block_on(work)
    })
}

fn one_that_holds_its_worker_is_reported() {
    let reports = on_a_runtime("its end", async {
        let world = World::default();
        let handler = async {
            world.pass(10);
            yield_now().await;
            world.pass(300);
            yield_now().await;
            world.pass(20);
            yield_now().await;
            world.pass(400);
        };
        world.watch(handler).await;
        world.reports()
    });
    check(
        reports == [300, 400],
        format_args!(
            "a handler held its worker for 10, 300, 20 and 400 ms, and the reports were {reports:?}"
        ),
        "[300, 400], because the limit is 100 ms; look at where each poll begins and ends",
    );
}

/// Another task moves the clock while the handler waits.
fn one_that_waits_is_not() {
    let reports = on_a_runtime("its end, when its database has answered", async {
        let world = Arc::new(World::default());
        let answer = Arc::new(Semaphore::new(0));
        let handler = {
            let world = Arc::clone(&world);
            let answer = Arc::clone(&answer);
            async move {
                let handler =
                    async { answer.acquire().await.expect("it is never closed").forget() };
                world.watch(handler).await;
            }
        };
        let handler = tokio::spawn(handler);
        yield_now().await;
        world.pass(1000);
        answer.add_permits(1);
        handler.await.expect("it doesn't panic");
        world.reports()
    });
    let seen = format_args!("a handler waited for 1000 ms, and the reports were {reports:?}");
    check(reports.is_empty(), seen, "none, because it held nothing while it waited");
}

fn many_short_polls_are_none() {
    let reports = on_a_runtime("its end", async {
        let world = World::default();
        let mut polls = 0;
        // It wakes itself, so it is polled again.
        let handler = poll_fn(|context| {
            world.pass(30);
            polls += 1;
            if polls == 20 {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        });
        world.watch(handler).await;
        world.reports()
    });
    let seen = format_args!(
        "a handler computed for 30 ms twenty times and gave its worker back after each, and the \
         reports were {reports:?}"
    );
    check(reports.is_empty(), seen, "none, because the limit is 100 ms");
}
