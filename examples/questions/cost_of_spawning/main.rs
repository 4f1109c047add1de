//! What does one more thread cost, and one more task: time to make it, memory to keep it?
//!
//! Run it, with `--release` for figures, as you read the page "Threads and tasks on your own machine":
//!
//!     cargo run --example cost_of_spawning

mod memory;
mod tasks;
mod threads;

use std::{env, process::Command};

use experiment::{Options, fail, median, print_figures, say_if_debug};
use serde_json::Value;

const USAGE: &str = "\
Usage: cost_of_spawning [OPTIONS]

Makes threads and tasks that wait, and prints what one of them costs.

  --few N                 memory is compared between so many ... (default 1000)
  --many N                ... and so many of them, at most 1000000 (default 10000)
  --json                  measure one kind, and print it as JSON; it is chosen by
  --kind thread|task
  --quick                 as short as possible: a try, and no measurement
  -h, --help              print this
";

/// How many are made and ended for each time, and how often.
const MADE: usize = 1000;
const PASSES: usize = 9;

const KINDS: [(&str, bool); 2] = [("thread", true), ("task", false)];

fn main() {
    let options = Options::from_args(USAGE, &["few", "many", "kind"]);
    let (few, many, made) = if options.quick() { (10, 100, 10) } else { (1000, 10000, MADE) };
    let few = options.number("few", 1..=1_000_000).unwrap_or(few);
    let many = options.number("many", 2..=1_000_000).unwrap_or(many);
    if few >= many {
        fail("cost_of_spawning", format!("--few {few} must be less than --many {many}"));
    }
    if options.json() {
        let is_thread = options.required_choice("kind", &KINDS);
        let spawn = if is_thread { threads::spawn_and_join } else { tasks::spawn_and_join };
        let mut passes: Vec<f64> = (0..PASSES).map(|_| spawn(made)).collect();
        let mut figures = vec![("spawn_us", Some(median(&mut passes)))];
        figures.extend(match is_thread {
            true => memory::of_one(&mut threads::Threads::default(), few, many),
            false => memory::of_one(&mut tasks::Tasks::default(), few, many),
        });
        return print_figures(&figures);
    }
    println!("What does one more cost? Time to make it, let it run and end it; and memory,");
    println!("while it waits.\n");
    println!("          microseconds      KiB of memory    KiB of kernel stack");
    println!("          here  published    here  published    here  published      made");
    let published = [["17", "9.5", "10"], ["0.3", "0.4", "-"]];
    for ((kind, _), [time, memory, stack]) in KINDS.iter().zip(published) {
        let figures = &in_its_own_process(kind, few, many, options.quick())["figures"];
        let cell = |name: &str, digits: usize| match figures[name].as_f64() {
            Some(value) => format!("{value:.digits$}"),
            None => "?".to_owned(),
        };
        let us = cell("spawn_us", 2);
        let kib = cell("memory_kib", 2);
        let kernel = cell("kernel_stack_kib", 2);
        let made = cell("made", 0);
        let row = format!("{kind:<6}{us:>8}{time:>11}{kib:>8}{memory:>11}");
        println!("{row}{kernel:>8}{stack:>11}{made:>10}");
    }
    println!(
        "\nThe memory is the slope from {few} to {many} of them. A question mark means that\n\
         this system does not tell. Kernel stacks are counted for the whole machine, so other\n\
         programs that start and end threads disturb them.\n\
         Published: github.com/jimblandy/context-switch, which gives all of these as 'about',\n\
         without saying whether its times contain the end."
    );
    say_if_debug();
}

/// One kind, measured by this same program in a new process, so that neither takes the other's memory.
fn in_its_own_process(kind: &str, few: usize, many: usize, quick: bool) -> Value {
    let program = env::current_exe().unwrap_or_else(|error| fail("cost_of_spawning", error));
    let mut command = Command::new(program);
    command.args([
        "--json",
        "--kind",
        kind,
        "--few",
        &few.to_string(),
        "--many",
        &many.to_string(),
    ]);
    command.args(quick.then_some("--quick")).stderr(std::process::Stdio::inherit());
    let output = command.output().unwrap_or_else(|error| fail("cost_of_spawning", error));
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}
