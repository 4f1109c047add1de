//! The ladder: which rungs there are, and what each can do by its nature.

use std::{ops::Deref, sync::LazyLock};

use records::servers::{FOREIGN, SERVERS, Schedule};

use super::{
    failure::Failure,
    server::{Launch, Server},
};
use crate::cases::{Abilities, Library};

/// A server as it is declared, of the ladder or outside it, or a step to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// The name of its example.
    pub name: &'static str,
    server: &'static records::servers::Server,
}

impl Deref for Rung {
    type Target = records::servers::Server;

    fn deref(&self) -> &records::servers::Server {
        self.server
    }
}

impl From<&'static records::servers::Server> for Rung {
    fn from(server: &'static records::servers::Server) -> Rung {
        Rung { name: &server.name, server }
    }
}

/// Every rung, from the first to the last.
pub static RUNGS: LazyLock<Vec<Rung>> = LazyLock::new(|| SERVERS.iter().map(Rung::from).collect());

/// The servers that are wrong on purpose, one at a time: `--fault NAME`. They are declared nowhere: what schedules as
/// rung 2, with `--threads` for those that have a fixed number.
pub static WRONG_SERVERS: LazyLock<Rung> = LazyLock::new(|| {
    static DECLARED: LazyLock<records::servers::Server> = LazyLock::new(|| {
        let each = records::servers::Server::named("ch02_thread_spawn").expect("it is declared");
        records::servers::Server {
            name: "wrong_servers".to_owned(),
            threads: Some(8),
            ..each.clone()
        }
    });
    Rung::from(&*DECLARED)
});

/// The service on axum that a page shows whole. It is declared nowhere: it schedules as rung 6, and takes its port from the
/// variable `PORT`.
pub static AXUM_SERVICE: LazyLock<Rung> = LazyLock::new(|| {
    static DECLARED: LazyLock<records::servers::Server> = LazyLock::new(|| {
        let tasks = records::servers::Server::named("ch06_tokio").expect("it is declared");
        records::servers::Server { name: "axum_service".to_owned(), ..tasks.clone() }
    });
    Rung::from(&*DECLARED)
});

/// The solutions of the reader's own service, stop by stop. They are declared nowhere: the first schedules as rung 3, the
/// others as rung 6.
pub static EMBLEMS: LazyLock<Vec<Rung>> = LazyLock::new(|| {
    let stops = ["tokio", "owner", "blocking", "permit", "deadline", "stop", "log"];
    let on_tokio = stops.map(|stop| (format!("emblem_{stop}"), "ch06_tokio"));
    let all = [("emblem_threads".to_owned(), "ch03_threadpool")].into_iter().chain(on_tokio);
    let declared = all.map(|(name, schedules_as)| {
        let rung = Rung::named(schedules_as).server();
        Rung::from(&*Box::leak(Box::new(records::servers::Server { name, ..rung.clone() })))
    });
    declared.collect()
});

/// The experiments that the reader runs. Each takes `--quick`, `--json` and `--help`.
pub const EXPERIMENTS: [&str; 8] = [
    "machine",
    "compute_or_wait",
    "cost_of_spawning",
    "cost_of_switching",
    "preemption",
    "false_friends",
    "runtime_parts",
    "rush",
];

impl Rung {
    /// The rung of this name, or the server outside the ladder.
    ///
    /// # Panics
    /// When there is none.
    pub fn named(name: &str) -> Rung {
        let found = records::servers::Server::named(name).map(Rung::from);
        found.unwrap_or_else(|| panic!("there is no server {name}"))
    }

    /// Whether it is outside the ladder.
    pub fn is_foreign(self) -> bool {
        FOREIGN.contains(self.server)
    }

    /// The declared server itself, for as long as the program runs.
    pub fn server(self) -> &'static records::servers::Server {
        self.server
    }

    /// The library that reads and writes HTTP for it; `None` where it does so itself.
    pub fn library(self) -> Option<Library> {
        let name = self.server.library.as_deref()?;
        Some(Library { name, refuses: self.server.library_refuses })
    }

    /// What it can in one of its modes.
    pub fn abilities(self, keep_alive: bool) -> Abilities {
        Abilities {
            keep_alive,
            close: !self.closes_nothing(),
            serve_beside_waiting_clients: self.serves_beside_waiting_clients(),
        }
    }

    /// A step of a rung: a server that keeps a part of the contract only.
    pub fn step(name: &'static str) -> Option<Rung> {
        records::servers::Server::with_step(name).map(|server| Rung { name, server })
    }

    /// Whether a client that waits leaves the others unharmed, however many do so.
    pub fn serves_beside_waiting_clients(self) -> bool {
        matches!(
            self.schedule,
            Schedule::ThreadPerConnection | Schedule::EventLoop | Schedule::Tasks
        )
    }

    /// Whether it finishes what is in flight after SIGINT and SIGTERM. Of the ladder, rungs 1 and 2 do not.
    pub fn stops_gently(self) -> bool {
        let is_early = matches!(self.schedule, Schedule::OneThread | Schedule::ThreadPerConnection);
        !is_early || FOREIGN.iter().any(|server| server.name == self.name)
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
    ///
    /// # Errors
    /// That of `test`.
    pub fn in_both_modes(
        self,
        test: impl Fn(&Server) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        test(&self.start(&["--keep-alive"]))?;
        if self.closes_nothing() { Ok(()) } else { test(&self.start(&[])) }
    }

    /// Whether it is declared to leave its connections open, whatever it says.
    pub fn closes_nothing(self) -> bool {
        self.difference("closes_a_connection").is_some()
    }

    /// This rung with as many threads for connections, by its flag or its variable;
    /// unchanged where a rung can't be told.
    pub fn launch_with_threads(self, threads: usize) -> Launch {
        let threads = threads.to_string();
        match &self.server.threads_variable {
            _ if self.threads.is_some() => self.launch().args(&["--threads", &threads]),
            Some(variable) => self.launch().env(variable, &threads),
            None => self.launch(),
        }
    }
}
