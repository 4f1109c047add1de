//! What does it cost to switch to another thread, or another task? A byte is handed round a ring.
//!
//! Run it, with `--release` for figures, as you read the page "Threads and tasks on your own machine":
//!
//!     cargo run --example cost_of_switching

mod plan;
#[cfg_attr(not(unix), path = "no_sockets.rs")]
mod sockets;
mod tasks;
mod threads;

use experiment::{Options, Switches, cpus, fail, median, pins, print_figures, say_if_debug};
use plan::{Laps, Plan};

const USAGE: &str = "\
Usage: cost_of_switching [OPTIONS]

Hands a byte round a ring of threads and of tasks, through sockets and through channels,
on one hardware thread and on all, and prints what one hand-over costs.

  --members N               how many are in the ring, 2 to 5000 (default 50)
  --laps N                  how often the byte goes round, 1 to 1000000 (default 400)
  --json                    measure one ring, and print it as JSON; it is chosen by
  --ring threads-channel|threads-io|tasks-channel|tasks-io
  --on one|all              hardware threads
  --quick                   as short as possible: a try, and no measurement
  -h, --help                print this
";

type Ring = fn(Plan) -> Laps;

const RINGS: [(&str, Ring); 4] = [
    ("threads-channel", threads::ring),
    ("threads-io", sockets::threads),
    ("tasks-channel", tasks::ring),
    ("tasks-io", sockets::tasks),
];

/// What jimblandy/context-switch found: microseconds from one to the next, in a ring of 500.
const PUBLISHED: [(&str, &str, &str); 4] = [
    ("threads-channel", "-", "-"),
    ("threads-io", "3.4", "5.3"),
    ("tasks-channel", "-", "0.2"),
    ("tasks-io", "-", "3.6"),
];

/// What one hand-over cost: microseconds, and how often the kernel changed threads for it.
fn measure(ring: Ring, plan: Plan) -> std::io::Result<(f64, Option<f64>)> {
    if plan.cpu.is_some() && !pins() {
        return Err(std::io::Error::other("(this system pins no threads)"));
    }
    let before = Switches::of_this_process();
    let laps = ring(plan)?;
    let after = Switches::of_this_process();
    let hops = plan.members as f64;
    let all = laps.len() as f64 * hops;
    let switches = before.zip(after).map(|(before, after)| after.since(before));
    let switches = switches.map(|since| (since.voluntary + since.involuntary) as f64 / all);
    let mut laps: Vec<f64> = laps.iter().map(|lap| lap.as_secs_f64() * 1e6 / hops).collect();
    Ok((median(&mut laps), switches))
}

fn first_cpu() -> usize {
    cpus().first().copied().unwrap_or(0)
}

fn main() {
    let options = Options::from_args(USAGE, &["members", "laps", "ring", "on"]);
    let (members, laps) = if options.quick() { (4, 4) } else { (50, 400) };
    let members = options.number("members", 2..=5000).unwrap_or(members);
    let laps = options.number("laps", 1..=1_000_000).unwrap_or(laps);
    let places = [("one", true), ("all", false)];
    let plan = |pinned: bool| Plan { members, laps, cpu: pinned.then(first_cpu) };
    if options.json() {
        let ring = options.required_choice("ring", &RINGS);
        let measured = measure(ring, plan(options.required_choice("on", &places)));
        let (us, switches) = measured.unwrap_or_else(|error| fail("cost_of_switching", error));
        return print_figures(&[("switch_us", Some(us)), ("kernel_switches_per_hop", switches)]);
    }
    println!("What does it cost to go on with the next one? A byte goes round a ring. For each");
    println!("hand-over, microseconds and how often the kernel changed threads:\n");
    println!("                   on one hardware thread            on all of them");
    println!("ring              us  published  switches       us  published  switches");
    for ((name, ring), (_, pinned, free)) in RINGS.iter().zip(PUBLISHED) {
        let mut row = format!("{name:<15}");
        for ((_, pinned), published) in places.iter().zip([pinned, free]) {
            let ring = *ring;
            let plan = plan(*pinned);
            // In its own thread, which takes its place with it when it ends.
            let run = std::thread::spawn(move || measure(ring, plan));
            row += &match run.join().expect("it does not panic") {
                Ok((us, Some(switches))) => format!("{us:>7.2}{published:>11}{switches:>10.2}"),
                Ok((us, None)) => format!("{us:>7.2}{published:>11}{:>10}", "?"),
                Err(error) => format!("  {error}"),
            };
        }
        println!("{row}");
    }
    println!("\nThrough a channel a task is far cheaper: no kernel is needed. Through I/O on one");
    println!("hardware thread it hardly is: the kernel must be asked for each byte. On all of");
    println!("them a thread may have to be woken elsewhere, which costs more than the switch.");
    println!("Published: github.com/jimblandy/context-switch, a ring of 500, another machine.");
    say_if_debug();
}
