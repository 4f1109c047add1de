//! Several servers side by side in one experiment.

use anyhow::{Result, ensure};
use records::{
    measured::Set,
    servers::Server,
    store::Record,
    summary::{Line, Summary},
};

use crate::report::{
    charts::in_table,
    disturbed::median,
    evidence::{self, Figures},
    sets::{Evidence, Sets},
    tables::named::{Column, Row, Source, written},
    text::{escape, figure_words, fold},
};

/// The columns of a table that stands open: what a request costs, what the server does, and what that takes.
const OPEN: [&str; 4] = ["cpu", "rate", "memory", "threads"];

/// The most rows of a table that stands open.
const OPEN_ROWS: usize = 5;

/// All columns.
const ALL: [&str; 7] = ["cpu", "law", "rate", "spread", "memory", "threads", "switches"];

/// An experiment with these variants, or all of them: the chart with what was found, below it a table of the variants
/// that were chosen, and in a fold all columns and, with all of them, the command lines. `page` is the stem of the page's name.
/// Fails when it was not measured, or has no such variant; when more than five are chosen.
pub fn compare(
    evidence: Evidence,
    (id, page): (&str, &str),
    name: &str,
    chosen: &[String],
    found: &str,
) -> Result<String> {
    let figures = Figures::of(evidence, name)?;
    chosen.iter().try_for_each(|variant| figures.known(variant))?;
    let many = chosen.len();
    ensure!(many <= OPEN_ROWS, "an open table has {many} rows, and may have {OPEN_ROWS}");
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
    let sources = [Source { name, sets }];
    let has_yours = sets.yours.is_some();
    let rows: Vec<Row> = variants
        .flat_map(|it| Row::of(&sources, &it.name, &in_table(experiment, &it.name), has_yours))
        .collect();
    // What the experiment found speaks of all its servers.
    let is_all = experiment.variants.len() == evidence.sets(name)?.experiment().variants.len();
    let of_these = if is_all { found.to_owned() } else { found_of(sets.ours, page) };
    let table = |columns: &[&'static str]| {
        let columns: Vec<Column> = columns.iter().map(|name| Column::named(name)).collect();
        written("Server", &columns, &rows)
    };
    let (found, open) = match chosen.is_empty() {
        true => (found, String::new()),
        false => (of_these.as_str(), table(&OPEN)? + "\n"),
    };
    let mut figures = table(&ALL)?;
    if chosen.is_empty() {
        figures += &format!("\n{}", evidence::repeat(sets.ours));
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
        let is_own = |name| Server::rung(name).is_some_and(|it| it.page == page);
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
        record.experiment.control = false;
        record.experiment.variants.retain(|variant| chosen.contains(&variant.name));
        record.runs.retain(|run| chosen.contains(&run.variant));
    }
    let summary = Summary::of(&record);
    (record, summary)
}

#[cfg(test)]
mod tests {
    use records::testing::{pool, record};

    use super::*;
    use crate::report::{
        tables::named::FEW,
        testing::{has, lacks, with},
    };

    const ONE: &str = "pool of 1";

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
                "(seed 7)",
            ];
            has(&all, &parts);
            let one = of(&[ONE], "").unwrap();
            lacks(&one, &["pool of 4", "seed"]);
            has(&one, &["<p>5 rounds, "]);
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
}
