//! What a call says on the terminal about experiments.

use records::{
    base::{number, say},
    description::Experiment,
    store::Record,
    summary::Summary,
};

use crate::plan::{Plan, whole_seconds};

/// Says what would be measured of an experiment, and gives about how long that takes, in seconds.
pub fn list(name: &str, experiment: &Experiment, quick: bool) -> f64 {
    let experiment = if quick { &experiment.shortened() } else { experiment };
    let seconds = whole_seconds(experiment);
    say(format_args!(
        "{name:<30} {:<22} {seconds:>5.0} s  {} rounds of {}: {}",
        experiment.page,
        experiment.rounds,
        experiment.entries().len(),
        experiment.question,
    ));
    seconds
}

/// Says why an experiment is measured again, and what of it can't be measured.
pub fn announce(plan: &Plan) {
    let name = &plan.name;
    if let Some(why) = plan.again {
        say(format_args!(
            "Will measure {name} again ({why}); its record stays until that is done."
        ));
    }
    for skipped in &plan.record.skipped {
        say(format_args!("{name}: {skipped}"));
    }
}

/// A record on the terminal: each variant's median, and how it differs from the baseline.
pub fn summary(name: &str, record: &Record) -> Vec<String> {
    let experiment = &record.experiment;
    let summary = Summary::of(record);
    let beyond = match summary.beyond {
        0 => String::new(),
        beyond => format!(", {beyond} beyond the end of their climb"),
    };
    let mut lines = vec![format!(
        "{name}: {}, {} of {} rounds{}, {} void runs, {} noisy ones{beyond}",
        experiment.metric,
        summary.whole_rounds,
        experiment.rounds,
        if record.quick { " (a sketch has 2)" } else { "" },
        summary.voids,
        summary.noisy,
    )];
    for line in &summary.lines {
        let Some(metric) = line.metric else { continue };
        let law = line.law.as_ref().map(|law| number(law.value, 3));
        let law = law.map(|law| format!("; the law says {law}")).unwrap_or_default();
        lines.push(format!("  {:<30} {:>14}{law}", line.name, number(metric.median, 3)));
    }
    let baseline = experiment.baseline();
    for name in record.names().into_iter().filter(|name| *name != baseline) {
        let Some(found) = record.difference(name, baseline, &experiment.metric) else { continue };
        let [median, least, greatest] =
            [found.median, found.least, found.greatest].map(|it| number(it, 3));
        let words = found.words();
        lines.push(format!("  {name} / {baseline}: {median} ({least} to {greatest}): {words}"));
    }
    lines.extend(record.skipped.iter().map(|skipped| format!("  skipped: {skipped}")));
    lines
}
