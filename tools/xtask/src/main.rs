//! `cargo xtask`: the command line of the tool.

mod doctor;
mod prepare;
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
    Serve(Forwarded),
    /// Build the book as a static site under target/book
    Build(Forwarded),
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
    Bench(Forwarded),
    /// Compute the figures that the pages name and draw their charts, once an edition
    Charts(Forwarded),
    /// Say what this machine has and lacks for the book, the workshop and the measurements
    Doctor,
    /// Compile what a lesson needs, before the room, and say in one line whether this machine is ready
    Prepare {
        /// The lesson, such as half-day
        lesson: String,
    },
    /// Record what the threads, tasks and requests of one server do, for its picture (Linux)
    Observe(Forwarded),
    /// Lead through the exercises: where am I, what is next; check, skip, hint, solution, reset, list, report
    Learn(Forwarded),
    /// Judge a server of yours, in whatever language, by the tests of this book
    Judge(Forwarded),
    /// Fill in diffs and figures for plain mdBook; its help lists all directives
    Preprocess(Forwarded),
}

/// Arguments that the program gets as they are.
#[derive(Args)]
#[command(disable_help_flag = true)]
struct Forwarded {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

fn main() -> ExitCode {
    records::base::end_with(run(Cli::parse()))
}

fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        None => list_tasks(),
        Some(Task::Serve(forwarded)) => become_book("serve", forwarded)?,
        Some(Task::Build(forwarded)) => become_book("build", forwarded)?,
        Some(Task::Preprocess(forwarded)) => become_book("preprocess", forwarded)?,
        Some(Task::Servers) => servers::list(),
        Some(Task::Run { name, release, args }) => {
            servers::run(&find_root()?, &name, release, &args)?;
        }
        Some(Task::Charts(forwarded)) => {
            programs::become_program("charts", "charts", &forwarded.args)?
        }
        Some(Task::Bench(forwarded)) => {
            programs::become_program("measure", "bench", &forwarded.args)?
        }
        Some(Task::Doctor) => return Ok(doctor::doctor(&find_root()?)),
        Some(Task::Prepare { lesson }) => return prepare::prepare(&find_root()?, &lesson),
        Some(Task::Judge(forwarded)) => {
            programs::become_program("judge", "judge", &forwarded.args)?
        }
        Some(Task::Learn(forwarded)) => {
            programs::become_program("learn", "learn", &forwarded.args)?
        }
        Some(Task::Observe(forwarded)) => {
            programs::become_program("measure", "observe", &forwarded.args)?
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Becomes the program that builds and serves the book, which has several tasks.
fn become_book(task: &str, forwarded: Forwarded) -> Result<()> {
    let mut args = vec![task.into()];
    args.extend(forwarded.args);
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
