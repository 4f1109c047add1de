//! `cargo xtask observe`: records what the threads, tasks and requests of one server do, for a picture in its chapter.
//!
//! The server is the rung's own file, compiled against crates of the same names that report what they do
//! (`xtask/observed`); one on Node is as it is, and Node reports. Its threads are observed from outside: by the
//! kernel's tracer where that is allowed, so that every switch is known, and else by looking into `/proc` a thousand
//! times a second.
//!
//! Linux only.
//!
//! It must not know how a recording is drawn.

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
mod options;
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

use std::{path::Path, process::ExitCode};

use anyhow::Result;
use base::find_root;
use clap::Parser;

use crate::options::{Options, Plan};

/// Record what the threads, tasks and requests of one server do, for its picture (Linux)
#[derive(Parser)]
#[command(name = "cargo xtask observe", bin_name = "cargo xtask observe")]
struct Cli {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    let Cli { options } = Cli::parse();
    base::end_with(find_root().and_then(|root| record(&root, &options)))
}

/// Records one rung.
///
/// # Errors
/// On another system than Linux; when the command line asks for what is not there; when the server can't be
/// built or does not answer; when the file can't be written; and on Ctrl-C. Nothing is written then.
fn record(root: &Path, options: &Options) -> Result<()> {
    let plan = Plan::of(root, options)?;
    #[cfg(target_os = "linux")]
    return linux::observe(root, options, &plan);
    #[cfg(not(target_os = "linux"))]
    {
        use records::recording::OBSERVED;
        let _ = (root, plan);
        anyhow::bail!(
            "`cargo xtask observe` needs Linux: it reads what threads do from its tracer or /proc, and {} has neither; \
             the recordings of the book are in measurements/results/{OBSERVED}",
            std::env::consts::OS
        )
    }
}
