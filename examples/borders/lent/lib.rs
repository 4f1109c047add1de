//! A database with one connection, and futures that report when they are woken and when somebody polls them.

use std::future::poll_fn;
use std::process;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::time::sleep;

/// How long the programs run, if they don't end before.
const LIMIT: Duration = Duration::from_secs(1);

/// The time of one character in the drawing.
const SCALE: Duration = Duration::from_millis(25);

// ANCHOR: database
/// A database with one connection.
#[derive(Debug)]
pub struct Database {
    connection: Semaphore,
}

impl Database {
    /// Asks, as soon as the connection is free, and waits so long for the answer.
    pub async fn ask(&self, question: &'static str, takes: Duration) -> &'static str {
        let _permit = self.connection.acquire().await.expect("it is never closed");
        sleep(takes).await;
        question
    }

    /// Whether somebody has the connection.
    pub fn is_busy(&self) -> bool {
        self.connection.available_permits() == 0
    }
}
// ANCHOR_END: database

impl Default for Database {
    fn default() -> Database {
        Database { connection: Semaphore::new(1) }
    }
}

/// What happened to a future.
#[derive(Clone, Copy, Debug)]
enum Event {
    Polled,
    Woken,
    /// It was ready, or was dropped before.
    Ended(&'static str),
}

/// A future and what happened to it, in the order of the first polls.
struct Row {
    name: &'static str,
    events: Vec<(Instant, Event)>,
}

static ROWS: Mutex<Vec<Row>> = Mutex::new(Vec::new());

fn note(name: &'static str, event: Event) {
    let mut rows = ROWS.lock().expect("nobody panics with it");
    let known = rows.iter().position(|row| row.name == name);
    let index = known.unwrap_or_else(|| {
        rows.push(Row { name, events: Vec::new() });
        rows.len() - 1
    });
    rows[index].events.push((Instant::now(), event));
}

/// Reports when its future is woken, before it wakes the task.
struct Reporting {
    name: &'static str,
    task: Waker,
}

impl Wake for Reporting {
    fn wake(self: Arc<Self>) {
        note(self.name, Event::Woken);
        self.task.wake_by_ref();
    }
}

/// Reports the end of its future, also of one that is dropped.
struct Ending {
    name: &'static str,
    how: &'static str,
}

impl Drop for Ending {
    fn drop(&mut self) {
        note(self.name, Event::Ended(self.how));
    }
}

/// The same future, which reports each poll and each wake. The name is that of its row.
pub async fn reported<F: Future>(name: &'static str, future: F) -> F::Output {
    let mut ending = Ending { name, how: "dropped" };
    let mut future = Box::pin(future);
    let output = poll_fn(|context| {
        note(name, Event::Polled);
        let waker = Waker::from(Arc::new(Reporting { name, task: context.waker().clone() }));
        future.as_mut().poll(&mut Context::from_waker(&waker))
    })
    .await;
    ending.how = "has its answer";
    output
}

/// Draws what has happened when the program has ended, or after a second, and ends the process.
///
/// The drawing has a row for each future: dots while it waits, and `/` while it is woken and nobody has polled it.
pub fn draw_after(program: impl FnOnce() + Send + 'static) -> ! {
    // On a thread of its own: a program that stands still can't end itself.
    let running = thread::spawn(program);
    while !running.is_finished() && lasts() < LIMIT {
        thread::sleep(Duration::from_millis(5));
    }
    let lasted = lasts();
    let rows = ROWS.lock().expect("nobody panics with it");
    if let Some(begun) = begun(&rows) {
        rows.iter().for_each(|row| println!("{}", drawn(row, begun, begun + lasted)));
    }
    let how = if running.is_finished() { "the end" } else { "it stands still" };
    println!("after {} ms: {how}", lasted.as_millis());
    process::exit(0)
}

/// When the first future was polled first.
fn begun(rows: &[Row]) -> Option<Instant> {
    rows.first().and_then(|row| row.events.first()).map(|(at, _)| *at)
}

/// How long that is ago.
fn lasts() -> Duration {
    let rows = ROWS.lock().expect("nobody panics with it");
    begun(&rows).map_or(Duration::ZERO, |begun| begun.elapsed())
}

fn drawn(row: &Row, begun: Instant, end: Instant) -> String {
    let column = |at: Instant| at.duration_since(begun).div_duration_f64(SCALE).round() as usize;
    let mut bar = String::new();
    let mut how = "waits";
    let mut events = row.events.iter().peekable();
    while let Some((at, event)) = events.next() {
        if bar.is_empty() {
            bar = " ".repeat(column(*at));
        }
        let until = events.peek().map_or(end, |(next, _)| *next);
        let sign = match event {
            Event::Polled => {
                how = "waits";
                "."
            }
            Event::Woken => {
                how = "is woken, and nobody polls it";
                "/"
            }
            Event::Ended(it) => {
                how = it;
                break;
            }
        };
        let length = bar.len();
        bar += &sign.repeat(column(until).saturating_sub(length));
    }
    let width = column(end);
    format!("{:9} {bar:width$}  {how}", row.name)
}
