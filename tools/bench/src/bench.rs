//! One call: what is to be measured, what it is measured with, and then the ladder and the experiments.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use base::say;
use clap::Args;
use process::{StopFlag, machine, origin, tools};
use records::{
    description::{Experiment, Profile},
    descriptions,
    results::{Results, choose_folder},
    store::{self, EXPERIMENTS, Record},
};

use crate::{
    context::Context,
    executables::build,
    ladder::{self, Job},
    needs::{executables_of, tools_of},
    plan::Plan,
    progress::{Progress, minutes},
    selection::{Selection, select},
    show::{self, announce, how_many, summary},
    wire::WireTests,
};

/// How many files and sockets the tools and servers need at 500 connections.
const DESCRIPTORS_NEEDED: u64 = 600;

/// What the command line says.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
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

/// What was chosen to be measured.
struct Chosen<'a> {
    rungs: Vec<&'static str>,
    /// The runs of these rungs.
    jobs: Vec<Job>,
    experiments: Vec<(&'a str, &'a Experiment)>,
}

impl Chosen<'_> {
    /// Whether a server is among it, and not only programs.
    fn has_servers(&self) -> bool {
        let mut experiments = self.experiments.iter();
        !self.jobs.is_empty() || experiments.any(|(_, experiment)| !experiment.is_of_programs())
    }
}

/// Measures.
///
/// # Errors
/// When no tool to measure with is installed, a description is wrong, a build or a test fails, a file
/// can't be written, or Ctrl-C is pressed.
pub fn bench(root: &Path, options: &Options) -> Result<()> {
    let described = descriptions::load_all(root)?;
    let names: Vec<&str> = described.keys().map(String::as_str).collect();
    let Selection { rungs, experiments } = select(&options.only, &names)?;
    let seed = options.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    let jobs = ladder::jobs(&rungs, options.quick, seed);
    let experiments = experiments.iter().map(|name| (name.as_str(), &described[name])).collect();
    let mut chosen = Chosen { rungs, jobs, experiments };
    if options.list {
        list(&chosen, options.quick);
        return Ok(());
    }
    let stop = StopFlag::on_ctrl_c()?;
    let tools = find_tools(&chosen)?;
    chosen.jobs.retain(|job| tools.contains_key(job.tool));
    let descriptor_limit = machine::descriptor_limit();
    let low = descriptor_limit.filter(|&limit| chosen.has_servers() && limit < DESCRIPTORS_NEEDED);
    if let Some(limit) = low {
        bail!(
            "a program may open only {limit} files and sockets here, and 500 connections need {DESCRIPTORS_NEEDED}; \
             run `ulimit -n 4096` in this terminal first"
        );
    }
    let rungs = chosen.rungs.iter().map(|rung| (Profile::Release, (*rung).to_owned()));
    let others = chosen.experiments.iter().flat_map(|(_, experiment)| executables_of(experiment));
    let executables = build(root, rungs.chain(others).collect(), &stop)?;
    let machine = machine::machine();
    let context = Context {
        out: choose_folder(root, options.out.as_deref(), options.quick, &machine)?,
        executables,
        machine,
        rustc: machine::output("rustc", &["--version"]).unwrap_or("unknown".to_owned()),
        commit: origin::commit(root),
        tools,
        descriptor_limit,
        seed,
        quick: options.quick,
        fresh: options.fresh,
        stop,
    };
    measure(root, &context, chosen, options.skip_wire_tests)
}

/// Measures what is missing of what was chosen, and prints the results.
fn measure(root: &Path, context: &Context, chosen: Chosen, skip_wire_tests: bool) -> Result<()> {
    let known = Results::read(&context.out)?;
    let records = store::read_all(&context.records())?;
    let mut plans = Vec::new();
    for (name, experiment) in &chosen.experiments {
        match Plan::new(context, name, experiment, records.get(*name).cloned()) {
            Err(why) => say(format_args!("Skipping {name}: {why}.")),
            Ok(plan) => plans.push(plan),
        }
    }
    refuse_to_mix(context, &known, &records, &chosen.jobs, &plans)?;
    let (all_jobs, all_plans) = (chosen.jobs.len(), plans.len());
    let jobs = ladder::missing(chosen.jobs, &known, context);
    plans.iter().for_each(announce);
    plans.retain(|plan| !plan.missing.is_empty() || plan.replaces);
    let (kept, kept_plans) = (all_jobs - jobs.len(), all_plans - plans.len());
    if kept + kept_plans > 0 {
        say(format_args!(
            "There already, and kept: {}. --fresh measures them again.",
            how_many(kept, kept_plans)
        ));
    }
    let names: Vec<&str> = chosen.experiments.iter().map(|(name, _)| *name).collect();
    if jobs.is_empty() && plans.is_empty() {
        say("Nothing to measure.");
        return print_summary(root, &context.out, &chosen.rungs, &names);
    }
    let seconds = ladder::seconds(&jobs) + plans.iter().map(Plan::seconds).sum::<f64>();
    let mut progress = Progress::new(seconds);
    let mut wire = WireTests::new(root, &context.executables.release, skip_wire_tests);
    if !jobs.is_empty() {
        let sessions = known.machine.map(|before| before.sessions).unwrap_or_default();
        ladder::measure(&jobs, context, sessions, &mut wire, &mut progress)?;
    }
    for plan in &mut plans {
        if plan.measure(context, &mut wire, &mut progress)? {
            summary(&plan.name, &plan.record).iter().for_each(|line| progress.say(line));
        }
    }
    progress.finish();
    // Without runs of the ladder, the experiments have just been shown.
    let names = if jobs.is_empty() { Vec::new() } else { names };
    print_summary(root, &context.out, &chosen.rungs, &names)?;
    if wire.failed.is_empty() {
        return Ok(());
    }
    let failed: Vec<String> = wire.failed.into_iter().collect();
    bail!("not timed, because they fail their wire tests: {}", failed.join(", "))
}

/// Says what would be measured, in the book's order.
fn list(chosen: &Chosen, quick: bool) {
    ladder::list(&chosen.jobs);
    let experiments = chosen.experiments.iter();
    let seconds: f64 =
        experiments.map(|(name, experiment)| show::list(name, experiment, quick)).sum();
    say(format_args!(
        "{}, about {}{}",
        how_many(chosen.jobs.len(), chosen.experiments.len()),
        minutes(ladder::seconds(&chosen.jobs) + seconds),
        if chosen.has_servers() { ", and the wire tests of each rung" } else { "" }
    ));
}

/// The version of each tool that is wanted and installed. What is not installed is named, with the command
/// that installs it.
fn find_tools(chosen: &Chosen) -> Result<BTreeMap<String, String>> {
    let mut wanted: BTreeSet<&'static str> = chosen.jobs.iter().map(|job| job.tool).collect();
    wanted.extend(chosen.experiments.iter().flat_map(|(_, experiment)| tools_of(experiment)));
    let tools = tools::find(wanted.iter().copied());
    for name in wanted.iter().filter(|name| !tools.contains_key(**name)) {
        eprintln!(
            "{name} is not installed, so what needs it is skipped. {}.",
            tools::how_to_install(name)
        );
    }
    let none_of_the_ladder = chosen.jobs.iter().all(|job| !tools.contains_key(job.tool));
    if none_of_the_ladder && !chosen.jobs.is_empty() && chosen.experiments.is_empty() {
        bail!("neither wrk nor ab is installed, so nothing can be measured");
    }
    Ok(tools)
}

/// Fails where results of another machine or compiler would stay beside those of this one. What can't be measured
/// here stays as it is.
///
/// # Errors
/// When the folder holds such results, and these jobs and plans do not replace all of them.
fn refuse_to_mix(
    context: &Context,
    known: &Results,
    records: &BTreeMap<String, Record>,
    jobs: &[Job],
    plans: &[Plan],
) -> Result<()> {
    let stays = |name: &str| !plans.iter().any(|plan| plan.name == name);
    let record = records
        .iter()
        .find(|(name, record)| stays(name) && context.is_foreign(&record.machine, &record.rustc));
    let record = record.map(|(name, _)| format!("{EXPERIMENTS}/{name}"));
    let Some(name) = ladder::foreign(known, jobs, context).or(record) else { return Ok(()) };
    bail!(
        "{} holds results of another machine or compiler, {name} for one, and tables that mix both would mislead; \
         give `--out` another folder, or measure everything",
        context.out.display(),
    )
}

/// The results on the terminal.
fn print_summary(root: &Path, out: &Path, rungs: &[&str], experiments: &[&str]) -> Result<()> {
    if !rungs.is_empty() {
        ladder::print(root, out, rungs)?;
    }
    let records = store::read_all(&out.join(EXPERIMENTS))?;
    for (name, record) in records.iter().filter(|(name, _)| experiments.contains(&name.as_str())) {
        say("");
        summary(name, record).iter().for_each(say);
    }
    say(format_args!("\nThe whole results are in {}.", out.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use records::{
        machine::Machine,
        testing::{example_machine, example_record},
    };

    use super::*;

    #[cfg(unix)]
    #[test]
    fn results_of_two_machines_do_not_stand_side_by_side() {
        let world = crate::testing::World::new(0);
        let mut context = world.context.clone();
        let known = Results::read(&context.out).unwrap();
        let records = BTreeMap::from([("pool-law".to_owned(), example_record())]);
        let mix = |context: &Context, plans: &[Plan]| {
            refuse_to_mix(context, &known, &records, &[], plans)
        };
        mix(&context, &[]).unwrap();
        context.machine.physical_cores = Some(77);
        let message = mix(&context, &[]).unwrap_err().to_string();
        assert!(message.contains("another machine") && message.contains("experiments/pool-law"));
        // What is measured again is no longer the other machine's.
        mix(&context, &[world.plan(&context)]).unwrap();
    }

    #[test]
    fn results_of_two_machines_do_not_mix() {
        let root = tempfile::tempdir().unwrap();
        let file = example_machine();
        let (ours, other) = (&file.machine, &Machine::default());
        let expect = |out: Option<&str>, quick: bool, machine: &Machine, expected: &str| {
            let folder = choose_folder(root.path(), out.map(Path::new), quick, machine).unwrap();
            let folder = folder.strip_prefix(root.path()).unwrap_or(&folder);
            assert_eq!(folder, expected.split('/').collect::<PathBuf>());
        };
        expect(None, false, other, "measurements/results");
        records::ladder::write_machine(&root.path().join("measurements/results"), &file).unwrap();
        expect(None, false, ours, "measurements/results");
        let folder = root.path().join("measurements/results/experiments");
        let record = Record { machine: ours.clone(), ..example_record() };
        store::write(&folder, "pool-law", &record, "").unwrap();
        expect(None, false, ours, "measurements/results");
        store::write(&folder, "pool-law", &example_record(), "").unwrap();
        expect(None, false, ours, "target/results");
        store::write(&folder, "pool-law", &record, "").unwrap();
        expect(None, false, other, "target/results");
        expect(None, true, ours, "target/sketch");
        expect(Some("x"), false, other, "x");
    }
}
