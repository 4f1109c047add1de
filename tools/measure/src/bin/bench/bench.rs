//! The command line: chooses the experiments, builds what they need, and measures one after the other.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::{Result, bail, ensure};
use clap::Parser;
use measure::{StopFlag, machine, origin, tools};
use records::{
    base::say,
    description::Experiment,
    descriptions,
    machine::Machine,
    results::{self, choose_folder},
    store::{self, EXPERIMENTS, Record},
};

use crate::{
    context::{Context, Kind},
    executables::build,
    larger::{self, LARGER},
    needs::{executables_of, select, tools_of},
    plan::Plan,
    progress::{Progress, minutes},
    show::{self, Counted, announce, summary},
    wire::WireTests,
};

/// The descriptors that tools and servers need at 500 connections.
const DESCRIPTORS_NEEDED: u64 = 600;

/// Measure the experiments, and print the book's medians beside yours; the figures go to measurements/results
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
pub struct Options {
    /// Only these experiments, such as pool-law; a server, such as ch03_threadpool, is all in which it is compared
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
    /// Make so many rounds, for a first look; needs --out, because fewer rounds replace no result
    #[arg(long, value_name = "N", requires = "out")]
    pub rounds: Option<usize>,
    /// Repeat the order of an earlier call
    #[arg(long)]
    pub seed: Option<u64>,
    /// Time servers without running their wire tests first; the results say so
    #[arg(long)]
    pub skip_wire_tests: bool,
    /// Measure in ten minutes what needs more hardware threads than the book's machine has, and print it in rows
    #[arg(long)]
    pub larger: bool,
}

impl Options {
    fn kind(&self) -> Kind {
        if self.larger { Kind::Larger } else { Kind::OfTheBook }
    }
}

/// The experiments that are measured, by name.
type Chosen<'a> = [(&'a str, &'a Experiment)];

/// Tells whether an experiment among them has servers, and not only programs.
fn has_servers(chosen: &Chosen) -> bool {
    chosen.iter().any(|(_, experiment)| !experiment.is_of_programs())
}

/// Does what the command line asks for. Fails where a description is wrong, a build or a test fails, a file can't be
/// written, or Ctrl-C is pressed.
pub fn bench(root: &Path, options: &Options) -> Result<()> {
    let described = match options.kind() {
        Kind::OfTheBook => descriptions::load_all(root)?,
        Kind::Larger => descriptions::load_folder(root, LARGER)?,
    };
    let chosen = select(&options.only, &described)?;
    if options.list {
        list(&chosen);
        return Ok(());
    }
    ensure!(options.rounds != Some(0), "--rounds takes a number from 1");
    let stop = StopFlag::on_ctrl_c()?;
    let tools = find_tools(&chosen);
    let descriptor_limit = machine::descriptor_limit();
    let low = descriptor_limit.filter(|&limit| has_servers(&chosen) && limit < DESCRIPTORS_NEEDED);
    if let Some(limit) = low {
        bail!(
            "a program may open only {limit} files and sockets here, and 500 connections need {DESCRIPTORS_NEEDED}; \
             run `ulimit -n 4096` in this terminal first"
        );
    }
    let executables = chosen.iter().flat_map(|(_, experiment)| executables_of(experiment));
    let executables = build(root, executables.collect(), &stop)?;
    let machine = machine::machine();
    let context = Context {
        root: root.to_path_buf(),
        out: folder_of_results(root, options, &machine)?,
        executables,
        machine,
        rustc: machine::output("rustc", &["--version"]).unwrap_or("unknown".to_owned()),
        commit: origin::commit(root),
        tools,
        descriptor_limit,
        seed: options.seed.unwrap_or_else(|| fastrand::u64(..1_000_000)),
        rounds: options.rounds,
        fresh: options.fresh,
        skip_wire_tests: options.skip_wire_tests,
        kind: options.kind(),
        leaves_out: true,
        stop,
        progress: Progress::default(),
    };
    measure(&context, &chosen)
}

/// Chooses the folder of the results.
fn folder_of_results(root: &Path, options: &Options, machine: &Machine) -> Result<PathBuf> {
    match (options.kind(), &options.out) {
        (Kind::Larger, None) => Ok(larger::results_folder(root)),
        (_, out) => choose_folder(root, out.as_deref(), machine),
    }
}

/// Measures those of the chosen experiments whose records are missing or stale, and prints the results: beside the book's,
/// or with `--larger` in rows.
fn measure(context: &Context, chosen: &Chosen) -> Result<()> {
    let records = store::read_all(&context.records())?;
    // Before it is written to: on the book's machine both are one folder.
    let book = store::read_all(&results::shown_folder(&context.root).join(EXPERIMENTS))?;
    let mut plans = Vec::new();
    let mut kept = Vec::new();
    for (name, experiment) in chosen {
        let known = records.get(*name).cloned();
        match Plan::new(context, name, experiment, known.as_ref()) {
            Err(why) => say(format_args!("Skipping {name}: {why}.")),
            Ok(Some(plan)) => plans.push(plan),
            Ok(None) => kept.extend(known.map(|record| (*name, *experiment, record))),
        }
    }
    refuse_to_mix(context, &records, &plans)?;
    plans.iter().for_each(announce);
    if !kept.is_empty() {
        let all = plans.len() + kept.len();
        let kept = kept.len();
        say(format_args!("There already, and kept: {kept} of {all}. --fresh measures them again."));
    }
    if plans.is_empty() {
        say("Nothing to measure.");
    }
    // Somebody who measures again what a stopped call has left out wants all of these rows.
    if plans.is_empty() || context.kind == Kind::Larger {
        for (name, experiment, record) in &kept {
            results_of(context, name, experiment, record, &book).iter().for_each(say);
        }
    }
    if !plans.is_empty() {
        let progress = &context.progress;
        progress.add(plans.iter().map(Plan::seconds).sum());
        let mut wire = WireTests::default();
        let mut counted = Counted::default();
        for plan in &mut plans {
            let is_measured = plan.measure(context, &mut wire)?;
            counted.add(Counted::of(&plan.record.runs));
            if is_measured {
                let experiment = &plan.runner.experiment;
                let lines = results_of(context, &plan.name, experiment, &plan.record, &book);
                lines.iter().for_each(|line| progress.say(line));
            }
        }
        progress.finish();
        say(format_args!("\nIn all, {}.", counted.words()));
        if !wire.failed.is_empty() {
            let failed: Vec<String> = wire.failed.into_iter().collect();
            bail!("not timed, because they fail their wire tests: {}", failed.join(", "))
        }
    }
    say(format_args!("\nThe whole results are in {}.", context.out.display()));
    if context.kind == Kind::Larger {
        let experiments = chosen.iter().map(|(_, experiment)| *experiment);
        let more = larger::more_rows(experiments, context.machine.hardware_threads);
        more.iter().for_each(say);
    }
    Ok(())
}

/// Writes the results of an experiment for the terminal. `book` has the book's records.
fn results_of(
    context: &Context,
    name: &str,
    experiment: &Experiment,
    record: &Record,
    book: &BTreeMap<String, Record>,
) -> Vec<String> {
    match context.kind {
        Kind::OfTheBook => summary(name, experiment, record, book.get(name)),
        Kind::Larger => larger::rows(name, experiment, record),
    }
}

/// Prints what would be measured.
fn list(chosen: &Chosen) {
    let seconds = chosen.iter().map(|(name, experiment)| show::list(name, experiment)).sum();
    let wire = if has_servers(chosen) { ", and the wire tests of each server" } else { "" };
    say(format_args!("Experiments: {}, about {}{wire}", chosen.len(), minutes(seconds)));
}

/// Finds the version of each tool that is wanted and installed. For one that is not installed, prints the command that
/// installs it.
fn find_tools(chosen: &Chosen) -> BTreeMap<String, String> {
    let wanted: BTreeSet<&'static str> =
        chosen.iter().flat_map(|(_, experiment)| tools_of(experiment)).collect();
    let tools = tools::find(wanted.iter().copied());
    for name in wanted.iter().filter(|name| !tools.contains_key(**name)) {
        eprintln!(
            "{name} is not installed, so what needs it is skipped. {}.",
            records::base::programs::how_to_install(name)
        );
    }
    tools
}

/// Refuses to mix machines. Fails where records of another machine or compiler would stay beside those of this one,
/// because these plans do not replace all of them. A record that can't be measured here stays as it is.
fn refuse_to_mix(
    context: &Context,
    records: &BTreeMap<String, Record>,
    plans: &[Plan],
) -> Result<()> {
    let mut stays = records.iter().filter(|(name, _)| plans.iter().all(|it| it.name != **name));
    let Some((name, _)) = stays.find(|(_, record)| is_of_another(context, record)) else {
        return Ok(());
    };
    bail!(
        "{} holds results of another machine, compiler or settings, {EXPERIMENTS}/{name} for one, and tables that mix both would \
         mislead; give `--out` another folder, or measure everything",
        context.out.display(),
    )
}

/// Tells whether a record is of another machine, compiler or settings.
fn is_of_another(context: &Context, record: &Record) -> bool {
    let session = &record.session;
    let settings = session.build.as_ref().map(|build| build.settings.clone());
    session.machine != context.machine
        || session.rustc != context.rustc
        || settings.unwrap_or_default() != context.executables.build.settings
}

#[cfg(test)]
mod tests {
    use records::testing::example;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn results_of_two_machines_do_not_stand_side_by_side() {
        let world = crate::testing::World::new(0);
        let mut context = world.context.clone();
        let records = BTreeMap::from([("pool-law".to_owned(), example().1)]);
        refuse_to_mix(&context, &records, &[]).unwrap();
        let mut tuned = context.clone();
        let settings = &mut tuned.executables.build.settings;
        settings.insert("CARGO_PROFILE_RELEASE_OPT_LEVEL".to_owned(), "0".to_owned());
        let message = refuse_to_mix(&tuned, &records, &[]).unwrap_err().to_string();
        assert!(message.contains("settings"), "{message}");
        context.machine.physical_cores = Some(77);
        let message = refuse_to_mix(&context, &records, &[]).unwrap_err().to_string();
        assert!(message.contains("another machine") && message.contains("experiments/pool-law"));
        // A record that is measured again is no longer the other machine's.
        refuse_to_mix(&context, &records, &[world.plan(&context).unwrap()]).unwrap();
    }

    /// The folder that is chosen, below the root.
    fn chosen_folder(root: &Path, out: Option<&str>, machine: &Machine) -> PathBuf {
        let folder = choose_folder(root, out.map(Path::new), machine).unwrap();
        folder.strip_prefix(root).unwrap_or(&folder).to_path_buf()
    }

    #[test]
    fn results_of_two_machines_do_not_mix() {
        let root = tempfile::tempdir().unwrap();
        let ours = &example().1.session.machine;
        let other = &Machine { physical_cores: Some(77), ..Machine::default() };
        let root = root.path();
        assert_eq!(chosen_folder(root, None, other), Path::new("measurements/results"));
        let folder = root.join("measurements/results/experiments");
        store::write(&folder, "pool-law", &example().1, "").unwrap();
        assert_eq!(chosen_folder(root, None, ours), Path::new("measurements/results"));
        assert_eq!(chosen_folder(root, None, other), Path::new("target/results"));
        assert_eq!(chosen_folder(root, Some("x"), other), Path::new("x"));
    }
}
