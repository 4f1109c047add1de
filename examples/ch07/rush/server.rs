//! One of the six ways in a process of its own, which ends with this program.

use std::io::{self, BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::{env, process, thread};

use crate::{Way, deadline, newest, none, permit, queue, refuse};

/// With this variable the program is the server.
const WANTED: &str = "RUSH_SERVES";

/// How long its backlog is, where the way has one of its own.
const BACKLOG: &str = "RUSH_BACKLOG";

/// A server that runs.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

impl Server {
    /// Starts this way on a free port.
    pub fn start(way: Way, backlog: u32) -> io::Result<Server> {
        let mut child = Command::new(env::current_exe()?)
            .env(WANTED, way.name())
            .env(BACKLOG, backlog.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().expect("it is a pipe");
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening on http://");
        let address = address.and_then(|rest| rest.trim_end_matches('/').parse().ok());
        let address = address.ok_or_else(|| io::Error::other(format!("it says {line:?}")))?;
        Ok(Server { child, address })
    }

    /// Whether it still serves, and has not ended with an error.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its standard input ends it; see below.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Which way this process is to serve, where it is a server.
pub fn wanted() -> Option<Way> {
    let name = env::var(WANTED).ok()?;
    Way::ALL.into_iter().find(|way| way.name() == name)
}

/// Serves until standard input ends.
pub async fn serve(way: Way) -> io::Result<()> {
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        process::exit(0)
    });
    let backlog = env::var(BACKLOG).ok().and_then(|digits| digits.parse().ok());
    let backlog = backlog.ok_or_else(|| io::Error::other("it isn't told its backlog"))?;
    match way {
        Way::None => none::serve(0).await,
        Way::Deadline => deadline::serve(0).await,
        Way::Queue => queue::serve(0, backlog).await,
        Way::Permit => permit::serve(0, backlog).await,
        Way::Refuse => refuse::serve(0).await,
        Way::Newest => newest::serve(0).await,
    }
}
