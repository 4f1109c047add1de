//! `cargo xtask learn`: leads through the exercises.
//!
//! It must not know how an exercise's page is made, nor anything of measuring.

mod keys;
mod learn;
mod learner;
mod progress;
mod run;
mod show;
mod watch;
mod work;

use std::process::ExitCode;

use base::find_root;
use clap::Parser;

/// Lead through the exercises: where am I, what is next; check, skip, hint, solution, reset, list
#[derive(Parser)]
#[command(name = "cargo xtask learn", bin_name = "cargo xtask learn")]
struct Cli {
    #[command(subcommand)]
    command: Option<learn::Command>,
}

fn main() -> ExitCode {
    let Cli { command } = Cli::parse();
    base::end_with(find_root().and_then(|root| learn::learn(&root, command)))
}
