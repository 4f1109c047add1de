//! When a run counts, and when it is noisy.

use base::number;
use records::{
    description::{NOISY_P99_MS, NOISY_SHARE_PERCENT, Setup},
    figures::Figures,
};

use crate::figures::or_zero;

/// A run with a larger share of errors is void.
const VOID_SHARE: f64 = 0.001;

/// Whether a run is noisy. It counts all the same, and is shown as one: what stalls the watching thread may be the
/// server itself, with ten thousand threads that start.
pub fn is_noisy(figures: &Figures, setup: &Setup) -> bool {
    let share = or_zero(figures, "stall_share_percent") > NOISY_SHARE_PERCENT;
    (share || or_zero(figures, "stall_p99_ms") > NOISY_P99_MS) && minds_stalls(setup)
}

/// Whether a stall of the machine makes a run noisy. An exact count does not change by who else uses the machine,
/// and a program that keeps all processors busy delays the watching thread itself.
fn minds_stalls(setup: &Setup) -> bool {
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
        let [errors, requests] = [errors, requests].map(|count| number(count, 0));
        format!("{errors} errors in {requests} requests, {:.2}%", 100.0 * share)
    })
}

#[cfg(test)]
mod tests {
    use records::description::Count;

    use super::*;
    use crate::figures::named;

    #[test]
    fn the_rule_for_noise() {
        let is_noisy = |share, p99, setup: &Setup| {
            let stalls = [("stall_share_percent", Some(share)), ("stall_p99_ms", Some(p99))];
            is_noisy(&named(stalls), setup)
        };
        let server = Setup::default();
        assert!(!is_noisy(5.0, 20.0, &server));
        assert!(is_noisy(5.1, 0.0, &server) && is_noisy(0.0, 20.5, &server));
        assert!(!is_noisy(5.1, 0.0, &Setup { busy: Some(true), ..Setup::default() }));
        assert!(!is_noisy(5.1, 0.0, &Setup { count: Some(Count::Syscalls), ..server }));
    }

    #[test]
    fn the_rule_for_void_runs() {
        assert_eq!(void_reason(1000.0, 1.0, true), None);
        assert!(void_reason(1000.0, 2.0, true).unwrap().contains("2 errors in 1,000"));
        assert!(void_reason(0.0, 0.0, true).is_some());
        assert!(void_reason(1000.0, 0.0, false).unwrap().contains("ended"));
    }
}
