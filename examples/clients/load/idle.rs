//! Connections that are there and say almost nothing.

use std::{convert::Infallible, time::Duration};

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::client::Client;

/// How long such a connection is silent. Our servers end one that is silent for five seconds.
const SILENCE: Duration = Duration::from_secs(4);

/// How many of them may be new and without an answer. Many more would overflow the server's backlog,
/// and then they would be timed to the kernel's second try, a second later.
static OPENING: Semaphore = Semaphore::const_new(128);

/// The connections that are idle while others ask.
pub struct Idle(JoinSet<bool>);

impl Idle {
    /// Opens them, each in its own task, until each has had an answer: so the server has
    /// accepted it. They stay until `over`.
    pub async fn open(clients: Vec<Client>, limit: Duration, over: &CancellationToken) -> Idle {
        let mut tasks = JoinSet::new();
        let (opening, mut all_opened) = mpsc::channel(1);
        for client in clients {
            tasks.spawn(stay(client, limit, over.clone(), opening.clone()));
        }
        drop(opening);
        // No task sends: the channel ends when the last of the tasks has dropped its sender.
        all_opened.recv().await;
        Idle(tasks)
    }

    /// How many of them have no connection any more. Waits until all tasks have ended.
    pub async fn lost(self) -> usize {
        let stayed = self.0.join_all().await;
        stayed.into_iter().filter(|stayed| !stayed).count()
    }
}

/// One of them: asks once, then is silent. Returns whether its connection is still there at the end.
async fn stay(
    mut client: Client,
    limit: Duration,
    over: CancellationToken,
    opening: mpsc::Sender<Infallible>,
) -> bool {
    let permit = OPENING.acquire().await.expect("nobody closes it");
    if !matches!(timeout(limit, client.get()).await, Ok(Ok(_status))) {
        return false;
    }
    drop((permit, opening));
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
