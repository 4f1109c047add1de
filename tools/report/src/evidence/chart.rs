//! The chart of an experiment: what it found, the drawing, and one line on how it was measured.

use anyhow::{Context, Result};

use crate::{
    charts,
    evidence::commands::origin_line,
    sets::{Evidence, Sets},
    text::escape,
};

/// The chart of an experiment, as HTML without an empty line. `id` is unique in the book; `found` is what it found, in
/// HTML, and its title where that is empty.
///
/// # Errors
/// When it was not measured, or has no place for a point.
pub fn chart(evidence: Evidence, id: &str, name: &str, found: &str) -> Result<String> {
    figure(evidence.sets(name)?, id, name, found)
}

/// The same of these sets.
pub(crate) fn figure(sets: Sets, id: &str, name: &str, found: &str) -> Result<String> {
    let svg =
        charts::draw(id, sets).with_context(|| format!("cannot draw the experiment {name}"))?;
    let title = match found {
        "" => escape(&sets.experiment().title),
        found => found.to_owned(),
    };
    Ok(format!(
        "<figure class=\"chart\">\n<p class=\"finding\">{title}</p>\n{svg}\n<figcaption>{}</figcaption>\n</figure>",
        origin_line(sets, name)
    ))
}
