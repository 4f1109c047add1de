//! All results in one folder: the ladder's runs, the experiments in `experiments`, and the recordings in `observed`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, bail};
use base::say;
use servers::{MEASURED, NAMES};

use crate::{
    figures::FIGURES,
    files::{from_json, keep, read_json},
    ladder::{BENCHES, MachineFile, Run, run_path},
    machine::Machine,
    recording::{OBSERVED, Recording},
    sessions::Records,
    store::{self, EXPERIMENTS},
};

/// The results in one folder.
#[derive(Clone, Debug, Default)]
pub struct Results {
    folder: PathBuf,
    /// What the runs have in common; `None` while there are none.
    pub machine: Option<MachineFile>,
    runs: BTreeMap<(String, String), Arc<Run>>,
    /// The experiments that were measured.
    pub experiments: Records,
    recordings: BTreeMap<String, Arc<Recording>>,
}

impl Results {
    /// Reads a folder of results. One that is absent or empty holds none.
    ///
    /// # Errors
    /// When a file can't be read, or is not what [`write_run`], [`write_machine`] or [`observe`](observe::observe) wrote.
    pub fn read(folder: &Path) -> Result<Results> {
        let mut results = Results { folder: folder.to_path_buf(), ..Results::default() };
        results.machine = read_json(&folder.join("machine.json"))?;
        results.experiments = Records::read(folder)?;
        for rung in NAMES.iter().copied() {
            for bench in BENCHES {
                let path = run_path(folder, rung, bench);
                let Some(run) = keep(&path, |text| from_json::<Run>(&path, text))? else {
                    continue;
                };
                if run.rung != rung || run.bench != bench {
                    bail!("{} says that it is {}/{}", path.display(), run.rung, run.bench);
                }
                results.runs.insert((rung.to_owned(), bench.to_owned()), run);
            }
            let path = folder.join(OBSERVED).join(format!("{rung}.json"));
            let checked = |text: &str| -> Result<Recording> {
                let recording: Recording = from_json(&path, text)?;
                recording.check().with_context(|| format!("{} is broken", path.display()))?;
                Ok(recording)
            };
            if let Some(recording) = keep(&path, checked)? {
                results.recordings.insert(rung.to_owned(), recording);
            }
        }
        Ok(results)
    }

    /// Whether there is not a single run of a rung.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Whether the pages can be made from these results: they show every run.
    ///
    /// # Errors
    /// When the folder is not there, or a run is missing; the message says how many, and what to do.
    pub fn complete(&self) -> Result<()> {
        let folder = self.folder.display();
        if !self.folder.is_dir() {
            bail!("there is no folder {folder} with results");
        }
        let all = MEASURED.iter().flat_map(|rung| BENCHES.map(|bench| (rung, bench)));
        let missing: Vec<_> = all.filter(|(rung, bench)| self.get(rung, bench).is_none()).collect();
        let Some((rung, bench)) = missing.first() else { return Ok(()) };
        bail!(
            "{} of {} results are missing in {folder}, {rung}/{bench} for one, and the book shows all of them; \
             `cargo xtask bench`, with the same `--out` and `--quick` as before, measures what is missing",
            missing.len(),
            MEASURED.len() * BENCHES.len()
        )
    }

    /// One run, if it is there.
    pub fn get(&self, rung: &str, bench: &str) -> Option<&Run> {
        self.runs.get(&(rung.to_owned(), bench.to_owned())).map(Arc::as_ref)
    }

    /// One run.
    ///
    /// # Errors
    /// When there is no such rung, benchmark or run; the message says what to do.
    pub fn run(&self, rung: &str, bench: &str) -> Result<&Run> {
        one_of("rung", rung, &NAMES)?;
        one_of("benchmark", bench, &BENCHES)?;
        self.some()?;
        self.get(rung, bench).with_context(|| {
            format!(
                "there is no result {rung}/{bench}.json; `cargo xtask bench --only {rung}` measures it"
            )
        })
    }

    /// Whether there is not a single recording.
    pub fn has_no_recording(&self) -> bool {
        self.recordings.is_empty()
    }

    /// The recording of a rung.
    ///
    /// # Errors
    /// When there is no such rung or recording; the message says what to do.
    pub fn recording(&self, rung: &str) -> Result<&Recording> {
        one_of("rung", rung, &NAMES)?;
        self.recordings.get(rung).map(Arc::as_ref).with_context(|| {
            format!(
                "there is no recording {OBSERVED}/{rung}.json; `cargo xtask observe {rung}` makes it, on Linux"
            )
        })
    }

    /// All runs in the book's order.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        NAMES.iter().flat_map(move |rung| self.runs_of(rung))
    }

    /// All runs of one rung in the book's order.
    pub fn runs_of<'a>(&'a self, rung: &'a str) -> impl Iterator<Item = &'a Run> {
        BENCHES.iter().filter_map(move |bench| self.get(rung, bench))
    }

    /// What the tool printed in one run.
    ///
    /// # Errors
    /// When there is no such run, or its file can't be read.
    pub fn raw(&self, rung: &str, bench: &str) -> Result<String> {
        self.run(rung, bench)?;
        let path = run_path(&self.folder, rung, bench).with_extension("txt");
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// The number at `RUNG/BENCH/NAME`.
    ///
    /// # Errors
    /// When there is no such figure, or the run has no value for it.
    pub fn figure(&self, place: &str) -> Result<f64> {
        let parts: Vec<&str> = place.split('/').collect();
        let [rung, bench, name] = parts[..] else {
            bail!("a figure's place is RUNG/BENCH/NAME, not `{place}`");
        };
        one_of("figure", name, &FIGURES)?;
        self.run(rung, bench)?
            .figure(name)
            .with_context(|| format!("{rung}/{bench}.json has no value for {name}"))
    }

    /// What the runs have in common.
    ///
    /// # Errors
    /// When nothing was measured yet.
    pub fn machine(&self) -> Result<&MachineFile> {
        self.some()?;
        self.machine.as_ref().context("there is no machine.json beside the results")
    }

    fn some(&self) -> Result<()> {
        if self.is_empty() {
            bail!("there are no results yet; `cargo xtask bench` measures them");
        }
        Ok(())
    }
}

fn one_of(what: &str, name: &str, known: &[&str]) -> Result<()> {
    if known.contains(&name) {
        return Ok(());
    }
    bail!("there is no {what} `{name}`; there are {}", known.join(", "))
}

/// The folder with the results that the book's pages show, below the repository's root.
pub fn books(root: &Path) -> PathBuf {
    root.join("measurements").join("results")
}

/// Where the results go.
///
/// `measurements/results` holds the figures that the book's pages show. Whoever measures
/// on another machine gets a folder of their own, so that no table mixes two machines. `out` goes before, and a
/// sketch (`quick`) into neither.
///
/// # Errors
/// When the results that are there can't be read.
pub fn choose_folder(
    root: &Path,
    out: Option<&Path>,
    quick: bool,
    machine: &Machine,
) -> Result<PathBuf> {
    if let Some(out) = out {
        return Ok(out.to_path_buf());
    }
    if quick {
        say(format_args!("A sketch replaces no whole results. It goes to target/sketch."));
        return Ok(root.join("target").join("sketch"));
    }
    let books = books(root);
    let ladder_elsewhere =
        Results::read(&books)?.machine.is_some_and(|file| file.machine != *machine);
    let records = store::read_all(&books.join(EXPERIMENTS))?;
    if !ladder_elsewhere && records.values().all(|record| record.machine == *machine) {
        return Ok(books);
    }
    say(format_args!(
        "The results in measurements/results are from another machine. Yours go to target/results; \
         `cargo xtask serve` shows them beside the book's, \
         and `--out measurements/results` puts them into the book."
    ));
    Ok(root.join("target").join("results"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        files::write_whole,
        ladder::{write_machine, write_run},
        testing::{example_machine, example_run},
    };

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let run = example_run("ch03_threadpool", "wrk-sleep", &[("requests_per_second", 79.5)]);
        write_run(folder.path(), &run, "raw\n").unwrap();
        write_machine(folder.path(), &example_machine()).unwrap();
        let results = Results::read(folder.path()).unwrap();
        assert_eq!(results.run("ch03_threadpool", "wrk-sleep").unwrap(), &run);
        assert_eq!(results.raw("ch03_threadpool", "wrk-sleep").unwrap(), "raw\n");
        assert_eq!(results.machine.as_ref(), Some(&example_machine()));
        let place = "ch03_threadpool/wrk-sleep/requests_per_second";
        assert_eq!(results.figure(place).unwrap(), 79.5);
        // Written again, it takes the place of what was there.
        write_run(folder.path(), &run, "other\n").unwrap();
        let results = Results::read(folder.path()).unwrap();
        assert_eq!(results.raw("ch03_threadpool", "wrk-sleep").unwrap(), "other\n");
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::read(folder.path()).unwrap();
        let message = results.figure("ch06_tokio/wrk-root/requests").unwrap_err().to_string();
        assert!(message.contains("cargo xtask bench"), "{message}");

        let run = example_run("ch03_threadpool", "wrk-sleep", &[]);
        write_run(folder.path(), &run, "").unwrap();
        let results = Results::read(folder.path()).unwrap();
        let message = |place| results.figure(place).unwrap_err().to_string();
        assert!(message("ch06_tokio/wrk-root/requests").contains("--only ch06_tokio"));
        assert!(message("ch03_threadpool/wrk-sleep/requests").contains("no value for requests"));
        assert!(message("ch03_threadpool/wrk-sleep/speed").contains("no figure `speed`"));
        assert!(message("ch03/wrk-sleep/requests").contains("no rung `ch03`"));
        assert!(message("ch03_threadpool/requests").contains("RUNG/BENCH/NAME"));
    }

    #[test]
    fn a_broken_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        write_whole(&run_path(folder.path(), "ch06_tokio", "wrk-root"), b"{").unwrap();
        let error = Results::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("wrk-root.json is not a result"), "{error}");
    }
}
