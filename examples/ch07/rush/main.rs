//! How many clients are answered in time when more come than a server can serve?
//!
//! It starts each of the six ways itself:
//!
//!     cargo run --example rush

// The six share files, which each of them has as its own modules.
#![allow(clippy::duplicate_mod)]

// Each is a program too, with a main of its own.
#[allow(dead_code)]
#[path = "deadline.rs"]
mod deadline;
#[allow(dead_code)]
#[path = "newest.rs"]
mod newest;
#[allow(dead_code)]
#[path = "none.rs"]
mod none;
#[allow(dead_code)]
#[path = "permit.rs"]
mod permit;
#[allow(dead_code)]
#[path = "queue.rs"]
mod queue;
#[allow(dead_code)]
#[path = "refuse.rs"]
mod refuse;

mod clients;
mod descriptors;
// Only how long the backlog is: the ways listen.
#[allow(dead_code)]
mod listen;
mod server;

use std::time::Duration;

use clients::{Client, PATIENCE, Phase, look, offer};
use experiment::{Options, fail, median, print_figures, say_if_debug};
use listen::BACKLOG;
use server::Server;

const USAGE: &str = "\
Usage: rush [OPTIONS]

Starts servers whose database answers 100 queries a second, sends each more clients, and counts
those who are answered within 500 ms of their coming. A load of 2 is twice what the database can
answer.

  --way WAY     none, deadline, queue, permit, refuse or newest
  --load L      so many clients, 0.1 to 5 (default: several)
  --tries N     a client who is refused, or hears nothing for 500 ms, asks again 100 ms later, up to
                N times, 1 to 10 (default 1); in time it is within 500 ms of its coming only
  --backlog N   of the queue and of the permits: so many wait in the kernel, 1 to 1024 (default 16)
  --seconds S   for so long, 0.2 to 60 (default 4); those count who come in the second half
  --after L     then the load falls to L, for three times as long; those count who come in the
                second half of that
  --json        print the figures of one way and one load as JSON
  --quick       half a second, and one load: a try, and no measurement
  -h, --help    print this
";

/// What the database can answer in a second.
const CAPACITY: f64 = 100.0;

/// The loads of the table.
const LOADS: [f64; 4] = [0.5, 1.0, 2.0, 3.0];

/// The share of clients that a server answers in time when it is back, within half a second.
const BACK: f64 = 0.95;

/// How often to look whether the server is back.
const STEP: Duration = Duration::from_millis(500);

/// How a server meets too many clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A task for each, without a bound.
    None,
    /// The same with a deadline for each request.
    Deadline,
    /// A queue with a bound, and a short backlog.
    Queue,
    /// A permit before `accept`, and a short backlog.
    Permit,
    /// 503 for who would wait too long.
    Refuse,
    /// The newest first, and 503 for the oldest.
    Newest,
}

impl Way {
    const ALL: [Way; 6] =
        [Way::None, Way::Deadline, Way::Queue, Way::Permit, Way::Refuse, Way::Newest];

    fn name(self) -> &'static str {
        match self {
            Way::None => "none",
            Way::Deadline => "deadline",
            Way::Queue => "queue",
            Way::Permit => "permit",
            Way::Refuse => "refuse",
            Way::Newest => "newest",
        }
    }
}

/// What is sent to a server.
#[derive(Clone, Copy)]
struct Rush {
    load: f64,
    seconds: f64,
    after: Option<f64>,
    tries: u32,
    backlog: u32,
}

/// What came of it.
struct Figures {
    /// How many were answered in time in a second.
    in_time_per_second: f64,
    /// How many of those who came.
    in_time_percent: f64,
    tries_per_client: f64,
    /// How long the page took that needs no database, in the middle of all looks.
    look_ms: f64,
    /// From the end of the rush; `None` without an end, or if the server was not back at the end.
    back_after_ms: Option<f64>,
}

impl Rush {
    fn phases(self) -> Vec<Phase> {
        let phase = |load: f64, seconds: f64| Phase {
            rate: load * CAPACITY,
            lasts: Duration::from_secs_f64(seconds),
        };
        let mut phases = vec![phase(self.load, self.seconds)];
        phases.extend(self.after.map(|load| phase(load, 3.0 * self.seconds)));
        phases
    }
}

#[tokio::main]
async fn main() {
    if let Some(way) = server::wanted() {
        server::serve(way).await.unwrap_or_else(|error| fail("rush", error));
        return;
    }
    descriptors::allow_all();
    let options =
        Options::from_args(USAGE, &["way", "load", "tries", "seconds", "after", "backlog"]);
    let ways = Way::ALL.map(|way| (way.name(), way));
    let default = if options.quick() { 0.5 } else { 4.0 };
    let rush = Rush {
        load: options.number("load", 0.1..=5.0).unwrap_or(1.0),
        seconds: options.number("seconds", 0.2..=60.0).unwrap_or(default),
        after: options.number("after", 0.1..=5.0),
        tries: options.number("tries", 1..=10).unwrap_or(1),
        backlog: options.number("backlog", 1..=1024).unwrap_or(BACKLOG),
    };
    if options.json() {
        let figures = measure(options.required_choice("way", &ways), rush).await;
        print_figures(&[
            ("in_time_per_second", Some(figures.in_time_per_second)),
            ("in_time_percent", Some(figures.in_time_percent)),
            ("tries_per_client", Some(figures.tries_per_client)),
            ("look_ms", Some(figures.look_ms)),
            ("back_after_ms", figures.back_after_ms),
        ]);
        return;
    }
    println!("How many clients are answered in time when more come than a server can serve?\n");
    say_if_debug();
    println!("way       load   came/s   in time/s   in time   tries   look at /   back after");
    let chosen = options.choice("way", &ways);
    let loads = match options.number("load", 0.1..=5.0) {
        Some(load) => vec![load],
        None if options.quick() => vec![3.0],
        None => LOADS.to_vec(),
    };
    for way in Way::ALL.into_iter().filter(|way| chosen.is_none_or(|chosen| chosen == *way)) {
        for load in &loads {
            let figures = measure(way, Rush { load: *load, ..rush }).await;
            let back = match (rush.after, figures.back_after_ms) {
                (None, _) => String::new(),
                (Some(_), None) => "not at all".to_owned(),
                (Some(_), Some(ms)) => format!("{ms:.0} ms"),
            };
            let counted = rush.after.unwrap_or(*load) * CAPACITY;
            println!(
                "{:<8} {load:>5} {counted:>8} {:>11.0} {:>7.0} % {:>7.1} {:>8.1} ms   {back}",
                way.name(),
                figures.in_time_per_second,
                figures.in_time_percent,
                figures.tries_per_client,
                figures.look_ms,
            );
        }
    }
}

/// Starts a server, sends it the clients, and counts.
async fn measure(way: Way, rush: Rush) -> Figures {
    let mut server = Server::start(way, rush.backlog).unwrap_or_else(|error| fail("rush", error));
    let phases = rush.phases();
    let mut looks = Vec::new();
    let clients = tokio::select! {
        clients = offer(server.address, &phases, rush.tries) => clients,
        () = look(server.address, &mut looks) => unreachable!("it never ends"),
    };
    if !server.is_running() {
        fail("rush", format_args!("{} has ended: it may open too few descriptors", way.name()));
    }
    figures(&phases, &clients, &looks)
}

/// What these clients and looks say of the last phase.
fn figures(phases: &[Phase], clients: &[Client], looks: &[(Duration, Duration)]) -> Figures {
    let last = phases.last().expect("there is a first");
    let end: Duration = phases.iter().map(|phase| phase.lasts).sum();
    let from = end - last.lasts / 2;
    let counted: Vec<&Client> = clients.iter().filter(|client| client.came >= from).collect();
    let share = |of: &[&Client]| {
        of.iter().filter(|client| client.is_in_time()).count() as f64 / of.len().max(1) as f64
    };
    let tries: u32 = counted.iter().map(|client| client.tries).sum();
    let look_ms = |(at, took): &(Duration, Duration)| {
        (*at >= from && *at < end).then_some(took.as_secs_f64() * 1000.0)
    };
    let mut looks: Vec<f64> = looks.iter().filter_map(look_ms).collect();
    if looks.is_empty() {
        looks.push(PATIENCE.as_secs_f64() * 1000.0);
    }
    // The rush ends with the phase before the last.
    let rushed = end - last.lasts;
    let is_back = |step: &u32| {
        let [begin, end] = [*step, step + 1].map(|step| rushed + STEP * step);
        let of: Vec<&Client> =
            clients.iter().filter(|it| it.came >= begin && it.came < end).collect();
        share(&of) >= BACK
    };
    let steps = (last.lasts.as_millis() / STEP.as_millis()) as u32;
    let back = (phases.len() > 1).then(|| (0..steps).find(is_back)).flatten();
    // By when they were answered: those who try again after the end find nobody before them.
    let in_time = clients.iter().filter(|client| client.is_in_time());
    let answered = in_time.filter_map(|client| client.answered);
    let answered = answered.filter(|at| (from..end).contains(at)).count();
    Figures {
        in_time_per_second: answered as f64 / (end - from).as_secs_f64(),
        in_time_percent: share(&counted) * 100.0,
        tries_per_client: f64::from(tries) / counted.len().max(1) as f64,
        look_ms: median(&mut looks),
        back_after_ms: back.map(|step| (STEP * step).as_secs_f64() * 1000.0),
    }
}
