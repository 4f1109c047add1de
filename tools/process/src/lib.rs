//! Programs that we start and that end with us; what tools and what machine there are.
//!
//! It must not know what is measured with them, nor why.

use std::{
    io::{BufRead, BufReader, Read, Seek},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

pub mod cargo;
pub mod system;
pub mod tools;

/// How often we look whether a program has ended.
const POLL: Duration = Duration::from_millis(50);

/// How long a server may take until it listens.
const START_TIME: Duration = Duration::from_secs(20);

/// Ctrl-C was pressed.
#[derive(Debug)]
pub struct Stopped;

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stopped; what was finished is kept, and the next `cargo xtask bench` goes on from there")
    }
}

impl std::error::Error for Stopped {}

/// Set by Ctrl-C.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that Ctrl-C and SIGTERM set.
    ///
    /// # Errors
    /// When there is such a flag already.
    pub fn on_ctrl_c() -> Result<StopFlag> {
        let flag = StopFlag::default();
        let set = flag.clone();
        ctrlc::set_handler(move || set.0.store(true, Ordering::SeqCst))
            .context("cannot react to Ctrl-C")?;
        Ok(flag)
    }

    /// Does what Ctrl-C does.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Fails with [`Stopped`] once it is set.
    ///
    /// # Errors
    /// That is what it is for.
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::SeqCst) {
            return Err(Stopped.into());
        }
        Ok(())
    }
}

/// A started program. Dropping it ends it, and what it has started.
#[derive(Debug)]
pub struct Program(Child);

impl Program {
    /// Starts it in a process group of its own: Ctrl-C then reaches only us, and we end it in good order.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start(command: &mut Command) -> std::io::Result<Program> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.stdin(Stdio::null()).spawn().map(Program)
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Waits for its end, and calls `tick` while waiting.
    ///
    /// # Errors
    /// On Ctrl-C, and when it takes longer than `limit`; it is ended then.
    pub fn wait(
        &mut self,
        limit: Duration,
        stop: &StopFlag,
        mut tick: impl FnMut(),
    ) -> Result<ExitStatus> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().context("cannot wait for a program")? {
                // What ended because of Ctrl-C has not finished.
                stop.check()?;
                return Ok(status);
            }
            stop.check()?;
            if started.elapsed() > limit {
                bail!("it did not end within {} s", limit.as_secs());
            }
            tick();
            thread::sleep(POLL);
        }
    }

    /// Whether it is still running.
    pub fn is_running(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.is_running() {
            #[cfg(unix)]
            {
                use nix::{sys::signal, unistd::Pid};
                let group = Pid::from_raw(self.0.id().cast_signed());
                let _ = signal::killpg(group, signal::Signal::SIGKILL);
            }
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct ServerProcess {
    /// The program.
    pub program: Program,
    /// The line that it printed.
    pub listening: String,
    /// Where it listens, such as `http://127.0.0.1:40000`.
    pub address: String,
}

impl ServerProcess {
    /// Starts a server, and waits until it says where it listens.
    ///
    /// # Errors
    /// When it does not start, or says nothing in time.
    pub fn start(executable: &Path, options: &[String]) -> Result<ServerProcess> {
        let name = executable.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut command = Command::new(executable);
        command.args(options);
        let complaints = tempfile::tempfile().context("cannot make a temporary file")?;
        ServerProcess::launch(&name, command, Complaints::File(complaints))
    }

    /// Starts a server by a command line, and waits until it says where it listens.
    ///
    /// # Errors
    /// When it does not start, or says nothing in time.
    pub fn launch(
        name: &str,
        mut command: Command,
        complaints: Complaints,
    ) -> Result<ServerProcess> {
        command.stdout(Stdio::piped());
        let mut kept = None;
        match complaints {
            Complaints::Null => command.stderr(Stdio::null()),
            Complaints::Pipe => command.stderr(Stdio::piped()),
            Complaints::File(file) => {
                kept = Some(file.try_clone().context("cannot use a temporary file")?);
                command.stderr(file)
            }
        };
        let mut program =
            Program::start(&mut command).with_context(|| format!("cannot start {name}"))?;
        let out = program.0.stdout.take().expect("it was asked for");
        if let Some(mut complaints) = program.0.stderr.take() {
            thread::spawn(move || std::io::copy(&mut complaints, &mut std::io::sink()));
        }
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                // Nobody wants the later lines, but the server must be able to write them.
                let _ = sender.send(line);
            }
        });
        let Ok(listening) = lines.recv_timeout(START_TIME) else {
            let mut text = String::new();
            if let Some(mut file) = kept {
                let _ = file.rewind().and_then(|()| file.read_to_string(&mut text));
            }
            bail!("{name} did not start to listen: {}", text.trim());
        };
        let address = address_in(&listening)
            .with_context(|| format!("{name} names no address in `{listening}`"))?;
        Ok(ServerProcess { program, listening, address })
    }

    /// Asks the server, and what is around it, to end in good order (SIGTERM), and waits for that.
    ///
    /// # Errors
    /// When it is still there after `limit`, and on Ctrl-C.
    pub fn end(&mut self, limit: Duration, stop: &StopFlag, tick: impl FnMut()) -> Result<()> {
        #[cfg(unix)]
        {
            use nix::{sys::signal, unistd::Pid};
            let group = Pid::from_raw(self.program.id().cast_signed());
            let _ = signal::killpg(group, signal::Signal::SIGTERM);
        }
        self.program.wait(limit, stop, tick).map(drop)
    }
}

/// Where a server's standard error goes.
#[derive(Debug)]
pub enum Complaints {
    /// The system throws it away.
    Null,
    /// To a file, which is read if the server does not start.
    File(std::fs::File),
    /// Through a pipe to us, and we throw it away.
    Pipe,
}

/// The URL in the line that a server prints, without its last slash.
fn address_in(line: &str) -> Option<String> {
    let start = line.find("http://")?;
    let url = line[start..].split_whitespace().next()?;
    Some(url.trim_end_matches(['/', ',', ';']).to_owned())
}

/// How a program ended, and what it wrote to standard output and error.
pub type Ran = (ExitStatus, String, String);

/// Runs a program to its end, and gives its status and what it wrote to standard output and error.
///
/// # Errors
/// When it can't be started, on Ctrl-C, and when it takes too long.
pub fn run(
    command: &mut Command,
    limit: Duration,
    stop: &StopFlag,
    tick: impl FnMut(),
) -> Result<Ran> {
    run_and_tell(command, limit, stop, |_| {}, tick)
}

/// The same; `started` is told its process id as soon as there is one.
///
/// # Errors
/// When it can't be started, on Ctrl-C, and when it takes too long.
pub fn run_and_tell(
    command: &mut Command,
    limit: Duration,
    stop: &StopFlag,
    started: impl FnOnce(u32),
    tick: impl FnMut(),
) -> Result<Ran> {
    // Files and not pipes: nobody has to read them while the program runs.
    let mut out = tempfile::tempfile().context("cannot make a temporary file")?;
    let mut complaints = tempfile::tempfile().context("cannot make a temporary file")?;
    command.stdout(out.try_clone()?).stderr(complaints.try_clone()?);
    let name = command.get_program().to_string_lossy().into_owned();
    let mut program = Program::start(command).with_context(|| format!("cannot start {name}"))?;
    started(program.id());
    let status = program.wait(limit, stop, tick).with_context(|| name.clone())?;
    let read = |file: &mut std::fs::File| -> Result<String> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok((status, read(&mut out)?, read(&mut complaints)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_in_the_line() {
        let line =
            "ch06_tokio: listening on http://127.0.0.1:40123/ with a task for each, process id 1";
        assert_eq!(address_in(line).as_deref(), Some("http://127.0.0.1:40123"));
        assert_eq!(address_in("nothing"), None);
    }

    #[cfg(unix)]
    mod unix {
        use super::*;

        fn shell(script: &str) -> Command {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        }

        #[test]
        fn both_outputs_and_the_status_come_back() {
            let mut command = shell("echo out; echo err >&2; exit 3");
            let (status, out, err) =
                run(&mut command, START_TIME, &StopFlag::default(), || {}).unwrap();
            assert_eq!((status.code(), out.as_str(), err.as_str()), (Some(3), "out\n", "err\n"));
        }

        #[test]
        fn ctrl_c_ends_what_runs_and_what_it_started() {
            let folder = tempfile::tempdir().unwrap();
            let note = folder.path().join("id");
            let stop = StopFlag::default();
            let set = stop.clone();
            let script = format!("sleep 600 & echo $! > {}; wait", note.display());
            let mut ticks = 0;
            let error = run(&mut shell(&script), Duration::from_secs(60), &stop, || {
                ticks += 1;
                if std::fs::read_to_string(&note).is_ok_and(|text| text.ends_with('\n')) {
                    set.0.store(true, Ordering::SeqCst);
                }
            })
            .unwrap_err();
            assert!(error.is::<Stopped>() || error.root_cause().is::<Stopped>(), "{error:#}");
            let id = std::fs::read_to_string(&note).unwrap();
            // It is gone, or on its way out: nobody is left to send it a signal.
            let alive = || {
                let check = shell(&format!("kill -0 {} 2>/dev/null", id.trim())).status();
                check.unwrap().success()
            };
            let deadline = Instant::now() + Duration::from_secs(20);
            while alive() && Instant::now() < deadline {
                thread::sleep(POLL);
            }
            assert!(!alive() && ticks > 0);
        }

        #[test]
        fn what_takes_too_long_is_ended() {
            let limit = Duration::from_millis(100);
            let error =
                run(&mut shell("sleep 600"), limit, &StopFlag::default(), || {}).unwrap_err();
            assert!(format!("{error:#}").contains("did not end"), "{error:#}");
        }

        #[test]
        fn a_server_that_can_not_start_says_why() {
            let sh = Path::new("/bin/sh");
            let error = ServerProcess::start(sh, &["-c".into(), "echo no port >&2".into()]);
            assert!(format!("{:#}", error.unwrap_err()).contains("no port"));
        }
    }
}
