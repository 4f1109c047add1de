//! A table of several servers, made from the reports that the judge has written about them.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::report::Score;

/// What the table needs of a report.
#[derive(Deserialize)]
struct Scores {
    by_level: Vec<Score>,
}

/// Draws the table: a row for each file, by its name, with how many of the cases that were put have passed.
pub fn table<P: AsRef<Path>>(files: &[P]) -> Result<String> {
    let mut text = format!(
        "{:<24} {:>8} {:>8} {:>8} {:>10}\n",
        "", "HTTP/1.1", "clients", "contract", "outside"
    );
    for file in files {
        let file = file.as_ref();
        let report =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let scores: Scores = serde_json::from_str(&report)
            .with_context(|| format!("{} is no report of --json", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        text += &format!("{name:<24}");
        for (score, width) in scores.by_level.iter().zip([8, 8, 8, 10]) {
            text += &format!(" {:>width$}", score.passed());
        }
        text += "\n";
    }
    Ok(text)
}
