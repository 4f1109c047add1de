//! The runs of the ladder with wrk and ab: one JSON file for each server and benchmark, the tool's raw output beside
//! it, and `machine.json` for what they have in common.
//!
//! ```text
//! measurements/results/machine.json
//! measurements/results/ch03_threadpool/wrk-sleep.json
//! measurements/results/ch03_threadpool/wrk-sleep.txt
//! ```

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::{
    figures::Figures,
    files::{json, put, temporary, write_whole},
    machine::{Commit, Machine, Stalls},
};

/// The benchmarks, in the book's order.
pub const BENCHES: [&str; 4] = ["wrk-sleep", "ab-tenth", "wrk-root", "wrk-root-keepalive"];

/// One measured run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The server's package.
    pub rung: String,
    /// The benchmark: one of [`BENCHES`].
    pub bench: String,
    /// Which source article's command line this is.
    pub source: String,
    /// Whether the command line was shortened with `--quick`.
    pub quick: bool,
    /// When the run began: UTC, RFC 3339.
    pub date: String,
    /// The program that sent the requests.
    pub tool: Tool,
    /// The program that answered them.
    pub server: Server,
    /// Why this run has fewer requests than the source's command line, if it has.
    pub reduced: Option<Reduced>,
    /// The law with its numbers, where arithmetic predicts the outcome.
    pub law: Option<String>,
    /// The figures, by the names in [`FIGURES`].
    pub figures: Figures,
    /// Whether this run has too many errors to count, and so had every attempt before it.
    pub void: bool,
    /// The attempts before this one that had too many errors.
    pub void_attempts: Vec<VoidAttempt>,
    /// Whether the machine stalled too much meanwhile.
    pub noisy: bool,
    /// The rule that says so, with its numbers.
    pub noisy_reason: String,
    /// The wire tests that the server passed just before; `None` if they were skipped.
    pub wire_tests_passed: Option<u64>,
    /// What could not be had on this system, and why.
    pub unavailable: Vec<String>,
    /// How the figures of the server and of the stalls were taken.
    pub method: Vec<String>,
    /// To which processors server and tool were bound.
    pub pinning: String,
    /// The load averages over 1, 5 and 15 minutes just before the run.
    pub load_average_before: Option<[f64; 3]>,
    /// How many files and sockets a process may have open.
    pub descriptor_limit: Option<u64>,
    /// The compiler.
    pub rustc: String,
    /// The sources.
    pub commit: Commit,
    /// The machine.
    pub machine: Machine,
}

/// The program that sent the requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// `wrk` or `ab`.
    pub name: String,
    /// As the tool itself says.
    pub version: String,
    /// The whole command line, the tool's bare name first.
    pub argv: Vec<String>,
}

/// The program that answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// The whole command line, the rung's bare name first.
    pub argv: Vec<String>,
    /// The line that it printed when it listened.
    pub listening: String,
    /// The SHA-256 of the executable, in hexadecimal.
    pub sha256: String,
}

/// A run with fewer requests than the source's command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduced {
    /// How many requests it has.
    pub requests: u64,
    /// How many the source had.
    pub instead_of: u64,
    /// Why.
    pub reason: String,
}

/// A run that was thrown away for its errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoidAttempt {
    /// When it began: UTC, RFC 3339.
    pub date: String,
    /// Why it does not count.
    pub reason: String,
    /// What the tool said all the same.
    pub figures: Figures,
}

/// `machine.json`: what the runs have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineFile {
    /// The machine.
    pub machine: Machine,
    /// The compiler.
    pub rustc: String,
    /// The version of each tool, by name.
    pub tools: BTreeMap<String, String>,
    /// How many files and sockets a process may have open.
    pub descriptor_limit: Option<u64>,
    /// To which processors server and tool were bound.
    pub pinning: String,
    /// The cargo profile of the servers.
    pub profile: String,
    /// One for each time that `cargo xtask bench` ran and added to these results.
    pub sessions: Vec<Session>,
}

/// One call of `cargo xtask bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// When it began: UTC, RFC 3339.
    pub started: String,
    /// When its last run so far ended: UTC, RFC 3339.
    pub finished: String,
    /// Whether the command lines were shortened.
    pub quick: bool,
    /// The seed of the order.
    pub seed: u64,
    /// The runs, `RUNG/BENCH`, in the order in which they were made.
    pub order: Vec<String>,
    /// The sources.
    pub commit: Commit,
    /// How late a sleeping thread woke before anything was measured, with nothing else running.
    pub idle_stalls: Option<Stalls>,
    /// The load averages over 1, 5 and 15 minutes before the first run.
    pub load_average_before: Option<[f64; 3]>,
}

impl Run {
    /// The value of a figure, if the run has one.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.get(name).copied().flatten()
    }
}

/// Where a run's JSON is.
pub fn run_path(folder: &Path, rung: &str, bench: &str) -> PathBuf {
    folder.join(rung).join(format!("{bench}.json"))
}

/// Writes a run and its raw output.
///
/// The JSON file comes last and whole, so that a run whose JSON exists is complete.
///
/// # Errors
/// When a file can't be written, for instance because the disk is full.
pub fn write_run(folder: &Path, run: &Run, raw: &str) -> Result<()> {
    let path = run_path(folder, &run.rung, &run.bench);
    let text_path = path.with_extension("txt");
    // Both are on the disk before either takes the place of what was there.
    let text = temporary(&text_path, raw.as_bytes())?;
    let figures = temporary(&path, json(run).as_bytes())?;
    put(text, &text_path)?;
    put(figures, &path)
}

/// Writes `machine.json`.
///
/// # Errors
/// When the file can't be written.
pub fn write_machine(folder: &Path, machine: &MachineFile) -> Result<()> {
    write_whole(&folder.join("machine.json"), json(machine).as_bytes())
}
