//! How many sockets this program may have open.

/// What a process needs in addition to its connections: the terminal, epoll, and the runtime's own.
#[cfg(unix)]
const OTHERS: u64 = 32;

/// Raises the limit of this process, so that it may have so many connections.
///
/// Systems let a process begin with few (1024 on most Linux systems), and raise that up to a second, hard limit.
///
/// # Errors
/// In words, if the hard limit is too low.
#[cfg(unix)]
pub fn allow(connections: usize) -> Result<(), String> {
    use nix::sys::resource::{Resource::RLIMIT_NOFILE, getrlimit, setrlimit};
    let needed = connections as u64 + OTHERS;
    let Ok((soft, hard)) = getrlimit(RLIMIT_NOFILE) else { return Ok(()) };
    if soft >= needed {
        return Ok(());
    }
    setrlimit(RLIMIT_NOFILE, needed, hard).map_err(|_| {
        format!("{connections} connections need {needed} descriptors; ulimit -Hn allows {hard}")
    })
}

/// Windows has no such limit.
#[cfg(not(unix))]
pub fn allow(_connections: usize) -> Result<(), String> {
    Ok(())
}
