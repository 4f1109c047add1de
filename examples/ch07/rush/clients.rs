//! Clients in an open loop: each comes when it is due, whatever becomes of those before it.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How soon after its coming a client must be answered. It also drops each try that has taken so long.
pub const PATIENCE: Duration = Duration::from_millis(500);

/// How long a client waits before it tries again.
const PAUSE: Duration = Duration::from_millis(100);

/// How often somebody looks whether the server is there.
const LOOKS: Duration = Duration::from_millis(100);

// ANCHOR: clients
/// A time in which clients come at one rate.
#[derive(Clone, Copy)]
pub struct Phase {
    /// How many come in a second.
    pub rate: f64,
    pub lasts: Duration,
}

/// What a client has to tell.
pub struct Client {
    /// When it came, since the first.
    pub came: Duration,
    /// How often it asked.
    pub tries: u32,
    /// When a 200 answered one of its tries, since the first client came.
    pub answered: Option<Duration>,
}

impl Client {
    /// Whether it was answered within its patience. The clock starts when it comes, and never again: an answer to
    /// a later try is in time only if the first was refused quickly.
    pub fn is_in_time(&self) -> bool {
        self.answered.is_some_and(|answered| answered.saturating_sub(self.came) <= PATIENCE)
    }
}

/// Lets clients come, and waits until the last of them has its answer or has given up.
pub async fn offer(address: SocketAddr, phases: &[Phase], tries: u32) -> Vec<Client> {
    let start = Instant::now();
    let mut clients = JoinSet::new();
    let mut due = Duration::ZERO;
    let mut end = Duration::ZERO;
    for phase in phases {
        end += phase.lasts;
        while due < end {
            sleep_until(start + due).await;
            clients.spawn(client(address, start, due, tries));
            due += Duration::from_secs_f64(1.0 / phase.rate);
        }
    }
    clients.join_all().await
}

/// One client: it asks until it is answered, or has asked often enough.
async fn client(address: SocketAddr, start: Instant, came: Duration, most: u32) -> Client {
    for tries in 1..=most {
        // A try that takes too long is dropped, and its connection with it: for the server the client is gone.
        if let Ok(Ok(200)) = timeout(PATIENCE, ask(address, "/query")).await {
            return Client { came, tries, answered: Some(start.elapsed()) };
        }
        sleep(PAUSE).await;
    }
    Client { came, tries: most, answered: None }
}
// ANCHOR_END: clients

/// Looks for the page that needs no database, again and again, and notes when and how long that took.
pub async fn look(address: SocketAddr, looks: &mut Vec<(Duration, Duration)>) {
    let start = Instant::now();
    for number in 0.. {
        sleep_until(start + LOOKS * number).await;
        let asked = Instant::now();
        let answered = timeout(PATIENCE, ask(address, "/")).await;
        let took = if matches!(answered, Ok(Ok(200))) { asked.elapsed() } else { PATIENCE };
        looks.push((asked - start, took));
    }
}

/// Asks for a page: the status of the answer.
async fn ask(address: SocketAddr, path: &str) -> io::Result<u16> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: rush\r\n\r\n").as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let status = answer.strip_prefix(b"HTTP/1.1 ").and_then(|rest| rest.get(..3));
    let status = status.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
    status.ok_or_else(|| io::Error::other("no answer"))
}
