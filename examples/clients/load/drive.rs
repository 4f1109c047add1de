//! The life of a client.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::{
    client::Client,
    schedule::Schedule,
    tally::{Outcome, Tallies},
};

// ANCHOR: drive
/// One client: sends a request when one is due, then looks for the next when this one is answered.
pub async fn drive(
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
