//! Tables over several experiments: a row for each server, which may be in one of them or in more.

use std::collections::BTreeSet;

use anyhow::{Context, Result};

use crate::{
    evidence::figures::{Figures, Pair},
    origin::measured_on,
    quantity::Quantity,
    sets::{Evidence, Sets},
    text::{self, figure_words, plain},
};

/// The figures of [`costs`] after the metric, and with how many digits after the point they are written.
const FIGURES: [(&str, usize); 5] = [
    ("requests_per_second", 0),
    ("server_peak_memory_mib", 1),
    ("server_peak_threads", 0),
    ("server_first_answer_ms", 0),
    ("errors", 0),
];

/// A column of [`factors`]: what stands above it, and the experiments that it is made of.
struct Column<'a> {
    heading: &'a str,
    experiments: Vec<Figures<'a>>,
}

impl<'a> Column<'a> {
    /// Of `HEADING: NAME NAME …`.
    fn of(evidence: Evidence<'a>, written: &'a str) -> Result<Column<'a>> {
        let (heading, names) = written
            .split_once(':')
            .with_context(|| format!("a column is `HEADING: NAME …`, not `{written}`"))?;
        let experiments = names.split_whitespace().map(|name| Figures::of(evidence, name));
        Ok(Column { heading, experiments: experiments.collect::<Result<_>>()? })
    }

    /// By which factor a variant's metric is that of the baseline of its experiment, and the verdict about the two.
    fn cells(&self, variant: &str) -> Result<[String; 2]> {
        let own = self.experiments.iter().find(|it| it.set.record.names().contains(&variant));
        let Some(figures) = own else { return Ok([String::new(), "not measured".to_owned()]) };
        let pair = Pair { of: variant, to: None, figure: None };
        let factor = Quantity::Number(figures.times(pair)?, 2);
        Ok([factor, Quantity::Verdict(figures.verdict(pair)?)].map(Quantity::words))
    }
}

/// The metric of each server as a multiple of the baseline of its experiment, with the verdict: two columns for each of
/// these, which are written `HEADING: NAME …` with the experiments that hold the servers.
///
/// # Errors
/// When an experiment was not measured, or declares no contrast of a server to its baseline.
pub fn factors(evidence: Evidence, columns: &[String]) -> Result<String> {
    let columns = columns.iter().map(|written| Column::of(evidence, written));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let experiments = columns.iter().flat_map(|column| &column.experiments);
    let mut compared = variants(experiments.copied());
    compared.retain(|(figures, variant)| figures.set.record.experiment.baseline() != *variant);
    let rows = compared.into_iter().map(|(_, variant)| {
        let cells = columns.iter().map(|column| column.cells(variant));
        let cells = cells.collect::<Result<Vec<_>>>()?.concat();
        Ok([text::code(variant)].into_iter().chain(cells).collect())
    });
    let headings = columns.iter().flat_map(|column| [column.heading, "Verdict"]);
    let headings: Vec<&str> = ["Server"].into_iter().chain(headings).collect();
    let table = text::table(&headings, &["Verdict"], rows.collect::<Result<Vec<_>>>()?);
    let names = columns.iter().flat_map(|column| &column.experiments).map(|it| it.name);
    Ok(format!("{table}\n{}\n", origins(evidence, names)?))
}

/// What each server of these experiments costs: the medians of the metric, the rate, memory, threads and the time until
/// the first answer, and the fewest and the most errors of a run. A server in two experiments has the row of the first.
///
/// # Errors
/// When an experiment was not measured, or a run has no such figure.
pub fn costs(evidence: Evidence, names: &[String]) -> Result<String> {
    let experiments = names.iter().map(|name| Figures::of(evidence, name));
    let experiments = experiments.collect::<Result<Vec<_>>>()?;
    let first = experiments.first().context("a table of costs is of one experiment or more")?;
    let metric = first.set.record.experiment.metric.as_str();
    let rows = variants(experiments.iter().copied()).into_iter().map(|(figures, variant)| {
        let mut row =
            vec![text::code(variant), Quantity::Number(figures.median(variant, None)?, 1).words()];
        for (figure, decimals) in FIGURES {
            row.push(
                match figure {
                    "errors" => Quantity::Pair(figures.spread(variant, Some(figure))?, decimals),
                    figure => Quantity::Number(figures.median(variant, Some(figure))?, decimals),
                }
                .words(),
            );
        }
        Ok(row)
    });
    let figures = [metric].into_iter().chain(FIGURES.map(|(figure, _)| figure));
    let headings = figures.map(|figure| plain(&text::capital(&figure_words(figure))));
    let headings: Vec<String> = ["Server".to_owned()].into_iter().chain(headings).collect();
    let table = text::table(&headings, &[], rows.collect::<Result<Vec<_>>>()?);
    Ok(format!("{table}\n{}\n", origins(evidence, names.iter().map(String::as_str))?))
}

/// The line that says where and when these experiments were measured.
fn origins<'a>(evidence: Evidence, names: impl Iterator<Item = &'a str>) -> Result<String> {
    let names: BTreeSet<&str> = names.collect();
    let sets = names.into_iter().map(|name| {
        // The tables show the book's figures only.
        Ok(Sets { yours: None, ..evidence.sets(name)? })
    });
    Ok(measured_on(&sets.collect::<Result<Vec<_>>>()?))
}

/// The variants of these experiments, each once and with the first experiment that has it.
fn variants<'a>(experiments: impl Iterator<Item = Figures<'a>>) -> Vec<(Figures<'a>, &'a str)> {
    let mut all: Vec<(Figures, &str)> = Vec::new();
    for figures in experiments {
        for variant in &figures.set.record.experiment.variants {
            if all.iter().all(|(_, known)| *known != variant.name) {
                all.push((figures, &variant.name));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use records::testing::pool;

    use super::*;
    use crate::testing::{has, with};

    #[test]
    fn each_server_has_its_factor_in_each_column() {
        let table = |columns: &[&str]| {
            let columns: Vec<String> = columns.iter().map(|it| (*it).to_owned()).collect();
            with(&pool(), None, |evidence| factors(evidence, &columns))
        };
        let text = table(&["Kept: pool-law", "Closed: pool-law"]).unwrap();
        assert!(
            text.starts_with(
                "| Server | Kept | Verdict | Closed | Verdict |\n|---|---:|---|---:|---|\n"
            ),
            "{text}"
        );
        has(&text, &["| `pool of 4` | 3.99", "| differs | 3.99"]);
        has(&text, &[" Linux 6, 2025-01-02.\n"]);
        assert!(!text.contains("`pool of 1`") && !text.contains("control"), "{text}");
        let error = format!("{:#}", table(&["pool-law"]).unwrap_err());
        assert_eq!(error, "a column is `HEADING: NAME …`, not `pool-law`");
        assert!(table(&["Kept: no-such"]).is_err());
    }

    #[test]
    fn what_a_server_costs_is_a_row() {
        let mut record = pool();
        for run in &mut record.runs {
            for (at, (figure, _)) in FIGURES.iter().enumerate().skip(1) {
                run.figures.insert((*figure).to_owned(), Some(at as f64));
            }
        }
        let names = ["pool-law".to_owned(), "pool-law".to_owned()];
        let text = with(&record, None, |evidence| costs(evidence, &names).unwrap());
        has(
            &text,
            &[
                "| Server | Requests per second |",
                "| `pool of 1` | 9.9 | 10 | 1.0 | 2 | 3 | 4 to 4 |\n",
            ],
        );
        has(&text, &["\n\nMeasured on A "]);
        assert_eq!(text.lines().count(), 6, "{text}");
        assert!(with(&pool(), None, |evidence| costs(evidence, &names)).is_err());
    }
}
