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

/// An option with a number, of one server and no other.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Its name, without the dashes.
    pub name: &'static str,
    /// What the usage shows for the number: `N`, or the unit.
    pub unit: &'static str,
    /// The least that makes sense.
    pub least: u16,
    /// The most that makes sense.
    pub most: u16,
    /// What the usage says of it, its default included.
    pub about: &'static str,
}

/// The settings on the command line of a rung.
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
    /// The numbers that this server alone takes, of those that were given.
    numbers: Vec<(&'static str, u16)>,
}

/// The command line of one server: the options that all take, and those that are named here.
#[derive(Clone, Copy, Debug)]
pub struct CommandLine {
    rung: &'static str,
    /// The default of `--threads`; `None` if the server doesn't take it.
    threads: Option<usize>,
    log: bool,
    numbers: &'static [Number],
}

/// What a command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Wish {
    Run(Options),
    Help,
}

impl CommandLine {
    /// The server has a pool, and takes `--threads` with this default.
    pub fn with_threads(self, default: usize) -> CommandLine {
        CommandLine { threads: Some(default), ..self }
    }

    /// The server can log each request, and takes `--log`.
    pub fn with_log(self) -> CommandLine {
        CommandLine { log: true, ..self }
    }

    /// The server takes these numbers.
    pub fn with_numbers(self, numbers: &'static [Number]) -> CommandLine {
        CommandLine { numbers, ..self }
    }

    /// Reads the command line of this process.
    ///
    /// Prints the usage and ends the process on `--help`; prints one line and
    /// ends it with status 2 on anything but an option.
    pub fn read(self) -> Options {
        match self.parse(std::env::args_os().skip(1)) {
            Ok(Wish::Run(options)) => options,
            Ok(Wish::Help) => {
                say(self.usage());
                process::exit(0);
            }
            Err(complaint) => refuse(self.rung, complaint),
        }
    }

    fn parse(self, args: impl IntoIterator<Item = OsString>) -> Result<Wish, lexopt::Error> {
        let threads = NonZeroUsize::new(self.threads.unwrap_or(1))
            .expect("a rung's default is at least one thread");
        let mut options = Options {
            rung: self.rung,
            port: 8080,
            keep_alive: false,
            threads,
            panic_route: false,
            log: false,
            numbers: Vec::new(),
        };
        let mut parser = lexopt::Parser::from_args(args);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("port") => options.port = number(&mut parser, "port", 0, 65535)?,
                Long("keep-alive") => options.keep_alive = true,
                Long("log") if self.log => options.log = true,
                Long("threads") if self.threads.is_some() => {
                    let threads = number(&mut parser, "threads", 1, MAX_THREADS)?;
                    options.threads = NonZeroUsize::new(threads.into()).expect("at least 1");
                }
                Long("panic-route") => options.panic_route = true,
                Long("help") | Short('h') => return Ok(Wish::Help),
                other => match self.number_of(&other) {
                    Some(Number { name, least, most, .. }) => {
                        options.numbers.push((name, number(&mut parser, name, *least, *most)?));
                    }
                    None => return Err(other.unexpected()),
                },
            }
        }
        Ok(Wish::Run(options))
    }

    /// The number that this argument announces, if the server takes it.
    fn number_of(self, argument: &lexopt::Arg) -> Option<&'static Number> {
        self.numbers.iter().find(|number| *argument == Long(number.name))
    }

    fn usage(self) -> String {
        let rung = self.rung;
        let mut text = format!(
            "Usage: {rung} [OPTIONS]\n\n\
             \x20 --port N       listen on this port of 127.0.0.1 (default 8080; 0 takes any free one)\n\
             \x20 --keep-alive   let a connection carry more than one request\n"
        );
        if let Some(default) = self.threads {
            text += &format!(
                "  --threads N    how many threads the pool has, 1 to {MAX_THREADS} (default {default})\n"
            );
        }
        if self.log {
            text += "  --log          write a line about each request to standard error\n";
        }
        for number in self.numbers {
            let option = format!("--{} {}", number.name, number.unit);
            text += &format!("  {option:<15}  {}\n", number.about);
        }
        text += "  --panic-route  add a page /panic whose handler panics, to see what that does\n  -h, --help     print this\n";
        text
    }
}

/// Ends the process with status 2, after one line on standard error: what the command line has that makes no sense.
fn refuse(rung: &str, complaint: impl Display) -> ! {
    complain(format_args!("{rung}: {complaint}; --help lists the options"));
    process::exit(2)
}

impl Options {
    /// The command line of this server, to be described further and then to be [read](CommandLine::read).
    pub fn of(rung: &'static str) -> CommandLine {
        CommandLine { rung, threads: None, log: false, numbers: &[] }
    }

    /// The number that was given for the option of this name; the last, if there were several.
    pub fn number(&self, name: &str) -> Option<u16> {
        let given = self.numbers.iter().rev().find(|(given, _)| *given == name);
        given.map(|(_, number)| *number)
    }

    /// Ends the process with status 2, after one line on standard error: numbers that make no sense together, and why.
    pub fn refuse(&self, complaint: impl Display) -> ! {
        refuse(self.rung, complaint)
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
            // What that costs without it, book/behind-a-proxy.md shows.
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

/// The number that follows the option of this name, or a line that says what was expected.
fn number(
    parser: &mut lexopt::Parser,
    name: &str,
    least: u16,
    most: u16,
) -> Result<u16, lexopt::Error> {
    let value = parser.value()?;
    let number = value.to_str().and_then(|digits| digits.parse().ok());
    number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
        format!("--{name} takes a whole number from {least} to {most}, not {value:?}").into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: CommandLine, args: &[&str]) -> Result<Options, String> {
        match line.parse(args.iter().map(OsString::from)) {
            Ok(Wish::Run(options)) => Ok(options),
            Ok(Wish::Help) => Err("help".to_owned()),
            Err(complaint) => Err(complaint.to_string()),
        }
    }

    #[test]
    fn a_command_line_that_says_nothing_has_the_contracts_defaults() {
        let options = run(Options::of("rung").with_threads(8).with_log(), &[]).unwrap();
        assert_eq!((options.port, options.threads.get()), (8080, 8));
        assert!(!options.keep_alive && !options.panic_route && !options.log);
    }

    #[test]
    fn a_server_takes_its_own_numbers_and_no_other_does() {
        const ROOM: Number = Number { name: "room", unit: "N", least: 1, most: 10, about: "room" };
        let line = Options::of("rung").with_numbers(&[ROOM]);
        assert_eq!(run(line, &[]).unwrap().number("room"), None);
        let last = run(line, &["--room", "10", "--room=2"]).unwrap();
        assert_eq!((last.number("room"), last.number("seats")), (Some(2), None));
        for wrong in [&["--room", "0"][..], &["--room", "11"], &["--room"], &["--seats", "1"]] {
            assert!(run(line, wrong).is_err(), "{wrong:?}");
        }
        assert!(run(Options::of("rung"), &["--room", "1"]).is_err());
        assert!(line.usage().contains("--room N"));
    }
}
