//! What the checks of the results are worth: a record is forged in each way, and the check notices.

use std::panic::{AssertUnwindSafe, catch_unwind};

use records::store;

use super::{
    experiments::{Measured, RECORDS, check_figures, check_rounds},
    repository::root,
};

/// Whether a check refuses the record of `wrk-sleep` after this change.
fn refuses(check: fn(&Measured), change: impl Fn(&mut Measured)) -> bool {
    let folder = root().join(RECORDS);
    let name = "wrk-sleep".to_owned();
    let record = store::read(&folder, &name).expect("it can be read").expect("it was measured");
    let raw = store::read_raw(&folder, &name).expect("it can be read");
    let mut measured = Measured { name, record, raw };
    change(&mut measured);
    catch_unwind(AssertUnwindSafe(|| check(&measured))).is_err()
}

#[test]
fn a_forged_figure_is_noticed() {
    assert!(!refuses(check_figures, |_| {}));
    let forged =
        ["requests_per_second", "requests", "errors_read", "non_2xx", "server_cpu_us_per_request"];
    for figure in forged {
        let forge = |it: &mut Measured| {
            it.record.runs[0].figures.insert(figure.to_owned(), Some(4_999.0));
        };
        assert!(refuses(check_figures, forge), "{figure}");
    }
}

/// Its runs are missed, and where the description is changed as well, their raw output is left over.
#[test]
fn a_dropped_round_is_noticed() {
    assert!(!refuses(check_rounds, |_| {}));
    let drop = |it: &mut Measured| it.record.runs.retain(|run| run.round != 5);
    assert!(refuses(check_rounds, drop));
    let hide = |it: &mut Measured| {
        drop(it);
        it.record.experiment.rounds -= 1;
    };
    assert!(refuses(check_rounds, hide));
}
