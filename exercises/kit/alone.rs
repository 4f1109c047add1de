//! Runs each check of an exercise in a process of its own.
//!
//! A learner's file may end its process, take it down, or print without end. So this program starts itself once for
//! each check, reads what that process prints up to a bound, and believes only its last word, which it says when the
//! check has returned.

use std::{
    collections::VecDeque,
    env,
    hash::{BuildHasher, RandomState},
    io::{self, BufRead, BufReader, PipeReader, Read, Write},
    mem,
    panic::catch_unwind,
    process::{self, Child, Command, ExitCode, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{NOT_CHECKED, deadline, fingerprint::fingerprint, threads};

/// A check: its name, with those of the modules that it is in, and what it does.
pub type Check = (&'static str, fn());

/// What a check is made of, where a learner may change it.
#[derive(Clone, Copy, Debug)]
pub struct MadeOf {
    /// The package.
    pub package: &'static str,
    /// What [`fingerprint`] said when it was compiled.
    pub fingerprint: &'static str,
}

/// Tells the process of one check the word that it says at its end. No other program knows it.
const WORD_OF_CHECK: &str = "EXERCISE_WORD_OF_CHECK";

/// `cargo xtask learn` asks with this for a last word as well.
const WORD: &str = "EXERCISE_WORD";

/// How many checks run at the same time. Most of them wait.
const SIDE_BY_SIDE: usize = 4;

/// More than this no check has to print, in lines and in bytes.
const MOST_LINES: usize = 10_000;
const MOST_BYTES: usize = 1 << 20;

/// How much of it is shown: this many of the first lines, as many of the last, and so many bytes of each.
const SHOWN_LINES: usize = 100;
const SHOWN_BYTES: u64 = 1000;

/// How often we look whether a check has ended.
const LOOK: Duration = Duration::from_millis(5);

/// How long we wait for the rest of what a check has printed, once it has ended.
const REST: Duration = Duration::from_secs(1);

/// The `main` of a check, which `checks!` writes.
pub fn main(checks: &[Check], made_of: Option<MadeOf>) -> ExitCode {
    let wanted: Vec<String> = env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    if let (Ok(word), Some(name)) = (env::var(WORD_OF_CHECK), wanted.first()) {
        let check = checks.iter().find(|(it, _)| it == name);
        run_here(*check.expect("the process that started this one knows the checks"), &word);
    }
    let verdict = match made_of {
        Some(made_of) if !is_fresh(made_of) => Verdict::Stale,
        _ => run_all(checks.iter().filter(|(name, _)| {
            wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()))
        })),
    };
    if let Ok(word) = env::var(WORD) {
        say(&format!("{word} {}", verdict.word()));
    } else if let (Verdict::Stale, Some(made_of)) = (verdict, made_of) {
        say(&format!(
            "Cargo has not compiled your file as it is now: it goes by the time of a file, and one that was moved or \
             copied keeps an older time.\nThis compiles it: cargo clean -p {0} && cargo test -p {0}",
            made_of.package
        ));
    }
    if verdict == Verdict::Passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What has come of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    /// They were compiled from other texts, so none was run.
    Stale,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::Stale => "stale",
        }
    }
}

/// Whether the texts are still those that were compiled.
fn is_fresh(made_of: MadeOf) -> bool {
    match fingerprint(made_of.package) {
        Ok(now) => now == made_of.fingerprint,
        Err(error) => {
            say(&format!("cannot read the texts ({error}); run this in the exercise's folder"));
            false
        }
    }
}

/// Says a line, and does not mind when nobody reads it.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Runs the checks, and says how each of them ended.
fn run_all<'a>(checks: impl Iterator<Item = &'a Check>) -> Verdict {
    let names: Vec<&str> = checks.map(|(name, _)| *name).collect();
    let waiting = Mutex::new(names.iter());
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let next = lock(&waiting).next();
                    let Some(name) = next else { return };
                    let outcome = run_alone(name);
                    say(&format!("{:<8}{}", outcome.word(), last_part(name)));
                    outcome
                        .said
                        .first
                        .iter()
                        .filter(|it| it.starts_with(NOT_CHECKED))
                        .for_each(|it| say(it));
                    if !matches!(outcome.ended, Ended::Returned { passed: true }) {
                        lock(&failed).push((name, outcome));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (name, outcome) in &failed {
        say(&format!("\n-- {}", last_part(name)));
        outcome.show();
    }
    if names.is_empty() {
        say("No check has this name.");
    } else {
        say(&format!("{} of {} checks passed", names.len() - failed.len(), names.len()));
    }
    let all_passed = failed.is_empty() && !names.is_empty();
    if all_passed { Verdict::Passed } else { Verdict::Failed }
}

/// The name of a check without those of its modules.
fn last_part(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// Runs a check in this process, which ends with it.
fn run_here((name, check): Check, word: &str) -> ! {
    // The process that started this one holds the other end of the input. When it is gone, so is whoever waited.
    threads::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        process::exit(1);
    });
    let outcome = threads::spawn_named(last_part(name), move || catch_unwind(check)).join();
    let passed = matches!(outcome, Ok(Ok(())));
    let verdict = if passed { Verdict::Passed } else { Verdict::Failed };
    // It begins with the end of a line, since the last thing that was printed may have none.
    say(&format!("\n{word} {}", verdict.word()));
    process::exit(i32::from(!passed));
}

/// How the process of a check has ended.
#[derive(Debug)]
enum Ended {
    /// The check has returned or panicked, and said so.
    Returned {
        passed: bool,
    },
    /// Before that.
    Early(ExitStatus),
    /// We have ended it: it printed too much, or it did not end.
    TooMuch,
    Late(Duration),
    /// It did not even begin.
    Never(io::Error),
}

#[derive(Debug)]
struct Outcome {
    ended: Ended,
    said: Said,
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self.ended {
            Ended::Returned { passed: true } => "passed",
            _ => "FAILED",
        }
    }

    fn show(&self) {
        self.said.show();
        let (seen, expected) = match &self.ended {
            // The check's own words are among what was printed.
            Ended::Returned { .. } => return,
            Ended::Early(status) => (
                format!("the program ended before its check was finished ({status})"),
                "a check that comes to its end; something in your file ends the whole program, as `exit` and `abort` do",
            ),
            Ended::TooMuch => (
                format!(
                    "your program printed more than {MOST_LINES} lines, or more than {MOST_BYTES} bytes, so the check \
                     was ended; its first lines and its last are above"
                ),
                "that it prints less; is there a loop that never ends?",
            ),
            Ended::Late(after) => {
                (format!("the check was not over after {after:?}"), "that each call returns")
            }
            Ended::Never(error) => {
                (format!("the check could not be started: {error}"), "a process for each check")
            }
        };
        say(&format!("\n  seen:     {seen}\n  expected: {expected}\n"));
    }
}

/// What a check has printed, as much of it as is shown.
#[derive(Debug, Default)]
struct Said {
    first: Vec<String>,
    last: VecDeque<String>,
    lines: usize,
    bytes: usize,
    /// The last word, if it was said.
    passed: Option<bool>,
}

impl Said {
    fn add(&mut self, bytes: &[u8], word: &str) {
        let line = String::from_utf8_lossy(bytes);
        let line = line.trim_end_matches(['\r', '\n']);
        match line.strip_prefix(word) {
            Some(" passed") => self.passed = Some(true),
            Some(" failed") => self.passed = Some(false),
            _ => {
                self.lines += 1;
                self.bytes += bytes.len();
                if self.first.len() < SHOWN_LINES {
                    self.first.push(line.to_owned());
                } else {
                    self.last.push_back(line.to_owned());
                }
                if self.last.len() > SHOWN_LINES {
                    self.last.pop_front();
                }
            }
        }
    }

    fn is_too_much(&self) -> bool {
        self.lines > MOST_LINES || self.bytes > MOST_BYTES
    }

    fn show(&self) {
        for line in &self.first {
            say(line);
        }
        let left_out = self.lines - self.first.len() - self.last.len();
        if left_out > 0 {
            say(&format!("[{left_out} lines are left out]"));
        }
        for line in &self.last {
            say(line);
        }
    }
}

/// Runs the check of this name in a process of its own.
fn run_alone(name: &str) -> Outcome {
    let word = format!("{:016x}", RandomState::new().hash_one(name));
    let said = Arc::new(Mutex::new(Said::default()));
    let ended = match start(name, &word) {
        Ok((process, pipe)) => follow(process, listen(pipe, &word, &said), &said),
        Err(error) => Ended::Never(error),
    };
    Outcome { ended, said: mem::take(&mut *lock(&said)) }
}

/// Starts this program again, for one check. Both of its outputs are one pipe, so their lines keep their order.
fn start(name: &str, word: &str) -> io::Result<(Child, PipeReader)> {
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new(env::current_exe()?);
    command.arg(name).env(WORD_OF_CHECK, word).env_remove(WORD);
    command.stdin(Stdio::piped()).stdout(writer.try_clone()?).stderr(writer);
    Ok((command.spawn()?, reader))
}

/// Reads what a check prints until it is too much. What is returned is closed when nothing more is read.
fn listen(pipe: PipeReader, word: &str, said: &Arc<Mutex<Said>>) -> Receiver<()> {
    let word = word.to_owned();
    let said = Arc::clone(said);
    let (reads, is_over) = mpsc::channel();
    thread::spawn(move || {
        // Nothing is ever sent: this is dropped at the end.
        let _reads: Sender<()> = reads;
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        while !lock(&said).is_too_much() {
            line.clear();
            // A line that is longer comes in pieces.
            match pipe.by_ref().take(SHOWN_BYTES).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => lock(&said).add(&line, &word),
            }
        }
    });
    is_over
}

/// Waits until the process of a check has ended, and ends it when it prints too much or takes too long.
fn follow(mut process: Child, is_over: Receiver<()>, said: &Mutex<Said>) -> Ended {
    let start = Instant::now();
    // A check may wait more than once, and each of its waits ends after the deadline.
    let limit = 12 * deadline();
    let ended = loop {
        match process.try_wait() {
            Ok(Some(status)) => break Ended::Early(status),
            Ok(None) if lock(said).is_too_much() => break Ended::TooMuch,
            Ok(None) if start.elapsed() > limit => break Ended::Late(limit),
            Ok(None) => thread::sleep(LOOK),
            Err(error) => break Ended::Never(error),
        }
    };
    // If it has ended by itself, that is as well.
    let _ = process.kill();
    let _ = process.wait();
    // A process that the check has left behind may hold the pipe open.
    let _ = is_over.recv_timeout(REST);
    let said = lock(said);
    match (ended, said.passed) {
        _ if said.is_too_much() => Ended::TooMuch,
        (Ended::Early(_), Some(passed)) => Ended::Returned { passed },
        (ended, _) => ended,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
