//! `cargo xtask judge`: puts the cases of our tests to somebody else's server, in whatever language, and says what held.
//!
//! A case knows nothing of this: it is a function of an address. This program asks only the machine it runs on.

mod environment;
mod examination;
mod progress;
mod report;
mod server;
mod stderr;

use std::{
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use clap::{ArgGroup, Parser};
use ladder_tests::cases::{Target, catalogue::SITE};
use records::{
    base::{end_with, find_root, say},
    judged::table,
};

use examination::{Case, Obstacle, Outcome, await_answer};
use progress::progress;
use report::{AskedBy, CaseReport, Report, Restart, ServerName};
use server::Server;

/// How long cases are begun, but for the time in which a port is waited for. One that is under way then comes to its end,
/// and the server is perhaps started again: three minutes more at most.
const TIME: Duration = Duration::from_secs(15 * 60);

/// How many descriptors this program wants: the largest case has two hundred connections.
#[cfg(unix)]
const FILES: usize = 400;

/// Judge a server of yours by the tests of this book: what held, what did not, and which section explains it
#[derive(Parser)]
#[command(name = "cargo xtask judge", bin_name = "cargo xtask judge")]
#[command(group = ArgGroup::new("server").required(true).multiple(true))]
#[command(
    after_help = "The exit status is 0 if all held that is asked of any server that speaks HTTP/1.1, 1 if it did \
    not or could not be asked, and 2 if an argument is wrong. What clients, this book and the outside judge ask for does \
    not count in it."
)]
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
    /// Print each case of the outside judge that did not hold, and not only one line about them
    #[arg(long)]
    outside: bool,
    /// Print only the scores
    #[arg(long, conflicts_with = "outside")]
    scores: bool,
    /// Print everything as JSON, for a class; with --scores, all but the single cases
    #[arg(long, conflicts_with = "outside")]
    json: bool,
    /// Your name, for a class: the report has it, and so has its row in a table
    #[arg(long)]
    name: Option<String>,
    /// Judge nothing, and print a table of such reports: a row for each file
    #[arg(long, group = "server", value_name = "FILE", num_args = 1..)]
    #[arg(conflicts_with_all = ["port", "command", "outside", "scores", "json", "name"])]
    table: Vec<PathBuf>,
}

/// Reads a port, or an address of this machine with one.
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
    end_with(run(&Cli::parse()))
}

fn run(cli: &Cli) -> Result<ExitCode> {
    if !cli.table.is_empty() {
        say(table(&cli.table)?.trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    let report = judge(cli)?;
    Ok(if report.http_holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Judges one server, and prints the report.
fn judge(cli: &Cli) -> Result<Report> {
    for route in &cli.routes {
        let known = SITE.join(", ");
        ensure!(SITE.contains(&route.as_str()), "no case asks for {route}; the pages are {known}");
    }
    // The cases of the outside judge lie there, and the pages' titles.
    let root = find_root()?;
    let mut judged = Server::new(cli.command.clone(), cli.port, raise_own_limit())?;
    let (mut server, mut report) = inspect(cli, &mut judged)?;
    examine_all(cli, &mut judged, &mut server, &mut report);
    report.waited_for_port_s = judged.waited.as_secs();
    report.count(&root)?;
    if cli.json {
        if cli.scores {
            report.cases.clear();
        }
        say(serde_json::to_string_pretty(&report)?);
    } else if cli.scores {
        say(report.scores().trim_end());
    } else {
        say(format_args!("\n{}\n\n{}", report.outside(), report.scores()));
        say(report.verdict().trim_end());
    }
    Ok(report)
}

/// Lets this program have as many connections as its cases need, if it may. Returns how many descriptors a server gets then
/// that it starts: as many as without this.
#[cfg(unix)]
fn raise_own_limit() -> Option<u64> {
    let (own, _) = ladder_tests::file_limits()?;
    let is_raised = ladder_tests::raise_file_limit(FILES);
    (is_raised && own < ladder_tests::file_limits()?.0).then_some(own)
}

/// No limit is known here.
#[cfg(not(unix))]
fn raise_own_limit() -> Option<u64> {
    None
}

/// Starts the server, if it has a command, finds out what it can, and begins the report.
fn inspect(cli: &Cli, judged: &mut Server) -> Result<(Target, Report)> {
    progress("waits for the server");
    let answered = start(judged);
    progress("");
    if answered.is_err() {
        // The error itself is one line, and comes last.
        for line in judged.stderr().lines() {
            eprintln!("    | {line}");
        }
    }
    let (client, first) = answered?;
    let name = ServerName {
        learner: cli.name.clone(),
        command: cli.command.clone(),
        address: format!("http://{}/", client.server.host()),
        calls_itself: first.header("Server").map(str::to_owned),
    };
    let server = examination::inspect(client, first)?;
    let report = Report::new(name, &cli.routes, server.can.keep_alive);
    Ok((server, report))
}

/// Starts the server, if it has a command, and waits until it answers its first client.
fn start(judged: &mut Server) -> Result<(ladder_tests::Client, ladder_tests::Response)> {
    judged.start()?;
    await_answer(judged)
}

/// Puts all cases, one after the other, and prints the outcome of each unless only the whole is wanted.
fn examine_all(cli: &Cli, judged: &mut Server, server: &mut Target, report: &mut Report) {
    let has_site = SITE.iter().all(|page| cli.routes.iter().any(|route| route == page));
    let prints = !cli.json && !cli.scores;
    let cases = examination::cases();
    let begun = Instant::now();
    let mut last_asked_by = None;
    for (done, case) in cases.iter().enumerate() {
        if report.stopped.is_none() && begun.elapsed().saturating_sub(judged.waited) > TIME {
            let minutes = TIME.as_secs() / 60;
            report.stopped = Some(format!("the judge asks for {minutes} minutes and no longer"));
        }
        let is_run = report.stopped.is_none();
        let outcome = if is_run {
            progress(&format!("{} of {}: {}", done + 1, cases.len(), case.name()));
            let outcome = examination::examine(case, server, has_site);
            progress("");
            outcome
        } else {
            Outcome::Skipped { because: Obstacle::Stopped }
        };
        let was_run = !matches!(outcome, Outcome::Skipped { .. });
        let case_report = CaseReport::new(case, outcome);
        let shows = prints && is_run && (case_report.asked_by != AskedBy::Outside || cli.outside);
        if shows {
            if last_asked_by.replace(case_report.asked_by) != Some(case_report.asked_by) {
                say(format_args!("\nasked for by {}", <&str>::from(case_report.asked_by)));
            }
            case_report.print();
        }
        report.cases.push(case_report);
        let serves = if was_run { examination::still_serves(server) } else { Ok(()) };
        if let Err(why) = serves {
            restart(judged, report, case, &why.came, prints);
            server.address = judged.address();
        }
    }
}

/// Starts a server again that does not serve any more, or stops: then this was the last case.
fn restart(judged: &mut Server, report: &mut Report, case: &Case, why: &str, prints: bool) {
    let name = case.name();
    let how = judged.describe_end(why);
    let stderr = judged.stderr().lines();
    if prints {
        say(format_args!("    after {name}: {how}"));
        for line in &stderr {
            say(format_args!("    | {line}"));
        }
    }
    if judged.command().is_none() {
        report.stopped = Some(format!("after {name} the server serves no more: {how}"));
        return;
    }
    progress("starts the server again");
    let started = start(judged);
    progress("");
    match started {
        Ok(_) => {
            report.started_again.push(Restart { after: name.to_owned(), because: how, stderr });
        }
        Err(error) => {
            report.stopped =
                Some(format!("after {name} the server serves no more: {how}; {error:#}"));
        }
    }
}
