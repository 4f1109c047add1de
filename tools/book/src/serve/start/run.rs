//! One run of a program, from cargo's first line to its end.

use std::{
    env,
    io::{self, BufRead, BufReader, Write},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use records::servers::Server;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    clients::Clients,
    job::Job,
    keep::{Event, Word},
};

/// How many come at once when somebody wants to see many.
const MANY: usize = 10;

/// What is missing where a system lacks it.
const LACKS: Option<&str> = if cfg!(windows) {
    Some(
        "Windows has no Ctrl-C for a program without a window: Stop ends it at once, and nobody counts its threads here.",
    )
} else {
    None
};

/// A run, and its keeper.
#[derive(Debug)]
pub(super) struct Run {
    number: u64,
    job: Job,
    keeper: Child,
    words: Option<ChildStdin>,
    progress: Arc<Mutex<Progress>>,
    clients: Clients,
}

/// How far a run has come.
#[derive(Debug, Default)]
struct Progress {
    phase: Phase,
    /// What cargo has said.
    cargo: Vec<String>,
    /// What the program has said.
    lines: Vec<String>,
    /// Whether either has said more.
    is_cut: bool,
    /// The program that attacks a server, once cargo has built it.
    attacker: Option<String>,
    process: Option<u32>,
    address: Option<SocketAddr>,
    /// The most threads that were ever counted.
    most_threads: usize,
    ended: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    #[default]
    Compiles,
    Runs,
    /// It has been asked to end.
    Stops,
    Ended,
}

/// Clients that somebody sends by a button.
#[derive(Clone, Copy, Debug, serde::Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Which {
    /// One that says nothing.
    Silent,
    /// Many at once.
    Many,
    /// One that asks and leaves.
    Leaves,
    /// Those that came at the beginning.
    Again,
}

impl Run {
    /// Starts a job, as the run of this number.
    ///
    /// # Errors
    /// When this program can't be started a second time.
    pub(super) fn start(root: &Path, job: Job, number: u64) -> io::Result<Run> {
        let mut keeper = Command::new(env::current_exe()?);
        keeper.current_dir(root).arg("keep").args(job.words());
        // Ctrl-C is for the server alone; the keeper learns of its end and ends the program in good order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut keeper, 0);
        let mut keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let words = keeper.stdin.take();
        let told = keeper.stdout.take();
        let progress = Arc::<Mutex<Progress>>::default();
        let clients = Clients::default();
        let run = Run { number, job: job.clone(), keeper, words, progress, clients };
        let progress = Arc::clone(&run.progress);
        let clients = run.clients.clone();
        thread::spawn(move || {
            for line in told.into_iter().flat_map(|told| BufReader::new(told).lines()) {
                let Ok(event) =
                    line.map_err(drop).and_then(|line| serde_json::from_str(&line).map_err(drop))
                else {
                    break;
                };
                lock(&progress).take(event, &job, &clients);
            }
            let mut progress = lock(&progress);
            progress.phase = Phase::Ended;
            progress.ended.get_or_insert_with(|| "its keeper has ended".to_owned());
        });
        Ok(run)
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn has_ended(&self) -> bool {
        lock(&self.progress).phase == Phase::Ended
    }

    /// Tells the keeper that somebody still looks.
    pub(super) fn beat(&mut self) {
        self.say(Word::Beat);
    }

    /// Asks it to end as Ctrl-C does; whoever asks a second time won't wait.
    pub(super) fn stop(&mut self) {
        let word = {
            let mut progress = lock(&self.progress);
            match progress.phase {
                Phase::Ended => return,
                Phase::Stops => Word::Kill,
                Phase::Compiles | Phase::Runs => {
                    progress.phase = Phase::Stops;
                    Word::Interrupt
                }
            }
        };
        self.say(word);
    }

    fn say(&mut self, word: Word) {
        // One that has ended hears nothing, and is found to have ended elsewhere.
        let _ = self.words.as_mut().map(|words| writeln!(words, "{}", word.text()));
    }

    /// Sends more clients, if there is a server.
    pub(super) fn send(&self, which: Which) {
        let progress = lock(&self.progress);
        let address = progress.address;
        let attacker = progress.attacker.clone();
        drop(progress);
        let Some(address) = address else { return };
        let Some(started) = self.job.started() else { return };
        let wish = started.asks.first().map_or("/", |wish| wish.as_str());
        match which {
            Which::Silent => self.clients.say_nothing(address),
            Which::Many => self.clients.ask_at_once(address, &vec![wish.to_owned(); MANY]),
            Which::Leaves => self.clients.leave(address, wish),
            Which::Again => begin(&self.job, &self.clients, address, attacker),
        }
    }

    /// What there is to see, as the page's script reads it.
    pub(super) fn state(&self) -> Value {
        let process = {
            let progress = lock(&self.progress);
            progress.process.filter(|_| progress.phase != Phase::Ended)
        };
        let threads = process.and_then(threads_of);
        let mut progress = lock(&self.progress);
        progress.most_threads = progress.most_threads.max(threads.unwrap_or(0));
        let [kind, name] = self.job.words();
        json!({
            "run": self.number,
            "name": name,
            "kind": if self.job.started().is_some() { "server" } else { kind },
            "phase": progress.phase,
            "cargo": progress.cargo,
            "lines": progress.lines,
            "cut": progress.is_cut,
            "address": progress.address,
            "threads": threads,
            "most": progress.most_threads,
            "ended": progress.ended,
            "now": self.clients.now(),
            "clients": self.clients.list(),
            "lacks": LACKS,
        })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Its end of the pipe closes, so the keeper ends the program and then itself.
        self.words = None;
        let _ = self.keeper.wait();
    }
}

fn lock(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    fn take(&mut self, event: Event, job: &Job, clients: &Clients) {
        match event {
            Event::Cargo(line) => self.cargo.push(line),
            Event::Client(path) => self.attacker = Some(path),
            Event::Runs(process) => {
                self.process = Some(process);
                if self.phase == Phase::Compiles {
                    self.phase = Phase::Runs;
                }
            }
            Event::Line(line) => {
                if self.address.is_none()
                    && job.started().is_some()
                    && let Some(address) = Server::address_in(&line)
                {
                    self.address = Some(address);
                    begin(job, clients, address, self.attacker.clone());
                }
                self.lines.push(line);
            }
            Event::Cut => self.is_cut = true,
            Event::Ended(how) => {
                self.ended = Some(how);
                self.phase = Phase::Ended;
            }
        }
    }
}

/// Sends the clients that the text has.
fn begin(job: &Job, clients: &Clients, address: SocketAddr, attacker: Option<String>) {
    let Some(started) = job.started() else { return };
    clients.ask(address, &started.asks);
    if let Some(attacker) = attacker {
        clients.attack(address, attacker, &started.attacks);
    }
}

/// How many threads a process has.
#[cfg(target_os = "linux")]
fn threads_of(process: u32) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Threads:"))?.trim().parse().ok()
}

/// How many threads a process has: `ps -M` prints a line for each, below a heading.
#[cfg(target_os = "macos")]
fn threads_of(process: u32) -> Option<usize> {
    let output = Command::new("ps").args(["-M", &process.to_string()]).output().ok()?;
    let lines = String::from_utf8_lossy(&output.stdout).lines().count();
    (lines > 1).then(|| lines - 1)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn threads_of(_: u32) -> Option<usize> {
    None
}
