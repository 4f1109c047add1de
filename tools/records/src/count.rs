//! Exact counts, by a tool around the server.
//!
//! strace counts system calls, valgrind's callgrind instructions, and its dhat allocations. Who else
//! uses the machine makes no difference to them. The server is ended with SIGTERM, so that the tool
//! can write its sums. What a server counts that is only started and ended is taken off.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::{description::Count, stats::rounded, store::line_starts};

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
        // The sums stand in valgrind's log too, and the profile, which says where, is not wanted.
        let (words, file) = match self {
            Count::Syscalls => ("strace -c -f -qq -o", file.to_string()),
            Count::Instructions => (
                "valgrind --tool=callgrind --callgrind-out-file=/dev/null",
                format!("--log-file={file}"),
            ),
            Count::Allocations => {
                ("valgrind --tool=dhat --dhat-out-file=/dev/null", format!("--log-file={file}"))
            }
        };
        words.split(' ').map(str::to_owned).chain([file]).collect()
    }

    /// The lines of what the tool wrote that hold the count: its total, and for system calls the most frequent ones.
    /// Fails when it is not what this tool writes, or its parts are not its total.
    pub fn lines(self, text: &str) -> Result<String> {
        let lines_with = |parts: &[&str]| -> Vec<&str> {
            text.lines().filter(|line| parts.iter().any(|part| line.contains(part))).collect()
        };
        let kept = match self {
            Count::Syscalls => {
                let total = strace_total(text)?;
                let calls = |line: &str| strace_calls(text, line);
                let is_row = |line: &&str| calls(line).is_some() && !is_strace_total(line);
                let rows = || text.lines().filter(is_row);
                let sum: f64 = rows().filter_map(calls).sum();
                ensure!(
                    sum == total,
                    "the calls in strace's table are {sum} together, and it says {total}"
                );
                let many = rows().filter(|line| calls(line) >= Some(total / 100.0));
                let heading = text.lines().find(|line| line.contains("calls"));
                let last = text.lines().find(|line| is_strace_total(line));
                heading.into_iter().chain(many).chain(last).collect::<Vec<_>>()
            }
            Count::Instructions => lines_with(&["Events    :", "Collected :"]),
            Count::Allocations => lines_with(&["Total:"]),
        };
        let lines: String = kept.iter().map(|line| format!("{}\n", line.trim_end())).collect();
        self.total(&lines)?;
        Ok(lines)
    }

    /// The whole count, in what [`lines`](Self::lines) kept.
    fn total(self, lines: &str) -> Result<f64> {
        let (line, before, missing) = match self {
            Count::Syscalls => return strace_total(lines),
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

fn is_strace_total(line: &str) -> bool {
    line.split_whitespace().next_back() == Some("total")
}

/// The number in the column `calls` of a line in the table of `strace -c`; `None` where there is none.
///
/// By the place of the column, because its last line leaves out another one in older versions.
pub fn strace_calls(table: &str, line: &str) -> Option<f64> {
    let heading = table.lines().find(|line| line.contains("calls"))?;
    let end = heading.find(" calls")? + " calls".len();
    line.get(..end)?.split_whitespace().next_back()?.parse().ok()
}

fn strace_total(table: &str) -> Result<f64> {
    let line = table.lines().find(|line| is_strace_total(line));
    let calls = line.and_then(|line| strace_calls(table, line));
    calls.context("strace wrote no table of calls with a total")
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
            (Count::Syscalls, "strace.txt", 1879.0, "strace -c -f -qq -o /tmp/sum"),
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

    #[test]
    fn the_calls_that_matter_are_kept() {
        let lines = Count::Syscalls.lines(&fixture("strace.txt")).unwrap();
        for name in ["syscall", "setsockopt", "shutdown", "accept4", "total"] {
            assert!(lines.lines().any(|line| line.ends_with(name)), "{name}: {lines}");
        }
        assert!(!lines.contains("mmap"), "{lines}");
        // Without usecs/call in the last line, as older versions of strace write it.
        let older = fixture("strace.txt").replace("0.007995           4", "0.007995            ");
        assert_eq!(Count::Syscalls.total(&older).unwrap(), 1879.0);
        let wrong =
            fixture("strace.txt").replace("402           recvfrom", "403           recvfrom");
        let error = Count::Syscalls.lines(&wrong).unwrap_err().to_string();
        assert!(error.contains("1880 together, and it says 1879"), "{error}");
    }
}
