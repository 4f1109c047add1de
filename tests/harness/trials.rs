//! The programs whose tests run on many servers: each lists its trials in its `main`, and libtest-mimic runs them as
//! `cargo test` runs any others.

use std::{env, panic::resume_unwind, process::ExitCode, sync::Arc, thread};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use records::servers::{FOREIGN, SERVERS, Schedule, Server};

use super::{failure::Failure, foreign::check, rungs::Rung};
use crate::cases::Target;

/// The servers on which a plain `cargo test` runs the whole contract. On the others of the ladder it runs what
/// [`Plain::Ladder`] has, and `cargo test -- --include-ignored` runs everything on all.
const WHOLE: [&str; 3] = ["ch01_single_threaded", "ch03_threadpool", "ch06_tokio"];

/// The one of them on which a plain `cargo test` also runs the tests that wait for seconds.
const PATIENT: &str = "ch06_tokio";

/// One server of each way of scheduling: those that speak for the ladder where the site decides, which all of it shares.
const SPEAKERS: [&str; 5] =
    ["ch01_single_threaded", "ch02_thread_spawn", "ch03_threadpool", "event_loop", "ch06_tokio"];

/// On which servers tests run.
#[derive(Clone, Copy, Debug)]
pub enum On {
    /// On all.
    Every,
    /// On those that schedule so.
    Schedule(Schedule),
    /// On the one of this name.
    Named(&'static str),
    /// On one of each way of scheduling, and on all that do not use the site.
    EachParser,
}

impl On {
    fn includes(self, server: &Server) -> bool {
        match self {
            On::Every => true,
            On::Schedule(schedule) => server.schedule == schedule,
            On::Named(name) => server.name == name,
            On::EachParser => SPEAKERS.contains(&server.name.as_str()) || is_foreign(server),
        }
    }
}

/// On which of these a plain `cargo test` runs the tests. On the others they are ignored as slow.
#[derive(Clone, Copy, Debug)]
pub enum Plain {
    /// On the whole ladder.
    Ladder,
    /// On three of its servers.
    Three,
    /// On one: these tests wait for seconds.
    One,
    /// On none.
    Nowhere,
}

impl Plain {
    fn includes(self, server: &Server) -> bool {
        match self {
            Plain::Ladder => !is_foreign(server),
            Plain::Three => WHOLE.contains(&server.name.as_str()),
            Plain::One => server.name == PATIENT,
            Plain::Nowhere => false,
        }
    }
}

fn is_foreign(server: &Server) -> bool {
    FOREIGN.iter().any(|foreign| foreign.name == server.name)
}

/// A test that is run on a server: a function that is given a rung, and starts it as it likes, or a case.
pub trait Test<Given> {
    /// Runs it. A case is put to the rung in both its modes.
    ///
    /// # Errors
    /// Where the rung does not keep its part of the contract.
    fn run(&self, rung: Rung) -> Result<(), Failure>;
}

impl<F: Fn(Rung) -> Result<(), Failure>> Test<Rung> for F {
    fn run(&self, rung: Rung) -> Result<(), Failure> {
        self(rung)
    }
}

impl<F: Fn(&Target) -> Result<(), Failure>> Test<Target> for F {
    fn run(&self, rung: Rung) -> Result<(), Failure> {
        rung.in_both_modes(|server| self(server))
    }
}

/// What the chapters claim is no case: it panics where it does not hold.
impl<F: Fn(Rung)> Test<()> for F {
    fn run(&self, rung: Rung) -> Result<(), Failure> {
        self(rung);
        Ok(())
    }
}

/// A test with its name, and the module in which it is listed.
pub struct Named {
    module: &'static str,
    name: &'static str,
    run: Arc<dyn Fn(Rung) -> Result<(), Failure> + Send + Sync>,
}

impl Named {
    /// The test as [`tests!`](crate::tests) lists it.
    pub fn new<Given>(
        module: &'static str,
        name: &'static str,
        test: impl Test<Given> + Send + Sync + 'static,
    ) -> Named {
        Named { module, name, run: Arc::new(move |rung| test.run(rung)) }
    }
}

/// Functions, each with its name.
#[macro_export]
macro_rules! tests {
    ($($(#[$attribute:meta])* $test:ident),* $(,)?) => {
        [$($(#[$attribute])* $crate::Named::new(module_path!(), stringify!($test), $test)),*]
    };
}

/// A test that chooses its servers itself: its module, its name and its function.
pub type Alone = (&'static str, &'static str, fn());

/// Functions that choose their servers themselves, each with its name.
#[macro_export]
macro_rules! alone {
    ($($(#[$attribute:meta])* $test:ident),* $(,)?) => {
        [$($(#[$attribute])* (module_path!(), stringify!($test), $test as fn())),*]
    };
}

/// The trials of a program.
pub struct Trials {
    arguments: Arguments,
    servers: Vec<&'static Server>,
    trials: Vec<Trial>,
}

impl Trials {
    /// Trials of the ladder's servers.
    pub fn of_the_ladder() -> Trials {
        Trials::of(SERVERS.iter().collect())
    }

    /// Trials of the servers outside the ladder as well.
    pub fn of_all_servers() -> Trials {
        Trials::of(SERVERS.iter().chain(FOREIGN.iter()).collect())
    }

    fn of(servers: Vec<&'static Server>) -> Trials {
        let mut arguments = Arguments::from_args();
        // libtest reads it too.
        let threads = env::var("RUST_TEST_THREADS").ok().and_then(|digits| digits.parse().ok());
        arguments.test_threads = arguments.test_threads.or(threads);
        Trials { arguments, servers, trials: Vec::new() }
    }

    /// Lists these tests for each of these servers: `module::server::test`.
    ///
    /// # Panics
    /// When there is no such server.
    pub fn add(&mut self, on: On, plain: Plain, tests: impl IntoIterator<Item = Named>) {
        let servers: Vec<&'static Server> =
            self.servers.iter().copied().filter(|server| on.includes(server)).collect();
        assert!(!servers.is_empty(), "there is no server for {on:?}");
        for Named { module, name, run } in tests {
            for server in &servers {
                let rung = Rung::from(*server);
                let run = Arc::clone(&run);
                let full = in_module(module, &format!("{}::{name}", server.name));
                self.push(full, plain.includes(server), move || check(rung, name, || run(rung)));
            }
        }
    }

    /// Lists tests that choose their servers themselves, and panic where something does not hold.
    pub fn alone(&mut self, tests: impl IntoIterator<Item = Alone>) {
        self.list(true, tests);
    }

    /// Lists such tests that a plain `cargo test` leaves out.
    pub fn alone_and_slow(&mut self, tests: impl IntoIterator<Item = Alone>) {
        self.list(false, tests);
    }

    fn list(&mut self, is_plain: bool, tests: impl IntoIterator<Item = Alone>) {
        for (module, name, test) in tests {
            self.push(in_module(module, name), is_plain, move || {
                test();
                Ok(())
            });
        }
    }

    fn push(
        &mut self,
        name: String,
        is_plain: bool,
        test: impl FnOnce() -> Result<(), Failure> + Send + 'static,
    ) {
        let Arguments { ignored, include_ignored, list, .. } = self.arguments;
        let trial = if is_plain || ignored || include_ignored || list {
            Trial::test(name.clone(), || on_a_thread(name, test)).with_ignored_flag(!is_plain)
        } else {
            Trial::ignorable_test(name, || Ok(Completion::ignored_with("slow")))
        };
        self.trials.push(trial);
    }

    /// Runs those that the command line asks for.
    pub fn run(mut self) -> ExitCode {
        self.trials.sort_by(|one, other| one.name().cmp(other.name()));
        libtest_mimic::run(&self.arguments, self.trials).exit_code()
    }
}

/// The name of a test in its module, which `module_path!` begins with the program.
fn in_module(module: &str, name: &str) -> String {
    match module.split_once("::") {
        Some((_, module)) => format!("{module}::{name}"),
        None => name.to_owned(),
    }
}

/// Runs a test on a thread of its name, by which a panic and a skip name it.
fn on_a_thread(
    name: String,
    test: impl FnOnce() -> Result<(), Failure> + Send + 'static,
) -> Result<(), Failed> {
    let thread = thread::Builder::new().name(name).spawn(test)?;
    Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_speaks_for_each_way_of_scheduling() {
        for server in SERVERS.iter() {
            let mut speakers = SERVERS.iter().filter(|one| SPEAKERS.contains(&one.name.as_str()));
            let is_spoken_for = speakers.any(|one| one.schedule == server.schedule);
            assert!(is_spoken_for, "SPEAKERS has no server that schedules as {}", server.name);
        }
    }
}
