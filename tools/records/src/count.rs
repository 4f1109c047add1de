//! Exact counts, by a tool around the server.
//!
//! valgrind's callgrind counts instructions, and its dhat allocations. Who else uses the machine makes no difference
//! to them. The server is ended with SIGTERM, so that the tool can write its sums. What a server counts that is only
//! started and ended is taken off.

use std::path::Path;

use anyhow::{Context, Result};

use crate::{description::Count, stats::rounded, store::line_starts};

impl Count {
    /// The program that counts.
    pub fn tool(self) -> &'static str {
        match self {
            Count::Instructions | Count::Allocations => "valgrind",
        }
    }

    /// The figure that it gives.
    pub fn figure(self) -> &'static str {
        match self {
            Count::Instructions => "instructions_per_request",
            Count::Allocations => "allocations_per_request",
        }
    }

    /// The words before the server's command line; the sums go to `file`.
    pub fn command(self, file: &Path) -> Vec<String> {
        let file = file.display();
        // The sums stand in valgrind's log too, and the profile, which says where, is not wanted.
        let words = match self {
            Count::Instructions => "valgrind --tool=callgrind --callgrind-out-file=/dev/null",
            Count::Allocations => "valgrind --tool=dhat --dhat-out-file=/dev/null",
        };
        words.split(' ').map(str::to_owned).chain([format!("--log-file={file}")]).collect()
    }

    /// The lines of what the tool wrote that hold the count. Fails when it is not what this tool writes.
    pub fn lines(self, text: &str) -> Result<String> {
        let parts: &[&str] = match self {
            Count::Instructions => &["Events    :", "Collected :"],
            Count::Allocations => &["Total:"],
        };
        let kept = text.lines().filter(|line| parts.iter().any(|part| line.contains(part)));
        let lines: String = kept.map(|line| format!("{}\n", line.trim_end())).collect();
        self.total(&lines)?;
        Ok(lines)
    }

    /// The whole count, in what [`lines`](Self::lines) kept.
    fn total(self, lines: &str) -> Result<f64> {
        let (line, before, missing) = match self {
            // `==17593== Collected : 547700`
            Count::Instructions => ("Collected :", "Collected :", "callgrind wrote no sum"),
            // `==17596== Total:     78,953 bytes in 227 blocks`
            Count::Allocations => ("Total:", " bytes in ", "dhat wrote no sum"),
        };
        let line = lines.lines().find(|it| it.contains(line));
        let count = line.and_then(|line| line.split_once(before)?.1.split_whitespace().next());
        count.and_then(|count| count.replace(',', "").parse().ok()).context(missing)
    }

    /// Adds what was counted to the generator's output: of the whole run, and of a server that had only one request.
    pub fn add(self, raw: &mut String, all: &str, idle: &str) {
        if !raw.is_empty() && !raw.ends_with('\n') {
            raw.push('\n');
        }
        for (heading, lines) in [(ALL, all), (IDLE, idle)] {
            raw.push_str(&format!("{heading}{}\n{lines}", self.tool()));
        }
    }

    /// The count for one of so many requests, in a run's raw output. Fails when it is not there.
    pub fn per_request(self, raw: &str, requests: f64) -> Result<f64> {
        let (_, counted) = split(raw);
        let (all, idle) = counted.split_once(IDLE).context("its raw output holds no counts")?;
        Ok(rounded((self.total(all)? - self.total(idle)?) / requests))
    }
}

/// Before the lines about the whole run.
const ALL: &str = "--- counted by ";

/// Before the lines about a server that was started, had one request, and was ended.
const IDLE: &str = "--- without the generator, counted by ";

/// A run's raw output: what the generator printed, and what was counted.
fn split(raw: &str) -> (&str, &str) {
    raw.split_at(line_starts(raw, ALL).next().unwrap_or(raw.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::FIGURES;

    /// What the tools really wrote around rung 1 and rung 3, cut short.
    fn fixture(name: &str) -> String {
        let path = crate::base::find_root().unwrap().join("tools/records/fixtures").join(name);
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn totals_are_read_and_kept() {
        for (count, name, total, command) in [
            (Count::Instructions, "callgrind.txt", 447_448.0, " --log-file=/tmp/sum"),
            (Count::Allocations, "dhat.txt", 25.0, " --log-file=/tmp/sum"),
        ] {
            let lines = count.lines(&fixture(name)).unwrap();
            assert_eq!(count.total(&lines).unwrap(), total, "{lines}");
            // What was kept is enough to keep it again.
            assert!(lines.lines().count() < 12, "{lines}");
            let mut raw = "50 requests".to_owned();
            count.add(&mut raw, &lines, &lines);
            assert_eq!(count.per_request(&raw, 50.0).unwrap(), 0.0);
            assert_eq!(split(&raw).0, "50 requests\n");
            // What is cut short is an error.
            assert!(count.per_request("50 requests\n", 50.0).is_err());
            assert!(count.lines("").is_err() && count.lines("totals: x").is_err());
            assert!(FIGURES.contains(&count.figure()));
            assert!(count.command(Path::new("/tmp/sum")).join(" ").ends_with(command));
        }
        let all = Count::Instructions.lines(&fixture("callgrind.txt")).unwrap();
        let mut raw = String::new();
        Count::Instructions.add(&mut raw, &all, "==1== Collected : 1\n");
        assert_eq!(Count::Instructions.per_request(&raw, 2.0).unwrap(), 447_447.0 / 2.0);
    }
}
