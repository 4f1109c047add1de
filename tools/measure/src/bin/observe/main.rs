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

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use records::base::find_root;

use crate::options::Options;

fn main() -> ExitCode {
    let options = Options::parse();
    records::base::end_with(record(&options))
}

#[cfg(target_os = "linux")]
fn record(options: &Options) -> Result<()> {
    linux::observe(&find_root()?, options)
}

#[cfg(not(target_os = "linux"))]
fn record(options: &Options) -> Result<()> {
    // A command line that makes no sense is refused on every system.
    crate::options::Plan::of(&find_root()?, options)?;
    anyhow::bail!(
        "`cargo xtask observe` needs the tracer of Linux, and this is {}; \
         the recordings of the book are in measurements/results/{}",
        std::env::consts::OS,
        records::recording::OBSERVED
    )
}
