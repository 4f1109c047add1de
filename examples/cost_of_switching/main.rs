//! What does it cost to go on with another thread, or another task? A byte is handed round a ring.
//!
//! Run it beside the page "Threads and tasks on your machine":
//!
//!     cargo run --release --example cost_of_switching

#[cfg_attr(not(unix), path = "no_sockets.rs")]
mod sockets;
mod tasks;
mod threads;

use std::time::Duration;

use experiment::{Options, Switches, cpus, fail, median, pin_this_thread, print_figures, say};

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

/// How large a ring is, how often the byte goes round, and where.
#[derive(Clone, Copy)]
struct Plan {
    members: usize,
    laps: usize,
    cpu: Option<usize>,
}

impl Plan {
    /// What each thread of the experiment does first.
    fn settle(self) {
        if let Some(cpu) = self.cpu
            && !pin_this_thread(cpu)
        {
            fail(
                "cost_of_switching",
                "this system keeps no thread on one hardware thread; try --on all",
            );
        }
    }
}

/// How long each lap took, or what the system refused.
type Laps = std::io::Result<Vec<Duration>>;
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
    ("tasks-channel", "about 0.2", "about 0.2"),
    ("tasks-io", "-", "3.6"),
];

/// What one hand-over cost: microseconds, and how often the kernel changed threads for it.
fn measure(ring: Ring, plan: Plan) -> std::io::Result<(f64, Option<f64>)> {
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

fn main() {
    let options = Options::from_args(USAGE, &["members", "laps", "ring", "on"]);
    let (members, laps) = if options.quick() { (4, 4) } else { (50, 400) };
    let members = options.number("members", 2..=5000).unwrap_or(members);
    let laps = options.number("laps", 1..=1_000_000).unwrap_or(laps);
    let places = [("one", cpus().first().copied()), ("all", None)];
    if options.json() {
        let (ring, cpu) =
            (options.required_choice("ring", &RINGS), options.required_choice("on", &places));
        let measured = measure(ring, Plan { members, laps, cpu });
        let (us, switches) = measured.unwrap_or_else(|error| fail("cost_of_switching", error));
        return print_figures(&[("switch_us", Some(us)), ("kernel_switches_per_hop", switches)]);
    }
    say(
        "What does it cost to go on with the next one? A byte goes round a ring; for one hand-over:\n",
    );
    say("                     on one hardware thread                on all of them");
    say("ring               us  published  kernel switches     us  published  kernel switches");
    for ((name, ring), (_, pinned, free)) in RINGS.iter().zip(PUBLISHED) {
        let mut row = format!("{name:<15}");
        for ((_, cpu), published) in places.iter().zip([pinned, free]) {
            // Each in a thread of its own, which takes its place with it when it ends.
            let plan = Plan { members, laps, cpu: *cpu };
            let (ring, run) = (*ring, std::thread::spawn);
            row += &match run(move || measure(ring, plan)).join().expect("it does not panic") {
                Ok((us, Some(switches))) => format!("{us:>6.2}{published:>11}{switches:>17.2}"),
                Ok((us, None)) => format!("{us:>6.2}{published:>11}{:>17}", "?"),
                Err(error) => format!("  {error}"),
            };
        }
        say(row);
    }
    say(
        "\nCompare threads and tasks: far apart through a channel, near each other through I/O, because the kernel",
    );
    say(
        "has to be asked for every byte, whoever waits for it. Published: github.com/jimblandy/context-switch",
    );
}
