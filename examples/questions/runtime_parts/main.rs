//! What do two parts of a runtime cost: the queue of its tasks, and its timers? By hand and in Tokio.
//!
//! Run it, with `--release` for figures, as you read the page "A runtime by hand":
//!
//!     cargo run --example runtime_parts

// The runtime of that page, file for file.
#[path = "../../own_runtime/queue.rs"]
mod queue;
#[allow(dead_code, unused_imports)]
#[path = "../../own_runtime/runtime/mod.rs"]
mod runtime;

mod both;
mod by_hand;
mod on_tokio;

use std::{env, io, process::Command};

use both::{Part, Plan};
use experiment::{Options, fail, print_figures, say_if_debug, thousands};

const USAGE: &str = "\
Usage: runtime_parts [OPTIONS]

Measures two parts of the runtime by hand and of Tokio: how long a task that only gives way
takes from one poll to the next, and how long it takes to set a timer and take it back.

  --polls N                how many polls, or timers, are measured, 1 to 10000000
  --json                   measure one part, and print it as JSON; it is chosen by
  --runtime ours|tokio
  --part queue|timers
  --threads N              how many threads run the tasks of the queue, 1 to 64 (default 1)
  --waiting N              how many other timers wait, 0 to 1000000 (default 10)
  --quick                  as short as possible: a try, and no measurement
  -h, --help               print this
";

/// Nanoseconds for a step, on one of the two runtimes.
type Measure = fn(Plan) -> io::Result<f64>;

/// Measures in a process of its own, because the runtime by hand starts once.
fn again(runtime: &str, plan: Plan) -> io::Result<f64> {
    let part = match plan.part {
        Part::Queue => "queue",
        Part::Timers => "timers",
    };
    let numbers = [plan.polls, plan.threads, plan.waiting].map(|number| number.to_string());
    let mut command = Command::new(env::current_exe()?);
    command.args(["--json", "--runtime", runtime, "--part", part, "--polls", &numbers[0]]);
    let output = command.args(["--threads", &numbers[1], "--waiting", &numbers[2]]).output()?;
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let ns = figures["figures"]["step_ns"].as_f64();
    ns.ok_or_else(|| io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn main() {
    let options = Options::from_args(USAGE, &["polls", "runtime", "part", "threads", "waiting"]);
    let polls = if options.quick() { 6400 } else { 640_000 };
    let plan = Plan {
        part: Part::Queue,
        polls: options.number("polls", 1..=10_000_000).unwrap_or(polls),
        threads: options.number("threads", 1..=64).unwrap_or(1),
        waiting: options.number("waiting", 0..=1_000_000).unwrap_or(10),
    };
    let runtimes: [(&str, Measure); 2] = [("ours", by_hand::measure), ("tokio", on_tokio::measure)];
    if options.json() {
        let measure = options.required_choice("runtime", &runtimes);
        let parts = [("queue", Part::Queue), ("timers", Part::Timers)];
        let part = options.required_choice("part", &parts);
        let ns =
            measure(Plan { part, ..plan }).unwrap_or_else(|error| fail("runtime_parts", error));
        return print_figures(&[("step_ns", Some(ns))]);
    }
    println!("What do the queue and the timers of a runtime cost, in nanoseconds?\n");
    println!("                                        by hand     Tokio");
    let row = |title: String, plan: Plan| {
        let ns = runtimes.map(|(name, _)| {
            again(name, plan).unwrap_or_else(|error| fail("runtime_parts", error))
        });
        println!("{title:<35}{:>12}{:>10}", thousands(ns[0]), thousands(ns[1]));
    };
    for threads in [1, 2] {
        row(format!("poll to poll, threads: {threads}"), Plan { threads, ..plan });
    }
    for waiting in [10, 100_000] {
        let title = format!("a timer, {} others wait", thousands(waiting as f64));
        row(title, Plan { part: Part::Timers, waiting, ..plan });
    }
    say_if_debug();
}
