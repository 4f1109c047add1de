//! How the rounds of an experiment are stored.
//!
//! ```text
//! measurements/results/experiments/pool-law.json   what was asked, where, and the figures of every run
//! measurements/results/experiments/pool-law.txt    what the generators printed, run after run
//! ```
//!
//! What is to replace a record lies beside it until it is whole, as `pool-law.part.json` and `pool-law.part.txt`.

use std::{
    collections::BTreeMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::{
    description::{Contrast, Experiment},
    figures::Figures,
    files,
    machine::{Build, Commit, Machine, Stalls},
};

/// One experiment with all its rounds so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The description as it was when this was measured, but for words and rules that [`redescribe`] wrote since.
    pub experiment: Experiment,
    /// The rules of its session, where they have changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Rules>,
    /// Whether the rounds were shortened with `--quick`.
    pub quick: bool,
    /// When the first run began: UTC, RFC 3339.
    pub started: String,
    /// When the last run so far ended: UTC, RFC 3339.
    pub finished: String,
    /// The seed of the order.
    pub seed: u64,
    /// The machine.
    pub machine: Machine,
    /// The compiler.
    pub rustc: String,
    /// The sources.
    pub commit: Commit,
    /// The later calls that added runs, of the same executables, from other sources of the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continued: Vec<Continued>,
    /// The version of each tool, by name.
    pub tools: BTreeMap<String, String>,
    /// The SHA-256 of each executable in hexadecimal, by `PROFILE/NAME`.
    pub executables: BTreeMap<String, String>,
    /// How they were built, and what was set by hand; older records do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// How many files and sockets a process may have open, where a variant says nothing else.
    pub descriptor_limit: Option<u64>,
    /// How late a sleeping thread woke just before, while this tool started nothing; older records do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_stalls: Option<Stalls>,
    /// How many wire tests each server of the ladder passed just before, by its name.
    pub wire_tests_passed: BTreeMap<String, Option<u64>>,
    /// Every run, in the order in which they were made; void ones too.
    pub runs: Vec<RoundRun>,
    /// What could not be measured here, and why; empty where all was.
    pub skipped: Vec<String>,
}

/// What a description says of how its ratios are judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Which difference would matter, in percent.
    pub margin_percent: f64,
    /// The figure that was compared; that of the description, where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The pairs with which its page argued.
    pub contrasts: Vec<Contrast>,
}

impl Rules {
    /// Those of a description.
    pub fn of(experiment: &Experiment) -> Rules {
        Rules {
            margin_percent: experiment.margin.percent,
            metric: Some(experiment.metric.clone()),
            contrasts: experiment.contrasts.clone(),
        }
    }
}

impl Record {
    /// The margin of the record's session in percent, if that of today is younger.
    pub fn margin_then(&self) -> Option<f64> {
        let then = self.rules.as_ref()?.margin_percent;
        (then != self.experiment.margin.percent).then_some(then)
    }

    /// The figure that the record's session compared, and for which its margin was chosen, if it is another today.
    pub fn metric_then(&self) -> Option<&str> {
        let then = self.rules.as_ref()?.metric.as_deref()?;
        (then != self.experiment.metric).then_some(then)
    }

    /// Whether a contrast was declared only after the session.
    pub fn is_younger(&self, contrast: &Contrast) -> bool {
        let Some(rules) = &self.rules else { return false };
        let metric = &self.experiment.metric;
        let then = rules.metric.as_ref().unwrap_or(metric);
        !rules.contrasts.iter().any(|it| {
            (&it.of, &it.to) == (&contrast.of, &contrast.to)
                && it.figure(then) == contrast.figure(metric)
        })
    }
}

/// A call that added runs to a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Continued {
    /// When its first run began: UTC, RFC 3339.
    pub started: String,
    /// The sources.
    pub commit: Commit,
}

/// One run of one variant in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundRun {
    /// The round, counted from 1.
    pub round: usize,
    /// The variant, or [`CONTROL`](super::description::CONTROL).
    pub variant: String,
    /// Which attempt this was in its round, counted from 1.
    pub attempt: usize,
    /// When it began: UTC, RFC 3339.
    pub date: String,
    /// The command line of the server or program, its bare name first.
    pub server: Vec<String>,
    /// The generator's command line, its bare name first; empty for a program, which has none.
    pub generator: Vec<String>,
    /// The figures, by the names in [`FIGURES`](crate::figures::FIGURES), and those that a program printed.
    pub figures: Figures,
    /// Why it does not count, if it does not.
    pub void: Option<String>,
    /// Whether the machine stalled too much meanwhile.
    pub noisy: bool,
}

/// The folder of the experiments' records, in a folder of results.
pub const EXPERIMENTS: &str = "experiments";

/// The processor on which a record was made.
pub fn machine_name(record: &Record) -> String {
    record.machine.name().to_owned()
}

/// The name under which lies what is to replace a record.
pub fn part_of(name: &str) -> String {
    format!("{name}.part")
}

/// Reads one record, if it is there. Fails when it can't be read, or is not what [`write()`] wrote.
pub fn read(folder: &Path, name: &str) -> Result<Option<Record>> {
    files::read_json(&folder.join(format!("{name}.json")))
}

/// Removes a record, if it is there. Fails when it can't be removed.
pub fn remove(folder: &Path, name: &str) -> Result<()> {
    for end in ["json", "txt"] {
        let path = folder.join(format!("{name}.{end}"));
        if let Err(error) = fs::remove_file(&path)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(error).with_context(|| format!("cannot remove {}", path.display()));
        }
    }
    Ok(())
}

/// Reads every record in a folder, by the experiment's name. A folder that is absent or empty holds none, and what is
/// to replace a record is none yet. Fails when a file can't be read, or is not what [`write()`] wrote.
pub fn read_all(folder: &Path) -> Result<BTreeMap<String, Record>> {
    let mut records = BTreeMap::new();
    for (name, path) in files(folder)? {
        records.extend(files::read_json(&path)?.map(|record| (name, record)));
    }
    Ok(records)
}

/// The files of the records in a folder, by the experiment's name. Fails when the folder is there and can't be read.
pub fn files(folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut files = files::with_ending(folder, "json")?;
    files.retain(|name, _| !name.contains('.'));
    Ok(files)
}

/// Reads what the generators printed. Fails when the file can't be read.
pub fn read_raw(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(format!("{name}.txt"));
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a record, and what the generators printed.
///
/// Each file is whole or absent. Both are on the disk before either takes the place of what was there, and the JSON
/// file comes last, so that what it holds has its raw output. Fails when a file can't be written, for instance because
/// the disk is full. What was there is kept then.
pub fn write(folder: &Path, name: &str, record: &Record, raw: &str) -> Result<()> {
    let path = folder.join(format!("{name}.json"));
    let text_path = path.with_extension("txt");
    let text = files::temporary(&text_path, raw.as_bytes())?;
    let figures = files::temporary(&path, files::json(record).as_bytes())?;
    files::put(text, &text_path)?;
    files::put(figures, &path)
}

/// The line before the raw output of a run.
fn heading(round: usize, variant: &str, attempt: usize) -> String {
    format!("=== round {round}, {variant}, attempt {attempt}\n")
}

/// Adds the raw output of a run to that of the runs before it.
pub fn add_raw(text: &mut String, round: usize, variant: &str, attempt: usize, raw: &str) {
    text.push_str(&heading(round, variant, attempt));
    text.push_str(raw);
    if !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The raw output of one run; `None` if the text does not hold it.
pub fn raw_of<'a>(text: &'a str, round: usize, variant: &str, attempt: usize) -> Option<&'a str> {
    find_raw(text, round, variant, attempt).map(|(_, output)| output)
}

/// The place of a run's heading, and its raw output.
fn find_raw<'a>(
    text: &'a str,
    round: usize,
    variant: &str,
    attempt: usize,
) -> Option<(usize, &'a str)> {
    let heading = heading(round, variant, attempt);
    // If there are two, the first belongs to a run that was lost.
    let start = line_starts(text, &heading).last()?;
    let rest = &text[start + heading.len()..];
    let end = line_starts(rest, "=== round ").next().unwrap_or(rest.len());
    Some((start, &rest[..end]))
}

/// Where lines begin with these words.
pub(crate) fn line_starts(text: &str, words: &str) -> impl Iterator<Item = usize> {
    let starts = text.match_indices(words).map(|(start, _)| start);
    starts.filter(move |&start| start == 0 || text[..start].ends_with('\n'))
}

/// The raw output of these runs alone; `None` if it is not there for each of them.
///
/// The text is written before the record, so that it may hold a run more, which the record does not know.
pub fn raw_of_all(text: &str, runs: &[RoundRun]) -> Option<String> {
    let mut found = Vec::new();
    for run in runs {
        let (start, output) = find_raw(text, run.round, &run.variant, run.attempt)?;
        found.push((start, run, output));
    }
    // As they were made; in the record an attempt may have been moved.
    found.sort_by_key(|(start, ..)| *start);
    let mut kept = String::new();
    for (_, run, output) in found {
        add_raw(&mut kept, run.round, &run.variant, run.attempt, output);
    }
    Some(kept)
}

/// Writes descriptions that have changed into the records of a folder, where nothing changed that is measured: see
/// [`Experiment::measures_like`]. The rules by which the ratios are judged stay in the record as they were in its
/// session. Returns the names of these experiments. Fails when a record can't be read or written.
pub fn redescribe(folder: &Path, described: &BTreeMap<String, Experiment>) -> Result<Vec<String>> {
    let mut changed = Vec::new();
    for (name, record) in read_all(folder)? {
        let Some(experiment) = described.get(&name) else { continue };
        if record.experiment == *experiment || !record.experiment.measures_like(experiment) {
            continue;
        }
        let raw = read_raw(folder, &name)?;
        let mut then = record.rules.clone().unwrap_or_else(|| Rules::of(&record.experiment));
        // An older record does not name it, because it has stayed the same.
        then.metric.get_or_insert_with(|| record.experiment.metric.clone());
        let rules = (then != Rules::of(experiment)).then_some(then);
        let record = Record { experiment: experiment.clone(), rules, ..record };
        write(folder, &name, &record, &raw)?;
        changed.push(name);
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{example_record, run};

    #[test]
    fn a_new_description_is_taken_over_where_the_figures_stay_true() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "pool-law", &example_record(), "raw\n").unwrap();
        let described = |change: &dyn Fn(&mut Experiment)| {
            let mut experiment = example_record().experiment;
            change(&mut experiment);
            [("pool-law".to_owned(), experiment), ("other".to_owned(), example_record().experiment)]
                .into()
        };
        let redescribe = |change: &dyn Fn(&mut Experiment)| {
            redescribe(folder.path(), &described(change)).unwrap()
        };
        assert!(redescribe(&|_| {}).is_empty());
        assert!(redescribe(&|it| it.rounds = 9).is_empty());
        let stored = || read(folder.path(), "pool-law").unwrap().unwrap();
        assert_eq!(redescribe(&|it| it.margin.percent = 50.0), ["pool-law"]);
        assert_eq!((stored().experiment.margin.percent, stored().margin_then()), (50.0, Some(5.0)));
        // A second change does not make the first forgotten, and taking both back does.
        assert_eq!(redescribe(&|it| it.contrasts.clear()), ["pool-law"]);
        assert_eq!(stored().margin_then(), None);
        let contrast = &example_record().experiment.contrasts[0];
        assert!(!stored().is_younger(contrast));
        assert!(stored().is_younger(&Contrast::between("pool of 1", "pool of 4")));
        // The same pair by another figure is another contrast, and its margin was chosen for the first figure.
        let by_cost = |it: &mut Experiment| it.metric = "server_cpu_us_per_request".to_owned();
        assert_eq!(redescribe(&by_cost), ["pool-law"]);
        assert_eq!(stored().metric_then(), Some("requests_per_second"));
        assert!(stored().is_younger(contrast));
        let by_rate =
            Contrast { figure: Some("requests_per_second".to_owned()), ..contrast.clone() };
        assert!(!stored().is_younger(&by_rate));
        assert_eq!(redescribe(&|_| {}), ["pool-law"]);
        assert_eq!(stored(), example_record());
        assert_eq!(read_raw(folder.path(), "pool-law").unwrap(), "raw\n");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("experiments");
        assert!(read_all(&folder).unwrap().is_empty());
        let mut record = example_record();
        record.runs.push(run(1, "pool of 4", 39.5));
        write(&folder, "pool-law", &record, "raw\n").unwrap();
        assert_eq!(read_all(&folder).unwrap(), [("pool-law".to_owned(), record)].into());
        assert_eq!(read_raw(&folder, "pool-law").unwrap(), "raw\n");
        // What is to replace it is not taken for a record.
        let part = part_of("pool-law");
        write(&folder, &part, &example_record(), "").unwrap();
        assert_eq!(read_all(&folder).unwrap().len(), 1);
        assert_eq!(read(&folder, &part).unwrap(), Some(example_record()));
        remove(&folder, &part).unwrap();
        remove(&folder, &part).unwrap();
        assert_eq!(read(&folder, &part).unwrap(), None);
        // Nothing else is left there.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::write(folder.join("pool-law.json"), "{").unwrap();
        let error = read_all(&folder).unwrap_err().to_string();
        assert!(error.contains("pool-law.json is not a result"), "{error}");
    }

    #[test]
    fn raw_output_is_found_by_round_variant_and_attempt() {
        let mut text = String::new();
        add_raw(&mut text, 1, "pool of 4", 1, "one\nline\n");
        add_raw(&mut text, 1, "pool of 4", 2, "");
        add_raw(&mut text, 1, "pool of 40", 1, "no line end");
        add_raw(&mut text, 11, "pool of 4", 1, "eleven\n");
        assert_eq!(raw_of(&text, 1, "pool of 4", 1), Some("one\nline\n"));
        assert_eq!(raw_of(&text, 1, "pool of 4", 2), Some(""));
        assert_eq!(raw_of(&text, 1, "pool of 40", 1), Some("no line end\n"));
        assert_eq!(raw_of(&text, 11, "pool of 4", 1), Some("eleven\n"));
        assert_eq!(raw_of(&text, 2, "pool of 4", 1), None);
        assert!(text.starts_with("=== round 1, pool of 4, attempt 1\none\n"));
        // Of two with the same heading, the record knows the later one.
        add_raw(&mut text, 11, "pool of 4", 1, "again\n");
        assert_eq!(raw_of(&text, 11, "pool of 4", 1), Some("again\n"));
        let runs = [run(11, "pool of 4", 1.0), run(1, "pool of 4", 1.0)];
        let kept = raw_of_all(&text, &runs).unwrap();
        assert_eq!(kept.matches("=== round").count(), 2);
        assert_eq!(raw_of(&kept, 1, "pool of 4", 1), Some("one\nline\n"));
        assert!(kept.ends_with("again\n"), "{kept}");
        assert_eq!(raw_of_all(&text, &[run(2, "pool of 4", 1.0)]), None);
    }
}
