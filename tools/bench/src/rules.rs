//! When a run counts, and when it is noisy.

use base::number;
use records::{
    description::{NOISY_SHARE_PERCENT, Setup},
    summary::SATURATED_PERCENT,
};

/// A run with a larger share of errors is void.
const VOID_SHARE: f64 = 0.001;

/// Whether a run is noisy, and the rule with its numbers. `late_ms`: the limit of the second of them.
pub fn judge_noise(share_percent: f64, p99_ms: f64, late_ms: f64) -> (bool, String) {
    let noisy = share_percent > NOISY_SHARE_PERCENT || p99_ms > late_ms;
    let reason = format!(
        "{share_percent:.1} % of the time lost in stalls (limit {NOISY_SHARE_PERCENT} %), \
         1 in 100 wake-ups more than {p99_ms:.1} ms late (limit {late_ms} ms)"
    );
    (noisy, reason)
}

/// Whether a stall of the machine makes a run noisy. An exact count does not change by who else uses the machine,
/// and a program that keeps all processors busy delays the watching thread itself.
pub fn minds_stalls(setup: &Setup) -> bool {
    setup.count.is_none() && setup.busy != Some(true)
}

/// Why a run does not count, if it does not.
pub fn void_reason(requests: f64, errors: f64, still_running: bool) -> Option<String> {
    if !still_running {
        return Some("the server ended during the run".to_owned());
    }
    if requests == 0.0 {
        return Some("not a single request was answered".to_owned());
    }
    let share = errors / requests;
    (share > VOID_SHARE).then(|| {
        format!(
            "{} errors in {} requests, {:.2} %",
            number(errors, 0),
            number(requests, 0),
            100.0 * share
        )
    })
}

/// Why a run does not count in which the generator was the limit, and not the server. `share` is in percent.
///
/// Where nothing was answered, nobody knows what was the limit.
pub fn saturated(share: Option<f64>, requests: f64) -> Option<String> {
    let share = share.filter(|share| *share > SATURATED_PERCENT && requests > 0.0)?;
    Some(format!("the generator was the limit: it used {share:.0} % of its processors"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_for_noise() {
        assert!(!judge_noise(5.0, 20.0, 20.0).0);
        assert!(judge_noise(5.1, 0.0, 20.0).0);
        assert!(judge_noise(5.0, 6.5, 6.0).0);
        let (noisy, reason) = judge_noise(0.0, 20.5, 20.0);
        assert!(noisy && reason.contains("20.5 ms late (limit 20 ms)"), "{reason}");
    }

    #[test]
    fn the_rule_for_void_runs() {
        assert_eq!(void_reason(1000.0, 1.0, true), None);
        assert!(void_reason(1000.0, 2.0, true).unwrap().contains("2 errors in 1,000"));
        assert!(void_reason(0.0, 0.0, true).is_some());
        assert!(void_reason(1000.0, 0.0, false).unwrap().contains("ended"));
    }

    #[test]
    fn a_generator_at_its_limit_makes_a_run_void() {
        let why = saturated(Some(97.4), 1000.0).unwrap();
        assert_eq!(why, "the generator was the limit: it used 97 % of its processors");
        for (share, requests) in [(Some(80.0), 1000.0), (Some(97.4), 0.0), (None, 1000.0)] {
            assert_eq!(saturated(share, requests), None);
        }
    }
}
