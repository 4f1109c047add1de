//! Do twice as many threads do twice as much? They compute as `/work` does, and wait as `/sleep` does.
//! Then the same with tasks.
//!
//! Run it as you read the page "Threads and tasks on your own machine":
//!
//!     cargo run --example compute_or_wait

mod burst;
mod models;

use std::time::{Duration, Instant};

use experiment::{Options, hardware_threads, print_figures, thousands};
use models::{Work, tasks, threads};

const USAGE: &str = "\
Usage: compute_or_wait [OPTIONS]

Lets 1, 2, 4 ... 64 threads, and as many tasks, compute and wait, and prints how much they do in a second.

  --seconds S                 how long each of them is at it, 0.01 to 60 (default 0.5)
  --json                      measure one of them, and print it as JSON; it is chosen by
  --model threads|tasks
  --work compute|wait|mixed   mixed: wait 20 ms, then compute for 2 ms, again and again
  --count N                   1 to 10000 (default 1)
  --quick                     as short as possible: a try, and no measurement
  -h, --help                  print this
";

type Model = fn(usize, Work, Duration) -> Vec<usize>;
const MODELS: [(&str, Model); 2] = [("threads", threads), ("tasks", tasks)];
const WORKS: [(&str, Work); 3] =
    [("compute", Work::Compute), ("wait", Work::Wait), ("mixed", Work::Mixed)];

fn main() {
    let options = Options::from_args(USAGE, &["seconds", "model", "work", "count"]);
    let default = if options.quick() { 0.01 } else { 0.5 };
    let time = Duration::from_secs_f64(options.number("seconds", 0.01..=60.0).unwrap_or(default));
    let per_second = |model: Model, work, count| {
        let start = Instant::now();
        let done = model(count, work, time);
        (done.iter().sum::<usize>() as f64 / start.elapsed().as_secs_f64(), done)
    };
    if options.json() {
        let model = options.required_choice("model", &MODELS);
        let work = options.required_choice("work", &WORKS);
        let (rate, done) = per_second(model, work, options.number("count", 1..=10000).unwrap_or(1));
        let of_one = |done: Option<&usize>| done.map(|done| *done as f64);
        let fewest = of_one(done.iter().min());
        let most = of_one(done.iter().max());
        print_figures(&[("rounds_per_second", Some(rate)), ("fewest", fewest), ("most", most)]);
        return;
    }
    println!("Do twice as many do twice as much? Requests' worth of work, done in a second:\n");
    println!("             computing (/work)         waiting (/sleep)");
    println!("how many    threads       tasks       threads       tasks");
    for count in [1, 2, 4, 8, 16, 32, 64] {
        let works = [Work::Compute, Work::Wait].into_iter();
        let rates = works.flat_map(|work| MODELS.map(|(_, model)| (model, work)));
        let cells = rates.map(|(model, work)| thousands(per_second(model, work, count).0));
        println!("{count:>8}{}", cells.map(|cell| format!("{cell:>12}")).collect::<String>());
    }
    println!(
        "\nRead each column downwards. Waiting needs no CPU, so each thread or task adds\n\
         1 / 0.1 s = 10. Computing needs a CPU, and this process may use {} at the same\n\
         time: from there on, more threads or tasks add nothing.",
        hardware_threads()
    );
}
