//! `cargo xtask`: the command line of the tool.

mod doctor;
mod programs;
mod servers;

use std::{ffi::OsString, process::ExitCode};

use anyhow::Result;
use clap::{Args, CommandFactory, Parser, Subcommand};
use records::base::{find_root, say};

/// Builds, serves and measures the book.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Task>,
}

#[derive(Subcommand)]
enum Task {
    /// Build the book and read it in a browser; rebuilds and reloads on change
    Serve(Passed),
    /// Build the book as a static site under target/book
    Build(Passed),
    /// List the servers, a name and a line each
    Servers,
    /// Build one server and become it, with its own options after `--`
    Run {
        /// The server, such as ch03_threadpool
        name: String,
        /// Optimize it, as for a measurement
        #[arg(long)]
        release: bool,
        /// The server's options
        #[arg(last = true, value_name = "ARGS")]
        args: Vec<String>,
    },
    /// Measure the experiments; the figures go to measurements/results
    Bench(Passed),
    /// Compute the figures that the pages name and draw their charts, once an edition
    Charts(Passed),
    /// Say what this machine has and lacks for the book, the workshop and the measurements
    Doctor,
    /// Record what the threads, tasks and requests of one server do, for its picture (Linux)
    Observe(Passed),
    /// Lead through the exercises: where am I, what is next; check, skip, hint, solution, reset, list
    Learn(Passed),
    /// Judge a server of yours, in whatever language, by the tests of this book
    Judge(Passed),
    /// Fill in diffs and figures for plain mdBook; its help lists all directives
    Preprocess(Passed),
}

/// Arguments that the program gets as they are.
#[derive(Args)]
#[command(disable_help_flag = true)]
struct Passed {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

fn main() -> ExitCode {
    records::base::end_with(run(Cli::parse()))
}

fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        None => list_tasks(),
        Some(Task::Serve(passed)) => become_book("serve", passed)?,
        Some(Task::Build(passed)) => become_book("build", passed)?,
        Some(Task::Preprocess(passed)) => become_book("preprocess", passed)?,
        Some(Task::Servers) => servers::list(),
        Some(Task::Run { name, release, args }) => {
            servers::run(&find_root()?, &name, release, &args)?;
        }
        Some(Task::Charts(passed)) => programs::become_program("charts", "charts", &passed.args)?,
        Some(Task::Bench(passed)) => programs::become_program("measure", "bench", &passed.args)?,
        Some(Task::Doctor) => return Ok(doctor::doctor(&find_root()?)),
        Some(Task::Judge(passed)) => programs::become_program("judge", "judge", &passed.args)?,
        Some(Task::Learn(passed)) => programs::become_program("learn", "learn", &passed.args)?,
        Some(Task::Observe(passed)) => {
            programs::become_program("measure", "observe", &passed.args)?
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Becomes the program that builds and serves the book, which has several tasks.
fn become_book(task: &str, passed: Passed) -> Result<()> {
    let mut args = vec![task.into()];
    args.extend(passed.args);
    programs::become_program("book", "book", &args)
}

/// Lists the tasks, one line each.
fn list_tasks() {
    say("cargo xtask TASK, where TASK is one of:\n");
    for task in Cli::command().get_subcommands() {
        let about = task.get_about().map(ToString::to_string).unwrap_or_default();
        say(format_args!("  {:<11} {about}", task.get_name()));
    }
    say("\n`cargo xtask TASK --help` lists the options of a task.");
}
