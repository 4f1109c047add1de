//! Two kinds of jobs, for the programs of the page on futures, tasks and threads, and a drawing of what they did.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Mutex;
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio::time::sleep;

/// How long a job waits.
pub const PAUSE: Duration = Duration::from_millis(100);

/// A job counts the prime numbers below this one. With a larger number it computes longer.
const NUMBERS: u32 = 280_000;

/// The time of one character in the drawing, or a multiple of it where the drawing would be wider than the terminal.
const SCALE: Duration = Duration::from_millis(25);

/// The columns that a row takes beside its drawing.
const BESIDE: u32 = 24;

/// What a job did.
struct Done {
    name: &'static str,
    /// The time that it waited for, if it did.
    pause: Option<Duration>,
    begun: Instant,
    ended: Instant,
    /// The thread that brought it to its end.
    thread: Thread,
}

static DONE: Mutex<Vec<Done>> = Mutex::new(Vec::new());

// ANCHOR: jobs
/// Waits for a tenth of a second, as for a database.
pub async fn wait(name: &'static str) {
    let begun = Instant::now();
    sleep(PAUSE).await;
    note(name, Some(PAUSE), begun);
}

/// Counts prime numbers, for some tenths of a second.
pub fn compute(name: &'static str) {
    let begun = Instant::now();
    let primes = (2..NUMBERS).filter(|&number| is_prime(number)).count();
    // So that the compiler doesn't leave out what nobody reads.
    black_box(primes);
    note(name, None, begun);
}
// ANCHOR_END: jobs

fn is_prime(number: u32) -> bool {
    (2..number).take_while(|it| it * it <= number).all(|it| !number.is_multiple_of(it))
}

/// Keeps what a job did for the drawing.
fn note(name: &'static str, pause: Option<Duration>, begun: Instant) {
    let ended = Instant::now();
    let thread = thread::current();
    let mut done = DONE.lock().expect("no job panics with it");
    done.push(Done { name, pause, begun, ended, thread });
}

/// Draws a row for each job: dots while it waits, signs `#` while it computes, and `/` while its wait is over and
/// no thread has looked.
pub fn draw() {
    let mut done = DONE.lock().expect("no job panics with it");
    done.sort_by_key(|job| job.name);
    let start = done.iter().map(|job| job.begun).min().expect("there was a job");
    let end = done.iter().map(|job| job.ended).max().expect("there was a job");
    let scale = scale(end.duration_since(start));
    let columns = |from: Instant, to: Instant| {
        (to.duration_since(from).as_secs_f64() / scale.as_secs_f64()).round() as usize
    };
    let width = columns(start, end);
    let names = names(&done);
    for job in done.iter() {
        let begin = columns(start, job.begun);
        // Each is seen, also where it took less than a character's time.
        let length = (columns(start, job.ended) - begin).max(1);
        let (kind, bar) = match job.pause {
            Some(pause) => {
                let dots = columns(start, job.begun + pause).saturating_sub(begin).min(length);
                ("waits", ".".repeat(dots) + &"/".repeat(length - dots))
            }
            None => ("computes", "#".repeat(length)),
        };
        let row = " ".repeat(begin) + &bar;
        println!(
            "{} {kind:8}  {row:width$}  {}",
            job.name,
            names[&format!("{:?}", job.thread.id())]
        );
    }
    println!(
        "{} ms, one character for {} ms",
        end.duration_since(start).as_millis(),
        scale.as_millis()
    );
}

/// The time of one character, so that a row fits the terminal: as wide as it says in `COLUMNS`, else 80.
fn scale(lasts: Duration) -> Duration {
    let columns = std::env::var("COLUMNS").ok();
    let columns: Option<u32> = columns.and_then(|columns| columns.parse().ok());
    let room = columns.unwrap_or(80).saturating_sub(BESIDE).max(10);
    let mut scale = SCALE;
    while scale * room < lasts {
        scale += SCALE;
    }
    scale
}

/// The thread of `main` by its name, and the others by numbers, because all threads of a runtime have the same name.
fn names(done: &[Done]) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let mut count = 0;
    for job in done {
        names.entry(format!("{:?}", job.thread.id())).or_insert_with(|| match job.thread.name() {
            Some("main") => "main".to_owned(),
            _ => {
                count += 1;
                format!("thread {count}")
            }
        });
    }
    names
}
