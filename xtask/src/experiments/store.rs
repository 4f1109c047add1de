//! How the rounds of an experiment are stored.
//!
//! ```text
//! book/results/experiments/pool-law.json   what was asked, where, and the figures of every run
//! book/results/experiments/pool-law.txt    what the generators printed, run after run
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::description::Experiment;
use crate::results::{Commit, Figures, Machine};

/// One experiment with all its rounds so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The description as it was when this was measured.
    pub experiment: Experiment,
    /// Whether the rounds were shortened with `--quick`.
    pub quick: bool,
    /// When the first run began: UTC, RFC 3339.
    pub started: String,
    /// When the last run so far ended: UTC, RFC 3339.
    pub finished: String,
    /// The seed of the order.
    pub seed: u64,
    /// The machine.
    pub machine: Machine,
    /// The compiler.
    pub rustc: String,
    /// The sources.
    pub commit: Commit,
    /// The version of each tool, by name.
    pub tools: BTreeMap<String, String>,
    /// The SHA-256 of each executable in hexadecimal, by `PROFILE/NAME`.
    pub executables: BTreeMap<String, String>,
    /// How many files and sockets a process may have open, where a variant says nothing else.
    pub descriptor_limit: Option<u64>,
    /// How many wire tests each server of the ladder passed just before, by its name.
    pub wire_tests_passed: BTreeMap<String, Option<u64>>,
    /// Every run, in the order in which they were made; void ones too.
    pub runs: Vec<RoundRun>,
    /// What could not be measured here, and why; empty where all was.
    pub skipped: Vec<String>,
}

/// One run of one variant in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundRun {
    /// The round, counted from 1.
    pub round: usize,
    /// The variant, or [`CONTROL`](super::description::CONTROL).
    pub variant: String,
    /// Which attempt this was in its round, counted from 1.
    pub attempt: usize,
    /// When it began: UTC, RFC 3339.
    pub date: String,
    /// The server's command line, its bare name first.
    pub server: Vec<String>,
    /// The generator's command line, its bare name first.
    pub generator: Vec<String>,
    /// The figures, by the names in [`FIGURES`](crate::results::FIGURES).
    pub figures: Figures,
    /// Why it does not count, if it does not.
    pub void: Option<String>,
    /// Whether the machine stalled too much meanwhile.
    pub noisy: bool,
}
