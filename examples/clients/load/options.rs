//! The command line.

use std::{ffi::OsString, process, time::Duration};

use lexopt::prelude::*;

use crate::{
    arrivals::{Arrivals, Moments},
    target::Target,
};

const USAGE: &str = "\
Usage: load [OPTIONS] URL

Sends GET requests to http://HOST[:PORT][/PATH], and counts how many are answered, and how fast.
Without --rate each connection asks again when it has its answer: a closed loop.

  --rate R          open loop: R requests a second are due, whatever the answers do
  --arrivals KIND   with --rate: even, at equal distances (default), or poisson, at random
  --seed N          with --arrivals poisson: the same moments as in the run that printed this seed
  --connections N   use so many connections at a time, 1 to 100000 (default 64)
  --keep-alive      let a connection carry more than one request
  --idle N          keep N further connections, which ask once and are silent then, 0 to 100000
                    (default 0; with --keep-alive)
  --neighbour PATH  let one further client ask for PATH, again and again; it is counted apart
  --neighbour-rate R  the neighbour's requests are due R times a second, whatever the answers do
  --in-time MS      count also the answers with status 200 that took at most MS milliseconds since
                    they were due (in a closed loop: since they began), and those of the neighbour
  --together S      open all connections first, 5000 a second, for at most S seconds, then let each ask
                    once, all at the same moment; who isn't connected by then is turned away
  --duration S      send requests for S seconds (default 10)
  --timeout S       give an answer up after S seconds (default 30)
  --json            print one JSON object, and no table
  -h, --help        print this

What is in flight at the end gets one second more. Ctrl-C prints what there is so far, but not
with --together.
Exit codes: 0 done, 1 nobody there to ask, 2 wrong options, 130 ended by Ctrl-C.
";

/// What the command line says.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Whom to ask.
    pub target: Target,
    /// How many connections there are at a time.
    pub connections: usize,
    /// How many more connections there are that are silent.
    pub idle: usize,
    /// What one further client asks for, again and again; `None` if there is no such client.
    pub neighbour: Option<String>,
    /// How long connections are opened before each asks once, all together; `None` if they don't.
    pub together: Option<Duration>,
    /// Requests a second of that client in an open loop; `None` for a closed loop.
    pub neighbour_rate: Option<f64>,
    /// How long an answer may take to be in time; `None` if that is not counted.
    pub in_time: Option<Duration>,
    /// Requests a second in an open loop; `None` for a closed loop.
    pub rate: Option<f64>,
    /// How the requests of an open loop are spread over the time.
    pub arrivals: Arrivals,
    /// How long requests are sent.
    pub duration: Duration,
    /// How long a client waits for an answer.
    pub timeout: Duration,
    /// Whether a connection carries more than one request.
    pub keep_alive: bool,
    /// Whether the report is JSON.
    pub json: bool,
}

/// How many random moments are kept in memory at most: 1.6 GB.
const MOST_MOMENTS: f64 = 1e8;

/// What a command line asks for.
#[derive(Debug, PartialEq)]
enum Wish {
    Run(Box<Options>),
    Help,
}

impl Options {
    /// Reads the command line.
    ///
    /// Prints the usage and ends the process on `--help`; prints one line and ends it with
    /// status 2 on anything that makes no sense.
    pub fn from_args() -> Options {
        match parse(std::env::args_os().skip(1)) {
            Ok(Wish::Run(options)) => *options,
            Ok(Wish::Help) => {
                print!("{USAGE}");
                process::exit(0)
            }
            Err(complaint) => {
                eprintln!("load: {complaint}; --help lists the options");
                process::exit(2)
            }
        }
    }

    /// When the requests of an open loop are due; `None` for a closed loop.
    pub fn moments(&self) -> Option<Moments> {
        Some(Moments::new(self.arrivals, self.rate?, self.duration))
    }

    /// When the neighbour's are due; `None` where it asks in a closed loop.
    pub fn neighbour_moments(&self) -> Option<Moments> {
        Some(Moments::new(Arrivals::Even, self.neighbour_rate?, self.duration))
    }
}

fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Wish, lexopt::Error> {
    let mut target = None;
    let mut connections = 64.0;
    let mut rate = None;
    let mut poisson = None;
    let mut seed = None;
    let mut neighbour = None;
    let mut neighbour_rate = None;
    let mut in_time = None;
    let mut duration = 10.0;
    let mut timeout = 30.0;
    let mut keep_alive = false;
    let mut json = false;
    let mut idle = 0.0;
    let mut together = None;
    let mut parser = lexopt::Parser::from_args(args);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("rate") => rate = Some(number(&mut parser, "--rate", 0.01, 1e6)?),
            Long("arrivals") => poisson = Some(is_poisson(&mut parser)?),
            Long("seed") => seed = Some(number(&mut parser, "--seed", 0.0, 1e15)?),
            Long("connections") => connections = number(&mut parser, "--connections", 1.0, 1e5)?,
            Long("duration") => duration = number(&mut parser, "--duration", 0.01, 86400.0)?,
            Long("timeout") => timeout = number(&mut parser, "--timeout", 0.001, 3600.0)?,
            Long("keep-alive") => keep_alive = true,
            Long("idle") => idle = number(&mut parser, "--idle", 0.0, 1e5)?,
            Long("neighbour") => neighbour = Some(path(&mut parser)?),
            Long("neighbour-rate") => {
                neighbour_rate = Some(number(&mut parser, "--neighbour-rate", 0.01, 1e6)?);
            }
            Long("in-time") => in_time = Some(number(&mut parser, "--in-time", 0.1, 3.6e6)?),
            Long("together") => together = Some(number(&mut parser, "--together", 0.01, 3600.0)?),
            Long("json") => json = true,
            Long("help") | Short('h') => return Ok(Wish::Help),
            Value(url) if target.is_none() => target = Some(Target::parse(&url.string()?)?),
            other => return Err(other.unexpected()),
        }
    }
    let whole = [("--connections", connections), ("--idle", idle), ("--seed", seed.unwrap_or(0.0))];
    for (option, count) in whole {
        if count.fract() != 0.0 {
            return Err(format!("{option} takes a whole number, not {count}").into());
        }
    }
    if idle > 0.0 && !keep_alive {
        return Err("--idle needs --keep-alive: a connection that closes can't be idle".into());
    }
    let is_alone = !keep_alive && rate.is_none() && neighbour.is_none() && in_time.is_none();
    if together.is_some() && !is_alone {
        let others = "--keep-alive, --rate, --neighbour or --in-time";
        return Err(format!("--together lets each ask once, so it goes without {others}").into());
    }
    if poisson.is_some() && rate.is_none() {
        return Err("--arrivals needs --rate: in a closed loop the answers say when to ask".into());
    }
    if seed.is_some() && poisson != Some(true) {
        return Err("--seed needs --arrivals poisson".into());
    }
    if poisson == Some(true) && rate.unwrap_or(0.0) * duration > MOST_MOMENTS {
        return Err(format!("--arrivals poisson has room for {MOST_MOMENTS} requests").into());
    }
    let arrivals = match poisson {
        Some(true) => {
            let seed = seed.map_or_else(|| fastrand::u64(..1_000_000), |seed| seed as u64);
            Arrivals::Poisson { seed }
        }
        _ => Arrivals::Even,
    };
    if neighbour_rate.is_some() && neighbour.is_none() {
        return Err("--neighbour-rate needs --neighbour".into());
    }
    Ok(Wish::Run(Box::new(Options {
        target: target.ok_or("no URL")?,
        connections: connections as usize,
        idle: idle as usize,
        neighbour,
        together: together.map(Duration::from_secs_f64),
        neighbour_rate,
        in_time: in_time.map(|ms| Duration::from_secs_f64(ms / 1000.0)),
        rate,
        arrivals,
        duration: Duration::from_secs_f64(duration),
        timeout: Duration::from_secs_f64(timeout),
        keep_alive,
        json,
    })))
}

/// Whether the word that follows `--arrivals` is poisson, or a line with what was expected.
fn is_poisson(parser: &mut lexopt::Parser) -> Result<bool, lexopt::Error> {
    match parser.value()?.to_str() {
        Some("even") => Ok(false),
        Some("poisson") => Ok(true),
        other => Err(format!("--arrivals takes even or poisson, not {other:?}").into()),
    }
}

/// The path that follows `--neighbour`, or a line with what was expected.
fn path(parser: &mut lexopt::Parser) -> Result<String, lexopt::Error> {
    let path = parser.value()?.string()?;
    // As in the URL, no other text may come into a request unchecked.
    let is_path = path.starts_with('/') && path.chars().all(|letter| letter.is_ascii_graphic());
    if is_path {
        Ok(path)
    } else {
        Err(format!("--neighbour takes a path such as /work?n=100000, not {path:?}").into())
    }
}

/// The number that follows `option`, or a line with the value that was expected.
fn number(
    parser: &mut lexopt::Parser,
    option: &str,
    least: f64,
    most: f64,
) -> Result<f64, lexopt::Error> {
    let value = parser.value()?;
    let number = value.to_str().and_then(|digits| digits.parse().ok());
    number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
        format!("{option} takes a number from {least} to {most}, not {value:?}").into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> Result<Wish, lexopt::Error> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn the_defaults_are_those_of_the_usage() {
        let Ok(Wish::Run(options)) = options("http://localhost:8080/") else {
            panic!("a URL is enough");
        };
        assert_eq!((options.connections, options.idle, options.rate), (64, 0, None));
        assert_eq!((options.duration.as_secs(), options.timeout.as_secs()), (10, 30));
        assert!(!options.keep_alive && !options.json && options.neighbour.is_none());
        assert_eq!((options.together, options.in_time), (None, None));
    }

    #[test]
    fn arrivals_are_even_unless_they_are_random() {
        let arrivals = |line: &str| match options(line) {
            Ok(Wish::Run(options)) => options.arrivals,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(arrivals("--rate 5 http://a/"), Arrivals::Even);
        assert_eq!(arrivals("--rate 5 --arrivals even http://a/"), Arrivals::Even);
        let seeded = arrivals("--rate 5 --arrivals poisson --seed 7 http://a/");
        assert_eq!(seeded, Arrivals::Poisson { seed: 7 });
        assert!(matches!(
            arrivals("--rate 5 --arrivals poisson http://a/"),
            Arrivals::Poisson { .. }
        ));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in [
            "",
            "--json",
            "http://a/ http://b/",
            "https://a/",
            "--rate 0 http://a/",
            "--rate -5 http://a/",
            "--rate NaN http://a/",
            "--rate inf http://a/",
            "--rate http://a/",
            "--arrivals poisson http://a/",
            "--rate 5 --arrivals random http://a/",
            "--rate 5 --seed 7 http://a/",
            "--rate 5 --arrivals poisson --seed 0.5 http://a/",
            "--rate 1e6 --duration 3600 --arrivals poisson http://a/",
            "--duration 0 http://a/",
            "--connections 0 http://a/",
            "--connections 1.5 http://a/",
            "--timeout 0 http://a/",
            "--idle 10 http://a/",
            "--idle 0.5 --keep-alive http://a/",
            "--idle -1 --keep-alive http://a/",
            "--neighbour work http://a/",
            "--neighbour http://a/",
            "--neighbour-rate 5 http://a/",
            "--neighbour / --neighbour-rate 0 http://a/",
            "--in-time 0 http://a/",
            "--in-time http://a/",
            "--together 4 --in-time 250 http://a/",
            "--together 0 http://a/",
            "--together 4 --keep-alive http://a/",
            "--together 4 --rate 5 http://a/",
            "--together 4 --neighbour / http://a/",
            "--threads 2 http://a/",
            "-c64 http://a/",
        ] {
            assert!(options(line).is_err(), "{line}");
        }
    }
}
