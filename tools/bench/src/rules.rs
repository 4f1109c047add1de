//! When a run counts, and when it is noisy.

use base::number;
use records::description::{NOISY_P99_MS, NOISY_SHARE_PERCENT, Setup};

/// A run with a larger share of errors is void.
const VOID_SHARE: f64 = 0.001;

/// Whether a run is noisy, and the rule with its numbers. A noisy run counts, and is shown as one: what stalls the
/// watching thread may be the server itself, with ten thousand threads that start.
pub fn judge_noise(share_percent: f64, p99_ms: f64) -> (bool, String) {
    let noisy = share_percent > NOISY_SHARE_PERCENT || p99_ms > NOISY_P99_MS;
    let reason = format!(
        "{share_percent:.1}% of the time lost in stalls (limit {NOISY_SHARE_PERCENT}%), \
         1 in 100 wake-ups more than {p99_ms:.1} ms late (limit {NOISY_P99_MS} ms)"
    );
    (noisy, reason)
}

/// Whether a stall of the machine makes a run noisy. An exact count does not change by who else uses the machine,
/// and a program that keeps all processors busy delays the watching thread itself.
pub fn minds_stalls(setup: &Setup) -> bool {
    setup.count.is_none() && setup.busy != Some(true)
}

/// Why a run does not count, if it does not: its answers are wrong or missing. How fast they are changes nothing.
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
            "{} errors in {} requests, {:.2}%",
            number(errors, 0),
            number(requests, 0),
            100.0 * share
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_for_noise() {
        assert!(!judge_noise(5.0, 20.0).0);
        assert!(judge_noise(5.1, 0.0).0);
        let (noisy, reason) = judge_noise(0.0, 20.5);
        assert!(noisy && reason.contains("20.5 ms late (limit 20 ms)"), "{reason}");
    }

    #[test]
    fn the_rule_for_void_runs() {
        assert_eq!(void_reason(1000.0, 1.0, true), None);
        assert!(void_reason(1000.0, 2.0, true).unwrap().contains("2 errors in 1,000"));
        assert!(void_reason(0.0, 0.0, true).is_some());
        assert!(void_reason(1000.0, 0.0, false).unwrap().contains("ended"));
    }
}
