//! A program that we start, that we wait for, and that ends with us.

use std::{
    fs::File,
    io::{Read, Seek},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::stop::StopFlag;

/// The interval at which we check whether a program has ended.
const POLL: Duration = Duration::from_millis(50);

/// A started program. Dropping it ends it, and what it has started.
#[derive(Debug)]
pub struct Program(pub(crate) Child);

impl Program {
    /// Starts it in a process group of its own: Ctrl-C then reaches only us, and we end it in good order. Fails when it
    /// can't be started.
    pub fn start(command: &mut Command) -> std::io::Result<Program> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.stdin(Stdio::null()).spawn().map(Program)
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Waits for its end, and calls `tick` while waiting. Fails on Ctrl-C, and when it takes longer than `limit`; it is
    /// ended then.
    pub fn wait(
        &mut self,
        limit: Duration,
        stop: &StopFlag,
        mut tick: impl FnMut(),
    ) -> Result<ExitStatus> {
        let started = Instant::now();
        loop {
            let ended = self.0.try_wait().context("cannot wait for a program")?;
            // What ended because of Ctrl-C has not finished.
            stop.check()?;
            if let Some(status) = ended {
                return Ok(status);
            }
            let seconds = limit.as_secs();
            ensure!(started.elapsed() <= limit, "it did not end within {seconds} s");
            tick();
            thread::sleep(POLL);
        }
    }

    /// Sends a signal to it and to what it has started.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: nix::sys::signal::Signal) {
        let group = nix::unistd::Pid::from_raw(self.id().cast_signed());
        let _ = nix::sys::signal::killpg(group, signal);
    }

    /// Sends it what Ctrl-C sends to the programs of a terminal.
    #[cfg(unix)]
    pub fn interrupt(&self) {
        self.signal(nix::sys::signal::SIGINT);
    }

    /// Tells whether it is still running.
    pub fn is_running(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.is_running() {
            #[cfg(unix)]
            self.signal(nix::sys::signal::SIGKILL);
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}

/// A program that has ended.
#[derive(Debug)]
pub struct Finished {
    /// Its exit status.
    pub status: ExitStatus,
    /// The text that it wrote to standard output.
    pub stdout: String,
    /// The text that it wrote to standard error.
    pub stderr: String,
}

/// Runs a program to its end. While it runs, `tick` is called with its process id again and again. Fails when it can't
/// be started, on Ctrl-C, and when it takes too long.
pub fn run(
    command: &mut Command,
    limit: Duration,
    stop: &StopFlag,
    mut tick: impl FnMut(u32),
) -> Result<Finished> {
    // Files and not pipes: nobody has to read them while the program runs.
    let mut stdout = tempfile::tempfile().context("cannot make a temporary file")?;
    let mut stderr = tempfile::tempfile().context("cannot make a temporary file")?;
    command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let name = command.get_program().to_string_lossy().into_owned();
    let mut program = Program::start(command).with_context(|| format!("cannot start {name}"))?;
    let id = program.id();
    let status = program.wait(limit, stop, || tick(id)).with_context(|| name.clone())?;
    Ok(Finished { status, stdout: text_of(&mut stdout)?, stderr: text_of(&mut stderr)? })
}

/// Reads a file from its beginning.
fn text_of(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::is_stopped;

    /// Tells whether there is a process of this number.
    fn is_alive(id: &str) -> bool {
        shell(&format!("kill -0 {id} 2>/dev/null")).status().unwrap().success()
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn both_outputs_and_the_status_come_back() {
        let mut command = shell("echo out; echo err >&2; exit 3");
        let limit = Duration::from_secs(60);
        let finished = run(&mut command, limit, &StopFlag::default(), |_| {}).unwrap();
        assert_eq!(finished.status.code(), Some(3));
        assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("out\n", "err\n"));
    }

    #[test]
    fn ctrl_c_ends_what_runs_and_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("id");
        let stop = StopFlag::default();
        let set = stop.clone();
        let script = format!("sleep 600 & echo $! > {}; wait", note.display());
        let mut ticks = 0;
        let error = run(&mut shell(&script), Duration::from_secs(60), &stop, |_| {
            ticks += 1;
            if std::fs::read_to_string(&note).is_ok_and(|text| text.ends_with('\n')) {
                set.set();
            }
        })
        .unwrap_err();
        assert!(is_stopped(&error), "{error:#}");
        let text = std::fs::read_to_string(&note).unwrap();
        let id = text.trim();
        // It is gone, or on its way out: nobody is left to send it a signal.
        let deadline = Instant::now() + Duration::from_secs(20);
        while is_alive(id) && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        assert!(!is_alive(id) && ticks > 0);
    }

    #[test]
    fn what_takes_too_long_is_ended() {
        let limit = Duration::from_millis(100);
        let error = run(&mut shell("sleep 600"), limit, &StopFlag::default(), |_| {}).unwrap_err();
        assert!(format!("{error:#}").contains("did not end"), "{error:#}");
    }
}
