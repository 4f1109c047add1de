//! Tables with named columns: a row for each variant of some experiments, or for each experiment that has one variant.

use anyhow::{Context, Result, bail, ensure};
use records::{
    base::{number, shortest, significant},
    figures::ENOUGH_ANSWERS,
};

use crate::report::{
    charts::in_table,
    disturbed::explained,
    evidence::{Figures, Pair},
    origin::measured_on,
    quantity::Figure,
    sets::{Evidence, Sets},
    text::{self, ABSENT, capital, code, command_line, figure_words},
};

/// The columns that have a short name, and what stands above them. Every other column is called by its figure.
const COLUMNS: [(&str, &str, What); 12] = [
    ("cpu", "CPU time per request, µs", What::Median(CPU)),
    ("user", "Of it in user mode, µs", What::Median(USER)),
    ("kernel", "In the kernel, µs", What::Median(KERNEL)),
    ("law", "Law, requests/s", What::Law),
    ("rate", "Requests/s", What::Median("requests_per_second")),
    ("spread", "Least to greatest", What::Spread("requests_per_second")),
    ("memory", "Memory, MiB", What::Median("server_peak_memory_mib")),
    ("threads", "Threads", What::Median("server_peak_threads")),
    ("switches", "Switches per request", What::Median("server_switches_per_request")),
    ("factor", "Factor", What::Factor),
    ("generator", "Generator", What::Generator),
    ("server", "Server", What::Server),
];

/// The metric's figure in most experiments: what a request costs.
const CPU: &str = "server_cpu_us_per_request";
const USER: &str = "server_cpu_user_us_per_request";
const KERNEL: &str = "server_cpu_system_us_per_request";

/// These are whole numbers, which no stall changes.
const COUNTS: [&str; 5] =
    ["server_peak_threads", "errors", "requests", "own_lines", "shared_lines"];

pub(super) const FEW: &str = "No CPU time per request where a run had fewer than 1,000 requests, because it includes the \
                              server's start and end.";

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What<'a> {
    /// The median of a figure.
    Median(&'a str),
    /// The least and the greatest value of a figure.
    Spread(&'a str),
    /// What the law predicts.
    Law,
    /// The metric as a multiple of the baseline's.
    Factor,
    /// The generator's command line.
    Generator,
    /// The server's command line.
    Server,
}

/// An experiment of a table.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub name: &'a str,
    pub sets: Sets<'a>,
}

/// A row: a variant of the book's records, or of the reader's.
#[derive(Clone)]
pub(super) struct Row<'a> {
    label: String,
    variant: &'a str,
    is_yours: bool,
    /// The experiments whose figures it shows, where a column names none.
    sources: Vec<Source<'a>>,
}

/// A column of a table.
pub(super) struct Column<'a> {
    heading: String,
    what: What<'a>,
    /// The experiments that it is made of; none, where these are the row's.
    sources: Vec<Source<'a>>,
}

impl<'a> Source<'a> {
    /// The experiments of these names, which have spaces between them. Fails when one was not measured.
    fn all(evidence: Evidence<'a>, names: &'a str) -> Result<Vec<Source<'a>>> {
        let source = |name| Ok(Source { name, sets: evidence.sets(name)? });
        names.split_whitespace().map(source).collect()
    }

    fn figures(self, is_yours: bool) -> Option<Figures<'a>> {
        let set = if is_yours { self.sets.yours? } else { self.sets.ours };
        Some(Figures { name: self.name, set })
    }
}

impl<'a> Row<'a> {
    /// The rows of a variant: the book's and, below it, the reader's own.
    pub fn of(sources: &[Source<'a>], variant: &'a str, label: &str, yours: bool) -> Vec<Row<'a>> {
        let row = |label, is_yours| Row { label, variant, is_yours, sources: sources.to_vec() };
        let mut rows = vec![row(label.to_owned(), false)];
        rows.extend(yours.then(|| row(format!("*yours:* {label}"), true)));
        rows
    }

    /// What a reader has to know about its figures.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for Source { sets, .. } in &self.sources {
            let record = sets.ours.record;
            let variant = record.experiment.variant(self.variant);
            let reduced = variant.and_then(|variant| variant.reduced.as_ref());
            if !self.is_yours && !record.quick {
                notes.extend(reduced.map(|reduced| format!("{}: {reduced}.", self.label)));
            }
        }
        notes
    }
}

impl<'a> Column<'a> {
    /// The column that is written `[HEADING: ]WHAT[ in NAME …]`.
    pub fn read(evidence: Evidence<'a>, written: &'a str) -> Result<Column<'a>> {
        let (heading, rest) = match written.split_once(": ") {
            Some((heading, rest)) => (Some(heading), rest),
            None => (None, written),
        };
        let (what, names) = rest.split_once(" in ").unwrap_or((rest, ""));
        let mut column = Column::named(what);
        if let Some(heading) = heading {
            column.heading = heading.to_owned();
        }
        column.sources = Source::all(evidence, names)?;
        Ok(column)
    }

    /// The column of this name: one of [`COLUMNS`], a figure, or `spread` and a figure.
    pub fn named(name: &'a str) -> Column<'a> {
        let short = COLUMNS.iter().find(|column| column.0 == name);
        let (heading, what) = match (short, name.strip_prefix("spread ")) {
            (Some((_, heading, what)), _) => ((*heading).to_owned(), *what),
            (None, Some(figure)) => {
                (capital(&figure_words(figure)) + ", least to greatest", What::Spread(figure))
            }
            (None, None) => (capital(&figure_words(name)), What::Median(name)),
        };
        Column { heading, what, sources: Vec::new() }
    }

    /// The record from which a row's cell comes: of the first experiment that has this variant.
    fn figures(&self, row: &Row<'a>) -> Option<Figures<'a>> {
        let sources = if self.sources.is_empty() { &row.sources } else { &self.sources };
        let mut all = sources.iter().filter_map(|source| source.figures(row.is_yours));
        all.find(|figures| figures.set.record.names().contains(&row.variant))
    }

    /// The cell of a row; `None` where there is no such figure.
    /// Fails when the row is the book's and no round has both it and the baseline.
    fn cell(&self, row: &Row<'a>) -> Result<Option<String>> {
        let Some(figures) = self.figures(row) else { return Ok(None) };
        let cell = self.cell_of(figures, row.variant);
        if row.is_yours { Ok(cell.unwrap_or(None)) } else { cell }
    }

    fn cell_of(&self, figures: Figures<'a>, variant: &'a str) -> Result<Option<String>> {
        let pair = Pair { of: variant, to: None, figure: None };
        let is_baseline = figures.set.record.experiment.baseline() == variant;
        let run = || figures.set.record.runs.iter().find(|run| run.variant == variant);
        Ok(match self.what {
            What::Factor if is_baseline => None,
            What::Factor => {
                let Figure { value, marks } = figures.times(pair)?;
                Some(number(value, 2) + &marks.signs())
            }
            What::Law => figures.line(variant)?.law.as_ref().map(|law| shortest(law.value)),
            What::Median(CPU | USER | KERNEL) if has_few_requests(figures, variant) => None,
            What::Median(figure) => {
                let median = figures.median(variant, Some(figure)).ok();
                median.map(|Figure { value, marks }| match COUNTS.contains(&figure) {
                    true => number(value, 0),
                    false => significant(value) + &marks.signs(),
                })
            }
            What::Spread(figure) => {
                let spread = figures.spread(variant, Some(figure)).ok();
                spread.map(|Figure { value: (least, greatest), .. }| {
                    let ends = [least, greatest].map(|end| match COUNTS.contains(&figure) {
                        true => number(end, 0),
                        false => significant(end),
                    });
                    ends.join(" to ")
                })
            }
            What::Generator => run().map(|run| command_line(&run.generator)),
            What::Server => run().map(|run| code(&run.server.join(" "))),
        })
    }

    /// Fails unless some row has such a figure. That no law predicts anything is no mistake.
    fn ensure_is_there(&self, rows: &[Row<'a>]) -> Result<()> {
        let (What::Median(figure) | What::Spread(figure)) = self.what else { return Ok(()) };
        let mut error = None;
        for row in rows.iter().filter(|row| !row.is_yours) {
            let Some(figures) = self.figures(row) else { continue };
            match figures.median(row.variant, Some(figure)) {
                Ok(_) => return Ok(()),
                Err(found) => error = Some(found),
            }
        }
        match error {
            Some(error) => Err(error),
            None => bail!("no experiment of the column `{}` has one of the rows", self.heading),
        }
    }

    /// Whether it compares a variant with the baseline, which is not compared with itself.
    fn is_comparison(&self) -> bool {
        self.what == What::Factor
    }

    /// Whether its cells are words, which stand at the left.
    fn is_words(&self) -> bool {
        matches!(self.what, What::Generator | What::Server)
    }
}

fn has_few_requests(figures: Figures, variant: &str) -> bool {
    let requests = figures.median(variant, Some("requests"));
    requests.is_ok_and(|requests| requests.value < ENOUGH_ANSWERS)
}

/// A table of these columns. The rows are the variants of the experiments in `rows` and in the columns, each once; or,
/// where `rows` is `VARIANT in NAME …`, these experiments. Below each is the reader's own, if there is one.
///
/// # Errors
/// When there is no column, or one that no row fills; when an experiment was not measured, or lacks that variant.
pub fn table(evidence: Evidence, rows: &str, columns: &[String]) -> Result<String> {
    ensure!(!columns.is_empty(), "a table has a column or more, such as `rate`");
    let columns = columns.iter().map(|written| {
        Column::read(evidence, written).with_context(|| format!("the column `{written}`"))
    });
    let columns = columns.collect::<Result<Vec<Column>>>()?;
    let (variant, names) = match rows.split_once(" in ") {
        Some((variant, names)) => (Some(variant), names),
        None => (None, rows),
    };
    let own = Source::all(evidence, names)?;
    let mut used: Vec<Source> = Vec::new();
    for source in own.iter().chain(columns.iter().flat_map(|column| &column.sources)) {
        if used.iter().all(|known| known.name != source.name) {
            used.push(*source);
        }
    }
    let has_yours = used.iter().any(|source| source.sets.yours.is_some());
    let mut rows: Vec<Row> = Vec::new();
    match variant {
        Some(variant) => {
            for source in &own {
                Figures::of(evidence, source.name)?.known(variant)?;
                rows.extend(Row::of(&[*source], variant, &code(source.name), has_yours));
            }
        }
        None => {
            for experiment in used.iter().map(|source| source.sets.experiment()) {
                for variant in &experiment.variants {
                    if rows.iter().all(|row| row.variant != variant.name) {
                        let label = in_table(experiment, &variant.name);
                        rows.extend(Row::of(&own, &variant.name, &label, has_yours));
                    }
                }
            }
        }
    }
    columns.iter().try_for_each(|column| column.ensure_is_there(&rows))?;
    let is_comparison = columns.iter().all(Column::is_comparison);
    let mut shown = Vec::new();
    for row in rows {
        let mut is_empty = true;
        for column in &columns {
            is_empty &= column.cell(&row)?.is_none();
        }
        if !is_empty || !row.is_yours && !is_comparison {
            shown.push(row);
        }
    }
    let first = if variant.is_some() { "Experiment" } else { "Server" };
    let used: Vec<Sets> = used.into_iter().map(|source| source.sets).collect();
    Ok(format!("{}\n{}\n", written(first, &columns, &shown)?, measured_on(&used)))
}

/// The rows as a table, without a column that no row fills; below it what is to be known about them.
pub(super) fn written(first: &str, columns: &[Column], rows: &[Row]) -> Result<String> {
    let mut headings = vec![first];
    let mut words = Vec::new();
    let mut lines: Vec<Vec<String>> = rows.iter().map(|row| vec![row.label.clone()]).collect();
    let mut few = false;
    for column in columns {
        let cells = rows.iter().map(|row| column.cell(row)).collect::<Result<Vec<_>>>()?;
        if matches!(column.what, What::Median(CPU | USER | KERNEL)) {
            few |= rows.iter().filter_map(|row| Some((column.figures(row)?, row))).any(
                |(figures, row)| {
                    has_few_requests(figures, row.variant)
                        && figures.median(row.variant, Some(CPU)).is_ok()
                },
            );
        }
        if cells.iter().all(Option::is_none) {
            continue;
        }
        headings.push(&column.heading);
        if column.is_words() {
            words.push(column.heading.as_str());
        }
        for (line, cell) in lines.iter_mut().zip(cells) {
            line.push(cell.unwrap_or_else(|| ABSENT.to_owned()));
        }
    }
    let mut text = text::table(&headings, &words, lines);
    let mut notes: Vec<String> = rows.iter().flat_map(Row::notes).collect();
    if few {
        notes.push(FEW.to_owned());
    }
    let is_quick = |row: &Row| {
        let mut sets = row.sources.iter().filter_map(|source| source.figures(row.is_yours));
        sets.any(|figures| figures.set.record.quick)
    };
    for is_yours in [false, true] {
        if rows.iter().any(|row| row.is_yours == is_yours && is_quick(row)) {
            let whose = if is_yours { "Yours are" } else { "These are" };
            notes.push(format!("{whose} a sketch, shortened with `--quick`."));
        }
    }
    notes.extend(explained(&text).into_iter().map(str::to_owned));
    if !notes.is_empty() {
        text += &format!("\n{}\n", notes.join(" "));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use records::{
        measured::Records,
        testing::{pool, write},
    };

    use super::*;
    use crate::report::testing::{has, lacks, with};

    const NAMES: [&str; 2] = ["wrk-sleep", "wrk-root"];

    /// A table of two experiments.
    fn of(
        rows: &str,
        columns: &[&str],
        change: impl Fn(&str, &mut records::store::Record),
    ) -> Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let mut described = BTreeMap::new();
        for name in NAMES {
            let mut record = pool();
            change(name, &mut record);
            write(folder.path(), name, &record);
            described.insert(name.to_owned(), record.experiment);
        }
        let ours = Records::read(folder.path(), &described).unwrap();
        let columns: Vec<String> = columns.iter().map(|it| (*it).to_owned()).collect();
        table(Evidence { ours: &ours, yours: None }, rows, &columns)
    }

    fn error(rows: &str, columns: &[&str]) -> String {
        format!("{:#}", of(rows, columns, |_, _| ()).unwrap_err())
    }

    #[test]
    fn one_variant_has_a_row_for_each_experiment() {
        let columns = ["cpu", "law", "rate", "spread", "threads", "generator", "server"];
        let of = |variant: &str, columns: &[&str]| {
            of(&format!("{variant} in wrk-sleep wrk-root"), columns, |_, record| {
                record.experiment.variants[1].reduced = Some("5 requests instead of 9".to_owned());
                for run in &mut record.runs {
                    run.figures.insert("server_peak_threads".to_owned(), Some(9.0));
                    run.figures.insert(CPU.to_owned(), Some(7.5));
                    run.figures.insert("requests".to_owned(), Some(999.0));
                }
            })
            .unwrap()
        };
        let parts = [
            "| Experiment | Law, requests/s | Requests/s | Least to greatest | Threads | Generator | Server |\n\
             |---|---:|---:|---:|---:|---|---|\n",
            "| `wrk-sleep` | 40 | 39.5\u{a0}† | 39.0 to 39.9 | 9 | `wrk -t1 http://127.0.0.1:8080/sleep` | `ch03",
            "| `wrk-root` | 40 |",
            "\n`wrk-sleep`: 5 requests instead of 9. ",
            FEW,
            "†: the machine stalled",
            "\n\nMeasured on A \\<Processor\\> \\& Co, 1 core, 2 hardware threads, 2.0 GiB of memory, Linux 6, 2025-01-02.\n",
        ];
        has(&of("pool of 4", &columns), &parts);
        // No law predicts this one, and nothing disturbed it.
        lacks(&of("pool of 1", &["law", "rate"]), &["Law", "†"]);
    }

    #[test]
    fn user_and_kernel_time_stand_apart_where_enough_was_asked() {
        let of = |requests: f64| {
            of("wrk-sleep", &["rate", "user", "kernel"], |_, record| {
                for run in &mut record.runs {
                    let held = [
                        ("requests", requests),
                        (CPU, 9.5),
                        ("server_cpu_user_seconds", 0.002),
                        ("server_cpu_system_seconds", 0.0075),
                    ];
                    run.figures.extend(held.map(|(name, value)| (name.to_owned(), Some(value))));
                }
            })
        };
        let parts = ["| Of it in user mode, µs | In the kernel, µs |", "| 9.90 | 2.00 | 7.50 |"];
        has(&of(1000.0).unwrap(), &parts);
        assert!(of(999.0).is_err());
    }

    #[test]
    fn each_variant_has_a_row_and_a_column_its_experiments() {
        let columns =
            ["Slept: rate", "None: rate in wrk-root", "spread errors", "Answered: latency_p50_ms"];
        let text = of("wrk-sleep", &columns, |name, record| {
            for run in &mut record.runs {
                run.figures.insert("errors".to_owned(), Some(4.0));
                run.figures.insert("latency_p50_ms".to_owned(), Some(2.5));
                if name == "wrk-root" {
                    run.figures.insert("requests_per_second".to_owned(), Some(80.0));
                }
            }
            if name == "wrk-root" {
                record.experiment.variants.retain(|variant| variant.name == "pool of 1");
                record.runs.retain(|run| run.variant != "pool of 4");
            }
        })
        .unwrap();
        let parts = [
            "| Server | Slept | None | Errors, least to greatest | Answered |\n",
            "| pool of 1 | 9.90 | 80.0 | 4 to 4 | 2.50 |\n",
            "| pool of 4 | 39.5\u{a0}† | – | 4 to 4 | 2.50\u{a0}† |\n",
        ];
        has(&text, &parts);
    }

    #[test]
    fn a_server_has_its_sign_and_its_short_name() {
        let text = of("wrk-sleep", &["rate"], |_, record| {
            record.experiment.common.server = Some("ch03_threadpool".to_owned());
            let named = |name: &mut String| {
                if name == "pool of 1" {
                    *name = "ch03_threadpool".to_owned();
                }
            };
            record.experiment.variants.iter_mut().for_each(|it| named(&mut it.name));
            record.runs.iter_mut().for_each(|it| named(&mut it.variant));
        })
        .unwrap();
        has(&text, &[">3</text></svg> a pool | 9.90 |", "| pool of 4 | 39.5"]);
        lacks(&text, &["| ch03_threadpool"]);
    }

    #[test]
    fn a_factor_is_of_the_baseline_which_has_no_row_then() {
        let columns = ["Kept: factor", "Closed: factor in wrk-root"];
        let text = of("wrk-sleep", &columns, |_, _| ()).unwrap();
        let parts = ["| Server | Kept | Closed |\n|---|---:|---:|\n\
             | pool of 4 | 3.99\u{a0}† | 3.99\u{a0}† |\n"];
        has(&text, &parts);
        lacks(&text, &["pool of 1", "control"]);
    }

    #[test]
    fn the_readers_own_stand_below_the_books() {
        let mut yours = pool();
        yours.quick = true;
        with(&pool(), Some(&yours), |evidence| {
            let parts = [
                "| pool of 1 | 9.90 |\n| *yours:* pool of 1 | 9.90 |",
                "Yours are a sketch",
                " Yours on A ",
            ];
            has(&table(evidence, "pool-law", &["rate".to_owned()]).unwrap(), &parts);
        });
    }

    #[test]
    fn what_is_not_there_is_refused() {
        for (rows, columns, complaint) in [
            ("wrk-sleep", &["rte"][..], "has the figure `rte`; there are"),
            (
                "wrk-sleep",
                &["rate in wrk"],
                "the column `rate in wrk`: there is no result experiments/wrk.json",
            ),
            ("no-such", &["rate"], "`cargo xtask bench --only no-such`"),
            ("pool of 9 in wrk-sleep", &["rate"], "no variant \"pool of 9\"; there are"),
            ("wrk-sleep", &[], "a table has a column or more"),
        ] {
            let error = error(rows, columns);
            assert!(error.contains(complaint), "{rows} {columns:?}: {error}");
        }
    }
}
