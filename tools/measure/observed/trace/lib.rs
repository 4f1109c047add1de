//! Reports what the tasks, jobs and connections of an observed program do, and on which thread.
//!
//! Every report is an event of [`tracing`]. Where `OBSERVE_TRACE` names a file, each becomes a line there:
//! the time in nanoseconds of the monotonic clock, the thread's id, and `name=value` pairs.
//! Without that variable nothing is written.

use std::{
    cell::Cell,
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc, Once,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Wake, Waker},
    time::Duration,
};

use tracing::info;
use tracing_subscriber::layer::SubscriberExt;

mod lines;

/// The variable that names the file for the lines.
pub const FILE_VARIABLE: &str = "OBSERVE_TRACE";

thread_local! {
    /// The task that this thread polls now.
    static POLLED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Begins to write lines, once, if a file is named.
fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let Some(lines) = lines::Lines::from_environment() else { return };
        let subscriber = tracing_subscriber::registry().with(lines);
        tracing::subscriber::set_global_default(subscriber).expect("it is called once");
    });
}

/// The same future, which reports that it was spawned, each poll, each wake, and its end.
pub fn task<F: Future>(future: F) -> impl Future<Output = F::Output> {
    reporting(None, future)
}

/// The same for a future that has a name, whether it is a task or a part of one.
pub fn job<F: Future>(name: &'static str, future: F) -> impl Future<Output = F::Output> {
    reporting(Some(name), future)
}

/// Reports that the wait of what is polled now will be over after so long, whenever it is woken.
pub fn due_after(wait: Duration) {
    info!(task = POLLED.get(), after = wait.as_nanos() as u64, "due");
}

fn reporting<F: Future>(name: Option<&'static str>, future: F) -> impl Future<Output = F::Output> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    start();
    let task = NEXT.fetch_add(1, Ordering::Relaxed);
    info!(task, by = POLLED.get(), name, "spawn");
    let end = End(task);
    async move {
        let _end = end;
        let mut future = pin!(future);
        let mut waker = ReportingWaker { task, last: None };
        poll_fn(|context| {
            let waker = waker.around(context.waker());
            let _poll = Poll::begin(task);
            future.as_mut().poll(&mut Context::from_waker(&waker))
        })
        .await
    }
}

/// One poll of a task, from its making to its drop.
struct Poll {
    task: u64,
    /// A task may run an executor of its own inside.
    outer: Option<u64>,
}

impl Poll {
    fn begin(task: u64) -> Poll {
        info!(task, "poll");
        Poll { task, outer: POLLED.replace(Some(task)) }
    }
}

impl Drop for Poll {
    fn drop(&mut self) {
        POLLED.set(self.outer);
        info!(task = self.task, "pause");
    }
}

/// Reports the end of a task, whether it was finished or cancelled.
struct End(u64);

impl Drop for End {
    fn drop(&mut self) {
        info!(task = self.0, "end");
    }
}

/// Wraps the executor's waker in one that reports.
struct ReportingWaker {
    task: u64,
    /// The last waker, and what it was wrapped in.
    last: Option<(Waker, Waker)>,
}

impl ReportingWaker {
    /// The same wrapper as long as the executor's waker is the same: futures look whether it changed.
    fn around(&mut self, waker: &Waker) -> Waker {
        match &self.last {
            Some((inner, outer)) if inner.will_wake(waker) => outer.clone(),
            _ => {
                let outer =
                    Waker::from(Arc::new(Reporting { task: self.task, waker: waker.clone() }));
                self.last = Some((waker.clone(), outer.clone()));
                outer
            }
        }
    }
}

struct Reporting {
    task: u64,
    waker: Waker,
}

impl Wake for Reporting {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        info!(task = self.task, "wake");
        self.waker.wake_by_ref();
    }
}

/// A connection in a handler, from its making to its drop.
#[derive(Debug)]
pub struct Handling(u64);

impl Handling {
    /// Reports that this thread begins to handle a connection, and in which task.
    pub fn begin() -> Handling {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        start();
        let connection = NEXT.fetch_add(1, Ordering::Relaxed);
        info!(connection, task = POLLED.get(), "open");
        Handling(connection)
    }

    /// Reports that this thread asks for the connection's next step.
    pub fn step(&self) {
        info!(connection = self.0, "step");
    }

    /// Reports the number that the client gave its request, if these bytes hold one: `X-Request: 7`.
    pub fn received(&self, bytes: &[u8]) {
        if let Some(request) = request_number(bytes) {
            info!(connection = self.0, request, "request");
        }
    }
}

impl Drop for Handling {
    fn drop(&mut self) {
        info!(connection = self.0, "close");
    }
}

fn request_number(bytes: &[u8]) -> Option<u64> {
    let text = str::from_utf8(bytes).ok()?;
    text.lines().find_map(|line| line.strip_prefix("X-Request: "))?.trim().parse().ok()
}
