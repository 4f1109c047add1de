//! How measurements are stored: one JSON file for each rung and benchmark, the
//! tool's raw output beside it, and `machine.json` for what they have in common.
//!
//! ```text
//! book/results/machine.json
//! book/results/ch03_threadpool/wrk-sleep.json
//! book/results/ch03_threadpool/wrk-sleep.txt
//! ```
//!
//! The experiments lie beside them, in `book/results/experiments`: see [`store`](crate::experiments::store); those of
//! another session in `book/results/second-session/experiments`; and
//! the recordings in `book/results/observed`: see [`observe`](crate::observe).

use std::{
    any::Any,
    collections::BTreeMap,
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use servers::{MEASURED, NAMES};
use tempfile::NamedTempFile;

use crate::{
    evidence::Records,
    observe::{OBSERVED, recording::Recording},
};

/// The benchmarks, in the book's order.
pub const BENCHES: [&str; 4] = ["wrk-sleep", "ab-tenth", "wrk-root", "wrk-root-keepalive"];

/// Every figure that a result can hold. The unit is part of the name.
pub const FIGURES: [&str; 73] = [
    // What either tool says.
    "requests_per_second",
    "requests",
    "duration_seconds",
    "concurrency",
    "latency_mean_ms",
    "latency_stdev_ms",
    "latency_max_ms",
    "transfer_bytes_per_second",
    "errors",
    "errors_connect",
    "errors_read",
    "errors_write",
    "non_2xx",
    // What arithmetic predicts.
    "law_requests_per_second",
    "law_duration_seconds",
    // What only wrk says.
    "tool_threads",
    "transfer_bytes",
    "timeouts",
    "thread_requests_per_second_mean",
    "thread_requests_per_second_stdev",
    "thread_requests_per_second_max",
    // What only ab says, or wrk with --latency.
    "latency_p50_ms",
    "latency_p66_ms",
    "latency_p75_ms",
    "latency_p80_ms",
    "latency_p90_ms",
    "latency_p95_ms",
    "latency_p98_ms",
    "latency_p99_ms",
    "latency_p100_ms",
    "failed",
    "failed_connect",
    "failed_receive",
    "failed_length",
    "failed_exceptions",
    "html_bytes",
    "total_bytes",
    // What only load says, or oha.
    "latency_p999_ms",
    "connections_opened",
    "opening_seconds",
    "idle_connections",
    "idle_lost",
    "sent",
    "requests_late",
    "due",
    "never_sent",
    "unanswered",
    "errors_timeout",
    // The generator's process: the share of the processors that it may use and has threads for.
    "generator_cpu_share_percent",
    // The server's process.
    "server_cpu_seconds",
    "server_cpu_user_seconds",
    "server_cpu_system_seconds",
    "server_cpu_us_per_request",
    "server_peak_memory_mib",
    "server_peak_threads",
    "server_voluntary_switches",
    "server_involuntary_switches",
    "server_switches_per_request",
    "server_memory_mib",
    // What tools around the server counted, exactly; what it takes to start and stop is not in it.
    "syscalls_per_request",
    "instructions_per_request",
    "allocations_per_request",
    // The machine meanwhile.
    "stall_share_percent",
    "stall_median_ms",
    "stall_p99_ms",
    "stall_max_ms",
    "steal_seconds",
    "cpu_pressure_seconds",
    "load_average_before",
    "listen_drops",
    "listen_overflows",
    "kernel_stack_mib",
    "voids",
];

/// The number of each figure; `None` where the tool or the system does not give it.
pub type Figures = BTreeMap<String, Option<f64>>;

/// One measured run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The server's package.
    pub rung: String,
    /// The benchmark: one of [`BENCHES`].
    pub bench: String,
    /// Which source article's command line this is.
    pub source: String,
    /// Whether the command line was shortened with `--quick`.
    pub quick: bool,
    /// When the run began: UTC, RFC 3339.
    pub date: String,
    /// The program that sent the requests.
    pub tool: Tool,
    /// The program that answered them.
    pub server: Server,
    /// Why this run has fewer requests than the source's command line, if it has.
    pub reduced: Option<Reduced>,
    /// The law with its numbers, where arithmetic predicts the outcome.
    pub law: Option<String>,
    /// The figures, by the names in [`FIGURES`].
    pub figures: Figures,
    /// Whether this run has too many errors to count, and so had every attempt before it.
    pub void: bool,
    /// The attempts before this one that had too many errors.
    pub void_attempts: Vec<VoidAttempt>,
    /// Whether the machine stalled too much meanwhile.
    pub noisy: bool,
    /// The rule that says so, with its numbers.
    pub noisy_reason: String,
    /// The wire tests that the server passed just before; `None` if they were skipped.
    pub wire_tests_passed: Option<u64>,
    /// What could not be had on this system, and why.
    pub unavailable: Vec<String>,
    /// How the figures of the server and of the stalls were taken.
    pub method: Vec<String>,
    /// To which processors server and tool were bound.
    pub pinning: String,
    /// The load averages over 1, 5 and 15 minutes just before the run.
    pub load_average_before: Option<[f64; 3]>,
    /// How many files and sockets a process may have open.
    pub descriptor_limit: Option<u64>,
    /// The compiler.
    pub rustc: String,
    /// The sources.
    pub commit: Commit,
    /// The machine.
    pub machine: Machine,
}

/// The program that sent the requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// `wrk` or `ab`.
    pub name: String,
    /// As the tool itself says.
    pub version: String,
    /// The whole command line, the tool's bare name first.
    pub argv: Vec<String>,
}

/// The program that answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// The whole command line, the rung's bare name first.
    pub argv: Vec<String>,
    /// The line that it printed when it listened.
    pub listening: String,
    /// The SHA-256 of the executable, in hexadecimal.
    pub sha256: String,
}

/// A run with fewer requests than the source's command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduced {
    /// How many requests it has.
    pub requests: u64,
    /// How many the source had.
    pub instead_of: u64,
    /// Why.
    pub reason: String,
}

/// A run that was thrown away for its errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoidAttempt {
    /// When it began: UTC, RFC 3339.
    pub date: String,
    /// Why it does not count.
    pub reason: String,
    /// What the tool said all the same.
    pub figures: Figures,
}

/// The state of the sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The commit that was checked out.
    pub head: Option<String>,
    /// The last commit that changed what was measured: `examples`, `Cargo.toml` or `Cargo.lock`.
    pub sources: Option<String>,
    /// Whether one of these differed from that commit.
    pub dirty: Option<bool>,
}

/// What the machine is. What a system does not tell is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu_model: Option<String>,
    /// Cores.
    pub physical_cores: Option<u64>,
    /// What the operating system schedules on: more than cores where a core runs two threads.
    pub hardware_threads: Option<u64>,
    /// Main memory, in MiB.
    pub memory_mib: Option<u64>,
    /// The kernel's name and release.
    pub kernel: Option<String>,
    /// The distribution or system, with its version.
    pub operating_system: Option<String>,
}

/// `machine.json`: what the runs have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineFile {
    /// The machine.
    pub machine: Machine,
    /// The compiler.
    pub rustc: String,
    /// The version of each tool, by name.
    pub tools: BTreeMap<String, String>,
    /// How many files and sockets a process may have open.
    pub descriptor_limit: Option<u64>,
    /// To which processors server and tool were bound.
    pub pinning: String,
    /// The cargo profile of the servers.
    pub profile: String,
    /// One for each time that `cargo xtask bench` ran and added to these results.
    pub sessions: Vec<Session>,
}

/// One call of `cargo xtask bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// When it began: UTC, RFC 3339.
    pub started: String,
    /// When its last run so far ended: UTC, RFC 3339.
    pub finished: String,
    /// Whether the command lines were shortened.
    pub quick: bool,
    /// The seed of the order.
    pub seed: u64,
    /// The runs, `RUNG/BENCH`, in the order in which they were made.
    pub order: Vec<String>,
    /// The sources.
    pub commit: Commit,
    /// How late a sleeping thread woke before anything was measured, with nothing else running.
    pub idle_stalls: Option<Stalls>,
    /// The load averages over 1, 5 and 15 minutes before the first run.
    pub load_average_before: Option<[f64; 3]>,
}

/// How late a thread woke that slept for 5 ms again and again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stalls {
    /// How often it slept.
    pub samples: u64,
    /// For how long it was watched, in seconds.
    pub seconds: f64,
    /// Half of the times it woke at most this late, in milliseconds.
    pub median_ms: f64,
    /// All but one time in a hundred it woke at most this late, in milliseconds.
    pub p99_ms: f64,
    /// The latest, in milliseconds.
    pub max_ms: f64,
    /// The share of the watched time that was lost in delays above 10 ms, in percent.
    pub share_percent: f64,
}

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
    /// When a file can't be read, or is not what [`write_run`], [`write_machine`] or [`observe`](crate::observe) wrote.
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

impl Run {
    /// The value of a figure, if the run has one.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.get(name).copied().flatten()
    }
}

fn one_of(what: &str, name: &str, known: &[&str]) -> Result<()> {
    if known.contains(&name) {
        return Ok(());
    }
    bail!("there is no {what} `{name}`; there are {}", known.join(", "))
}

/// Where a run's JSON is.
pub fn run_path(folder: &Path, rung: &str, bench: &str) -> PathBuf {
    folder.join(rung).join(format!("{bench}.json"))
}

pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    read_text(path)?.map(|text| from_json(path, &text)).transpose()
}

/// The text of a file, if it is there.
fn read_text(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// What the text of this file holds.
pub(crate) fn from_json<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T> {
    serde_json::from_str(text)
        .with_context(|| format!("{} is not a result of this tool", path.display()))
}

/// Files with their texts, and what was made of them.
type Kept = BTreeMap<PathBuf, (String, Arc<dyn Any + Send + Sync>)>;

/// What is made of the text of a file, if it is there: made once, and kept until the text is another one. A book
/// that is served is built again and again from the same results.
pub(crate) fn keep<T: Send + Sync + 'static>(
    path: &Path,
    make: impl FnOnce(&str) -> Result<T>,
) -> Result<Option<Arc<T>>> {
    static KEPT: Mutex<Kept> = Mutex::new(BTreeMap::new());
    let Some(text) = read_text(path)? else { return Ok(None) };
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let same = kept().get(path).filter(|(old, _)| *old == text).map(|(_, made)| Arc::clone(made));
    if let Some(Ok(made)) = same.map(Arc::downcast) {
        return Ok(Some(made));
    }
    let made = Arc::new(make(&text)?);
    kept().insert(path.to_path_buf(), (text, Arc::clone(&made) as _));
    Ok(Some(made))
}

/// Writes a run and its raw output.
///
/// The JSON file comes last and whole, so that a run whose JSON exists is complete.
///
/// # Errors
/// When a file can't be written, for instance because the disk is full.
pub fn write_run(folder: &Path, run: &Run, raw: &str) -> Result<()> {
    let path = run_path(folder, &run.rung, &run.bench);
    let text_path = path.with_extension("txt");
    // Both are on the disk before either takes the place of what was there.
    let text = temporary(&text_path, raw.as_bytes())?;
    let figures = temporary(&path, json(run).as_bytes())?;
    put(text, &text_path)?;
    put(figures, &path)
}

/// Writes `machine.json`.
///
/// # Errors
/// When the file can't be written.
pub fn write_machine(folder: &Path, machine: &MachineFile) -> Result<()> {
    write_whole(&folder.join("machine.json"), json(machine).as_bytes())
}

pub(crate) fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value);
    text.expect("these types hold only strings, numbers and lists") + "\n"
}

/// Writes a file that is whole or absent: under another name first, then renamed.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    put(temporary(path, bytes)?, path)
}

/// Writes a file beside `path`, under a name of its own. It is removed again if it is dropped.
pub(crate) fn temporary(path: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let folder = path.parent().expect("a result's path has a folder");
    let write = || -> std::io::Result<NamedTempFile> {
        fs::create_dir_all(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        // Without this a crash of the machine could leave an empty file under the final name.
        file.as_file().sync_all()?;
        readable_by_all(file.as_file())?;
        Ok(file)
    };
    write().with_context(|| cannot_write(path))
}

/// Gives a file its name, in place of a file that has it already.
pub(crate) fn put(file: NamedTempFile, path: &Path) -> Result<()> {
    file.persist(path).map_err(|error| error.error).with_context(|| cannot_write(path))?;
    Ok(())
}

fn cannot_write(path: &Path) -> String {
    format!(
        "cannot write {}; what was finished before is kept, and the next `cargo xtask bench` goes on from there",
        path.display()
    )
}

/// A temporary file is its owner's alone; a result is an ordinary file.
fn readable_by_all(file: &fs::File) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A run with these figures, for the tests of the pages.
    pub(crate) fn example_run(rung: &str, bench: &str, figures: &[(&str, f64)]) -> Run {
        Run {
            rung: rung.to_owned(),
            bench: bench.to_owned(),
            source: "001".to_owned(),
            quick: false,
            date: "2025-01-02T03:04:05Z".to_owned(),
            tool: Tool {
                name: "wrk".to_owned(),
                version: "4.1.0".to_owned(),
                argv: ["wrk", "-t12", "-c500", "-d20s", "http://127.0.0.1:40000/sleep"]
                    .map(str::to_owned)
                    .to_vec(),
            },
            server: Server {
                argv: vec![rung.to_owned(), "--port".to_owned(), "0".to_owned()],
                listening: format!("{rung}: listening on http://127.0.0.1:40000/"),
                sha256: "00".to_owned(),
            },
            reduced: None,
            law: Some("min(500, 8) / 0.1 s = 80 requests/s".to_owned()),
            figures: figures
                .iter()
                .map(|(name, value)| ((*name).to_owned(), Some(*value)))
                .collect(),
            void: false,
            void_attempts: Vec::new(),
            noisy: false,
            noisy_reason: "quiet".to_owned(),
            wire_tests_passed: Some(40),
            unavailable: Vec::new(),
            method: Vec::new(),
            pinning: "none".to_owned(),
            load_average_before: Some([0.5, 0.4, 0.3]),
            descriptor_limit: Some(1024),
            rustc: "rustc 1.90.0".to_owned(),
            commit: Commit { head: Some("abc".to_owned()), sources: None, dirty: Some(false) },
            machine: Machine::default(),
        }
    }

    /// A `machine.json` for the tests of the pages.
    pub(crate) fn example_machine() -> MachineFile {
        MachineFile {
            machine: Machine {
                cpu_model: Some("A Processor".to_owned()),
                physical_cores: Some(1),
                hardware_threads: Some(2),
                memory_mib: Some(2048),
                kernel: Some("Linux 6".to_owned()),
                operating_system: None,
            },
            rustc: "rustc 1.90.0".to_owned(),
            tools: [("wrk".to_owned(), "4.1.0".to_owned())].into(),
            descriptor_limit: Some(1024),
            pinning: "none".to_owned(),
            profile: "release".to_owned(),
            sessions: vec![Session {
                started: "2025-01-02T03:04:05Z".to_owned(),
                finished: "2025-01-02T04:04:05Z".to_owned(),
                quick: false,
                seed: 7,
                order: vec!["ch03_threadpool/wrk-sleep".to_owned()],
                commit: Commit { head: Some("abc".to_owned()), sources: None, dirty: Some(false) },
                idle_stalls: None,
                load_average_before: None,
            }],
        }
    }

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
