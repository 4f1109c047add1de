//! Measures an experiment, round by round.
//!
//! In each round every variant runs once, and the baseline a second time as the control, in an order
//! drawn by lot. Each run has a fresh server process, or is one of a program. The record is written after every run, so that a
//! session which is stopped loses only the run that it was at, and the next one goes on from there.
//! What is measured anew (`--fresh`, or another executable) takes the place of the old record as soon as it is
//! whole; until then it lies beside that, and a call without `--fresh` goes on with it. Runs that do not count are
//! tried again in the next call.
//!
//! A run is **void** if errors are more than 0.1 % of its requests, the server, the generator or the program
//! fails, the generator had no processor time left where none was to be expected of it, or the machine stalled too
//! much. It is repeated up to two times. If it is the machine that stalled every
//! time, the attempt with the least stalls counts, and stays marked as noisy. Exact counts do not mind stalls.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result};
use base::number;
use process::{
    Complaints, ServerProcess, StopFlag, Stopped, cargo::timestamp, system, tools::how_to_install,
};
use records::{
    description::{Count, Experiment, Pause, Pin, Profile, SECONDS, Setup, Sink, URL},
    figures::Figures,
    machine::{Commit, Machine},
    stats::rounded,
    store::{self, Continued, Record, RoundRun},
    summary::{SATURATED_PERCENT, Summary},
};
use servers::Server;

use crate::{
    executables::Executables,
    parse, program,
    progress::Progress,
    rules::{judge_noise, void_reason},
    warm_up::warm_up,
    watched::{self, last_line},
    wire::WireTests,
};

/// How often a run is tried.
const ATTEMPTS: usize = 3;

/// How a run is void that only the machine disturbed.
const STALLED: &str = "the machine stalled: ";

/// How long a server may take to end in good order, with valgrind around it. In seconds.
const END_SECONDS: u64 = 60;

/// What a run takes besides the generator's own time, in seconds: the server's start, warm-up and end.
const OVERHEAD_SECONDS: f64 = 0.2;

/// The same with a tool around the server that counts.
const COUNT_OVERHEAD_SECONDS: f64 = 1.5;

/// What all experiments of one call have in common.
pub struct Surroundings<'a> {
    /// The folder of the records.
    pub folder: PathBuf,
    /// Where the servers are.
    pub executables: &'a Executables,
    /// The SHA-256 of each executable, by `PROFILE/NAME`.
    pub hashes: &'a BTreeMap<String, String>,
    /// The machine.
    pub machine: &'a Machine,
    /// The compiler.
    pub rustc: &'a str,
    /// The sources.
    pub commit: &'a Commit,
    /// The version of each tool that is installed.
    pub tools: &'a BTreeMap<String, String>,
    /// How many files and sockets a process may have open, where a variant says nothing else.
    pub descriptor_limit: Option<u64>,
    /// The seed of new records.
    pub seed: u64,
    /// Whether runs are shortened.
    pub quick: bool,
    /// Whether what is there already is measured again.
    pub fresh: bool,
    /// Set by Ctrl-C.
    pub stop: StopFlag,
}

/// A variant in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The round, counted from 1.
    pub round: usize,
    /// The variant, or [`CONTROL`](super::description::CONTROL).
    pub variant: String,
}

/// An experiment with what was measured of it, and what was not yet.
pub struct Plan {
    /// The experiment's name.
    pub name: String,
    /// What was measured so far.
    pub record: Record,
    /// What is still to be measured, in this order.
    pub missing: Vec<Entry>,
    /// The name under which the record is written: its own, or that of what is to replace it.
    stored_as: String,
    /// All that is to be measured, in this order.
    entries: Vec<Entry>,
    /// Whether this call has added a run.
    added: bool,
    /// The experiment as it is run here: shortened, if that was asked for.
    run_as: Experiment,
    /// What the generators printed so far.
    raw: String,
    /// Why what was measured before does not count any more, if there is something.
    pub stale: Option<&'static str>,
    /// What starting and stopping a server alone counts, by variant.
    idle: BTreeMap<String, String>,
    /// The processors by variant.
    pinnings: BTreeMap<String, Pinning>,
}

/// The processors of server (or program) and generator, as `taskset -c` takes them; `None` for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Pinning {
    server: Option<String>,
    generator: Option<String>,
    /// How many processors the generator may use.
    generator_cpus: usize,
}

/// What one attempt gave.
struct Attempt {
    run: RoundRun,
    raw: String,
}

/// The key of an executable.
pub fn executable_key(profile: Profile, name: &str) -> String {
    let profile = match profile {
        Profile::Release => "release",
        Profile::Debug => "debug",
    };
    format!("{profile}/{name}")
}

/// The executables that an experiment needs: profile and name of each.
pub fn executables_of(experiment: &Experiment) -> Vec<(Profile, String)> {
    let mut needed = Vec::new();
    for (_, setup) in experiment.setups() {
        if first_word(&setup) == "load" {
            needed.push((Profile::Release, "load".to_owned()));
        }
        let name = setup.program.or(setup.server).unwrap_or_default();
        needed.push((setup.profile.unwrap_or_default(), name));
    }
    needed.sort();
    needed.dedup();
    needed
}

fn first_word(setup: &Setup) -> &str {
    setup.generator.iter().flatten().next().map_or("", String::as_str)
}

/// The tools that an experiment needs, apart from those that we build.
pub fn tools_of(experiment: &Experiment) -> Vec<&'static str> {
    let mut tools = Vec::new();
    for (_, setup) in experiment.setups() {
        tools.extend(
            ["wrk", "ab", "oha", "drill"].iter().filter(|tool| **tool == first_word(&setup)),
        );
        tools.extend(setup.count.map(Count::tool));
    }
    let pinned = experiment.entries().iter().any(|name| experiment.pin_of(name) != Pin::None);
    if pinned && cfg!(target_os = "linux") {
        tools.push("taskset");
    }
    tools.sort_unstable();
    tools.dedup();
    tools
}

/// The order of the runs: round by round, and within each what `entries` names, drawn by lot.
pub fn order(entries: &[&str], rounds: usize, seed: u64) -> Vec<Entry> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut order = Vec::new();
    for round in 1..=rounds {
        let mut entries = entries.to_vec();
        random.shuffle(&mut entries);
        let entry = |variant: &str| Entry { round, variant: variant.to_owned() };
        order.extend(entries.into_iter().map(entry));
    }
    order
}

/// About how long one run of a variant takes, in seconds.
fn run_seconds(setup: &Setup) -> f64 {
    let overhead = if setup.count.is_some() { COUNT_OVERHEAD_SECONDS } else { OVERHEAD_SECONDS };
    setup.seconds.unwrap_or_default() + overhead
}

/// About how long the whole of an experiment takes, in seconds, with nothing measured yet.
pub fn whole_seconds(experiment: &Experiment) -> f64 {
    let entries = experiment.entries();
    let seconds = |name: &&str| experiment.setup(name).map_or(0.0, |setup| run_seconds(&setup));
    entries.iter().map(seconds).sum::<f64>() * experiment.rounds as f64
}

/// Why a record can't be continued, if it can't.
fn stale(known: &Record, new: &Record, fresh: bool) -> Option<&'static str> {
    if fresh {
        Some("--fresh")
    } else if known.experiment != new.experiment {
        match known.experiment.measures_like(&new.experiment) {
            true => Some(
                "its words or its margin have changed; `cargo xtask redescribe` would keep the figures",
            ),
            false => Some("its description has changed"),
        }
    } else if known.quick != new.quick {
        Some("its runs had another length")
    } else if known.machine != new.machine {
        Some("it is from another machine")
    } else if known.rustc != new.rustc {
        Some("another rustc built the servers")
    } else if known.executables != new.executables {
        Some("the servers were other executables")
    } else if known.tools != new.tools {
        Some("its tools had other versions")
    } else if known.descriptor_limit != new.descriptor_limit
        && new.experiment.setups().any(|(_, setup)| setup.descriptors.is_none())
    {
        Some("a program could have another number of files and sockets open")
    } else {
        None
    }
}

/// A record that was begun before, with its raw output, if it can be continued; otherwise why not.
fn resumed(
    around: &Surroundings,
    name: &str,
    known: Record,
    new: &Record,
) -> Result<(Record, String), &'static str> {
    if let Some(why) = stale(&known, new, around.fresh) {
        return Err(why);
    }
    let raw = store::read_raw(&around.folder, name).ok();
    let raw = raw.and_then(|text| store::raw_of_all(&text, &known.runs));
    raw.map(|raw| (known, raw)).ok_or("its raw output is not there")
}

/// The attempts at an entry so far.
fn attempts<'a>(runs: &'a [RoundRun], entry: &'a Entry) -> impl Iterator<Item = &'a RoundRun> {
    runs.iter().filter(move |run| run.round == entry.round && run.variant == entry.variant)
}

/// Whether an entry needs no further attempt.
fn is_settled(runs: &[RoundRun], entry: &Entry, most: usize) -> bool {
    let counts = attempts(runs, entry).any(|run| run.void.is_none());
    counts || attempts(runs, entry).count() >= most
}

/// Decides between the attempts at an entry when there are to be no more: of those that only the machine
/// disturbed, the one with the least stalls counts after all. The best one goes last.
fn settle(runs: &mut Vec<RoundRun>, entry: &Entry) {
    if attempts(runs, entry).any(|run| run.void.is_none()) {
        return;
    }
    let only_stalled =
        |run: &RoundRun| run.void.as_ref().is_some_and(|void| void.starts_with(STALLED));
    let badness = |run: &RoundRun| {
        let figure = |name: &str| run.figures.get(name).copied().flatten();
        let size = if only_stalled(run) { "stall_share_percent" } else { "errors" };
        (!only_stalled(run), figure(size).unwrap_or(f64::INFINITY))
    };
    let indices = (0..runs.len())
        .filter(|&index| runs[index].round == entry.round && runs[index].variant == entry.variant);
    let best = indices.min_by(|&one, &other| {
        let (one, other) = (badness(&runs[one]), badness(&runs[other]));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    let Some(best) = best else { return };
    let mut best = runs.remove(best);
    if only_stalled(&best) {
        best.void = None;
    }
    runs.push(best);
}

/// On which processors an experiment runs here, and what can't be had.
fn pinning(pin: Pin, cores: Option<Vec<Vec<usize>>>, taskset: bool) -> (Pinning, Option<String>) {
    let count = || std::thread::available_parallelism().map_or(1, |count| count.get());
    let all = cores.as_ref().map_or_else(count, |cores| cores.concat().len());
    let free = Pinning { generator_cpus: all, ..Pinning::default() };
    let list =
        |cpus: &[usize]| Some(cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
    let unpinned = |why: &str| {
        let text = format!("not bound to processors, unlike in the description: {why}");
        (free.clone(), Some(text))
    };
    match (pin, cores) {
        (Pin::None, _) => (free, None),
        (_, None) => unpinned("only Linux tells which there are"),
        (_, Some(_)) if !taskset => {
            unpinned(&format!("taskset is not installed. {}", how_to_install("taskset")))
        }
        (Pin::Together | Pin::One, Some(cores)) => {
            let first = list(&cores.concat()[..1]);
            let pinning = Pinning { server: first.clone(), generator: first, generator_cpus: 1 };
            (pinning, None)
        }
        (Pin::Apart, Some(_)) if all < 2 => unpinned("there is only one"),
        (Pin::Apart, Some(cores)) => {
            // Two processors of one core disturb each other, so whole cores, where there are several.
            let (server, generator) = match cores.len() {
                1 => {
                    let (server, generator) = cores[0].split_at(all / 2);
                    (server.to_vec(), generator.to_vec())
                }
                count => {
                    let (server, generator) = cores.split_at(count / 2);
                    (server.concat(), generator.concat())
                }
            };
            let generator_cpus = generator.len();
            let pinning =
                Pinning { server: list(&server), generator: list(&generator), generator_cpus };
            (pinning, None)
        }
    }
}

/// Why a variant can't be run here, if it can't.
fn impossible(setup: &Setup, around: &Surroundings, hard_limit: Option<u64>) -> Option<String> {
    let generator = setup.generator.iter().flatten().next().map(String::as_str);
    let tools = [generator, setup.count.map(Count::tool)];
    for tool in tools.into_iter().flatten().filter(|tool| *tool != "load") {
        if !around.tools.contains_key(tool) {
            return Some(format!("{tool} is not installed. {}", how_to_install(tool)));
        }
    }
    if setup.count.is_some() && !cfg!(target_os = "linux") {
        return Some("counts are taken on Linux only".to_owned());
    }
    if !cfg!(unix) && (setup.descriptors.is_some() || setup.pause.is_some()) {
        return Some("a limit of descriptors and a pause are to be had on Unix only".to_owned());
    }
    match (setup.descriptors, hard_limit) {
        (Some(wanted), Some(limit)) if wanted > limit => Some(format!(
            "a program may open at most {} files and sockets here, and this needs {}",
            number(limit as f64, 0),
            number(wanted as f64, 0)
        )),
        _ => None,
    }
}

/// A command line with what stands before the program: where it runs, and how many descriptors it may have.
fn wrapped(program: Vec<String>, cpus: Option<&str>, descriptors: Option<u64>) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(cpus) = cpus {
        words.extend(["taskset", "-c", cpus].map(str::to_owned));
    }
    if let Some(limit) = descriptors {
        let script = format!("ulimit -n {limit} && exec \"$@\"");
        words.extend(["sh", "-c", &script, "sh"].map(str::to_owned));
    }
    words.extend(program);
    words
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

fn is_stopped(error: &anyhow::Error) -> bool {
    error.is::<Stopped>() || error.root_cause().is::<Stopped>()
}

/// An error becomes the reason why a run is void, unless it is Ctrl-C.
fn unless_stopped<T>(result: Result<T>, what: &str) -> Result<Result<T, String>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) if is_stopped(&error) => Err(error),
        Err(error) => Ok(Err(format!("{what}: {error:#}"))),
    }
}

/// Stops a server for a while, from a thread of its own. Dropping it lets the server go on.
struct Pauser(Option<(std::sync::mpsc::Sender<()>, std::thread::JoinHandle<()>)>);

impl Pauser {
    fn start(pause: Option<&Pause>, id: u32) -> Pauser {
        let Some(Pause { after, lasts }) = pause.cloned() else { return Pauser(None) };
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            // Either time is cut short when the sender is gone.
            let _ = ended.recv_timeout(Duration::from_secs_f64(after));
            signal(id, false);
            let _ = ended.recv_timeout(Duration::from_secs_f64(lasts));
            signal(id, true);
        });
        Pauser(Some((end, thread)))
    }
}

impl Drop for Pauser {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// Stops a process, or lets it go on.
fn signal(id: u32, go_on: bool) {
    #[cfg(unix)]
    {
        use nix::{sys::signal, unistd::Pid};
        let signal = if go_on { signal::SIGCONT } else { signal::SIGSTOP };
        let _ = signal::kill(Pid::from_raw(id.cast_signed()), signal);
    }
    #[cfg(not(unix))]
    let _ = (id, go_on);
}

impl Plan {
    /// What is to be done for an experiment, with `known` as what was measured before.
    ///
    /// # Errors
    /// Why nothing of it can be measured here, in words for the user.
    pub fn new(
        around: &Surroundings,
        name: &str,
        experiment: &Experiment,
        known: Option<Record>,
    ) -> Result<Plan, String> {
        let run_as = if around.quick { experiment.shortened() } else { experiment.clone() };
        let hard_limit = system::hard_descriptor_limit();
        let mut skipped = Vec::new();
        let mut entries = run_as.entries();
        for (variant, setup) in run_as.setups() {
            let Some(why) = impossible(&setup, around, hard_limit) else { continue };
            if variant == run_as.baseline() {
                return Err(format!("its baseline can't be measured here: {why}"));
            }
            entries.retain(|entry| *entry != variant);
            skipped.push(format!("{variant}: {why}"));
        }
        let taskset = around.tools.contains_key("taskset");
        let mut pinnings = BTreeMap::new();
        for entry in &entries {
            let (pinning, unpinned) = pinning(run_as.pin_of(entry), system::cores(), taskset);
            skipped.extend(unpinned.filter(|why| !skipped.contains(why)));
            pinnings.insert((*entry).to_owned(), pinning);
        }
        let now = timestamp();
        let of = |map: &BTreeMap<String, String>, wanted: &[String]| {
            let known =
                wanted.iter().filter_map(|name| Some((name.clone(), map.get(name)?.clone())));
            known.collect::<BTreeMap<_, _>>()
        };
        let tools: Vec<String> = tools_of(&run_as).into_iter().map(str::to_owned).collect();
        let mut tools = of(around.tools, &tools);
        let needed = executables_of(&run_as);
        if needed.iter().any(|(_, name)| name == "load") {
            // The workspace has one version for all of its packages.
            tools.insert("load".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        }
        let keys = needed.iter().map(|(profile, name)| executable_key(*profile, name));
        let mut record = Record {
            experiment: experiment.clone(),
            quick: around.quick,
            started: now.clone(),
            finished: now,
            seed: around.seed,
            machine: around.machine.clone(),
            rustc: around.rustc.to_owned(),
            commit: around.commit.clone(),
            continued: Vec::new(),
            tools,
            executables: of(around.hashes, &keys.collect::<Vec<_>>()),
            descriptor_limit: around.descriptor_limit,
            wire_tests_passed: BTreeMap::new(),
            runs: Vec::new(),
            skipped: Vec::new(),
        };
        let mut raw = String::new();
        let mut stale_because = None;
        let part = store::part_of(name);
        let mut stored_as = name.to_owned();
        // What was begun to replace a record goes on, unless all is to be measured again.
        let begun = store::read(&around.folder, &part).ok().flatten();
        let begun = begun.filter(|_| !around.fresh);
        let begun = begun.and_then(|begun| resumed(around, &part, begun, &record).ok());
        match (begun, known) {
            (Some(begun), _) => {
                (record, raw) = begun;
                stored_as = part;
            }
            (None, Some(known)) => match resumed(around, name, known, &record) {
                Ok(known) => (record, raw) = known,
                Err(why) => {
                    stale_because = Some(why);
                    stored_as = part;
                }
            },
            (None, None) => {}
        }
        record.skipped = skipped;
        let entries = order(&entries, run_as.rounds, record.seed);
        let counts = |entry: &Entry| attempts(&record.runs, entry).any(|run| run.void.is_none());
        let missing = entries.iter().filter(|entry| !counts(entry)).cloned().collect();
        Ok(Plan {
            name: name.to_owned(),
            stored_as,
            record,
            entries,
            missing,
            run_as,
            raw,
            stale: stale_because,
            added: false,
            idle: BTreeMap::new(),
            pinnings,
        })
    }

    /// Whether this is to replace a record, as soon as it is whole.
    pub fn replaces(&self) -> bool {
        self.stored_as != self.name
    }

    /// How many of the missing runs were tried before, and did not count.
    pub fn tried(&self) -> usize {
        let tried = |entry: &&Entry| attempts(&self.record.runs, entry).next().is_some();
        self.missing.iter().filter(tried).count()
    }

    /// About how long it will take, in seconds.
    pub fn seconds(&self) -> f64 {
        self.missing.iter().map(|entry| run_seconds(&self.setup(&entry.variant))).sum()
    }

    fn pinning(&self, variant: &str) -> &Pinning {
        &self.pinnings[variant]
    }

    fn setup(&self, variant: &str) -> Setup {
        self.run_as.setup(variant).expect("an entry is one of its variants")
    }

    /// The servers of the ladder among those that are still to be measured.
    fn rungs(&self) -> Vec<String> {
        let servers = self.missing.iter().filter_map(|entry| self.setup(&entry.variant).server);
        let mut rungs: Vec<String> =
            servers.filter(|server| Server::named(server).is_some()).collect();
        rungs.sort();
        rungs.dedup();
        rungs
    }

    /// Measures what is missing, and writes the record after every run. `false` if a server fails its wire tests.
    ///
    /// # Errors
    /// When a file can't be written, and on Ctrl-C.
    pub fn measure(
        &mut self,
        around: &Surroundings,
        wire: &mut WireTests,
        progress: &mut Progress,
    ) -> Result<bool> {
        for rung in self.rungs() {
            if !wire.passes(&rung, &around.stop, progress)? {
                progress.done(self.seconds());
                progress.say(&format!("{}: not measured, because {rung} failed", self.name));
                return Ok(false);
            }
            self.record.wire_tests_passed.insert(rung.clone(), wire.passed[&rung]);
        }
        let total = self.missing.len();
        for (index, entry) in std::mem::take(&mut self.missing).iter().enumerate() {
            let seconds = run_seconds(&self.setup(&entry.variant));
            let mut first = true;
            // What was tried in an earlier call has its budget again: what was wrong then may be right now.
            let budget = if around.quick { 1 } else { ATTEMPTS };
            let most = attempts(&self.record.runs, entry).count() + budget;
            while !is_settled(&self.record.runs, entry, most) {
                around.stop.check()?;
                if !first {
                    progress.add(seconds);
                }
                first = false;
                let line = format!(
                    "[{}/{total}] {}, round {}: {}",
                    index + 1,
                    self.name,
                    entry.round,
                    entry.variant
                );
                progress.start(&line, seconds);
                let attempt = self.attempt(around, entry, progress)?;
                self.keep(around, entry, attempt, most, progress)?;
                progress.done(seconds);
            }
        }
        self.replace(around, progress)?;
        Ok(true)
    }

    /// Puts the record in the place of that from before, if this is what it is for, and it is whole.
    fn replace(&mut self, around: &Surroundings, progress: &Progress) -> Result<()> {
        if !self.replaces() {
            return Ok(());
        }
        let counts =
            |entry: &&Entry| attempts(&self.record.runs, entry).any(|run| run.void.is_none());
        let without = self.entries.len() - self.entries.iter().filter(counts).count();
        if without > 0 {
            progress.say(&format!(
                "{}: {without} of {} runs do not count, so the record from before stays; the next call tries them again",
                self.name,
                self.entries.len()
            ));
            return Ok(());
        }
        store::write(&around.folder, &self.name, &self.record, &self.raw)?;
        store::remove(&around.folder, &self.stored_as)?;
        self.stored_as.clone_from(&self.name);
        Ok(())
    }

    /// Adds an attempt to the record, and writes that.
    fn keep(
        &mut self,
        around: &Surroundings,
        entry: &Entry,
        attempt: Attempt,
        most: usize,
        progress: &Progress,
    ) -> Result<()> {
        let Attempt { run, raw } = attempt;
        store::add_raw(&mut self.raw, entry.round, &entry.variant, run.attempt, &raw);
        let metric = &self.run_as.metric;
        let value = run.figures.get(metric).copied().flatten();
        let value = value.map_or("-".to_owned(), |value| number(value, 3));
        let remark = match &run.void {
            Some(why) => format!(": void: {why}"),
            None => format!(": {metric} {value}"),
        };
        progress.say(&format!("{}, {}{remark}", self.name, entry.variant));
        if self.record.runs.is_empty() {
            self.record.started.clone_from(&run.date);
        }
        let last = self.record.continued.last().map(|continued| &continued.commit);
        if !self.added && last.unwrap_or(&self.record.commit) != around.commit {
            let commit = around.commit.clone();
            self.record.continued.push(Continued { started: run.date.clone(), commit });
        }
        self.added = true;
        self.record.runs.push(run);
        if is_settled(&self.record.runs, entry, most) {
            settle(&mut self.record.runs, entry);
        }
        self.record.finished = timestamp();
        store::write(&around.folder, &self.stored_as, &self.record, &self.raw)
    }

    /// One run of one variant.
    fn attempt(
        &mut self,
        around: &Surroundings,
        entry: &Entry,
        progress: &Progress,
    ) -> Result<Attempt> {
        let setup = self.setup(&entry.variant);
        let number = attempts(&self.record.runs, entry).count() + 1;
        let (name, options) = match &setup.program {
            Some(program) => (program.clone(), program_arguments(&setup)),
            None => (setup.server.clone().unwrap_or_default(), server_options(&setup)),
        };
        let mut run = RoundRun {
            round: entry.round,
            variant: entry.variant.clone(),
            attempt: number,
            date: timestamp(),
            server: [vec![name], options].concat(),
            generator: setup.generator.clone().unwrap_or_default(),
            figures: Figures::new(),
            void: None,
            noisy: false,
        };
        let mut raw = String::new();
        run.void = match setup.program {
            Some(_) => self.fill_from_program(around, &setup, &mut run, &mut raw, progress)?,
            None => self.fill(around, &setup, &mut run, &mut raw, progress)?,
        };
        let figure = |name: &str| run.figures.get(name).copied().flatten().unwrap_or_default();
        let late_ms = self.run_as.late_ms();
        let (noisy, reason) =
            judge_noise(figure("stall_share_percent"), figure("stall_p99_ms"), late_ms);
        run.noisy = noisy && minds_stalls(&setup);
        // One attempt is no choice.
        if run.noisy && run.void.is_none() && !around.quick {
            run.void = Some(format!("{STALLED}{reason}"));
        }
        Ok(Attempt { run, raw })
    }

    /// Runs a server and a generator, and fills in what came of it. Gives the reason why it does not count, if so.
    fn fill(
        &mut self,
        around: &Surroundings,
        setup: &Setup,
        run: &mut RoundRun,
        raw: &mut String,
        progress: &Progress,
    ) -> Result<Option<String>> {
        let errors_expected = setup.errors_expected.unwrap_or(false);
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let sums = folder.path().join("sums");
        let started = self.start(around, &run.variant, &sums);
        let mut server = match unless_stopped(started, "the server did not start")? {
            Ok(server) => server,
            Err(why) => return Ok(Some(why)),
        };

        let mut words = setup.generator.clone().unwrap_or_default();
        words.iter_mut().for_each(|word| *word = word.replace(URL, &server.address));
        run.generator = words.clone();
        if words[0] == "load" {
            let path = around.executables.path(Profile::Release, "load");
            words[0] = path.to_string_lossy().into_owned();
        }
        // A generator needs a descriptor for each connection, as the server does. A lower limit is the server's alone.
        let more = setup.descriptors.filter(|&wanted| Some(wanted) > around.descriptor_limit);
        let pinning = self.pinning(&run.variant);
        let words = wrapped(words, pinning.generator.as_deref(), more);

        let limit = time_limit(setup);
        let pauser = Pauser::start(setup.pause.as_ref(), server.program.id());
        let id = Some(server.program.id());
        let tick = || progress.tick();
        let mut generator = command(&words);
        if let Some(plan) = &setup.plan {
            fs::write(folder.path().join("plan.yml"), plan.replace(URL, &server.address))
                .context("cannot write the generator's plan")?;
            generator.current_dir(folder.path());
        }
        let watched = watched::run(&mut generator, id, limit, &around.stop, tick);
        drop(pauser);
        let ran = unless_stopped(watched.ran, "the generator failed")?;
        let still_running = server.program.is_running();

        let mut void = None;
        let figures = &mut run.figures;
        match ran {
            Err(why) => void = Some(why),
            Ok((status, out, complaints)) => {
                match parse_output(Some(&run.generator[0]), &out) {
                    Ok(parsed) => *figures = parsed,
                    Err(error) => {
                        void = Some(format!("{error:#}: {}", last_line(&out, &complaints)));
                    }
                }
                if void.is_none() && !status.success() && !errors_expected {
                    void = Some(format!("{} ended with {status}", run.generator[0]));
                }
                *raw = out;
            }
        }
        let get = |figures: &Figures, name: &str| figures.get(name).copied().flatten();
        if run.generator[0] == "wrk" {
            // wrk prints the number that it was asked for; each of its threads opens the same number of them.
            if let (Some(asked), Some(threads)) =
                (get(figures, "concurrency"), get(figures, "tool_threads"))
            {
                let opened = (asked / threads.max(1.0)).floor() * threads;
                figures.insert("concurrency".to_owned(), Some(opened));
            }
        }
        let requests = get(figures, "requests").unwrap_or_default();
        let late = get(figures, "requests_late").unwrap_or_default();
        let errors = get(figures, "errors").unwrap_or_default();
        if void.is_none() && !errors_expected {
            void = void_reason(requests, errors, still_running);
        }
        let threads = match run.generator[0].as_str() {
            "ab" => 1,
            "wrk" => get(figures, "tool_threads").map_or(1, |threads| threads as usize),
            _ => usize::MAX,
        };
        let cpus = pinning.generator_cpus.min(threads).max(1);
        let share =
            |used: system::Usage| rounded(100.0 * used.seconds() / (watched.seconds * cpus as f64));
        let share = watched.used.map(share);
        figures.insert("generator_cpu_share_percent".to_owned(), share);
        figures.extend(watched.machine);
        let may_saturate = self.run_as.may_saturate(setup) || setup.count.is_some();
        if void.is_none() && !may_saturate {
            void = saturated(share, requests);
        }

        if let Some(count) = setup.count {
            // What is around the server uses processor and memory too, so these figures would not be the server's.
            let counted = self.finish_count(around, &run.variant, count, server, &sums, progress);
            match unless_stopped(counted, count.tool())? {
                Ok((all, idle)) => {
                    count.add(raw, &all, &idle);
                    if requests > 0.0 {
                        let value = count.per_request(raw, requests + late)?;
                        run.figures.insert(count.figure().to_owned(), Some(value));
                    }
                }
                Err(why) => void = void.or(Some(why)),
            }
            return Ok(void);
        }
        // What came late was answered all the same.
        figures.extend(watched::server_figures(server, &watched.peaks, requests + late));
        Ok(void)
    }

    /// Runs a program, and fills in what came of it. Gives the reason why it does not count, if so.
    fn fill_from_program(
        &self,
        around: &Surroundings,
        setup: &Setup,
        run: &mut RoundRun,
        raw: &mut String,
        progress: &Progress,
    ) -> Result<Option<String>> {
        let name = setup.program.as_deref().unwrap_or_default();
        let path = around.executables.path(setup.profile.unwrap_or_default(), name);
        let arguments = program_arguments(setup);
        let program = [vec![path.to_string_lossy().into_owned()], arguments].concat();
        let pinning = self.pinning(&run.variant);
        let words = wrapped(program, pinning.server.as_deref(), setup.descriptors);
        let mut command = command(&words);
        command.envs(setup.env.iter().flatten());
        let tick = || progress.tick();
        let watched = watched::run(&mut command, None, time_limit(setup), &around.stop, tick);
        let measured = watched::program_figures(&watched);
        let ran = unless_stopped(watched.ran, "the program failed")?;
        let mut void = None;
        match ran {
            Err(why) => void = Some(why),
            Ok((status, out, complaints)) => {
                let metric = &self.run_as.metric;
                match program::figures(&out) {
                    _ if !status.success() => {
                        let last = last_line(&out, &complaints);
                        void = Some(format!("{name} ended with {status}: {last}"));
                    }
                    Err(error) => {
                        void = Some(format!("{error:#}: {}", last_line(&out, &complaints)));
                    }
                    Ok(printed) => {
                        run.figures = printed;
                        run.figures.extend(measured);
                        if run.figures.get(metric).copied().flatten().is_none() {
                            void = Some(format!("{name} printed no {metric}"));
                        }
                    }
                }
                *raw = out;
            }
        }
        run.figures.extend(watched.machine);
        Ok(void)
    }

    /// Starts a server, with all that is around it, and sends it a request.
    fn start(&self, around: &Surroundings, variant: &str, sums: &Path) -> Result<ServerProcess> {
        let setup = &self.setup(variant);
        let name = setup.server.as_deref().unwrap_or_default();
        let path = around.executables.path(setup.profile.unwrap_or_default(), name);
        let mut program = setup.count.map(|count| count.command(sums)).unwrap_or_default();
        program.push(path.to_string_lossy().into_owned());
        program.extend(server_options(setup));
        let pinning = self.pinning(variant);
        let words = wrapped(program, pinning.server.as_deref(), setup.descriptors);
        let mut command = command(&words);
        command.envs(setup.env.iter().flatten());
        let complaints = match setup.stderr.unwrap_or_default() {
            Sink::Null => Complaints::Null,
            Sink::Pipe => Complaints::Pipe,
            Sink::File => {
                // Beside the records: the folder for temporary files is often no disk but memory.
                fs::create_dir_all(&around.folder)?;
                Complaints::File(tempfile::tempfile_in(&around.folder)?)
            }
        };
        let server = ServerProcess::launch(name, command, complaints)?;
        let warm = warm_up(&server.address);
        if Server::named(name).is_some() {
            // A deliberately wrong server may well answer wrongly.
            warm.context("it does not answer its first request")?;
        }
        Ok(server)
    }

    /// Ends a server with a tool around it: the tool's count, and that of a server which had only the first request.
    fn finish_count(
        &mut self,
        around: &Surroundings,
        variant: &str,
        count: Count,
        mut server: ServerProcess,
        sums: &Path,
        progress: &Progress,
    ) -> Result<(String, String)> {
        let end = |server: &mut ServerProcess| -> Result<String> {
            server.end(Duration::from_secs(END_SECONDS), &around.stop, || progress.tick())?;
            count.lines(&fs::read_to_string(sums).context("it wrote no sums")?)
        };
        let all = end(&mut server)?;
        drop(server);
        // The same for every variant that differs in its generator only.
        let alike = Setup { generator: None, seconds: None, pause: None, ..self.setup(variant) };
        let key = serde_json::to_string(&alike).expect("a setup is text and numbers");
        if let Some(idle) = self.idle.get(&key) {
            return Ok((all, idle.clone()));
        }
        let mut server = self.start(around, variant, sums)?;
        let idle = end(&mut server)?;
        self.idle.insert(key, idle.clone());
        Ok((all, idle))
    }
}

/// How long a run may take.
fn time_limit(setup: &Setup) -> Duration {
    Duration::from_secs_f64(setup.seconds.unwrap_or_default() * 5.0 + 300.0)
}

/// Whether a stall of the machine makes a run noisy. An exact count does not change by who else uses the machine,
/// and a program that keeps all processors busy delays the watching thread itself.
fn minds_stalls(setup: &Setup) -> bool {
    setup.count.is_none() && setup.busy != Some(true)
}

/// A program's arguments, with its seconds.
fn program_arguments(setup: &Setup) -> Vec<String> {
    let seconds = setup.seconds.unwrap_or_default().to_string();
    setup.arguments.iter().flatten().map(|word| word.replace(SECONDS, &seconds)).collect()
}

fn server_options(setup: &Setup) -> Vec<String> {
    let port = ["--port", "0"].map(str::to_owned);
    port.into_iter().chain(setup.options.iter().flatten().cloned()).collect()
}

/// The figures in what a generator printed, or a program, where there is no generator.
fn parse_output(generator: Option<&str>, text: &str) -> Result<Figures> {
    match generator {
        None => program::figures(text),
        Some("wrk") => parse::wrk(text),
        Some("ab") => parse::ab(text),
        Some("load") => parse::load(text),
        Some("drill") => parse::drill(text),
        Some(_) => parse::oha(text),
    }
}

/// A record on the terminal: each variant's median, and how it compares with the baseline.
pub fn summary(name: &str, record: &Record) -> Vec<String> {
    let experiment = &record.experiment;
    let summary = Summary::of(record);
    let mut lines = vec![format!(
        "{name}: {}, {} of {} rounds{}, {} void runs, {} noisy ones",
        experiment.metric,
        summary.whole_rounds,
        experiment.rounds,
        if record.quick { " (a sketch has 2)" } else { "" },
        summary.voids,
        summary.noisy,
    )];
    for line in &summary.lines {
        let Some(metric) = line.metric else { continue };
        let mut text = format!("  {:<30} {:>14}", line.name, number(metric.median, 3));
        if let Some(ratio) = line.ratio {
            text += &format!(
                "  × {} ({} to {}): {}",
                number(ratio.median, 3),
                number(ratio.low, 3),
                number(ratio.high, 3),
                line.verdict.words()
            );
        }
        if let Some(law) = &line.law {
            text += &format!("; the law says {}", number(law.value, 3));
        }
        lines.push(text);
    }
    lines.extend(record.skipped.iter().map(|skipped| format!("  skipped: {skipped}")));
    lines
}

/// Why a run does not count in which the generator was the limit, and not the server. `share` is in percent.
///
/// Where nothing was answered, nobody knows what was the limit.
fn saturated(share: Option<f64>, requests: f64) -> Option<String> {
    let share = share.filter(|share| *share > SATURATED_PERCENT && requests > 0.0)?;
    Some(format!("the generator was the limit: it used {share:.0} % of its processors"))
}

#[cfg(test)]
mod tests {
    use process;
    use records::{
        count, descriptions,
        figures::{FIGURES, MEASURED},
        store::{EXPERIMENTS, SECOND_SESSION},
        testing::{POOL, PROGRAM, example_record, pool_run, repository},
    };

    use super::*;

    fn pool() -> Experiment {
        descriptions::parse("pool-law", POOL, repository().path()).unwrap()
    }

    #[test]
    fn a_generator_at_its_limit_makes_a_run_void() {
        let why = saturated(Some(97.4), 1000.0).unwrap();
        assert_eq!(why, "the generator was the limit: it used 97 % of its processors");
        assert_eq!(saturated(Some(80.0), 1000.0), None);
        assert_eq!(saturated(Some(97.4), 0.0), None);
        assert_eq!(saturated(None, 1000.0), None);
    }

    /// Whoever changes a figure in a record by hand has to change what the generator printed too.
    #[test]
    fn the_books_records_say_what_the_generators_printed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let described = descriptions::load_all(&root).unwrap();
        let book = root.join("book/results");
        let folders = [book.clone(), book.join(SECOND_SESSION)].map(|it| it.join(EXPERIMENTS));
        let records = folders.iter().flat_map(|folder| {
            store::read_all(folder).unwrap().into_iter().map(move |it| (folder, it))
        });
        for (folder, (name, record)) in records {
            let text = store::read_raw(folder, &name).unwrap();
            for run in record.runs.iter().filter(|run| run.void.is_none()) {
                let at = format!("{name}: round {}, {}", run.round, run.variant);
                let raw = store::raw_of(&text, run.round, &run.variant, run.attempt);
                let raw = raw.unwrap_or_else(|| panic!("{at}: no raw output"));
                let setup = record.experiment.setup(&run.variant).unwrap();
                let (output, _) = count::split(raw);
                let mut printed = parse_output(run.generator.first().map(String::as_str), output)
                    .unwrap_or_else(|error| panic!("{at}: {error:#}"));
                // Of another description, it is to be measured again; a test of the book says so.
                let as_described = described.get(&name) == Some(&record.experiment);
                if let Some(count) = setup.count.filter(|_| as_described) {
                    let get = |name: &str| run.figures.get(name).copied().flatten().unwrap_or(0.0);
                    let answers = get("requests") + get("requests_late");
                    let again = format!("{at}: `cargo xtask bench --only {name}` keeps them");
                    let counted = count.per_request(raw, answers).expect(&again);
                    printed.insert(count.figure().to_owned(), Some(counted));
                }
                for (figure, value) in &run.figures {
                    // wrk prints how many connections it was asked for, and not how many it opened.
                    let Some(said) = printed.get(figure).filter(|_| figure != "concurrency") else {
                        continue;
                    };
                    // Parsing what was written as JSON may change the last digit.
                    let same = match (value, said) {
                        (Some(value), Some(said)) => (value - said).abs() <= 1e-9 * said.abs(),
                        _ => value == said,
                    };
                    assert!(same, "{at}: {figure} is {value:?}, and {said:?} was printed");
                }
                let figure = |name: &str| run.figures.get(name).copied().flatten().unwrap_or(0.0);
                let late_ms = record.experiment.late_ms();
                let (noisy, _) =
                    judge_noise(figure("stall_share_percent"), figure("stall_p99_ms"), late_ms);
                assert_eq!(run.noisy, noisy && minds_stalls(&setup), "{at}: noisy");
            }
        }
    }

    #[test]
    fn the_seed_fixes_the_order_and_every_round_is_whole() {
        let entries = pool();
        let entries = entries.entries();
        let runs = order(&entries, 5, 7);
        assert_eq!(runs, order(&entries, 5, 7));
        assert_ne!(runs, order(&entries, 5, 8));
        for (index, round) in runs.chunks(3).enumerate() {
            let mut names: Vec<_> = round.iter().map(|entry| entry.variant.as_str()).collect();
            names.sort_unstable();
            assert_eq!(names, ["control", "pool of 1", "pool of 4"]);
            assert!(round.iter().all(|entry| entry.round == index + 1));
        }
        // A longer experiment begins as a shorter one does.
        assert_eq!(order(&entries, 9, 7)[..15], runs);
        let expected = 5.0 * 3.0 * (4.0 + OVERHEAD_SECONDS);
        assert!((whole_seconds(&pool()) - expected).abs() < 1e-6);
    }

    #[test]
    fn what_an_experiment_needs() {
        let mut experiment = pool();
        assert_eq!(tools_of(&experiment).contains(&"taskset"), cfg!(target_os = "linux"));
        let server = "ch03_threadpool".to_owned();
        assert_eq!(executables_of(&experiment), [(Profile::Release, server.clone())]);
        experiment.pin = Pin::None;
        experiment.variants[1].own.profile = Some(Profile::Debug);
        experiment.variants[1].own.generator = Some(vec!["load".to_owned()]);
        experiment.variants[1].own.count = Some(Count::Allocations);
        assert_eq!(tools_of(&experiment), ["valgrind", "wrk"]);
        let release = |name: &str| (Profile::Release, name.to_owned());
        let debug = (Profile::Debug, server.clone());
        assert_eq!(executables_of(&experiment), [release(&server), release("load"), debug]);
    }

    #[test]
    fn a_program_needs_itself_and_nothing_else() {
        let text = PROGRAM.replace("pin = \"one\"", "");
        let experiment = descriptions::parse("rounds", &text, repository().path()).unwrap();
        assert!(tools_of(&experiment).is_empty());
        let program = (Profile::Release, "hardware_threads".to_owned());
        assert_eq!(executables_of(&experiment), [program]);
        let experiment = descriptions::parse("rounds", PROGRAM, repository().path()).unwrap();
        assert_eq!(tools_of(&experiment).contains(&"taskset"), cfg!(target_os = "linux"));
        let words = |name: &str| program_arguments(&experiment.setup(name).unwrap()).join(" ");
        assert_eq!(words("8 threads"), "--threads 8 --seconds 4 --json");
    }

    #[test]
    fn a_record_is_continued_only_where_nothing_has_changed() {
        let record = example_record();
        let why = |change: &dyn Fn(&mut Record)| {
            let mut known = record.clone();
            change(&mut known);
            stale(&known, &record, false)
        };
        assert_eq!(why(&|_| {}), None);
        assert_eq!(why(&|known| known.seed = 8), None);
        assert_eq!(why(&|known| known.commit.sources = Some("other".to_owned())), None);
        assert!(why(&|known| known.experiment.rounds = 9).unwrap().contains("description"));
        assert!(
            why(&|known| known.experiment.title.clear()).unwrap().contains("xtask redescribe`")
        );
        assert!(why(&|known| known.quick = true).is_some());
        assert!(why(&|known| known.machine.physical_cores = Some(77)).is_some());
        assert!(why(&|known| known.rustc = "another".to_owned()).is_some());
        assert!(why(&|known| known.executables.clear()).is_some());
        assert!(why(&|known| known.tools.clear()).is_some());
        assert!(stale(&record, &record, true).is_some());
    }

    #[test]
    fn a_run_is_tried_again_until_it_counts_or_the_budget_is_spent() {
        let entry = Entry { round: 2, variant: "pool of 4".to_owned() };
        let mut runs = vec![pool_run(1, "pool of 4", 1, 40.0), pool_run(2, "control", 1, 10.0)];
        assert!(!is_settled(&runs, &entry, 3));
        let attempt = |number: usize, void: Option<&str>, stalls: f64, errors: f64| {
            let mut run = pool_run(2, "pool of 4", number, 40.0);
            run.void = void.map(str::to_owned);
            run.noisy = stalls > 5.0;
            run.figures.insert("stall_share_percent".to_owned(), Some(stalls));
            run.figures.insert("errors".to_owned(), Some(errors));
            run
        };
        let stalled = format!("{STALLED}7 %");
        runs.push(attempt(1, Some("9 errors"), 1.0, 9.0));
        runs.push(attempt(2, Some(&stalled), 7.0, 0.0));
        assert!(!is_settled(&runs, &entry, 3));
        let mut lucky = runs.clone();
        lucky.push(attempt(3, None, 0.0, 0.0));
        assert!(is_settled(&lucky, &entry, 3));
        let before = lucky.clone();
        settle(&mut lucky, &entry);
        assert_eq!(lucky, before);

        // The least stalled attempt counts after all, as a noisy one, and stands last.
        runs.push(attempt(3, Some(&stalled), 8.0, 0.0));
        assert!(is_settled(&runs, &entry, 3));
        settle(&mut runs, &entry);
        let last = runs.last().unwrap();
        assert_eq!((last.attempt, last.noisy, &last.void), (2, true, &None));
        assert_eq!(runs.iter().filter(|run| run.void.is_some()).count(), 2);
        assert_eq!(runs.len(), 5);

        // Errors every time: none counts, and the one with the fewest stands last.
        let mut runs = vec![
            attempt(1, Some("9 errors"), 0.0, 9.0),
            attempt(2, Some("3 errors"), 0.0, 3.0),
            attempt(3, Some("5 errors"), 0.0, 5.0),
        ];
        settle(&mut runs, &entry);
        assert_eq!((runs[2].attempt, runs[2].void.is_some()), (2, true));
    }

    #[test]
    fn processors_are_split_by_cores() {
        let pins = |pin, cores: &[&[usize]]| {
            let cores = cores.iter().map(|core| core.to_vec()).collect();
            let (pinning, why) = pinning(pin, Some(cores), true);
            (pinning.server.unwrap_or_default(), pinning.generator.unwrap_or_default(), why)
        };
        let words = |one: &str, two: &str| (one.to_owned(), two.to_owned(), None);
        assert_eq!(pins(Pin::Apart, &[&[0], &[1]]), words("0", "1"));
        assert_eq!(pins(Pin::Apart, &[&[0, 1]]), words("0", "1"));
        assert_eq!(
            pins(Pin::Apart, &[&[0, 4], &[1, 5], &[2, 6], &[3, 7]]),
            words("0,4,1,5", "2,6,3,7")
        );
        assert_eq!(pins(Pin::Together, &[&[0], &[1]]), words("0", "0"));
        assert_eq!(pins(Pin::One, &[&[0, 1]]).0, "0");
        assert_eq!(pins(Pin::None, &[&[0], &[1]]), words("", ""));
        assert!(pins(Pin::Apart, &[&[0]]).2.unwrap().contains("only one"));
        assert!(pinning(Pin::Apart, None, true).1.unwrap().contains("only Linux"));
        let (free, why) = pinning(Pin::Together, Some(vec![vec![0], vec![1]]), false);
        assert_eq!((free.server, free.generator_cpus), (None, 2));
        assert!(why.unwrap().contains("sudo apt install util-linux"));
    }

    #[test]
    fn what_stands_before_a_program() {
        let line = |cpus, limit| wrapped(vec!["wrk".to_owned(), "-t1".to_owned()], cpus, limit);
        assert_eq!(line(None, None), ["wrk", "-t1"]);
        assert_eq!(
            line(Some("0,1"), Some(200)),
            [
                "taskset",
                "-c",
                "0,1",
                "sh",
                "-c",
                "ulimit -n 200 && exec \"$@\"",
                "sh",
                "wrk",
                "-t1"
            ]
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_paused_process_goes_on() {
        let program = process::Program::start(Command::new("sleep").arg("600")).unwrap();
        let id = program.id();
        let stopped = || {
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
            stat.rsplit(')').next().unwrap().trim_start().starts_with('T')
        };
        let wait_until = |wanted: bool| {
            let deadline = std::time::Instant::now() + Duration::from_secs(20);
            while stopped() != wanted && std::time::Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(5));
            }
            assert_eq!(stopped(), wanted);
        };
        let pauser = Pauser::start(Some(&Pause { after: 0.01, lasts: 600.0 }), id);
        wait_until(true);
        drop(pauser);
        wait_until(false);
    }

    /// Fake servers and a fake generator: scripts, and a thread that answers for all of them.
    #[cfg(unix)]
    mod whole {
        use std::{
            io::{Read, Write},
            net::TcpListener,
            process::Stdio,
        };

        use super::*;

        struct World {
            folder: tempfile::TempDir,
            executables: Executables,
            hashes: BTreeMap<String, String>,
            tools: BTreeMap<String, String>,
            machine: Machine,
            commit: Commit,
            stop: StopFlag,
        }

        /// Another process writes the script, so that none of ours has it open for writing when it is run.
        fn script(path: &Path, text: &str) {
            let mut child = Command::new("sh")
                .args(["-c", "cat > \"$0\" && chmod +x \"$0\""])
                .arg(path)
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            assert!(child.wait().unwrap().success());
        }

        /// `errors`: what the generator counts.
        fn world(errors: u32) -> World {
            let folder = tempfile::tempdir().unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            std::thread::spawn(move || {
                for mut stream in listener.incoming().map_while(Result::ok) {
                    let _ = stream.read(&mut [0; 1024]);
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
                }
            });
            let server = format!(
                "#!/bin/sh\n[ -z \"$LIMITED\" ] || [ \"$(ulimit -n)\" = 200 ] || exit 1\n\
                 echo \"fake: listening on http://127.0.0.1:{port}/ with $*\"\nexec sleep 600\n"
            );
            script(&folder.path().join("ch03_threadpool"), &server);
            let report = format!(
                r#"{{"connections":4,"requests":1000,"sent":1000,"requests_per_second":40.5,"errors_read":{errors}}}"#
            );
            // One that ended at once would seem to use more than all its processors: its start is all of its time.
            let load = format!("#!/bin/sh\nsleep 0.2\necho '{report}'\n");
            script(&folder.path().join("load"), &load);
            let path = folder.path().to_path_buf();
            let key = |name: &str| executable_key(Profile::Release, name);
            let record = example_record();
            World {
                executables: Executables { release: path.clone(), debug: path },
                hashes: ["ch03_threadpool", "load"].map(|name| (key(name), "00".to_owned())).into(),
                tools: BTreeMap::new(),
                machine: record.machine,
                commit: record.commit,
                stop: StopFlag::default(),
                folder,
            }
        }

        impl World {
            fn around(&self, fresh: bool, quick: bool) -> Surroundings<'_> {
                Surroundings {
                    folder: self.folder.path().join("experiments"),
                    executables: &self.executables,
                    hashes: &self.hashes,
                    machine: &self.machine,
                    rustc: "rustc 1.90.0",
                    commit: &self.commit,
                    tools: &self.tools,
                    descriptor_limit: Some(1024),
                    seed: 7,
                    quick,
                    fresh,
                    stop: self.stop.clone(),
                }
            }

            fn known(&self) -> Option<Record> {
                let mut all = store::read_all(&self.folder.path().join("experiments")).unwrap();
                all.remove("pool-law")
            }

            fn measure(&self, plan: &mut Plan, around: &Surroundings) -> Result<bool> {
                let mut wire = WireTests::new(self.folder.path(), self.folder.path(), true);
                plan.measure(around, &mut wire, &mut Progress::new(plan.seconds()))
            }
        }

        fn experiment() -> Experiment {
            let wrk = r#"["wrk", "-t1", "-c64", "-d4s", "{url}/sleep"]"#;
            let load = r#"["load", "--json", "{url}/sleep"]"#;
            let text = POOL.replace(wrk, load).replace("\"apart\"", "\"none\"");
            descriptions::parse("pool-law", &text, repository().path()).unwrap()
        }

        #[test]
        fn an_experiment_is_measured_and_continued() {
            let world = world(0);
            let around = world.around(false, true);
            let mut plan = Plan::new(&around, "pool-law", &experiment(), None).unwrap();
            assert_eq!((plan.missing.len(), plan.stale), (6, None));
            assert!(world.measure(&mut plan, &around).unwrap());
            let record = world.known().unwrap();
            assert_eq!(record, plan.record);
            assert_eq!(record.runs.len(), 6);
            assert_eq!(record.experiment, experiment());
            assert_eq!(record.wire_tests_passed, [("ch03_threadpool".to_owned(), None)].into());
            assert_eq!(record.tools["load"], env!("CARGO_PKG_VERSION"));
            for run in &record.runs {
                assert_eq!((run.void.as_deref(), run.attempt), (None, 1), "{run:?}");
                assert_eq!(run.figures["requests_per_second"], Some(40.5));
                assert!(run.figures["server_cpu_seconds"].is_some());
                assert_eq!(run.generator[..2], ["load", "--json"]);
                assert!(run.generator[2].ends_with("/sleep"), "{run:?}");
                let expected = if run.variant == "pool of 4" { "4" } else { "1" };
                assert_eq!(run.server, ["ch03_threadpool", "--port", "0", "--threads", expected]);
                for name in run.figures.keys() {
                    assert!(FIGURES.contains(&name.as_str()), "{name}");
                }
            }
            let raw = store::read_raw(&around.folder, "pool-law").unwrap();
            let output = store::raw_of(&raw, 2, "control", 1).unwrap();
            assert!(output.starts_with("{\"connections\":4"), "{output}");
            let shown = summary("pool-law", &record).join("\n");
            assert!(shown.contains("pool of 4") && shown.contains("too few rounds"), "{shown}");

            // Nothing is left to do, but for what is taken away.
            let again = |around: &Surroundings, known| {
                Plan::new(around, "pool-law", &experiment(), known).unwrap()
            };
            assert!(again(&around, world.known()).missing.is_empty());
            let mut known = world.known().unwrap();
            let gone = known.runs.remove(2);
            let mut plan = again(&around, Some(known));
            let entry = Entry { round: gone.round, variant: gone.variant };
            assert_eq!(plan.missing, [entry]);
            assert!(world.measure(&mut plan, &around).unwrap());
            assert_eq!(plan.record.runs.len(), 6);
            assert_eq!(again(&world.around(true, true), world.known()).missing.len(), 6);
            let whole = again(&world.around(false, false), world.known());
            assert_eq!((whole.missing.len(), whole.stale.is_some()), (15, true));
            fs::remove_file(around.folder.join("pool-law.txt")).unwrap();
            assert_eq!(again(&around, world.known()).missing.len(), 6);
        }

        #[test]
        fn what_is_measured_again_takes_its_place_when_it_is_whole() {
            let world = world(0);
            let part = store::part_of("pool-law");
            let (around, fresh) = (world.around(false, true), world.around(true, true));
            let plan = |around: &Surroundings| {
                Plan::new(around, "pool-law", &experiment(), world.known()).unwrap()
            };
            assert!(world.measure(&mut plan(&around), &around).unwrap());
            let before = world.known().unwrap();
            let raw_before = store::read_raw(&around.folder, "pool-law").unwrap();

            // Measured again, and stopped after two runs: the record is there as it was.
            let mut again = plan(&fresh);
            assert!(again.replaces() && again.stale == Some("--fresh"));
            again.missing.truncate(2);
            assert!(world.measure(&mut again, &fresh).unwrap());
            assert_eq!(world.known(), Some(before.clone()));
            assert_eq!(store::read_raw(&around.folder, "pool-law").unwrap(), raw_before);
            assert_eq!(store::read(&around.folder, &part).unwrap().unwrap().runs.len(), 2);

            // The next call goes on with the four others, unless it is to begin anew.
            assert_eq!(plan(&fresh).missing.len(), 6);
            let mut rest = plan(&around);
            assert_eq!((rest.missing.len(), rest.replaces(), rest.stale), (4, true, None));
            let stopped = world.around(false, true);
            world.stop.set();
            assert!(is_stopped(&world.measure(&mut rest, &stopped).unwrap_err()));
            assert_eq!(world.known(), Some(before));
            let around = Surroundings { stop: StopFlag::default(), ..world.around(false, true) };
            let mut rest = plan(&around);
            assert!(world.measure(&mut rest, &around).unwrap());
            assert_eq!(store::read(&around.folder, &part).unwrap(), None);
            let after = world.known().unwrap();
            assert_eq!((after.runs.len(), &after, rest.replaces()), (6, &rest.record, false));
            let raw = store::read_raw(&around.folder, "pool-law").unwrap();
            assert!(store::raw_of_all(&raw, &after.runs).is_some());
            assert!(plan(&around).missing.is_empty());

            // What was whole, and could not take its place, does so in the next call.
            store::write(&around.folder, &part, &Record { seed: 8, ..after }, &raw).unwrap();
            let mut whole = plan(&around);
            assert!(whole.missing.is_empty() && whole.replaces());
            assert!(world.measure(&mut whole, &around).unwrap());
            assert_eq!(world.known().unwrap().seed, 8);
        }

        #[test]
        fn what_did_not_count_is_tried_again_in_the_next_call() {
            let world = world(500);
            let around = world.around(false, true);
            let plan = |around: &Surroundings| {
                Plan::new(around, "pool-law", &experiment(), world.known()).unwrap()
            };
            assert!(world.measure(&mut plan(&around), &around).unwrap());
            assert_eq!(world.known().unwrap().runs.len(), 6);
            let mut again = plan(&around);
            assert_eq!((again.missing.len(), again.tried(), again.stale), (6, 6, None));
            again.missing.truncate(1);
            assert!(world.measure(&mut again, &around).unwrap());
            let record = world.known().unwrap();
            let second = record.runs.iter().filter(|run| run.attempt == 2).count();
            assert_eq!((record.runs.len(), second), (7, 1));
            assert!(record.runs.iter().all(|run| run.void.is_some()));
            assert_eq!(plan(&around).missing.len(), 6);
            // A record is not given up for one of which a part does not count.
            let mut old = record;
            old.quick = false;
            store::write(&around.folder, "pool-law", &old, "").unwrap();
            assert!(world.measure(&mut plan(&around), &around).unwrap());
            assert_eq!(world.known(), Some(old));
            assert_eq!(plan(&around).tried(), 6);
        }

        #[test]
        fn a_continued_record_says_from_which_sources_and_has_no_lost_run() {
            let mut world = world(0);
            let commit = |head: &str| Commit {
                head: Some(head.to_owned()),
                sources: None,
                dirty: Some(false),
            };
            let some = |world: &World, count: usize| {
                let around = world.around(false, true);
                let mut plan =
                    Plan::new(&around, "pool-law", &experiment(), world.known()).unwrap();
                plan.missing.truncate(count);
                assert!(world.measure(&mut plan, &around).unwrap());
                world.known().unwrap()
            };
            some(&world, 1);
            // The text of a run whose record could not be written any more.
            let path = world.folder.path().join("experiments/pool-law.txt");
            let text = fs::read_to_string(&path).unwrap();
            let around = world.around(false, true);
            let plan = Plan::new(&around, "pool-law", &experiment(), world.known()).unwrap();
            let lost = format!("{text}=== round 1, {}, attempt 1\nlost\n", plan.missing[0].variant);
            fs::write(&path, lost).unwrap();
            let record = some(&world, 1);
            assert_eq!((record.runs.len(), record.continued.len()), (2, 0));
            assert_eq!(record.started, record.runs[0].date);
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains("lost") && text.matches("=== round").count() == 2, "{text}");
            let first = world.commit.clone();
            world.commit = commit("def");
            some(&world, 1);
            let record = some(&world, 1);
            assert_eq!(record.commit, first);
            let later: Vec<_> = record.continued.iter().map(|it| &it.commit).collect();
            assert_eq!(later, [&commit("def")]);
            assert_eq!(record.continued[0].started, record.runs[2].date);
            // Where a program may have more files open, something else is measured.
            let more = Surroundings { descriptor_limit: Some(4096), ..world.around(false, true) };
            let plan = Plan::new(&more, "pool-law", &experiment(), world.known()).unwrap();
            assert!(plan.stale.unwrap().contains("files and sockets"));
        }

        #[test]
        fn ctrl_c_keeps_what_was_measured() {
            let world = world(0);
            let around = world.around(false, true);
            let mut plan = Plan::new(&around, "pool-law", &experiment(), None).unwrap();
            plan.missing.truncate(2);
            assert!(world.measure(&mut plan, &around).unwrap());
            world.stop.set();
            let mut plan = Plan::new(&around, "pool-law", &experiment(), world.known()).unwrap();
            assert_eq!(plan.missing.len(), 4);
            let error = world.measure(&mut plan, &around).unwrap_err();
            assert!(is_stopped(&error), "{error:#}");
            assert_eq!(world.known().unwrap().runs.len(), 2);
        }

        #[test]
        fn what_fails_is_void_and_tried_again() {
            let world = world(500);
            let around = world.around(false, false);
            let mut plan = Plan::new(&around, "pool-law", &experiment(), None).unwrap();
            plan.missing.truncate(1);
            assert!(world.measure(&mut plan, &around).unwrap());
            let record = world.known().unwrap();
            assert_eq!(record.runs.len(), ATTEMPTS);
            for run in &record.runs {
                assert!(run.void.as_ref().unwrap().contains("500 errors in 1,000"), "{run:?}");
            }
            // Where errors are what is to be seen, they make no run void; and a server that does not start does.
            let mut experiment = experiment();
            experiment.common.errors_expected = Some(true);
            let around = world.around(false, true);
            let mut plan = Plan::new(&around, "pool-law", &experiment, None).unwrap();
            script(&world.folder.path().join("ch03_threadpool"), "#!/bin/sh\nexit 1\n");
            plan.missing.truncate(1);
            assert!(world.measure(&mut plan, &around).unwrap());
            let void = world.known().unwrap().runs[0].void.clone().unwrap();
            assert!(void.contains("did not start"), "{void}");
        }

        /// A program that counts how often it was started, and prints this.
        fn program(world: &World, prints: &str) {
            let counter = world.folder.path().join("started");
            let text = format!(
                "#!/bin/sh\necho x >> {}\n[ -z \"$FAILS\" ] || exit 3\n{prints}\n",
                counter.display()
            );
            script(&world.folder.path().join("hardware_threads"), &text);
        }

        fn of_programs() -> Experiment {
            let text = PROGRAM.replace("pin = \"one\"", "env = { LC_ALL = \"C\" }");
            descriptions::parse("pool-law", &text, repository().path()).unwrap()
        }

        #[test]
        fn a_program_is_measured_without_server_generator_and_wire_tests() {
            let mut world = world(0);
            let key = executable_key(Profile::Release, "hardware_threads");
            world.hashes.insert(key.clone(), "11".to_owned());
            program(
                &world,
                r#"echo "{\"figures\": {\"rounds_per_second\": $2$4.5, \"waits\": null}}""#,
            );
            let around = world.around(false, true);
            let experiment = of_programs();
            let mut plan = Plan::new(&around, "pool-law", &experiment, None).unwrap();
            assert!(plan.rungs().is_empty());
            assert!(world.measure(&mut plan, &around).unwrap());
            let record = world.known().unwrap();
            assert_eq!((record.runs.len(), record.wire_tests_passed.len()), (6, 0));
            assert_eq!(record.executables, [(key, "11".to_owned())].into());
            for run in &record.runs {
                assert_eq!(run.void, None, "{run:?}");
                assert!(run.generator.is_empty());
                let threads = if run.variant == "8 threads" { "8" } else { "1" };
                // A sketch is shorter.
                let line = ["hardware_threads", "--threads", threads, "--seconds", "2", "--json"];
                assert_eq!(run.server, line);
                let figure = |name: &str| run.figures[name];
                let rate = if threads == "8" { 82.5 } else { 12.5 };
                assert_eq!((figure("rounds_per_second"), figure("waits")), (Some(rate), None));
                assert!(figure("program_seconds") > Some(0.0));
                assert!(figure("program_cpu_seconds").is_some());
                assert!(figure("program_voluntary_switches").is_some());
                assert!(figure("stall_share_percent").is_some());
                let own = |name: &&String| name.starts_with("program_");
                let own: Vec<&String> = run.figures.keys().filter(own).collect();
                assert_eq!(own.len(), MEASURED.len());
                assert!(own.iter().all(|name| MEASURED.contains(&name.as_str())));
            }
            let raw = store::read_raw(&around.folder, "pool-law").unwrap();
            let output = store::raw_of(&raw, 1, "8 threads", 1).unwrap();
            assert_eq!(output, "{\"figures\": {\"rounds_per_second\": 82.5, \"waits\": null}}\n");
            // Another executable makes the record stale, and the same one does not.
            let again = |world: &World, known: Option<Record>| {
                let around = world.around(false, true);
                Plan::new(&around, "pool-law", &of_programs(), known).unwrap().missing.len()
            };
            assert_eq!(again(&world, world.known()), 0);
            world.hashes.values_mut().for_each(|hash| *hash = "22".to_owned());
            assert_eq!(again(&world, world.known()), 6);
            let started = fs::read_to_string(world.folder.path().join("started")).unwrap();
            assert_eq!(started.lines().count(), 6);
        }

        #[test]
        fn a_program_that_fails_or_prints_something_else_is_void() {
            let world = world(0);
            let around = world.around(false, true);
            let void = |experiment: &Experiment, prints: &str| {
                program(&world, prints);
                let mut plan = Plan::new(&around, "pool-law", experiment, None).unwrap();
                plan.missing.truncate(1);
                assert!(world.measure(&mut plan, &around).unwrap());
                world.known().unwrap().runs[0].void.clone().unwrap_or_default()
            };
            let fails = "echo 'no such option' >&2\nexit 2";
            let why = void(&of_programs(), fails);
            assert!(why.contains("exit status: 2") && why.contains("no such option"), "{why}");
            let why = void(&of_programs(), "echo 8 threads: fast");
            assert!(why.contains("one JSON object") && why.contains("8 threads: fast"), "{why}");
            let why = void(&of_programs(), "echo '{\"figures\": {\"rounds\": 1}}'");
            assert_eq!(why, "hardware_threads printed no rounds_per_second");
            let good = "echo '{\"figures\": {\"rounds_per_second\": 1}}'";
            assert_eq!(void(&of_programs(), good), "");
            let mut with_env = of_programs();
            with_env.common.env = Some([("FAILS".to_owned(), "1".to_owned())].into());
            assert!(void(&with_env, good).contains("exit status: 3"));
            fs::remove_file(world.folder.path().join("hardware_threads")).unwrap();
            let mut plan = Plan::new(&around, "pool-law", &of_programs(), None).unwrap();
            plan.missing.truncate(1);
            assert!(world.measure(&mut plan, &around).unwrap());
            let void = world.known().unwrap().runs[0].void.clone().unwrap();
            assert!(void.contains("the program failed: cannot start"), "{void}");
        }

        #[test]
        fn what_can_not_be_had_is_skipped_and_named() {
            let world = world(0);
            let around = world.around(false, true);
            let mut experiment = experiment();
            experiment.variants[1].own.count = Some(Count::Syscalls);
            let plan = Plan::new(&around, "pool-law", &experiment, None).unwrap();
            assert_eq!(plan.missing.len(), 4);
            let skipped = &plan.record.skipped[0];
            assert!(skipped.starts_with("pool of 4: strace is not installed"), "{skipped}");
            experiment.common.count = Some(Count::Instructions);
            let why = Plan::new(&around, "pool-law", &experiment, None).err().unwrap();
            assert!(why.contains("sudo apt install valgrind"), "{why}");
        }
    }
}
