//! The ladder's own runs: every rung with wrk and ab, by the sources' own command lines, one round.
//!
//! The ladder is run benchmark by benchmark, and within each the rungs in an order
//! drawn by lot (the seed is kept), each run against a fresh server process.
//! Before a rung is timed for the first time it must pass its wire tests. Each
//! run's figures are written as soon as it has ended, so that a session which is
//! stopped loses only the run that it was at.
//!
//! **Void**: a run in which connect, read and write errors and answers other than
//! 2xx are more than 0.1 % of the requests. It is repeated up to two times, and
//! the void attempts are kept. **Noisy**: a run during which a thread that sleeps
//! for 5 ms again and again lost more than 5 % of the time in delays above 10 ms,
//! or woke more than 20 ms late more often than once in a hundred times.

mod jobs;

use std::{
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use base::{number, say};
use process::{ServerProcess, origin::timestamp, usage};
use records::{
    description::Profile,
    figures::Figures,
    ladder::{self, MachineFile, Run, Server, Session, Tool, VoidAttempt},
    results::Results,
};

pub use self::jobs::{Job, jobs};
use crate::{
    context::Context,
    executables::key,
    figures::{or_zero, set},
    monitors::watch_stalls,
    parse,
    progress::Progress,
    rules::{judge_noise, void_reason},
    warm_up::warm_up,
    watched,
    wire::WireTests,
};

/// How often a run is tried before its errors are taken for the result.
const ATTEMPTS: usize = 3;

/// For how long the idle machine is watched before the runs.
const IDLE_WATCH: Duration = Duration::from_secs(5);

/// What a run takes besides the tool's own time: the start of the server, the warm-up, the end. In seconds.
const OVERHEAD_SECONDS: f64 = 1.5;

/// How the figures were taken, for whoever reads a result.
const METHOD: [&str; 6] = [
    "concurrency: the connections that are really open; each thread of wrk opens the same number, so that -t12 -c500 makes 12 x 41 = 492",
    "server_cpu_…, server_…_switches: getrusage(RUSAGE_CHILDREN) before and after the server's end; they hold its whole life, threads that ended before included, and one warm-up request",
    "server_peak_memory_mib: VmHWM in /proc/PID/status, last sampled when the tool had ended",
    "server_peak_threads: Threads in /proc/PID/status, sampled every 200 ms; a shorter peak is missed",
    "stall_…: a thread of cargo xtask bench sleeps for 5 ms again and again and notes how late it wakes; share: time in delays above 10 ms",
    "steal_seconds, cpu_pressure_seconds: difference of /proc/stat and of the total of `some` in /proc/pressure/cpu over the run",
];

/// About how long these jobs take, in seconds.
pub fn seconds(jobs: &[Job]) -> f64 {
    jobs.iter().map(|job| job.seconds + OVERHEAD_SECONDS).sum()
}

/// Says what would be measured, in the book's order.
pub fn list(jobs: &[Job]) {
    let mut jobs: Vec<&Job> = jobs.iter().collect();
    let place = |bench: &str| ladder::BENCHES.iter().position(|name| *name == bench);
    jobs.sort_by_key(|job| (place(job.bench), job.rung));
    for job in jobs {
        say(format_args!(
            "{:<22} {:<19} {:>5.0} s  {} with {} {}",
            job.rung,
            job.bench,
            job.seconds,
            job.argv("http://127.0.0.1:PORT").join(" "),
            job.rung,
            job.server_options.join(" "),
        ));
    }
}

/// A result of another machine or compiler that would stay beside those of these jobs.
pub fn foreign(known: &Results, jobs: &[Job], context: &Context) -> Option<String> {
    let stays = |run: &&Run| !jobs.iter().any(|job| job.rung == run.rung && job.bench == run.bench);
    let foreign = |run: &&Run| context.is_foreign(&run.machine, &run.rustc);
    let run = known.runs().filter(stays).find(foreign)?;
    Some(format!("{}/{}", run.rung, run.bench))
}

/// The jobs that have no result yet, or only one of another command line, machine, compiler or executable.
///
/// The commit does not matter: it is another one whenever any example has changed.
pub fn missing(mut jobs: Vec<Job>, known: &Results, context: &Context) -> Vec<Job> {
    jobs.retain(|job| {
        let Some(run) = known.get(job.rung, job.bench) else { return true };
        let stale = stale(run, job, context);
        if let Some(why) = stale {
            say(format_args!("Will measure {} on {} again ({why}).", job.bench, job.rung));
        }
        stale.is_some()
    });
    jobs
}

/// Why a result does not count any more, if it does not.
fn stale(run: &Run, job: &Job, context: &Context) -> Option<&'static str> {
    let without_url = |argv: &[String]| argv[..argv.len().max(1) - 1].to_vec();
    let hash = context.executables.hashes.get(&key(Profile::Release, job.rung));
    let reasons = [
        (context.fresh, "--fresh"),
        (without_url(&run.tool.argv) != without_url(&job.argv("")), "it has another command line"),
        (run.machine != context.machine, "it is from another machine"),
        (run.rustc != context.rustc, "another rustc built the server"),
        (hash != Some(&run.server.sha256), "the server was another executable"),
        (run.void, "it was void"),
    ];
    reasons.into_iter().find(|(differs, _)| *differs).map(|(_, why)| why)
}

/// Watches the idle machine, and then measures all these jobs. `sessions`: those of the results so far.
///
/// # Errors
/// When a server does not start, a file can't be written, and on Ctrl-C.
pub fn measure(
    jobs: &[Job],
    context: &Context,
    sessions: Vec<Session>,
    wire: &mut WireTests,
    progress: &mut Progress,
) -> Result<()> {
    let ours = context.tools.iter().filter(|(name, _)| ["wrk", "ab"].contains(&name.as_str()));
    let file = MachineFile {
        machine: context.machine.clone(),
        rustc: context.rustc.clone(),
        tools: ours.map(|(name, version)| (name.clone(), version.clone())).collect(),
        descriptor_limit: context.descriptor_limit,
        pinning: "none".to_owned(),
        profile: "release".to_owned(),
        sessions,
    };
    let mut ladder = Ladder { context, wire, progress, file };
    ladder.begin_session()?;
    for (index, job) in jobs.iter().enumerate() {
        if ladder.wire.passes(job.rung, &context.stop, ladder.progress)? {
            ladder.measure(job, &format!("[{}/{}]", index + 1, jobs.len()))?;
        }
        ladder.progress.done(job.seconds + OVERHEAD_SECONDS);
    }
    Ok(())
}

/// A session of the ladder in progress.
struct Ladder<'a> {
    context: &'a Context,
    wire: &'a mut WireTests,
    progress: &'a mut Progress,
    file: MachineFile,
}

/// What one attempt gave.
struct Attempt {
    date: String,
    load_average_before: Option<[f64; 3]>,
    server: Server,
    argv: Vec<String>,
    figures: Figures,
    raw: String,
    /// Why it does not count, if it does not.
    void: Option<String>,
}

impl Ladder<'_> {
    /// Watches the idle machine.
    fn begin_session(&mut self) -> Result<()> {
        say(format_args!("Watching the idle machine for {} s …", IDLE_WATCH.as_secs()));
        let load_average_before = usage::load_average();
        let idle = watch_stalls();
        let watched = Instant::now();
        while watched.elapsed() < IDLE_WATCH {
            self.context.stop.check()?;
            thread::sleep(Duration::from_millis(50));
        }
        let now = timestamp();
        self.file.sessions.push(Session {
            started: now.clone(),
            finished: now,
            quick: self.context.quick,
            seed: self.context.seed,
            order: Vec::new(),
            commit: self.context.commit.clone(),
            idle_stalls: Some(idle.finish()),
            load_average_before,
        });
        Ok(())
    }

    /// Measures one job, again if it is void, and writes the result.
    fn measure(&mut self, job: &Job, place: &str) -> Result<()> {
        let mut void_attempts = Vec::new();
        loop {
            let attempt = self.attempt(job, place)?;
            if let Some(reason) = &attempt.void {
                self.progress.say(&format!("{} on {}: void: {reason}", job.bench, job.rung));
                void_attempts.push(VoidAttempt {
                    date: attempt.date.clone(),
                    reason: reason.clone(),
                    figures: attempt.figures.clone(),
                });
            }
            if attempt.void.is_none() || void_attempts.len() == ATTEMPTS {
                return self.keep(job, attempt, void_attempts);
            }
        }
    }

    /// Starts a server, warms it up, runs the tool, and ends the server.
    fn attempt(&mut self, job: &Job, place: &str) -> Result<Attempt> {
        let executable = self.context.executables.path(Profile::Release, job.rung);
        let mut server = ServerProcess::start(&executable, &job.server_options)?;
        warm_up(&server.address)
            .with_context(|| format!("{} does not answer its first request", job.rung))?;
        let argv = job.argv(&server.address);
        self.progress.start(&format!("{place} {} on {}", job.bench, job.rung), job.seconds);
        let date = timestamp();
        let load_average_before = usage::load_average();
        let limit = Duration::from_secs_f64(job.seconds * 5.0 + 300.0);
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]);
        let (id, stop) = (Some(server.program.id()), &self.context.stop);
        let tick = || self.progress.tick();
        let (ran, watched) = watched::run(&mut command, id, limit, stop, tick);
        let still_running = server.program.is_running();
        let description = Server {
            argv: [vec![job.rung.to_owned()], job.server_options.clone()].concat(),
            listening: server.listening.clone(),
            sha256: self.context.executables.hashes[&key(Profile::Release, job.rung)].clone(),
        };
        let (mut figures, raw, unreadable) = parse::run(job.tool, ran?, false);
        let requests = or_zero(&figures, "requests");
        let void = unreadable
            .or_else(|| void_reason(requests, or_zero(&figures, "errors"), still_running));
        set(&mut figures, "concurrency", job.connections as f64);
        set(&mut figures, "law_requests_per_second", job.law_rate);
        set(&mut figures, "law_duration_seconds", job.law_seconds);
        figures.extend(watched.machine);
        figures.extend(watched::server_figures(server, &watched.peaks, requests));
        Ok(Attempt { date, load_average_before, server: description, argv, figures, raw, void })
    }

    /// Writes a result, and the session's state.
    fn keep(&mut self, job: &Job, attempt: Attempt, void_attempts: Vec<VoidAttempt>) -> Result<()> {
        let void = attempt.void.is_some();
        let mut figures = attempt.figures;
        let earlier = void_attempts.len() - usize::from(void);
        set(&mut figures, "voids", earlier as f64);
        let figure = |name: &str| or_zero(&figures, name);
        let (noisy, noisy_reason) =
            judge_noise(figure("stall_share_percent"), figure("stall_p99_ms"));
        let run = Run {
            rung: job.rung.to_owned(),
            bench: job.bench.to_owned(),
            source: job.source.to_owned(),
            quick: self.context.quick,
            date: attempt.date,
            tool: Tool {
                name: job.tool.to_owned(),
                version: self.file.tools[job.tool].clone(),
                argv: attempt.argv,
            },
            server: attempt.server,
            reduced: job.reduced.clone(),
            law: job.law.clone(),
            void,
            void_attempts,
            noisy,
            noisy_reason,
            wire_tests_passed: self.wire.passed[job.rung],
            unavailable: usage::unavailable(),
            method: METHOD.map(str::to_owned).to_vec(),
            pinning: self.file.pinning.clone(),
            load_average_before: attempt.load_average_before,
            descriptor_limit: self.file.descriptor_limit,
            rustc: self.file.rustc.clone(),
            commit: self.context.commit.clone(),
            machine: self.file.machine.clone(),
            figures,
        };
        ladder::write_run(&self.context.out, &run, &attempt.raw)?;
        enter(&mut self.file.sessions, format!("{}/{}", job.rung, job.bench));
        ladder::write_machine(&self.context.out, &self.file)?;
        self.say_result(job, &run);
        Ok(())
    }

    fn say_result(&self, job: &Job, run: &Run) {
        let law = run
            .figure("law_requests_per_second")
            .map(|law| format!(", the law says {}", number(law, 1)))
            .unwrap_or_default();
        self.progress.say(&format!(
            "{} on {}: {} requests/s{law}{}",
            job.bench,
            job.rung,
            number(run.figure("requests_per_second").unwrap_or_default(), 1),
            report::tables::marker(run)
        ));
    }
}

/// Enters a run that was just written into the last session, and takes it out of the one that had it before.
/// A session of which no run is left has nothing to say about the results, and goes.
fn enter(sessions: &mut Vec<Session>, run: String) {
    for session in sessions.iter_mut() {
        session.order.retain(|known| *known != run);
    }
    let session = sessions.last_mut().expect("this session");
    session.order.push(run);
    session.finished = timestamp();
    sessions.retain(|session| !session.order.is_empty());
}

/// The results on the terminal, beside those that the book shows where they are others.
///
/// # Errors
/// When results can't be read.
pub fn print(root: &Path, out: &Path, rungs: &[&str]) -> Result<()> {
    let results = Results::read(out)?;
    let books = records::results::books(root);
    let other = match (fs::canonicalize(out), fs::canonicalize(&books)) {
        (Ok(out), Ok(books)) if out != books => Some(Results::read(&books)?),
        _ => None,
    };
    let other = other.filter(|results| !results.is_empty());
    let book_column = if other.is_some() { "   book's req/s" } else { "" };
    say(format_args!(
        "\n{:<22} {:<19} {:>10} {:>10}{book_column}",
        "server", "benchmark", "req/s", "law"
    ));
    for run in rungs.iter().flat_map(|rung| results.runs_of(rung)) {
        let show = |value: Option<f64>| value.map_or("-".to_owned(), |value| number(value, 1));
        let book = other.as_ref().map(|results| {
            let figure = results.get(&run.rung, &run.bench);
            format!(" {:>14}", show(figure.and_then(|run| run.figure("requests_per_second"))))
        });
        say(format_args!(
            "{:<22} {:<19} {:>10} {:>10}{}{}",
            run.rung,
            run.bench,
            show(run.figure("requests_per_second")),
            show(run.figure("law_requests_per_second")),
            book.unwrap_or_default(),
            report::tables::marker(run)
        ));
    }
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use records::{
        machine::{Commit, Machine},
        testing::{example_machine, example_run},
    };

    use super::{jobs::job, *};
    use crate::testing::World;

    fn wrk_sleep(quick: bool) -> Vec<Job> {
        vec![job("ch03_threadpool", "wrk-sleep", quick)]
    }

    #[test]
    fn a_session_goes_on_with_what_is_missing() {
        let world = World::new(0);
        let context = &world.context;
        let missing = |context: &Context, quick: bool| {
            let known = Results::read(&context.out).unwrap();
            missing(wrk_sleep(quick), &known, context).len()
        };
        assert_eq!(missing(context, false), 1);
        let run = example_run("ch03_threadpool", "wrk-sleep", &[]);
        ladder::write_run(&context.out, &run, "").unwrap();
        assert_eq!(missing(context, false), 0);
        assert_eq!(missing(&world.fresh(), false), 1);
        assert_eq!(missing(context, true), 1);
        let mut other = context.clone();
        other.executables.hashes.values_mut().for_each(|hash| *hash = "01".to_owned());
        assert_eq!(missing(&other, false), 1);
        // Another commit of the sources alone makes no difference: the executable tells.
        let commit = Commit { sources: Some("other".to_owned()), ..run.commit.clone() };
        for (run, expected) in [
            (Run { commit, ..run.clone() }, 0),
            (Run { rustc: "another".to_owned(), ..run.clone() }, 1),
            (Run { void: true, ..run.clone() }, 1),
        ] {
            ladder::write_run(&context.out, &run, "").unwrap();
            assert_eq!(missing(context, false), expected);
        }
    }

    #[test]
    fn what_is_measured_again_is_no_longer_another_machines() {
        let world = World::new(0);
        let run = example_run("ch03_threadpool", "wrk-sleep", &[]);
        ladder::write_run(&world.context.out, &run, "").unwrap();
        let known = Results::read(&world.context.out).unwrap();
        let machine = Machine { physical_cores: Some(77), ..run.machine };
        let other = Context { machine, ..world.context.clone() };
        assert_eq!(foreign(&known, &[], &world.context), None);
        assert_eq!(foreign(&known, &[], &other).as_deref(), Some("ch03_threadpool/wrk-sleep"));
        assert_eq!(foreign(&known, &wrk_sleep(false), &other), None);
    }

    #[test]
    fn a_run_stands_in_one_session() {
        let session = example_machine().sessions[0].clone();
        let with = |order: &[&str]| Session {
            order: order.iter().map(|run| run.to_string()).collect(),
            ..session.clone()
        };
        let mut sessions = vec![with(&["a/x", "b/x"]), with(&["c/x"]), with(&[])];
        enter(&mut sessions, "b/x".to_owned());
        enter(&mut sessions, "c/x".to_owned());
        let orders: Vec<_> = sessions.iter().map(|session| session.order.clone()).collect();
        assert_eq!(orders, [vec!["a/x"], vec!["b/x", "c/x"]]);
    }
}
