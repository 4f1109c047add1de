//! `cargo xtask bench`: measures the experiments.
//!
//! In each round of an experiment every variant runs once, and the baseline a second time as the control, in an order
//! drawn by lot. Each run has a fresh server process, or is one of a program. The record is written when all rounds are
//! done: an experiment that was stopped is measured again, and those that are done stay, so that the next call goes on
//! with those that are missing. A new record (`--fresh`, or of another executable) takes the place of the old one, unless
//! some variant has no run that counts.
//!
//! A run is **void** if errors are more than 0.1 % of its requests, or the server, the generator or the program fails. It
//! is **left out** if somebody else used too much of the machine meanwhile (`records::disturbance`), which is judged
//! before its result is looked at. Both are counted, and neither is repeated.
//!
//! It must not know how a figure is shown.

mod bench;
mod context;
mod executables;
mod figures;
mod larger;
mod measure;
mod needs;
mod parse;
mod pinning;
mod plan;
mod progress;
mod rounds;
mod run;
mod show;
mod syscalls;
#[cfg(test)]
mod testing;
mod watched;
mod wire;

use std::process::ExitCode;

use clap::Parser;
use records::base::find_root;

fn main() -> ExitCode {
    let options = bench::Options::parse();
    records::base::end_with(find_root().and_then(|root| bench::bench(&root, &options)))
}
