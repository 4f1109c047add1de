//! Runs other programs with a deadline, and skips tests where a program is missing.

use std::{
    env,
    io::{self, Read, Write},
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use records::base::programs::{how_to_install, program};

/// A program that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// Runs a program to its end.
///
/// # Panics
/// When it can't be started, or has not ended after `deadline`.
#[track_caller]
pub fn run(command: &mut Command, deadline: Duration) -> Finished {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stdout = read_all(child.stdout.take().expect("it is piped"));
    let stderr = read_all(child.stderr.take().expect("it is piped"));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break Some(status);
        }
        if start.elapsed() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let stdout = text_of(stdout);
    let stderr = text_of(stderr);
    match status {
        Some(status) => Finished { code: status.code(), stdout, stderr },
        None => panic!("{command:?} still ran after {deadline:?}\n{stdout}\n{stderr}"),
    }
}

fn read_all(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

fn text_of(reader: thread::JoinHandle<Vec<u8>>) -> String {
    let bytes = reader.join().expect("reading a pipe does not panic");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Tells whether a program of the table `tools/records/src/base/programs.txt` is installed. Where it isn't, the test that
/// asks is to return, and [`skip`] has said so, with the command that installs it.
///
/// # Panics
/// When it is missing, and the environment variable `CI` is set, or the table does not have it.
#[track_caller]
pub fn have(name: &str) -> bool {
    let program = program(name).unwrap_or_else(|| panic!("programs.txt does not have {name}"));
    let is_here = program.version().is_some();
    if !is_here {
        skip(&format!("{name} is not installed. {}", how_to_install(name)));
    }
    is_here
}

/// Prints that a test, or a part of it, did not run, and why.
///
/// # Panics
/// When the environment variable `CI` is set: there nothing may be left out.
#[track_caller]
pub fn skip(why: &str) {
    let test = thread::current().name().unwrap_or("a test").to_owned();
    assert!(env::var_os("CI").is_none(), "may not be skipped where CI is set: {why}");
    // Not `eprintln!`, which the test harness keeps to itself when a test passes.
    let _ = io::stderr().write_all(format!("SKIPPED: {test}: {why}\n").as_bytes());
}

/// Finds a Chromium or Chrome: `CHROMIUM`, or the first that is installed.
#[must_use]
pub fn chromium() -> Option<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM") {
        return Some(path.into());
    }
    let folders: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let names =
        ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome.exe"];
    let on_path = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let elsewhere = [
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    ];
    on_path.chain(elsewhere.map(PathBuf::from)).find(|path| path.is_file())
}
