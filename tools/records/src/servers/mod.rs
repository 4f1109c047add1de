//! The servers, and what each can do by its nature: `examples/servers.toml`, read and checked.
//!
//! This module must not know how a server is tested, measured or shown.

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use serde::Deserialize;

use crate::base::missing_fields;

mod started;
mod toolchain;

pub use started::{Started, example_of};
pub use toolchain::{TOOLCHAINS, Toolchain};

/// A server: a rung of the ladder, or one outside it, on a framework or in another language.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Its name; in Rust also that of its package, its example and its folder ([`example_folder`]).
    pub name: String,
    /// Its role in the book, and the tool that builds it.
    pub kind: Kind,
    /// Its page below `book/`, without `.md`.
    pub page: String,
    /// Its idea in six words.
    pub idea: String,
    /// Its name in pictures, beside its sign: its own, unless the file has another.
    #[serde(default)]
    pub called: String,
    /// The scheduling of its connections.
    pub schedule: Schedule,
    /// Its colour in pictures, `--server-NAME` of `book/theme/pictures.css`; that of the rung whose runtime it has, on a
    /// framework; `None` in another language, which is no rung.
    pub colour: Option<String>,
    /// The letters of its sign.
    pub sign: String,
    /// The default of `--threads`; `None` where there is no such option.
    pub threads: Option<u64>,
    /// The variable that sets the number of threads of its runtime, where it is no option.
    pub threads_variable: Option<String>,
    /// Whether its figures and its recording are among the book's results.
    #[serde(default = "yes")]
    pub measured: bool,

    /// Its model in the scheduler lab, which has all rungs.
    pub lab: Option<String>,
    /// The number of threads of a rung for its recording, if it takes `--threads`.
    pub observed_threads: Option<u64>,
    /// Smaller servers from which the page of a rung builds it up.
    #[serde(default)]
    pub steps: Vec<String>,
    /// The package of a rung's async runtime; `None` for a server without tasks, or with a runtime of its own.
    pub runtime: Option<String>,
    /// The package with which a rung waits for the system's events, where it has one.
    pub reactor: Option<String>,

    /// The word for `{main}` in the command of its toolchain; `None` in Rust.
    pub main: Option<String>,
    /// The same server as tutorials have it, which takes its port from the variable `PORT`: the word for `{main}`, or an
    /// example of its package.
    pub tutorial: Option<String>,
    /// The library that reads and writes HTTP for it; `None` where it does so itself.
    pub library: Option<String>,
    /// Whether that library writes refusals itself, so that only their status is the contract's.
    #[serde(default)]
    pub library_refuses: bool,
    /// The parts of the contract that it can't keep.
    #[serde(default)]
    pub differs: Vec<Difference>,
}

fn yes() -> bool {
    true
}

/// The role of a server in the book, and the tool that builds it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(from = "String")]
pub enum Kind {
    /// One of the ladder, which cargo builds.
    Rung,
    /// Outside it, in Rust on a framework: cargo builds it when it is named.
    Framework,
    /// Outside it, in another language: the toolchain of this name builds and runs it.
    Language(String),
}

impl From<String> for Kind {
    fn from(word: String) -> Kind {
        match word.as_str() {
            "rung" => Kind::Rung,
            "framework" => Kind::Framework,
            _ => Kind::Language(word),
        }
    }
}

/// A part of the contract that a server can't keep: a test that it must fail, or may fail, and for this reason only.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The test that it must fail.
    pub test: String,
    /// Whether it only may fail, because chance decides.
    #[serde(default)]
    pub sometimes: bool,
    /// The words in the test's message when it fails as it should; ` | ` stands between two, where chance decides.
    pub says: String,
    /// The behaviour of the server instead, and the reason, as its page says it.
    pub how: String,
}

/// The scheduling of connections, which decides what happens to the others while one client waits.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The only thread: the others wait.
    OneThread,
    /// A thread of its own: the others are served.
    ThreadPerConnection,
    /// A thread of a pool: the others are served as long as one is free.
    Pool,
    /// The only thread, which waits for all at once: the others are served unless it computes or reads a file.
    EventLoop,
    /// A task: the others are served.
    Tasks,
}

impl Server {
    /// Finds the server of this name.
    pub fn named(name: &str) -> Option<&'static Server> {
        ALL.iter().find(|server| server.name == name)
    }

    /// Finds the server of this name, if it is one of the ladder.
    pub fn rung(name: &str) -> Option<&'static Server> {
        SERVERS.iter().find(|server| server.name == name)
    }

    /// Finds the server of this name, if it is outside the ladder.
    pub fn foreign(name: &str) -> Option<&'static Server> {
        FOREIGN.iter().find(|server| server.name == name)
    }

    /// Tells whether a waiting request holds no thread: the server's sign is square otherwise.
    pub fn is_round(&self) -> bool {
        matches!(self.schedule, Schedule::EventLoop | Schedule::Tasks)
    }

    /// Returns the toolchain that builds and runs it; `None` if cargo does.
    pub fn toolchain(&self) -> Option<&'static Toolchain> {
        let Kind::Language(name) = &self.kind else { return None };
        TOOLCHAINS.iter().find(|one| one.name == *name)
    }

    /// Returns how it must fail this test, if it must.
    pub fn difference(&self, test: &str) -> Option<&Difference> {
        self.differs.iter().find(|one| one.test == test)
    }

    /// Returns the number of waiting clients that it serves at the same time; `None` if it sets no limit.
    pub fn served_at_once(&self) -> Option<u64> {
        match self.schedule {
            Schedule::OneThread => Some(1),
            Schedule::Pool => self.threads,
            Schedule::ThreadPerConnection | Schedule::EventLoop | Schedule::Tasks => None,
        }
    }

    /// Returns its default number of serving threads; `None` if that depends on the clients or the machine.
    pub fn threads_without_options(&self) -> Option<u64> {
        match self.schedule {
            Schedule::OneThread | Schedule::EventLoop => Some(1),
            Schedule::ThreadPerConnection | Schedule::Pool | Schedule::Tasks => self.threads,
        }
    }

    /// Finds the address in the line with which a server says that it listens: `... listening on http://127.0.0.1:41234/
    /// ...`, and without `http://` where it has no pages.
    pub fn address_in(line: &str) -> Option<SocketAddr> {
        let address = line.split("listening on ").nth(1)?;
        address.trim_start_matches("http://").split('/').next()?.parse().ok()
    }

    /// Finds the server that has a step of this name.
    pub fn with_step(name: &str) -> Option<&'static Server> {
        SERVERS.iter().find(|server| server.steps.iter().any(|step| step == name))
    }
}

/// All declarations. The tests of this package show whether the file is what it should be.
static FILE: LazyLock<File> = LazyLock::new(|| {
    parse(include_str!("../../../../examples/servers.toml"))
        .unwrap_or_else(|complaint| panic!("examples/servers.toml: {complaint}"))
});

/// Every server: first those of the ladder.
pub static ALL: LazyLock<&'static [Server]> = LazyLock::new(|| FILE.server.as_slice());

/// Every server of the ladder, from the first to the last.
pub static SERVERS: LazyLock<&'static [Server]> = LazyLock::new(|| &ALL[..first_foreign(&ALL)]);

/// Every server outside the ladder, in the order of their pages.
pub static FOREIGN: LazyLock<&'static [Server]> = LazyLock::new(|| &ALL[first_foreign(&ALL)..]);

fn first_foreign(all: &[Server]) -> usize {
    all.iter().position(|server| server.kind != Kind::Rung).unwrap_or(all.len())
}

/// Tells whether the wire tests are about the server of this name.
pub fn keeps_the_contract(name: &str) -> bool {
    Server::named(name).is_some()
}

/// The names of all servers of the ladder, in order.
pub static NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| SERVERS.iter().map(|server| server.name.as_str()).collect());

/// The names of those whose figures and recordings are among the book's results, in order.
pub static MEASURED: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    SERVERS.iter().filter(|server| server.measured).map(|server| server.name.as_str()).collect()
});

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    server: Vec<Server>,
    #[serde(default)]
    toolchain: Vec<Toolchain>,
    #[serde(default)]
    start: Vec<Started>,
}

fn parse(text: &str) -> Result<File, String> {
    let fields = ["name", "kind", "page", "idea", "schedule", "sign"];
    let mut faults = missing_fields(text, "server", &fields);
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let mut file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    for server in &mut file.server {
        if server.called.is_empty() {
            server.called.clone_from(&server.name);
        }
    }
    faults.extend(toolchain::faults(&file.toolchain));
    faults.extend(started::faults(&file.start, &file.server));
    for (index, server) in file.server.iter().enumerate() {
        let before = &file.server[..index];
        let Server { name, kind, schedule, runtime, reactor, lab, library, .. } = server;
        let is_rung = *kind == Kind::Rung;
        let late = is_rung && before.iter().any(|it| it.kind != Kind::Rung);
        let unknown = match kind {
            Kind::Language(name) => file.toolchain.iter().all(|it| it.name != *name),
            Kind::Rung | Kind::Framework => false,
        };
        let is_in_rust = matches!(kind, Kind::Rung | Kind::Framework);
        let has_threads = server.threads.is_some();
        let has_runtime = runtime.is_some();
        let has_reactor = reactor.is_some();
        let no_executor = is_rung && *schedule == Schedule::Tasks && !has_runtime && !has_reactor;
        let no_events = has_reactor && !has_runtime && !server.is_round();
        let half_said = server.observed_threads.is_some() != (is_rung && has_threads);
        let found = complaints(
            name,
            &[
                (before.iter().any(|it| it.name == *name), " is declared twice"),
                (before.iter().any(|it| it.sign == server.sign), " has the sign of another server"),
                (late, ": the rungs stand before the other servers"),
                (unknown, ": its kind is rung, framework, or a toolchain that is declared"),
                (is_rung != lab.is_some(), ": lab goes with a rung"),
                (is_in_rust == server.main.is_some(), ": main goes with another language"),
                (is_in_rust != server.colour.is_some(), ": a colour goes with Rust"),
                (half_said, ": observed_threads goes with threads, for a rung"),
                (no_executor, " has tasks, and so a runtime, or a reactor for one of its own"),
                (no_events, ": a reactor goes with a runtime, an event loop or tasks"),
                (
                    server.library_refuses && library.is_none(),
                    ": library_refuses goes with library",
                ),
                (
                    has_threads && server.threads_variable.is_some(),
                    " takes its threads from an option or a variable, not both",
                ),
            ],
        );
        faults.extend(found);
        for (at, Difference { test, .. }) in server.differs.iter().enumerate() {
            let twice = server.differs[..at].iter().any(|other| other.test == *test);
            faults.extend(complaints(name, &[(twice, &format!(" differs twice in {test}"))]));
        }
    }
    if faults.is_empty() { Ok(file) } else { Err(faults.join("\n")) }
}

/// Writes the complaints that are true, each behind the name.
fn complaints(name: &str, all: &[(bool, &str)]) -> Vec<String> {
    let found = all.iter().filter(|(is_true, _)| *is_true);
    found.map(|(_, complaint)| format!("{name}{complaint}")).collect()
}

/// Finds the folder of a program: it has the program's name, and lies in `examples/` or one folder deeper, in that of a
/// chapter. For a name that no folder has, this is the folder in which it would lie.
pub fn example_folder(root: &Path, name: &str) -> PathBuf {
    let examples = root.join("examples");
    for chapter in fs::read_dir(&examples).into_iter().flatten().flatten() {
        let folder = chapter.path().join(name);
        if folder.is_dir() {
            return folder;
        }
    }
    examples.join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(name: &str) -> &'static Server {
        Server::named(name).expect("it is declared")
    }

    #[test]
    fn the_file_is_read() {
        assert!(SERVERS.len() >= 10);
        let pool = declared("ch03_threadpool");
        assert_eq!((pool.schedule, pool.threads), (Schedule::Pool, Some(8)));
        assert!(!pool.is_round());
        let node = declared("node_http");
        assert_eq!((node.called.as_str(), node.is_round()), ("Node.js", true));
        assert_eq!(Server::named("ch03"), None);
        assert_eq!(declared("ch01_single_threaded").served_at_once(), Some(1));
        assert_eq!(declared("ch05_futures_blocking").served_at_once(), Some(8));
        assert_eq!(declared("ch06_tokio").served_at_once(), None);
        assert_eq!(declared("event_loop").threads_without_options(), Some(1));
        assert_eq!(declared("own_runtime").threads_without_options(), Some(8));
    }

    #[test]
    fn the_address_is_in_the_line() {
        let line =
            "ch06_tokio: listening on http://127.0.0.1:40123/ with a task for each, process id 1";
        assert_eq!(Server::address_in(line), Some(SocketAddr::from(([127, 0, 0, 1], 40123))));
        let line = "echo: listening on 127.0.0.1:1";
        assert_eq!(Server::address_in(line), Some(SocketAddr::from(([127, 0, 0, 1], 1))));
        assert_eq!(Server::address_in("nothing"), None);
    }

    const RUNG: &str = "[[server]]\nname = \"a\"\nkind = \"rung\"\npage = \"b\"\nidea = \"c\"\nschedule = \"pool\"\n\
                        lab = \"pool\"\ncolour = \"pool\"\nsign = \"3\"\n";

    /// A rung, and more below it.
    fn with(more: &str) -> String {
        format!("{RUNG}{more}")
    }

    #[test]
    fn mistakes_are_named() {
        let foreign = "[[server]]\nname = \"x\"\nkind = \"framework\"\npage = \"p\"\nidea = \"i\"\nschedule = \"tasks\"\n\
                       colour = \"pool\"\nsign = \"X\"\n";
        let threads = "threads = 8\nobserved_threads = 2\n";
        let difference = "[[server.differs]]\ntest = \"t\"\nsays = \"s\"\nhow = \"h\"\n".repeat(2);
        for right in [RUNG.to_owned(), with(foreign)] {
            parse(&right).expect("it has no mistake");
        }
        for (text, why) in [
            (RUNG.repeat(2), "a is declared twice"),
            (RUNG.repeat(2), "a has the sign of another"),
            (
                with("[[server]]\nname = \"b\"\nlab = \"x\"\n"),
                "b lacks kind, page, idea, schedule, sign",
            ),
            (with(&RUNG.replace("\"a\"", "\"b\"")), "b has the sign of another"),
            (RUNG.replace("\"pool\"", "\"crowd\""), "unknown variant `crowd`"),
            (with("color = 1\n"), "unknown field `color`"),
            (with("threads = 8\n"), "observed_threads"),
            (RUNG.replace("schedule = \"pool\"", "schedule = \"tasks\""), "a runtime"),
            (RUNG.replace("lab = \"pool\"\n", ""), "lab goes with"),
            (format!("{foreign}{RUNG}"), "the rungs stand before"),
            (with("reactor = \"mio\"\n"), "goes with a runtime"),
            (with(&format!("{threads}threads_variable = \"T\"\n")), "not both"),
            (with(&foreign.replace("framework", "t")), "a toolchain that is declared"),
            (with(&format!("{foreign}main = \"m\"\n")), "main goes with another language"),
            (with(&foreign.replace("colour = \"pool\"\n", "")), "a colour goes with"),
            (with(&foreign.replace("\"X\"", "\"3\"")), "has the sign of another"),
            (with(&format!("{foreign}library_refuses = true\n")), "goes with library"),
            (with(&format!("{foreign}{difference}")), "x differs twice in t"),
            (with("[[start]]\nnames = [\"a\"]\n"), "a is a server that nobody asks"),
            (with("[[start]]\nnames = [\"z\"]\nasks = [\"/\"]\n"), "z is asked, and no server"),
            (with(&"[[start]]\nnames = [\"a\"]\nasks = [\"/\"]\n".repeat(2)), "in two manners"),
        ] {
            let complaint = parse(&text).expect_err(why);
            assert!(complaint.contains(why), "{complaint}");
        }
    }
}
