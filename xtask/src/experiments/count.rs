//! Exact counts, by a tool around the server.
//!
//! strace counts system calls, valgrind's callgrind instructions, and its dhat allocations. Who else
//! uses the machine makes no difference to them. The server is ended with SIGTERM, so that the tool
//! can write its sums.

use std::path::Path;

use anyhow::{Context, Result};

use super::description::Count;

impl Count {
    /// The program that counts.
    pub fn tool(self) -> &'static str {
        match self {
            Count::Syscalls => "strace",
            Count::Instructions | Count::Allocations => "valgrind",
        }
    }

    /// The figure that it gives.
    pub fn figure(self) -> &'static str {
        match self {
            Count::Syscalls => "syscalls_per_request",
            Count::Instructions => "instructions_per_request",
            Count::Allocations => "allocations_per_request",
        }
    }

    /// The words before the server's command line; the sums go to `file`.
    pub fn command(self, file: &Path) -> Vec<String> {
        let file = file.display();
        match self {
            Count::Syscalls => ["strace", "-c", "-f", "-qq", "-o"]
                .map(str::to_owned)
                .into_iter()
                .chain([file.to_string()])
                .collect(),
            Count::Instructions => vec![
                "valgrind".to_owned(),
                "--tool=callgrind".to_owned(),
                format!("--callgrind-out-file={file}"),
            ],
            Count::Allocations => vec![
                "valgrind".to_owned(),
                "--tool=dhat".to_owned(),
                format!("--dhat-out-file={file}"),
            ],
        }
    }

    /// The whole count in what the tool wrote.
    ///
    /// # Errors
    /// When it is not what this tool writes.
    pub fn total(self, text: &str) -> Result<f64> {
        match self {
            Count::Syscalls => strace(text),
            Count::Instructions => callgrind(text),
            Count::Allocations => dhat(text),
        }
    }
}

/// The sum of the column `calls` in the table of `strace -c`.
fn strace(text: &str) -> Result<f64> {
    // Not the last line: older versions leave out a column there.
    let calls = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [_, _, _, calls, .., name] if name != "total" => calls.parse::<f64>().ok(),
            _ => None,
        }
    });
    let calls: Vec<f64> = calls.collect();
    (!calls.is_empty()).then(|| calls.iter().sum()).context("strace wrote no table of calls")
}

/// The instructions at the end of callgrind's file.
fn callgrind(text: &str) -> Result<f64> {
    let line = |name: &str| text.lines().rev().find_map(|line| line.strip_prefix(name));
    let totals = line("totals:").or_else(|| line("summary:"));
    let count = totals.and_then(|line| line.split_whitespace().next()?.parse().ok());
    count.context("callgrind wrote no totals")
}

/// The blocks of all places of allocation in dhat's file.
fn dhat(text: &str) -> Result<f64> {
    let profile: serde_json::Value = serde_json::from_str(text).context("dhat wrote no profile")?;
    let places = profile["pps"].as_array().context("dhat's profile names no places")?;
    let blocks = places.iter().map(|place| place["tbk"].as_f64());
    blocks.sum::<Option<f64>>().context("dhat's profile counts no blocks")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the tools really wrote around rung 1 and rung 3, cut short.
    fn fixture(name: &str) -> String {
        let path = format!("{}/src/experiments/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn totals_are_read() {
        assert_eq!(Count::Syscalls.total(&fixture("strace.txt")).unwrap(), 1879.0);
        assert_eq!(Count::Instructions.total(&fixture("callgrind.out")).unwrap(), 3_129_471.0);
        assert_eq!(Count::Allocations.total(&fixture("dhat.json")).unwrap(), 4.0);
    }

    #[test]
    fn what_is_cut_short_is_an_error() {
        for count in [Count::Syscalls, Count::Instructions, Count::Allocations] {
            assert!(count.total("").is_err() && count.total("totals: x").is_err());
            assert!(crate::results::FIGURES.contains(&count.figure()));
        }
    }

    #[test]
    fn the_sums_go_to_a_file() {
        let words = |count: Count| count.command(Path::new("/tmp/sum")).join(" ");
        assert_eq!(words(Count::Syscalls), "strace -c -f -qq -o /tmp/sum");
        assert!(words(Count::Allocations).ends_with("--dhat-out-file=/tmp/sum"));
    }
}
