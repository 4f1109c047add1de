//! Makes a recording, from the server's start to the file.

mod clients;
mod events;
mod ftrace;
mod merge;
mod proc;
mod program;
mod switches;
mod threads;
mod trace;

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use measure::{
    ServerProcess, Stderr, StopFlag,
    cargo::{self, Built},
    is_stopped, machine, origin,
    settings::settings,
};
use records::{
    base::say,
    files,
    machine::Build,
    program as programs,
    recording::{FORMAT, Observation, Recording},
    servers::Server,
};

use self::{clients::Answered, ftrace::Ftrace, merge::Merged, trace::Trace};
use crate::options::{Options, Plan};

/// The time that the server has to settle after its start.
const SETTLE: Duration = Duration::from_millis(200);

/// The time that is recorded before the first request, and after the last answer.
const MARGIN: Duration = Duration::from_millis(10);

/// The name of the variable is `observed_trace`'s.
const TRACE_VARIABLE: &str = "OBSERVE_TRACE";

/// Records one server or program. Nothing is written where that fails, or on Ctrl-C.
pub fn observe(root: &Path, options: &Options) -> Result<()> {
    let stop = StopFlag::on_ctrl_c()?;
    let recorded = match programs::load(root, &options.rung)? {
        Some(program) => program::record(root, options, &program, &stop),
        None => record(root, options, &Plan::of(root, options)?, &stop),
    };
    recorded.map_err(|error| match is_stopped(&error) {
        true => anyhow::anyhow!("stopped; no recording was written"),
        false => error,
    })
}

fn record(root: &Path, options: &Options, plan: &Plan, stop: &StopFlag) -> Result<()> {
    let rung = plan.server.as_str();
    // First of all: nobody should wait for a build, and only then learn that nothing can be recorded.
    let tracer = Ftrace::open()?;
    let mut build = Build { settings: settings(root), ..Build::default() };
    let (file, command) = match (&options.executable, Server::foreign(rung)) {
        (Some(executable), _) => (executable.clone(), Command::new(executable)),
        (None, Some(foreign)) => on_node(root, foreign)?,
        (None, None) => {
            let built = self::build(root, rung, "release", stop)?;
            build.profiles.insert(format!("release/{}", built.name), built.profile);
            (built.path.clone(), Command::new(built.path))
        }
    };
    let binary_sha256 = origin::sha256(&file)?;
    let threads = plan.threads.map(|threads| vec!["--threads".to_owned(), threads.to_string()]);
    let mut server_options = threads.unwrap_or_default();
    server_options.extend_from_slice(&plan.options);
    let session = session(tracer, plan, command, &server_options, stop)?;
    let subject = Subject {
        name: rung.to_owned(),
        options: server_options,
        command: plan.command.clone(),
        route: plan.routes().join(" and "),
        clients: plan.clients.iter().filter(|client| client.is_recorded).count() as u64,
        file: plan.file.clone(),
        build,
        binary_sha256,
    };
    write(root, options, subject, session, stop)
}

/// The subject of a recording: a server or a program.
struct Subject {
    name: String,
    options: Vec<String>,
    /// The command that makes such a recording again.
    command: String,
    route: String,
    clients: u64,
    /// The recording's file, in a folder of results.
    file: PathBuf,
    build: Build,
    binary_sha256: String,
}

/// Writes the recording, and prints its path.
fn write(
    root: &Path,
    options: &Options,
    subject: Subject,
    session: Session,
    stop: &StopFlag,
) -> Result<()> {
    let Session { recorded, time, events, merged } = session;
    let machine = machine::machine();
    let cpus = merged.threads.iter().flat_map(|thread| &thread.spans).filter_map(|span| span.3);
    let cpus = cpus.map(|cpu| cpu + 1).chain(machine.hardware_threads.map(|count| count as u32));
    let recording = Recording {
        format: FORMAT,
        rung: subject.name,
        server_options: subject.options,
        command: subject.command,
        recorded,
        commit: origin::commit(root).head,
        binary_sha256: subject.binary_sha256,
        build: Some(subject.build),
        route: subject.route,
        clients: subject.clients,
        duration_us: (time.end - time.start) / 1000,
        cpus: cpus.max().unwrap_or(1),
        observation: Observation { method: ftrace::METHOD.to_owned(), events },
        threads: merged.threads,
        requests: merged.requests,
        tasks: merged.tasks,
        machine,
    };
    recording.check().context("the recording contradicts itself")?;
    stop.check()?;
    let path = match &options.out {
        Some(out) => std::path::absolute(out).context("cannot tell the current folder")?,
        None => {
            let folder = records::results::choose_folder(root, None, &recording.machine)?;
            folder.join(&subject.file)
        }
    };
    let mut json = serde_json::to_string(&recording).context("cannot write a recording")?;
    json.push('\n');
    files::write_whole(&path, json.as_bytes())?;
    say(summary(&recording));
    say(format_args!("{} ({} KB)", path.display(), json.len().div_ceil(1000)));
    Ok(())
}

/// The observations of a server from its start to its end.
struct Session {
    /// The moment of the start: UTC, RFC 3339.
    recorded: String,
    /// The recording's time, in nanoseconds of the monotonic clock.
    time: Range<u64>,
    /// The number of context switches and wake-ups of the server's threads.
    events: u64,
    merged: Merged,
}

/// Starts the server, lets the clients send their requests, and observes the threads meanwhile.
fn session(
    tracer: Ftrace,
    plan: &Plan,
    mut command: Command,
    server_options: &[String],
    stop: &StopFlag,
) -> Result<Session> {
    let rung = plan.server.as_str();
    let route = plan.routes().join(" and ");
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let reports = folder.path().join("trace");
    command.args(["--port", "0"]).args(server_options).env(TRACE_VARIABLE, &reports);
    let stderr = tempfile::tempfile().context("cannot make a temporary file")?;
    let server = ServerProcess::launch(rung, command, Stderr::File(stderr))?;
    let id = server.program.id();
    let address = server.address;
    pause(SETTLE, stop)?;
    let tracer = tracer.start(id)?;
    say(format_args!("Recording {rung}: {route} from {} clients …", plan.clients.len()));
    let recorded = origin::timestamp();
    let begin = proc::now();
    pause(MARGIN, stop)?;
    let program = &server.program;
    let answers = thread::scope(|scope| {
        if let Some(after) = plan.stop {
            scope.spawn(move || {
                thread::sleep(after);
                program.interrupt();
            });
        }
        clients::load(address, plan, stop)
    })?;
    pause(MARGIN, stop)?;
    let end = proc::now();
    let observed = tracer.finish()?;
    drop(server);
    for Answered { status, route, .. } in &answers {
        let Some(status) = *status else { continue };
        if status != 200 && !(plan.may_refuse && status == 503) {
            bail!("the server answered {status} to {route}, so nothing was recorded");
        }
    }
    let text = fs::read_to_string(&reports)
        .with_context(|| format!("{rung} has reported nothing: is it instrumented?"))?;
    let trace = Trace::read(&text)?;
    let answers = clients::recorded(answers, &plan.clients);
    // Those who came before are no part of it.
    let first = answers.first().map_or(begin, |first| first.sent);
    let time = begin.max(first.saturating_sub(MARGIN.as_nanos() as u64))..end;
    let events = observed.events;
    let merged = merge::merge(u64::from(id), time.clone(), observed, &trace, &answers)?;
    Ok(Session { recorded, time, events, merged })
}

/// Waits, and fails on Ctrl-C.
fn pause(time: Duration, stop: &StopFlag) -> Result<()> {
    thread::sleep(time);
    stop.check()
}

/// Builds the instrumented server or program for this profile.
fn build(root: &Path, rung: &str, profile: &str, stop: &StopFlag) -> Result<Built> {
    let name = format!("observed_{rung}");
    say(format_args!("Building {rung} with its reports, for {profile} …"));
    let arguments = ["--profile", profile, "--package", "observed", "--bin", &name];
    let built = cargo::build(root, &arguments, &name, stop)?;
    Ok(cargo::program(&built, &name)?.clone())
}

/// Returns the file of a server on Node, and the command that starts it as it is, with a script of ours before it, which
/// reports the events of Node's diagnostics channels.
fn on_node(root: &Path, server: &Server) -> Result<(PathBuf, Command)> {
    let toolchain = server.toolchain().filter(|it| it.name == "javascript").with_context(|| {
        format!("nothing in tools/measure/observed reports what {} does", server.name)
    })?;
    toolchain.require().map_err(anyhow::Error::msg)?;
    let (file, command) = (server.shipped(root), server.command(root));
    let (file, mut command) = file.zip(command).context("a server on Node is a file")?;
    let reports = root.join("tools/measure/observed/node.mjs");
    // What is imported is a URL, so a path may not hold these as they are.
    let path = reports.display().to_string();
    let path = path.replace('%', "%25").replace('#', "%23").replace('?', "%3F");
    command.env("NODE_OPTIONS", format!("--import=\"file://{path}\""));
    Ok((file, command))
}

/// Describes the recording in a sentence.
fn summary(recording: &Recording) -> String {
    let polls: usize = recording.tasks.iter().map(|task| task.polls.len()).sum();
    let duration = recording.duration_us / 1000;
    if recording.requests.is_empty() {
        let jobs = recording.tasks.len();
        let threads = recording.threads.len();
        return format!("{jobs} jobs in {duration} ms, on {threads} threads");
    }
    let mut text = format!(
        "{} requests in {duration} ms, served by {} of {} threads",
        recording.requests.len(),
        recording.serving_threads(),
        recording.threads.len(),
    );
    if !recording.tasks.is_empty() {
        text += &format!(", in {} tasks with {polls} polls", recording.tasks.len());
    }
    text
}
