//! The load generator: many clients at the same time, in a closed or an open loop.
//!
//! Start one of the servers, then run this in another terminal:
//!
//!     cargo run --example load -- --help
//!     cargo run --release --example load -- http://127.0.0.1:8080/sleep
//!     cargo run --release --example load -- --rate 200 http://127.0.0.1:8080/sleep

mod arrivals;
mod client;
mod connect;
mod descriptors;
mod drive;
mod idle;
mod options;
mod report;
mod response;
mod schedule;
mod tally;
mod target;
mod together;

use std::{
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use drive::drive;
use idle::Idle;
use options::Options;
use report::{Opening, Report, Seen};
use schedule::Schedule;
use tally::Tallies;
use tokio::time::{sleep_until, timeout};
use tokio::{select, signal::ctrl_c};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long requests in flight at the end may still take.
const GRACE: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::from_args();
    let outcome = match options.together {
        Some(limit) => together::measure(&options, limit).await,
        None => measure(&options).await,
    };
    match outcome {
        Ok(report) => {
            report.print(options.json);
            // 130 is what a shell shows for a program that Ctrl-C has ended.
            if report.interrupted { ExitCode::from(130) } else { ExitCode::SUCCESS }
        }
        Err(complaint) => {
            eprintln!("load: {complaint}");
            ExitCode::FAILURE
        }
    }
}

// ANCHOR: measure
/// Lets all clients work until the time is over or Ctrl-C comes, and adds up what they have seen.
async fn measure(options: &Options) -> Result<Report<'_>, String> {
    descriptors::allow(options.connections + options.idle)?;
    let opening = Instant::now();
    let (clients, idle) = client::open(options).await?;
    let neighbour = options.neighbour.as_ref().map(|path| clients[0].neighbour(options, path));
    let tasks = TaskTracker::new();
    let over = CancellationToken::new();
    let idle = Idle::open(idle, options.timeout, &over).await;
    let opened_in = opening.elapsed();
    let schedule = Schedule::start(options.moments(), options.duration);
    let tallies = Arc::new(Tallies::new(options.in_time));
    // The neighbour has a schedule of its own, whatever the others do.
    let neighbour_schedule = Schedule::start(options.neighbour_moments(), options.duration);
    let apart = Arc::new(Tallies::new(options.in_time));

    let run = async {
        for (number, client) in clients.into_iter().enumerate() {
            let schedule = Arc::clone(&schedule);
            let tallies = Arc::clone(&tallies);
            tasks.spawn(drive(client, number, options.timeout, schedule, tallies, over.clone()));
        }
        if let Some(client) = neighbour {
            let schedule = Arc::clone(&neighbour_schedule);
            let tallies = Arc::clone(&apart);
            tasks.spawn(drive(client, 0, options.timeout, schedule, tallies, over.clone()));
        }
        sleep_until(schedule.end().into()).await;
    };
    let interrupted = select! {
        // In this order, so that Ctrl-C is caught before the first request leaves.
        biased;
        Ok(()) = ctrl_c() => true,
        () = run => false,
    };

    schedule.stop();
    neighbour_schedule.stop();
    tasks.close();
    if !interrupted {
        let _ = timeout(GRACE, tasks.wait()).await;
    }
    over.cancel();
    tasks.wait().await;
    let idle_lost = idle.lost().await;
    let mut by_neighbour = apart.sum();
    for age in neighbour_schedule.never_sent() {
        by_neighbour.add_latency(age);
    }
    let seen = Seen { by_clients: tallies.sum(), by_neighbour };
    Ok(Report::new(
        options,
        &schedule,
        seen,
        Opening { opened_in, idle_lost, turned_away: 0 },
        interrupted,
    ))
}
// ANCHOR_END: measure
