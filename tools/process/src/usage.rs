//! What is used and lost while something is measured: by the machine, by a process, by our children.
//!
//! Most of it comes from Linux's `/proc`. On another system what can't be had is `None`.

use std::fs;

use crate::machine::{field, output, sysctl};

/// The load averages over 1, 5 and 15 minutes.
pub fn load_average() -> Option<[f64; 3]> {
    let text = fs::read_to_string("/proc/loadavg").ok().or_else(|| sysctl("vm.loadavg"))?;
    let mut numbers =
        text.split_whitespace().filter_map(|word| word.replace(',', ".").parse::<f64>().ok());
    Some([numbers.next()?, numbers.next()?, numbers.next()?])
}

/// The seconds of processor time that the host gave to others, since the machine started.
pub fn steal_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let ticks: f64 = stat.lines().next()?.split_whitespace().nth(8)?.parse().ok()?;
    let per_second = output("getconf", &["CLK_TCK"]).and_then(|text| text.parse().ok());
    Some(ticks / per_second.unwrap_or(100.0))
}

/// The seconds in which some thread was ready and found no processor free, since the machine started.
pub fn pressure_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/pressure/cpu").ok()?;
    let line = text.lines().find(|line| line.starts_with("some "))?;
    let microseconds: f64 = line.split("total=").nth(1)?.trim().parse().ok()?;
    Some(microseconds / 1e6)
}

/// What `/proc/PID/status` says of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessStatus {
    /// The most main memory that it had so far, in MiB.
    pub peak_memory_mib: f64,
    /// The main memory that it has now, in MiB.
    pub memory_mib: f64,
    /// The threads that it has now.
    pub threads: f64,
}

/// What `/proc/PID/status` says of a process; `None` if there is no such process, or no such file.
pub fn process_status(id: u32) -> Option<ProcessStatus> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    Some(ProcessStatus {
        peak_memory_mib: field(&status, "VmHWM:")? as f64 / 1024.0,
        memory_mib: field(&status, "VmRSS:")? as f64 / 1024.0,
        threads: field(&status, "Threads:")? as f64,
    })
}

/// The kernel's memory for the stacks of all threads, in MiB.
pub fn kernel_stack_mib() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    Some(field(&text, "KernelStack:")? as f64 / 1024.0)
}

/// How many connections were lost at a full listen queue since the machine started: those dropped for any
/// reason (`ListenDrops`), and those dropped because the queue of whole connections was full (`ListenOverflows`).
pub fn listen_losses() -> Option<(f64, f64)> {
    let text = fs::read_to_string("/proc/net/netstat").ok()?;
    Some((netstat(&text, "ListenDrops")?, netstat(&text, "ListenOverflows")?))
}

/// A number of `TcpExt` in `/proc/net/netstat`: names in one line, and in the next the numbers in the same order.
fn netstat(text: &str, name: &str) -> Option<f64> {
    let mut lines = text.lines().filter(|line| line.starts_with("TcpExt:"));
    let place = lines.next()?.split_whitespace().position(|word| word == name)?;
    lines.next()?.split_whitespace().nth(place)?.parse().ok()
}

/// What the children that have ended used, all together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Processor time outside the kernel, in seconds.
    pub user_seconds: f64,
    /// Processor time inside the kernel, in seconds.
    pub system_seconds: f64,
    /// How often a thread gave up its processor to wait.
    pub voluntary_switches: f64,
    /// How often a thread was taken off its processor.
    pub involuntary_switches: f64,
}

impl Usage {
    /// Processor time inside and outside the kernel, in seconds.
    pub fn seconds(self) -> f64 {
        self.user_seconds + self.system_seconds
    }
}

/// What the children used that have ended since then.
pub fn used_since(before: Option<Usage>) -> Option<Usage> {
    let (before, now) = (before?, children_usage()?);
    Some(Usage {
        user_seconds: now.user_seconds - before.user_seconds,
        system_seconds: now.system_seconds - before.system_seconds,
        voluntary_switches: now.voluntary_switches - before.voluntary_switches,
        involuntary_switches: now.involuntary_switches - before.involuntary_switches,
    })
}

/// The usage of all children whose end was waited for so far.
///
/// Unlike a sample of `/proc`, it holds what threads used that have long ended,
/// and rung 2 has thousands of these each second.
pub fn children_usage() -> Option<Usage> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
        let seconds =
            |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        Some(Usage {
            user_seconds: seconds(usage.user_time()),
            system_seconds: seconds(usage.system_time()),
            voluntary_switches: usage.voluntary_context_switches() as f64,
            involuntary_switches: usage.involuntary_context_switches() as f64,
        })
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_the_network() {
        let text = "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 22 333\nIpExt: A\nIpExt: 4\n";
        assert_eq!(netstat(text, "ListenDrops"), Some(333.0));
        assert_eq!(netstat(text, "ListenOverflows"), Some(22.0));
        assert_eq!((netstat(text, "Other"), netstat("", "ListenDrops")), (None, None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_everything_about_this_process() {
        let status = process_status(std::process::id()).unwrap();
        assert!(status.memory_mib > 0.1 && status.threads >= 1.0);
        assert!(status.peak_memory_mib >= status.memory_mib);
        assert!(kernel_stack_mib() > Some(0.0) && listen_losses().is_some());
        assert!(load_average().is_some() && steal_seconds().is_some());
    }

    #[cfg(unix)]
    #[test]
    fn a_child_that_worked_was_seen_working() {
        let before = children_usage();
        output("sh", &["-c", "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done; echo"]);
        assert!(used_since(before).unwrap().seconds() > 0.0);
    }
}
