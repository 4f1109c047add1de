//! `cargo xtask observe`: records what the threads, tasks and requests of one server do.

#[cfg(target_os = "linux")]
mod clients;
#[cfg(target_os = "linux")]
mod events;
#[cfg(target_os = "linux")]
mod ftrace;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod merge;
mod observe;
#[cfg(target_os = "linux")]
mod proc;
#[cfg(target_os = "linux")]
mod sampler;
#[cfg(target_os = "linux")]
mod switches;
#[cfg(target_os = "linux")]
mod threads;
#[cfg(target_os = "linux")]
mod trace;

use std::process::ExitCode;

use base::find_root;
use clap::Parser;

/// Record what the threads, tasks and requests of one server do, for its picture (Linux)
#[derive(Parser)]
#[command(name = "cargo xtask observe", bin_name = "cargo xtask observe")]
struct Cli {
    #[command(flatten)]
    options: observe::Options,
}

fn main() -> ExitCode {
    let Cli { options } = Cli::parse();
    base::end_with(find_root().and_then(|root| observe::observe(&root, &options)))
}
