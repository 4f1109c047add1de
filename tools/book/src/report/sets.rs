//! The book's records and, next to them, the reader's own.

use anyhow::Result;
use records::{
    description::Experiment,
    measured::{Records, Set},
    ran::Ran,
};

/// The book's records and, where they are shown too, the reader's.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The book's.
    pub ours: &'a Records,
    /// The reader's.
    pub yours: Option<&'a Records>,
}

/// One experiment, as the book measured it and, where that is shown too, as the reader did.
#[derive(Clone, Copy)]
pub(crate) struct Sets<'a> {
    pub ours: Set<'a>,
    pub yours: Option<Set<'a>>,
}

impl<'a> Evidence<'a> {
    pub(crate) fn sets(self, name: &str) -> Result<Sets<'a>> {
        let ours = self.ours.record(name)?;
        let yours = self.yours.and_then(|yours| yours.get(name));
        // Where something else was run, it is another experiment.
        let ran = |set: Set| Ran::of(&set.record.experiment);
        let yours = yours.filter(|yours| ran(*yours) == ran(ours));
        Ok(Sets { ours, yours })
    }
}

impl<'a> Sets<'a> {
    pub fn experiment(self) -> &'a Experiment {
        &self.ours.record.experiment
    }

    pub fn all(self) -> impl Iterator<Item = Set<'a>> {
        [Some(self.ours), self.yours].into_iter().flatten()
    }

    /// What an axis for the metric has to hold: what each variant reached in its rounds, and what the laws predict.
    pub fn extremes(self) -> Vec<f64> {
        let variants = &self.experiment().variants;
        let metrics = variants.iter().flat_map(|variant| {
            self.all().filter_map(|set| set.summary.line(&variant.name)?.metric)
        });
        let laws = variants.iter().filter_map(|variant| variant.law.as_ref());
        let ends = metrics.flat_map(|spread| [spread.least, spread.greatest]);
        ends.chain(laws.map(|law| law.value)).collect()
    }
}
