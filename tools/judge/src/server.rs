//! The server that is judged: one that runs, or one that is started by a command, and ended with all that it has started.

use std::{
    io::{self, BufRead, BufReader, ErrorKind},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    process::{Child, ChildStderr, Command, Stdio},
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
use socket2::{Domain, Socket, Type};

use crate::{environment::clear_of_cargo, progress::progress, stderr::Stderr};

/// How long a command may take until its server answers: it may have to compile.
const START_TIME: Duration = Duration::from_secs(120);

/// How long a server that runs already may take for that.
const ANSWER_TIME: Duration = Duration::from_secs(10);

/// How long the system keeps the port of a server that has ended (`TIME_WAIT`): a minute on Linux, and less elsewhere.
const PORT_TIME: Duration = Duration::from_secs(75);

/// How often we look whether it listens.
const POLL: Duration = Duration::from_millis(50);

/// The process that Ctrl-C has to end with us, with all that it has started; 0 where there is none.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// The server that is judged.
#[derive(Debug)]
pub struct Server {
    command: Option<String>,
    /// Its own port; each start of a command finds a free one without this.
    port: Option<u16>,
    address: SocketAddr,
    running: Option<Process>,
    /// A client that has found out that it listens, and has not asked yet: one that left without a word might do harm.
    first_client: Option<Client>,
    /// How many descriptors it may have, where that is not as many as this program.
    files: Option<u64>,
    /// How long its port was waited for, because the system still kept it.
    pub waited: Duration,
}

impl Server {
    /// Names the server at this port, or that of this command, which is not started yet.
    pub fn new(command: Option<String>, port: Option<u16>, files: Option<u64>) -> Result<Server> {
        if command.is_some() {
            ctrlc::set_handler(|| {
                end(STARTED.load(Ordering::Relaxed));
                std::process::exit(130);
            })?;
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
        Ok(Server {
            command,
            port,
            address,
            running: None,
            first_client: None,
            files,
            waited: Duration::ZERO,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The command that starts it, where there is one.
    pub fn command(&self) -> Option<&str> {
        self.command.as_deref()
    }

    /// How long it may take until it answers.
    pub fn time_to_answer(&self) -> Duration {
        if self.command.is_some() { START_TIME } else { ANSWER_TIME }
    }

    /// Starts the server where it has a command: again, if it was started before. It then listens, and may not answer yet.
    pub fn start(&mut self) -> Result<()> {
        let Some(command) = self.command.clone() else { return Ok(()) };
        // It is ended before the next one needs its port.
        self.running = None;
        self.first_client = None;
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
        self.address.set_port(port);
        self.running = Some(Process::start(&command, port, self.files)?);
        match self.wait_until_it_listens() {
            Err(_) if self.has_ended() && is_kept_by_the_system(port) => {
                self.wait_for_port(port);
                self.running = Some(Process::start(&command, port, self.files)?);
                self.wait_until_it_listens()
            }
            outcome => outcome,
        }
    }

    /// Waits until the system gives the port back. A server that does not set `SO_REUSEADDR` can't listen there before.
    fn wait_for_port(&mut self, port: u16) {
        let start = Instant::now();
        while is_kept_by_the_system(port) && start.elapsed() < PORT_TIME {
            let seconds = start.elapsed().as_secs();
            progress(&format!("waits for port {port}, which is in TIME_WAIT: {seconds} s"));
            thread::sleep(Duration::from_millis(500));
        }
        self.waited += start.elapsed();
    }

    /// Waits until it listens, and keeps the client that has found that out.
    fn wait_until_it_listens(&mut self) -> Result<()> {
        let start = Instant::now();
        loop {
            self.first_client = self.client();
            if self.first_client.is_some() {
                return Ok(());
            }
            if self.has_ended() {
                bail!("the command has ended and listens nowhere{}", self.reason());
            }
            if start.elapsed() > START_TIME {
                let port = self.address.port();
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

    /// Connects a client, if it listens.
    pub fn client(&mut self) -> Option<Client> {
        if let Some(client) = self.first_client.take() {
            return Some(client);
        }
        let client = reach(self.address.port())?;
        self.address = client.server.address;
        Some(client)
    }

    /// Tells whether the command that started it has ended, and all that it wrote was read.
    pub fn has_ended(&mut self) -> bool {
        self.running.as_mut().is_some_and(Process::has_ended)
    }

    /// Returns what it has written to standard error since it was started.
    pub fn stderr(&self) -> Stderr {
        self.running.as_ref().map(Process::stderr).unwrap_or_default()
    }

    /// Returns why it has ended, by its own words, as the rest of a sentence.
    pub fn reason(&self) -> String {
        self.stderr().reason().map(|reason| format!("; it says: {reason}")).unwrap_or_default()
    }

    /// Describes why it serves no more, with what its program says of that.
    pub fn describe_end(&mut self, why: &str) -> String {
        if self.running.is_none() {
            return why.to_owned();
        }
        // Its end may still be on its way.
        thread::sleep(Duration::from_millis(200));
        let is = if self.has_ended() { "it has ended" } else { why };
        format!("{is}{}", self.reason())
    }
}

/// Connects a client to the server at this port, if there is one.
fn reach(port: u16) -> Option<Client> {
    let addresses = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    addresses.into_iter().find_map(|address| {
        let server = unknown(SocketAddr::new(address, port));
        Client::try_connect(&server, Duration::from_secs(1)).ok()
    })
}

/// Tells whether the system refuses this port to a server that does not insist on it.
fn is_kept_by_the_system(port: u16) -> bool {
    matches!(bind_without_reuse(port), Err(error) if error.kind() == ErrorKind::AddrInUse)
}

/// Takes a port for a moment, without `SO_REUSEADDR`, which the standard library sets.
fn bind_without_reuse(port: u16) -> io::Result<()> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.bind(&SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)).into())
}

/// Describes a server of which nothing is known.
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
struct Process {
    /// Its standard input is a pipe that stays open: some servers run until somebody presses Enter.
    shell: Child,
    stderr: Arc<Mutex<Stderr>>,
    reader: Option<thread::JoinHandle<()>>,
}

impl Process {
    fn start(command: &str, port: u16, files: Option<u64>) -> Result<Process> {
        let [program, option] = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
        let command = command.replace("{port}", &port.to_string());
        let command = match files {
            // This program has raised its own limit, which a child would inherit.
            Some(files) => format!("ulimit -S -n {files}\n{command}"),
            None => command,
        };
        let mut shell = Command::new(program);
        shell.arg(option).arg(command);
        clear_of_cargo(&mut shell);
        shell.env("PORT", port.to_string());
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut shell = shell.spawn().context("cannot start a shell")?;
        STARTED.store(shell.id(), Ordering::Relaxed);
        let stderr = Arc::new(Mutex::new(Stderr::default()));
        let kept = Arc::clone(&stderr);
        let pipe = shell.stderr.take().context("it is piped")?;
        let reader = thread::spawn(move || keep(pipe, &kept));
        Ok(Process { shell, stderr, reader: Some(reader) })
    }

    fn has_ended(&mut self) -> bool {
        let has_ended = !matches!(self.shell.try_wait(), Ok(None));
        if has_ended {
            self.finish_reading();
        }
        has_ended
    }

    /// Waits until what it wrote was read, if only a moment: what it has started may live on, and hold the pipe.
    fn finish_reading(&mut self) {
        let Some(reader) = self.reader.take() else { return };
        let start = Instant::now();
        while !reader.is_finished() && start.elapsed() < Duration::from_millis(500) {
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn stderr(&self) -> Stderr {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads what a server writes to standard error, to its end.
fn keep(pipe: ChildStderr, stderr: &Mutex<Stderr>) {
    for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
        stderr.lock().unwrap_or_else(PoisonError::into_inner).add(&line);
    }
}

impl Drop for Process {
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
