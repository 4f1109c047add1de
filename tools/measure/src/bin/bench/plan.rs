//! Plans the runs of an experiment, or finds that its record still counts.

use std::collections::{BTreeMap, BTreeSet};

use measure::{
    machine,
    origin::{sha256_of, timestamp},
};
use records::{
    description::Experiment,
    servers::{Server, keeps_the_contract},
    store::{Record, Session},
};

use crate::{
    context::{Context, Kind},
    executables::key,
    larger::needs_more_threads,
    needs::{executables_of, impossible, tools_of},
    pinning::Pinning,
    rounds::{Entry, order},
    run::{Runner, server_of},
};

/// The time of a run besides the generator's own, in seconds: the server's start, warm-up and end.
const OVERHEAD_SECONDS: f64 = 0.2;

/// An experiment that is to be measured.
pub struct Plan {
    pub name: String,
    /// Its runs so far, and the circumstances in which they were made.
    pub record: Record,
    /// The output of the generators so far.
    pub raw: String,
    /// All runs, in their order.
    pub entries: Vec<Entry>,
    /// The reason why an existing record no longer counts; `None` if there is no record.
    pub why_again: Option<&'static str>,
    pub runner: Runner,
}

/// Estimates how long one run of a variant takes, in seconds.
pub fn run_seconds(experiment: &Experiment, variant: &str) -> f64 {
    let setup = experiment.setup(variant).unwrap_or_default();
    let runs = 1 + setup.warm_up.unwrap_or(0);
    setup.seconds.unwrap_or_default() * f64::from(runs) + OVERHEAD_SECONDS
}

/// Estimates how long the capacities take that an experiment needs at the beginning of each round, in seconds.
pub fn capacity_seconds(experiment: &Experiment) -> f64 {
    let mut seconds = 0.0;
    for variant in variants_with_a_capacity(experiment) {
        seconds += run_seconds(experiment, variant);
    }
    seconds
}

/// Lists a variant of each server whose rates are shares of its capacity. Two setups of a server are two servers here.
pub fn variants_with_a_capacity(experiment: &Experiment) -> Vec<&str> {
    let mut known = BTreeSet::new();
    let mut variants = Vec::new();
    for (variant, setup) in experiment.setups() {
        if setup.share.is_some() && known.insert(server_of(&setup)) {
            variants.push(variant);
        }
    }
    variants
}

/// Estimates how long the whole of an experiment takes, in seconds, with nothing measured yet.
pub fn whole_seconds(experiment: &Experiment) -> f64 {
    let entries = experiment.entries().into_iter();
    let runs = entries.map(|name| run_seconds(experiment, name)).sum::<f64>();
    (capacity_seconds(experiment) + runs) * experiment.rounds as f64
}

impl Plan {
    /// Plans an experiment; `known` is its existing record, and the plan is `None` if that still counts. Fails with the
    /// reason why nothing of it can be measured here.
    pub fn new(
        context: &Context,
        name: &str,
        experiment: &Experiment,
        known: Option<&Record>,
    ) -> Result<Option<Plan>, String> {
        let rounds = context.rounds.unwrap_or(experiment.rounds);
        let experiment = Experiment { rounds, ..experiment.clone() };
        let (entries, mut skipped) = possible(&experiment, context)?;
        let taskset = context.tools.contains_key("taskset");
        let mut pinnings = BTreeMap::new();
        for entry in &entries {
            let pin = experiment.pin_of(entry);
            let (pinning, unpinned) = Pinning::of(pin, machine::cores(), taskset);
            skipped.extend(unpinned.filter(|why| !skipped.contains(why)));
            pinnings.insert((*entry).to_owned(), pinning);
        }
        let mut record = empty_record(context, &experiment);
        record.session.skipped = skipped;
        let entries = order(&entries, rounds, record.session.seed);
        let mut why_again = None;
        if let Some(known) = known {
            why_again = stale(known, &record.session, &experiment, &entries, context.fresh);
            if why_again.is_none() {
                return Ok(None);
            }
        }
        let runner = Runner { experiment, pinnings, capacities: BTreeMap::new() };
        let name = name.to_owned();
        Ok(Some(Plan { name, record, raw: String::new(), entries, why_again, runner }))
    }

    /// Estimates how long it will take, in seconds.
    pub fn seconds(&self) -> f64 {
        let rounds = self.runner.experiment.rounds as f64;
        let mut seconds = capacity_seconds(&self.runner.experiment) * rounds;
        for entry in &self.entries {
            seconds += run_seconds(&self.runner.experiment, &entry.variant);
        }
        seconds
    }

    /// Lists the servers to be measured whose wire tests are run before.
    pub fn tested_servers(&self) -> BTreeSet<String> {
        let mut servers = BTreeSet::new();
        for entry in &self.entries {
            let setup = self.runner.setup(&entry.variant);
            // A program looks at its server and does not start it.
            if setup.program.is_none() {
                servers.extend(setup.server.filter(|name| keeps_the_contract(name)));
            }
        }
        servers
    }
}

/// Lists the entries of a round that can be run here, and the reasons why the others can't.
fn possible<'a>(
    experiment: &'a Experiment,
    context: &Context,
) -> Result<(Vec<&'a str>, Vec<String>), String> {
    let hard_limit = machine::hard_descriptor_limit();
    let mut skipped = Vec::new();
    let mut entries = experiment.entries();
    for (variant, setup) in experiment.setups() {
        let too_large = match context.kind {
            Kind::OfTheBook => None,
            Kind::Larger => experiment
                .variant(variant)
                .and_then(|it| needs_more_threads(it, context.machine.hardware_threads)),
        };
        let impossible = too_large.or_else(|| impossible(&setup, context, hard_limit));
        let Some(why) = impossible else { continue };
        if variant == experiment.baseline() {
            return Err(format!("its baseline can't be measured here: {why}"));
        }
        entries.retain(|entry| *entry != variant);
        skipped.push(format!("{variant}: {why}"));
    }
    Ok((entries, skipped))
}

/// Makes a record of an experiment without a run.
fn empty_record(context: &Context, experiment: &Experiment) -> Record {
    let needed = executables_of(experiment);
    let mut tools = BTreeMap::new();
    for tool in tools_of(experiment) {
        if let Some(version) = context.tools.get(tool) {
            tools.insert(tool.to_owned(), version.clone());
        }
    }
    let mut executables = BTreeMap::new();
    for (profile, name) in &needed {
        if name == "load" {
            // The workspace has one version for all of its packages.
            tools.insert("load".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        }
        if let Some(toolchain) = Server::named(name).and_then(Server::toolchain)
            && let Ok(version) = toolchain.require()
        {
            tools.insert(toolchain.title.clone(), version);
        }
        let key = key(*profile, name);
        if let Some(hash) = context.executables.hashes.get(&key) {
            executables.insert(key, hash.clone());
        }
    }
    let now = timestamp();
    let session = Session {
        asked: Some(hash_of_runs(experiment)),
        expected: experiment.expected.clone(),
        started: now.clone(),
        finished: now,
        seed: context.seed,
        machine: context.machine.clone(),
        rustc: context.rustc.clone(),
        commit: context.commit.clone(),
        tools,
        executables,
        build: Some(context.executables.build_of(&needed)),
        descriptor_limit: context.descriptor_limit,
        wire_tests_passed: BTreeMap::new(),
        skipped: Vec::new(),
    };
    Record { session, runs: Vec::new() }
}

/// Hashes what decides the runs of an experiment. Another hash is that of other runs.
fn hash_of_runs(experiment: &Experiment) -> String {
    let setups: Vec<_> = experiment.setups().collect();
    let pins: Vec<_> = experiment.entries().iter().map(|entry| experiment.pin_of(entry)).collect();
    let all = (experiment.rounds, experiment.baseline(), setups, pins);
    let text = serde_json::to_string(&all).expect("it is text and numbers");
    sha256_of(text.as_bytes())
}

/// Returns the reason why a record no longer counts, if there is one.
fn stale(
    known: &Record,
    new: &Session,
    experiment: &Experiment,
    entries: &[Entry],
    fresh: bool,
) -> Option<&'static str> {
    let is_partial = entries.iter().any(|entry| !entry.was_run(&known.runs));
    let known = &known.session;
    let limited = experiment.setups().all(|(_, setup)| setup.descriptors.is_some());
    let other_limit = known.descriptor_limit != new.descriptor_limit && !limited;
    // An older record does not say how its executables were built; their hashes do.
    let built_otherwise = known.build.is_some() && known.build != new.build;
    let reasons = [
        (fresh, "--fresh"),
        (known.asked != new.asked, "its description asks for other runs"),
        (known.machine != new.machine, "it is from another machine"),
        (known.rustc != new.rustc, "another rustc built the servers"),
        (built_otherwise, "it was built, or run, with other settings"),
        (known.executables != new.executables, "the servers were other executables"),
        (known.tools != new.tools, "its tools had other versions"),
        (other_limit, "a program could have another number of files and sockets open"),
        (is_partial, "some of its runs are missing"),
    ];
    reasons.into_iter().find(|(differs, _)| *differs).map(|(_, why)| why)
}

#[cfg(test)]
mod tests {
    use records::{description::Setup, machine::Build, testing::example};

    use super::*;
    use crate::testing::pool;

    #[test]
    fn an_experiment_takes_its_runs_and_what_is_around_them() {
        let expected = 5.0 * 3.0 * (4.0 + OVERHEAD_SECONDS);
        assert!((whole_seconds(&pool()) - expected).abs() < 1e-6);
        // Each run is warmed up; and so is the one that measures the capacity of both pools in each round.
        let mut shares = pool();
        shares.common.share = Some(50.0);
        shares.common.warm_up = Some(1);
        shares.variants[1].own = Setup { share: Some(90.0), ..shares.variants[0].own.clone() };
        let expected = 5.0 * (3.0 + 1.0) * (8.0 + OVERHEAD_SECONDS);
        assert!((whole_seconds(&shares) - expected).abs() < 1e-6, "{}", whole_seconds(&shares));
    }

    #[test]
    fn a_record_counts_as_long_as_nothing_has_changed() {
        type Change = fn(&mut Session);
        fn set() -> Build {
            let settings = [("RUSTFLAGS".to_owned(), "-g".to_owned())].into();
            Build { settings, ..Build::default() }
        }
        let (experiment, mut record) = example();
        record.session.build = Some(Build::default());
        record.session.asked = Some(hash_of_runs(&experiment));
        let changes: [(Change, &str); 11] = [
            (|_| {}, ""),
            (|known| known.seed = 8, ""),
            (|known| known.commit.sources = Some("other".to_owned()), ""),
            (|known| known.asked = Some("other".to_owned()), "asks for other runs"),
            (|known| known.asked = None, "asks for other runs"),
            (|known| known.machine.physical_cores = Some(77), "another machine"),
            (|known| known.rustc = "another".to_owned(), "another rustc"),
            (|known| known.build = None, ""),
            (|known| known.build = Some(set()), "other settings"),
            (|known| known.executables.clear(), "other executables"),
            (|known| known.tools.clear(), "other versions"),
        ];
        for (change, expected) in changes {
            let mut known = record.clone();
            change(&mut known.session);
            let why = stale(&known, &record.session, &experiment, &[], false).unwrap_or_default();
            assert!(why.contains(expected) && why.is_empty() == expected.is_empty(), "{why}");
        }
        let why = stale(&record, &record.session, &experiment, &[], true);
        assert_eq!(why, Some("--fresh"));
        // The words of a description change no run.
        let mut other = experiment.clone();
        other.title.clear();
        assert_eq!(hash_of_runs(&other), hash_of_runs(&experiment));
        other.variants[0].own.options = None;
        assert_ne!(hash_of_runs(&other), hash_of_runs(&experiment));
    }

    #[cfg(unix)]
    #[test]
    fn what_can_not_be_had_is_skipped_and_named() {
        use records::description::Count;

        use crate::testing::World;

        let mut world = World::new(0);
        world.context.executables.build.settings.insert("GOGC".to_owned(), "off".to_owned());
        let mut experiment = World::experiment();
        experiment.variants[1].own.count = Some(Count::Syscalls);
        experiment.expected = Some("We don't know.".to_owned());
        let plan = Plan::new(&world.context, "pool-law", &experiment, None).unwrap().unwrap();
        assert_eq!(plan.entries.len(), 4);
        assert_eq!(plan.record.session.expected, experiment.expected);
        assert_eq!(plan.record.session.build.unwrap().set_by_hand().as_deref(), Some("GOGC=off"));
        let skipped = &plan.record.session.skipped[0];
        assert!(skipped.starts_with("pool of 4: perf is not installed"), "{skipped}");
        experiment.common.count = Some(Count::Syscalls);
        let why = Plan::new(&world.context, "pool-law", &experiment, None).err().unwrap();
        assert!(why.contains("sudo apt install linux-perf"), "{why}");
    }
    #[cfg(unix)]
    #[test]
    fn a_variant_for_a_larger_machine_is_skipped_with_larger_alone() {
        use crate::testing::World;

        let mut world = World::new(0);
        world.context.machine.hardware_threads = Some(2);
        let mut experiment = World::experiment();
        experiment.variants[1].x = Some(4.0);
        for (kind, entries, skipped) in [
            (Kind::OfTheBook, 6, None),
            (Kind::Larger, 4, Some("it needs 4 hardware threads, and this machine has 2")),
        ] {
            let context = Context { kind, ..world.context.clone() };
            let plan = Plan::new(&context, "pool-law", &experiment, None).unwrap().unwrap();
            let why = skipped.map(|why| format!("pool of 4: {why}"));
            assert_eq!(plan.record.session.skipped.first().cloned(), why);
            assert_eq!(plan.entries.len(), entries);
        }
    }
}
