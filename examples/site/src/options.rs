//! The command line of every rung.

use std::{
    ffi::OsString,
    fmt::Display,
    io::{self, ErrorKind},
    net::{Ipv4Addr, TcpListener},
    num::NonZeroUsize,
    process,
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
}

/// What a server takes on its command line besides what all take.
#[derive(Clone, Copy, Debug, Default)]
struct Takes {
    /// `--threads`, with its default.
    threads: Option<usize>,
    /// `--log`.
    log: bool,
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
    text += "  --panic-route  add a page /panic whose handler panics, to see what that does\n  -h, --help     print this\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_that_says_nothing_has_the_contracts_defaults() {
        let takes = Takes { threads: Some(8), log: true };
        let Ok(Wish::Run(options)) = Options::parse("rung", takes, []) else {
            panic!("an empty command line is a fine one");
        };
        assert_eq!((options.port, options.threads.get()), (8080, 8));
        assert!(!options.keep_alive && !options.panic_route && !options.log);
    }
}
