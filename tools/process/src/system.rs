//! What the operating system tells about the machine, the server's process and the load.
//!
//! Most of it comes from Linux's `/proc`. On another system what can't be had is `None`.

use std::{fs, path::Path, process::Command};

use records::machine::{Commit, Machine};

/// The figures that only Linux's `/proc` gives, and what is missing without it.
pub fn unavailable() -> Vec<String> {
    let mut missing = Vec::new();
    if !cfg!(target_os = "linux") {
        for what in [
            "server_peak_memory_mib and server_peak_threads: sampled from /proc, which only Linux has",
            "steal_seconds: from /proc/stat, which only Linux has",
        ] {
            missing.push(what.to_owned());
        }
    }
    if pressure_seconds().is_none() {
        missing.push(
            "cpu_pressure_seconds: from /proc/pressure/cpu, which this kernel does not have"
                .to_owned(),
        );
    }
    if !cfg!(unix) {
        missing.push(
            "server_cpu_… and server_…_switches: from getrusage, which only Unix has".to_owned(),
        );
    }
    missing
}

/// The machine.
pub fn machine() -> Machine {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let threads = std::thread::available_parallelism().ok().map(|count| count.get() as u64);
    Machine {
        cpu_model: cpu_model(&info).or_else(|| sysctl("machdep.cpu.brand_string")),
        physical_cores: physical_cores(&info)
            .or_else(|| sysctl("hw.physicalcpu").and_then(|count| count.parse().ok())),
        hardware_threads: threads,
        memory_mib: memory_mib(&fs::read_to_string("/proc/meminfo").unwrap_or_default()).or_else(
            || sysctl("hw.memsize").and_then(|bytes| Some(bytes.parse::<u64>().ok()? >> 20)),
        ),
        kernel: output("uname", &["-sr"]),
        operating_system: operating_system(),
    }
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The different pairs of socket and core.
fn physical_cores(cpuinfo: &str) -> Option<u64> {
    let mut cores = std::collections::BTreeSet::new();
    let mut socket = "";
    for line in cpuinfo.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        match name.trim() {
            "physical id" => socket = value.trim(),
            "core id" => {
                cores.insert((socket, value.trim()));
            }
            _ => {}
        }
    }
    (!cores.is_empty()).then_some(cores.len() as u64)
}

fn memory_mib(meminfo: &str) -> Option<u64> {
    field(meminfo, "MemTotal:").map(|kib| kib / 1024)
}

fn operating_system() -> Option<String> {
    if let Ok(release) = fs::read_to_string("/etc/os-release") {
        let line = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
        return Some(line.trim_matches('"').to_owned());
    }
    if cfg!(target_os = "macos") {
        return Some(format!("macOS {}", output("sw_vers", &["-productVersion"])?));
    }
    Some(std::env::consts::OS.to_owned())
}

fn sysctl(name: &str) -> Option<String> {
    if cfg!(target_os = "macos") { output("sysctl", &["-n", name]) } else { None }
}

/// What a program prints, trimmed; `None` if it is not there, fails or prints nothing.
pub fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// The load averages over 1, 5 and 15 minutes.
pub fn load_average() -> Option<[f64; 3]> {
    let text = fs::read_to_string("/proc/loadavg").ok().or_else(|| sysctl("vm.loadavg"))?;
    let mut numbers =
        text.split_whitespace().filter_map(|word| word.replace(',', ".").parse::<f64>().ok());
    Some([numbers.next()?, numbers.next()?, numbers.next()?])
}

/// How many files and sockets a process that we start may have open.
pub fn descriptor_limit() -> Option<u64> {
    if cfg!(unix) { output("sh", &["-c", "ulimit -n"])?.parse().ok() } else { None }
}

/// The files that decide what is measured.
const MEASURED: [&str; 3] = ["examples", "Cargo.toml", "Cargo.lock"];

/// The state of the sources, as git sees it. The book's text does not count.
pub fn commit(root: &Path) -> Commit {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(root).args(arguments);
        if arguments[0] != "rev-parse" {
            command.arg("--").args(MEASURED);
        }
        let output = command.output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    };
    Commit {
        head: git(&["rev-parse", "HEAD"]),
        // No commit of these files yet is an empty answer.
        sources: git(&["log", "-1", "--format=%H"]).filter(|hash| !hash.is_empty()),
        dirty: git(&["status", "--porcelain"]).map(|files| !files.is_empty()),
    }
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

/// The processors that we may run on, those of one core together; `None` where the system does not say.
pub fn cores() -> Option<Vec<Vec<usize>>> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let mut cores: Vec<(String, Vec<usize>)> = Vec::new();
    for cpu in cpu_list(allowed)? {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        let core = fs::read_to_string(path).unwrap_or_else(|_| cpu.to_string());
        match cores.iter_mut().find(|(name, _)| *name == core) {
            Some((_, cpus)) => cpus.push(cpu),
            None => cores.push((core, vec![cpu])),
        }
    }
    Some(cores.into_iter().map(|(_, cpus)| cpus).collect())
}

/// The numbers in a list such as `0-2,5`.
fn cpu_list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// How many files and sockets a process that we start could have open at most; `None` without a limit.
pub fn hard_descriptor_limit() -> Option<u64> {
    if cfg!(unix) { output("sh", &["-c", "ulimit -Hn"])?.parse().ok() } else { None }
}

/// The number behind a name at the start of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
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

    /// What was used since then.
    pub fn since(self, before: Usage) -> Usage {
        Usage {
            user_seconds: self.user_seconds - before.user_seconds,
            system_seconds: self.system_seconds - before.system_seconds,
            voluntary_switches: self.voluntary_switches - before.voluntary_switches,
            involuntary_switches: self.involuntary_switches - before.involuntary_switches,
        }
    }
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

    const CPUINFO: &str = "processor\t: 0\nmodel name\t: A Processor @ 2 GHz\nphysical id\t: 0\ncore id\t\t: 0\n\n\
                           processor\t: 1\nmodel name\t: A Processor @ 2 GHz\nphysical id\t: 0\ncore id\t\t: 0\n\n\
                           processor\t: 2\nphysical id\t: 1\ncore id\t\t: 0\n";

    #[test]
    fn processors_are_counted_by_core() {
        assert_eq!(cpu_model(CPUINFO).as_deref(), Some("A Processor @ 2 GHz"));
        assert_eq!(physical_cores(CPUINFO), Some(2));
        assert_eq!(cpu_model(""), None);
        assert_eq!(physical_cores("processor : 0\n"), None);
    }

    #[test]
    fn fields_of_proc() {
        assert_eq!(memory_mib("MemTotal:        2048 kB\nMemFree: 1 kB\n"), Some(2));
        assert_eq!(field("Threads:\t12\n", "Threads:"), Some(12));
        assert_eq!(field("", "Threads:"), None);
    }

    #[test]
    fn counters_of_the_network() {
        let text = "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 22 333\nIpExt: A\nIpExt: 4\n";
        assert_eq!(netstat(text, "ListenDrops"), Some(333.0));
        assert_eq!(netstat(text, "ListenOverflows"), Some(22.0));
        assert_eq!((netstat(text, "Other"), netstat("", "ListenDrops")), (None, None));
    }

    #[test]
    fn lists_of_processors() {
        assert_eq!(cpu_list("\t0-2,5\n"), Some(vec![0, 1, 2, 5]));
        assert_eq!(cpu_list("3"), Some(vec![3]));
        assert_eq!(cpu_list(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_everything_about_this_process() {
        let status = process_status(std::process::id()).unwrap();
        assert!(status.memory_mib > 0.1 && status.threads >= 1.0);
        assert!(status.peak_memory_mib >= status.memory_mib);
        assert!(kernel_stack_mib() > Some(0.0) && listen_losses().is_some());
        assert!(!cores().unwrap().concat().is_empty());
        assert!(load_average().is_some() && steal_seconds().is_some());
        assert!(descriptor_limit().is_some() && machine().memory_mib.is_some());
    }

    #[cfg(unix)]
    #[test]
    fn a_child_that_worked_was_seen_working() {
        let before = children_usage().unwrap();
        output("sh", &["-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo"]);
        output("sh", &["-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo x"]);
        let after = children_usage().unwrap();
        let used = |usage: Usage| usage.user_seconds + usage.system_seconds;
        assert!(used(after) > used(before));
    }
}
