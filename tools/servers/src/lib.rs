//! Which servers there are, and what each can do by its nature: `examples/servers.toml`, read and checked.
//!
//! This package must not know how a server is tested, measured or shown: whoever does that asks here.

use std::sync::LazyLock;

use serde::Deserialize;

mod foreign;

pub use foreign::{
    Difference, FOREIGN, Foreign, Install, TOOLCHAINS, Toolchain, keeps_the_contract,
};

/// One server of the ladder.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The name of its package, its example and its folder below `examples/`.
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
    /// Whether the slow tests are run with it by default, and not only where every test is.
    #[serde(default)]
    pub slow_tests: bool,
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

/// All declarations.
///
/// # Panics
/// When the file is not what it should be, which the tests of this package would have shown.
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
    let servers = &file.server;
    for (index, server) in servers.iter().enumerate() {
        let name = &server.name;
        if servers[..index].iter().any(|other| other.name == *name) {
            return Err(format!("{name} is declared twice"));
        }
        let signs = servers[..index].iter().map(|it| &it.sign);
        if signs.chain(file.foreign.iter().map(|it| &it.sign)).any(|sign| *sign == server.sign) {
            return Err(format!("{name} has the sign of another server"));
        }
        if server.observed_threads.is_some() != server.threads.is_some() {
            return Err(format!("{name}: observed_threads goes with threads"));
        }
        if server.schedule == Schedule::Tasks
            && server.runtime.is_none()
            && server.reactor.is_none()
        {
            return Err(format!(
                "{name} has tasks, and so a runtime, or a reactor for one of its own"
            ));
        }
        if server.reactor.is_some()
            && server.runtime.is_none()
            && !server.schedule.waits_for_events()
        {
            return Err(format!("{name}: a reactor goes with a runtime, an event loop or tasks"));
        }
        if server.threads.is_some() && server.threads_variable.is_some() {
            return Err(format!("{name} takes its threads from an option or a variable, not both"));
        }
        if file.foreign.iter().any(|foreign| foreign.name == *name) {
            return Err(format!("{name} is declared twice"));
        }
    }
    Ok(file)
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
        let complaint = |text: &str| parse(text).expect_err("it has a mistake");
        assert!(parse(one).is_ok());
        assert!(complaint(&one.repeat(2)).contains("a is declared twice"));
        let other = one.replace("\"a\"", "\"b\"");
        assert!(complaint(&(one.to_owned() + &other)).contains("b has the sign of another"));
        assert!(
            complaint(&one.replace("\"pool\"", "\"crowd\"")).contains("unknown variant `crowd`")
        );
        assert!(complaint(&format!("{one}color = 1\n")).contains("unknown field `color`"));
        assert!(complaint(&format!("{one}threads = 8\n")).contains("observed_threads"));
        assert!(complaint(&one.replace("\"pool\"\nlab", "\"tasks\"\nlab")).contains("a runtime"));
        assert!(complaint(&format!("{one}reactor = \"mio\"\n")).contains("goes with a runtime"));
        let both = "threads = 8\nobserved_threads = 2\nthreads_variable = \"T\"\n";
        assert!(complaint(&format!("{one}{both}")).contains("not both"));
        let other = "[[foreign]]\nname = \"x\"\npage = \"p\"\nidea = \"i\"\ntoolchain = \"t\"\nmain = \"m\"\n\
                     schedule = \"tasks\"\ncolour = \"pool\"\nsign = \"X\"\n";
        assert!(complaint(&format!("{one}{other}")).contains("toolchain t is not declared"));
        let other = other.replace("toolchain = \"t\"\n", "");
        assert!(complaint(&format!("{one}{other}")).contains("main goes with toolchain"));
        let other = other.replace("main = \"m\"\n", "");
        assert!(parse(&format!("{one}{other}")).is_ok());
        let pale = other.replace("colour = \"pool\"\n", "");
        assert!(complaint(&format!("{one}{pale}")).contains("a colour goes with a framework"));
        let same = other.replace("\"X\"", "\"3\"");
        assert!(complaint(&format!("{one}{same}")).contains("has the sign of another"));
        let refuses = "library_refuses = true\n";
        assert!(complaint(&format!("{one}{other}{refuses}")).contains("goes with library"));
        let difference = "[[foreign.differs]]\ntest = \"t\"\nsays = \"s\"\nhow = \"h\"\n".repeat(2);
        assert!(complaint(&format!("{one}{other}{difference}")).contains("x differs twice in t"));
    }
}
