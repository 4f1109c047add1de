//! The program behind `cargo xtask serve` and `build`: fills in the book's directives and questions, and builds and serves
//! it. All of that acts before mdBook, whose pages stay as they are.
//!
//! It must not know how anything is measured.

mod arguments;
mod build;
mod diagrams;
mod difference;
mod directive;
mod fault;
mod filler;
mod ids;
mod listings;
mod playground;
mod preprocessor;
mod published;
mod questions;
mod report;
mod scan;
mod schedule;
mod serve;
mod starts;
mod terms;
#[cfg(test)]
mod testing;
mod way;

use std::{io, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand, ValueEnum};
use records::base::{end_with, find_root, say};
use tracing_subscriber::filter::LevelFilter;

use crate::serve::start::{Job, keep};

#[derive(Parser)]
#[command(name = "book", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    task: Task,
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
    /// Run a program that a page has started, as long as `serve` holds the other end of standard input
    #[command(hide = true)]
    Keep {
        /// Whether the name is that of an example or of an exercise
        #[arg(value_enum)]
        kind: Kind,
        /// The name
        name: String,
        /// How many seconds may pass without a word
        #[arg(long, default_value_t = 60)]
        silence: u64,
    },
    /// Fill in diffs and figures for plain mdBook, which calls this itself (see book.toml)
    #[command(after_help = directive::help())]
    Preprocess {
        #[command(subcommand)]
        question: Option<Question>,
    },
}

/// What can be started from a page.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Example,
    Check,
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
    // Standard output belongs to mdBook where it calls this.
    let log = tracing_subscriber::fmt().with_writer(io::stderr).with_max_level(LevelFilter::WARN);
    log.without_time().with_target(false).init();
    end_with(run(Cli::parse().task))
}

fn run(task: Task) -> Result<ExitCode> {
    match task {
        Task::Serve { port, no_open, poll } => serve::serve(&find_root()?, port, !no_open, poll)?,
        Task::Build { out } => {
            say(build::ANNOUNCED);
            let folder = build::build(&find_root()?, out.as_deref())?;
            say(format_args!("The book is in {}.", folder.join("index.html").display()));
        }
        Task::Keep { kind, name, silence } => {
            let root = find_root()?;
            let job = match kind {
                Kind::Example => Job::example(&name),
                Kind::Check => Job::check(&root, &name),
            };
            let job = job.with_context(|| format!("no page starts a program named {name}"))?;
            keep(&root, &job, Duration::from_secs(silence))?;
        }
        Task::Preprocess { question: None } => preprocessor::preprocess()?,
        Task::Preprocess { question: Some(Question::Supports { renderer }) } => {
            if !preprocessor::supports(&renderer) {
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
