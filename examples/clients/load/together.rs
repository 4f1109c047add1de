//! All clients at once: the connections are there first, and then each asks once, at the same moment.

use std::{io, sync::Arc, time::Duration};

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use crate::{
    client::{self, Client, Failure},
    descriptors,
    options::Options,
    report::{Opening, Report, Seen},
    schedule::Schedule,
    tally::{Outcome, Tallies},
};

/// How long after another a client comes: 5,000 in a second, which a server that accepts them at all can keep up with.
const APART: Duration = Duration::from_micros(200);

/// How long all are silent before they ask: the server accepts the last of them, and whoever watches sees it hold them all.
const CALM: Duration = Duration::from_millis(500);

/// Opens the connections for at most `limit`, and lets each ask once. Who isn't connected by then is turned away; who has
/// no answer when the time limit of a request is over is counted as timed out.
///
/// # Errors
/// In words, if nobody listens, or so many connections may not be open.
pub async fn measure(options: &Options, limit: Duration) -> Result<Report<'_>, String> {
    descriptors::allow(options.connections)?;
    let opening = Instant::now();
    let (clients, _idle) = client::open(options).await?;
    let clients = connected(clients, opening + limit).await;
    let opened_in = opening.elapsed();
    let turned_away = options.connections - clients.len();
    sleep(CALM).await;

    let schedule = Schedule::start(None, options.timeout);
    let tallies = Arc::new(Tallies::new(None));
    let moment = Instant::now();
    let mut tasks = JoinSet::new();
    for (number, client) in clients.into_iter().enumerate() {
        let tallies = Arc::clone(&tallies);
        tasks.spawn(ask(client, number, moment, options.timeout, tallies));
    }
    tasks.join_all().await;
    schedule.stop();

    let by_neighbour = Tallies::new(None).sum();
    let seen = Seen { by_clients: tallies.sum(), by_neighbour };
    let opening = Opening { opened_in, idle_lost: 0, turned_away };
    Ok(Report::new(options, &schedule, seen, opening, false))
}

/// The clients that are connected by then.
///
/// However many wait for theirs, the next one comes. What finds the backlog full is dropped by the kernel, which tries again
/// each second.
async fn connected(clients: Vec<Client>, by: Instant) -> Vec<Client> {
    let mut opening = JoinSet::new();
    let mut comes = Instant::now();
    for mut client in clients {
        comes += APART;
        opening.spawn(async move {
            sleep_until(comes).await;
            let is_connected = matches!(timeout_at(by, client.connect()).await, Ok(Ok(())));
            is_connected.then_some(client)
        });
    }
    opening.join_all().await.into_iter().flatten().collect()
}

/// Asks once, and counts what comes of it, with the time since the moment that all have in common.
async fn ask(
    mut client: Client,
    number: usize,
    moment: Instant,
    limit: Duration,
    tallies: Arc<Tallies>,
) {
    // A connection that the server has ended meanwhile is no other one's to replace.
    let outcome = if client.is_connected() {
        match timeout_at(moment + limit, client.get()).await {
            Ok(Ok(status)) => Outcome::Answered { status, late: false },
            Ok(Err(failure)) => Outcome::Failed(failure),
            Err(_elapsed) => Outcome::TimedOut,
        }
    } else {
        Outcome::Failed(Failure::Read(io::ErrorKind::ConnectionAborted.into()))
    };
    let waited = moment.elapsed();
    tallies.of(number).add(outcome, waited, client.take_counts());
}
