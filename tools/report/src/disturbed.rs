//! How a figure is marked that the machine may have disturbed.

use base::significant;
use records::summary::{Line, Spread};

/// What follows a figure of a chart or a table.
pub const DAGGER: &str = "\u{a0}†";

/// What explains [`DAGGER`].
pub(crate) const EXPLAINED: &str = "†: the machine stalled in one of its rounds or more.";

/// What follows a figure of a sentence.
pub const MARK: &str =
    "[†](measurements.md#how-quiet-it-was \"the machine stalled in a round of this\")";

/// The median of a variant's metric, marked if a round of it was disturbed.
pub(crate) fn median(line: &Line) -> String {
    let mark = if line.noisy > 0 { DAGGER } else { "" };
    let median = |spread: Spread| significant(spread.median) + mark;
    line.metric.map_or_else(|| "no run counts".to_owned(), median)
}

/// What stands behind a rate that is the generator's.
pub(crate) const DOUBLE_DAGGER: &str = "\u{a0}‡";

/// What a table says below such rates.
pub(crate) const GENERATORS: &str =
    "‡: in most rounds the generator was the limit, so this rate is the generator's.";
