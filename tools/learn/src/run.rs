//! Runs the check of an exercise: cargo compiles it, and then its program runs. Both print to the learner's terminal, and
//! a check has passed if its program ends with success.
//!
//! Both are processes of ours, so that a check that nobody waits for any more can be ended.

use std::{
    env, fs,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, SystemTime},
};

use anyhow::{Context, Result};
use records::{base::built::Built, workshop::exercises::Exercise};

/// The interval at which we check whether a process has ended.
const POLL: Duration = Duration::from_millis(20);

/// Checks the learner's file of this exercise. Tells whether it passes, or `None` if it was stopped. Fails when cargo, or
/// the program that it has built, can't be started.
pub(crate) fn check(root: &Path, exercise: &Exercise, stop: &Stop) -> Result<Option<bool>> {
    let program = compile(root, exercise, stop).context("cannot run cargo")?;
    let passed = match program {
        Some(program) => {
            let mut check = Command::new(program);
            check.current_dir(root.join(exercise.folder()));
            // A failure says what was seen and what was expected; frames of the kit would bury it.
            check.env("RUST_BACKTRACE", "0");
            let ended = stop.run(&mut check, |_| ()).context("cannot run the check")?;
            ended.is_some_and(|status| status.success())
        }
        None => false,
    };
    Ok(if stop.is_stopped() { None } else { Some(passed) })
}

/// Compiles the check, and returns its program, or `None` if that failed or was stopped.
fn compile(root: &Path, exercise: &Exercise, stop: &Stop) -> io::Result<Option<PathBuf>> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo.args(["test", "--no-run", "--test", "check", "--package", &exercise.package()]);
    // The compiler's words go to the terminal, and the messages name the program.
    cargo.args(["--message-format", "json-render-diagnostics"]).stdout(Stdio::piped());
    let mut program = None;
    let ended = stop.run(&mut cargo, |line| {
        if let Some(built) = Built::in_message(line).filter(|it| it.name == "check") {
            program = Some(built.path);
        }
    })?;
    Ok(program.filter(|_| ended.is_some_and(|status| status.success())))
}

/// Gives a file the present time that was moved or copied into its place and has kept an older one. Cargo goes by the
/// times of files, and would not compile it. A file that was written in its place stays as it is, because an editor asks
/// its owner about one whose time has changed.
pub(crate) fn touch_if_moved(file: &Path) -> io::Result<()> {
    let about = fs::metadata(file)?;
    if changed(&about) > about.modified()? + Duration::from_secs(10) {
        fs::File::options().append(true).open(file)?.set_modified(SystemTime::now())?;
    }
    Ok(())
}

/// Returns the time at which anything about a file was changed last, its place among it.
#[cfg(unix)]
fn changed(about: &fs::Metadata) -> SystemTime {
    use std::os::unix::fs::MetadataExt;

    SystemTime::UNIX_EPOCH + Duration::from_secs(about.ctime().try_into().unwrap_or(0))
}

/// Returns the present time: the system doesn't tell.
#[cfg(not(unix))]
fn changed(_: &fs::Metadata) -> SystemTime {
    SystemTime::now()
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

    /// Runs a process to its end, and hands on the lines of its output if that is piped; `None` if it was stopped.
    fn run(
        &self,
        command: &mut Command,
        mut line: impl FnMut(&str),
    ) -> io::Result<Option<ExitStatus>> {
        let output = {
            let mut running = self.lock();
            if running.stopped {
                return Ok(None);
            }
            running.process.insert(command.stdin(Stdio::null()).spawn()?).stdout.take()
        };
        if let Some(output) = output {
            BufReader::new(output).lines().map_while(Result::ok).for_each(|it| line(&it));
        }
        self.wait()
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
            thread::sleep(POLL);
        }
    }
}
