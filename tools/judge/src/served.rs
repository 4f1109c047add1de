//! The server that is judged: one that runs, or one that is started by a command, and ended with all that it has started.

use std::{
    io::{BufRead, BufReader},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use ladder_tests::{
    Client,
    cases::{Abilities, Library, Pages, Target},
};

/// How long a command may take until its server listens: it may have to compile.
const START_TIME: Duration = Duration::from_secs(120);

/// How often we look whether it does.
const POLL: Duration = Duration::from_millis(50);

/// The process that Ctrl-C has to end with us, with all that it has started; 0 where there is none.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// The server.
#[derive(Debug)]
pub struct Served {
    command: Option<String>,
    /// Its own port; each start of a command finds a free one without this.
    port: Option<u16>,
    address: SocketAddr,
    running: Option<Running>,
}

impl Served {
    /// The server at this port, or that of this command, which is not started yet.
    pub fn new(command: Option<String>, port: Option<u16>) -> Result<Served> {
        if command.is_some() {
            ctrlc::set_handler(|| {
                end(STARTED.load(Ordering::Relaxed));
                std::process::exit(130);
            })?;
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
        Ok(Served { command, port, address, running: None })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The first client of the server, which is started for it if it has a command.
    pub fn connect(&mut self) -> Result<Client> {
        match self.command.clone() {
            Some(command) => self.start(&command),
            None => {
                let port = self.address.port();
                let client = reach(port);
                let client = client.with_context(|| format!("no server listens on port {port}"))?;
                self.address = client.server.address;
                Ok(client)
            }
        }
    }

    /// Starts the server once more, where it has a command, and is its first client.
    pub fn again(&mut self) -> Option<Result<Client>> {
        let command = self.command.clone()?;
        // It is ended before the next one needs its port.
        self.running = None;
        Some(self.start(&command))
    }

    fn start(&mut self, command: &str) -> Result<Client> {
        let port = match self.port {
            Some(port) => port,
            None => TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port(),
        };
        let start = Instant::now();
        while reach(port).is_some() {
            // What was ended may need a moment to be gone.
            let is_another = start.elapsed() > Duration::from_secs(2);
            ensure!(!is_another, "another program listens on port {port}: end it first");
            thread::sleep(POLL);
        }
        let running = self.running.insert(Running::start(command, port)?);
        loop {
            if let Some(client) = reach(port) {
                self.address = client.server.address;
                return Ok(client);
            }
            if running.has_ended() {
                thread::sleep(POLL);
                bail!("the command has ended and listens nowhere{}", running.last_words());
            }
            if start.elapsed() > START_TIME {
                let seconds = START_TIME.as_secs();
                let hint = match self.port {
                    Some(_) => "",
                    None => "; if it has a port of its own, name that with --port",
                };
                bail!("it does not listen on port {port} after {seconds} s{hint}");
            }
            thread::sleep(POLL);
        }
    }

    /// Why it serves no more, and what its program says of that.
    pub fn how_it_is(&mut self, why: &str) -> String {
        let Some(running) = &mut self.running else { return why.to_owned() };
        // Its end, and what it wrote then, may still be on their way.
        thread::sleep(Duration::from_millis(200));
        let is = if running.has_ended() { "it has ended" } else { why };
        format!("{is}{}", running.last_words())
    }
}

/// A client of the server at this port, if there is one.
fn reach(port: u16) -> Option<Client> {
    let addresses = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    addresses.into_iter().find_map(|address| {
        let server = unknown(SocketAddr::new(address, port));
        Client::try_connect(&server, Duration::from_secs(1)).ok()
    })
}

/// A server of which nothing is known.
fn unknown(address: SocketAddr) -> Target {
    Target {
        address,
        can: Abilities { keep_alive: false, close: true, serve_beside_waiting_clients: true },
        library: Some(Library { name: "theirs", refuses: true }),
        pages: Pages::Theirs(None),
        until: None,
    }
}

/// A command that runs. Dropping it ends it, and what it has started.
#[derive(Debug)]
struct Running {
    shell: Child,
    last_line: Arc<Mutex<String>>,
}

impl Running {
    fn start(command: &str, port: u16) -> Result<Running> {
        let words = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
        let mut shell = Command::new(words[0]);
        shell.arg(words[1]).arg(command.replace("{port}", &port.to_string()));
        shell.env("PORT", port.to_string());
        // What cargo tells this program of itself is nothing to the server.
        shell.env_remove("CARGO_MANIFEST_DIR");
        // The last words of a server in Rust are then why it has panicked.
        shell.env("RUST_BACKTRACE", "0");
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut shell = shell.spawn().context("cannot start a shell")?;
        STARTED.store(shell.id(), Ordering::Relaxed);
        let last_line = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&last_line);
        let said = BufReader::new(shell.stderr.take().context("it is piped")?);
        thread::spawn(move || {
            for line in said.split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                let line: String = line.chars().filter(|it| !it.is_control()).take(160).collect();
                // That a backtrace can be had is no news.
                if !line.trim().is_empty() && !line.starts_with("note: ") {
                    *kept.lock().unwrap_or_else(PoisonError::into_inner) = line;
                }
            }
        });
        Ok(Running { shell, last_line })
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.shell.try_wait(), Ok(None))
    }

    /// The last that it has written to standard error, as the rest of a sentence.
    fn last_words(&self) -> String {
        let line = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
        if line.is_empty() { String::new() } else { format!("; its last words: {line}") }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        end(self.shell.id());
        STARTED.store(0, Ordering::Relaxed);
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

/// Ends a shell that leads a group of processes, and its group.
fn end(shell: u32) {
    if shell == 0 {
        return;
    }
    #[cfg(unix)]
    ladder_tests::end_group(shell);
    #[cfg(windows)]
    let _ = Command::new("taskkill").args(["/T", "/F", "/PID", &shell.to_string()]).output();
}
