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

/// How much CPU time this thread has used so far, in the kernel and outside. Only Linux is asked.
///
/// `getrusage` would be wrong here: for a thread that is running it is as old as the last tick of the kernel, up to 4 ms.
#[cfg(target_os = "linux")]
pub fn cpu_time_of_this_thread() -> Option<Duration> {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok().map(Duration::from)
}

/// How much CPU time this thread has used so far. Only Linux is asked.
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

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_not_as_old_as_the_last_tick() {
        let before = cpu_time_of_this_thread().expect("Linux tells it");
        let later = (0..1_000_000).find_map(|_| {
            let now = cpu_time_of_this_thread().expect("Linux tells it");
            (now > before).then_some(now)
        });
        let step = later.expect("time goes on") - before;
        assert!(step < Duration::from_millis(1), "{step:?}");
    }
}
