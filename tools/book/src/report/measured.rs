//! Looks up what a page shows of experiments: figures and charts, which were computed and drawn once an edition
//! (`cargo xtask charts`), laws, raw output, and the machine.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use pictures::{
    sign::sign,
    text::{capital, code, escape, figure_words, plain, plural, table, unit},
};
use records::{
    base::{fenced, shortest, significant},
    computed::{self, Computed, Key},
    description::Experiment,
    descriptions,
    results::shown_folder,
    servers::Server,
    store::{self, EXPERIMENTS, Session},
};

use crate::report::origin::{gib, machines, period, values};

/// The measured experiments.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The repository's root.
    root: PathBuf,
    /// The figures that pages name.
    figures: BTreeMap<Key, Computed>,
    /// The descriptions of the experiments, by name.
    descriptions: BTreeMap<String, Experiment>,
    /// The sessions in which they were measured, by name.
    sessions: BTreeMap<String, Session>,
}

/// A figure that a directive names: of a variant, or of two round by round.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    /// The experiment.
    pub name: &'a str,
    /// The variant.
    pub of: &'a str,
    /// The variant with which it is compared, if it is; the baseline, where none is named.
    pub to: Option<Option<&'a str>>,
    /// The figure; the metric, where none is named.
    pub figure: Option<&'a str>,
}

/// How many runs there are, and how many of them count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The runs that count.
    pub counted: usize,
    /// All runs.
    pub all: usize,
}

impl Measured {
    /// Reads what was measured for the book. Fails when a file can't be read.
    pub fn read(root: &Path) -> Result<Measured> {
        Ok(Measured {
            root: root.to_path_buf(),
            figures: computed::read(root)?,
            descriptions: descriptions::load_all(root)?,
            sessions: store::sessions(&shown_folder(root).join(EXPERIMENTS))?,
        })
    }

    /// The description of an experiment. Fails when there is none of this name.
    pub fn description(&self, name: &str) -> Result<&Experiment> {
        self.descriptions.get(name).with_context(|| {
            let known: Vec<&str> = self.descriptions.keys().map(String::as_str).collect();
            let known = known.join(", ");
            format!("measurements/experiments/{name}.toml is not there; there are {known}")
        })
    }

    /// Looks up a figure. Fails when there is no such experiment, or the figure was not computed; the message says what to do.
    pub fn figure(&self, named: Named) -> Result<&Computed> {
        let description = self.description(named.name)?;
        let to = named.to.map(|to| to.unwrap_or(description.baseline()));
        let key = Key {
            experiment: named.name.to_owned(),
            of: named.of.to_owned(),
            to: to.map(str::to_owned),
            figure: named.figure.unwrap_or(&description.metric).to_owned(),
        };
        self.figures.get(&key).context(
            "measurements/figures.csv has no such figure yet; `cargo xtask charts` computes it, or says why it can't",
        )
    }

    /// Writes the law of a variant with its outcome: `4 / 0.1 s = 40 requests/s`.
    /// Fails when there is no such variant, or no law predicts it.
    pub fn law(&self, name: &str, variant: &str) -> Result<String> {
        let description = self.description(name)?;
        let law = description.variant(variant).and_then(|it| it.law.as_ref());
        let law = law.with_context(|| {
            format!("no law predicts {name} \"{variant}\"; measurements/experiments/{name}.toml may give one")
        })?;
        // The descriptions are written by hand, in ASCII.
        let words = law.words.replace(" x ", " × ");
        let outcome = format!("{words} = {} {}", shortest(law.value), unit(&description.metric));
        Ok(outcome.trim_end().to_owned())
    }

    /// Reads the chart of an experiment, and gives it this `id`. The page's first chart names the machine, and the others
    /// point there. Fails when it was not drawn.
    pub fn chart(&self, name: &str, id: &str, is_first: bool) -> Result<String> {
        self.description(name)?;
        let path = self.root.join("measurements/charts").join(format!("{name}.html"));
        let chart = fs::read_to_string(&path).with_context(|| {
            format!("cannot read {}; `cargo xtask charts` draws it", path.display())
        })?;
        let machine = match is_first {
            true => format!(" The machine: {}.", escape(&self.machine_line(&[name.to_owned()])?)),
            false => " The machine stands at the first chart of this page.".to_owned(),
        };
        let chart = chart.replace(&format!("chart-{name}"), id);
        let (before, after) = chart.rsplit_once("</p>").context("a chart ends with a paragraph")?;
        Ok(format!("{before}{machine}</p>{}", after.trim_end()))
    }

    /// Writes a table of these variants: the metric, and where one has a law, its prediction; before it what was expected,
    /// if that stood in the description when it was measured.
    /// Fails when no variant is named, or one was not computed.
    pub fn compare(&self, name: &str, variants: &[String]) -> Result<String> {
        ensure!(!variants.is_empty(), "it names no variants");
        let description = self.description(name)?;
        let mut rows = Vec::new();
        for variant in variants {
            let figure = Named { name, of: variant, to: None, figure: None };
            let median = significant(self.figure(figure)?.median);
            let law = description.variant(variant).and_then(|it| it.law.as_ref());
            let law = law.map_or_else(|| "–".to_owned(), |law| shortest(law.value));
            rows.push(vec![label(description, variant), median, law]);
        }
        let mut headings = vec!["Server".to_owned(), capital(&figure_words(&description.metric))];
        if rows.iter().any(|row| row[2] != "–") {
            headings.push("The law".to_owned());
        } else {
            rows.iter_mut().for_each(|row| row.truncate(2));
        }
        let expected = match self.expectation(name) {
            Some(words) => format!("**Expected:** {words}\n\n"),
            None => String::new(),
        };
        Ok(expected + &table(&headings, &[], rows))
    }

    /// What was expected before it was measured, as text in a sentence.
    /// Fails when nothing stood in its description then.
    pub fn expected(&self, name: &str) -> Result<String> {
        self.expectation(name).with_context(|| format!("{name}: nothing was expected of it"))
    }

    fn expectation(&self, name: &str) -> Option<String> {
        self.sessions.get(name)?.expected.as_deref().map(plain)
    }

    /// Quotes the generator's output in the first round of a variant that counts.
    /// Fails when there is no such variant, or its raw output is lost.
    pub fn raw(&self, name: &str, variant: &str) -> Result<String> {
        let folder = shown_folder(&self.root).join(EXPERIMENTS);
        let record = store::read(&folder, name)?;
        let counted = record.counted(variant);
        let (round, _) = counted
            .first_key_value()
            .with_context(|| format!("no run of {name} \"{variant}\" counts"))?;
        let text = store::read_raw(&folder, name)?;
        let output = store::raw_of(&text, *round, variant)
            .with_context(|| format!("experiments/{name}.txt has no round {round}, {variant}"))?;
        Ok(fenced("text", output.trim_end()))
    }

    /// How many runs of an experiment count. Fails when there is no record of it.
    pub fn counted(&self, name: &str) -> Result<Counted> {
        let record = store::read(&shown_folder(&self.root).join(EXPERIMENTS), name)?;
        let counted = record.runs.iter().filter(|run| run.left_out.is_none()).count();
        Ok(Counted { counted, all: record.runs.len() })
    }

    fn latest(&self) -> Result<&Session> {
        let latest = self.sessions.values().max_by(|one, other| one.finished.cmp(&other.finished));
        latest.context("there are no results yet; `cargo xtask bench` measures them")
    }

    fn session(&self, name: &str) -> Result<&Session> {
        self.sessions.get(name).with_context(|| {
            format!("there is no record of {name}; `cargo xtask bench --only {name}` measures it")
        })
    }

    /// Names the machines of these experiments in half a sentence, or of all where none is named. Fails when one was not
    /// measured.
    pub fn machine_line(&self, names: &[String]) -> Result<String> {
        self.latest()?;
        let chosen: Vec<&Session> = match names {
            [] => self.sessions.values().collect(),
            names => names.iter().map(|name| self.session(name)).collect::<Result<_>>()?,
        };
        Ok(machines(&chosen))
    }

    /// Writes a table of the machines, the tools, and the time of the measurements. A property that is not the same for
    /// all sessions has a row for each of its values. Fails when nothing was measured yet.
    pub fn machine(&self) -> Result<String> {
        let latest = self.latest()?;
        let all: Vec<&Session> = self.sessions.values().collect();
        let mut rows = Vec::new();
        add_rows(&mut rows, "Processor", &all, |it| text(&it.machine.cpu_model));
        add_rows(&mut rows, "Physical cores", &all, |it| count(it.machine.physical_cores));
        add_rows(&mut rows, "Hardware threads", &all, |it| count(it.machine.hardware_threads));
        add_rows(&mut rows, "Memory", &all, |it| it.machine.memory_mib.map_or_else(unknown, gib));
        add_rows(&mut rows, "Operating system", &all, |it| text(&it.machine.operating_system));
        add_rows(&mut rows, "Kernel", &all, |it| text(&it.machine.kernel));
        add_rows(&mut rows, "Compiler", &all, |it| it.rustc.clone());
        let mut tools: Vec<&String> = all.iter().flat_map(|it| it.tools.keys()).collect();
        tools.sort_unstable();
        tools.dedup();
        for tool in tools {
            let own: Vec<&Session> =
                all.iter().copied().filter(|it| it.tools.contains_key(tool)).collect();
            add_rows(&mut rows, tool, &own, |it| it.tools[tool].clone());
        }
        rows.push(vec!["Measured".to_owned(), period(&all, minute) + " (UTC)"]);
        rows.push(vec!["Extent".to_owned(), plural(all.len() as u64, "experiment")]);
        if let Some(commit) = &latest.commit.head {
            let commit = code(&commit[..commit.len().min(12)]);
            rows.push(vec!["Commit of the last".to_owned(), commit]);
        }
        Ok(table(&["Property", "Value"], &["Value"], rows))
    }
}

/// Adds a row for each value that sessions have of a property.
fn add_rows(
    rows: &mut Vec<Vec<String>>,
    property: &str,
    sessions: &[&Session],
    value: impl Fn(&Session) -> String,
) {
    let values = values(sessions, value);
    let several = values.len() > 1;
    for (mut value, own) in values {
        if several {
            let extent = plural(own.len() as u64, "experiment");
            value = format!("{value}: {extent}, {}", period(&own, minute));
        }
        rows.push(vec![property.to_owned(), value.replace('|', "\\|")]);
    }
}

/// Returns the minute of a moment in RFC 3339.
fn minute(moment: &str) -> String {
    moment.get(..16).unwrap_or(moment).replace('T', " ")
}

fn unknown() -> String {
    "not published by this system".to_owned()
}

fn count(value: Option<u64>) -> String {
    value.map_or_else(unknown, |value| value.to_string())
}

fn text(value: &Option<String>) -> String {
    value.clone().unwrap_or_else(unknown)
}

/// Names a variant in a table, in Markdown: a server by its sign and its short name.
fn label(description: &Experiment, name: &str) -> String {
    let started = description.setup(name).and_then(|setup| setup.server);
    let server = started.as_deref().and_then(Server::named);
    match server.and_then(|server| Some((server, name.strip_prefix(server.name.as_str())?))) {
        Some((server, rest)) => sign(server) + &plain(&(server.called.clone() + rest)),
        None => plain(name),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use records::testing::{POOL, pool, session};

    use super::*;
    use crate::report::testing::{has, lacks};

    /// The law of the pool, with some of its figures.
    pub(crate) fn measured() -> (tempfile::TempDir, Measured) {
        let root = tempfile::tempdir().unwrap();
        let (_, record) = pool();
        let raw = record.runs.iter().fold(String::new(), |mut raw, run| {
            store::add_raw(&mut raw, run.round, &run.variant, "Requests/sec: 9.9\n");
            raw
        });
        store::write(&shown_folder(root.path()).join(EXPERIMENTS), "pool-law", &record, &raw)
            .unwrap();
        let description = descriptions::parse("pool-law", POOL, repository().path()).unwrap();
        let computed =
            Computed { rounds: 5, median: 39.5, least: 39.0, greatest: 39.9, differs: None };
        let ratio = Computed { median: 3.99, differs: Some("more".to_owned()), ..computed.clone() };
        let measured = Measured {
            root: root.path().to_path_buf(),
            figures: [
                (key("pool of 4", None), computed.clone()),
                (key("pool of 1", None), Computed { median: 9.9, ..computed }),
                (key("pool of 4", Some("pool of 1")), ratio),
            ]
            .into(),
            descriptions: [("pool-law".to_owned(), description)].into(),
            sessions: [("pool-law".to_owned(), session())].into(),
        };
        (root, measured)
    }

    fn key(of: &str, to: Option<&str>) -> Key {
        Key {
            experiment: "pool-law".to_owned(),
            of: of.to_owned(),
            to: to.map(str::to_owned),
            figure: "requests_per_second".to_owned(),
        }
    }

    fn repository() -> tempfile::TempDir {
        records::testing::repository()
    }

    #[test]
    fn a_figure_is_of_the_metric_and_beside_the_baseline_where_nothing_else_is_said() {
        let (_root, measured) = measured();
        let named = Named { name: "pool-law", of: "pool of 4", to: None, figure: None };
        assert_eq!(measured.figure(named).unwrap().median, 39.5);
        assert_eq!(measured.figure(Named { to: Some(None), ..named }).unwrap().median, 3.99);
        for (named, complaint) in [
            (Named { figure: Some("errors"), ..named }, "`cargo xtask charts` computes it"),
            (
                Named { name: "pool", ..named },
                "experiments/pool.toml is not there; there are pool-law",
            ),
        ] {
            let error = format!("{:#}", measured.figure(named).unwrap_err());
            assert!(error.contains(complaint), "{error}");
        }
        assert_eq!(measured.law("pool-law", "pool of 1").unwrap(), "1 / 0.1 s = 10 requests/s");
        assert!(measured.law("pool-law", "pool of 4").is_err());
    }

    #[test]
    fn variants_stand_beside_each_other_with_their_laws() {
        let (_root, mut measured) = measured();
        let variants = ["pool of 1", "pool of 4"].map(str::to_owned);
        let rows = "| Server | Requests per second | The law |\n|---|---:|---:|\n\
                    | pool of 1 | 9.90 | 10 |\n| pool of 4 | 39.5 | – |\n";
        assert_eq!(measured.compare("pool-law", &variants).unwrap(), rows);
        let alone = measured.compare("pool-law", &variants[1..]).unwrap();
        lacks(&alone, &["law"]);
        assert!(measured.compare("pool-law", &[]).is_err());
        let session = measured.sessions.get_mut("pool-law").unwrap();
        session.expected = Some("We don't know.".to_owned());
        let expecting = measured.compare("pool-law", &variants).unwrap();
        assert_eq!(expecting, format!("**Expected:** We don't know.\n\n{rows}"));
        assert_eq!(measured.expected("pool-law").unwrap(), "We don't know.");
        measured.sessions.get_mut("pool-law").unwrap().expected = None;
        assert!(measured.expected("pool-law").is_err());
    }

    #[test]
    fn a_chart_is_the_one_that_was_drawn_and_the_machine_stands_once() {
        let (root, measured) = measured();
        let error = format!("{:#}", measured.chart("pool-law", "c", true).unwrap_err());
        assert!(error.contains("`cargo xtask charts` draws it"), "{error}");
        let folder = root.path().join("measurements/charts");
        fs::create_dir_all(&folder).unwrap();
        let drawn = "<figure id=\"chart-pool-law\">\n</figure>\n<p>5 rounds.</p>\n</details>\n";
        fs::write(folder.join("pool-law.html"), drawn).unwrap();
        let first = measured.chart("pool-law", "c", true).unwrap();
        has(&first, &["id=\"c\"", "5 rounds. The machine: A &lt;Processor&gt; &amp; Co, 1 core"]);
        let next = measured.chart("pool-law", "c", false).unwrap();
        has(&next, &["5 rounds. The machine stands at the first chart of this page.</p>"]);
    }

    #[test]
    fn raw_output_is_that_of_the_first_round_that_counts() {
        let (_root, measured) = measured();
        let text = measured.raw("pool-law", "pool of 1").unwrap();
        assert_eq!(text, "```text\nRequests/sec: 9.9\n```");
        assert!(measured.raw("pool-law", "pool").is_err());
    }

    #[test]
    fn the_machine_in_words_and_as_a_table() {
        let (_root, measured) = measured();
        let line = "A <Processor> & Co, 1 core, 2 hardware threads, 2.0 GiB of memory, Linux 6, 2025-01-02";
        assert_eq!(measured.machine_line(&[]).unwrap(), line);
        has(&measured.machine().unwrap(), &["| Memory | 2.0 GiB |", "| wrk | 4.1.0 |"]);
        assert!(Measured::default().machine().is_err());
    }
}
