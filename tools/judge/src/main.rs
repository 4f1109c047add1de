//! `cargo xtask judge`: puts the cases of our tests to somebody else's server, in whatever language, and says what held.
//!
//! A case knows nothing of this: it is a function of an address. This program asks only the machine it runs on.

mod put;
mod served;
mod told;

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use clap::{ArgGroup, Parser};
use ladder_tests::cases::asked::SITE;
use records::base::{end_with, find_root, say};

use put::{Case, Outcome};
use served::Served;
use told::{Again, Report, Told};

/// How long cases are begun. One that is under way then comes to its end, and the server is perhaps started again: three
/// minutes more at most.
const TIME: Duration = Duration::from_secs(15 * 60);

/// Judge a server of yours by the tests of this book: what held, what did not, and which section explains it
#[derive(Parser)]
#[command(name = "cargo xtask judge", bin_name = "cargo xtask judge")]
#[command(group = ArgGroup::new("server").required(true).multiple(true))]
struct Cli {
    /// The port of this machine on which the server listens
    #[arg(long, group = "server", value_parser = port)]
    port: Option<u16>,
    /// Start the server by this command of the shell, and again where a case ends it. It finds its port in the variable
    /// PORT and instead of {port}; with --port, it has that port by itself
    #[arg(long, group = "server", value_name = "COMMAND")]
    command: Option<String>,
    /// The pages that it has; cases about the site's pages are put only where it has all five
    #[arg(long, value_name = "ROUTES", value_delimiter = ',', default_value = "/")]
    routes: Vec<String>,
    /// Print only the scores
    #[arg(long)]
    scores: bool,
    /// Print everything as JSON, for a class
    #[arg(long, conflicts_with = "scores")]
    json: bool,
}

/// A port, or an address of this machine with one.
fn port(text: &str) -> Result<u16, String> {
    let text = text.trim_start_matches("http://").trim_end_matches('/');
    let (host, port) = text.rsplit_once(':').unwrap_or(("localhost", text));
    if !["localhost", "127.0.0.1", "[::1]"].contains(&host) {
        return Err(format!("the judge asks servers of this machine only, and not {host}"));
    }
    match port.parse() {
        Ok(0) | Err(_) => Err(format!("{port:?} is no port")),
        Ok(port) => Ok(port),
    }
}

fn main() -> ExitCode {
    end_with(judge(&Cli::parse()))
}

fn judge(cli: &Cli) -> Result<ExitCode> {
    for route in &cli.routes {
        let known = SITE.join(", ");
        ensure!(SITE.contains(&route.as_str()), "no case asks for {route}; the pages are {known}");
    }
    // The cases of the outside judge lie there, and the pages' titles.
    let root = find_root()?;
    let has_site = SITE.iter().all(|page| cli.routes.iter().any(|route| route == page));
    let tells = !cli.json && !cli.scores;
    let cases = put::cases();
    let mut served = Served::new(cli.command.clone(), cli.port)?;
    progress("waits for the server");
    let first = served.connect();
    progress("");
    let mut server = put::look(first?)?;
    let mut report = Report::new(&cli.routes, server.can.keep_alive);
    let start = Instant::now();
    for (done, case) in cases.iter().enumerate() {
        if report.stopped.is_none() && start.elapsed() > TIME {
            let minutes = TIME.as_secs() / 60;
            report.stopped = Some(format!("the judge asks for {minutes} minutes and no longer"));
        }
        let outcome = if report.stopped.is_some() {
            Outcome::NotAsked
        } else {
            progress(&format!("{} of {}: {}", done + 1, cases.len(), case.name()));
            let outcome = case.put(&server, has_site);
            progress("");
            outcome
        };
        let was_put = !matches!(outcome, Outcome::NotAsked);
        let told = Told::new(case, outcome);
        if tells {
            told.say();
        }
        report.cases.push(told);
        let serves = if was_put { put::still_serves(&server) } else { Ok(()) };
        if let Err(why) = serves {
            let how = go_on(&mut served, &mut report, case, &why.came);
            server.address = served.address();
            if tells {
                say(format_args!("    after     {how}"));
            }
        }
    }
    report.count(&root)?;
    if cli.json {
        say(serde_json::to_string_pretty(&report)?);
    } else {
        say(report.to_string().trim_end());
    }
    let is_whole = report.stopped.is_none();
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What becomes of a server that does not serve any more: it is started again, or this was the last case.
/// Returns why it does not.
fn go_on(served: &mut Served, report: &mut Report, case: &Case, why: &str) -> String {
    let name = case.name();
    let how = served.how_it_is(why);
    match served.again() {
        None => report.stopped = Some(format!("after {name} the server serves no more: {how}")),
        Some(Ok(client)) => {
            put::greet(client);
            report.started_again.push(Again { after: name.to_owned(), because: how.clone() });
        }
        Some(Err(error)) => {
            report.stopped =
                Some(format!("after {name} the server serves no more: {how}; {error:#}"));
        }
    }
    how
}

/// Says what is under way on a line that the next one replaces, if somebody looks.
fn progress(text: &str) {
    let mut terminal = io::stderr();
    if terminal.is_terminal() {
        let _ = write!(terminal, "\r{text:<76}\r").and_then(|()| terminal.flush());
    }
}
