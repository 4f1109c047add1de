//! The runs of a table: the book's and, next to each, the reader's own.

use records::{ladder::Run, results::Results};

/// A run in a table.
pub struct Entry<'a> {
    pub run: &'a Run,
    pub is_yours: bool,
}

impl Entry<'_> {
    /// This name of the run, marked if the run is the reader's.
    pub fn named(&self, name: &str) -> String {
        format!("{}{name}", if self.is_yours { "*yours:* " } else { "" })
    }
}

/// Each run with the reader's own after it, if there is one.
pub fn beside<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    yours: Option<&'a Results>,
) -> Vec<Entry<'a>> {
    let pair = |run: &'a Run| {
        let own = yours.and_then(|yours| yours.get(&run.rung, &run.bench));
        let own = own.map(|run| Entry { run, is_yours: true });
        [Some(Entry { run, is_yours: false }), own].into_iter().flatten()
    };
    runs.into_iter().flat_map(pair).collect()
}
