//! Which servers there are, and what each can do by its nature: `examples/servers.toml`, read and checked.
//!
//! This package must not know how a server is tested, measured or shown: whoever does that asks here.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use serde::Deserialize;

mod foreign;

pub use foreign::{Difference, FOREIGN, Foreign, TOOLCHAINS, Toolchain, keeps_the_contract};

/// One server of the ladder.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The name of its package, its example and its folder ([`example_folder`]).
    pub name: String,
    /// Its page below `book/`, without `.md`.
    pub chapter: String,
    /// Its idea in six words.
    pub idea: String,
    /// What a picture calls it, beside its sign.
    pub called: String,
    /// Who serves a connection.
    pub schedule: Schedule,
    /// Its model in the scheduler lab.
    pub lab: String,
    /// Its colour in pictures: `--server-NAME` of `book/theme/pictures.css`.
    pub colour: String,
    /// The letters of its sign.
    pub sign: String,
    /// The default of `--threads`; `None` where there is no such option.
    pub threads: Option<u64>,
    /// The variable that sets the number of threads of its runtime, where it is no option.
    pub threads_variable: Option<String>,
    /// How many threads it gets for its recording, where it takes `--threads`.
    pub observed_threads: Option<u64>,
    /// Smaller servers from which its page builds it up.
    #[serde(default)]
    pub steps: Vec<String>,
    /// Whether its figures and its recording are among the book's results.
    #[serde(default = "yes")]
    pub measured: bool,
    /// The package of its async runtime; `None` for a server without tasks, or with a runtime of its own.
    pub runtime: Option<String>,
    /// The package with which it waits for the system's events, where it has one.
    pub reactor: Option<String>,
}

fn yes() -> bool {
    true
}

/// With what a picture names a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign<'a> {
    /// One letter, or two.
    pub letters: &'a str,
    /// `--server-NAME` of `book/theme/pictures.css`; `None` for ink.
    pub colour: Option<&'a str>,
    /// What a picture calls it, beside these letters.
    pub called: &'a str,
    /// Who serves a connection.
    pub schedule: Schedule,
}

impl Sign<'_> {
    /// Whether a request that waits holds no thread: the sign is square elsewhere.
    pub fn is_round(&self) -> bool {
        self.schedule.waits_for_events()
    }

    /// The sign of this server: of the ladder, or outside it.
    pub fn named(name: &str) -> Option<Sign<'static>> {
        SIGNS.iter().find(|(known, _)| *known == name).map(|(_, sign)| *sign)
    }
}

impl<'a> From<&'a Server> for Sign<'a> {
    fn from(server: &'a Server) -> Sign<'a> {
        let Server { sign, colour, called, schedule, .. } = server;
        Sign { letters: sign, colour: Some(colour), called, schedule: *schedule }
    }
}

impl<'a> From<&'a Foreign> for Sign<'a> {
    fn from(server: &'a Foreign) -> Sign<'a> {
        let Foreign { sign, colour, name, schedule, .. } = server;
        let colour = colour.as_deref();
        Sign { letters: sign, colour, called: name, schedule: *schedule }
    }
}

/// The signs of all servers by their names: first those of the ladder.
pub static SIGNS: LazyLock<Vec<(&'static str, Sign<'static>)>> = LazyLock::new(|| {
    let ladder = SERVERS.iter().map(|it| (it.name.as_str(), Sign::from(it)));
    ladder.chain(FOREIGN.iter().map(|it| (it.name.as_str(), Sign::from(it)))).collect()
});

/// Who serves a connection, and so what happens to the others while one client waits.
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

impl Schedule {
    /// Whether one wait of it serves many clients: an event loop, or tasks.
    fn waits_for_events(self) -> bool {
        matches!(self, Schedule::EventLoop | Schedule::Tasks)
    }
}

impl Server {
    /// The server of this name.
    pub fn named(name: &str) -> Option<&'static Server> {
        SERVERS.iter().find(|server| server.name == name)
    }

    /// How many clients it serves at the same time while each of them waits; `None` where it sets no limit.
    pub fn served_at_once(&self) -> Option<u64> {
        match self.schedule {
            Schedule::OneThread => Some(1),
            Schedule::Pool => self.threads,
            Schedule::ThreadPerConnection | Schedule::EventLoop | Schedule::Tasks => None,
        }
    }

    /// How many threads serve its clients without an option; `None` where that depends on the clients or the machine.
    pub fn threads_without_options(&self) -> Option<u64> {
        match self.schedule {
            Schedule::OneThread | Schedule::EventLoop => Some(1),
            Schedule::ThreadPerConnection | Schedule::Pool | Schedule::Tasks => self.threads,
        }
    }

    /// The server that has a step of this name.
    pub fn with_step(name: &str) -> Option<&'static Server> {
        SERVERS.iter().find(|server| server.steps.iter().any(|step| step == name))
    }
}

/// All declarations. The tests of this package show whether the file is what it should be.
static FILE: LazyLock<File> = LazyLock::new(|| {
    parse(include_str!("../../../examples/servers.toml"))
        .unwrap_or_else(|complaint| panic!("examples/servers.toml: {complaint}"))
});

/// Every server of the ladder, from the first to the last.
pub static SERVERS: LazyLock<&'static [Server]> = LazyLock::new(|| FILE.server.as_slice());

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
    foreign: Vec<Foreign>,
}

fn parse(text: &str) -> Result<File, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    foreign::check(&file.toolchain, &file.foreign)?;
    for (index, server) in file.server.iter().enumerate() {
        let Server { name, schedule, threads, runtime, reactor, .. } = server;
        let (before, foreign) = (file.server[..index].iter(), file.foreign.iter());
        let mut names = before.clone().map(|it| &it.name).chain(foreign.clone().map(|it| &it.name));
        let mut signs = before.map(|it| &it.sign).chain(foreign.map(|it| &it.sign));
        let (has_runtime, has_reactor) = (runtime.is_some(), reactor.is_some());
        let no_executor = *schedule == Schedule::Tasks && !has_runtime && !has_reactor;
        let no_events = has_reactor && !has_runtime && !schedule.waits_for_events();
        let half_said = server.observed_threads.is_some() != threads.is_some();
        let complaints = [
            (names.any(|other| other == name), " is declared twice"),
            (signs.any(|sign| *sign == server.sign), " has the sign of another server"),
            (half_said, ": observed_threads goes with threads"),
            (no_executor, " has tasks, and so a runtime, or a reactor for one of its own"),
            (no_events, ": a reactor goes with a runtime, an event loop or tasks"),
            (threads.is_some() && server.threads_variable.is_some(), TWO_SOURCES),
        ];
        complain(name, &complaints)?;
    }
    Ok(file)
}

const TWO_SOURCES: &str = " takes its threads from an option or a variable, not both";

/// Fails with the first of these complaints that is true, behind the name.
fn complain(name: &str, complaints: &[(bool, &str)]) -> Result<(), String> {
    match complaints.iter().find(|(is_true, _)| *is_true) {
        Some((_, complaint)) => Err(format!("{name}{complaint}")),
        None => Ok(()),
    }
}

/// The folder of a program of `examples/`, which has the program's name and lies in it or one folder deeper, in its
/// chapter's. A name that nothing has gets the folder in which it would lie.
pub fn example_folder(root: &Path, name: &str) -> PathBuf {
    let examples = root.join("examples");
    let groups = fs::read_dir(&examples).into_iter().flatten().flatten();
    let inside = groups.map(|group| group.path().join(name)).find(|folder| folder.is_dir());
    inside.unwrap_or_else(|| examples.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read() {
        assert!(SERVERS.len() >= 10);
        let pool = Server::named("ch03_threadpool").expect("it is declared");
        assert_eq!((pool.schedule, pool.threads), (Schedule::Pool, Some(8)));
        assert_eq!((Sign::from(pool).is_round(), &*pool.colour, &*pool.sign), (false, "pool", "3"));
        let node = Sign::named("node_http").expect("it is declared");
        assert_eq!((node.called, node.is_round(), node.colour), ("node_http", true, None));
        assert_eq!(Server::named("ch03"), None);
        let at_once = |name| Server::named(name).expect("it is declared").served_at_once();
        assert_eq!(at_once("ch01_single_threaded"), Some(1));
        assert_eq!((at_once("ch05_futures_blocking"), at_once("ch06_tokio")), (Some(8), None));
        let threads = |name| Server::named(name).expect("it is declared").threads_without_options();
        assert_eq!((threads("event_loop"), threads("own_runtime")), (Some(1), Some(8)));
    }

    #[test]
    fn mistakes_are_named() {
        let one = "[[server]]\nname = \"a\"\nchapter = \"b\"\nidea = \"c\"\ncalled = \"d\"\nschedule = \"pool\"\nlab = \"pool\"\n\
                   colour = \"pool\"\nsign = \"3\"\n";
        let foreign = "[[foreign]]\nname = \"x\"\npage = \"p\"\nidea = \"i\"\nschedule = \"tasks\"\n\
                       colour = \"pool\"\nsign = \"X\"\n";
        let threads = "threads = 8\nobserved_threads = 2\n";
        let with = |more: &str| format!("{one}{more}");
        let difference = "[[foreign.differs]]\ntest = \"t\"\nsays = \"s\"\nhow = \"h\"\n".repeat(2);
        for right in [one.to_owned(), with(foreign)] {
            parse(&right).expect("it has no mistake");
        }
        for (text, why) in [
            (one.repeat(2), "a is declared twice"),
            (with(&one.replace("\"a\"", "\"b\"")), "b has the sign of another"),
            (one.replace("\"pool\"", "\"crowd\""), "unknown variant `crowd`"),
            (with("color = 1\n"), "unknown field `color`"),
            (with("threads = 8\n"), "observed_threads"),
            (one.replace("\"pool\"\nlab", "\"tasks\"\nlab"), "a runtime"),
            (with("reactor = \"mio\"\n"), "goes with a runtime"),
            (with(&format!("{threads}threads_variable = \"T\"\n")), "not both"),
            (with(&format!("{foreign}toolchain = \"t\"\nmain = \"m\"\n")), "toolchain t is not"),
            (with(&format!("{foreign}main = \"m\"\n")), "main goes with toolchain"),
            (with(&foreign.replace("colour = \"pool\"\n", "")), "a colour goes with"),
            (with(&foreign.replace("\"X\"", "\"3\"")), "has the sign of another"),
            (with(&format!("{foreign}library_refuses = true\n")), "goes with library"),
            (with(&format!("{foreign}{difference}")), "x differs twice in t"),
        ] {
            let complaint = parse(&text).expect_err(why);
            assert!(complaint.contains(why), "{complaint}");
        }
    }
}
