//! What the command line says, and whether that makes sense.

use std::path::PathBuf;

use anyhow::{Result, bail};
use servers::{NAMES, SERVERS, Server};

/// The most clients, and the most requests of one: a picture of more is not readable.
pub const MOST: u64 = 16;

/// The pages of the site that can be asked for.
const ROUTES: [&str; 5] = ["/", "/sleep", "/tenth", "/file", "/work"];

/// What the command line says.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Options {
    /// The server, such as ch03_threadpool
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
    /// How to observe the threads
    #[arg(long, value_enum, default_value_t)]
    pub method: Method,
    /// Write the recording to this file
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// An instrumented server that is built already
    #[arg(long, value_name = "FILE", hide = true)]
    pub executable: Option<PathBuf>,
}

/// How to observe the threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Method {
    /// By the kernel's tracer where that is allowed, and else by samples
    #[default]
    Best,
    /// By the kernel's tracer: every switch (usually only root may)
    Kernel,
    /// By looking about a thousand times a second
    Samples,
}

/// Looks whether the options make sense, and gives the number of threads for `--threads`.
///
/// # Errors
/// When they ask for what is not there.
pub fn check(options: &Options) -> Result<Option<u64>> {
    let rung = options.rung.as_str();
    let Some(server) = Server::named(rung) else {
        bail!("there is no rung `{rung}`; there are {}", NAMES.join(", "));
    };
    let path = options.route.split('?').next().unwrap_or_default();
    let is_plain = options.route.bytes().all(|byte| byte.is_ascii_graphic());
    if !ROUTES.contains(&path) || !is_plain {
        bail!("the site has no page `{}`; it has {}", options.route, ROUTES.join(", "));
    }
    for (name, number) in [("--clients", options.clients), ("--requests", options.requests)] {
        if !(1..=MOST).contains(&number) {
            bail!(
                "{name} takes a number from 1 to {MOST}, and not {number}: a picture of more is not readable"
            );
        }
    }
    match (server.observed_threads, options.threads) {
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
    use super::*;

    fn options(rung: &str) -> Options {
        let (rung, route) = (rung.to_owned(), "/sleep?ms=50".to_owned());
        Options { rung, route, clients: 6, requests: 2, ..Options::default() }
    }

    #[test]
    fn a_pool_is_small_enough_for_a_queue() {
        assert_eq!(check(&options("ch03_threadpool")).unwrap(), Some(4));
        assert_eq!(check(&options("ch06_tokio")).unwrap(), None);
        let eight = Options { threads: Some(8), ..options("ch03_threadpool") };
        assert_eq!(check(&eight).unwrap(), Some(8));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let tokio = || options("ch06_tokio");
        let route = |route: &str| Options { route: route.into(), ..tokio() };
        let pool = || options("ch03_threadpool");
        for (options, expected) in [
            (options("ch03"), "there are ch01_single_threaded"),
            (route("/nowhere"), "no page `/nowhere`"),
            (route("/sleep?ms=1\r\n"), "no page"),
            (Options { clients: 0, ..tokio() }, "--clients takes a number from 1 to 16"),
            (Options { requests: 17, ..tokio() }, "--requests takes"),
            (Options { threads: Some(3), ..tokio() }, "no pool"),
            (Options { threads: Some(0), ..pool() }, "--threads takes"),
        ] {
            let message = check(&options).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
