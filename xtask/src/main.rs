//! `cargo xtask`: the command line of the tool.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};
use xtask::{
    bench::{self, BenchOptions},
    book::{self, BuildOptions},
    find_root, ladder,
    learn::{self, Wish},
    say, serve,
};

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
        /// Show the figures in this folder instead of those in book/results; without this, your own in
        /// target/results stand beside the book's
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Build the book as a static site under target/book
    Build {
        /// Show the figures in this folder instead of those in book/results
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
        /// Write the site to this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Measure the servers, and run the experiments; the figures go to book/results
    Bench {
        /// Shorten every run to a few seconds
        #[arg(long)]
        quick: bool,
        /// Only these rungs and experiments, such as ch03_threadpool or pool-law; or `ladder`, or `experiments`
        #[arg(long, value_name = "NAME", value_delimiter = ',')]
        only: Vec<String>,
        /// Only say what would be run
        #[arg(long)]
        list: bool,
        /// Measure again what has a result already
        #[arg(long)]
        fresh: bool,
        /// Write the results to this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Repeat the order of an earlier session
        #[arg(long)]
        seed: Option<u64>,
        /// Time servers without running their wire tests first; the results say so
        #[arg(long)]
        skip_wire_tests: bool,
    },
    /// Lead through the exercises: where am I, what is next; check, hint, solution, reset, list
    Learn {
        #[command(subcommand)]
        wish: Option<Wish>,
    },
    /// Fill in diffs and figures for plain mdBook, which calls this itself (see book.toml)
    Preprocess {
        #[command(subcommand)]
        question: Option<Question>,
    },
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
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        None => list_tasks(),
        Some(Task::Serve { port, no_open, results }) => {
            let root = find_root()?;
            // There `cargo xtask bench` writes on a machine that is not the book's.
            let yours = results.is_none().then(|| root.join("target").join("results"));
            let options = BuildOptions { results, yours, ..BuildOptions::default() };
            serve::serve(&root, port, !no_open, options)?;
        }
        Some(Task::Build { results, out }) => {
            let options = BuildOptions { results, destination: out, ..BuildOptions::default() };
            let built = book::build(&find_root()?, &options, book::replace)?;
            say(format_args!("The book is in {}.", built.folder.join("index.html").display()));
        }
        Some(Task::Bench { quick, only, list, fresh, out, seed, skip_wire_tests }) => {
            let options = BenchOptions { quick, only, list, fresh, out, seed, skip_wire_tests };
            bench::bench(&find_root()?, &options)?;
        }
        Some(Task::Learn { wish }) => return learn::learn(&find_root()?, wish),
        Some(Task::Preprocess { question: None }) => ladder::preprocess()?,
        Some(Task::Preprocess { question: Some(Question::Supports { renderer }) }) => {
            return Ok(if ladder::supports(&renderer) {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            });
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
