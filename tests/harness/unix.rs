//! What only the system can do to a process: limits and signals. The one place with `unsafe` in this package.

use std::{io, os::unix::process::CommandExt, process::Command};

use nix::{
    sys::{
        resource::{Resource::RLIMIT_NOFILE, getrlimit, setrlimit},
        signal::{self, SigHandler, kill, killpg},
    },
    unistd::Pid,
};

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
        self.of_the_system() as i32
    }

    fn of_the_system(self) -> signal::Signal {
        match self {
            Signal::Interrupt => signal::SIGINT,
            Signal::Terminate => signal::SIGTERM,
            Signal::HangUp => signal::SIGHUP,
            Signal::Stop => signal::SIGSTOP,
            Signal::Continue => signal::SIGCONT,
        }
    }
}

/// Makes the command start with these signals at their default, and with at most `files` descriptors.
///
/// The default matters: a shell starts its background jobs with SIGINT ignored, `nohup` ignores SIGHUP,
/// and a child inherits that.
pub fn prepare(command: &mut Command, files: Option<u64>) {
    let prepare = move || {
        for signal in [signal::SIGINT, signal::SIGTERM, signal::SIGHUP] {
            // SAFETY: no handler is left that could run.
            unsafe { signal::signal(signal, SigHandler::SigDfl) }?;
        }
        if let Some(files) = files {
            setrlimit(RLIMIT_NOFILE, files, files)?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec only async-signal-safe calls are allowed; signal and setrlimit are such calls.
    unsafe { command.pre_exec(prepare) };
}

/// How many descriptors this program may have open: now, and at most. `None` where the system does not say.
pub fn file_limits() -> Option<(u64, u64)> {
    getrlimit(RLIMIT_NOFILE).ok()
}

/// Lets this program have `most` descriptors open and some more, if its hard limit allows that.
pub fn raise_file_limit(most: usize) -> bool {
    let wanted = most as u64 + 200;
    let Ok((soft, hard)) = getrlimit(RLIMIT_NOFILE) else { return false };
    hard >= wanted && setrlimit(RLIMIT_NOFILE, soft.max(wanted), hard).is_ok()
}

/// Sends a signal to a process that this program started and has not yet waited for.
///
/// # Errors
/// When the process is gone.
pub fn send_signal(process: u32, signal: Signal) -> io::Result<()> {
    Ok(kill(id(process), signal.of_the_system())?)
}

/// Ends all processes of a group at once: the one that leads it, and what that has started.
pub fn end_group(leader: u32) {
    let _ = killpg(id(leader), signal::SIGKILL);
}

fn id(process: u32) -> Pid {
    Pid::from_raw(process.cast_signed())
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
    // nix can limit only the process that calls it, so this asks the system by nix's own libc.
    use nix::{errno::Errno, libc};

    let resource = match limit {
        Limit::Files => libc::RLIMIT_NOFILE,
        Limit::AddressSpace => libc::RLIMIT_AS,
    };
    let process = id(process).as_raw();
    let mut values = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointers are to a structure that lives through both calls, or null, which is allowed.
    let outcome = unsafe {
        libc::prlimit(process, resource, std::ptr::null(), &mut values);
        values.rlim_cur = most.min(values.rlim_max);
        libc::prlimit(process, resource, &values, std::ptr::null_mut())
    };
    Errno::result(outcome)?;
    Ok(())
}
