//! `cargo xtask bench`, `compare` and `redescribe`: measures the servers, and runs the experiments.

mod bench;
mod executables;
mod parse;
mod plan;
mod program;
mod progress;
mod rules;
mod session;
mod warm_up;
mod watch;
mod watched;
mod wire;

use std::process::ExitCode;

use base::find_root;
use clap::Parser;

/// Measure the servers, and run the experiments; the figures go to book/results
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Cli {
    #[command(flatten)]
    options: bench::BenchOptions,
}

fn main() -> ExitCode {
    let Cli { options } = Cli::parse();
    base::end_with(find_root().and_then(|root| bench::bench(&root, &options)))
}
