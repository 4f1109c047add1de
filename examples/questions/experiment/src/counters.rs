//! What the system counts.

use std::fs;
use std::time::Duration;

/// How often threads left a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// The thread had to wait for something, or gave up its CPU.
    pub voluntary: u64,
    /// The kernel took the processor away.
    pub involuntary: u64,
}

impl Switches {
    /// Those of this thread so far. Only Linux counts them for each thread.
    #[cfg(target_os = "linux")]
    pub fn of_this_thread() -> Option<Switches> {
        Switches::of(nix::sys::resource::UsageWho::RUSAGE_THREAD)
    }

    /// Those of this thread so far. Only Linux counts them for each thread.
    #[cfg(not(target_os = "linux"))]
    pub fn of_this_thread() -> Option<Switches> {
        None
    }

    /// Those of all threads of this process so far, also of ended threads. Windows
    /// does not say.
    #[cfg(unix)]
    pub fn of_this_process() -> Option<Switches> {
        Switches::of(nix::sys::resource::UsageWho::RUSAGE_SELF)
    }

    /// Those of all threads of this process so far, also of ended threads. Windows
    /// does not say.
    #[cfg(not(unix))]
    pub fn of_this_process() -> Option<Switches> {
        None
    }

    #[cfg(unix)]
    fn of(whom: nix::sys::resource::UsageWho) -> Option<Switches> {
        let usage = nix::sys::resource::getrusage(whom).ok()?;
        let count = |number| u64::try_from(number).ok();
        Some(Switches {
            voluntary: count(usage.voluntary_context_switches())?,
            involuntary: count(usage.involuntary_context_switches())?,
        })
    }

    /// These and others.
    pub fn plus(self, others: Switches) -> Switches {
        Switches {
            voluntary: self.voluntary + others.voluntary,
            involuntary: self.involuntary + others.involuntary,
        }
    }

    /// Those since an earlier moment.
    pub fn since(self, earlier: Switches) -> Switches {
        Switches {
            voluntary: self.voluntary - earlier.voluntary,
            involuntary: self.involuntary - earlier.involuntary,
        }
    }
}

/// How much CPU time this thread has used so far, in the kernel and outside. Only Linux tells it for each thread.
#[cfg(target_os = "linux")]
pub fn cpu_time_of_this_thread() -> Option<Duration> {
    use nix::sys::{
        resource::{UsageWho, getrusage},
        time::TimeValLike,
    };
    let usage = getrusage(UsageWho::RUSAGE_THREAD).ok()?;
    let used = usage.user_time() + usage.system_time();
    Some(Duration::from_micros(u64::try_from(used.num_microseconds()).ok()?))
}

/// How much CPU time this thread has used so far. Only Linux tells it for each thread.
#[cfg(not(target_os = "linux"))]
pub fn cpu_time_of_this_thread() -> Option<Duration> {
    None
}

/// How much memory of this process is in use, in KiB. Linux says it in `/proc/self/status`;
/// `None` on other systems.
pub fn resident_kib() -> Option<f64> {
    field("/proc/self/status", "VmRSS")
}

/// How much memory the kernel uses for the stacks of all threads of the machine, in KiB. Linux
/// says it in `/proc/meminfo`; `None` on other systems.
pub fn kernel_stack_kib() -> Option<f64> {
    field("/proc/meminfo", "KernelStack")
}

/// The number in the line `name:   123 kB`.
fn field(file: &str, name: &str) -> Option<f64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}
