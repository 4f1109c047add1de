//! Settings that all measurements of one call share.

use std::{collections::BTreeMap, path::PathBuf};

use measure::StopFlag;
use records::{
    machine::{Commit, Machine},
    store::EXPERIMENTS,
};

use crate::{executables::Executables, progress::Progress};

/// The experiments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The book's.
    OfTheBook,
    /// Those of `--larger`: see [`crate::larger`].
    Larger,
}

#[derive(Clone)]
pub struct Context {
    /// The repository's root.
    pub root: PathBuf,
    /// The folder of the results.
    pub out: PathBuf,
    pub executables: Executables,
    pub machine: Machine,
    pub rustc: String,
    pub commit: Commit,
    /// The version of each tool that is installed.
    pub tools: BTreeMap<String, String>,
    /// The limit of descriptors, unless a variant sets its own.
    pub descriptor_limit: Option<u64>,
    /// The seed of the random order.
    pub seed: u64,
    /// The number of rounds, if it is not the described one.
    pub rounds: Option<usize>,
    /// Whether experiments that have a record are measured again.
    pub fresh: bool,
    /// Whether servers are timed without their wire tests.
    pub skip_wire_tests: bool,
    /// Which experiments these are.
    pub kind: Kind,
    /// Whether runs that lost too much CPU time to others are left out: not in this program's own tests, which run in
    /// parallel.
    pub leaves_out: bool,
    pub stop: StopFlag,
    pub progress: Progress,
}

impl Context {
    pub fn records(&self) -> PathBuf {
        self.out.join(EXPERIMENTS)
    }
}
