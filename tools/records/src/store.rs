//! Stores the rounds of an experiment.
//!
//! ```text
//! measurements/results/experiments/pool-law.csv    a row for each run, a column for each figure
//! measurements/results/experiments/pool-law.toml   when and where they were made, and with what
//! measurements/results/experiments/pool-law.txt    what the generators printed, run after run
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    description::Experiment,
    figures::Figures,
    files,
    machine::{Build, Commit, Machine},
};

/// One experiment with all its rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The circumstances: time, machine, tools.
    pub session: Session,
    /// Every run, in the order in which they were made; those that are left out too.
    pub runs: Vec<RoundRun>,
}

/// The circumstances of a measurement: time, machine, tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The start of the first run: UTC, RFC 3339.
    pub started: String,
    /// The end of the last run: UTC, RFC 3339.
    pub finished: String,
    /// The seed of the order.
    pub seed: u64,
    /// The SHA-256 of what the description asked to be run, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// What was expected, as the description said before the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The compiler.
    pub rustc: String,
    /// The limit of descriptors, unless a variant sets its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor_limit: Option<u64>,
    /// The variants that could not be measured here, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// The machine.
    pub machine: Machine,
    /// The sources.
    pub commit: Commit,
    /// The version of each tool, by name.
    pub tools: BTreeMap<String, String>,
    /// The SHA-256 of each executable in hexadecimal, by `PROFILE/NAME`.
    pub executables: BTreeMap<String, String>,
    /// Their compiler settings, and settings made by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// The number of wire tests that each server passed just before, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wire_tests_passed: BTreeMap<String, u64>,
}

/// One run of one variant in one round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundRun {
    /// The round, counted from 1.
    pub round: usize,
    /// The variant, or [`CONTROL`](crate::description::CONTROL).
    pub variant: String,
    /// Its start: UTC, RFC 3339.
    pub began: String,
    /// The command line of the server or program, its bare name first.
    pub server: Vec<String>,
    /// The generator's command line, its bare name first; empty for a program, which has none.
    pub generator: Vec<String>,
    /// The reason why it is left out, if it is.
    pub left_out: Option<String>,
    /// The figures, by the names in [`FIGURES`](crate::figures::FIGURES), and those that a program printed.
    pub figures: Figures,
}

impl Record {
    /// Returns the runs of a variant that count, by round.
    pub fn counted(&self, variant: &str) -> BTreeMap<usize, &RoundRun> {
        let counted =
            self.runs.iter().filter(|run| run.variant == variant && run.left_out.is_none());
        counted.map(|run| (run.round, run)).collect()
    }

    /// Returns a figure of a variant in each round that has it.
    pub fn values(&self, variant: &str, figure: &str) -> BTreeMap<usize, f64> {
        let counted = self.counted(variant).into_iter();
        counted.filter_map(|(round, run)| Some((round, run.figure(figure)?))).collect()
    }

    /// Counts the runs that are left out.
    pub fn left_out(&self) -> usize {
        self.runs.iter().filter(|run| run.left_out.is_some()).count()
    }

    /// Lists the variants that were run, in the order of this description.
    pub fn variants<'a>(&self, experiment: &'a Experiment) -> Vec<&'a str> {
        experiment.entries().into_iter().filter(|name| self.has_run(name)).collect()
    }

    fn has_run(&self, variant: &str) -> bool {
        self.runs.iter().any(|run| run.variant == variant)
    }
}

impl RoundRun {
    /// Returns a figure of this run, if it has that: one that it holds, or one that is computed from these.
    pub fn figure(&self, name: &str) -> Option<f64> {
        crate::figures::value(&self.figures, name)
    }
}

/// The folder of the experiments' records, in a folder of results.
pub const EXPERIMENTS: &str = "experiments";

/// Lists the names of the records in a folder. One that is absent or empty holds none. Fails when it can't be read.
pub fn names(folder: &Path) -> Result<Vec<String>> {
    Ok(files::with_ending(folder, "csv")?.into_keys().collect())
}

/// Reads the record of an experiment. Fails when it is not there, or is not what [`write()`] wrote.
pub fn read(folder: &Path, name: &str) -> Result<Record> {
    let session = read_session(folder, name)?;
    let path = folder.join(format!("{name}.csv"));
    let runs = read_runs(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Record { session, runs })
}

fn read_runs(path: &Path) -> Result<Vec<RoundRun>> {
    let mut table = csv::Reader::from_path(path)?;
    let columns = table.headers()?.clone();
    table.records().map(|row| run_in(&columns, &row?)).collect()
}

/// Reads when and where an experiment was measured. Fails when the file is not there, or is not what [`write()`] wrote.
pub fn read_session(folder: &Path, name: &str) -> Result<Session> {
    let path = folder.join(format!("{name}.toml"));
    let text = fs::read_to_string(&path).with_context(|| {
        format!("cannot read {}; `cargo xtask bench --only {name}` measures it", path.display())
    })?;
    toml::from_str(&text)
        .with_context(|| format!("{} is not a result of this tool", path.display()))
}

/// Reads every record in a folder, by the experiment's name. A folder that is absent or empty holds none. Fails when a
/// file can't be read, or is not what [`write()`] wrote.
pub fn read_all(folder: &Path) -> Result<BTreeMap<String, Record>> {
    names(folder)?.into_iter().map(|name| Ok((name.clone(), read(folder, &name)?))).collect()
}

/// Reads when and where each experiment was measured, by its name. Fails when a file can't be read.
pub fn sessions(folder: &Path) -> Result<BTreeMap<String, Session>> {
    names(folder)?
        .into_iter()
        .map(|name| Ok((name.clone(), read_session(folder, &name)?)))
        .collect()
}

/// The columns before the figures.
const COLUMNS: [&str; 6] = ["round", "variant", "began", "server", "generator", "left_out"];

fn run_in(columns: &csv::StringRecord, row: &csv::StringRecord) -> Result<RoundRun> {
    ensure!(columns.iter().take(COLUMNS.len()).eq(COLUMNS), "it begins with other columns");
    let mut figures = Figures::new();
    for (name, text) in columns.iter().zip(row).skip(COLUMNS.len()) {
        if !text.is_empty() {
            let number = text.parse().with_context(|| format!("`{text}` is no {name}"))?;
            figures.insert(name.to_owned(), number);
        }
    }
    Ok(RoundRun {
        round: row[0].parse().with_context(|| format!("`{}` is no round", &row[0]))?,
        variant: row[1].to_owned(),
        began: row[2].to_owned(),
        server: split_command(&row[3])?,
        generator: split_command(&row[4])?,
        left_out: (!row[5].is_empty()).then(|| row[5].to_owned()),
        figures,
    })
}

fn split_command(command: &str) -> Result<Vec<String>> {
    shlex::split(command).context("a quote is not closed")
}

fn join_command(words: &[String]) -> Result<String> {
    Ok(shlex::try_join(words.iter().map(String::as_str))?)
}

/// Writes the runs as a table.
fn table(runs: &[RoundRun]) -> Result<Vec<u8>> {
    let figures: BTreeSet<&str> =
        runs.iter().flat_map(|run| run.figures.keys()).map(String::as_str).collect();
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(COLUMNS.iter().chain(&figures))?;
    for run in runs {
        let mut row = vec![
            run.round.to_string(),
            run.variant.clone(),
            run.began.clone(),
            join_command(&run.server)?,
            join_command(&run.generator)?,
            run.left_out.clone().unwrap_or_default(),
        ];
        for name in &figures {
            row.push(run.figures.get(*name).map(f64::to_string).unwrap_or_default());
        }
        table.write_record(row)?;
    }
    Ok(table.into_inner()?)
}

/// Reads what the generators printed. Fails when the file can't be read.
pub fn read_raw(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(format!("{name}.txt"));
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a record, and what the generators printed.
///
/// Each file is whole or absent. All are on the disk before one takes the place of what was there, and the table comes
/// last, so that what it holds has its session and its raw output. Fails when a file can't be written, for instance
/// because the disk is full. What was there is kept then.
pub fn write(folder: &Path, name: &str, record: &Record, raw: &str) -> Result<()> {
    let session = toml::to_string(&record.session).context("a session is text and numbers")?;
    let parts = [
        ("txt", raw.as_bytes().to_vec()),
        ("toml", session.into_bytes()),
        ("csv", table(&record.runs)?),
    ];
    let mut written = Vec::new();
    for (ending, bytes) in parts {
        let path = folder.join(format!("{name}.{ending}"));
        files::write_beside(&path, &bytes)?;
        written.push(path);
    }
    for path in written {
        files::put_in_place(&path)?;
    }
    Ok(())
}

/// Writes the line before the raw output of a run.
fn heading(round: usize, variant: &str) -> String {
    format!("=== round {round}, {variant}\n")
}

/// Adds the raw output of a run to that of the runs before it.
pub fn add_raw(text: &mut String, round: usize, variant: &str, raw: &str) {
    text.push_str(&heading(round, variant));
    text.push_str(raw);
    if !text.ends_with('\n') {
        text.push('\n');
    }
}

/// Finds the raw output of one run; `None` if the text does not hold it.
pub fn raw_of<'a>(text: &'a str, round: usize, variant: &str) -> Option<&'a str> {
    let heading = heading(round, variant);
    let start = line_starts(text, &heading).next()?;
    let rest = &text[start + heading.len()..];
    let end = line_starts(rest, "=== round ").next().unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Finds the lines that begin with these words.
pub(crate) fn line_starts(text: &str, words: &str) -> impl Iterator<Item = usize> {
    let starts = text.match_indices(words).map(|(start, _)| start);
    starts.filter(move |&start| start == 0 || text[..start].ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{example, run};

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("experiments");
        assert!(read_all(&folder).unwrap().is_empty());
        let (_, mut record) = example();
        record.runs.push(run(1, "pool of 4, \"kept\"", 39.5));
        record
            .runs
            .push(RoundRun { left_out: Some("errors".to_owned()), ..run(2, "pool of 1", 9.0) });
        record.session.expected = Some("We don't know.".to_owned());
        record.runs[1].generator.push("GET / HTTP/1.1\n".to_owned());
        record.runs[1].figures.insert("errors".to_owned(), 3.0);
        write(&folder, "pool-law", &record, "raw\n").unwrap();
        assert_eq!(read_all(&folder).unwrap(), [("pool-law".to_owned(), record)].into());
        assert_eq!(read_raw(&folder, "pool-law").unwrap(), "raw\n");
        // Nothing else is left there.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        for (ending, text, complaint) in [
            ("toml", "{", "pool-law.toml is not a result of this tool"),
            ("csv", "round,variant\n1,a\n", "it begins with other columns"),
        ] {
            let path = folder.join(format!("pool-law.{ending}"));
            let right = fs::read(&path).unwrap();
            fs::write(&path, text).unwrap();
            let error = format!("{:#}", read(&folder, "pool-law").unwrap_err());
            assert!(error.contains(complaint), "{error}");
            fs::write(&path, right).unwrap();
        }
    }

    #[test]
    fn raw_output_is_found_by_round_and_variant() {
        let mut text = String::new();
        add_raw(&mut text, 1, "pool of 4", "one\nline\n");
        add_raw(&mut text, 2, "pool of 4", "");
        add_raw(&mut text, 1, "pool of 40", "no line end");
        add_raw(&mut text, 11, "pool of 4", "eleven\n");
        assert_eq!(raw_of(&text, 1, "pool of 4"), Some("one\nline\n"));
        assert_eq!(raw_of(&text, 2, "pool of 4"), Some(""));
        assert_eq!(raw_of(&text, 1, "pool of 40"), Some("no line end\n"));
        assert_eq!(raw_of(&text, 11, "pool of 4"), Some("eleven\n"));
        assert_eq!(raw_of(&text, 3, "pool of 4"), None);
        assert!(text.starts_with("=== round 1, pool of 4\none\n"));
    }
}
