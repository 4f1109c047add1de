//! The tables of runs: one rung in all its benchmarks, and several rungs in one benchmark.

use std::fmt::Write;

use anyhow::Result;
use records::{ladder::Run, results::Results};

use crate::{
    tables::{
        commands::{command, server},
        entries::{Entry, beside},
        figures::{COLUMNS, Figure, ROWS},
        machine::machine_line,
        notes::notes,
    },
    text::{ABSENT, Column, code, table, without_zeros},
};

/// The table of one rung: a column for each benchmark, notes below. Next to each column is the reader's own, if
/// there is one.
///
/// # Errors
/// When the rung is unknown or has no results.
pub fn rung(results: &Results, yours: Option<&Results>, rung: &str) -> Result<String> {
    if results.get(rung, "wrk-sleep").is_none() {
        // Names whatever is wrong: no such rung, no results at all, or not this one.
        results.run(rung, "wrk-sleep")?;
    }
    let entries = beside(results.runs_of(rung), yours);
    let mut text = String::new();
    for Entry { run, .. } in entries.iter().filter(|entry| !entry.is_yours) {
        let _ = writeln!(text, "- {}: {} against {}", code(&run.bench), command(run), server(run));
    }
    text.push('\n');
    text += &origins(results, yours, &entries, "column", "to the left of it");
    let mut headings = vec!["Figure".to_owned()];
    headings.extend(entries.iter().map(|entry| entry.named(&code(&entry.run.bench))));
    let (rows, zeros) = without_zeros(filled(ROWS, &entries));
    let rows = rows.into_iter().map(|(name, mut cells)| {
        cells.insert(0, name.to_owned());
        cells
    });
    text += &table(&headings, &[], rows);
    text += &notes(&entries, &zeros, |run| code(&run.bench));
    Ok(text)
}

/// The table that compares these rungs in one benchmark. Below each row is the reader's own, if there is one.
///
/// # Errors
/// When one of them has no result.
pub fn compare(
    results: &Results,
    yours: Option<&Results>,
    bench: &str,
    rungs: &[&str],
) -> Result<String> {
    let runs = rungs.iter().map(|rung| results.run(rung, bench)).collect::<Result<Vec<_>>>()?;
    let entries = beside(runs, yours);
    let (columns, zeros) = without_zeros(filled(COLUMNS, &entries));
    let mut headings = vec!["Server"];
    headings.extend(columns.iter().map(|(name, _)| *name));
    let rows = entries.iter().enumerate().map(|(index, entry)| {
        // A long name may continue in the next line after a `_`, but nowhere else.
        let name = entry.run.rung.replace('_', "_<wbr>");
        let mut row = vec![entry.named(&format!("<code>{name}</code>"))];
        row.extend(columns.iter().map(|(_, cells)| cells[index].clone()));
        row
    });
    let text = origins(results, yours, &entries, "row", "above it") + &table(&headings, &[], rows);
    Ok(text + &notes(&entries, &zeros, |run| code(&run.rung)))
}

/// The name and the cells of each row or column that at least one of the runs has a figure for.
fn filled(figures: &[Figure], entries: &[Entry]) -> Vec<Column> {
    let cells = |cell: fn(&Run) -> Option<String>| -> Option<Vec<String>> {
        let cells: Vec<Option<String>> = entries.iter().map(|entry| cell(entry.run)).collect();
        let is_there = cells.iter().any(Option::is_some);
        let text = |cell: Option<String>| cell.unwrap_or_else(|| ABSENT.to_owned());
        is_there.then(|| cells.into_iter().map(text).collect())
    };
    figures.iter().filter_map(|(name, cell)| Some((*name, cells(*cell)?))).collect()
}

/// The sentence on top of a table that says whose figures are whose; nothing if all are the book's.
fn origins(
    results: &Results,
    yours: Option<&Results>,
    entries: &[Entry],
    what: &str,
    place: &str,
) -> String {
    if !entries.iter().any(|entry| entry.is_yours) {
        return String::new();
    }
    let machine = |results: Option<&Results>| {
        let line = results.and_then(|results| machine_line(results).ok());
        line.unwrap_or_else(|| "a machine that is not described".to_owned())
    };
    format!(
        "This book's machine: {}. Yours: {}. Each {what} marked *yours* belongs to the one {place}.\n\n",
        machine(Some(results)),
        machine(yours)
    )
}

#[cfg(test)]
mod tests {
    use records::{ladder::Reduced, testing::example_run};

    use super::*;
    use crate::testing::{has, results};

    #[test]
    fn a_rungs_table_has_a_column_for_each_benchmark() {
        let sleep = example_run(
            "ch03_threadpool",
            "wrk-sleep",
            &[
                ("requests_per_second", 79.0),
                ("law_requests_per_second", 80.0),
                ("timeouts", 3.0),
                ("errors_read", 0.0),
                ("non_2xx", 0.0),
            ],
        );
        let mut root =
            example_run("ch03_threadpool", "wrk-root", &[("requests_per_second", 12345.6)]);
        root.noisy = true;
        root.noisy_reason = "7 % lost".to_owned();
        let table = rung(&results(&[sleep, root]), None, "ch03_threadpool").unwrap();
        let parts = [
            "| Figure | `wrk-sleep` | `wrk-root` |\n|---|---:|---:|\n",
            "| Requests per second | 79.0 | 12,346 |",
            "| Measured, in % of the law | 98.8 | – |",
            "- `wrk-root` is a noisy run: 7 % lost.",
            "longer than 2 s",
            "`wrk -t12 -c500 -d20s http://127.0.0.1:8080/sleep`",
        ];
        has(&table, &parts);
        // No run has it, so no row has it.
        assert!(!table.contains("median"), "{table}");
        let zeros = "- Left out, because they are 0 throughout: *Errors: read* and *Answers that are not 2xx*.";
        assert!(table.contains(zeros) && !table.contains("| Errors: read"), "{table}");
    }

    #[test]
    fn a_comparison_wants_every_rung_it_names() {
        let figures = [("requests_per_second", 5.0), ("errors", 0.0)];
        let mut one = example_run("ch01_single_threaded", "ab-tenth", &figures);
        one.reduced = Some(Reduced {
            requests: 500,
            instead_of: 10000,
            reason: "the law says 2,000 s".to_owned(),
        });
        let results = results(&[one]);
        let table = compare(&results, None, "ab-tenth", &["ch01_single_threaded"]).unwrap();
        let parts = [
            "500 requests instead of 10,000: the law says 2,000 s.",
            "| Server | Requests/s |\n",
            "- Left out, because it is 0 throughout: *Errors*.\n",
        ];
        has(&table, &parts);
        let error = compare(&results, None, "ab-tenth", &["ch06_tokio"]).unwrap_err().to_string();
        has(&error, &["no result ch06_tokio/ab-tenth.json"]);
    }

    #[test]
    fn yours_stands_beside_the_books() {
        let rate = |rung, rate| example_run(rung, "wrk-sleep", &[("requests_per_second", rate)]);
        let ours = results(&[rate("ch03_threadpool", 79.0), rate("ch06_tokio", 4755.0)]);
        let mut sketch = rate("ch03_threadpool", 12.0);
        sketch.quick = true;
        sketch.noisy = true;
        let yours = results(&[sketch]);
        let table = compare(&ours, Some(&yours), "wrk-sleep", &["ch03_threadpool", "ch06_tokio"]);
        let table = table.unwrap();
        let parts = [
            "This book's machine: A Processor, 1 core, 2 hardware threads, 2.0 GiB of memory, Linux 6, \
             on 2025-01-02. Yours: A Processor",
            "Each row marked *yours* belongs to the one above it.\n\n| Server |",
            "| <code>ch03_<wbr>threadpool</code> | 79.0 |",
            "| *yours:* <code>ch03_<wbr>threadpool</code> | 12.0 (noisy run) |",
            "- *yours:* `ch03_threadpool` is a noisy run: quiet.",
            "- Yours were measured with `--quick`",
        ];
        has(&table, &parts);
        assert!(!table.contains("- Measured with"), "{table}");
        assert!(!table.contains("*yours:* <code>ch06_<wbr>tokio"), "{table}");
        let table = rung(&ours, Some(&yours), "ch03_threadpool").unwrap();
        let parts = [
            "| Figure | `wrk-sleep` | *yours:* `wrk-sleep` |\n|---|---:|---:|\n",
            "| Requests per second | 79.0 | 12.0 |",
        ];
        has(&table, &parts);
        // Of a rung that the reader has not measured, the table is the book's alone.
        let table = rung(&ours, Some(&yours), "ch06_tokio").unwrap();
        assert_eq!(table, rung(&ours, None, "ch06_tokio").unwrap());
    }
}
