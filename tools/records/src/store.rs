//! How the rounds of an experiment are stored.
//!
//! ```text
//! measurements/results/experiments/pool-law.json   what was run, where, and the figures of every run
//! measurements/results/experiments/pool-law.txt    what the generators printed, run after run
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::{
    description::{Experiment, STOLEN_PERCENT},
    figures::{self, Figures},
    files,
    machine::{Build, Commit, Machine, Stalls},
    ran::{self, Ran},
};

/// One experiment with all its rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The name of its description, `measurements/experiments/NAME.toml`.
    #[serde(rename = "experiment")]
    pub name: String,
    /// What was run, in the words of the description: the file holds [what was run](Ran) alone, and who reads it adds
    /// [the words](Record::described).
    #[serde(rename = "ran", serialize_with = "ran::write", deserialize_with = "ran::read")]
    pub experiment: Experiment,
    /// Whether the rounds were shortened with `--quick`.
    pub quick: bool,
    /// When the first run began: UTC, RFC 3339.
    pub started: String,
    /// When the last run ended: UTC, RFC 3339.
    pub finished: String,
    /// The seed of the order.
    pub seed: u64,
    /// The machine.
    pub machine: Machine,
    /// The compiler.
    pub rustc: String,
    /// The sources.
    pub commit: Commit,
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

impl Record {
    /// The same in the words of this description.
    pub fn described(self, by: &Experiment) -> Record {
        Record { experiment: Ran::of(&self.experiment).described(by), ..self }
    }

    /// Whether the host took more than [`STOLEN_PERCENT`] of a run's time away.
    pub fn is_stolen(&self, run: &RoundRun) -> bool {
        let figure = |name| figures::value(&run.figures, name);
        let took = figure("duration_seconds").or_else(|| figure("program_seconds"));
        let stolen = figure("steal_seconds").zip(took);
        stolen.is_some_and(|(stolen, took)| 100.0 * stolen > STOLEN_PERCENT * took)
    }
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

/// How the reason begins why a run doesn't count that lies beyond the end of its climb: with it the generator would be a
/// part of what is measured.
pub const TOO_FAR: &str = "the climb ended: ";

impl RoundRun {
    /// Whether it lies beyond the end of its climb.
    pub fn is_too_far(&self) -> bool {
        self.void.as_ref().is_some_and(|why| why.starts_with(TOO_FAR))
    }
}

/// The folder of the experiments' records, in a folder of results.
pub const EXPERIMENTS: &str = "experiments";

/// The file in a folder of results that lists the commits, one a line, which its records name and the repository does
/// not hold.
pub const LOST: &str = "lost-commits.txt";

/// The commits in that list; none where there is no such file.
pub fn lost_commits(results: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(results.join(LOST)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The processor on which a record was made.
pub fn machine_name(record: &Record) -> String {
    record.machine.name().to_owned()
}

/// Reads every record in a folder, by the experiment's name, without the words of a description. A folder that is absent
/// or empty holds none. Fails when a file can't be read, or is not what [`write()`] wrote.
pub fn read_all(folder: &Path) -> Result<BTreeMap<String, Record>> {
    let mut records = BTreeMap::new();
    for (name, path) in files(folder)? {
        records.extend(files::read_json(&path)?.map(|record| (name, record)));
    }
    Ok(records)
}

/// The files of the records in a folder, by the experiment's name. Fails when the folder is there and can't be read.
pub fn files(folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    files::with_ending(folder, "json")
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
    let heading = heading(round, variant, attempt);
    let start = line_starts(text, &heading).next()?;
    let rest = &text[start + heading.len()..];
    let end = line_starts(rest, "=== round ").next().unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Where lines begin with these words.
pub(crate) fn line_starts(text: &str, words: &str) -> impl Iterator<Item = usize> {
    let starts = text.match_indices(words).map(|(start, _)| start);
    starts.filter(move |&start| start == 0 || text[..start].ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        description::Contrast,
        testing::{example_record, run},
    };

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("experiments");
        assert!(read_all(&folder).unwrap().is_empty());
        let mut record = example_record();
        record.runs.push(run(1, "pool of 4", 39.5));
        write(&folder, "pool-law", &record, "raw\n").unwrap();
        let mut known = read_all(&folder).unwrap();
        // The words are the description's, and no other place has them.
        let text = fs::read_to_string(folder.join("pool-law.json")).unwrap();
        for words in ["The law of the pool", "1 / 0.1 s", "margin", "contrasts", "metric"] {
            assert!(!text.contains(words), "{words}");
        }
        let known = known.remove("pool-law").unwrap();
        assert_eq!(known.clone().described(&record.experiment), record);
        // What was not run is not compared, and what was run stays what it was.
        let mut younger = record.experiment.clone();
        younger.variants.remove(0);
        younger.variants[0].own.options = None;
        younger.contrasts.push(Contrast::between("pool of 4", "pool of 9"));
        let experiment = known.described(&younger).experiment;
        assert_eq!(experiment.contrasts, record.experiment.contrasts);
        assert_eq!(Ran::of(&experiment), Ran::of(&record.experiment));
        assert_eq!(read_raw(&folder, "pool-law").unwrap(), "raw\n");
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
    }
}
