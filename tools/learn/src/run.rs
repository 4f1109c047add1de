//! Runs the check of an exercise: cargo compiles it, which is shown, and then its program runs.
//!
//! Both are processes of ours, so that a check that nobody waits for any more can be ended.

use std::{
    env,
    hash::{BuildHasher, RandomState},
    io::{self, BufRead, BufReader, IsTerminal, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use records::{base::say, workshop::exercises::Exercise};
use regex::Regex;

/// How often we look whether a process has ended.
const LOOK: Duration = Duration::from_millis(20);

/// The longest line of a process that is handed on whole. Cargo's messages are far shorter.
const LONGEST: u64 = 1 << 20;

/// How often the line is drawn that says what goes on.
const TICK: Duration = Duration::from_millis(200);

/// Checks the learner's file of this exercise: whether it passes, or `None` if it was stopped. Fails when cargo, or the
/// program that it has built, can't be started.
pub(crate) fn check(
    root: &Path,
    exercise: &Exercise,
    stop: &Stop,
    status: &Status,
) -> Result<Option<bool>> {
    let outcome = compile_and_run(root, exercise, stop, status);
    status.clear();
    if stop.is_stopped() { Ok(None) } else { outcome }
}

fn compile_and_run(
    root: &Path,
    exercise: &Exercise,
    stop: &Stop,
    status: &Status,
) -> Result<Option<bool>> {
    let mut why = String::new();
    for _ in 0..2 {
        let Some(program) = compile(root, exercise, stop, status)? else { return Ok(Some(false)) };
        status.now("The check runs");
        match run_program(root, exercise, &program, stop, status)? {
            LastWord::Passed => return Ok(Some(true)),
            LastWord::Failed => return Ok(Some(false)),
            LastWord::Stopped => return Ok(None),
            LastWord::Stale => {
                let mine = exercise.mine();
                why = format!(
                    "The check's program is not made of {} as it is now. Was it saved while it was compiled? Check again.",
                    mine.display()
                );
            }
            // Perhaps an earlier version of the exercises has made it, which says no last word.
            LastWord::None(ended) => {
                why = format!("The check's program ended without its last word ({ended}).");
            }
        }
        forget(root, exercise, stop, status)?;
    }
    status.above(|| complain(&why));
    Ok(Some(false))
}

/// Compiles the check: its program, or `None` if that failed or was stopped.
fn compile(
    root: &Path,
    exercise: &Exercise,
    stop: &Stop,
    status: &Status,
) -> Result<Option<PathBuf>> {
    let mut cargo = cargo(root);
    cargo.args(["test", "--no-run", "--test", "check", "--package", &exercise.package()]);
    let format = if status.in_colour { "json-diagnostic-rendered-ansi" } else { "json" };
    cargo.args(["--message-format", format]);
    cargo.args(["--color", if status.in_colour { "always" } else { "never" }]);
    status.now("Compiling what has changed");
    let mut program = None;
    let ended = stop.run(
        &mut cargo,
        |line| {
            let Ok(message) = serde_json::from_str(line) else { return };
            if let Some(words) = worth_saying(&message) {
                status.above(|| complain(words.trim_end()));
            }
            program = built(&message).or(program.take());
        },
        |line| match status_of_cargo(line) {
            Some(line) => status.of_cargo(line),
            None => status.above(|| complain(line)),
        },
    );
    let compiled = ended.context("cannot run cargo")?.is_some_and(|ended| ended.success());
    Ok(program.filter(|_| compiled))
}

/// What the program of a check says last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastWord {
    Passed,
    Failed,
    /// It is made of other texts than those that are there now, and has run nothing.
    Stale,
    /// It has ended before it could say one.
    None(ExitStatus),
    /// We have ended it before.
    Stopped,
}

/// Runs the program of a check. Whether it passed is its own word and not its status, which anything may have set.
fn run_program(
    root: &Path,
    exercise: &Exercise,
    program: &Path,
    stop: &Stop,
    status: &Status,
) -> Result<LastWord> {
    let word = format!("{:016x}", RandomState::new().hash_one(program));
    let mut check = Command::new(program);
    check.current_dir(root.join(exercise.folder())).env("EXERCISE_WORD", &word);
    // A failure says what was seen and what was expected; frames of the kit would bury it.
    check.env("RUST_BACKTRACE", "0");
    let mut last = None;
    let ended = stop.run(
        &mut check,
        |line| match line.strip_prefix(&word) {
            Some(" passed") => last = Some(LastWord::Passed),
            Some(" failed") => last = Some(LastWord::Failed),
            Some(_) => last = Some(LastWord::Stale),
            None => status.above(|| say(line)),
        },
        |line| status.above(|| complain(line)),
    );
    Ok(match ended.context("cannot run the check")? {
        Some(ended) => last.unwrap_or(LastWord::None(ended)),
        None => LastWord::Stopped,
    })
}

/// Lets cargo forget what it has made of this exercise. It goes by the times of files, and a file that was moved or
/// copied may be older than what was made of another one.
fn forget(root: &Path, exercise: &Exercise, stop: &Stop, status: &Status) -> Result<()> {
    let mut cargo = cargo(root);
    cargo.args(["clean", "--quiet", "--package", &exercise.package()]);
    let tell = |line: &str| status.above(|| complain(line));
    stop.run(&mut cargo, tell, tell).context("cannot run cargo")?;
    Ok(())
}

fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// Prints a line on standard error, and does not mind when nobody reads it any more.
fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The program that this message of cargo says it has built for the check.
fn built(message: &serde_json::Value) -> Option<PathBuf> {
    let program = message["executable"].as_str()?;
    (message["target"]["name"] == "check").then(|| PathBuf::from(program))
}

/// What the compiler says, but for what every exercise has before it is finished: names that nothing uses yet.
fn worth_saying(message: &serde_json::Value) -> Option<&str> {
    const UNFINISHED: [&str; 4] = ["dead_code", "unused_imports", "unused_mut", "unused_variables"];
    let said = &message["message"];
    let lint = said["code"]["code"].as_str().unwrap_or_default();
    let counts_warnings =
        said["level"] == "warning" && said["spans"].as_array().is_none_or(Vec::is_empty);
    if UNFINISHED.contains(&lint) || counts_warnings {
        return None;
    }
    said["rendered"].as_str()
}

/// What a line of cargo says that it does: a word that ends in the twelfth column, and what follows it.
fn status_of_cargo(line: &str) -> Option<String> {
    static COLOUR: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("\x1b\\[[0-9;]*m").expect("a correct expression"));
    let plain = COLOUR.replace_all(line, "");
    let (start, rest) = plain.split_at_checked(12)?;
    let word = start.trim_start();
    let is_word = word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let rest = rest.strip_prefix(' ')?;
    is_word.then(|| format!("{word} {}", rest.trim()))
}

/// Whether the learner wants cargo's colours, by what cargo's own variable says.
fn wants_colour(term_color: Option<String>) -> bool {
    term_color.as_deref() != Some("never")
}

/// A line at the bottom of the terminal that says what goes on, and is gone when it is over. Where there is no
/// terminal, lines that stay.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    bar: ProgressBar,
    on_terminal: bool,
    in_colour: bool,
}

impl Status {
    pub(crate) fn new() -> Status {
        let on_terminal = io::stderr().is_terminal();
        let bar = if on_terminal { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}");
        bar.set_style(style.expect("a correct template"));
        if on_terminal {
            bar.enable_steady_tick(TICK);
        }
        // This looks at `NO_COLOR` and at what the terminal can do.
        let able = console::colors_enabled_stderr();
        let in_colour = on_terminal && able && wants_colour(env::var("CARGO_TERM_COLOR").ok());
        Status { bar, on_terminal, in_colour }
    }

    fn now(&self, what: &str) {
        self.bar.reset_elapsed();
        self.bar.set_message(what.to_owned());
    }

    /// Cargo says that it does this.
    fn of_cargo(&self, mut line: String) {
        match line.split(' ').next() {
            // What stands below says it better.
            Some("Finished" | "Executable") => return,
            Some("Blocking") => line += "; another cargo is at work, perhaps your editor's",
            _ => {}
        }
        match self.on_terminal {
            true => self.bar.set_message(line),
            false => complain(&line),
        }
    }

    /// Prints something above the line.
    pub(crate) fn above<R>(&self, print: impl FnOnce() -> R) -> R {
        self.bar.suspend(print)
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Ends a check from another thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<Mutex<Running>>);

#[derive(Debug, Default)]
struct Running {
    stopped: bool,
    process: Option<Child>,
}

impl Stop {
    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process that runs, and lets no other begin. When this returns, the process is gone.
    pub(crate) fn stop(&self) {
        let mut running = self.lock();
        running.stopped = true;
        if let Some(process) = &mut running.process {
            // If it has just ended by itself, that is as well.
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Runs a process to its end, and hands on what it prints, line by line; `None` if it was stopped.
    fn run(
        &self,
        command: &mut Command,
        mut out: impl FnMut(&str) + Send,
        mut err: impl FnMut(&str) + Send,
    ) -> io::Result<Option<ExitStatus>> {
        let (stdout, stderr) = {
            let mut running = self.lock();
            if running.stopped {
                return Ok(None);
            }
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let process = running.process.insert(command.spawn()?);
            (process.stdout.take(), process.stderr.take())
        };
        thread::scope(|scope| {
            scope.spawn(|| self.hand_on(stdout, &mut out));
            scope.spawn(|| self.hand_on(stderr, &mut err));
        });
        self.wait()
    }

    /// Hands on the lines of a pipe until it ends or all is stopped.
    fn hand_on(&self, pipe: Option<impl Read>, line: &mut dyn FnMut(&str)) {
        let Some(pipe) = pipe else { return };
        let mut pipe = BufReader::new(pipe);
        let mut bytes = Vec::new();
        // A line that is longer comes in pieces.
        while pipe.by_ref().take(LONGEST).read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0)
        {
            if self.is_stopped() {
                return;
            }
            line(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']));
            bytes.clear();
        }
    }

    /// Waits without the lock, so that the process can be stopped meanwhile.
    fn wait(&self) -> io::Result<Option<ExitStatus>> {
        loop {
            let mut running = self.lock();
            if running.stopped {
                return Ok(None);
            }
            let Some(process) = &mut running.process else { return Ok(None) };
            if let Some(ended) = process.try_wait()? {
                running.process = None;
                return Ok(Some(ended));
            }
            drop(running);
            thread::sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cargo_does_is_told_from_what_the_compiler_says() {
        for (line, what) in [
            ("   Compiling smol v2.0.2", "Compiling smol v2.0.2"),
            ("\x1b[1m\x1b[92m   Compiling\x1b[0m smol v2.0.2", "Compiling smol v2.0.2"),
            ("    Blocking waiting for file lock", "Blocking waiting for file lock"),
            (" Downloading 3 crates", "Downloading 3 crates"),
        ] {
            assert_eq!(status_of_cargo(line).as_deref(), Some(what));
        }
        for line in [
            "error[E0308]: mismatched types",
            "warning: unused variable: `x`",
            "  --> exercises/mine/overlap.rs:3:5",
            "12 |         Ok(stream) => {",
            "   = note: expected type",
            "",
            "é",
        ] {
            assert_eq!(status_of_cargo(line), None, "{line}");
        }
    }

    #[test]
    fn of_cargos_messages_the_program_of_the_check_is_taken() {
        let message = |name: &str, program: serde_json::Value| json!({ "reason": "compiler-artifact", "target": { "name": name }, "executable": program });
        let check = message("check", json!("/t/check-1"));
        assert_eq!(built(&check), Some(PathBuf::from("/t/check-1")));
        assert_eq!(built(&message("ex_overlap", json!("/t/ex"))), None);
        assert_eq!(built(&message("check", json!(null))), None);
    }

    #[test]
    fn names_that_nothing_uses_yet_are_not_told() {
        let message = |level: &str, code: serde_json::Value, spans: serde_json::Value| json!({ "message": { "level": level, "code": code, "spans": spans, "rendered": "words" } });
        let lint = |name: &str| message("warning", json!({ "code": name }), json!([{}]));
        assert_eq!(worth_saying(&lint("unused_imports")), None);
        assert_eq!(worth_saying(&message("warning", json!(null), json!([]))), None);
        // A future that nobody awaits is worth it.
        assert_eq!(worth_saying(&lint("unused_must_use")), Some("words"));
        let error = message("error", json!({ "code": "E0382" }), json!([{}]));
        assert_eq!(worth_saying(&error), Some("words"));
        assert_eq!(worth_saying(&json!({ "reason": "build-finished" })), None);
    }

    #[test]
    fn a_stopped_process_is_gone_and_none_follows() {
        let stop = Stop::default();
        let wait = || {
            // A program of every system that does not end: this one, asked to run the test below.
            let mut command = Command::new(env::current_exe().unwrap());
            command.args(["--exact", "run::tests::waits_for_ever_if_asked"]);
            command.env(WAIT, "");
            command
        };
        let runner = stop.clone();
        let thread = thread::spawn(move || runner.run(&mut wait(), |_| (), |_| ()));
        while stop.lock().process.is_none() {
            thread::sleep(LOOK);
        }
        stop.stop();
        assert!(thread.join().unwrap().unwrap().is_none());
        assert!(stop.run(&mut wait(), |_| (), |_| ()).unwrap().is_none());
    }

    /// Asks [`waits_for_ever_if_asked`] to do so.
    const WAIT: &str = "WAIT_FOR_EVER";

    /// For the test above, which ends it.
    #[test]
    fn waits_for_ever_if_asked() {
        while env::var_os(WAIT).is_some() {
            thread::park();
        }
    }
}
