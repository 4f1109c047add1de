//! Results and records on the disk, for the tests of several modules.

use records::{
    results::{Results, Run, write_machine, write_run},
    sessions::Records,
    store::Record,
    testing::{example_machine, write},
};

use crate::sets::Evidence;

/// The results of these runs.
pub fn results(runs: &[Run]) -> Results {
    let folder = tempfile::tempdir().unwrap();
    for run in runs {
        write_run(folder.path(), run, "raw").unwrap();
    }
    write_machine(folder.path(), &example_machine()).unwrap();
    Results::read(folder.path()).unwrap()
}

/// The book's record of the experiment `pool-law` and the reader's, as they are read from the disk.
pub fn with<T>(record: &Record, yours: Option<&Record>, look: impl FnOnce(Evidence) -> T) -> T {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let read = |folder: usize, record| {
        write(folders[folder].path(), "pool-law", record);
        Records::read(folders[folder].path()).unwrap()
    };
    let (ours, yours) = (read(0, record), yours.map(|yours| read(1, yours)));
    look(Evidence { ours: &ours, yours: yours.as_ref() })
}
