//! Which servers there are, and what each can do by its nature: `examples/servers.toml`, read and checked.
//!
//! This package must not know how a server is tested, measured or shown: whoever does that asks here.

use std::sync::LazyLock;

use serde::Deserialize;

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

impl Server {
    /// The server of this name.
    pub fn named(name: &str) -> Option<&'static Server> {
        SERVERS.iter().find(|server| server.name == name)
    }

    /// Whether one wait of it serves many clients: an event loop, or tasks.
    fn waits_for_events(&self) -> bool {
        matches!(self.schedule, Schedule::EventLoop | Schedule::Tasks)
    }

    /// How many clients it serves at the same time while each of them waits; `None` where it sets no limit.
    pub fn served_at_once(&self) -> Option<u64> {
        match self.schedule {
            Schedule::OneThread => Some(1),
            Schedule::Pool => self.threads,
            Schedule::ThreadPerConnection | Schedule::EventLoop | Schedule::Tasks => None,
        }
    }

    /// Whether its sign is round: a request that waits holds no thread.
    pub fn is_round(&self) -> bool {
        self.waits_for_events()
    }

    /// The server that has a step of this name.
    pub fn with_step(name: &str) -> Option<&'static Server> {
        SERVERS.iter().find(|server| server.steps.iter().any(|step| step == name))
    }
}

/// Every server, from the first to the last.
///
/// # Panics
/// When the file is not what it should be, which the tests of this package would have shown.
pub static SERVERS: LazyLock<Vec<Server>> = LazyLock::new(|| {
    parse(include_str!("../../../examples/servers.toml"))
        .unwrap_or_else(|complaint| panic!("examples/servers.toml: {complaint}"))
});

/// The names of all servers, in order.
pub static NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| SERVERS.iter().map(|server| server.name.as_str()).collect());

/// The names of those whose figures and recordings are among the book's results, in order.
pub static MEASURED: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    SERVERS.iter().filter(|server| server.measured).map(|server| server.name.as_str()).collect()
});

fn parse(text: &str) -> Result<Vec<Server>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        server: Vec<Server>,
    }
    let File { server: servers } = toml::from_str(text).map_err(|error| error.to_string())?;
    for (index, server) in servers.iter().enumerate() {
        let name = &server.name;
        if servers[..index].iter().any(|other| other.name == *name) {
            return Err(format!("{name} is declared twice"));
        }
        if servers[..index].iter().any(|other| other.sign == server.sign) {
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
        if server.reactor.is_some() && server.runtime.is_none() && !server.waits_for_events() {
            return Err(format!("{name}: a reactor goes with a runtime, an event loop or tasks"));
        }
        if server.threads.is_some() && server.threads_variable.is_some() {
            return Err(format!("{name} takes its threads from an option or a variable, not both"));
        }
    }
    Ok(servers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read() {
        assert!(SERVERS.len() >= 10);
        let pool = Server::named("ch03_threadpool").expect("it is declared");
        assert_eq!((pool.schedule, pool.threads), (Schedule::Pool, Some(8)));
        assert_eq!((pool.is_round(), &*pool.colour, &*pool.sign), (false, "pool", "3"));
        assert_eq!(Server::named("ch03"), None);
        let at_once = |name| Server::named(name).expect("it is declared").served_at_once();
        assert_eq!(at_once("ch01_single_threaded"), Some(1));
        assert_eq!((at_once("ch05_futures_blocking"), at_once("ch06_tokio")), (Some(8), None));
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
    }
}
