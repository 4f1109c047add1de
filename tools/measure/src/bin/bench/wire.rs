//! Runs the wire tests that a server must pass before it is timed.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use anyhow::{Context as _, Result};
use measure::cargo::cargo;
use records::description::Profile;

use crate::context::Context;

/// The outcome of the wire tests of each server, which run once in a session, against the executable that will be timed.
#[derive(Default)]
pub struct WireTests {
    /// The number of tests that each server passed; `None` if they were skipped.
    pub passed: BTreeMap<String, Option<u64>>,
    /// The servers that failed.
    pub failed: BTreeSet<String>,
}

impl WireTests {
    /// Tells whether this server passes its tests. Runs them if that is not known yet.
    pub fn passes(&mut self, server: &str, context: &Context) -> Result<bool> {
        let Context { root, progress, stop, .. } = context;
        if context.skip_wire_tests {
            self.passed.insert(server.to_owned(), None);
        }
        if self.passed.contains_key(server) || self.failed.contains(server) {
            return Ok(self.passed.contains_key(server));
        }
        progress.say(&format!("{server}: running its wire tests"));
        let mut command = cargo(root);
        let filter = format!("{server}::");
        command.args(["test", "--quiet", "--package", "ladder_tests", "--test", "wire"]);
        // The slow ones as well.
        command.args(["--", "--include-ignored", &filter]);
        // A server in another language has no such executable: its test starts what its toolchain has built.
        if let Ok(executable) = context.executables.path(Profile::Release, server) {
            command.env("LADDER_EXE_DIR", executable.parent().context("it lies in a folder")?);
        }
        let limit = Duration::from_secs(1800);
        let tests = measure::run(&mut command, limit, stop, |_| progress.tick())?;
        let passed = tests_passed(&tests.stdout);
        let is_success = tests.status.success();
        if is_success && passed > 0 {
            progress.say(&format!("{server}: passed {passed} wire tests"));
            self.passed.insert(server.to_owned(), Some(passed));
            return Ok(true);
        }
        let why = if is_success { "there are none for it" } else { "it fails" };
        progress.say(&format!("{server}: not timed, because of its wire tests: {why}"));
        if !is_success {
            progress.say(format!("{}{}", tests.stdout, tests.stderr).trim());
        }
        self.failed.insert(server.to_owned());
        Ok(false)
    }
}

/// Reads the number in a line `test result: ok. 12 passed; …`.
fn passed_in(line: &str) -> Option<u64> {
    let (_, counts) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
    counts.split_whitespace().next()?.parse().ok()
}

/// Sums the passed tests over all programs of tests.
fn tests_passed(output: &str) -> u64 {
    output.lines().filter_map(passed_in).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_are_counted() {
        let output = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored\n";
        assert_eq!(tests_passed(output), 2);
        assert_eq!(tests_passed("test result: FAILED. 1 passed; 1 failed"), 1);
        assert_eq!(tests_passed("nothing"), 0);
    }
}
