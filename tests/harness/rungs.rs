//! The ladder: which rungs there are, and what each can do by its nature.

use std::sync::LazyLock;

use servers::{Foreign, SERVERS, Schedule};

use super::server::{Launch, Server};
use crate::cases::{Abilities, Library};

/// One server, of the ladder or outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// The name of its package, its example and its chapter.
    pub name: &'static str,
    /// How it schedules connections.
    pub schedule: Schedule,
    /// Whether it takes `--threads`.
    pub takes_threads: bool,
    /// The variable that sets the number of threads of its runtime, where it is no flag.
    pub threads_variable: Option<&'static str>,
}

/// Every rung, from the first to the last.
pub static RUNGS: LazyLock<Vec<Rung>> = LazyLock::new(|| SERVERS.iter().map(rung).collect());

fn rung(server: &'static servers::Server) -> Rung {
    Rung {
        name: &server.name,
        schedule: server.schedule,
        takes_threads: server.threads.is_some(),
        threads_variable: server.threads_variable.as_deref(),
    }
}

fn foreign(server: &'static Foreign) -> Rung {
    Rung {
        name: &server.name,
        schedule: server.schedule,
        takes_threads: server.threads.is_some(),
        threads_variable: server.threads_variable.as_deref(),
    }
}

/// The servers outside the ladder, wrong on purpose, one at a time: `--fault NAME`.
pub const WRONG_SERVERS: Rung = Rung {
    name: "wrong_servers",
    schedule: Schedule::ThreadPerConnection,
    takes_threads: true,
    threads_variable: None,
};

/// The experiments that the reader runs. Each takes `--quick`, `--json` and `--help`.
pub const EXPERIMENTS: [&str; 7] = [
    "machine",
    "compute_or_wait",
    "cost_of_spawning",
    "cost_of_switching",
    "preemption",
    "false_friends",
    "runtime_parts",
];

impl Rung {
    /// The rung of this name, or the server outside the ladder.
    ///
    /// # Panics
    /// When there is none.
    pub fn named(name: &str) -> Rung {
        let ladder = servers::Server::named(name).map(rung);
        let found = ladder.or_else(|| Foreign::named(name).map(foreign));
        found.unwrap_or_else(|| panic!("there is no server {name}"))
    }

    /// Its declaration, where it is a server outside the ladder.
    pub fn foreign(self) -> Option<&'static Foreign> {
        Foreign::named(self.name)
    }

    /// The library that reads and writes HTTP for it; `None` where it does so itself.
    pub fn library(self) -> Option<Library> {
        let server = self.foreign()?;
        let name = server.library.as_deref()?;
        Some(Library { name, refuses: server.library_refuses })
    }

    /// What it can in one of its modes.
    pub fn abilities(self, keep_alive: bool) -> Abilities {
        Abilities {
            keep_alive,
            close: !self.closes_nothing(),
            serve_beside_waiting_clients: self.serves_beside_waiting_clients(),
        }
    }

    /// The default of `--threads`, where it takes that.
    pub fn threads(self) -> Option<u64> {
        match self.foreign() {
            Some(server) => server.threads,
            None => servers::Server::named(self.name)?.threads,
        }
    }

    /// A step of a rung: a server that keeps a part of the contract only.
    pub fn step(name: &'static str) -> Option<Rung> {
        servers::Server::with_step(name).map(|server| Rung { name, ..rung(server) })
    }

    /// Whether a client that waits leaves the others unharmed, however many do so.
    pub fn serves_beside_waiting_clients(self) -> bool {
        matches!(
            self.schedule,
            Schedule::ThreadPerConnection | Schedule::EventLoop | Schedule::Tasks
        )
    }

    /// Whether it finishes what is in flight after SIGINT and SIGTERM.
    pub fn stops_gently(self) -> bool {
        matches!(self.schedule, Schedule::Pool | Schedule::EventLoop | Schedule::Tasks)
    }

    /// A start of this rung, to be described further.
    pub fn launch(self) -> Launch {
        Launch::of(self)
    }

    /// Starts this rung with these flags on a port of its own.
    ///
    /// # Panics
    /// When it does not listen within a minute.
    #[track_caller]
    pub fn start(self, args: &[&str]) -> Server {
        self.launch().args(args).start()
    }

    /// Runs `test` on this rung in both its modes: a connection for each request, and kept connections. A server that
    /// is declared to close none has the second only.
    #[track_caller]
    pub fn in_both_modes(self, test: impl Fn(&Server)) {
        test(&self.start(&["--keep-alive"]));
        if !self.closes_nothing() {
            test(&self.start(&[]));
        }
    }

    /// Whether it is declared to leave its connections open, whatever it says.
    pub fn closes_nothing(self) -> bool {
        self.foreign().is_some_and(|server| server.difference("closes_a_connection").is_some())
    }

    /// This rung with as many threads for connections, by its flag or its variable;
    /// unchanged where a rung can't be told.
    pub fn launch_with_threads(self, threads: usize) -> Launch {
        let threads = threads.to_string();
        match self.threads_variable {
            _ if self.takes_threads => self.launch().args(&["--threads", &threads]),
            Some(variable) => self.launch().env(variable, &threads),
            None => self.launch(),
        }
    }
}
