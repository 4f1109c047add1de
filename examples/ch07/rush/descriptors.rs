//! How many sockets this program and its servers may have open.

/// More than any of them needs.
#[cfg(unix)]
const ENOUGH: u64 = 16_384;

/// Raises the limit, which the servers inherit, as far as the system lets it.
#[cfg(unix)]
pub fn allow_all() {
    use nix::sys::resource::{Resource::RLIMIT_NOFILE, getrlimit, setrlimit};
    if let Ok((soft, hard)) = getrlimit(RLIMIT_NOFILE) {
        let wanted = ENOUGH.min(hard);
        if soft < wanted {
            // Where this fails, a server that runs out of them ends, and the figures are not printed.
            let _ = setrlimit(RLIMIT_NOFILE, wanted, hard);
        }
    }
}

/// Windows has no such limit.
#[cfg(not(unix))]
pub fn allow_all() {}
