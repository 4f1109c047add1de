//! One computes and never pauses. When do its polite neighbours run?
//!
//! Run it beside the page "Threads and tasks on your own machine":
//!
//!     cargo run --example preemption

mod tasks;
mod threads;
mod watch;

use std::sync::{Arc, atomic::Ordering::SeqCst};
use std::{io, time::Duration};

use experiment::{Options, fail, hardware_threads, median, print_figures};
use watch::{NAP, POLITE, Watch};

const USAGE: &str = "\
Usage: preemption [OPTIONS]

Lets a greedy thread or task compute next to polite threads or tasks that sleep, and prints how late
these wake.

  --seconds S             how long the greedy thread or task computes, 0.01 to 60 (default 1)
  --json                  measure one case, and print it as JSON; it is chosen by
  --case thread|task|task-yields|task-two-workers|two-tasks-two-workers
  --quick                 as short as possible: a try, and no measurement
  -h, --help              print this
";

type Case = fn(Arc<Watch>) -> io::Result<()>;
const CASES: [(&str, &str, Case); 5] = [
    ("thread", "a greedy thread for each CPU", threads::run),
    ("task", "a greedy task, one worker", |watch| tasks::run(watch, 1, 1, false)),
    ("task-yields", "the same, with yield_now", |watch| tasks::run(watch, 1, 1, true)),
    ("task-two-workers", "a greedy task, two workers", |watch| tasks::run(watch, 1, 2, false)),
    ("two-tasks-two-workers", "two greedy tasks, two workers", |watch| {
        tasks::run(watch, 2, 2, false)
    }),
];

fn main() {
    let options = Options::from_args(USAGE, &["seconds", "case"]);
    let default = if options.quick() { 0.05 } else { 1.0 };
    let time = Duration::from_secs_f64(options.number("seconds", 0.01..=60.0).unwrap_or(default));
    let measure = |case: Case| {
        let watch = Arc::new(Watch::of(time));
        let run = case(Arc::clone(&watch));
        run.unwrap_or_else(|error| fail("preemption", error));
        let mut late = watch.late.lock().expect("nobody panics with it").clone();
        let worst = late.iter().copied().fold(0.0, f64::max);
        let switches = *watch.switches.lock().expect("nobody panics with it");
        (median(&mut late), worst, watch.wakes_meanwhile.load(SeqCst), switches)
    };
    if options.json() {
        let case = options.required_choice("case", &CASES.map(|(name, _, case)| (name, case)));
        let (median, worst, wakes, switches) = measure(case);
        return print_figures(&[
            ("median_late_ms", Some(median)),
            ("worst_late_ms", Some(worst)),
            ("wakes_meanwhile", Some(wakes as f64)),
            ("voluntary_switches", switches.map(|switches| switches.voluntary as f64)),
            ("involuntary_switches", switches.map(|switches| switches.involuntary as f64)),
        ]);
    }
    println!(
        "{POLITE} polite threads or tasks nap, {NAP:?} each time. How late do they wake while a greedy\n\
         thread or task computes for {time:?}?\n"
    );
    println!("                                      late, in ms     wakes   its threads left");
    println!("                                   median   worst   meanwhile  itself  by force");
    for (_, title, case) in CASES {
        let (median, worst, wakes, switches) = measure(case);
        let count = |number: Option<u64>| number.map_or("?".to_owned(), |count| count.to_string());
        let itself = count(switches.map(|switches| switches.voluntary));
        let by_force = count(switches.map(|switches| switches.involuntary));
        println!("{title:<33}{median:>8.1}{worst:>8.1}{wakes:>12}{itself:>8}{by_force:>10}");
    }
    println!(
        "\nThe kernel takes the CPU away from a thread by force, so polite threads wait\n\
         little. The runtime takes no worker away from a task: with as many greedy tasks as\n\
         there are workers, all others wait until they end, unless they yield. This process\n\
         may use {} hardware threads. A question mark means that this system does not count.",
        hardware_threads()
    );
}
