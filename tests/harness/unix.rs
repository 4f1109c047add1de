//! What only the system can do to a process: limits and signals. The one place with `unsafe` in this package.

use std::{io, os::unix::process::CommandExt, process::Command};

/// What a process can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// What Ctrl-C sends.
    Interrupt,
    /// What `kill` and service managers send.
    Terminate,
    /// What a terminal sends that is closed.
    HangUp,
    /// Stops it where it is; no program can refuse.
    Stop,
    /// Lets it go on after `Stop`.
    Continue,
}

impl Signal {
    /// The number by which the system knows it.
    pub fn number(self) -> i32 {
        match self {
            Signal::Interrupt => libc::SIGINT,
            Signal::Terminate => libc::SIGTERM,
            Signal::HangUp => libc::SIGHUP,
            Signal::Stop => libc::SIGSTOP,
            Signal::Continue => libc::SIGCONT,
        }
    }
}

/// Makes the command start with these signals at their default, and with at most `files` descriptors.
///
/// The default matters: a shell starts its background jobs with SIGINT ignored, `nohup` ignores SIGHUP,
/// and a child inherits that.
pub fn prepare(command: &mut Command, files: Option<u64>) {
    let prepare = move || {
        // SAFETY: these calls take plain values, and a pointer to a structure that lives long enough.
        unsafe {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            libc::signal(libc::SIGTERM, libc::SIG_DFL);
            libc::signal(libc::SIGHUP, libc::SIG_DFL);
            if let Some(files) = files {
                let files = files as libc::rlim_t;
                let limit = libc::rlimit { rlim_cur: files, rlim_max: files };
                if libc::setrlimit(libc::RLIMIT_NOFILE, &limit) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec only async-signal-safe calls are allowed; signal and setrlimit are such calls.
    unsafe { command.pre_exec(prepare) };
}

/// Lets this program have `most` descriptors open and some more, if its hard limit allows that.
pub fn raise_file_limit(most: usize) -> bool {
    let wanted = most as libc::rlim_t + 200;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointers are to a structure that lives through both calls.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) != 0 || limit.rlim_max < wanted {
            return false;
        }
        limit.rlim_cur = limit.rlim_cur.max(wanted);
        libc::setrlimit(libc::RLIMIT_NOFILE, &limit) == 0
    }
}

/// Sends a signal to a process that this program started and has not yet waited for.
///
/// # Errors
/// When the process is gone.
pub fn send_signal(process: u32, signal: Signal) -> io::Result<()> {
    // SAFETY: takes two numbers.
    match unsafe { libc::kill(process as libc::pid_t, signal.number()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Ends all processes of a group at once: the one that leads it, and what that has started.
pub fn end_group(leader: u32) {
    // SAFETY: takes two numbers.
    unsafe { libc::kill(-(leader as libc::pid_t), libc::SIGKILL) };
}

/// What a running process may be denied.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The number above all its descriptors.
    Files,
    /// The bytes of its address space.
    AddressSpace,
}

/// Sets a limit of a running process: the soft one, which can be raised again.
///
/// # Errors
/// When the process is gone.
#[cfg(target_os = "linux")]
pub fn limit(process: u32, limit: Limit, most: u64) -> io::Result<()> {
    let resource = match limit {
        Limit::Files => libc::RLIMIT_NOFILE,
        Limit::AddressSpace => libc::RLIMIT_AS,
    };
    let process = process as libc::pid_t;
    let mut values = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointers are to a structure that lives through both calls, or null, which is allowed.
    let outcome = unsafe {
        libc::prlimit(process, resource, std::ptr::null(), &mut values);
        values.rlim_cur = most.min(values.rlim_max);
        libc::prlimit(process, resource, &values, std::ptr::null_mut())
    };
    match outcome {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
