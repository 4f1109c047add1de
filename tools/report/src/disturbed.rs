//! How a figure is marked that the machine may have disturbed.

use base::significant;
use records::{
    sessions::Set,
    store::RoundRun,
    summary::{Line, Spread},
};

/// What follows a figure of a chart or a table.
pub(crate) const DAGGER: &str = "\u{a0}†";

/// What explains [`DAGGER`].
pub(crate) const EXPLAINED: &str = "†: the machine stalled in one of its rounds or more.";

/// What follows a figure of a sentence.
pub const MARK: &str = "[†](measuring.md#what-our-machine-did-to-our-figures \"the machine stalled in a round of this\")";

/// The median of a variant's metric, marked if a round of it was disturbed.
pub(crate) fn median(line: &Line) -> String {
    let mark = if line.noisy > 0 { DAGGER } else { "" };
    let median = |spread: Spread| significant(spread.median) + mark;
    line.metric.map_or_else(|| "no run counts".to_owned(), median)
}

/// Whether the machine disturbed a run from which a figure of these variants comes.
pub(crate) fn is_disturbed(set: Set, variants: &[&str], figure: &str) -> bool {
    let has = |run: &&RoundRun| run.figures.get(figure).is_some_and(Option::is_some);
    let runs =
        |variant: &&str| set.record.counted(variant).into_values().filter(has).any(|run| run.noisy);
    variants.iter().any(runs)
}
