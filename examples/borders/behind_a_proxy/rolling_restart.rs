//! Restarts two servers behind a relay, one after the other, while clients come, and counts whose request is lost:
//! `cargo run --example rolling_restart`
use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use behind_a_proxy::{Connection, Message};
use kept_stops::Stop;
use pooling_relay::Relay;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{interval, sleep};

// Each is a program too, with a main of its own.
#[allow(dead_code)]
#[path = "kept_stops.rs"]
mod kept_stops;
#[allow(dead_code)]
#[path = "pooling_relay.rs"]
mod pooling_relay;

/// How often a client comes, whatever becomes of those before it.
const EVERY: Duration = Duration::from_millis(5);

/// How long the relay keeps an unused connection, which is less than the servers do.
const KEEP: Duration = Duration::from_secs(60);

/// How long a server is away.
const AWAY: Duration = Duration::from_millis(200);

/// In this time the relay has checked the servers' health several times.
const SEVERAL_CHECKS: Duration = Duration::from_secs(1);

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    println!("{} in one step", restart_both(Duration::ZERO).await?);
    println!("{} in two steps", restart_both(SEVERAL_CHECKS).await?);
    Ok(())
}

/// Restarts both servers under load: how many requests were lost, and of how many.
async fn restart_both(notice: Duration) -> io::Result<String> {
    let mut servers = [Server::start(0).await?, Server::start(0).await?];
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    let relay = Relay::new(&servers.each_ref().map(|server| server.port), KEEP);
    let relay = tokio::spawn(pooling_relay::serve(listener, relay));

    let mut clients = JoinSet::new();
    let restarts = async {
        for server in &mut servers {
            sleep(SEVERAL_CHECKS).await;
            server.restart(notice).await?;
        }
        sleep(SEVERAL_CHECKS).await;
        io::Result::Ok(())
    };
    tokio::select! {
        outcome = restarts => outcome?,
        () = come(port, &mut clients) => unreachable!("clients come forever"),
    }
    let statuses = clients.join_all().await;
    let lost = statuses.iter().filter(|is_well| !**is_well).count();
    relay.abort();
    Ok(format!("{lost} of {} requests are lost", statuses.len()))
}

/// An open loop.
async fn come(port: u16, clients: &mut JoinSet<bool>) {
    let mut due = interval(EVERY);
    loop {
        due.tick().await;
        clients.spawn(async move { ask(port).await.unwrap_or(false) });
    }
}
// ANCHOR_END: main

/// Whether the answer is 200.
async fn ask(port: u16) -> io::Result<bool> {
    let mut relay = Connection::new(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?);
    let request = Message {
        line: "GET / HTTP/1.1".to_owned(),
        headers: vec![("Host".to_owned(), b"localhost".to_vec())],
        body: Vec::new(),
        keeps: false,
    };
    relay.send(&request).await?;
    let response = relay.response(false).await?;
    Ok(response.is_some_and(|response| response.line == "HTTP/1.1 200 OK"))
}

/// A server that runs.
struct Server {
    port: u16,
    stop: Stop,
    serving: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Starts one on this port; 0 takes any free one.
    async fn start(port: u16) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = listener.local_addr()?.port();
        let stop = Stop::default();
        let told = stop.clone();
        let serving = tokio::spawn(async move { kept_stops::serve(listener, &told).await });
        Ok(Server { port, stop, serving })
    }

    /// Ends it, waits for its end, and starts the next on the same port.
    async fn restart(&mut self, notice: Duration) -> io::Result<()> {
        self.stop.tell(notice).await;
        (&mut self.serving).await??;
        sleep(AWAY).await;
        *self = Server::start(self.port).await?;
        Ok(())
    }
}
