//! The models on one page: what the servers do, in both connection modes, from the experiments `models-…`.

use anyhow::Result;
use base::{number, significant};

use crate::{
    disturbed::explained,
    evidence::Figures,
    sets::Evidence,
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

/// What a request costs in either mode, and below it the rates.
/// Fails when one of the experiments was not measured, or lacks a server or a figure.
pub fn tables(evidence: Evidence) -> Result<String> {
    let mut headings = vec!["Server"];
    headings.extend(COLUMNS.map(|(heading, ..)| heading));
    let mut parts = Vec::new();
    for (title, keep) in MODES {
        let mut rows = Vec::new();
        for rung in servers::MEASURED.iter().copied() {
            let mut row = vec![code(rung)];
            for (_, experiment, figure) in COLUMNS {
                row.push(cell(evidence, experiment, keep, rung, figure)?);
            }
            rows.push(row);
        }
        parts.push(format!("**{title}**\n\n{}", table(&headings, &[], rows)));
    }
    parts.push(rates(evidence)?);
    let mut text = parts.join("\n");
    for words in explained(&text) {
        text += &format!("\n{words}");
    }
    Ok(text.trim_end().to_owned())
}

/// How many requests a second were answered, and whose rate that is.
fn rates(evidence: Evidence) -> Result<String> {
    let mut rows = Vec::new();
    for rung in servers::MEASURED.iter().copied() {
        let mut row = vec![code(rung)];
        for (_, keep) in MODES {
            row.push(cell(evidence, "models", keep, rung, "requests_per_second")?);
        }
        rows.push(row);
    }
    let headings = ["Server", MODES[0].0, MODES[1].0];
    Ok(format!("**Requests per second**\n\n{}", table(&headings, &[], rows)))
}

/// The median of a figure; a dash where this mode was not measured.
fn cell(
    evidence: Evidence,
    experiment: &str,
    keep: bool,
    rung: &str,
    figure: &str,
) -> Result<String> {
    let name = match (experiment, keep) {
        ("models", false) => "models-close".to_owned(),
        ("models-allocations", true) => return Ok(ABSENT.to_owned()),
        (experiment, true) => format!("{experiment}-keepalive"),
        (experiment, false) => experiment.to_owned(),
    };
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
    use crate::testing::has;

    #[test]
    fn a_disturbed_figure_is_marked_and_the_mark_is_explained() {
        let folder = tempfile::tempdir().unwrap();
        let write_all = |noisy: bool| {
            let kinds = ["models-close", "models-keepalive", "models-syscalls"];
            let more = ["-instructions", "-syscalls"].map(|kind| format!("models{kind}-keepalive"));
            let kinds = kinds.into_iter().chain(["models-instructions", "models-allocations"]);
            for name in kinds.map(str::to_owned).chain(more) {
                let rates: Vec<(&str, &[f64])> =
                    servers::MEASURED.iter().map(|rung| (*rung, &[1.5, 1.5][..])).collect();
                let mut record = record(&rates);
                for run in &mut record.runs {
                    for (_, _, figure) in COLUMNS {
                        run.figures.insert(figure.to_owned(), Some(1.5));
                    }
                }
                record.runs[0].noisy = noisy && name == "models-close";
                write(folder.path(), &name, &record);
            }
            let ours = Records::read(folder.path()).unwrap();
            tables(Evidence { ours: &ours, yours: None }).unwrap()
        };
        let quiet = write_all(false);
        assert!(!quiet.contains('†') && quiet.contains("| `ch06_tokio` | 1.50 |"), "{quiet}");
        let text = write_all(true);
        // The five figures of one server in one mode, and the words about them.
        assert_eq!(text.matches('†').count(), 6, "{text}");
        has(&text, &["| `ch01_single_threaded` | 1.50\u{a0}† |"]);
        assert!(text.ends_with("†: the machine stalled in one of its rounds or more."), "{text}");
    }
}
