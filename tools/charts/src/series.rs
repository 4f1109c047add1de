//! Sorts the variants of a chart with two axes into series, each with its name and its mark.

use anyhow::{Result, ensure};
use records::description::{Experiment, Variant};

use crate::{drawing::marks, named::Named};

/// The most series in colour: a reader tells no more apart, so a description names those that count.
const MOST_SHOWN: usize = 4;

/// A series of a chart, with what is drawn of it.
pub struct Series<'a, P> {
    name: &'a str,
    pub named: Named,
    pub mark: &'static str,
    pub points: Vec<P>,
}

impl<P> Series<'_, P> {
    /// Tells whether a label names it.
    pub fn has_label(&self) -> bool {
        self.named.is_shown && !self.named.words.is_empty()
    }
}

/// Sorts variants with their points into series, grey ones first, so that none lies on one that is shown. Fails when too
/// many would be in colour.
pub fn series<'a, P>(
    experiment: &'a Experiment,
    brought: Vec<(&'a Variant, Vec<P>)>,
) -> Result<Vec<Series<'a, P>>> {
    let mut all: Vec<Series<P>> = Vec::new();
    for (variant, points) in brought {
        let name = variant.series.as_deref().unwrap_or_default();
        match all.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.extend(points),
            None => {
                let named = Named::of(experiment, variant, name);
                all.push(Series { name, named, mark: "", points });
            }
        }
    }
    let shown = all.iter().filter(|series| series.named.is_shown).count();
    ensure!(
        shown <= MOST_SHOWN,
        "{shown} lines would be in colour, and a reader tells {MOST_SHOWN} apart; \
         name those that the title is about in `chart.shown`"
    );
    // Series of one colour are told apart by their marks.
    let colours: Vec<Option<&str>> = all.iter().map(|series| series.named.colour()).collect();
    for (series, mark) in all.iter_mut().zip(marks(&colours)) {
        series.mark = mark;
    }
    all.sort_by_key(|series| series.named.is_shown);
    Ok(all)
}
