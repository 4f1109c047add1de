//! The description of an experiment: the files in `measurements/experiments`.
//!
//! An experiment compares servers, or small programs. A **server** is started, a generator sends it requests, and
//! what the generator prints is the result: `pool-law.toml` is such an experiment. A **program** is an example of the
//! workspace, `examples/NAME`, as in `many-compute.toml`. It is run to its end, alone, without server, generator and
//! wire tests.
//!
//! It prints one JSON object on standard output, and nothing else there: `{"figures": {"rounds_per_second": 1234.5,
//! "voluntary_switches": 12}}`. Each of these becomes a figure of the run, `null` one that could not be had; the
//! metric is one of them. A name is of small letters, digits and `_`, and ends with its unit (`_ms`, `_kib`,
//! `_per_second`); the tool's own names ([`FIGURES`] of the machine, `program_…`) are not to be had. What the tool
//! measures itself: `program_seconds` (start and end included), `program_cpu_seconds` with `…_user_…` and
//! `…_system_…`, `program_voluntary_switches`, `program_involuntary_switches`, and from samples taken five times a
//! second, so that short programs have none, `program_peak_memory_mib` and `program_peak_threads`. A run in which
//! the program fails or prints anything else is void. `{seconds}` in an argument stands for the variant's `seconds`.
//! Of the keys of a server's variant, only `env`, `profile`, `descriptors` and `seconds` mean something for a program.
//! A program that looks at what a server is made of names that `server`: it is built before, as for a measurement, and
//! is not started.
//!
//! A table `[servers]` stands for a variant of each server, and a table `[curve]` for variants of some servers at each of
//! some loads: see the module `expansion`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Table;

/// The name under which the baseline runs a second time in each round.
pub const CONTROL: &str = "control";

/// One experiment. Its settings of the server and the generator hold for every variant that sets nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// The title of its chart.
    pub title: String,
    /// Its question, in a sentence.
    pub question: String,
    /// What is expected of it, in a sentence that is written down before it is measured: what the law or a reader's guess
    /// says, or "We don't know."
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Its finding, in a sentence of Markdown; the figures in it are directives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
    /// The page of the book that it belongs to: `measuring` for `book/measuring.md`.
    pub page: String,
    /// The figure that is compared: one of [`FIGURES`], or one that the programs print.
    pub metric: String,
    /// The number of rounds; in each, every variant runs once.
    pub rounds: usize,
    /// The processors on which server and generator, or the program, run, where a variant sets nothing else.
    #[serde(default)]
    pub pin: Pin,
    /// The variant that the others are compared with; the first, where this is absent.
    pub baseline: Option<String>,
    /// Whether the baseline runs a second time in each round, under the name [`CONTROL`].
    #[serde(default = "yes")]
    pub control: bool,
    /// Settings of the chart.
    #[serde(default)]
    pub chart: Chart,
    /// The setup of every variant, unless that sets something else.
    #[serde(flatten)]
    pub common: Setup,
    /// The variants that are compared.
    pub variants: Vec<Variant>,
}

/// A server and what is done to it, or a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The package of the server, and its example. A program may have one, which is built before and not started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The package of the program that is run instead of a server, and its example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The program's arguments; `{seconds}` stands for `seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// The server's options, without `--port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// Environment variables of the server or program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// The profile with which the server or program is compiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// The limit of descriptors for the server or program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptors: Option<u64>,
    /// The destination of the server's standard error: `null` (the default), `file`, `pipe` or `terminal`.
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
    /// The number of runs of the generator before the one that counts, on the same server: a compiler at run time needs
    /// them. `load` then runs without its rate, because such a compiler needs requests rather than time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<u32>,
    /// The rate, in percent of the server's capacity: what a process of it answered in a closed loop at the
    /// beginning of each round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// The events of the server that the kernel counts while the generator runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// The server is stopped for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Pause>,
    /// Whether errors are the finding, so that runs with errors count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors_expected: Option<bool>,
}

/// One of the things that are compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name in tables.
    pub name: String,
    /// The reason why it gets fewer requests than the source's command line has, if it does: `300 requests instead of …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<String>,
    /// The prediction of the metric by arithmetic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<Law>,
    /// The line of the chart that it lies on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,
    /// Its place on the chart's horizontal axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// The processors on which it runs, if not those of the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Pin>,
    /// Its own settings, where it differs from the common setup.
    #[serde(flatten)]
    pub own: Setup,
}

/// A prediction by arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Law {
    /// The number, in the metric's unit.
    pub value: f64,
    /// The formula: `4 / 0.1 s`.
    pub words: String,
}

/// A pause: the server is stopped (SIGSTOP) and goes on (SIGCONT).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// The time from the generator's start to the pause, in seconds.
    pub after: f64,
    /// The length of the pause, in seconds.
    pub lasts: f64,
}

/// Settings of a chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Chart {
    /// Bars, or lines over an axis.
    pub kind: ChartKind,
    /// The label of the horizontal axis of a line chart, with its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_label: Option<String>,
    /// The figure along the horizontal axis, where each run is a dot at what was measured in it: a line chart then has no
    /// lines, and its variants need no `x`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_figure: Option<String>,
    /// The figures that a table below such a chart tells by bands of the figure along the axis; the metric, where none is
    /// named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<String>,
    /// Whether the axis of the metric is logarithmic.
    pub log: bool,
    /// Whether the horizontal axis of a line chart is logarithmic.
    pub x_log: bool,
    /// The series, or of bars the variants, that are drawn in colour; all, where none is named. The others are grey.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
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

/// The binding of server and generator, or of a program, to processors.
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

/// The profile with which a server is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// `cargo build --release`.
    #[default]
    Release,
    /// `cargo build`.
    Debug,
}

/// The destination of the server's standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sink {
    /// Thrown away by the system.
    #[default]
    Null,
    /// A file on the disk.
    File,
    /// A terminal without a window (a pseudo-terminal), from which somebody reads.
    Terminal,
}

/// Events of a server that the kernel counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Count {
    /// System calls, by the tracepoint `raw_syscalls:sys_enter`, which `perf stat` reads: no call is stopped for it.
    Syscalls,
}

fn yes() -> bool {
    true
}

impl Setup {
    /// Merges a variant's own setup with the common one, over which it wins.
    pub fn over(&self, common: &Setup) -> Setup {
        let mut merged = common.table();
        merged.extend(self.table());
        merged.try_into().expect("it is made of two setups")
    }

    /// Returns the settings that are set.
    fn table(&self) -> Table {
        Table::try_from(self).expect("a setup is text and numbers")
    }
}

impl Variant {
    /// Makes a variant of this name that sets nothing else.
    pub fn named(name: &str) -> Variant {
        Variant { name: name.to_owned(), ..Variant::default() }
    }
}

impl Experiment {
    /// Returns the name of the variant that the others are compared with.
    pub fn baseline(&self) -> &str {
        match (&self.baseline, self.variants.first()) {
            (Some(name), _) => name,
            (None, Some(first)) => &first.name,
            (None, None) => "",
        }
    }

    /// Finds the variant of this name.
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }

    /// Lists the variants' names, each with its setup merged with the common one.
    pub fn setups(&self) -> impl Iterator<Item = (&str, Setup)> {
        self.variants.iter().map(|variant| (variant.name.as_str(), variant.own.over(&self.common)))
    }

    /// Tells whether it compares programs, and not servers.
    pub fn is_of_programs(&self) -> bool {
        self.setups().any(|(_, setup)| setup.program.is_some())
    }

    /// Finds the variant of this name, which is the baseline for [`CONTROL`].
    fn entry(&self, name: &str) -> Option<&Variant> {
        self.variant(if name == CONTROL { self.baseline() } else { name })
    }

    /// Returns the binding of a variant, or of [`CONTROL`], to processors.
    pub fn pin_of(&self, name: &str) -> Pin {
        self.entry(name).and_then(|variant| variant.pin).unwrap_or(self.pin)
    }

    /// Returns the setup of a variant, or of [`CONTROL`]; `None` if there is no such variant.
    pub fn setup(&self, name: &str) -> Option<Setup> {
        Some(self.entry(name)?.own.over(&self.common))
    }

    /// Returns the runs of a round: every variant, and [`CONTROL`] if there is one.
    pub fn entries(&self) -> Vec<&str> {
        let names = self.variants.iter().map(|variant| variant.name.as_str());
        names.chain(self.control.then_some(CONTROL)).collect()
    }
}

/// Stands for the server's address in a generator's command line.
pub const URL: &str = "{url}";

/// Stands for the requests per second that a variant's `share` comes to, in a generator's command line.
pub const RATE: &str = "{rate}";

/// Stands for the variant's seconds in a program's arguments.
pub const SECONDS: &str = "{seconds}";
