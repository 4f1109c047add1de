//! Counts the system calls of a server, by the kernel.
//!
//! `perf stat` reads the tracepoint `raw_syscalls:sys_enter` for the server's processes while the generator runs. The
//! server isn't stopped for it and keeps its rate. strace stops it at each call, so that a server finds its next request
//! there already, and makes other calls than without strace: up to six times fewer.

use std::{path::Path, process::Command};

use anyhow::{Context, Result};
use measure::usage;

/// The tracepoint.
const EVENT: &str = "raw_syscalls:sys_enter";

/// The line before what perf wrote, in a run's raw output.
const HEADING: &str = "--- counted by perf stat\n";

/// Returns the reason why system calls can't be counted here, if there is one: lets perf count those of `true`.
pub fn impossible() -> Option<String> {
    let mut command = Command::new("perf");
    let output = command.args(["stat", "-e", EVENT, "true"]).output();
    let output = match output {
        Ok(output) if output.status.success() => return None,
        Ok(output) => output,
        Err(error) => return Some(format!("perf can't be started: {error}")),
    };
    Some(format!(
        "perf can't count system calls here ({}). Only root may, or everybody after `sudo sysctl \
         kernel.perf_event_paranoid=-1` and `sudo mount -o remount,mode=755 /sys/kernel/tracing`",
        complaint(&String::from_utf8_lossy(&output.stderr))
    ))
}

/// Finds the line in which perf says what is wrong, among those that show where in its arguments.
fn complaint(text: &str) -> &str {
    let lines = text.lines().map(|line| line.trim().trim_start_matches("Error:").trim_start());
    let mut telling = lines.filter(|line| {
        !line.is_empty() && !line.starts_with("event syntax error") && !line.starts_with('\\')
    });
    telling.next().unwrap_or("it says nothing")
}

/// Makes the words that stand before a generator's command line, so that perf counts the calls of this process, and of
/// those that it has started, while the generator runs. The count goes to `file`.
pub fn around_generator(server: u32, file: &Path) -> Vec<String> {
    let mut ids = vec![server.to_string()];
    ids.extend(usage::children(server).iter().map(u32::to_string));
    let file = file.display().to_string();
    let ids = ids.join(",");
    let words = ["perf", "stat", "-x,", "-o", &file, "-e", EVENT, "-p", &ids, "--"];
    words.map(str::to_owned).to_vec()
}

/// Adds perf's output to a run's raw output.
pub fn add(raw: &mut String, written: &str) {
    if !raw.is_empty() && !raw.ends_with('\n') {
        raw.push('\n');
    }
    raw.push_str(HEADING);
    raw.push_str(written.trim());
    raw.push('\n');
}

/// Reads the count in a run's raw output. Fails when it is not there.
pub fn total(raw: &str) -> Result<f64> {
    let (_, written) = raw.split_once(HEADING).context("perf counted nothing")?;
    let line = written.lines().find(|line| line.contains(EVENT)).context("perf counted nothing")?;
    let count = line.split(',').next().unwrap_or_default();
    count.parse().ok().with_context(|| format!("perf counted `{count}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of perf 6.1.
    const WRITTEN: &str = "# started on Sat Nov 28 13:12:01 2026\n\n\
        6003,,raw_syscalls:sys_enter,4021000,100.00,,\n";

    /// The error of perf 6.1 for a user other than root.
    #[test]
    fn the_reason_is_found_in_what_perf_says() {
        let text = "event syntax error: 'raw_syscalls:sys_enter'\n                     \\___ can't access trace events\n\n\
            Error:\tNo permissions to read /sys/kernel/tracing/events/raw_syscalls/sys_enter\nHint:\tTry it\n";
        let why = "No permissions to read /sys/kernel/tracing/events/raw_syscalls/sys_enter";
        assert_eq!(complaint(text), why);
        let text = "Error:\nAccess to performance monitoring is limited.\nConsider it\n";
        assert_eq!(complaint(text), "Access to performance monitoring is limited.");
        assert_eq!(complaint(""), "it says nothing");
    }

    #[test]
    fn a_count_is_kept_and_read_again() {
        let mut raw = "Requests/sec: 5".to_owned();
        add(&mut raw, WRITTEN);
        assert!(raw.starts_with("Requests/sec: 5\n--- counted by perf stat\n# started"), "{raw}");
        assert_eq!(total(&raw).unwrap(), 6003.0);
        assert!(total("Requests/sec: 5\n").is_err());
        let none = "--- counted by perf stat\n<not counted>,,raw_syscalls:sys_enter,0,0.00,,\n";
        assert!(total(none).unwrap_err().to_string().contains("<not counted>"));
    }

    /// dd reads and writes once for each of its blocks.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_calls_of_a_process_are_counted_and_not_those_of_the_generator() {
        if let Some(why) = impossible() {
            println!("skipped: {why}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let [go, file] = ["go", "count"].map(|name| folder.path().join(name));
        assert!(Command::new("mkfifo").arg(&go).status().unwrap().success());
        // It waits by itself: a child that has ended when perf comes would be an error of perf.
        let script = format!(
            "read line < {}; exec dd if=/dev/zero of=/dev/null bs=1 count=3000",
            go.display()
        );
        let mut command = Command::new("sh");
        command.args(["-c", &script]).stderr(std::process::Stdio::null());
        let mut watched = command.spawn().unwrap();
        // The generator lets it go, and makes far more calls itself.
        let script = format!(
            "echo > {}; dd if=/dev/zero of=/dev/null bs=1 count=50000 2>/dev/null; sleep 1",
            go.display()
        );
        let generator = ["sh", "-c", &script].map(str::to_owned).to_vec();
        let words = [around_generator(watched.id(), &file), generator].concat();
        assert!(Command::new(&words[0]).args(&words[1..]).status().unwrap().success());
        watched.wait().unwrap();
        let mut raw = String::new();
        add(&mut raw, &std::fs::read_to_string(&file).unwrap());
        let total = total(&raw).unwrap();
        // What a shell does until then, and dd's start, are some hundreds.
        assert!((6000.0..8000.0).contains(&total), "{total}");
    }
}
