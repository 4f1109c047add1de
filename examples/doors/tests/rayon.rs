//! What rayon does with a panic that nobody catches, and that the listing catches it.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;
use std::{env, thread};

/// Set where this program is started once more, to panic.
const PANICS: &str = "DOORS_TEST_PANICS";

/// SIGABRT, on every system.
const ABORTED: i32 = 6;

#[test]
fn a_panic_that_leaves_the_closure_ends_the_process() {
    if env::var_os(PANICS).is_some() {
        rayon::spawn(|| panic!("nobody catches this"));
        // Far longer than a thread of rayon's takes to begin.
        thread::sleep(Duration::from_secs(20));
        return;
    }
    let program = env::current_exe().expect("a test knows its own path");
    let mut again = Command::new(program);
    again.args(["--exact", "a_panic_that_leaves_the_closure_ends_the_process", "--nocapture"]);
    let ended = again.env(PANICS, "1").output().expect("it is started");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.signal(), Some(ABORTED), "{}: {said}", ended.status);
    assert!(said.contains("Rayon: detected unexpected panic; aborting"), "{said}");
}

#[test]
fn the_listing_goes_on_after_a_panic() {
    let cargo = env::var_os("CARGO").expect("cargo runs this");
    for (count, prints) in [("1000000", "2\n"), ("0", "no mean: its computation panicked\n")] {
        let mut listing = Command::new(&cargo);
        listing.args(["run", "-q", "-p", "doors", "--example", "door_rayon", "--", count]);
        let ended = listing.output().expect("it is started");
        assert_eq!(String::from_utf8_lossy(&ended.stdout), prints, "{ended:?}");
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    }
}
