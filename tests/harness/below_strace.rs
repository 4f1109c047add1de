//! Runs a server below strace, and reads how often it calls the kernel, or its calls that take long.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    server::{Launch, Server},
    unix::{Signal, send_signal},
};
use crate::DEADLINE;

/// Starts the server below strace with these options, lets `work` talk to it, ends it, and returns what strace wrote.
///
/// # Panics
/// When `work` does, or strace writes nothing.
#[track_caller]
pub fn below_strace(launch: Launch, options: &[&str], work: impl FnOnce(&Server)) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let words = [&["strace", "-f", "-qq"], options, &["-o"]].concat();
    let output = std::env::temp_dir().join(format!("strace-{}-{number}.txt", process::id()));
    let mut server = launch.below(&words, &output).start();
    let id = server.line.rsplit(' ').next().and_then(|digits| digits.parse().ok());
    let id = id.expect("the line ends with the process id");
    let outcome = catch_unwind(AssertUnwindSafe(|| work(&server)));
    // The server itself: strace that is killed would leave it behind.
    send_signal(id, Signal::Terminate).expect("the server still runs");
    server.wait(DEADLINE);
    let text = fs::read_to_string(&output);
    let _ = fs::remove_file(&output);
    outcome.unwrap_or_else(|panic| resume_unwind(panic));
    text.expect("strace writes a file")
}

/// The system calls that a server made from its start to its end.
#[derive(Debug)]
pub struct Calls(String);

impl Calls {
    /// Starts the server below strace, lets `work` talk to it, ends it, and reads what strace counted.
    ///
    /// # Panics
    /// When `work` does, or strace writes no table.
    #[track_caller]
    pub fn counted(launch: Launch, work: impl FnOnce(&Server)) -> Calls {
        Calls(below_strace(launch, &["-c"], work))
    }

    /// Returns the number of times that it made this call.
    pub fn named(&self, name: &str) -> u64 {
        let line = self.0.lines().find(|line| line.split_whitespace().next_back() == Some(name));
        line.map_or(0, |line| self.calls(line).unwrap_or_else(|| panic!("{line:?}")))
    }

    /// Reads the number in the column `calls` of a line. By the place of the column, because older versions of strace
    /// leave another column of the last line empty.
    fn calls(&self, line: &str) -> Option<u64> {
        let heading = self.0.lines().find(|line| line.contains("calls"))?;
        let end = heading.find(" calls")? + " calls".len();
        line.get(..end)?.split_whitespace().next_back()?.parse().ok()
    }

    /// Returns the number of all its calls.
    pub fn all(&self) -> u64 {
        self.named("total")
    }
}
