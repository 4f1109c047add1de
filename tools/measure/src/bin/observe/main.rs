//! `cargo xtask observe`: records what the threads, tasks and requests of one server do, for a picture in its chapter;
//! or the threads and jobs of a program without clients.
//!
//! The server is the rung's own file, compiled against crates of the same names that report what they do
//! (`tools/measure/observed`); one on Node is as it is, and Node reports. Its threads are observed from outside, by the
//! kernel's tracer, so every switch is known.
//!
//! Linux only. It must not know how a recording is drawn.

#[cfg(target_os = "linux")]
mod linux;
mod options;

use std::{path::Path, process::ExitCode};

use anyhow::Result;
use clap::Parser;
use records::base::find_root;

use crate::options::{Options, Plan};

fn main() -> ExitCode {
    let options = Options::parse();
    records::base::end_with(find_root().and_then(|root| record(&root, &options)))
}

/// Records one server or program. Nothing is written where that fails, or on Ctrl-C.
fn record(root: &Path, options: &Options) -> Result<()> {
    #[cfg(target_os = "linux")]
    if let Some(program) = records::program::load(root, &options.rung)? {
        return linux::observe_program(root, options, &program);
    }
    let plan = Plan::of(root, options)?;
    #[cfg(target_os = "linux")]
    return linux::observe(root, options, &plan);
    #[cfg(not(target_os = "linux"))]
    {
        use records::recording::OBSERVED;
        let _ = (root, plan);
        anyhow::bail!(
            "`cargo xtask observe` needs the tracer of Linux, and this is {}; \
             the recordings of the book are in measurements/results/{OBSERVED}",
            std::env::consts::OS
        )
    }
}
