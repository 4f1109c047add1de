//! A relay that keeps its connections to the servers behind it: `cargo run --example pooling_relay`
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use behind_a_proxy::{Connection, Message};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// How long a client may be silent, and how long the servers have for an answer.
const PATIENCE: Duration = Duration::from_secs(75);

/// How long a server has to accept a connection.
const CONNECT_TIME: Duration = Duration::from_secs(1);

/// How many unused connections are kept for each server.
const MOST_KEPT: usize = 64;

/// How often the servers are asked whether they are well.
const LOOKS: Duration = Duration::from_millis(100);

/// How long a server has to say so.
const LOOK_TIME: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() -> io::Result<()> {
    let options = options();
    let listener = TcpListener::bind(("127.0.0.1", options.port)).await?;
    println!("listening on http://{}/", listener.local_addr()?);
    serve(listener, Relay::new(&options.servers, options.keep)).await
}

struct Options {
    /// Where clients come.
    port: u16,
    /// Where the servers are.
    servers: Vec<u16>,
    /// For how long an unused connection to a server is kept.
    keep: Duration,
}

/// `--port`, `--to`, which may be given several times, and `--keep`; 8000, 8080 and 60 seconds without them.
fn options() -> Options {
    let mut options = Options { port: 8000, servers: Vec::new(), keep: Duration::from_secs(60) };
    let words: Vec<String> = std::env::args().skip(1).collect();
    for pair in words.chunks(2) {
        match pair {
            [option, number] if option == "--port" => {
                options.port = number.parse().expect("a port is a number");
            }
            [option, number] if option == "--to" => {
                options.servers.push(number.parse().expect("a port is a number"));
            }
            [option, number] if option == "--keep" => {
                options.keep =
                    Duration::from_secs_f64(number.parse().expect("seconds are a number"));
            }
            _ => panic!("the options are `--port N`, `--to N` and `--keep SECONDS`"),
        }
    }
    if options.servers.is_empty() {
        options.servers.push(8080);
    }
    options
}

/// Serves clients, and looks after the servers, until it is dropped or `accept` fails.
pub async fn serve(listener: TcpListener, relay: Arc<Relay>) -> io::Result<()> {
    tokio::select! {
        outcome = accept_all(listener, &relay) => outcome,
        // With one server there is no choice.
        () = look_after(&relay), if relay.servers.len() > 1 => unreachable!("it never ends"),
    }
}

async fn accept_all(listener: TcpListener, relay: &Arc<Relay>) -> io::Result<()> {
    loop {
        let (stream, client) = listener.accept().await?;
        // A client that leaves ends its own connection only.
        tokio::spawn(pass_on(stream, client, Arc::clone(relay)));
    }
}

/// Passes on a client's requests, and the responses to them.
async fn pass_on(stream: TcpStream, address: SocketAddr, relay: Arc<Relay>) -> io::Result<()> {
    let mut client = Connection::new(stream);
    client.stream.set_nodelay(true)?;
    loop {
        let mut request = match timeout(PATIENCE, client.request()).await? {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                return client.send(&Message::response("400 Bad Request", false)).await;
            }
            Err(error) => return Err(error),
        };
        let keeps = request.keeps;
        // The connection to the server is ours to keep or to close.
        request.keeps = true;
        request.headers.push(("Forwarded".to_owned(), forwarded(address.ip()).into_bytes()));
        // ANCHOR: gateway
        let mut response = match timeout(PATIENCE, relay.ask(&request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(_lost)) => Message::response("502 Bad Gateway", true),
            Err(_late) => Message::response("504 Gateway Timeout", true),
        };
        // ANCHOR_END: gateway
        response.keeps = keeps;
        client.send(&response).await?;
        if !keeps {
            return Ok(());
        }
    }
}

// ANCHOR: forwarded
/// Names the client for the server. An IPv6 address has colons, so it stands in brackets, and those in quotes.
pub fn forwarded(client: IpAddr) -> String {
    match client {
        IpAddr::V4(address) => format!("for={address}"),
        IpAddr::V6(address) => format!("for=\"[{address}]\""),
    }
}
// ANCHOR_END: forwarded

/// What the tasks of all clients share.
pub struct Relay {
    servers: Vec<Server>,
    /// The server that is asked next.
    next: AtomicUsize,
}

impl Relay {
    /// A relay to the servers at these ports, which keeps a connection for so long.
    pub fn new(ports: &[u16], keep: Duration) -> Arc<Relay> {
        let server = |&port| Server {
            port,
            keep,
            kept: Mutex::new(Vec::new()),
            is_well: AtomicBool::new(true),
        };
        Arc::new(Relay { servers: ports.iter().map(server).collect(), next: AtomicUsize::new(0) })
    }

    // ANCHOR: choose
    /// Asks the next server.
    async fn ask(&self, request: &Message) -> io::Result<Message> {
        let first = self.next.fetch_add(1, Relaxed);
        let mut outcome = Err(ErrorKind::NotConnected.into());
        for step in 0..self.servers.len() {
            let server = &self.servers[(first + step) % self.servers.len()];
            if !server.is_well.load(Relaxed) {
                continue;
            }
            match server.connection().await {
                Ok(connection) => return server.ask(connection, request).await,
                // Nothing was sent, so the next server may be asked.
                Err(error) => outcome = Err(error),
            }
        }
        outcome
    }
    // ANCHOR_END: choose
}

// ANCHOR: pool
struct Server {
    port: u16,
    keep: Duration,
    /// Connections that nobody uses, and since when.
    kept: Mutex<Vec<(Connection, Instant)>>,
    is_well: AtomicBool,
}

impl Server {
    /// A kept connection, or a new one.
    async fn connection(&self) -> io::Result<Connection> {
        if let Some(connection) = self.take() {
            return Ok(connection);
        }
        let connecting = TcpStream::connect(("127.0.0.1", self.port));
        let stream = timeout(CONNECT_TIME, connecting).await??;
        stream.set_nodelay(true)?;
        Ok(Connection::new(stream))
    }

    /// The connection that was used last, if that isn't too long ago.
    /// It isn't async, so no `.await` comes while the lock is held.
    fn take(&self) -> Option<Connection> {
        let mut kept = self.kept.lock().expect("nobody panics with this lock");
        kept.retain(|(_, since)| since.elapsed() < self.keep);
        kept.pop().map(|(connection, _)| connection)
    }

    /// Sends a request, reads the answer, and keeps the connection.
    async fn ask(&self, mut connection: Connection, request: &Message) -> io::Result<Message> {
        connection.send(request).await?;
        let response = connection.response(request.is_head()).await?;
        // `None` is the end of the connection, before the first byte of an answer.
        let response = response.ok_or(ErrorKind::UnexpectedEof)?;
        // What comes behind an answer would be taken for the next one.
        if response.keeps && !connection.has_more() {
            let mut kept = self.kept.lock().expect("nobody panics with this lock");
            if kept.len() < MOST_KEPT {
                kept.push((connection, Instant::now()));
            }
        }
        Ok(response)
    }
}
// ANCHOR_END: pool

// ANCHOR: look
/// Asks each server again and again whether it is well.
async fn look_after(relay: &Relay) {
    loop {
        for server in &relay.servers {
            let is_well = timeout(LOOK_TIME, server.says_well()).await.unwrap_or(false);
            server.is_well.store(is_well, Relaxed);
            if !is_well {
                // They lead to a server that will be gone.
                server.kept.lock().expect("nobody panics with this lock").clear();
            }
        }
        sleep(LOOKS).await;
    }
}

impl Server {
    /// Whether it answers `/health` with 200, on a new connection.
    async fn says_well(&self) -> bool {
        let request = Message {
            line: "GET /health HTTP/1.1".to_owned(),
            headers: vec![("Host".to_owned(), b"localhost".to_vec())],
            body: Vec::new(),
            keeps: false,
        };
        let Ok(stream) = TcpStream::connect(("127.0.0.1", self.port)).await else { return false };
        let mut connection = Connection::new(stream);
        if connection.send(&request).await.is_err() {
            return false;
        }
        let response = connection.response(false).await;
        matches!(response, Ok(Some(response)) if response.line.starts_with("HTTP/1.1 200 "))
    }
}
// ANCHOR_END: look
