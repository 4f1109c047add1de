//! The newest client first, and 503 for the oldest: `cargo run --example rush_newest`
mod database;

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use database::{Database, Page, SLOTS, answer, request};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// How many clients may wait for the database.
const WAITING: usize = 20;

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    let port = std::env::args().nth(2).map_or(8080, |port| port.parse().expect("a port"));
    serve(port).await
}
// ANCHOR_END: main

// ANCHOR: serve
/// Serves clients until the listener fails.
pub async fn serve(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/", listener.local_addr()?);
    let database = Arc::new(Database::new());
    let turns = Arc::new(Turns::new());
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(handle(stream, Arc::clone(&database), Arc::clone(&turns)));
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
async fn handle(
    mut stream: TcpStream,
    database: Arc<Database>,
    turns: Arc<Turns>,
) -> io::Result<()> {
    if request(&mut stream).await? == Page::Query {
        let Some(turn) = turns.take().await else {
            return answer(&mut stream, "503 Service Unavailable").await;
        };
        database.query().await;
        drop(turn);
    }
    answer(&mut stream, "200 OK").await
}
// ANCHOR_END: handle

// ANCHOR: turns
/// Who may ask the database: the last to come is the first to be let in.
struct Turns {
    state: Mutex<State>,
}

struct State {
    free: usize,
    /// The oldest in front.
    waiting: VecDeque<oneshot::Sender<()>>,
}

/// A turn, which is handed on when it is dropped, also when its task panics.
struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.give();
    }
}

impl Turns {
    fn new() -> Turns {
        Turns { state: Mutex::new(State { free: SLOTS, waiting: VecDeque::new() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the lock")
    }

    /// Waits for a turn; `None` when so many newer clients have come that there will be none.
    async fn take(&self) -> Option<Turn<'_>> {
        let (sender, turn) = oneshot::channel();
        {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                return Some(Turn(self));
            }
            if state.waiting.len() == WAITING {
                // The oldest. Its receiver learns that the sender is gone.
                state.waiting.pop_front();
            }
            state.waiting.push_back(sender);
        }
        turn.await.ok().map(|()| Turn(self))
    }

    /// Hands the turn to the newest that still waits.
    fn give(&self) {
        let mut state = self.state();
        while let Some(newest) = state.waiting.pop_back() {
            if newest.send(()).is_ok() {
                return;
            }
        }
        state.free += 1;
    }
}
// ANCHOR_END: turns
