//! What machine is this? What the system says of its processors, and what this process gets of them.
//!
//! Run it as you read the page "Threads on your own machine":
//!
//!     cargo run --example machine

#[path = "../../ch02/hardware_threads/linux.rs"]
mod linux;
mod measured;
#[path = "../../ch02/hardware_threads/parse.rs"]
mod parse;
mod told;

use std::time::Duration;

use experiment::{Options, cpus, fail, hardware_threads, median, print_figures};

const USAGE: &str = "\
Usage: machine [OPTIONS]

Prints what the system says of its processors and its scheduler, and what can be measured of it.

  --seconds S                 how long each measurement takes, 0.01 to 60 (default 0.3)
  --json                      measure one thing, and print it as JSON; it is chosen by
  --measure together|turns
  --threads N                 so many threads that compute, 1 to 1000 (default 2)
  --quick                     as short as possible: a try, and no measurement
  -h, --help                  print this
";

/// One line of the report: what it is about, and what was found out, if anything was.
type Fact = (&'static str, Option<String>);

#[derive(Clone, Copy)]
enum Measure {
    Together,
    Turns,
}

fn main() {
    let options = Options::from_args(USAGE, &["seconds", "measure", "threads"]);
    let default = if options.quick() { 0.02 } else { 0.3 };
    let time = Duration::from_secs_f64(options.number("seconds", 0.01..=60.0).unwrap_or(default));
    let cpus = cpus();
    if options.json() {
        return print_one(&options, &cpus, time);
    }
    println!("What machine is this? The system says:\n");
    for (name, found) in told::facts() {
        println!("{name:<24}{}", found.unwrap_or_else(|| "this system does not say".to_owned()));
    }
    println!("\nMeasured, with threads that compute as /work does:\n");
    let threads = hardware_threads();
    let times = measured::together(&vec![None; threads], time);
    println!(
        "{:<24}{times:.2} times what one of them does alone",
        format!("{threads} threads together")
    );
    share_a_core(&cpus, time);
    println!("\nTwo CPUs that are cores of their own do about 2 times the work of one. Two that");
    println!("share a core do less, whatever the system says of them; so do two that others use");
    println!("too. A turn is how long a thread computes before the scheduler lets the next have");
    println!("the CPU; the time slice is how long a turn is meant to be.");
}

/// The figures of one measure, for a program.
fn print_one(options: &Options, cpus: &[usize], time: Duration) {
    let threads = options.number("threads", 1..=1000).unwrap_or(2);
    let measures = [("together", Measure::Together), ("turns", Measure::Turns)];
    match options.required_choice("measure", &measures) {
        Measure::Together => {
            let times = measured::together(&vec![None; threads], time);
            print_figures(&[("times_one", Some(times))]);
        }
        Measure::Turns => {
            let Some(mut turns) = measured::turns(cpus, threads, time) else {
                fail("machine", "this system keeps no thread on one hardware thread")
            };
            let count = turns.len() as f64;
            let longest = turns.iter().copied().fold(0.0, f64::max);
            let median = median(&mut turns);
            print_figures(&[
                ("turn_ms", Some(median)),
                ("longest_turn_ms", Some(longest)),
                ("turns", Some(count)),
            ]);
        }
    }
}

/// The lines about pairs of CPUs, and about threads that share one.
fn share_a_core(cpus: &[usize], time: Duration) {
    match cpus.split_first() {
        Some((first, others)) if experiment::pins() => {
            for other in others {
                let times = measured::together(&[Some(*first), Some(*other)], time);
                println!(
                    "{:<24}{times:.2} times what CPU {first} does alone",
                    format!("CPUs {first} and {other}")
                );
            }
            for threads in [2, 4] {
                let mut turns = measured::turns(cpus, threads, time).unwrap_or_default();
                let count = turns.len();
                let longest = turns.iter().copied().fold(0.0, f64::max);
                let about = format!("{threads} threads on CPU {first}");
                println!(
                    "{about:<24}{count} turns, {:.1} ms in the median, {longest:.1} at most",
                    median(&mut turns)
                );
            }
        }
        _ => println!(
            "who shares a core       this system keeps no thread on one hardware thread, so nobody can try"
        ),
    }
}
