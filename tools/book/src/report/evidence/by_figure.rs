//! The chart of an experiment by another figure than its metric.

use anyhow::Result;
use records::{measured::Set, store::Record, summary::Summary};

use crate::report::{
    evidence::{block::figure, figures::Figures},
    sets::{Evidence, Sets},
    text::escape,
};

/// The chart of an experiment by this figure, under this title; latencies stand on a logarithmic axis. Fails when it was
/// not measured, or no run has the figure.
pub fn chart_by(evidence: Evidence, id: &str, name: &str, by: &str, title: &str) -> Result<String> {
    let sets = evidence.sets(name)?;
    let baseline = sets.experiment().baseline();
    Figures::of(evidence, name)?.median(baseline, Some(by))?;
    let ours = with_metric(sets.ours.record, by);
    let yours = sets.yours.map(|yours| with_metric(yours.record, by));
    let set = |(record, summary)| Set { record, summary };
    let sets = Sets {
        ours: set((&ours.0, &ours.1)),
        yours: yours.as_ref().map(|(record, summary)| set((record, summary))),
    };
    figure(sets, id, name, &escape(title))
}

/// A record with another metric. Its laws are about the old one.
fn with_metric(record: &Record, by: &str) -> (Record, Summary) {
    let mut record = record.clone();
    record.experiment.metric = by.to_owned();
    record.experiment.variants.iter_mut().for_each(|variant| variant.law = None);
    record.experiment.chart.log = by.starts_with("latency_");
    let summary = Summary::of(&record);
    (record, summary)
}

#[cfg(test)]
mod tests {
    use records::testing::pool;

    use super::*;
    use crate::report::testing::{has, lacks, with};

    #[test]
    fn a_chart_may_show_another_figure() {
        let mut pool = pool();
        for run in &mut pool.runs {
            run.figures.insert("latency_p99_ms".to_owned(), Some(7.5));
        }
        with(&pool, None, |evidence| {
            let of = |by| chart_by(evidence, "c", "pool-law", by, "How long & how often");
            let text = of("latency_p99_ms").unwrap();
            has(
                &text,
                &["How long &amp; how often</p>", "Latency, 99% below, ms. The axis", ">7.50"],
            );
            lacks(&text, &["39.5", "of 40"]);
            assert!(of("latency_p50_ms").is_err());
        });
    }
}
