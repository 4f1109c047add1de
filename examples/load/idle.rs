//! Connections that are there and say next to nothing.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::client::Client;

/// How long such a connection is silent. Our servers end one that is silent for five seconds.
const SILENCE: Duration = Duration::from_secs(4);

/// The connections that are idle while others ask.
pub struct Idle(JoinSet<bool>);

impl Idle {
    /// Keeps them until `over`, each in a task that sleeps.
    pub fn hold(clients: Vec<Client>, limit: Duration, over: &CancellationToken) -> Idle {
        let mut tasks = JoinSet::new();
        for client in clients {
            tasks.spawn(stay(client, limit, over.clone()));
        }
        Idle(tasks)
    }

    /// How many of them have no connection any more. Waits until all tasks have ended.
    pub async fn lost(self) -> usize {
        let stayed = self.0.join_all().await;
        stayed.into_iter().filter(|stayed| !stayed).count()
    }
}

/// One of them. Returns whether its connection is still there at the end.
async fn stay(mut client: Client, limit: Duration, over: CancellationToken) -> bool {
    while over.run_until_cancelled(sleep(SILENCE)).await.is_some() {
        // A new connection would hide that the old one is lost.
        if !client.is_connected() {
            return false;
        }
        match over.run_until_cancelled(timeout(limit, client.get())).await {
            Some(Ok(Ok(_status))) => {}
            Some(_failed) => return false,
            // In the middle of an answer, so it was there.
            None => return true,
        }
    }
    client.is_connected()
}
