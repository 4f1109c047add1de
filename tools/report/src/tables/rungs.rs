//! The tables of servers: one server in the sources' four benchmarks, and several servers in one experiment.

use anyhow::{Context, Result};
use base::{number, significant};
use records::{
    description::CONTROL,
    sessions::Set,
    store::Record,
    summary::{Line, Spread, Summary},
};
use servers::Server;

use crate::{
    disturbed::{Marks, explained, median},
    evidence::{self, Figures},
    origin::measured_on,
    quantity::Figure,
    sets::{Evidence, Sets},
    text::{self, ABSENT, code, escape, figure_words, fold, plain},
};

/// The experiments with the sources' own command lines, in the order of the book.
const BENCHMARKS: [&str; 4] = ["wrk-sleep", "ab-tenth", "wrk-root", "wrk-root-keepalive"];

/// A row of a table: a variant of the book's records, or of the reader's.
struct Row<'a> {
    label: String,
    set: Set<'a>,
    variant: &'a str,
    is_yours: bool,
}

/// A column: its heading, and its cell for a row that has such a figure.
type Column = (&'static str, fn(&Row) -> Option<String>);

/// With fewer requests, the CPU time of a server's start and end is no small part of its CPU time per request.
const ENOUGH_REQUESTS: f64 = 1000.0;
const FEW: &str = "No CPU time per request where a run had fewer than 1,000 requests, because it includes the server's \
                   start and end.";

/// The columns of a table that stands open: what a request costs, what the server does, and what that takes.
const OPEN: [&str; 4] = ["CPU time per request, µs", "Requests/s", "Memory, MiB", "Threads"];

const COLUMNS: [Column; 7] = [
    ("CPU time per request, µs", |row| match row.has_few_requests() {
        true => None,
        false => row.median("server_cpu_us_per_request"),
    }),
    ("Law, requests/s", |row| Some(base::shortest(row.line()?.law.as_ref()?.value))),
    ("Requests/s", |row| row.median("requests_per_second")),
    ("Least to greatest", |row| {
        let Spread { least, greatest, .. } = row.spread("requests_per_second")?;
        Some(format!("{} to {}", significant(least), significant(greatest)))
    }),
    ("Memory, MiB", |row| row.median("server_peak_memory_mib")),
    ("Threads", |row| Some(number(row.spread("server_peak_threads")?.median, 0))),
    ("Switches per request", |row| row.median("server_switches_per_request")),
];

impl<'a> Row<'a> {
    /// The rows of a variant: the book's and, below it, the reader's own.
    fn of(sets: Sets<'a>, variant: &'a str, label: &str) -> Vec<Row<'a>> {
        let row = |set, label, is_yours| Row { label, set, variant, is_yours };
        let mut rows = vec![row(sets.ours, label.to_owned(), false)];
        rows.extend(sets.yours.map(|yours| row(yours, format!("*yours:* {label}"), true)));
        rows
    }

    fn line(&self) -> Option<&'a Line> {
        self.set.summary.line(self.variant)
    }

    fn spread(&self, figure: &str) -> Option<Spread> {
        let values: Vec<f64> = self.set.record.values(self.variant, figure).into_values().collect();
        Spread::of(&values)
    }

    fn median(&self, figure: &str) -> Option<String> {
        let is_disturbed = self.line()?.noisy > 0;
        let is_generators = self.set.record.is_generators(self.variant, figure);
        let marks = Marks { is_disturbed, is_generators };
        Some(significant(self.spread(figure)?.median) + &marks.signs())
    }

    fn has_few_requests(&self) -> bool {
        self.spread("requests").is_some_and(|it| it.median < ENOUGH_REQUESTS)
    }

    /// What a reader has to know about its figures.
    fn note(&self) -> Option<String> {
        let record = self.set.record;
        let reduced = record.experiment.variant(self.variant)?.reduced.as_ref()?;
        let is_told = !self.is_yours && !record.quick;
        is_told.then(|| format!("{}: {reduced}.", self.label))
    }
}

/// The table of one server: a row for each of the benchmarks. Below each is the reader's own, if there is one.
/// Fails when one of them was not measured, or does not have this server.
pub fn rung(evidence: Evidence, rung: &str) -> Result<String> {
    let mut rows = Vec::new();
    let mut shown = Vec::new();
    for name in BENCHMARKS {
        Figures::of(evidence, name)?.known(rung)?;
        let sets = evidence.sets(name)?;
        rows.extend(Row::of(sets, rung, &code(name)));
        shown.push(sets);
    }
    // Switches are for comparisons.
    let table = table("Benchmark", &COLUMNS[..COLUMNS.len() - 1], &rows);
    Ok(format!("{table}\n{}\n", measured_on(&shown)))
}

/// An experiment with these variants, or all of them: the chart with what was found, below it a table of the variants
/// that were chosen, and in a fold all columns, the contrasts between these variants and, with all of them, the command
/// lines. `page` is the stem of the page's name.
/// Fails when it was not measured, or has no such variant; when more than five are chosen.
pub fn compare(
    evidence: Evidence,
    (id, page): (&str, &str),
    name: &str,
    chosen: &[String],
    found: &str,
) -> Result<String> {
    evidence::ensure_may_stand_open(evidence, name, chosen)?;
    let sets = evidence.sets(name)?;
    let ours = narrowed(sets.ours.record, chosen);
    let yours = sets.yours.map(|yours| narrowed(yours.record, chosen));
    let set = |(record, summary)| Set { record, summary };
    let sets = Sets {
        ours: set((&ours.0, &ours.1)),
        yours: yours.as_ref().map(|(record, summary)| set((record, summary))),
    };
    let experiment = sets.experiment();
    let variants = experiment.variants.iter();
    let rows: Vec<Row> =
        variants.flat_map(|it| Row::of(sets, &it.name, &plain(&it.name))).collect();
    // What the experiment found speaks of all its servers.
    let is_all = experiment.variants.len() == evidence.sets(name)?.experiment().variants.len();
    let of_these = if is_all { found.to_owned() } else { found_of(sets.ours, page) };
    let open: Vec<Column> = COLUMNS.into_iter().filter(|it| OPEN.contains(&it.0)).collect();
    let (found, open) = match chosen.is_empty() {
        true => (found, String::new()),
        false => (of_these.as_str(), table("Server", &open, &rows) + "\n"),
    };
    let mut figures = format!("{}\n{}", table("Server", &COLUMNS, &rows), evidence::verdicts(sets));
    if chosen.is_empty() {
        figures += &format!("\n\n{}", evidence::repeat(sets.ours));
    }
    let fold = fold(&format!("The figures of “{}”", escape(&experiment.title)), &figures);
    Ok(format!("{}\n\n{open}{fold}", evidence::figure(sets, id, name, found)?))
}

/// What these servers alone show, as HTML: the metric of each or, of more than three, the least, the greatest, and those
/// of this page.
fn found_of(Set { record, summary }: Set, page: &str) -> String {
    let experiment = &record.experiment;
    let lines = experiment.variants.iter().filter_map(|it| summary.line(&it.name));
    let mut lines: Vec<(f64, &Line)> =
        lines.filter_map(|line| Some((line.metric?.median, line))).collect();
    if lines.len() > 3 {
        lines.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (least, greatest) = (lines[0].0, lines[lines.len() - 1].0);
        let is_own = |name| Server::named(name).is_some_and(|it| it.chapter == page);
        lines.retain(|it| it.0 == least || it.0 == greatest || is_own(&it.1.name));
    }
    let told = lines.iter().map(|(_, line)| {
        let called = Server::named(&line.name);
        let called = called.map_or(line.name.as_str(), |server| &server.called);
        format!("{} with {called}", median(line))
    });
    let told = told.collect::<Vec<_>>().join("; ");
    escape(&format!("{}: {told} ({})", experiment.title, figure_words(&experiment.metric)))
}

/// A record with these variants only, or as it is, and what follows from it.
fn narrowed(record: &Record, chosen: &[String]) -> (Record, Summary) {
    let mut record = record.clone();
    if !chosen.is_empty() {
        record.experiment.baseline = Some(record.experiment.baseline().to_owned());
        record.experiment.variants.retain(|variant| chosen.contains(&variant.name));
        let is_chosen = |name: &String| chosen.contains(name);
        record.experiment.contrasts.retain(|it| is_chosen(&it.of) && is_chosen(&it.to));
        // The control and its equal say how far a ratio can be trusted.
        let baseline = record.experiment.baseline().to_owned();
        let stays = |name: &String| is_chosen(name) || *name == baseline || name == CONTROL;
        record.runs.retain(|run| stays(&run.variant));
    }
    let summary = Summary::of(&record);
    (record, summary)
}

/// The rows as a table, without a column that no row fills; below it what is to be known about them.
fn table(first: &str, columns: &[Column], rows: &[Row]) -> String {
    let columns: Vec<(&str, Vec<Option<String>>)> =
        columns.iter().map(|(name, cell)| (*name, rows.iter().map(cell).collect())).collect();
    let columns: Vec<_> =
        columns.iter().filter(|(_, cells)| cells.iter().any(Option::is_some)).collect();
    let headings: Vec<&str> = [first].into_iter().chain(columns.iter().map(|it| it.0)).collect();
    let cells = rows.iter().enumerate().map(|(index, row)| {
        let cell = |(_, cells): &&(&str, Vec<Option<String>>)| {
            cells[index].clone().unwrap_or_else(|| ABSENT.to_owned())
        };
        [row.label.clone()].into_iter().chain(columns.iter().map(cell)).collect()
    });
    let mut text = text::table(&headings, &[], cells);
    let mut notes: Vec<String> = rows.iter().filter_map(Row::note).collect();
    let is_left_out =
        |row: &Row| row.has_few_requests() && row.median("server_cpu_us_per_request").is_some();
    if rows.iter().any(is_left_out) {
        notes.push(FEW.to_owned());
    }
    for is_yours in [false, true] {
        if rows.iter().any(|row| row.is_yours == is_yours && row.set.record.quick) {
            let whose = if is_yours { "Yours are" } else { "These are" };
            notes.push(format!("{whose} a sketch, shortened with `--quick`."));
        }
    }
    notes.extend(explained(&text).into_iter().map(str::to_owned));
    if !notes.is_empty() {
        text += &format!("\n{}\n", notes.join(" "));
    }
    text
}

/// What was measured, in percent of what the law predicts.
/// Fails when there is no such variant, no law predicts it, or no run counts.
pub fn of_law(evidence: Evidence, name: &str, variant: &str) -> Result<Figure<f64>> {
    let line = Figures::of(evidence, name)?.line(variant)?;
    let both = line.law.as_ref().zip(line.metric);
    let (law, metric) =
        both.with_context(|| format!("{name} \"{variant}\" has no law, or no run that counts"))?;
    Ok(Figure { value: 100.0 * metric.median / law.value, marks: Marks::of(line) })
}

#[cfg(test)]
mod tests {
    use records::{
        sessions::Records,
        testing::{pool, record, write},
    };

    use super::*;
    use crate::testing::{has, lacks, with};

    const ONE: &str = "pool of 1";

    #[test]
    fn a_rung_has_a_row_for_each_benchmark() {
        let folder = tempfile::tempdir().unwrap();
        let mut record = pool();
        record.experiment.variants[1].reduced = Some("5 requests instead of 9".to_owned());
        for run in &mut record.runs {
            run.figures.insert("server_peak_threads".to_owned(), Some(9.0));
        }
        BENCHMARKS[1..].iter().for_each(|name| write(folder.path(), name, &record));
        let of = |variant| {
            let ours = Records::read(folder.path()).unwrap();
            rung(Evidence { ours: &ours, yours: None }, variant)
        };
        has(&of(ONE).unwrap_err().to_string(), &["no result experiments/wrk-sleep.json"]);
        write(folder.path(), BENCHMARKS[0], &record);
        let parts = [
            "| Benchmark | Law, requests/s | Requests/s | Least to greatest | Threads |\n",
            "| `wrk-sleep` | 40 | 39.5\u{a0}† | 39.0 to 39.9 | 9 |\n",
            "| `wrk-root-keepalive` | 40 |",
            "\n`wrk-sleep`: 5 requests instead of 9. ",
            "\n\nMeasured on A \\<Processor\\> \\& Co, 1 core, 2 hardware threads, 2.0 GiB of memory, Linux 6, 2025-01-02.\n",
            "†: the machine stalled",
        ];
        has(&of("pool of 4").unwrap(), &parts);
        assert!(of("pool of 9").is_err());
        // No law predicts this one, and nothing disturbed it.
        lacks(&of(ONE).unwrap(), &["Law", "†"]);
    }

    #[test]
    fn few_requests_have_no_cpu_time_of_their_own() {
        let of = |requests: f64| {
            let mut record = pool();
            for run in &mut record.runs {
                run.figures.insert("requests".to_owned(), Some(requests));
                run.figures.insert("server_cpu_us_per_request".to_owned(), Some(374.0));
            }
            with(&record, None, |it| compared(it, "page", &[ONE, "pool of 4"], "").unwrap())
        };
        has(&of(1000.0), &["| Server | CPU time per request, µs |", "| pool of 1 | 374 |"]);
        let few = of(999.0);
        has(&few, &["| Server | Requests/s |", FEW]);
        lacks(&few, &["374"]);
    }

    fn compared(evidence: Evidence, page: &str, variants: &[&str], found: &str) -> Result<String> {
        let variants: Vec<String> = variants.iter().map(|name| (*name).to_owned()).collect();
        compare(evidence, ("c", page), "pool-law", &variants, found)
    }

    #[test]
    fn a_comparison_shows_what_was_chosen() {
        let mut yours = pool();
        yours.quick = true;
        with(&pool(), Some(&yours), |evidence| {
            let of = |variants: &[&str], found| compared(evidence, "page", variants, found);
            let all = of(&[], "").unwrap();
            let (open, _) = all.split_once("<details>").unwrap();
            lacks(open, &["| pool of 1"]);
            let parts = [
                "<figure class=\"chart\">",
                "| pool of 1 | – | 9.90 |",
                "*yours:* pool of 4",
                "<summary>The figures of “The law of the pool”",
                "Yours are a sketch",
                "| differs |",
                "(seed 7)",
            ];
            has(&all, &parts);
            let one = of(&[ONE], "").unwrap();
            lacks(&one, &["pool of 4", "seed"]);
            let (open, _) = one.split_once("<details>").unwrap();
            has(open, &["| Server | Requests/s |\n|---|---:|\n| pool of 1 | 9.90 |\n"]);
            let found = ": 9.90 with pool of 1 (requests per second)</p>";
            has(&one, &["<p class=\"finding\">The law of the pool", found]);
            let both = of(&[ONE, "pool of 4"], "Four times.").unwrap();
            has(&both, &["<p class=\"finding\">Four times.</p>"]);
            assert!(of(&[ONE; 6], "").is_err() && of(&["pool"], "").is_err());
        });
    }

    #[test]
    fn of_many_servers_the_title_names_those_of_its_page() {
        let servers =
            ["ch01_single_threaded", "ch02_thread_spawn", "ch03_threadpool", "ch06_tokio"];
        let [one, two, three, four] = servers;
        let five = record(&[
            (one, &[1.0; 5]),
            (two, &[2.0; 5]),
            (three, &[3.0; 5]),
            (four, &[4.0; 5]),
            ("smol", &[5.0; 5]),
        ]);
        with(&five, None, |evidence| {
            let of = |page| compared(evidence, page, &servers, "").unwrap();
            has(&of("recap"), &[": 1.00 with one thread; 4.00 with Tokio ("]);
            let own = ": 1.00 with one thread; 3.00 with a pool; 4.00 with Tokio (";
            has(&of("ch03-threadpool"), &[own]);
        });
    }

    #[test]
    fn a_share_of_the_law_is_in_percent() {
        with(&pool(), None, |evidence| {
            let share = of_law(evidence, "pool-law", "pool of 4").unwrap();
            assert_eq!((share.value, share.marks.is_disturbed), (98.75, true));
            assert!(of_law(evidence, "pool-law", ONE).is_err());
        });
    }
}
