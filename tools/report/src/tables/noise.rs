//! How noisy the machine was while the experiments ran, in words.

use std::fmt::Write;

use anyhow::{Context, Result};
use base::number;
use records::{
    description::{NOISY_P99_MS, NOISY_SHARE_PERCENT},
    sessions::Records,
    store::RoundRun,
};

use crate::text::{code, plural};

/// How late sleeping threads woke, how much CPU time the host took away, and how many runs count as noisy.
/// Fails when nothing was measured yet.
pub fn noise(records: &Records) -> Result<String> {
    let runs: Vec<(&str, &RoundRun)> = records
        .all()
        .flat_map(|(name, set)| set.record.runs.iter().map(move |run| (name, run)))
        .collect();
    let value = |run: &RoundRun, figure: &str| run.figures.get(figure).copied().flatten();
    let late = runs.iter().filter_map(|(name, run)| Some((*name, value(run, "stall_max_ms")?)));
    let (name, worst) = late
        .max_by(|one, other| one.1.total_cmp(&other.1))
        .context("there are no results yet; `cargo xtask bench` measures them")?;
    let mut text = "A thread repeatedly slept for 5 ms and noted how late it woke. ".to_owned();
    let idle = records.all().filter_map(|(_, set)| set.record.idle_stalls.as_ref());
    if let Some(idle) = idle.max_by(|one, other| one.max_ms.total_cmp(&other.max_ms)) {
        let _ = write!(
            text,
            "Before the runs, when we had started nothing, it woke with a median of {:.2} ms late, and {:.1} ms late at worst. ",
            idle.median_ms, idle.max_ms
        );
    }
    let _ = write!(text, "During the runs it woke up to {worst:.1} ms late ({}). ", code(name));
    let total = |figure: &str| {
        runs.iter().filter_map(|(_, run)| value(run, figure)).reduce(|one, other| one + other)
    };
    if let Some(steal) = total("steal_seconds") {
        let steal = number(steal, 1);
        let _ = write!(text, "The kernel reports that the host took away {steal} s of CPU time. ");
    }
    let noisy = runs.iter().filter(|(_, run)| run.noisy).count();
    let _ = write!(
        text,
        "{noisy} of {} count as noisy: more than {NOISY_SHARE_PERCENT}% of the time lost, or 1 in 100 wake-ups more \
         than {NOISY_P99_MS} ms late, or whatever the experiment's description sets.",
        plural(runs.len() as u64, "run")
    );
    Ok(text)
}

#[cfg(test)]
mod tests {
    use records::{machine::Stalls, testing::pool};

    use super::*;
    use crate::testing::{has, with};

    #[test]
    fn the_noise_of_the_machine_in_words() {
        let mut record = pool();
        record.runs[3].figures.insert("stall_max_ms".to_owned(), Some(31.25));
        record.runs[4].figures.insert("steal_seconds".to_owned(), Some(0.1));
        record.idle_stalls = Some(Stalls {
            samples: 1,
            seconds: 5.0,
            median_ms: 0.07,
            p99_ms: 0.1,
            max_ms: 0.2,
            share_percent: 0.0,
        });
        with(&record, None, |evidence| {
            let parts = [
                "with a median of 0.07 ms late, and 0.2 ms late at worst",
                "up to 31.2 ms late (`pool-law`)",
                "took away 0.1 s of CPU time",
                "1 of 16 runs count as noisy",
            ];
            has(&noise(evidence.ours).unwrap(), &parts);
        });
        assert!(noise(&Records::default()).is_err());
    }
}
