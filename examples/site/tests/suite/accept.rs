//! [`AcceptErrors`]: which failures of `accept` deserve a pause.

use std::{
    io::{self, ErrorKind},
    time::Duration,
};

use site::AcceptErrors;

#[test]
fn a_client_that_gave_up_costs_no_time() {
    let mut errors = AcceptErrors::new();
    for kind in [ErrorKind::ConnectionAborted, ErrorKind::ConnectionReset, ErrorKind::Interrupted] {
        assert_eq!(errors.pause_after(&kind.into()), Duration::ZERO, "{kind:?}");
    }
}

/// Those that accept(2) names as errors of the network, "to be treated like EAGAIN by retrying".
#[cfg(target_os = "linux")]
#[test]
fn what_the_network_did_to_one_client_costs_no_time() {
    use nix::errno::Errno;

    let mut errors = AcceptErrors::new();
    for code in [
        Errno::ENETDOWN,
        Errno::EPROTO,
        Errno::ENOPROTOOPT,
        Errno::EHOSTDOWN,
        Errno::ENONET,
        Errno::EHOSTUNREACH,
        Errno::EOPNOTSUPP,
        Errno::ENETUNREACH,
    ] {
        let error = io::Error::from(code);
        assert_eq!(errors.pause_after(&error), Duration::ZERO, "{error}");
    }
}

#[test]
fn anything_else_is_waited_out() {
    let mut errors = AcceptErrors::new();
    let out_of_files = io::Error::from_raw_os_error(24);
    for error in [out_of_files, ErrorKind::OutOfMemory.into(), ErrorKind::PermissionDenied.into()] {
        let pause = errors.pause_after(&error);
        // Long enough not to spin, and too short for a waiting client to notice.
        assert!(pause >= Duration::from_millis(10) && pause <= Duration::from_secs(1), "{pause:?}");
    }
}
