//! The command line, and the line that is printed. As in the rungs, whose own options know no
//! `--fault`.

use std::{
    ffi::OsString,
    fmt::Display,
    io::{self, ErrorKind},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    num::NonZeroUsize,
    process,
    sync::Arc,
};

use lexopt::prelude::*;
use site::{BACKLOG, Site, complain, say};
use socket2::SockRef;

const NAME: &str = "wrong_servers";

/// How many threads there are without `--threads`, where a fault has several.
const THREADS: NonZeroUsize = NonZeroUsize::new(2).expect("2 is not zero");

/// The most that `--threads` takes.
const MAX_THREADS: u16 = 1024;

/// One way to be wrong.
pub struct Fault {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is wrong, in a line of `--help`.
    pub what: &'static str,
    /// Which of `--keep-alive` and `--threads` mean anything to it.
    pub takes: &'static [&'static str],
    /// Listens, prints its line, and serves forever.
    pub run: fn(&Options, Arc<Site>) -> io::Result<()>,
}

/// What the command line says.
pub struct Options {
    /// The port to listen on; 0 for any free one.
    pub port: u16,
    /// Whether a connection may carry more than one request.
    pub keep_alive: bool,
    /// How many threads, where a fault has several.
    pub threads: NonZeroUsize,
    /// What is wrong.
    pub fault: &'static Fault,
}

impl Options {
    /// Reads the command line. The first of `faults` is the default.
    ///
    /// Prints the usage and ends the process on `--help`; prints one line and
    /// ends it with status 2 on anything that isn't an option, or means nothing to the fault.
    pub fn from_args(faults: &'static [Fault]) -> Options {
        match Options::parse(faults, std::env::args_os().skip(1)) {
            Ok(Some(options)) => options,
            Ok(None) => {
                say(usage(faults));
                process::exit(0);
            }
            Err(complaint) => {
                complain(format_args!("{NAME}: {complaint}; --help lists the options"));
                process::exit(2);
            }
        }
    }

    /// The options; nothing where only the usage is asked for.
    fn parse(
        faults: &'static [Fault],
        args: impl IntoIterator<Item = OsString>,
    ) -> Result<Option<Options>, lexopt::Error> {
        let mut options =
            Options { port: 8080, keep_alive: false, threads: THREADS, fault: &faults[0] };
        let mut given = Vec::new();
        let mut parser = lexopt::Parser::from_args(args);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("port") => options.port = number(&mut parser, "--port", 0, 65535)?,
                Long("keep-alive") => {
                    options.keep_alive = true;
                    given.push("--keep-alive");
                }
                Long("threads") => {
                    let threads = number(&mut parser, "--threads", 1, MAX_THREADS)?;
                    options.threads = NonZeroUsize::new(threads.into()).expect("at least 1");
                    given.push("--threads");
                }
                Long("fault") => {
                    let name = parser.value()?;
                    let fault = faults.iter().find(|fault| name == fault.name);
                    options.fault = fault.ok_or_else(|| format!("there is no --fault {name:?}"))?;
                }
                Long("help") | Short('h') => return Ok(None),
                other => return Err(other.unexpected()),
            }
        }
        // An option that changed nothing would make an experiment compare a thing with itself.
        let fault = options.fault;
        match given.into_iter().find(|flag| !fault.takes.contains(flag)) {
            Some(flag) => Err(format!("{flag} means nothing with --fault {}", fault.name).into()),
            None => Ok(Some(options)),
        }
    }

    /// Where to listen.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// Listens as every rung does. Ends the process with status 1 where the port can't be had.
    pub fn listen(&self) -> TcpListener {
        self.listening(TcpListener::bind(self.address()).and_then(|listener| {
            let socket = SockRef::from(&listener);
            socket.listen(BACKLOG)?;
            socket.set_tcp_nodelay(true)?;
            Ok(listener)
        }))
    }

    /// The listener that could be had. Otherwise one line, and the process ends with status 1.
    pub fn listening(&self, outcome: io::Result<TcpListener>) -> TcpListener {
        outcome.unwrap_or_else(|error| {
            let why = match error.kind() {
                ErrorKind::AddrInUse => "another program holds that port".to_owned(),
                _ => error.to_string(),
            };
            let address = self.address();
            complain(format_args!(
                "{NAME}: cannot listen on {address}: {why}; try --port 0, which takes any free one"
            ));
            process::exit(1)
        })
    }

    /// What was to be started. Where that failed: one line, and the process ends with status 1.
    pub fn started<T>(&self, what: &str, outcome: io::Result<T>) -> T {
        outcome.unwrap_or_else(|error| {
            complain(format_args!("{NAME}: cannot start {what}: {error}"));
            process::exit(1)
        })
    }

    /// Says in one line that the server is ready: the URL, its threads, what is wrong, the process
    /// id.
    pub fn announce(&self, address: SocketAddr, threads: impl Display) {
        let fault = match self.fault.name {
            "none" => "without a fault".to_owned(),
            name => format!("with the fault {name}"),
        };
        let id = process::id();
        say(format_args!(
            "{NAME}: listening on http://{address}/ with {threads}, {fault}, process id {id}\n"
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

fn usage(faults: &[Fault]) -> String {
    let mut text = format!(
        "Usage: {NAME} [OPTIONS]\n\n\
         Servers that are wrong on purpose, to measure what that does. Copy nothing from here.\n\n\
         \x20 --fault NAME   what is wrong (default {})\n\
         \x20 --port N       listen on this port of 127.0.0.1 (default 8080; 0 for any free one)\n\
         \x20 --keep-alive   let a connection carry more than one request\n\
         \x20 --threads N    how many threads, 1 to {MAX_THREADS} (default {THREADS})\n\
         \x20 -h, --help     print this\n\n\
         Faults, and the options that mean something to them:\n\n",
        faults[0].name
    );
    for Fault { name, what, takes, .. } in faults {
        let takes = takes.join(" ");
        text += &format!("  {name:<21} {what}\n");
        if !takes.is_empty() {
            text += &format!("  {:<21} {takes}\n", "");
        }
    }
    text
}
