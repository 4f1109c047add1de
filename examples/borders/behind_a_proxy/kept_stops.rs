//! A server that keeps connections, and ends in one step or in two: `cargo run --example kept_stops`
use std::io;
use std::time::Duration;

use behind_a_proxy::{Connection, Message};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a client may be silent.
const IDLE: Duration = Duration::from_secs(65);

/// How long an answer takes, so that some are always under way.
const WORK: Duration = Duration::from_millis(20);

#[tokio::main]
async fn main() -> io::Result<()> {
    let (port, notice) = options();
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let address = listener.local_addr()?;
    let stop = Stop::default();
    let serving = async {
        println!("listening on http://{address}/");
        serve(listener, &stop).await
    };
    // The signal first: its first poll catches it, and only then may the port be printed.
    tokio::try_join!(biased; until_ctrl_c(&stop, notice), serving)?;
    Ok(())
}

/// The port, and the time between the two steps of the end: `--port` and `--notice`; 8080 and 0 seconds without them.
fn options() -> (u16, Duration) {
    let mut options = (8080, Duration::ZERO);
    let words: Vec<String> = std::env::args().skip(1).collect();
    for pair in words.chunks(2) {
        match pair {
            [option, number] if option == "--port" => {
                options.0 = number.parse().expect("a port is a number")
            }
            [option, number] if option == "--notice" => {
                options.1 = Duration::from_secs_f64(number.parse().expect("seconds are a number"));
            }
            _ => panic!("the options are `--port N` and `--notice SECONDS`"),
        }
    }
    options
}

// ANCHOR: stop
/// The two steps of the end.
#[derive(Clone, Default)]
pub struct Stop {
    leaving: CancellationToken,
    stopping: CancellationToken,
}

impl Stop {
    /// Tells the server to end, with so much time between the steps.
    pub async fn tell(&self, notice: Duration) {
        self.leaving.cancel();
        sleep(notice).await;
        self.stopping.cancel();
    }
}
// ANCHOR_END: stop

async fn until_ctrl_c(stop: &Stop, notice: Duration) -> io::Result<()> {
    tokio::signal::ctrl_c().await?;
    stop.tell(notice).await;
    Ok(())
}

/// Serves until the second step, and then finishes what has begun.
pub async fn serve(listener: TcpListener, stop: &Stop) -> io::Result<()> {
    let connections = TaskTracker::new();
    while let Some(accepted) = stop.stopping.run_until_cancelled(listener.accept()).await {
        let (stream, _) = accepted?;
        // A client that leaves ends its own connection only.
        connections.spawn(handle(stream, stop.clone()));
    }
    // New clients are refused from here on.
    drop(listener);
    connections.close();
    connections.wait().await;
    Ok(())
}

// ANCHOR: handle
async fn handle(stream: TcpStream, stop: Stop) -> io::Result<()> {
    let mut client = Connection::new(stream);
    loop {
        let request = tokio::select! {
            // A request that has come is answered, even if the stop has begun meanwhile.
            biased;
            request = timeout(IDLE, client.request()) => request,
            () = stop.stopping.cancelled() => break,
        };
        let Ok(Ok(Some(request))) = request else { break };
        let is_look = request.line.starts_with("GET /health ");
        if !is_look {
            sleep(WORK).await;
        }
        let is_leaving = stop.leaving.is_cancelled();
        let status = match is_look && is_leaving {
            true => "503 Service Unavailable",
            false => "200 OK",
        };
        let keeps = request.keeps && !is_leaving;
        client.send(&Message::response(status, keeps)).await?;
        if !keeps {
            break;
        }
    }
    Ok(())
}
// ANCHOR_END: handle
