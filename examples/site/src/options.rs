//! The command line of every rung.

use std::{
    ffi::OsString,
    fmt::Display,
    io::{self, ErrorKind},
    net::{Ipv4Addr, TcpListener},
    num::NonZeroUsize,
    process, thread,
    time::Duration,
};

use lexopt::prelude::*;
use socket2::SockRef;

use crate::{
    complain,
    listen::{BACKLOG, listen_each},
    say,
};

/// The largest pool that `--threads` makes. Each thread takes a kernel stack and a few KiB more immediately.
const MAX_THREADS: u16 = 1024;

/// What a server bounds, if it bounds anything: rung 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many connections are open at the same time. The clients of others wait in the backlog.
    pub connections: usize,
    /// How many requests are in flight at the same time, of those whose page needs work.
    pub in_flight: usize,
    /// How many of them compute at the same time.
    pub computing: usize,
    /// How long a request waits until it is one of those in flight.
    pub patience: Duration,
    /// How long a request may take, that wait included.
    pub deadline: Duration,
}

impl Default for Bounds {
    /// So loose that a client of the contract never meets them: a page may take ten seconds, and a thousand clients
    /// may ask for it at the same time.
    fn default() -> Bounds {
        Bounds {
            connections: 4096,
            in_flight: 2048,
            computing: thread::available_parallelism().map_or(1, NonZeroUsize::get),
            patience: Duration::from_secs(1),
            deadline: Duration::from_secs(15),
        }
    }
}

/// What the command line of a rung says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    rung: &'static str,
    /// The port to listen on; 0 for any free one.
    pub port: u16,
    /// Whether a connection may carry more than one request.
    pub keep_alive: bool,
    /// The size of the pool, in the rungs that have one; 1 elsewhere.
    pub threads: NonZeroUsize,
    /// Whether the site has a page `/panic` whose handler panics.
    pub panic_route: bool,
    /// Whether each request is logged on standard error, where a server has a log.
    pub log: bool,
    /// What is bounded, in the rung that takes these options; nowhere else has anybody a use for it.
    pub bounds: Bounds,
}

/// What a server takes on its command line besides what all take.
#[derive(Clone, Copy, Debug, Default)]
struct Takes {
    /// `--threads`, with its default.
    threads: Option<usize>,
    /// `--log`.
    log: bool,
    /// The options of [`Bounds`].
    bounds: bool,
}

/// What a command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Wish {
    Run(Options),
    Help,
}

impl Options {
    /// Reads the command line of a rung without a pool.
    ///
    /// Prints the usage and ends the process on `--help`; prints one line and
    /// ends it with status 2 on anything but an option.
    pub fn from_args(rung: &'static str) -> Options {
        Options::from_args_or_exit(rung, Takes::default())
    }

    /// The same for a rung with a pool, which also takes `--threads`.
    pub fn from_args_with_threads(rung: &'static str, default: usize) -> Options {
        Options::from_args_or_exit(rung, Takes { threads: Some(default), ..Takes::default() })
    }

    /// The same for a server that can log each request, which also takes `--log`.
    pub fn from_args_with_log(rung: &'static str) -> Options {
        Options::from_args_or_exit(rung, Takes { log: true, ..Takes::default() })
    }

    /// The same for a server with bounds, which also takes an option for each of them.
    pub fn from_args_with_bounds(rung: &'static str) -> Options {
        Options::from_args_or_exit(rung, Takes { bounds: true, ..Takes::default() })
    }

    fn from_args_or_exit(rung: &'static str, takes: Takes) -> Options {
        match Options::parse(rung, takes, std::env::args_os().skip(1)) {
            Ok(Wish::Run(options)) => options,
            Ok(Wish::Help) => {
                say(usage(rung, takes));
                process::exit(0);
            }
            Err(complaint) => {
                complain(format_args!("{rung}: {complaint}; --help lists the options"));
                process::exit(2);
            }
        }
    }

    fn parse(
        rung: &'static str,
        takes: Takes,
        args: impl IntoIterator<Item = OsString>,
    ) -> Result<Wish, lexopt::Error> {
        let threads = NonZeroUsize::new(takes.threads.unwrap_or(1))
            .expect("a rung's default is at least one thread");
        let mut options = Options {
            rung,
            port: 8080,
            keep_alive: false,
            threads,
            panic_route: false,
            log: false,
            bounds: Bounds::default(),
        };
        let mut parser = lexopt::Parser::from_args(args);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("port") => options.port = number(&mut parser, "--port", 0, 65535)?,
                Long("keep-alive") => options.keep_alive = true,
                Long("log") if takes.log => options.log = true,
                Long("threads") if takes.threads.is_some() => {
                    let threads = number(&mut parser, "--threads", 1, MAX_THREADS)?;
                    options.threads = NonZeroUsize::new(threads.into()).expect("at least 1");
                }
                Long("connections") if takes.bounds => {
                    options.bounds.connections = count(&mut parser, "--connections")?;
                }
                Long("in-flight") if takes.bounds => {
                    options.bounds.in_flight = count(&mut parser, "--in-flight")?;
                }
                Long("computing") if takes.bounds => {
                    options.bounds.computing = count(&mut parser, "--computing")?;
                }
                Long("patience") if takes.bounds => {
                    options.bounds.patience = milliseconds(&mut parser, "--patience")?;
                }
                Long("deadline") if takes.bounds => {
                    options.bounds.deadline = milliseconds(&mut parser, "--deadline")?;
                }
                Long("panic-route") => options.panic_route = true,
                Long("help") | Short('h') => return Ok(Wish::Help),
                other => return Err(other.unexpected()),
            }
        }
        Ok(Wish::Run(options))
    }

    /// The name of the server.
    pub(crate) fn rung(&self) -> &'static str {
        self.rung
    }

    /// Binds 127.0.0.1 and starts to listen. From here on clients can connect, and wait in the backlog.
    ///
    /// Prints one line and ends the process with status 1 where the port can't be had.
    pub fn bind(&self) -> TcpListener {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).and_then(|listener| {
            // `bind` has called `listen` already, for 128 connections. To call it again sets a new length.
            let socket = SockRef::from(&listener);
            socket.listen(BACKLOG)?;
            // Accepted connections inherit this: an answer leaves immediately and doesn't wait until
            // the client's system has confirmed the one before (Nagle's algorithm, RFC 9293, section 3.7.4).
            socket.set_tcp_nodelay(true)?;
            Ok(listener)
        });
        self.bound(bound)
    }

    /// The same with a listener for each thread, between which Linux shares the clients: see [`listen_each`].
    pub fn bind_each(&self) -> Vec<TcpListener> {
        let address = (Ipv4Addr::LOCALHOST, self.port).into();
        self.bound(listen_each(address, self.threads.get()))
    }

    fn bound<T>(&self, outcome: io::Result<T>) -> T {
        outcome.unwrap_or_else(|error| {
            let why = match error.kind() {
                ErrorKind::AddrInUse => "another program holds that port".to_owned(),
                _ => error.to_string(),
            };
            complain(format_args!(
                "{}: cannot listen on 127.0.0.1:{}: {why}; try --port 0, which takes any free one",
                self.rung, self.port
            ));
            process::exit(1)
        })
    }

    /// Ends the process with status 1, after one line on standard error: what could not be done, and why.
    pub fn give_up(&self, what: &str, error: &io::Error) -> ! {
        complain(format_args!("{}: cannot {what}: {error}", self.rung));
        process::exit(1)
    }

    /// Says in one line that the server is ready: the rung, the URL, its threads and the process id.
    ///
    /// `threads` is that part of the line, in words. Call it when everything is in place, signals
    /// included: a reader of the line may send a request, or end the server, immediately.
    ///
    /// # Panics
    /// If `listener` has no address, which a bound one always has.
    pub fn announce(&self, listener: &TcpListener, threads: impl Display) {
        let address = listener.local_addr().expect("a bound listener has an address");
        let rung = self.rung;
        let id = process::id();
        say(format_args!(
            "{rung}: listening on http://{address}/ with {threads}, process id {id}\n"
        ));
    }
}

/// The number that follows `option`, or a line that says what was expected.
fn number(
    parser: &mut lexopt::Parser,
    option: &str,
    least: u16,
    most: u16,
) -> Result<u16, lexopt::Error> {
    let value = parser.value()?;
    let number = value.to_str().and_then(|digits| digits.parse().ok());
    number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
        format!("{option} takes a whole number from {least} to {most}, not {value:?}").into()
    })
}

/// The number of a bound: with 0 nobody would ever be served.
fn count(parser: &mut lexopt::Parser, option: &str) -> Result<usize, lexopt::Error> {
    Ok(number(parser, option, 1, u16::MAX)?.into())
}

/// The time that follows `option`. With 0 ms only what is ready immediately is in time.
fn milliseconds(parser: &mut lexopt::Parser, option: &str) -> Result<Duration, lexopt::Error> {
    Ok(Duration::from_millis(number(parser, option, 0, 60_000)?.into()))
}

fn usage(rung: &str, takes: Takes) -> String {
    let mut text = format!(
        "Usage: {rung} [OPTIONS]\n\n\
         \x20 --port N       listen on this port of 127.0.0.1 (default 8080; 0 takes any free one)\n\
         \x20 --keep-alive   let a connection carry more than one request\n"
    );
    if let Some(default) = takes.threads {
        text += &format!(
            "  --threads N    how many threads the pool has, 1 to {MAX_THREADS} (default {default})\n"
        );
    }
    if takes.log {
        text += "  --log          write a line about each request to standard error\n";
    }
    if takes.bounds {
        let bounds = Bounds::default();
        text += &format!(
            "  --connections N  so many connections at a time (default {})\n\
             \x20 --in-flight N    so many requests in flight (default {})\n\
             \x20 --computing N    so many of them compute (default {} here: one for each hardware thread)\n\
             \x20 --patience MS    refuse a request that waits longer until it is in flight (default {})\n\
             \x20 --deadline MS    give a request up that takes longer (default {})\n",
            bounds.connections,
            bounds.in_flight,
            bounds.computing,
            bounds.patience.as_millis(),
            bounds.deadline.as_millis(),
        );
    }
    text += "  --panic-route  add a page /panic whose handler panics, to see what that does\n  -h, --help     print this\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_that_says_nothing_has_the_contracts_defaults() {
        let takes = Takes { threads: Some(8), log: true, bounds: false };
        let Ok(Wish::Run(options)) = Options::parse("rung", takes, []) else {
            panic!("an empty command line is a fine one");
        };
        assert_eq!((options.port, options.threads.get()), (8080, 8));
        assert!(!options.keep_alive && !options.panic_route && !options.log);
    }

    #[test]
    fn the_bounds_of_a_command_line_that_says_nothing_keep_the_contract() {
        let bounds = Bounds::default();
        // `/sleep` may take ten seconds, and a thousand clients are no reason to refuse one.
        assert!(bounds.deadline > Duration::from_secs(10));
        assert!(bounds.connections > 1000 && bounds.in_flight > 1000);
    }

    #[test]
    fn only_a_server_with_bounds_takes_them() {
        let line = ["--in-flight", "10", "--patience", "0"].map(OsString::from);
        let bounded = Takes { bounds: true, ..Takes::default() };
        let Ok(Wish::Run(options)) = Options::parse("rung", bounded, line.clone()) else {
            panic!("these are its options");
        };
        assert_eq!((options.bounds.in_flight, options.bounds.patience), (10, Duration::ZERO));
        assert!(Options::parse("rung", Takes::default(), line).is_err());
        let nobody = ["--in-flight", "0"].map(OsString::from);
        assert!(Options::parse("rung", bounded, nobody).is_err());
    }
}
