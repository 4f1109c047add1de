//! The ladder: which rungs there are, and what each can do by its nature.

use super::server::{Launch, Server};

/// What happens to the others while one client waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They wait: one connection at a time.
    OneThread,
    /// They are served: each has a thread.
    ThreadEach,
    /// They are served as long as the pool has a free thread.
    Pool,
    /// They are served: each has a task.
    Tasks,
}

/// One server of the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// The name of its package, its example and its chapter.
    pub name: &'static str,
    /// How it schedules connections.
    pub kind: Kind,
    /// Whether it takes `--threads`.
    pub takes_threads: bool,
    /// Whether it finishes what is in flight after SIGINT and SIGTERM.
    pub stops_gently: bool,
    /// The variable that sets the number of threads of its runtime, where it is no flag.
    pub threads_variable: Option<&'static str>,
}

const fn rung(name: &'static str, kind: Kind) -> Rung {
    let gently = matches!(kind, Kind::Pool | Kind::Tasks);
    Rung { name, kind, takes_threads: false, stops_gently: gently, threads_variable: None }
}

/// Every rung, from the first to the last.
pub const RUNGS: [Rung; 8] = [
    rung("ch01_single_threaded", Kind::OneThread),
    rung("ch02_thread_spawn", Kind::ThreadEach),
    Rung { takes_threads: true, ..rung("ch03_threadpool", Kind::Pool) },
    Rung {
        threads_variable: Some("ASYNC_STD_THREAD_COUNT"),
        ..rung("ch04_async_std", Kind::Tasks)
    },
    Rung { threads_variable: Some("SMOL_THREADS"), ..rung("ch04_smol", Kind::Tasks) },
    Rung { takes_threads: true, ..rung("ch05_futures_executor", Kind::Tasks) },
    Rung { takes_threads: true, ..rung("ch05_futures_blocking", Kind::Pool) },
    Rung { threads_variable: Some("TOKIO_WORKER_THREADS"), ..rung("ch06_tokio", Kind::Tasks) },
];

/// The servers outside the ladder, wrong on purpose, one at a time: `--fault NAME`.
pub const WRONG_SERVERS: Rung =
    Rung { takes_threads: true, ..rung("wrong_servers", Kind::ThreadEach) };

/// The experiments that the reader runs. Each takes `--quick`, `--json` and `--help`.
pub const EXPERIMENTS: [&str; 6] = [
    "machine",
    "compute_or_wait",
    "cost_of_spawning",
    "cost_of_switching",
    "preemption",
    "false_friends",
];

impl Rung {
    /// The rung of this name.
    ///
    /// # Panics
    /// When there is none.
    pub fn named(name: &str) -> Rung {
        let found = RUNGS.into_iter().find(|rung| rung.name == name);
        found.unwrap_or_else(|| panic!("there is no rung {name}"))
    }

    /// Whether a client that waits leaves the others unharmed, however many do so.
    pub fn serves_beside_waiting_clients(self) -> bool {
        matches!(self.kind, Kind::ThreadEach | Kind::Tasks)
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

    /// Runs `test` on this rung in both its modes: a connection for each request, and kept connections.
    #[track_caller]
    pub fn in_both_modes(self, test: impl Fn(&Server)) {
        for flags in [&[][..], &["--keep-alive"]] {
            println!("with the flags {flags:?}:");
            test(&self.start(flags));
        }
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
