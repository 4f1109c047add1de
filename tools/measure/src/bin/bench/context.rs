//! What is the same in all measurements of one call.

use std::{collections::BTreeMap, path::PathBuf};

use measure::StopFlag;
use records::{
    machine::{Commit, Machine},
    store::EXPERIMENTS,
};

use crate::{executables::Executables, progress::Progress};

#[derive(Clone)]
pub struct Context {
    /// The repository's.
    pub root: PathBuf,
    /// The folder of the results.
    pub out: PathBuf,
    pub executables: Executables,
    pub machine: Machine,
    pub rustc: String,
    pub commit: Commit,
    /// The version of each tool that is installed.
    pub tools: BTreeMap<String, String>,
    /// How many files and sockets a process may have open, where a variant says nothing else.
    pub descriptor_limit: Option<u64>,
    /// Of the order.
    pub seed: u64,
    /// How many rounds are made, where not as many as described.
    pub rounds: Option<usize>,
    /// Whether what is there already is measured again.
    pub fresh: bool,
    /// Whether servers are timed without their wire tests.
    pub skip_wire_tests: bool,
    /// Whether a run is left out that lost too much to somebody else: not where the tests of this program run beside others.
    pub leaves_out: bool,
    pub stop: StopFlag,
    pub progress: Progress,
}

impl Context {
    pub fn records(&self) -> PathBuf {
        self.out.join(EXPERIMENTS)
    }
}
