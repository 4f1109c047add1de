//! What an experiment asks, and how: the files in `xtask/experiments`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
    /// The figure that is compared: one of [`FIGURES`](crate::results::FIGURES).
    pub metric: String,
    /// How often every variant is measured.
    pub rounds: usize,
    /// On which processors server and generator run.
    #[serde(default)]
    pub pin: Pin,
    /// The variant that the others are compared with; the first, where this is absent.
    #[serde(default)]
    pub baseline: Option<String>,
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

/// A server and what is done to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The package of the server, and its example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The server's options, without `--port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// Environment variables of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// How the server is compiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// How many files and sockets the server may have open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptors: Option<u64>,
    /// Where the server's standard error goes: `null` (the default), `file` or `pipe`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<Sink>,
    /// The generator's command line; `{url}` stands for the server's address, such as `http://127.0.0.1:8080`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<Vec<String>>,
    /// About how long the generator takes, in seconds.
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

/// On which processors server and generator run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pin {
    /// Wherever the kernel puts them.
    #[default]
    None,
    /// The server on one half of the processors, the generator on the other.
    Apart,
    /// Both on the first processor.
    Together,
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
            options,
            env,
            profile,
            descriptors,
            stderr,
            generator,
            seconds,
            count,
            pause,
            errors_expected,
        } = self.clone();
        let common = common.clone();
        Setup {
            server: server.or(common.server),
            options: options.or(common.options),
            env: env.or(common.env),
            profile: profile.or(common.profile),
            descriptors: descriptors.or(common.descriptors),
            stderr: stderr.or(common.stderr),
            generator: generator.or(common.generator),
            seconds: seconds.or(common.seconds),
            count: count.or(common.count),
            pause: pause.or(common.pause),
            errors_expected: errors_expected.or(common.errors_expected),
        }
    }
}

impl Experiment {
    /// The name of the variant that the others are compared with.
    pub fn baseline(&self) -> &str {
        let first = || self.variants.first().map_or("", |variant| variant.name.as_str());
        self.baseline.as_deref().unwrap_or_else(first)
    }

    /// The variant of this name.
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }
}
