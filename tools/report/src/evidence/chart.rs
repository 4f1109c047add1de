//! The chart of an experiment with its caption.

use std::fmt::Write;

use anyhow::{Context, Result};
use records::summary::{SATURATED_PERCENT, Summary};

use crate::{
    charts,
    disturbed::EXPLAINED,
    sets::{Evidence, Sets},
    text::{escape, listed, plural},
};

/// The chart of an experiment with its caption, as HTML without an empty line. `id` is unique in the book.
///
/// # Errors
/// When it was not measured, or has no place for a point.
pub fn chart(evidence: Evidence, id: &str, name: &str) -> Result<String> {
    figure(evidence.sets(name)?, id, name)
}

/// The same of these sets.
pub(crate) fn figure(sets: Sets, id: &str, name: &str) -> Result<String> {
    let svg =
        charts::draw(id, sets).with_context(|| format!("cannot draw the experiment {name}"))?;
    let caption = caption(sets, name);
    Ok(format!("<figure class=\"chart\">\n{svg}\n<figcaption>{caption}</figcaption>\n</figure>"))
}

fn caption(sets: Sets, name: &str) -> String {
    let summary = sets.ours.summary;
    let mut caption = format!("<strong>{}.</strong> ", escape(&sets.experiment().title));
    let _ = match summary.whole_rounds {
        1 => write!(caption, "One round."),
        rounds => write!(
            caption,
            "Medians of {rounds} rounds; the thin lines reach from the least to the greatest of them."
        ),
    };
    let _ = write!(caption, " {}", noise(summary));
    if sets.all().any(|set| set.summary.lines.iter().any(|line| line.noisy > 0)) {
        let _ = write!(caption, " {EXPLAINED}");
    }
    let limited = summary.lines.iter().filter(|line| 2 * line.saturated > line.counted);
    let limited: Vec<String> = limited.map(|line| escape(&line.name)).collect();
    if !limited.is_empty() {
        let _ = write!(
            caption,
            " In most rounds of {} the generator used more than {SATURATED_PERCENT} % of its processors: \
             the server may be able to do more.",
            listed(&limited)
        );
    }
    if sets.ours.record.quick {
        caption += " A sketch, shortened with <code>--quick</code>.";
    }
    if let Some(yours) = sets.yours {
        let rounds = plural(yours.summary.whole_rounds as u64, "whole round");
        let sketch = if yours.record.quick { ", shortened with <code>--quick</code>" } else { "" };
        let _ = write!(caption, " Yours: {rounds}{sketch}.");
    }
    let name = escape(name);
    caption + &format!(" To repeat it: <code>cargo xtask bench --only {name}</code>")
}

/// How noisy the runs were, and how many do not count.
fn noise(summary: &Summary) -> String {
    let runs = plural(summary.counted as u64, "run");
    let noisy = match summary.noisy {
        0 => format!("None of {runs} was noisy"),
        1 => format!("1 of {runs} was noisy"),
        noisy => format!("{noisy} of {runs} were noisy"),
    };
    let voids = match summary.voids {
        0 => "none was void".to_owned(),
        1 => "1 more was void and does not count".to_owned(),
        voids => format!("{voids} more were void and do not count"),
    };
    format!("{noisy}, and {voids}.")
}
