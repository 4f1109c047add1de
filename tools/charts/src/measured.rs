//! An experiment with its description and its record.

use anyhow::{Context, Result, bail, ensure};
use records::{
    computed::Key,
    description::{CONTROL, Experiment, Variant},
    difference::{Difference, Spread},
    store::Record,
};

/// An experiment that was measured.
pub struct Measured {
    /// The name of its description, `measurements/experiments/NAME.toml`.
    pub name: String,
    /// The question, and how it is measured.
    pub description: Experiment,
    /// The runs that were made.
    pub record: Record,
}

impl Measured {
    /// Names a figure of a variant, or its ratio to another variant; the metric, where no figure is named.
    pub fn key(&self, of: &str, to: Option<&str>, figure: Option<&str>) -> Key {
        Key {
            experiment: self.name.clone(),
            of: of.to_owned(),
            to: to.map(str::to_owned),
            figure: self.figure(figure).to_owned(),
        }
    }

    /// Returns the figure of this name, or else the metric.
    pub fn figure<'a>(&'a self, named: Option<&'a str>) -> &'a str {
        named.unwrap_or(&self.description.metric)
    }

    /// Computes a figure of a variant over its rounds. Fails when there is no such variant, or none of its runs has the figure.
    pub fn spread(&self, variant: &str, figure: &str) -> Result<Spread> {
        self.known(variant)?;
        let values: Vec<f64> = self.record.values(variant, figure).into_values().collect();
        let spread = Spread::of(&values);
        spread.with_context(|| {
            format!("no run of \"{variant}\" in {} has the figure `{figure}`", self.name)
        })
    }

    /// Computes the ratios of a figure of two variants, round by round. Fails when no round has both, or the second is 0 in one.
    pub fn ratio(&self, of: &str, to: &str, figure: &str) -> Result<Difference> {
        self.known(of)?;
        self.known(to)?;
        let difference = self.record.difference(of, to, figure).with_context(|| {
            format!("no round of {} has the figure `{figure}` of \"{of}\" and \"{to}\"", self.name)
        })?;
        let ratios = [difference.median, difference.least, difference.greatest];
        ensure!(
            ratios.iter().all(|ratio| ratio.is_finite()),
            "`{figure}` of \"{to}\" in {} is 0 in a round, and nothing can be divided by that",
            self.name
        );
        Ok(difference)
    }

    /// Computes the metric of a variant, if a run of it counts.
    pub fn metric(&self, variant: &Variant) -> Option<Spread> {
        self.spread(&variant.name, &self.description.metric).ok()
    }

    /// Compares the control, the second run of the baseline in each round, with the baseline.
    pub fn beside_itself(&self) -> Option<Difference> {
        let baseline = self.description.baseline();
        self.description
            .control
            .then(|| self.ratio(CONTROL, baseline, &self.description.metric).ok())?
    }

    /// Returns the values that the axis of the metric has to span: the extremes of each variant, and the predictions.
    pub fn extremes(&self) -> Vec<f64> {
        let mut values = Vec::new();
        for variant in &self.description.variants {
            values.extend(self.metric(variant).iter().flat_map(|it| [it.least, it.greatest]));
            values.extend(variant.law.iter().map(|law| law.value));
        }
        values
    }

    /// Returns the number of rounds.
    pub fn rounds(&self) -> usize {
        self.record.runs.iter().map(|run| run.round).max().unwrap_or(0)
    }

    fn known(&self, variant: &str) -> Result<()> {
        let entries = self.description.entries();
        if !entries.contains(&variant) {
            bail!("{} has no variant \"{variant}\"; it has {}", self.name, entries.join(", "));
        }
        let has_run = self.record.runs.iter().any(|run| run.variant == variant);
        ensure!(has_run, "\"{variant}\" was not measured in {}", self.name);
        Ok(())
    }
}
