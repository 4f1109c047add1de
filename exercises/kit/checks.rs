//! Runs the checks of an exercise in a process of their own.
//!
//! A learner's file may hang, print without end, or end its process. So this program starts itself once more for all
//! checks, passes on what that process prints up to a bound, and believes its last line: *N of N checks passed*.
//! A learner who prints that line has cheated nobody else.

use std::{
    env,
    io::{self, BufRead, BufReader, PipeReader, Read, Write},
    process::{self, Child, Command, ExitCode, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use crate::{comes_true_within, deadline, threads};

/// A check: its name, with those of the modules that it is in, and what it does.
pub type Check = (&'static str, fn());

/// The variable that is set for the process that runs the checks.
const RUN_HERE: &str = "EXERCISE_RUN_HERE";

/// The status of a test program that has failed. Cargo complains about any other that isn't 0.
const FAILED: u8 = 101;

/// The most that the checks of an exercise may print, in lines and in bytes.
const MOST_LINES: usize = 5_000;
const MOST_BYTES: usize = 500_000;

/// The longest piece of a line, in bytes, that is passed on at once.
const LONGEST_PIECE: u64 = 1_000;

/// Returns the time limit of a check: it may wait more than once, and each of its waits ends after the deadline.
fn limit() -> Duration {
    12 * deadline()
}

/// Writes the `main` of an exercise's check for `checks!`: runs all checks, or those whose names have a word of the
/// command line in them.
pub fn main(checks: &[Check]) -> ExitCode {
    let words: Vec<String> = env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let mut wanted = checks.to_vec();
    wanted.retain(|(name, _)| words.is_empty() || words.iter().any(|word| name.contains(word)));
    if env::var_os(RUN_HERE).is_some() {
        run_here(&wanted);
    }
    if wanted.is_empty() {
        say("No check has this name; without a name, all of them run.");
        return ExitCode::from(FAILED);
    }
    let all_passed = summary(wanted.len(), wanted.len());
    let (seen, expected) = match run_in_a_child() {
        Ended::Itself { last_line, .. } if last_line == all_passed => return ExitCode::SUCCESS,
        // Each check that failed has said why.
        Ended::Itself { last_line, .. } if is_summary(&last_line, wanted.len()) => {
            say("A check that failed is the function of that name in check.rs: read it next.");
            return ExitCode::from(FAILED);
        }
        Ended::Itself { status, .. } => (
            format!("the program ended before its checks were over ({status})"),
            "the program to run all its checks; look for what ends it in your file: `exit`, \
             `abort`, or a recursion that overflows the stack",
        ),
        Ended::TooMuch => (
            format!(
                "your program has printed more than {MOST_LINES} lines, or more than {MOST_BYTES} \
                 bytes, so its checks were ended"
            ),
            "less; look for a loop that prints and never ends",
        ),
        Ended::Silent(after) => (
            format!("nothing happened for {after:?}, so the checks were ended"),
            "each call to return; look for a thread of yours that locks the output and keeps the \
             others from printing",
        ),
        Ended::Never(error) => (
            format!("the checks could not be started: {error}"),
            "a process for the checks; the fault is not in your file",
        ),
    };
    say(&format!("\n  seen:     {seen}\n  expected: {expected}\n"));
    ExitCode::from(FAILED)
}

/// Writes the last line of the process that runs the checks.
fn summary(passed: usize, all: usize) -> String {
    format!("{passed} of {all} checks passed")
}

fn is_summary(line: &str, all: usize) -> bool {
    (0..=all).any(|passed| line == summary(passed, all))
}

/// Prints a line, and ignores the error where nobody reads it.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Runs the checks one after another, prints how each of them ended, and ends this process.
fn run_here(checks: &[Check]) -> ! {
    // The process that started this one holds the other end of the input. When it is gone, nobody waits any more.
    threads::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        process::exit(1);
    });
    let mut passed = 0;
    for (name, check) in checks {
        let name = name.rsplit("::").next().unwrap_or(name);
        let thread = threads::spawn_named(name, *check);
        if !comes_true_within(limit(), || thread.is_finished()) {
            say(&format!("\n  seen:     {name} had not ended after {:?}", limit()));
            say("  expected: each call to return; look for a loop or a wait in your file that \
                 never ends\n");
            say(&format!("FAILED  {name}\nThe checks after it were not run."));
            break;
        }
        let has_passed = thread.join().is_ok();
        passed += usize::from(has_passed);
        say(&format!("{}  {name}", if has_passed { "passed" } else { "FAILED" }));
    }
    // From here on no thread of the learner's prints anything, so the summary is the last line.
    let mut out = io::stdout().lock();
    let _errors = io::stderr().lock();
    // It begins with the end of a line, since the last thing that was printed may have none.
    let _ = writeln!(out, "\n{}", summary(passed, checks.len()));
    process::exit(i32::from(passed < checks.len()));
}

/// The end of the process that ran the checks.
#[derive(Debug)]
enum Ended {
    /// It ended by itself.
    Itself { last_line: String, status: ExitStatus },
    /// We have ended it, because it printed too much.
    TooMuch,
    /// We have ended it, because it printed nothing for so long.
    Silent(Duration),
    /// It did not even begin.
    Never(io::Error),
}

/// Starts this program again, which runs the checks, and passes on what it prints.
fn run_in_a_child() -> Ended {
    let (mut child, pipe) = match start() {
        Ok(started) => started,
        Err(error) => return Ended::Never(error),
    };
    let passed_on = pass_on(&read(pipe));
    // It may have ended by itself.
    let _ = child.kill();
    match (passed_on, child.wait()) {
        (PassedOn::All { last_line }, Ok(status)) => Ended::Itself { last_line, status },
        (PassedOn::All { .. }, Err(error)) => Ended::Never(error),
        (PassedOn::TooMuch, _) => Ended::TooMuch,
        (PassedOn::Silent(after), _) => Ended::Silent(after),
    }
}

/// Starts this program for the same checks. Both of its outputs are one pipe, so their lines keep their order.
fn start() -> io::Result<(Child, PipeReader)> {
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new(env::current_exe()?);
    command.args(env::args_os().skip(1)).env(RUN_HERE, "");
    command.stdin(Stdio::piped()).stdout(writer.try_clone()?).stderr(writer);
    Ok((command.spawn()?, reader))
}

/// Reads the lines of a pipe on a thread of its own. A line that is long comes in pieces.
fn read(pipe: PipeReader) -> Receiver<Vec<u8>> {
    let (sender, pieces) = mpsc::sync_channel(100);
    thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        loop {
            let mut piece = Vec::new();
            let read = pipe.by_ref().take(LONGEST_PIECE).read_until(b'\n', &mut piece);
            if !read.is_ok_and(|count| count > 0) || sender.send(piece).is_err() {
                return;
            }
        }
    });
    pieces
}

/// How far the output was passed on.
enum PassedOn {
    /// To its end.
    All { last_line: String },
    /// To the bound.
    TooMuch,
    /// To a pause of this length.
    Silent(Duration),
}

fn pass_on(pieces: &Receiver<Vec<u8>>) -> PassedOn {
    // The process itself ends a check that takes too long, unless it can't even say so.
    let patience = limit() + deadline();
    let mut last_line = Vec::new();
    let mut lines = 0;
    let mut bytes = 0;
    loop {
        match pieces.recv_timeout(patience) {
            Ok(piece) => {
                let _ = io::stdout().write_all(&piece);
                lines += usize::from(piece.ends_with(b"\n"));
                bytes += piece.len();
                last_line = piece;
            }
            Err(RecvTimeoutError::Timeout) => return PassedOn::Silent(patience),
            Err(RecvTimeoutError::Disconnected) => {
                let last_line = String::from_utf8_lossy(&last_line).trim_end().to_owned();
                return PassedOn::All { last_line };
            }
        }
        if lines > MOST_LINES || bytes > MOST_BYTES {
            return PassedOn::TooMuch;
        }
    }
}
