//! The models on one page: what the servers do, in both connection modes, from the experiments `models-…`.

use std::collections::BTreeSet;

use anyhow::Result;
use base::{number, significant};

use crate::{
    disturbed::explained,
    evidence::Figures,
    origin::measured_on,
    sets::{Evidence, Sets},
    text::{ABSENT, code, table},
};

/// A column: its heading, the experiment that holds it, and the figure. Without `-keepalive`, which is added.
const COLUMNS: [(&str, &str, &str); 7] = [
    ("CPU time per request, µs", "models", "server_cpu_us_per_request"),
    ("System calls per request", "models-syscalls", "syscalls_per_request"),
    ("Instructions per request", "models-instructions", "instructions_per_request"),
    ("Allocations per request", "models-allocations", "allocations_per_request"),
    ("Switches per request", "models", "server_switches_per_request"),
    ("Memory, MiB", "models", "server_peak_memory_mib"),
    ("Threads", "models", "server_peak_threads"),
];

/// The two modes: what a reader calls them, and how the names of their experiments end.
const MODES: [(&str, bool); 2] =
    [("A connection for each request", false), ("Kept connections", true)];

/// What a request costs in either mode, and below it how many were answered in a second.
/// Fails when one of the experiments was not measured, or lacks a server or a figure.
pub fn tables(evidence: Evidence) -> Result<String> {
    let headings: Vec<&str> = ["Server"].into_iter().chain(COLUMNS.map(|it| it.0)).collect();
    let mut parts = Vec::new();
    for (title, keep) in MODES {
        let columns = COLUMNS.map(|(_, experiment, figure)| (experiment, keep, figure));
        parts.push(part(evidence, title, &headings, &columns)?);
    }
    let rates = MODES.map(|(_, keep)| ("models", keep, "requests_per_second"));
    let headings = ["Server", MODES[0].0, MODES[1].0];
    parts.push(part(evidence, "Requests per second", &headings, &rates)?);
    let mut text = parts.join("\n");
    let kinds =
        COLUMNS.iter().flat_map(|(_, kind, _)| MODES.map(|(_, keep)| stored_as(kind, keep)));
    let names: BTreeSet<String> = kinds.flatten().collect();
    let sets = names.iter().map(|name| {
        // The tables show the book's figures only.
        Ok(Sets { yours: None, ..evidence.sets(name)? })
    });
    text += &format!("\n{}\n", measured_on(&sets.collect::<Result<Vec<_>>>()?));
    for words in explained(&text) {
        text += &format!("\n{words}");
    }
    Ok(text.trim_end().to_owned())
}

/// A table of all servers; each column is the figure of an experiment in one of the modes.
fn part(
    evidence: Evidence,
    title: &str,
    headings: &[&str],
    columns: &[(&str, bool, &str)],
) -> Result<String> {
    let row = |rung: &&str| -> Result<Vec<String>> {
        let cells = columns
            .iter()
            .map(|(experiment, keep, figure)| cell(evidence, experiment, *keep, rung, figure));
        [Ok(code(rung))].into_iter().chain(cells).collect()
    };
    let rows = servers::MEASURED.iter().map(row).collect::<Result<Vec<_>>>()?;
    Ok(format!("**{title}**\n\n{}", table(headings, &[], rows)))
}

/// The name of an experiment in one of the modes, if it was measured in it.
fn stored_as(experiment: &str, keep: bool) -> Option<String> {
    match (experiment, keep) {
        ("models", false) => Some("models-close".to_owned()),
        ("models-allocations", true) => None,
        (experiment, true) => Some(format!("{experiment}-keepalive")),
        (experiment, false) => Some(experiment.to_owned()),
    }
}

/// The median of a figure; a dash where this mode was not measured.
fn cell(
    evidence: Evidence,
    experiment: &str,
    keep: bool,
    rung: &str,
    figure: &str,
) -> Result<String> {
    let Some(name) = stored_as(experiment, keep) else { return Ok(ABSENT.to_owned()) };
    let found = Figures::of(evidence, &name)?.median(rung, Some(figure))?;
    let shown = match figure {
        "server_peak_threads" => number(found.value, 0),
        _ => significant(found.value),
    };
    Ok(shown + &found.marks.signs())
}

#[cfg(test)]
mod tests {
    use records::{
        sessions::Records,
        testing::{record, write},
    };

    use super::*;
    use crate::testing::{has, lacks};

    #[test]
    fn a_disturbed_figure_is_marked_and_the_mark_is_explained() {
        let folder = tempfile::tempdir().unwrap();
        let rates: Vec<(&str, &[f64])> =
            servers::MEASURED.iter().map(|rung| (*rung, &[1.5, 1.5][..])).collect();
        let mut record = record(&rates);
        for run in &mut record.runs {
            run.figures.extend(COLUMNS.map(|(_, _, figure)| (figure.to_owned(), Some(1.5))));
        }
        for (_, kind, _) in COLUMNS {
            let kind = if kind == "models" { "models-close" } else { kind };
            write(folder.path(), kind, &record);
            write(
                folder.path(),
                &format!("{}-keepalive", kind.trim_end_matches("-close")),
                &record,
            );
        }
        let of = || {
            let ours = Records::read(folder.path()).unwrap();
            tables(Evidence { ours: &ours, yours: None }).unwrap()
        };
        let quiet = of();
        lacks(&quiet, &["†"]);
        has(&quiet, &["| `ch06_tokio` | 1.50 |", "\n\nMeasured on A "]);
        record.runs[0].noisy = true;
        write(folder.path(), "models-close", &record);
        let text = of();
        // The five figures of one server in one mode, and the words about them.
        assert_eq!(text.matches('†').count(), 6, "{text}");
        has(&text, &["| `ch01_single_threaded` | 1.50\u{a0}† |"]);
        assert!(text.ends_with("†: the machine stalled in one of its rounds or more."), "{text}");
    }
}
