//! The contract's numbers, written a second time: a change of one changes a promise of the book.

use std::time::Duration;

use site::{DRAIN_LIMIT, DRAIN_TIME, GRACE_TIME, HEAD_LIMIT, HEAD_TIME, WRITE_TIME};

#[test]
fn the_limits_are_those_of_the_contract() {
    assert_eq!(HEAD_LIMIT, 16 * 1024, "at most 16 KiB of head");
    assert_eq!(
        HEAD_TIME,
        Duration::from_secs(5),
        "5 s to the whole head, and between two requests"
    );
    assert_eq!(WRITE_TIME, Duration::from_secs(5), "5 s for an answer to leave");
    assert_eq!(DRAIN_TIME, Duration::from_secs(1), "1 s for the client to close");
    assert_eq!(DRAIN_LIMIT, 1024 * 1024, "1 MiB of unread input");
    assert_eq!(GRACE_TIME, Duration::from_secs(5), "5 s for what is in flight at the end");
}
