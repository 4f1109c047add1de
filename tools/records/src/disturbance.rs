//! Decides which runs are left out because somebody else used the machine meanwhile.
//!
//! Both shares are parts of the CPU time that the machine had during a run: its length times its CPUs. They are judged
//! before anybody looks at the run's result, and a run that is left out is counted and not repeated.

use crate::{base::number, store::RoundRun};

/// The most that the host may take (steal), in percent. It takes that from the CPUs on which server and generator run,
/// so it lowers a rate by as much or more; and a quiet session loses a tenth of it.
pub const STEAL_PERCENT: f64 = 1.0;

/// The most that other processes of the same machine may use, in percent: more than an idle system's background, but
/// less than any difference of a tenth that a page argues with.
pub const OTHERS_PERCENT: f64 = 5.0;

/// The least loss that the kernel's figures can show, in seconds: the kernel counts steal in hundredths of a second, and
/// so it counts the time of each process. Of the others a handful wakes up in any second, and each may be off by one of
/// these.
const LEAST_STEAL: f64 = 0.02;
const LEAST_OTHERS: f64 = 0.1;

/// The beginning of the reason why a run is left out.
pub const LEFT_OUT: &str = "left out: ";

/// CPU time that was lost during a run, in seconds; `None` where the system doesn't tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lost {
    /// CPU time lost to the host's other guests, in seconds.
    pub steal: Option<f64>,
    /// CPU time lost to other processes of this machine, in seconds.
    pub others: Option<f64>,
}

impl Lost {
    /// Returns the reason why a run of so many CPU seconds is left out after this loss, if it is.
    pub fn reason(self, cpu_seconds: f64) -> Option<String> {
        let shares = [
            ("the host took", self.steal, STEAL_PERCENT, LEAST_STEAL),
            ("other processes used", self.others, OTHERS_PERCENT, LEAST_OTHERS),
        ];
        for (who, lost, most, least) in shares {
            let lost = lost.unwrap_or_default();
            let percent = 100.0 * lost / cpu_seconds;
            if percent > most && lost > least {
                let percent = number(percent, 1);
                return Some(format!("{LEFT_OUT}{who} {percent}% of the CPU time"));
            }
        }
        None
    }
}

/// Tells whether a run is left out because others used the machine.
pub fn is_left_out(run: &RoundRun) -> bool {
    run.left_out.as_ref().is_some_and(|why| why.starts_with(LEFT_OUT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;

    /// The reason why a run of four CPU seconds is left out after this loss.
    fn reason(steal: Option<f64>, others: Option<f64>) -> Option<String> {
        Lost { steal, others }.reason(4.0)
    }

    #[test]
    fn a_run_that_lost_too_much_is_left_out() {
        assert_eq!(reason(Some(0.04), Some(0.2)), None);
        assert_eq!(reason(None, None), None);
        // A short run has lost nothing that can be seen.
        assert_eq!(Lost { steal: Some(0.01), others: Some(0.09) }.reason(0.4), None);
        let why = "left out: the host took 1.5% of the CPU time";
        assert_eq!(reason(Some(0.06), Some(4.0)).as_deref(), Some(why));
        let why = "left out: other processes used 10.0% of the CPU time";
        assert_eq!(reason(Some(0.0), Some(0.4)).as_deref(), Some(why));
        let mut run = run(1, "pool of 1", 9.0);
        assert!(!is_left_out(&run));
        run.left_out = Some("9 errors in 10 requests".to_owned());
        assert!(!is_left_out(&run));
        run.left_out = Some(why.to_owned());
        assert!(is_left_out(&run));
    }
}
