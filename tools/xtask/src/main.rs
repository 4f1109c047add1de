//! `cargo xtask`: the command line of the tool.

mod doctor;
mod programs;
mod servers;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use anyhow::Result;
use book::{
    build::{self, BuildOptions},
    preprocessor, serve,
};
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
    Serve {
        /// The port of 127.0.0.1; the next free one if it is taken
        #[arg(long, default_value_t = 3000)]
        port: u16,
        /// Do not open a browser
        #[arg(long)]
        no_open: bool,
        /// Look at the files each second, where no system reports changes: in a container, or on a network
        #[arg(long)]
        poll: bool,
    },
    /// Build the book as a static site under target/book
    Build {
        /// Write the site to this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
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
    /// Fill in diffs and figures for plain mdBook, which calls this itself (see book.toml)
    #[command(after_help = preprocessor::help())]
    Preprocess {
        #[command(subcommand)]
        question: Option<Question>,
    },
}

/// What is handed on to the program as it is.
#[derive(Args)]
#[command(disable_help_flag = true)]
struct Passed {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

#[derive(Subcommand)]
enum Question {
    /// Whether this preprocessor is for that renderer
    Supports {
        /// mdBook's name of the renderer
        renderer: String,
    },
}

fn main() -> ExitCode {
    records::base::end_with(run(Cli::parse()))
}

fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        None => list_tasks(),
        Some(Task::Serve { port, no_open, poll }) => {
            let root = find_root()?;
            // There `cargo xtask observe` writes on a machine that is not the book's.
            let yours = Some(root.join("target").join("results"));
            let options = BuildOptions { yours, ..BuildOptions::default() };
            serve::serve(&root, port, !no_open, poll, options)?;
        }
        Some(Task::Build { out }) => {
            let options = BuildOptions { destination: out, ..BuildOptions::default() };
            say(build::ANNOUNCED);
            let built = build::build(&find_root()?, &options, build::replace)?;
            say(format_args!("The book is in {}.", built.folder.join("index.html").display()));
        }
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
        Some(Task::Preprocess { question: None }) => preprocessor::preprocess()?,
        Some(Task::Preprocess { question: Some(Question::Supports { renderer }) }) => {
            let supported = preprocessor::supports(&renderer);
            return Ok(if supported { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One line for each task.
fn list_tasks() {
    say("cargo xtask TASK, where TASK is one of:\n");
    for task in Cli::command().get_subcommands() {
        let about = task.get_about().map(ToString::to_string).unwrap_or_default();
        say(format_args!("  {:<11} {about}", task.get_name()));
    }
    say("\n`cargo xtask TASK --help` lists the options of a task.");
}
