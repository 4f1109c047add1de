//! What an experiment asks, and how: the files in `xtask/experiments`.
//!
//! An experiment compares servers, or small programs. A **server** is started, a generator sends it requests, and
//! what the generator prints is the result:
//!
//! ```toml
//! title = "The law of the pool"
//! question = "How many requests a second does a pool of k threads answer?"
//! page = "measuring"
//! metric = "requests_per_second"
//! rounds = 7
//! server = "ch03_threadpool"
//! generator = ["wrk", "-t1", "-c64", "-d4s", "{url}/sleep"]
//! seconds = 4
//! [[variants]]
//! name = "pool of 1"
//! options = ["--threads", "1"]
//! [[variants]]
//! name = "pool of 4"
//! options = ["--threads", "4"]
//! ```
//!
//! A **program** is an example of the workspace, `examples/NAME`. It is run to its end, alone, without server,
//! generator and wire tests:
//!
//! ```toml
//! metric = "rounds_per_second"
//! program = "compute_or_wait"
//! seconds = 2
//! [[variants]]
//! name = "8 threads"
//! arguments = ["--threads", "8", "--seconds", "{seconds}", "--json"]
//! [[variants]]
//! name = "8 threads on one processor"
//! arguments = ["--threads", "8", "--seconds", "{seconds}", "--json"]
//! pin = "one"
//! ```
//!
//! It prints one JSON object on standard output, and nothing else there: `{"figures": {"rounds_per_second": 1234.5,
//! "voluntary_switches": 12}}`. Each of these becomes a figure of the run, `null` one that could not be had; the
//! metric is one of them. A name is of small letters, digits and `_`, and ends with its unit (`_ms`, `_kib`,
//! `_per_second`); the tool's own names ([`FIGURES`] of the machine, `program_…`) are not to be had. What the tool
//! measures itself: `program_seconds` (start and end included), `program_cpu_seconds` with `…_user_…` and
//! `…_system_…`, `program_voluntary_switches`, `program_involuntary_switches`, and from samples taken five times a
//! second, so that short programs have none, `program_peak_memory_mib` and `program_peak_threads`. A run in which
//! the program fails or prints anything else is void. `{seconds}` in an argument stands for the variant's `seconds`,
//! which `--quick` shortens; without it a sketch has fewer rounds, and each is as long. Of the keys of a server's
//! variant, only `env`, `profile`, `descriptors` and `seconds` mean something for a program. A program that keeps
//! all processors busy delays the thread that watches for stalls, and says so by `busy = true`: its runs are
//! neither void nor noisy because of stalls.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use anyhow::{Context, Result, anyhow, bail};
use regex::{Captures, Regex};
use serde::{Deserialize, Serialize};

use crate::{
    figures::{self, FIGURES},
    summary::MARGIN,
};

/// A run that lost more of its time than this in stalls is noisy, in percent.
pub const NOISY_SHARE_PERCENT: f64 = 5.0;

/// A run in which one wake-up in a hundred came later than this is noisy, in milliseconds.
pub const NOISY_P99_MS: f64 = 20.0;

/// The name under which the baseline runs a second time in each round.
pub const CONTROL: &str = "control";

/// One experiment. What it says of the server and the generator holds for every variant that says nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// What a chart is headed with.
    pub title: String,
    /// What it asks, in a sentence.
    pub question: String,
    /// The page of the book that it belongs to: `measuring` for `book/measuring.md`.
    pub page: String,
    /// The figure that is compared: one of [`FIGURES`], or one that the programs print.
    pub metric: String,
    /// How often every variant is measured.
    pub rounds: usize,
    /// On which processors server and generator, or the program, run, where a variant says nothing else.
    #[serde(default)]
    pub pin: Pin,
    /// The variant that the others are compared with; the first, where this is absent.
    #[serde(default)]
    pub baseline: Option<String>,
    /// How far from 1 the median ratio of a difference is at least; [`MARGIN`], where this is absent. 0.1 is 10 %,
    /// and 9 is ten times as much or a tenth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// A run in which one wake-up of the watching thread in a hundred came later than this, in milliseconds, is
    /// stalled; [`NOISY_P99_MS`], where this is absent. Lower is for servers that are the limit themselves, and so
    /// lose by every pause of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_ms: Option<f64>,
    /// Whether the baseline runs a second time in each round, under the name [`CONTROL`].
    #[serde(default = "yes")]
    pub control: bool,
    /// How the chart is drawn.
    #[serde(default)]
    pub chart: Chart,
    /// What holds for every variant that says nothing else.
    #[serde(flatten)]
    pub common: Setup,
    /// What is compared.
    pub variants: Vec<Variant>,
}

/// A server and what is done to it, or a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The package of the server, and its example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The package of the program that is run instead of a server, and its example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The program's arguments; `{seconds}` stands for `seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// Whether the program keeps all processors busy, so that stalls are its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy: Option<bool>,
    /// The server's options, without `--port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// Environment variables of the server or program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// How the server or program is compiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// How many files and sockets the server or program may have open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptors: Option<u64>,
    /// Where the server's standard error goes: `null` (the default), `file` or `pipe`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<Sink>,
    /// The generator's command line; `{url}` stands for the server's address, such as `http://127.0.0.1:8080`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<Vec<String>>,
    /// drill's plan, in YAML. The generator finds it as `plan.yml`; `{url}` stands for the server's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// About how long the generator or program takes, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// What is counted while the generator runs, by a tool around the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// The server is stopped for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Pause>,
    /// Whether errors are what is to be shown, so that they make no run void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors_expected: Option<bool>,
    /// Whether the generator may use up its processors, so that this makes no run void. It is marked then.
    /// See [`Experiment::may_saturate`] for where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saturation_expected: Option<bool>,
}

/// One of the things that are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// What a table calls it.
    pub name: String,
    /// What arithmetic predicts of the metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<Law>,
    /// The line of the chart that it lies on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,
    /// Its place on the chart's horizontal axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// On which processors it runs, if not where the experiment says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Pin>,
    /// How it differs from what all have in common.
    #[serde(flatten)]
    pub own: Setup,
}

/// What arithmetic predicts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Law {
    /// The number, in the metric's unit.
    pub value: f64,
    /// Where it comes from: `4 / 0.1 s`.
    pub words: String,
}

/// A pause: the server is stopped (SIGSTOP) and goes on (SIGCONT).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// How long after the generator's start, in seconds.
    pub after: f64,
    /// How long, in seconds.
    pub lasts: f64,
}

/// How the chart is drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// Bars, or lines over an axis.
    #[serde(default)]
    pub kind: ChartKind,
    /// What the horizontal axis of a line chart shows, with its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_label: Option<String>,
    /// Whether the axis of the metric is logarithmic.
    #[serde(default)]
    pub log: bool,
    /// Whether the horizontal axis of a line chart is logarithmic.
    #[serde(default)]
    pub x_log: bool,
}

/// The kinds of charts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChartKind {
    /// A horizontal bar for each variant.
    #[default]
    Bars,
    /// A line for each series.
    Lines,
}

/// On which processors server and generator, or a program, run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pin {
    /// Wherever the kernel puts them.
    #[default]
    None,
    /// The server on one half of the processors, the generator on the other.
    Apart,
    /// Both on the first processor.
    Together,
    /// A program on the first processor.
    One,
}

/// How a server is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// `cargo build --release`.
    #[default]
    Release,
    /// `cargo build`.
    Debug,
}

/// Where the server's standard error goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sink {
    /// Thrown away by the system.
    #[default]
    Null,
    /// A file on the disk.
    File,
    /// A pipe that somebody reads.
    Pipe,
}

/// What is counted, exactly, by a tool around the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Count {
    /// System calls, by `strace -c -f`.
    Syscalls,
    /// Instructions in user space, by valgrind's callgrind.
    Instructions,
    /// Allocations, by valgrind's dhat.
    Allocations,
}

fn yes() -> bool {
    true
}

impl Setup {
    /// What holds for a variant: its own words, and where it says nothing, those of the experiment.
    pub fn over(&self, common: &Setup) -> Setup {
        let Setup {
            server,
            program,
            arguments,
            busy,
            options,
            env,
            profile,
            descriptors,
            stderr,
            generator,
            plan,
            seconds,
            count,
            pause,
            errors_expected,
            saturation_expected,
        } = self.clone();
        let common = common.clone();
        Setup {
            server: server.or(common.server),
            program: program.or(common.program),
            arguments: arguments.or(common.arguments),
            busy: busy.or(common.busy),
            options: options.or(common.options),
            env: env.or(common.env),
            profile: profile.or(common.profile),
            descriptors: descriptors.or(common.descriptors),
            stderr: stderr.or(common.stderr),
            generator: generator.or(common.generator),
            plan: plan.or(common.plan),
            seconds: seconds.or(common.seconds),
            count: count.or(common.count),
            pause: pause.or(common.pause),
            errors_expected: errors_expected.or(common.errors_expected),
            saturation_expected: saturation_expected.or(common.saturation_expected),
        }
    }
}

impl Experiment {
    /// The name of the variant that the others are compared with.
    pub fn baseline(&self) -> &str {
        let first = || self.variants.first().map_or("", |variant| variant.name.as_str());
        self.baseline.as_deref().unwrap_or_else(first)
    }

    /// Whether the two measure the same in the same way: they differ at most in their words, in how the chart is
    /// drawn, and in the margin by which the ratios are judged.
    pub fn measures_like(&self, other: &Experiment) -> bool {
        let measured = |experiment: &Experiment| {
            let mut experiment = experiment.clone();
            for words in [&mut experiment.title, &mut experiment.question, &mut experiment.page] {
                words.clear();
            }
            experiment.margin = None;
            experiment.chart = Chart::default();
            for variant in &mut experiment.variants {
                (variant.series, variant.x) = (None, None);
            }
            experiment
        };
        measured(self) == measured(other)
    }

    /// Whether a generator at its limit is to be expected, and makes no run void.
    ///
    /// Where a law predicts the rate, the generator has to have time to spare. Where none does, the processors are
    /// the limit, the generator's as well as the server's.
    pub fn may_saturate(&self, setup: &Setup) -> bool {
        let has_law = self.variants.iter().any(|variant| variant.law.is_some());
        setup.saturation_expected.unwrap_or(!has_law)
    }

    /// The variant of this name.
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }
}

/// The tools that a generator's command line may begin with. `load` is our own, built from `examples/load`.
pub const GENERATORS: [&str; 5] = ["wrk", "ab", "load", "oha", "drill"];

/// The keys that hold for every variant that says nothing else, and that a variant may say itself.
const SETUP_KEYS: [&str; 16] = [
    "server",
    "program",
    "arguments",
    "busy",
    "options",
    "env",
    "profile",
    "descriptors",
    "stderr",
    "generator",
    "plan",
    "seconds",
    "count",
    "pause",
    "errors_expected",
    "saturation_expected",
];

/// The greatest margin. More than this is no longer a ratio that anyone doubts.
const MOST_MARGIN: f64 = 9.0;

/// The other keys of an experiment.
const EXPERIMENT_KEYS: [&str; 12] = [
    "title", "question", "page", "metric", "rounds", "pin", "baseline", "margin", "late_ms",
    "control", "chart", "variants",
];

/// The other keys of a variant.
const VARIANT_KEYS: [&str; 5] = ["name", "law", "series", "x", "pin"];

/// Words that `--only` understands already, and that so are no name of an experiment.
pub const RESERVED: [&str; 2] = ["ladder", "experiments"];

/// The folder of the descriptions, below the repository's root.
pub fn folder(root: &Path) -> PathBuf {
    root.join("xtask").join("experiments")
}

/// Reads and checks every description in `xtask/experiments`; none, if there is no such folder.
///
/// # Errors
/// When a file can't be read, is not TOML, or describes something that can't be measured;
/// the message names the file and what is wrong.
pub fn load_all(root: &Path) -> Result<BTreeMap<String, Experiment>> {
    let mut all = BTreeMap::new();
    let folder = folder(root);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(all),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", folder.display()));
        }
    };
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = format!("xtask/experiments/{name}.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {file}"))?;
        let experiment = parse(&name, &text, root).with_context(|| file)?;
        all.insert(name, experiment);
    }
    Ok(all)
}

/// Reads and checks one description.
///
/// # Errors
/// When it is not TOML, or describes something that can't be measured.
pub fn parse(name: &str, text: &str, root: &Path) -> Result<Experiment> {
    let table: toml::Table = text.parse()?;
    // Serde's own check for unknown keys does not work beside `flatten`.
    let (setup, own): (&[&str], &[&str]) = (&SETUP_KEYS, &EXPERIMENT_KEYS);
    refuse_unknown(&table, &[own, setup], "")?;
    let variants = table.get("variants").and_then(toml::Value::as_array).into_iter().flatten();
    for (index, variant) in variants.enumerate() {
        let place = format!(" in variant {}", index + 1);
        let variant = variant.as_table().with_context(|| format!("no table{place}"))?;
        refuse_unknown(variant, &[&VARIANT_KEYS, setup], &place)?;
    }
    let experiment: Experiment = table.try_into()?;
    check(name, &experiment, root)?;
    Ok(experiment)
}

fn refuse_unknown(table: &toml::Table, known: &[&[&str]], place: &str) -> Result<()> {
    let known = known.concat();
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => bail!("there is no key `{key}`{place}; there are {}", known.join(", ")),
    }
}

/// Fails where something is described that can't be measured.
fn check(name: &str, experiment: &Experiment, root: &Path) -> Result<()> {
    let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    if name.is_empty() || !name.chars().all(|letter| plain(letter) || letter == '-') {
        bail!("an experiment's name holds small letters, digits and hyphens only, not `{name}`");
    }
    if RESERVED.contains(&name) {
        bail!("`--only {name}` means something else already");
    }
    for (key, text) in [("title", &experiment.title), ("question", &experiment.question)] {
        if text.trim().is_empty() {
            bail!("its {key} is empty");
        }
    }
    if !root.join("book").join(format!("{}.md", experiment.page)).is_file() {
        bail!("there is no page book/{}.md", experiment.page);
    }
    let programs = experiment.is_of_programs();
    if programs {
        figures::check_name(&experiment.metric).context("its metric")?;
    } else if !FIGURES.contains(&experiment.metric.as_str()) {
        bail!("there is no figure `{}`; there are {}", experiment.metric, FIGURES.join(", "));
    }
    if experiment.rounds == 0 {
        bail!("it has no rounds");
    }
    if !(0.0..=MOST_MARGIN).contains(&experiment.margin()) {
        bail!("its margin is 0.1 for 10 %, 1 for twice as much, and {MOST_MARGIN} at most");
    }
    if !(1.0..=NOISY_P99_MS).contains(&experiment.late_ms()) {
        bail!("its late_ms is between 1 and {NOISY_P99_MS} ms");
    }
    let setups: Vec<Setup> = experiment.setups().map(|(_, setup)| setup).collect();
    let only_counts = !setups.is_empty() && setups.iter().all(|setup| setup.count.is_some());
    if experiment.variants.len() < if only_counts { 1 } else { 2 } {
        bail!("it compares nothing: it needs at least two variants");
    }
    let mut names = BTreeSet::new();
    for (variant, setup) in experiment.variants.iter().zip(&setups) {
        if variant.name.trim().is_empty() || variant.name.contains(['"', '\n']) {
            bail!("a variant's name is not empty and holds no quote or line end");
        }
        if variant.name == CONTROL {
            bail!("`{CONTROL}` is the second run of the baseline, and no variant's name");
        }
        if !names.insert(&variant.name) {
            bail!("two variants have the name `{}`", variant.name);
        }
        let pin = variant.pin.unwrap_or(experiment.pin);
        let checked = match &setup.program {
            Some(program) => check_program(program, setup, pin, root),
            None if programs => Err(anyhow!("it has no program, and the others have one")),
            None => check_setup(setup, pin, root),
        };
        checked.with_context(|| format!("variant `{}`", variant.name))?;
    }
    let baseline = experiment.baseline();
    if experiment.variant(baseline).is_none() {
        bail!("its baseline `{baseline}` is no variant");
    }
    Ok(())
}

/// Whether the workspace has an example of this name, in a package of the same name.
fn is_example(name: &str, root: &Path) -> bool {
    let is_a_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    !name.is_empty() && is_a_name && root.join("examples").join(name).is_dir()
}

fn check_program(program: &str, setup: &Setup, pin: Pin, root: &Path) -> Result<()> {
    if !is_example(program, root) {
        bail!("there is no program examples/{program}");
    }
    for (key, is_there) in [
        ("server", setup.server.is_some()),
        ("options", setup.options.is_some()),
        ("generator", setup.generator.is_some()),
        ("stderr", setup.stderr.is_some()),
        ("count", setup.count.is_some()),
        ("pause", setup.pause.is_some()),
        ("errors_expected", setup.errors_expected.is_some()),
        ("saturation_expected", setup.saturation_expected.is_some()),
    ] {
        if is_there {
            bail!("`{key}` is a server's, and it has a program");
        }
    }
    if !matches!(pin, Pin::None | Pin::One) {
        bail!("a program is bound to no processor (`none`) or to one (`one`)");
    }
    let seconds = setup.seconds.context("it does not say how many seconds it takes")?;
    check_times([seconds])?;
    check_descriptors(setup)
}

fn check_times(times: impl IntoIterator<Item = f64>) -> Result<()> {
    if times.into_iter().any(|time| !time.is_finite() || time <= 0.0) {
        bail!("its seconds are more than none");
    }
    Ok(())
}

fn check_descriptors(setup: &Setup) -> Result<()> {
    if setup.descriptors.is_some_and(|limit| limit < 16) {
        bail!("no program starts with fewer than 16 descriptors");
    }
    Ok(())
}

fn check_setup(setup: &Setup, pin: Pin, root: &Path) -> Result<()> {
    let server = setup.server.as_deref().context("it has neither server nor program")?;
    if !is_example(server, root) {
        bail!("there is no server examples/{server}");
    }
    if setup.arguments.is_some() || setup.busy.is_some() {
        bail!("`arguments` and `busy` are a program's; a server has `options`");
    }
    if pin == Pin::One {
        bail!("a server and its generator are bound by `apart` or `together`");
    }
    let options = setup.options.iter().flatten();
    if options.clone().any(|option| option == "--port" || option.starts_with("--port=")) {
        bail!("the port is not the description's to say");
    }
    let generator = setup.generator.as_deref().context("it has no generator")?;
    let first = generator.first().map_or("", String::as_str);
    if !GENERATORS.contains(&first) {
        bail!("there is no generator `{first}`; there are {}", GENERATORS.join(", "));
    }
    if (first == "drill") != setup.plan.is_some() {
        bail!("drill has a `plan`, and no other generator does");
    }
    if !generator.iter().chain(&setup.plan).any(|word| word.contains(URL)) {
        bail!("its generator's command line holds no {URL}");
    }
    if first == "load" && !generator.iter().any(|word| word == "--json") {
        bail!("`load` prints what can be read back with --json only");
    }
    let seconds = setup.seconds.context("it does not say how many seconds it takes")?;
    let pause = setup.pause.iter().flat_map(|pause| [pause.after, pause.lasts]);
    check_times(pause.chain([seconds]))?;
    check_descriptors(setup)
}

impl Experiment {
    /// The variants' names, each with what holds for it.
    pub fn setups(&self) -> impl Iterator<Item = (&str, Setup)> {
        self.variants.iter().map(|variant| (variant.name.as_str(), variant.own.over(&self.common)))
    }

    /// How far from 1 the median ratio of a difference is at least.
    pub fn margin(&self) -> f64 {
        self.margin.unwrap_or(MARGIN)
    }

    /// From which lateness of one wake-up in a hundred on a run is stalled, in milliseconds.
    pub fn late_ms(&self) -> f64 {
        self.late_ms.unwrap_or(NOISY_P99_MS)
    }

    /// Whether it compares programs, and not servers.
    pub fn is_of_programs(&self) -> bool {
        self.setups().any(|(_, setup)| setup.program.is_some())
    }

    /// On which processors a variant, or [`CONTROL`], runs.
    pub fn pin_of(&self, name: &str) -> Pin {
        let name = if name == CONTROL { self.baseline() } else { name };
        self.variant(name).and_then(|variant| variant.pin).unwrap_or(self.pin)
    }

    /// What holds for a variant, or for [`CONTROL`]; `None` if there is no such variant.
    pub fn setup(&self, name: &str) -> Option<Setup> {
        let name = if name == CONTROL { self.baseline() } else { name };
        Some(self.variant(name)?.own.over(&self.common))
    }

    /// What is run in each round: every variant, and [`CONTROL`] where there is one.
    pub fn entries(&self) -> Vec<&str> {
        let names = self.variants.iter().map(|variant| variant.name.as_str());
        names.chain(self.control.then_some(CONTROL)).collect()
    }

    /// The same, shortened to a sketch: two rounds, runs of a second or of 200 requests.
    ///
    /// A run during which the server is paused keeps its length: it would end before the pause. So does a program
    /// without [`SECONDS`] among its arguments.
    pub fn shortened(&self) -> Experiment {
        let shorten = |setup: &Setup| Setup {
            generator: setup.generator.as_deref().map(shorter),
            plan: setup.plan.as_deref().map(shorter_plan),
            seconds: setup.seconds.map(|seconds| seconds.min(QUICK_SECONDS)),
            ..setup.clone()
        };
        let keeps_its_length = |setup: &Setup| {
            let timed = setup.arguments.iter().flatten().any(|word| word.contains(SECONDS));
            setup.pause.is_some() || (setup.program.is_some() && !timed)
        };
        let pauses = self.setups().any(|(_, setup)| keeps_its_length(&setup));
        let mut quick = Experiment { rounds: self.rounds.min(QUICK_ROUNDS), ..self.clone() };
        if !pauses {
            quick.common = shorten(&quick.common);
            for variant in &mut quick.variants {
                variant.own = shorten(&variant.own);
            }
        }
        quick
    }
}

/// Stands for the server's address in a generator's command line.
pub const URL: &str = "{url}";

/// Stands for the variant's seconds in a program's arguments.
pub const SECONDS: &str = "{seconds}";

/// The rounds of a sketch.
const QUICK_ROUNDS: usize = 2;

/// About how long a run of a sketch takes at most, in seconds.
const QUICK_SECONDS: f64 = 2.0;

/// The requests of a run of a sketch, where their number is given.
const QUICK_REQUESTS: u64 = 200;

/// A generator's command line with a shorter time or fewer requests.
fn shorter(words: &[String]) -> Vec<String> {
    let (time, count): (&[&str], &[&str]) = match words.first().map(String::as_str) {
        Some("wrk") => (&["-d", "--duration"], &[]),
        Some("ab") => (&["-t"], &["-n"]),
        Some("load") => (&["--duration"], &[]),
        Some("oha") => (&["-z"], &["-n"]),
        _ => (&[], &[]),
    };
    // ab wants at least as many requests as connections.
    let connections = option(words, &["-c", "--connections"]).and_then(|text| text.parse().ok());
    let requests = QUICK_REQUESTS.max(connections.unwrap_or(0));
    let least = |old: &str| match old.parse::<u64>() {
        Ok(old) => old.min(requests).to_string(),
        Err(_) => old.to_owned(),
    };
    // A time without a unit is in seconds for all of them; oha alone wants the unit.
    let second = |old: &str| match seconds_in(old) {
        Some(seconds) if seconds <= 1.0 => old.to_owned(),
        _ if old.ends_with(|letter: char| letter.is_ascii_digit()) => "1".to_owned(),
        _ => "1s".to_owned(),
    };
    let mut words = words.to_vec();
    replace_option(&mut words, time, second);
    replace_option(&mut words, count, least);
    words
}

/// drill's plan with fewer requests.
fn shorter_plan(plan: &str) -> String {
    static COUNT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"iterations: *(\d+)").expect("a correct expression"));
    COUNT
        .replace(plan, |found: &Captures| match found[1].parse::<u64>() {
            Ok(count) if count > QUICK_REQUESTS => format!("iterations: {QUICK_REQUESTS}"),
            Ok(_) | Err(_) => found[0].to_owned(),
        })
        .into_owned()
}

/// The seconds in `4`, `4s` or `4.5s`; `None` for other units.
fn seconds_in(text: &str) -> Option<f64> {
    text.strip_suffix('s').unwrap_or(text).parse().ok()
}

/// The value of an option, under one of its names: `-c 4`, `-c4` or `--connections=4`.
pub fn option<'a>(words: &'a [String], names: &[&str]) -> Option<&'a str> {
    let (index, start) = find_option(words, names)?;
    words.get(index).map(|word| &word[start..])
}

/// The word that holds an option's value, and where in it the value starts.
fn find_option(words: &[String], names: &[&str]) -> Option<(usize, usize)> {
    words.iter().enumerate().skip(1).find_map(|(index, word)| {
        if names.contains(&word.as_str()) {
            return Some((index + 1, 0));
        }
        names.iter().find_map(|name| {
            let value = word.strip_prefix(name)?;
            match name.starts_with("--") {
                true => value.starts_with('=').then_some((index, name.len() + 1)),
                false => Some((index, name.len())),
            }
        })
    })
}

fn replace_option(words: &mut [String], names: &[&str], new: impl Fn(&str) -> String) {
    let Some((index, start)) = find_option(words, names) else { return };
    let Some(word) = words.get_mut(index) else { return };
    let value = new(&word[start..]);
    word.replace_range(start.., &value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{POOL, PROGRAM, repository};

    #[test]
    fn a_program_is_described() {
        let experiment = read(PROGRAM).unwrap();
        assert!(experiment.is_of_programs() && !read(POOL).unwrap().is_of_programs());
        let pins = experiment.entries().into_iter().map(|name| experiment.pin_of(name));
        assert_eq!(pins.collect::<Vec<_>>(), [Pin::None, Pin::One, Pin::None]);
        let stored = serde_json::to_string(&experiment).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&stored).unwrap(), experiment);
        read(&PROGRAM.replace("rounds_per_second", "program_cpu_seconds")).unwrap();
        let refused = |old: &str, new: &str, why: &str| {
            assert!(PROGRAM.contains(old), "{old}");
            let message = format!("{:#}", read(&PROGRAM.replacen(old, new, 1)).unwrap_err());
            assert!(message.contains(why), "{message}");
        };
        refused("\"hardware_threads\"", "\"rounds\"", "no program examples/rounds");
        refused("\"hardware_threads\"", "\"\"", "no program examples/");
        refused("rounds = 5", "rounds = 5\nserver = \"ch03_threadpool\"", "`server` is a server's");
        refused("rounds = 5", "rounds = 5\ncount = \"syscalls\"", "`count` is a server's");
        refused("rounds = 5", "rounds = 5\npin = \"apart\"", "(`one`)");
        refused("seconds = 4", "", "how many seconds");
        refused("seconds = 4", "seconds = 4\ndescriptors = 2", "16");
        refused("rounds_per_second", "Rounds", "a figure's name");
        refused("rounds_per_second", "stall_p99_ms", "measures itself");
        let mixed = "[[variants]]\nname = \"a server\"\nserver = \"ch03_threadpool\"\n[[variants]]";
        refused("[[variants]]", mixed, "`server` is a server's");
        let without = PROGRAM.replace("program = \"hardware_threads\"\n", "").replacen(
            "name = \"8 threads\"",
            "name = \"8 threads\"\nprogram = \"hardware_threads\"",
            1,
        );
        let message = format!("{:#}", read(&without).unwrap_err());
        assert!(message.contains("`1 thread`: it has no program"), "{message}");
        for key in ["arguments = []", "busy = true", "pin = \"one\""] {
            let server =
                POOL.replace("name = \"pool of 1\"", &format!("name = \"pool of 1\"\n{key}"));
            assert!(read(&server).is_err(), "{key}");
        }
    }

    #[test]
    fn a_sketch_of_a_program_is_short_where_its_seconds_can_be_said() {
        let quick = read(PROGRAM).unwrap().shortened();
        assert_eq!((quick.rounds, quick.setup("8 threads").unwrap().seconds), (2, Some(2.0)));
        let fixed = PROGRAM.replacen("\"{seconds}\"", "\"4\"", 1);
        let quick = read(&fixed).unwrap().shortened();
        assert_eq!((quick.rounds, quick.setup("8 threads").unwrap().seconds), (2, Some(4.0)));
    }

    fn read(text: &str) -> Result<Experiment> {
        parse("pool-law", text, repository().path())
    }

    #[track_caller]
    fn refused(old: &str, new: &str, why: &str) {
        assert!(POOL.contains(old), "{old}");
        let message = format!("{:#}", read(&POOL.replacen(old, new, 1)).unwrap_err());
        assert!(message.contains(why), "{message}");
    }

    #[test]
    fn a_generator_may_be_the_limit_where_no_law_says_otherwise() {
        let may = |text: &str| {
            let experiment = read(text).unwrap();
            experiment.may_saturate(&experiment.setup("pool of 1").unwrap())
        };
        assert!(!may(POOL));
        let lawless: Vec<&str> = POOL.lines().filter(|line| !line.contains("law =")).collect();
        assert!(may(&lawless.join("\n")));
        let says = |yes: bool| format!("seconds = 4\nsaturation_expected = {yes}");
        assert!(may(&POOL.replace("seconds = 4", &says(true))));
        assert!(!may(&lawless.join("\n").replace("seconds = 4", &says(false))));
    }

    #[test]
    fn words_and_margin_change_nothing_that_is_measured() {
        let experiment = read(POOL).unwrap();
        let like = |change: &dyn Fn(&mut Experiment)| {
            let mut other = experiment.clone();
            change(&mut other);
            other.measures_like(&experiment)
        };
        assert!(like(&|it| it.title = "Another".to_owned()));
        assert!(like(&|it| it.margin = Some(0.5)));
        assert!(like(&|it| it.variants[0].x = Some(77.0)));
        assert!(!like(&|it| it.rounds += 1));
        assert!(!like(&|it| it.late_ms = Some(6.0)));
        assert!(!like(&|it| it.baseline = Some("pool of 4".to_owned())));
        assert!(!like(&|it| it.variants[0].law = None));
        assert!(!like(&|it| it.variants[0].name = "another".to_owned()));
    }

    #[test]
    fn a_description_is_read() {
        let experiment = read(POOL).unwrap();
        assert_eq!((experiment.rounds, experiment.pin), (5, Pin::Apart));
        assert_eq!(experiment.baseline(), "pool of 1");
        assert_eq!(experiment.entries(), ["pool of 1", "pool of 4", "control"]);
        assert_eq!(experiment.setup(CONTROL), experiment.setup("pool of 1"));
        let setup = experiment.setup("pool of 4").unwrap();
        assert_eq!(setup.options.unwrap(), ["--threads", "4"]);
        assert_eq!((setup.seconds, setup.descriptors), (Some(4.0), Some(200)));
        assert_eq!(setup.env.unwrap()["LIMITED"], "1");
        assert_eq!(experiment.variants[0].law.as_ref().unwrap().value, 10.0);
        assert_eq!(experiment.setup("pool of 9"), None);
        // Stored and read again it is the same.
        let stored = serde_json::to_string(&experiment).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&stored).unwrap(), experiment);
    }

    #[test]
    fn what_is_unknown_is_refused_by_name() {
        refused("rounds = 5", "rounds = 5\nround = 5", "there is no key `round`;");
        refused("descriptors = 200", "descriptor = 200", "no key `descriptor` in variant 2");
        refused("words = \"1 / 0.1 s\"", "words = \"\", unit = 1", "unit");
        refused("\"apart\"", "\"above\"", "above");
        refused("requests_per_second", "speed", "no figure `speed`");
        refused("\"measuring\"", "\"measured\"", "no page book/measured.md");
        refused("\"ch03_threadpool\"", "\"ch09\"", "no server examples/ch09");
        refused("\"ch03_threadpool\"", "\"../book\"", "no server examples/../book");
        refused("\"wrk\"", "\"siege\"", "no generator `siege`");
        refused("rounds = 5", "rounds = 5\nbaseline = \"x\"", "baseline `x`");
    }

    #[test]
    fn what_can_not_be_measured_is_refused() {
        refused("{url}/sleep", "/sleep", "no {url}");
        refused("\"wrk\", ", "\"load\", ", "--json");
        refused("seconds = 4", "", "how many seconds");
        refused("seconds = 4", "seconds = 0", "more than none");
        refused("rounds = 5", "rounds = 0", "no rounds");
        refused("rounds = 5", "rounds = 5\nmargin = 50", "0.1 for 10 %");
        refused("rounds = 5", "rounds = 5\nmargin = nan", "0.1 for 10 %");
        refused("rounds = 5", "rounds = 5\nlate_ms = 30", "between 1 and 20 ms");
        refused("\"pool of 4\"", "\"pool of 1\"", "two variants have the name");
        refused("\"pool of 4\"", "\"control\"", "second run of the baseline");
        refused("\"--threads\", \"4\"", "\"--port\", \"4\"", "the port");
        refused("descriptors = 200", "descriptors = 2", "16");
        let alone = POOL.split("[[variants]]").take(2).collect::<Vec<_>>().join("[[variants]]");
        assert!(read(&alone).unwrap_err().to_string().contains("two variants"));
        read(&alone.replace("rounds = 5", "rounds = 5\ncount = \"syscalls\"")).unwrap();
        for name in ["Pool", "", "a_b", "ladder"] {
            assert!(parse(name, POOL, repository().path()).is_err(), "{name}");
        }
    }

    #[test]
    fn all_files_of_the_folder_are_read_and_a_wrong_one_is_named() {
        let root = repository();
        assert!(load_all(&root.path().join("elsewhere")).unwrap().is_empty());
        let write = |name: &str, text: &str| fs::write(folder(root.path()).join(name), text);
        write("pool-law.toml", POOL).unwrap();
        write("notes.txt", "no experiment").unwrap();
        assert_eq!(load_all(root.path()).unwrap().keys().collect::<Vec<_>>(), ["pool-law"]);
        write("other.toml", "titel = 1").unwrap();
        let message = format!("{:#}", load_all(root.path()).unwrap_err());
        assert!(message.starts_with("xtask/experiments/other.toml: "), "{message}");
        assert!(message.contains("`titel`"), "{message}");
    }

    #[test]
    fn only_drill_has_a_plan() {
        let with = |generator: &str, plan: &str| {
            let text = POOL.replace("\"wrk\", \"-t1\"", generator);
            read(&text.replace("seconds = 4", &format!("seconds = 4\n{plan}")))
        };
        let plan = "plan = 'plan: [{request: {url: \"{url}/\"}}]'";
        assert!(with("\"drill\"", plan).is_ok());
        for (generator, plan) in [("\"drill\"", ""), ("\"wrk\"", plan)] {
            let message = format!("{:#}", with(generator, plan).unwrap_err());
            assert!(message.contains("`plan`"), "{message}");
        }
    }

    #[test]
    fn the_repositorys_own_descriptions_are_right() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .expect("it lies two folders deep");
        load_all(root).unwrap();
    }

    #[test]
    fn a_sketch_is_short() {
        let quick = read(POOL).unwrap().shortened();
        let setup = quick.setup("pool of 4").unwrap();
        assert_eq!((quick.rounds, setup.seconds), (2, Some(2.0)));
        assert_eq!(setup.generator.unwrap()[3], "-d1s");
        let short = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            shorter(&words).join(" ")
        };
        assert_eq!(short("wrk -t 1 -d 30s {url}/"), "wrk -t 1 -d 1s {url}/");
        assert_eq!(short("wrk --duration=2m {url}/"), "wrk --duration=1s {url}/");
        assert_eq!(short("ab -c 100 -n 10000 {url}/"), "ab -c 100 -n 200 {url}/");
        assert_eq!(short("ab -c 500 -n10000 {url}/"), "ab -c 500 -n500 {url}/");
        assert_eq!(short("load --json --duration 5 {url}/"), "load --json --duration 1 {url}/");
        assert_eq!(short("load --json --duration 0.5 {url}/"), "load --json --duration 0.5 {url}/");
        assert_eq!(short("oha -z 10s -q 100 {url}/"), "oha -z 1s -q 100 {url}/");
        let plan = "{concurrency: 50, iterations: 2000, plan: [{request: {url: '{url}/'}}]}";
        assert_eq!(shorter_plan(plan), plan.replace("2000", "200"));
        assert_eq!(shorter_plan("iterations: 20"), "iterations: 20");
        let paused = POOL.replace("seconds = 4", "seconds = 4\npause = { after = 1, lasts = 1 }");
        let setup = read(&paused).unwrap().shortened().setup("pool of 1").unwrap();
        assert_eq!(setup.generator.unwrap()[3], "-d4s");
    }
}
