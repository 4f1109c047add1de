//! `cargo xtask`: the command line of the tool.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};
use xtask::{
    bench::{self, BenchOptions},
    book::{self, BuildOptions},
    doctor,
    evidence::Records,
    experiments::{
        compare::{self, SECOND_SESSION, Total},
        description, store,
    },
    find_root, ladder,
    learn::{self, Wish},
    observe::{self, Method, ObserveOptions},
    pack,
    print::{self, Form},
    run, say, serve,
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
    /// Say whether two sessions of experiments come to the same conclusions
    Compare {
        /// The results of one session, as `bench --out DIR` writes them
        first: PathBuf,
        /// Those of the other; without this, the book's
        second: Option<PathBuf>,
    },
    /// Write new words or margins of the descriptions into the results; what was measured stays
    Redescribe {
        /// The results, and a second session among them; without this, the book's
        results: Option<PathBuf>,
    },
    /// Say what this machine has and lacks for the book, the workshop and the measurements
    Doctor,
    /// Make one archive of the book, the sources and all packages, for a room without a network
    Pack {
        /// The archive's name, which ends with .tar.gz; without this, it goes to target/pack
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Make a PDF and an EPUB of the book, with Chromium and pandoc; they go to target/print
    Print {
        /// Only the PDF
        #[arg(long)]
        pdf: bool,
        /// Only the EPUB
        #[arg(long)]
        epub: bool,
        /// Write the files to this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Record what the threads, tasks and requests of one server do, for its picture (Linux)
    Observe {
        /// The server, such as ch03_threadpool
        rung: String,
        /// What every request asks for
        #[arg(long, default_value = "/sleep")]
        route: String,
        /// How many clients there are
        #[arg(long, default_value_t = 6)]
        clients: u64,
        /// How many requests each of them sends, one after the other
        #[arg(long, default_value_t = 2)]
        requests: u64,
        /// The size of the pool, in the rungs that have one [default: 4, or 2 in chapter 5]
        #[arg(long)]
        threads: Option<u64>,
        /// How to observe the threads
        #[arg(long, value_enum, default_value_t)]
        method: Method,
        /// Write the recording to this file
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// An instrumented server that is built already
        #[arg(long, value_name = "FILE", hide = true)]
        executable: Option<PathBuf>,
    },
    /// Lead through the exercises: where am I, what is next; check, skip, hint, solution, reset, list
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
        Some(Task::Servers) => run::list(),
        Some(Task::Run { name, release, args }) => {
            run::run(&find_root()?, &name, release, &args)?;
        }
        Some(Task::Bench { quick, only, list, fresh, out, seed, skip_wire_tests }) => {
            let options = BenchOptions { quick, only, list, fresh, out, seed, skip_wire_tests };
            bench::bench(&find_root()?, &options)?;
        }
        Some(Task::Compare { first, second }) => {
            let second = match second {
                Some(second) => second,
                None => find_root()?.join("book").join("results"),
            };
            let compared = compare::compare(&Records::read(&first)?, &Records::read(&second)?)?;
            for it in &compared {
                let same = it.compared - it.differences.len();
                say(format_args!("{:<30} {same} of {} conclusions the same", it.name, it.compared));
                it.differences.iter().for_each(|difference| say(format_args!("    {difference}")));
            }
            let Total { compared: all, same, contradictions } = Total::of(&compared);
            say(format_args!(
                "In all, {same} of {all} conclusions are the same, and {contradictions} contradict each other."
            ));
            for (words, names) in compare::unlike_by_words(&compared) {
                let which = match names.len() {
                    all if all == compared.len() => "all".to_owned(),
                    _ => names.join(", "),
                };
                say(format_args!("Not alike, in {which}: {words}."));
            }
        }
        Some(Task::Redescribe { results }) => {
            let root = find_root()?;
            let results = results.unwrap_or_else(|| root.join("book").join("results"));
            let described = description::load_all(&root)?;
            let mut changed = 0;
            for folder in [results.clone(), results.join(SECOND_SESSION)] {
                for name in store::redescribe(&folder.join(bench::EXPERIMENTS), &described)? {
                    say(format_args!("{}: {name} is described anew", folder.display()));
                    changed += 1;
                }
            }
            if changed == 0 {
                say(format_args!(
                    "Nothing to write: no description differs from its record by words or margin alone."
                ));
            }
        }
        Some(Task::Doctor) => {
            let ready = doctor::doctor(&find_root()?);
            return Ok(if ready { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Some(Task::Pack { out }) => {
            let archive = pack::pack(&find_root()?, out.as_deref())?;
            let size = std::fs::metadata(&archive).map_or(0, |file| file.len());
            say(format_args!(
                "The archive is {}, {:.0} MB. Unpack it with `tar -xzf`, and read {}.",
                archive.display(),
                size as f64 / 1e6,
                pack::START
            ));
        }
        Some(Task::Print { pdf, epub, out }) => {
            let root = find_root()?;
            let forms = match (pdf, epub) {
                (true, false) => &[Form::Pdf][..],
                (false, true) => &[Form::Epub],
                _ => &Form::ALL,
            };
            let folder = out.unwrap_or_else(|| root.join("target").join("print"));
            for file in print::print(&root, forms, &folder)? {
                say(format_args!("The book is in {}.", file.display()));
            }
        }
        Some(Task::Observe {
            rung,
            route,
            clients,
            requests,
            threads,
            method,
            out,
            executable,
        }) => {
            let options =
                ObserveOptions { rung, route, clients, requests, threads, method, out, executable };
            observe::observe(&find_root()?, &options)?;
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
