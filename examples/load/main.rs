//! The load generator: many clients at once, in a closed or an open loop.
//!
//! Start one of the servers, then run this beside it in another terminal:
//!
//!     cargo run --example load -- --help
//!     cargo run --release --example load -- http://127.0.0.1:8080/sleep
//!     cargo run --release --example load -- --rate 200 http://127.0.0.1:8080/sleep

mod client;
mod connect;
mod descriptors;
mod idle;
mod options;
mod report;
mod response;
mod schedule;
mod tally;
mod target;

use std::{
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use client::Client;
use idle::Idle;
use options::{Options, complain};
use report::{Opening, Report};
use schedule::Schedule;
use tally::{Outcome, Tallies};
use tokio::time::{sleep_until, timeout};
use tokio::{select, signal::ctrl_c};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long what is in flight at the end may still take.
const GRACE: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::from_args();
    match measure(&options).await {
        Ok(report) => {
            report.print(options.json);
            // 130 is what a shell shows for a program that Ctrl-C has ended.
            if report.interrupted { ExitCode::from(130) } else { ExitCode::SUCCESS }
        }
        Err(complaint) => {
            complain(&complaint);
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
    let (tasks, over) = (TaskTracker::new(), CancellationToken::new());
    let idle = Idle::open(idle, options.timeout, &over).await;
    let opened_in = opening.elapsed();
    let schedule = Schedule::start(options.rate, options.duration);
    let tallies = Arc::new(Tallies::new());

    let run = async {
        for (number, client) in clients.into_iter().enumerate() {
            let (schedule, tallies) = (Arc::clone(&schedule), Arc::clone(&tallies));
            tasks.spawn(drive(client, number, options.timeout, schedule, tallies, over.clone()));
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
    tasks.close();
    if !interrupted {
        let _ = timeout(GRACE, tasks.wait()).await;
    }
    over.cancel();
    tasks.wait().await;
    let idle_lost = idle.lost().await;
    let tally = tallies.sum();
    Ok(Report::new(options, &schedule, tally, Opening { opened_in, idle_lost }, interrupted))
}
// ANCHOR_END: measure

// ANCHOR: drive
/// One client: sends a request when one is due, and looks for the next when this one is answered.
async fn drive(
    mut client: Client,
    number: usize,
    limit: Duration,
    schedule: Arc<Schedule>,
    tallies: Arc<Tallies>,
    over: CancellationToken,
) {
    while let Some(due) = schedule.next().await {
        let answer = timeout(limit, client.get());
        let outcome = match over.run_until_cancelled(answer).await {
            Some(Ok(Ok(status))) => Outcome::Answered { status, late: schedule.is_stopped() },
            Some(Ok(Err(failure))) => Outcome::Failed(failure),
            Some(Err(_elapsed)) => Outcome::TimedOut,
            None => Outcome::Unanswered,
        };
        // From when the request was due, not from when it was sent.
        let waited = due.elapsed();
        tallies.of(number).add(outcome, waited, client.take_counts());
    }
    tallies.of(number).counts += client.take_counts();
}
// ANCHOR_END: drive
