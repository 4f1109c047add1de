//! Reads the command line, and checks it.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use records::{
    opening::{self, OPENINGS, Opening},
    recording::OBSERVED,
    servers::{NAMES, SERVERS, Server},
};

/// The most clients, and the most requests of one: a picture of more is not readable.
const MOST: u64 = 16;

/// The most clients of an opening, those included that are not recorded: each is a thread here, and holds two sockets.
const CROWD: usize = 600;

/// The time between the first requests of two clients, and between two requests of one.
pub const APART: Duration = Duration::from_millis(5);

/// The pages of the site that can be asked for.
const ROUTES: [&str; 5] = ["/", "/sleep", "/tenth", "/file", "/work"];

/// Record what the threads, tasks and requests of one server do, for its picture (Linux)
#[derive(clap::Parser, Clone, Debug, Default)]
#[command(name = "cargo xtask observe", bin_name = "cargo xtask observe")]
pub struct Options {
    /// The server, such as ch03_threadpool; or the name of a file in measurements/openings, such as one-thread, or in
    /// measurements/programs, such as jobs-joined, which says everything but where to write
    pub rung: String,
    /// What every request asks for
    #[arg(long, default_value = "/sleep")]
    pub route: String,
    /// How many clients there are
    #[arg(long, default_value_t = 6)]
    pub clients: u64,
    /// How many requests each of them sends, one after the other
    #[arg(long, default_value_t = 2)]
    pub requests: u64,
    /// The size of the pool, in the rungs that have one [default: 4, or 2 in chapter 5]
    #[arg(long)]
    pub threads: Option<u64>,
    /// Write the recording to this file
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// An instrumented server that is built already
    #[arg(long, value_name = "FILE", hide = true)]
    pub executable: Option<PathBuf>,
}

/// A recording that is to be made.
#[derive(Clone, Debug)]
pub struct Plan {
    pub server: String,
    /// Its `--threads`, where it takes them.
    pub threads: Option<u64>,
    /// More options of the server.
    pub options: Vec<String>,
    pub clients: Vec<Client>,
    /// Whether an answer may be a 503.
    pub may_refuse: bool,
    /// The time from the first request to Ctrl-C, if it gets that.
    pub stop: Option<Duration>,
    /// The recording's file, in a folder of results.
    pub file: PathBuf,
    /// The command that makes such a recording again.
    pub command: String,
}

/// A client, which sends one request after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The time from the first client's start to its own.
    pub start: Duration,
    pub routes: Vec<String>,
    /// Whether it is recorded.
    pub is_recorded: bool,
}

impl Plan {
    /// Plans what the command line asks for: an opening, or one server and clients that all do the same. Fails when it asks
    /// for something that does not exist.
    pub fn of(root: &Path, options: &Options) -> Result<Plan> {
        match opening::load(root, &options.rung)? {
            Some(opening) => {
                Plan::of_opening(&options.rung, &opening).with_context(|| options.rung.clone())
            }
            None => Plan::of_options(root, options),
        }
    }

    fn of_opening(name: &str, opening: &Opening) -> Result<Plan> {
        for ask in &opening.asks {
            check_route(&ask.route)?;
        }
        ensure!(!opening.asks.is_empty(), "nobody asks for anything");
        let server = opening.server.as_str();
        let mut clients = Vec::new();
        for client in opening.clients() {
            clients.push(Client {
                start: Duration::from_millis(client.at_ms),
                routes: vec![client.route.to_owned()],
                is_recorded: client.is_recorded,
            });
        }
        let crowd = clients.len();
        ensure!(crowd <= CROWD, "{crowd} clients are more than {CROWD}");
        let recorded = clients.iter().filter(|client| client.is_recorded).count();
        let counts = [("--clients", recorded as u64)];
        let is_foreign = Server::foreign(server).is_some();
        Ok(Plan {
            server: server.to_owned(),
            threads: match is_foreign {
                true => opening.threads,
                false => check(server, &counts, opening.threads)?,
            },
            options: opening.options.clone(),
            clients,
            may_refuse: opening.may_refuse,
            stop: opening.stop_ms.map(Duration::from_millis),
            file: Path::new(OPENINGS).join(format!("{name}.json")),
            command: format!("cargo xtask observe {name}"),
        })
    }

    fn of_options(root: &Path, options: &Options) -> Result<Plan> {
        let Options { rung, route, clients, requests, threads, .. } = options;
        if Server::rung(rung).is_none() {
            let openings = opening::names(root)?.join(", ");
            bail!(
                "there is no rung and no opening `{rung}`; there are {}; and {openings}",
                NAMES.join(", ")
            );
        }
        check_route(route)?;
        let counts = [("--clients", *clients), ("--requests", *requests)];
        let threads = check(rung, &counts, *threads)?;
        let mut all = Vec::new();
        for client in 0..*clients {
            all.push(Client {
                start: APART * client as u32,
                routes: vec![route.clone(); *requests as usize],
                is_recorded: true,
            });
        }
        let mut command = format!(
            "cargo xtask observe {rung} --route {route} --clients {clients} --requests {requests}"
        );
        if let Some(threads) = threads {
            command += &format!(" --threads {threads}");
        }
        Ok(Plan {
            server: rung.clone(),
            threads,
            options: Vec::new(),
            clients: all,
            may_refuse: false,
            stop: None,
            file: Path::new(OBSERVED).join(format!("{rung}.json")),
            command,
        })
    }

    /// Lists the routes of all requests, each once.
    pub fn routes(&self) -> Vec<&str> {
        let mut routes: Vec<&str> = Vec::new();
        for route in self.clients.iter().flat_map(|client| &client.routes) {
            if !routes.contains(&route.as_str()) {
                routes.push(route);
            }
        }
        routes
    }
}

/// Checks that the site has this page.
fn check_route(route: &str) -> Result<()> {
    let path = route.split('?').next().unwrap_or_default();
    let is_plain = route.bytes().all(|byte| byte.is_ascii_graphic());
    ensure!(
        ROUTES.contains(&path) && is_plain,
        "the site has no page `{route}`; it has {}",
        ROUTES.join(", ")
    );
    Ok(())
}

/// Checks the numbers of clients and requests, and returns the number for the rung's `--threads`.
fn check(rung: &str, counts: &[(&str, u64)], threads: Option<u64>) -> Result<Option<u64>> {
    let Some(server) = Server::rung(rung) else {
        bail!("there is no rung `{rung}`; there are {}", NAMES.join(", "));
    };
    for (name, number) in counts {
        ensure!(
            (1..=MOST).contains(number),
            "{name} takes a number from 1 to {MOST}, and not {number}: a picture of more is not readable"
        );
    }
    match (server.observed_threads, threads) {
        (None, Some(_)) => {
            let pools = SERVERS.iter().filter(|server| server.threads.is_some());
            let names: Vec<&str> = pools.map(|server| server.name.as_str()).collect();
            let names = names.join(", ");
            bail!("{rung} has no pool, so it takes no --threads; those that do: {names}")
        }
        (Some(_), Some(threads)) if !(1..=MOST).contains(&threads) => {
            bail!("--threads takes a number from 1 to {MOST}, and not {threads}")
        }
        (pool, threads) => Ok(threads.or(pool)),
    }
}

#[cfg(test)]
mod tests {
    use records::base::find_root;

    use super::*;

    fn options(rung: &str) -> Options {
        let rung = rung.to_owned();
        let route = "/sleep?ms=50".to_owned();
        Options { rung, route, clients: 6, requests: 2, ..Options::default() }
    }

    fn plan(options: &Options) -> Result<Plan> {
        Plan::of(&find_root().unwrap(), options)
    }

    /// A pool is small enough for a queue.
    #[test]
    fn clients_that_all_do_the_same_follow_each_other() {
        let pool = plan(&options("ch03_threadpool")).unwrap();
        assert_eq!((pool.clients.len(), pool.threads), (6, Some(4)));
        assert_eq!(pool.clients[5].start, Duration::from_millis(25));
        assert_eq!(pool.routes(), ["/sleep?ms=50"]);
        assert_eq!(pool.file, Path::new("observed/ch03_threadpool.json"));
        assert!(pool.command.ends_with("--clients 6 --requests 2 --threads 4"), "{}", pool.command);
        let eight = Options { threads: Some(8), ..options("ch03_threadpool") };
        assert_eq!(plan(&eight).unwrap().threads, Some(8));
        assert_eq!(plan(&options("ch06_tokio")).unwrap().threads, None);
    }

    #[test]
    fn an_opening_sends_each_client_to_its_route_at_its_time() {
        let pool = plan(&options("pool-of-two")).unwrap();
        assert_eq!((pool.server.as_str(), pool.threads), ("ch03_threadpool", Some(2)));
        let routes: Vec<&str> = pool.clients.iter().map(|it| it.routes[0].as_str()).collect();
        assert_eq!(routes, ["/sleep?ms=5000", "/sleep?ms=5000", "/"]);
        assert!(pool.clients.is_sorted_by_key(|client| client.start));
        assert_eq!(pool.routes(), ["/sleep?ms=5000", "/"]);
        // All that are described can be recorded.
        for name in opening::names(&find_root().unwrap()).unwrap() {
            plan(&options(&name)).unwrap_or_else(|error| panic!("{name}: {error:#}"));
        }
        for (server, route, clients) in
            [("ch06_tokio", "/nowhere", 1), ("ch07", "/", 1), ("ch06_tokio", "/", 99)]
        {
            let asks = format!("[[asks]]\nat_ms = 0\nroute = \"{route}\"\nclients = {clients}\n");
            let opening = format!("title = \"\"\nserver = \"{server}\"\n{asks}");
            let opening: Opening = toml::from_str(&opening).unwrap();
            assert!(Plan::of_opening("a", &opening).is_err());
        }
    }

    #[test]
    fn what_is_not_there_is_named() {
        let tokio = options("ch06_tokio");
        for (options, expected) in [
            (options("ch03"), "there are ch01_single_threaded"),
            (Options { route: "/sleep?ms=1\r\n".into(), ..tokio.clone() }, "no page"),
            (Options { clients: 0, ..tokio.clone() }, "--clients takes a number from 1 to 16"),
            (Options { requests: 17, ..tokio.clone() }, "--requests takes"),
            (Options { threads: Some(3), ..tokio }, "no pool"),
            (Options { threads: Some(0), ..options("ch03_threadpool") }, "--threads takes"),
        ] {
            let message = plan(&options).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
