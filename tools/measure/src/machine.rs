//! The machine: its processors, its memory and its limits, which stay as they are while something is measured.
//!
//! A fact that the system does not reveal is `None`.

use std::{collections::BTreeSet, fs, process::Command};

use records::machine::Machine;

/// Describes the machine.
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

/// Counts the different pairs of socket and core.
fn physical_cores(cpuinfo: &str) -> Option<u64> {
    let mut cores = BTreeSet::new();
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

/// Asks macOS's `sysctl` for a value.
pub(crate) fn sysctl(name: &str) -> Option<String> {
    if cfg!(target_os = "macos") { output("sysctl", &["-n", name]) } else { None }
}

/// Runs a program and returns its trimmed output; `None` if it is not there, fails or prints nothing.
pub fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// Returns the soft limit of descriptors for a process that we start.
pub fn descriptor_limit() -> Option<u64> {
    ulimit("-n")
}

/// Returns the hard limit of descriptors for a process that we start; `None` without a limit.
pub fn hard_descriptor_limit() -> Option<u64> {
    ulimit("-Hn")
}

fn ulimit(option: &str) -> Option<u64> {
    if cfg!(unix) { output("sh", &["-c", &format!("ulimit {option}")])?.parse().ok() } else { None }
}

/// Lists the processors that we may run on, those of one core together; `None` where the system does not say.
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

/// Reads the numbers in a list such as `0-2,5`.
fn cpu_list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// Finds the number behind a name at the start of a line.
pub(crate) fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
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
    fn lists_of_processors() {
        assert_eq!(cpu_list("\t0-2,5\n"), Some(vec![0, 1, 2, 5]));
        assert_eq!(cpu_list("3"), Some(vec![3]));
        assert_eq!(cpu_list(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_what_this_machine_is() {
        assert!(!cores().unwrap().concat().is_empty());
        assert!(descriptor_limit().is_some() && machine().memory_mib.is_some());
    }
}
