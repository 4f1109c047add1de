//! Records a program without clients, from its start to its end.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use measure::{StopFlag, origin, settings::settings};
use records::{
    base::say,
    machine::Build,
    program::{PROGRAMS, Program},
};

use super::{
    Session, Subject, TRACE_VARIABLE, build, ftrace::Ftrace, merge, proc, trace::Trace, write,
};
use crate::options::Options;

/// The time limit of a program.
const LIMIT: Duration = Duration::from_secs(60);

/// The time that is shown before the first job begins, and after the last has ended, in nanoseconds.
const MARGIN: u64 = 2_000_000;

/// Records the program of this description.
pub fn record(root: &Path, options: &Options, program: &Program, stop: &StopFlag) -> Result<()> {
    let tracer = Ftrace::open()?;
    let name = program.example.as_str();
    let mut used = Build { settings: settings(root), ..Build::default() };
    let file = match &options.executable {
        Some(executable) => executable.clone(),
        None => {
            // As a reader runs it: what it computes takes as long as the page says.
            let built = build(root, name, "dev", stop)?;
            used.profiles.insert(format!("dev/{}", built.name), built.profile);
            built.path
        }
    };
    let binary_sha256 = origin::sha256(&file)?;
    let session = session(tracer, program, &file, stop)?;
    let subject = Subject {
        name: name.to_owned(),
        options: vec![format!("TOKIO_WORKER_THREADS={}", program.workers)],
        command: format!("cargo xtask observe {}", options.rung),
        route: String::new(),
        clients: 0,
        file: PathBuf::from(PROGRAMS).join(format!("{}.json", options.rung)),
        build: used,
        binary_sha256,
    };
    write(root, options, subject, session, stop)
}

/// Runs the program to its end, and observes its threads.
fn session(tracer: Ftrace, program: &Program, file: &Path, stop: &StopFlag) -> Result<Session> {
    let name = program.example.as_str();
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let reports = folder.path().join("trace");
    // The shell waits until the tracer runs, and then becomes the program, under the same number.
    let mut command = Command::new("sh");
    command.args(["-c", "read -r go && exec \"$0\""]).arg(file);
    command.env(TRACE_VARIABLE, &reports);
    command.env("TOKIO_WORKER_THREADS", program.workers.to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = EndsWithUs(command.spawn().with_context(|| format!("cannot start {name}"))?);
    let id = child.0.id();
    let tracer = tracer.start(id)?;
    say(format_args!("Recording {name} on {} workers …", program.workers));
    let recorded = origin::timestamp();
    let mut go = child.0.stdin.take().context("it was started with a pipe")?;
    go.write_all(b"\n").context("the program has ended before it began")?;
    let begin = proc::now();
    while child.0.try_wait().context("cannot wait for a program")?.is_none() {
        stop.check()?;
        let is_late = proc::now() - begin > LIMIT.as_nanos() as u64;
        ensure!(!is_late, "{name} did not end within {} s", LIMIT.as_secs());
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = child.0.wait().context("cannot wait for a program")?;
    let observed = tracer.finish()?;
    ensure!(status.success(), "{name} ended with {status}");
    let text = fs::read_to_string(&reports)
        .with_context(|| format!("{name} has reported nothing: is it instrumented?"))?;
    let trace = Trace::read(&text)?;
    let first = trace.tasks.values().map(|job| job.spawned).min().context("there was no job")?;
    let last =
        trace.tasks.values().filter_map(|job| job.ended).max().context("no job has ended")?;
    let time = first - MARGIN..last + MARGIN;
    let events = observed.events;
    let merged = merge::merge(u64::from(id), time.clone(), observed, &trace, &[])?;
    Ok(Session { recorded, time, events, merged })
}

/// A program that ends with us.
struct EndsWithUs(std::process::Child);

impl Drop for EndsWithUs {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
