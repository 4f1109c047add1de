//! What one more takes of the memory.

use std::{io, thread, time::Duration};

use experiment::{kernel_stack_kib, resident_kib};

/// Many that wait at a closed gate, until they are dropped.
pub trait Waiting {
    /// Adds one. It has begun, and touched what it needs, when it is counted.
    fn add(&mut self) -> io::Result<()>;
    /// How many have begun.
    fn begun(&self) -> usize;
}

/// Memory in use, and the kernel's stacks, in KiB.
type Memory = (Option<f64>, Option<f64>);

/// Fills up to `count`, waits until all have begun, then looks. An error is the system's refusal.
fn fill(waiting: &mut impl Waiting, count: usize) -> (Memory, io::Result<()>) {
    let mut made = Ok(());
    let mut have = waiting.begun();
    while have < count && made.is_ok() {
        made = waiting.add();
        have += usize::from(made.is_ok());
    }
    while waiting.begun() < have {
        thread::sleep(Duration::from_millis(1));
    }
    ((resident_kib(), kernel_stack_kib()), made)
}

/// How much one more takes, from the difference between few and many of them.
pub fn of_one(
    waiting: &mut impl Waiting,
    few: usize,
    many: usize,
) -> Vec<(&'static str, Option<f64>)> {
    let (before, _) = fill(waiting, few);
    let first = waiting.begun();
    let (after, refusal) = fill(waiting, many);
    let last = waiting.begun();
    if let Err(error) = refusal {
        eprintln!("cost_of_spawning: stopped at {last}, where the system said: {error}");
    }
    let more = (last - first) as f64;
    let slope =
        |few: Option<f64>, many: Option<f64>| Some((many? - few?) / more).filter(|_| more > 0.0);
    vec![
        ("memory_kib", slope(before.0, after.0)),
        ("kernel_stack_kib", slope(before.1, after.1)),
        ("made", Some(last as f64)),
    ]
}
