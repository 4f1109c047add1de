//! Measures the servers: the ladder with wrk and ab, by the sources' own command lines, and then the
//! [experiments](crate).
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

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use base::{number, say};
use clap::Args;
use process::{
    ServerProcess, StopFlag,
    cargo::{sha256, timestamp},
    system, tools,
};
use records::{
    description::{Experiment, NOISY_P99_MS, Profile},
    descriptions,
    figures::Figures,
    ladder::{self, MachineFile, Run, Server, Session, Tool, VoidAttempt},
    machine::{self, Machine},
    results::{Results, choose_folder},
    store::{self, EXPERIMENTS, Record},
};

use crate::{
    executables::{Executables, build},
    parse,
    plan::{self, Job},
    progress::{Progress, minutes},
    rules::{judge_noise, void_reason},
    session::{self, Plan, Surroundings},
    warm_up::warm_up,
    watch::StallMonitor,
    watched::{self, last_line},
    wire::WireTests,
};

/// How often a run is tried before its errors are taken for the result.
const ATTEMPTS: usize = 3;

/// For how long the idle machine is watched before the runs.
const IDLE_WATCH: Duration = Duration::from_secs(5);

/// What a run takes besides the tool's own time: the start of the server, the warm-up, the end. In seconds.
const OVERHEAD_SECONDS: f64 = 1.5;

/// How many files and sockets the tools and servers need at 500 connections.
const DESCRIPTORS_NEEDED: u64 = 600;

/// What the command line says.
#[derive(Args, Clone, Debug, Default)]
pub struct BenchOptions {
    /// Shorten every run to a few seconds
    #[arg(long)]
    pub quick: bool,
    /// Only these rungs and experiments, such as ch03_threadpool or pool-law; or `ladder`, or `experiments`
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Only say what would be run
    #[arg(long)]
    pub list: bool,
    /// Measure again what has a result already
    #[arg(long)]
    pub fresh: bool,
    /// Write the results to this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Repeat the order of an earlier session
    #[arg(long)]
    pub seed: Option<u64>,
    /// Time servers without running their wire tests first; the results say so
    #[arg(long)]
    pub skip_wire_tests: bool,
}

/// Measures.
///
/// # Errors
/// When no tool to measure with is installed, a description is wrong, a build or a test fails, a file
/// can't be written, or Ctrl-C is pressed.
pub fn bench(root: &Path, options: &BenchOptions) -> Result<()> {
    let described = descriptions::load_all(root)?;
    let names: Vec<&str> = described.keys().map(String::as_str).collect();
    let plan::Selection { rungs, experiments } = plan::select(&options.only, &names)?;
    let experiments: Vec<(&str, &Experiment)> =
        experiments.iter().map(|name| (name.as_str(), &described[name])).collect();
    let seed = options.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    let jobs = plan::jobs(&rungs, options.quick, seed);
    if options.list {
        return list(&jobs, &experiments, options.quick);
    }
    let stop = StopFlag::on_ctrl_c()?;
    let tools = find_tools(&jobs, &experiments)?;
    let jobs: Vec<Job> = jobs.into_iter().filter(|job| tools.contains_key(job.tool)).collect();
    let descriptor_limit = system::descriptor_limit();
    let servers =
        !jobs.is_empty() || experiments.iter().any(|(_, experiment)| !experiment.is_of_programs());
    if let Some(limit) = descriptor_limit.filter(|&limit| servers && limit < DESCRIPTORS_NEEDED) {
        bail!(
            "a program may open only {limit} files and sockets here, and 500 connections need {DESCRIPTORS_NEEDED}; \
             run `ulimit -n 4096` in this terminal first"
        );
    }
    let built = rungs.iter().map(|rung| (Profile::Release, rung.to_string()));
    let others = experiments.iter().flat_map(|(_, experiment)| session::executables_of(experiment));
    let mut built: BTreeSet<(Profile, String)> = built.chain(others).collect();
    // The wire tests are run against the release build, also where only the other is timed.
    let rungs_too = built.iter().filter(|(_, name)| servers::Server::named(name).is_some());
    let rungs_too: Vec<String> = rungs_too.map(|(_, name)| name.clone()).collect();
    built.extend(rungs_too.into_iter().map(|rung| (Profile::Release, rung)));
    let executables = build(root, &built, &stop)?;
    let hash = |(profile, name): &(Profile, String)| {
        let key = session::executable_key(*profile, name);
        Ok((key, sha256(&executables.path(*profile, name))?))
    };
    let hashes = built.iter().map(hash).collect::<Result<BTreeMap<String, String>>>()?;
    let commit = system::commit(root);
    let machine = system::machine();
    let rustc = system::output("rustc", &["--version"]).unwrap_or("unknown".to_owned());
    let out = choose_folder(root, options.out.as_deref(), options.quick, &machine)?;
    let known = Results::read(&out)?;
    let records = store::read_all(&out.join(EXPERIMENTS))?;
    let chosen: Vec<&str> = experiments.iter().map(|(name, _)| *name).collect();
    let around = Surroundings {
        folder: out.join(EXPERIMENTS),
        executables: &executables,
        hashes: &hashes,
        machine: &machine,
        rustc: &rustc,
        commit: &commit,
        tools: &tools,
        descriptor_limit,
        seed,
        quick: options.quick,
        fresh: options.fresh,
        stop: stop.clone(),
    };
    let mut plans = Vec::new();
    for (name, experiment) in &experiments {
        match Plan::new(&around, name, experiment, records.get(*name).cloned()) {
            Err(why) => say(format_args!("Skipping {name}: {why}.")),
            Ok(plan) => plans.push(plan),
        }
    }
    let here = Here { hashes: &hashes, machine: &machine, rustc: &rustc };
    // What can't be measured here stays as it is.
    let replaced: Vec<&str> = plans.iter().map(|plan| plan.name.as_str()).collect();
    refuse_to_mix(&out, &known, &records, &here, &jobs, &replaced)?;
    let (jobs, kept) = what_is_missing(jobs, &known, &here, options.fresh);
    for plan in &plans {
        announce(plan);
    }
    let all = plans.len();
    plans.retain(|plan| !plan.missing.is_empty() || plan.replaces());
    let kept_experiments = all - plans.len();
    if kept + kept_experiments > 0 {
        say(format_args!(
            "There already, and kept: {}. --fresh measures them again.",
            how_many(kept, kept_experiments)
        ));
    }
    if jobs.is_empty() && plans.is_empty() {
        say(format_args!("Nothing to measure."));
        return print_summary(root, &out, &rungs, &chosen);
    }

    let seconds = jobs.iter().map(|job| job.seconds + OVERHEAD_SECONDS).sum::<f64>()
        + plans.iter().map(Plan::seconds).sum::<f64>();
    let mut progress = Progress::new(seconds);
    let mut wire = WireTests::new(root, &executables.release, options.skip_wire_tests);
    if !jobs.is_empty() {
        let mut bench = Bench {
            out: &out,
            executables: &executables,
            hashes: &hashes,
            stop: stop.clone(),
            wire: &mut wire,
            progress: &mut progress,
            file: MachineFile {
                machine: machine.clone(),
                rustc: rustc.clone(),
                tools: ladder_tools(&tools),
                descriptor_limit,
                pinning: "none".to_owned(),
                profile: "release".to_owned(),
                sessions: known.machine.map(|before| before.sessions).unwrap_or_default(),
            },
            commit: commit.clone(),
            quick: options.quick,
        };
        bench.ladder(&jobs, seed)?;
    }
    for plan in &mut plans {
        if plan.measure(&around, &mut wire, &mut progress)? {
            for line in session::summary(&plan.name, &plan.record) {
                progress.say(&line);
            }
        }
    }
    progress.finish();
    let measured: Vec<&str> = match jobs.is_empty() {
        // They have just been shown.
        true => Vec::new(),
        false => chosen,
    };
    print_summary(root, &out, &rungs, &measured)?;
    match wire.failed.len() {
        0 => Ok(()),
        _ => bail!(
            "not timed, because they fail their wire tests: {}",
            wire.failed.into_iter().collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Says what is done about an experiment that was measured before, and what can't be.
fn announce(plan: &Plan) {
    let name = &plan.name;
    if let Some(stale) = plan.stale {
        say(format_args!(
            "Will measure {name} again ({stale}); its record stays until that is whole."
        ));
    } else if plan.replaces() {
        say(format_args!("Going on to measure {name} again; --fresh begins anew."));
    }
    match plan.tried() {
        0 => {}
        1 => say(format_args!("{name}: will try a run again that did not count.")),
        tried => say(format_args!("{name}: will try {tried} runs again that did not count.")),
    }
    for skipped in &plan.record.skipped {
        say(format_args!("{name}: {skipped}"));
    }
}

/// The tools that the ladder is measured with.
fn ladder_tools(tools: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let is_ours = |name: &str| ["wrk", "ab"].contains(&name);
    let ours = tools.iter().filter(|(name, _)| is_ours(name));
    ours.map(|(name, version)| (name.clone(), version.clone())).collect()
}

/// Says what would be measured, in the book's order.
fn list(jobs: &[Job], experiments: &[(&str, &Experiment)], quick: bool) -> Result<()> {
    let mut jobs: Vec<&Job> = jobs.iter().collect();
    let place = |bench: &str| ladder::BENCHES.iter().position(|name| *name == bench);
    jobs.sort_by_key(|job| (place(job.bench), job.rung));
    for job in &jobs {
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
    let mut total: f64 = jobs.iter().map(|job| job.seconds + OVERHEAD_SECONDS).sum();
    for (name, experiment) in experiments {
        let experiment = if quick { &experiment.shortened() } else { *experiment };
        let seconds = session::whole_seconds(experiment);
        total += seconds;
        say(format_args!(
            "{name:<22} {:<19} {seconds:>5.0} s  {} rounds of {}: {}",
            experiment.page,
            experiment.rounds,
            experiment.entries().len(),
            experiment.question,
        ));
    }
    let servers =
        !jobs.is_empty() || experiments.iter().any(|(_, experiment)| !experiment.is_of_programs());
    say(format_args!(
        "{}, about {}{}",
        how_many(jobs.len(), experiments.len()),
        minutes(total),
        if servers { ", and the wire tests of each rung" } else { "" }
    ));
    Ok(())
}

/// Runs of the ladder and experiments, counted in words.
fn how_many(runs: usize, experiments: usize) -> String {
    let count = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    };
    let parts = [count(runs, "run"), count(experiments, "experiment")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// The version of each tool that is wanted and installed. What is not installed is named, with the command
/// that installs it.
fn find_tools(
    jobs: &[Job],
    experiments: &[(&str, &Experiment)],
) -> Result<BTreeMap<String, String>> {
    let mut wanted: BTreeSet<&'static str> = jobs.iter().map(|job| job.tool).collect();
    wanted.extend(experiments.iter().flat_map(|(_, experiment)| session::tools_of(experiment)));
    let tools = tools::find(wanted.iter().copied());
    for name in wanted.iter().filter(|name| !tools.contains_key(**name)) {
        eprintln!(
            "{name} is not installed, so what needs it is skipped. {}.",
            tools::how_to_install(name)
        );
    }
    let none_of_the_ladder = jobs.iter().all(|job| !tools.contains_key(job.tool));
    if none_of_the_ladder && !jobs.is_empty() && experiments.is_empty() {
        bail!("neither wrk nor ab is installed, so nothing can be measured");
    }
    Ok(tools)
}

/// What a result has to come from, if it is to stand beside new ones.
struct Here<'a> {
    /// By `PROFILE/NAME`.
    hashes: &'a BTreeMap<String, String>,
    machine: &'a Machine,
    rustc: &'a str,
}

/// Fails where results of another machine or compiler would stay beside those of this one.
///
/// # Errors
/// When the folder holds such results, and these jobs and experiments do not replace all of them.
fn refuse_to_mix(
    folder: &Path,
    known: &Results,
    records: &BTreeMap<String, Record>,
    here: &Here,
    jobs: &[Job],
    experiments: &[&str],
) -> Result<()> {
    let stays = |run: &&Run| !jobs.iter().any(|job| job.rung == run.rung && job.bench == run.bench);
    let foreign = |machine: &Machine, rustc: &str| machine != here.machine || rustc != here.rustc;
    let run = known.runs().filter(stays).find(|run| foreign(&run.machine, &run.rustc));
    let record = records.iter().find(|(name, record)| {
        !experiments.contains(&name.as_str()) && foreign(&record.machine, &record.rustc)
    });
    let name = match (run, record) {
        (None, None) => return Ok(()),
        (Some(run), _) => format!("{}/{}", run.rung, run.bench),
        (None, Some((name, _))) => format!("{EXPERIMENTS}/{name}"),
    };
    bail!(
        "{} holds results of another machine or compiler, {name} for one, and tables that mix both would mislead; \
         give `--out` another folder, or measure everything",
        folder.display(),
    )
}

/// The jobs that have no result yet, or only one of another command line, machine, compiler or executable;
/// and how many have one.
///
/// The commit does not matter: it is another one whenever any example has changed.
fn what_is_missing(jobs: Vec<Job>, known: &Results, here: &Here, fresh: bool) -> (Vec<Job>, usize) {
    let count = jobs.len();
    let missing: Vec<Job> = jobs
        .into_iter()
        .filter(|job| {
            let Some(run) = known.get(job.rung, job.bench) else { return true };
            let without_url = |argv: &[String]| argv[..argv.len().max(1) - 1].to_vec();
            let stale = if fresh {
                "--fresh"
            } else if without_url(&run.tool.argv) != without_url(&job.argv("")) {
                "it has another command line"
            } else if run.machine != *here.machine {
                "it is from another machine"
            } else if run.rustc != here.rustc {
                "another rustc built the server"
            } else if here.hashes.get(&hash_key(job.rung)) != Some(&run.server.sha256) {
                "the server was another executable"
            } else if run.void {
                "it was void"
            } else {
                return false;
            };
            say(format_args!("Will measure {} on {} again ({stale}).", job.bench, job.rung));
            true
        })
        .collect();
    let kept = count - missing.len();
    (missing, kept)
}

/// The key of a rung's executable.
fn hash_key(rung: &str) -> String {
    session::executable_key(Profile::Release, rung)
}

/// A session of the ladder in progress.
struct Bench<'a> {
    out: &'a Path,
    executables: &'a Executables,
    hashes: &'a BTreeMap<String, String>,
    stop: StopFlag,
    wire: &'a mut WireTests,
    progress: &'a mut Progress,
    file: MachineFile,
    commit: machine::Commit,
    quick: bool,
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

impl Bench<'_> {
    /// Watches the idle machine, and then measures all these jobs.
    fn ladder(&mut self, jobs: &[Job], seed: u64) -> Result<()> {
        say(format_args!("Watching the idle machine for {} s …", IDLE_WATCH.as_secs()));
        let load_average_before = system::load_average();
        let idle = StallMonitor::start();
        let watched = Instant::now();
        while watched.elapsed() < IDLE_WATCH {
            self.stop.check()?;
            std::thread::sleep(Duration::from_millis(50));
        }
        let now = timestamp();
        self.file.sessions.push(Session {
            started: now.clone(),
            finished: now,
            quick: self.quick,
            seed,
            order: Vec::new(),
            commit: self.commit.clone(),
            idle_stalls: Some(idle.finish()),
            load_average_before,
        });
        for (index, job) in jobs.iter().enumerate() {
            if self.wire.passes(job.rung, &self.stop, self.progress)? {
                self.measure(job, index, jobs.len())?;
            }
            self.progress.done(job.seconds + OVERHEAD_SECONDS);
        }
        Ok(())
    }

    /// Measures one job, again if it is void, and writes the result.
    fn measure(&mut self, job: &Job, index: usize, of: usize) -> Result<()> {
        let mut void_attempts = Vec::new();
        loop {
            let attempt = self.attempt(job, index, of)?;
            let last = void_attempts.len() + 1 == ATTEMPTS;
            if let Some(reason) = &attempt.void {
                self.progress.say(&format!("{} on {}: void: {reason}", job.bench, job.rung));
                void_attempts.push(VoidAttempt {
                    date: attempt.date.clone(),
                    reason: reason.clone(),
                    figures: attempt.figures.clone(),
                });
                if !last {
                    continue;
                }
            }
            return self.keep(job, attempt, void_attempts);
        }
    }

    /// Starts a server, warms it up, runs the tool, and ends the server.
    fn attempt(&mut self, job: &Job, index: usize, of: usize) -> Result<Attempt> {
        let executable = self.executables.path(Profile::Release, job.rung);
        let mut server = ServerProcess::start(&executable, &job.server_options)?;
        warm_up(&server.address)
            .with_context(|| format!("{} does not answer its first request", job.rung))?;
        let argv = job.argv(&server.address);
        let line = format!("[{}/{of}] {} on {}", index + 1, job.bench, job.rung);
        self.progress.start(&line, job.seconds);
        let date = timestamp();
        let load_average_before = system::load_average();
        let limit = Duration::from_secs_f64(job.seconds * 5.0 + 300.0);
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]);
        let id = Some(server.program.id());
        let progress = &*self.progress;
        let watched = watched::run(&mut command, id, limit, &self.stop, || progress.tick());
        let still_running = server.program.is_running();
        let description = Server {
            argv: [vec![job.rung.to_owned()], job.server_options.clone()].concat(),
            listening: server.listening.clone(),
            sha256: self.hashes[&hash_key(job.rung)].clone(),
        };
        let (status, raw, complaints) = watched.ran?;

        let parsed = match job.tool {
            "wrk" => parse::wrk(&raw),
            _ => parse::ab(&raw),
        };
        let mut void = None;
        let mut figures = parsed.unwrap_or_else(|error| {
            void = Some(format!("{error:#}: {}", last_line(&raw, &complaints)));
            Figures::new()
        });
        let requests = figures.get("requests").copied().flatten().unwrap_or_default();
        let errors = figures.get("errors").copied().flatten().unwrap_or_default();
        if void.is_none() {
            void = if !status.success() {
                Some(format!("{} ended with {status}", job.tool))
            } else {
                void_reason(requests, errors, still_running)
            };
        }
        let mut set = |name: &str, value: Option<f64>| {
            figures.insert(name.to_owned(), value);
        };
        // wrk prints the number that it was asked for, and not the one that it opened.
        set("concurrency", Some(job.connections as f64));
        set("law_requests_per_second", job.law_rate);
        set("law_duration_seconds", job.law_seconds);
        figures.extend(watched.machine);
        figures.extend(watched::server_figures(server, &watched.peaks, requests));
        // What ab says while it works goes to standard error, and is no result.
        Ok(Attempt { date, load_average_before, server: description, argv, figures, raw, void })
    }

    /// Writes a result, and the session's state.
    fn keep(&mut self, job: &Job, attempt: Attempt, void_attempts: Vec<VoidAttempt>) -> Result<()> {
        let void = attempt.void.is_some();
        let mut figures = attempt.figures;
        let earlier = void_attempts.len() - usize::from(void);
        figures.insert("voids".to_owned(), Some(earlier as f64));
        let figure = |name: &str| figures.get(name).copied().flatten().unwrap_or_default();
        let (noisy, noisy_reason) =
            judge_noise(figure("stall_share_percent"), figure("stall_p99_ms"), NOISY_P99_MS);
        let run = Run {
            rung: job.rung.to_owned(),
            bench: job.bench.to_owned(),
            source: job.source.to_owned(),
            quick: self.quick,
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
            unavailable: system::unavailable(),
            method: METHOD.map(str::to_owned).to_vec(),
            pinning: self.file.pinning.clone(),
            load_average_before: attempt.load_average_before,
            descriptor_limit: self.file.descriptor_limit,
            rustc: self.file.rustc.clone(),
            commit: self.commit.clone(),
            machine: self.file.machine.clone(),
            figures,
        };
        ladder::write_run(self.out, &run, &attempt.raw)?;
        enter(&mut self.file.sessions, format!("{}/{}", job.rung, job.bench));
        ladder::write_machine(self.out, &self.file)?;
        let figure = |name: &str| run.figure(name).unwrap_or_default();
        let law = run
            .figure("law_requests_per_second")
            .map(|law| format!(", the law says {}", number(law, 1)))
            .unwrap_or_default();
        self.progress.say(&format!(
            "{} on {}: {} requests/s{law}{}",
            job.bench,
            job.rung,
            number(figure("requests_per_second"), 1),
            report::tables::marker(&run)
        ));
        Ok(())
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

/// How the figures were taken, for whoever reads a result.
const METHOD: [&str; 6] = [
    "concurrency: the connections that are really open; each thread of wrk opens the same number, so that -t12 -c500 makes 12 x 41 = 492",
    "server_cpu_…, server_…_switches: getrusage(RUSAGE_CHILDREN) before and after the server's end; they hold its whole life, threads that ended before included, and one warm-up request",
    "server_peak_memory_mib: VmHWM in /proc/PID/status, last sampled when the tool had ended",
    "server_peak_threads: Threads in /proc/PID/status, sampled every 200 ms; a shorter peak is missed",
    "stall_…: a thread of cargo xtask bench sleeps for 5 ms again and again and notes how late it wakes; share: time in delays above 10 ms",
    "steal_seconds, cpu_pressure_seconds: difference of /proc/stat and of the total of `some` in /proc/pressure/cpu over the run",
];

/// The results on the terminal, beside those that the book shows where they are others.
fn print_summary(root: &Path, out: &Path, rungs: &[&str], experiments: &[&str]) -> Result<()> {
    if !rungs.is_empty() {
        print_ladder(root, out, rungs)?;
    }
    let records = store::read_all(&out.join(EXPERIMENTS))?;
    for (name, record) in records.iter().filter(|(name, _)| experiments.contains(&name.as_str())) {
        say("");
        for line in session::summary(name, record) {
            say(line);
        }
    }
    say(format_args!("\nThe whole results are in {}.", out.display()));
    Ok(())
}

fn print_ladder(root: &Path, out: &Path, rungs: &[&str]) -> Result<()> {
    let results = Results::read(out)?;
    let books = root.join("book").join("results");
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

#[cfg(test)]
mod tests {
    use records::testing::{example_machine, example_record, example_run};

    use super::*;

    #[test]
    fn runs_and_experiments_are_counted() {
        assert_eq!(how_many(32, 1), "32 runs and 1 experiment");
        assert_eq!(how_many(1, 0), "1 run");
        assert_eq!(how_many(0, 15), "15 experiments");
    }

    #[test]
    fn a_session_goes_on_with_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let hashes = |hash: &str| BTreeMap::from([(hash_key("ch03_threadpool"), hash.to_owned())]);
        let run = example_run("ch03_threadpool", "wrk-sleep", &[]);
        let missing = |fresh, quick, hash: &str| {
            let known = Results::read(folder.path()).unwrap();
            let jobs = vec![plan::job("ch03_threadpool", "wrk-sleep", quick)];
            let hashes = hashes(hash);
            let here = Here { hashes: &hashes, machine: &run.machine, rustc: &run.rustc };
            what_is_missing(jobs, &known, &here, fresh).0.len()
        };
        assert_eq!(missing(false, false, "00"), 1);
        ladder::write_run(folder.path(), &run, "").unwrap();
        assert_eq!(missing(false, false, "00"), 0);
        assert_eq!(missing(true, false, "00"), 1);
        assert_eq!(missing(false, true, "00"), 1);
        assert_eq!(missing(false, false, "01"), 1);
        // Another commit of the sources alone makes no difference: the executable tells.
        let commit = machine::Commit { sources: Some("other".to_owned()), ..run.commit.clone() };
        ladder::write_run(folder.path(), &Run { commit, ..run.clone() }, "").unwrap();
        assert_eq!(missing(false, false, "00"), 0);
        let newer = Run { rustc: "another".to_owned(), ..run.clone() };
        ladder::write_run(folder.path(), &newer, "").unwrap();
        assert_eq!(missing(false, false, "00"), 1);
        let void = Run { void: true, ..run.clone() };
        ladder::write_run(folder.path(), &void, "").unwrap();
        assert_eq!(missing(false, false, "00"), 1);
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

    #[test]
    fn results_of_two_machines_do_not_stand_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let run = example_run("ch03_threadpool", "wrk-sleep", &[]);
        ladder::write_run(folder.path(), &run, "").unwrap();
        let known = Results::read(folder.path()).unwrap();
        let hashes = BTreeMap::new();
        let mut records = BTreeMap::new();
        let mix = |machine: &Machine, records: &_, jobs: &[Job], experiments: &[&str]| {
            let here = Here { hashes: &hashes, machine, rustc: &run.rustc };
            refuse_to_mix(folder.path(), &known, records, &here, jobs, experiments)
        };
        let refuse = |machine: &Machine, jobs: &[Job]| mix(machine, &BTreeMap::new(), jobs, &[]);
        let other = Machine { physical_cores: Some(77), ..run.machine.clone() };
        refuse(&run.machine, &[]).unwrap();
        assert!(refuse(&other, &[]).unwrap_err().to_string().contains("another machine"));
        // What is measured again is no longer the other machine's.
        let jobs = [plan::job("ch03_threadpool", "wrk-sleep", false)];
        refuse(&other, &jobs).unwrap();
        let record = Record { rustc: run.rustc.clone(), ..example_record() };
        records.insert("pool-law".to_owned(), record);
        mix(&run.machine, &records, &[], &[]).unwrap();
        let message = mix(&other, &records, &jobs, &[]).unwrap_err().to_string();
        assert!(message.contains("experiments/pool-law"), "{message}");
        mix(&other, &records, &jobs, &["pool-law"]).unwrap();
    }

    #[test]
    fn results_of_two_machines_do_not_mix() {
        let root = tempfile::tempdir().unwrap();
        let file = example_machine();
        let choose = |options: &BenchOptions, machine: &Machine| {
            let (out, quick) = (options.out.as_deref(), options.quick);
            let folder = choose_folder(root.path(), out, quick, machine).unwrap();
            folder.strip_prefix(root.path()).unwrap_or(&folder).to_path_buf()
        };
        let options = BenchOptions::default();
        let books = Path::new("book").join("results");
        assert_eq!(choose(&options, &Machine::default()), books);
        ladder::write_machine(&root.path().join("book/results"), &file).unwrap();
        assert_eq!(choose(&options, &file.machine), books);
        let folder = root.path().join("book/results/experiments");
        let record = Record { machine: file.machine.clone(), ..example_record() };
        store::write(&folder, "pool-law", &record, "").unwrap();
        assert_eq!(choose(&options, &file.machine), books);
        store::write(&folder, "pool-law", &example_record(), "").unwrap();
        assert_eq!(choose(&options, &file.machine), Path::new("target").join("results"));
        store::write(&folder, "pool-law", &record, "").unwrap();
        assert_eq!(choose(&options, &Machine::default()), Path::new("target").join("results"));
        let sketch = BenchOptions { quick: true, ..options.clone() };
        assert_eq!(choose(&sketch, &file.machine), Path::new("target").join("sketch"));
        let elsewhere = BenchOptions { out: Some("x".into()), ..options };
        assert_eq!(choose(&elsewhere, &Machine::default()), Path::new("x"));
    }
}
