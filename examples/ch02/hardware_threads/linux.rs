//! Linux shows its processors as small text files under `/sys` and `/proc`.
//!
//! Linux says "CPU" for a hardware thread and gives each a number, and so do these files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::Fact;
use crate::parse::{cpu_list, field, quota, threads};

const CPUS: &str = "/sys/devices/system/cpu";
const CGROUPS: &str = "/sys/fs/cgroup";

// ANCHOR: facts
/// What this machine has, and what this process may use of it.
pub fn facts() -> Vec<Fact> {
    let cpuinfo = read("/proc/cpuinfo");
    let online = read(format!("{CPUS}/online")).and_then(|text| cpu_list(&text));
    let cores = online.as_ref().and_then(cores);
    let sockets = cores.as_ref().map(|cores| cores.values().collect::<BTreeSet<_>>().len());
    let allowed = read("/proc/self/status")
        .and_then(|status| field(&status, "Cpus_allowed_list").map(str::to_owned));
    vec![
        ("CPU model", cpuinfo.and_then(|text| field(&text, "model name").map(str::to_owned))),
        ("sockets", sockets.map(|count| count.to_string())),
        ("physical cores", cores.as_ref().map(|cores| cores.len().to_string())),
        ("hardware threads", online.map(|online| online.len().to_string())),
        ("share a core", cores.as_ref().map(sharing)),
        ("may run on CPUs", allowed),
        ("CPU quota (cgroup)", Some(smallest_quota())),
        ("OS threads right now", read("/proc/loadavg").and_then(|text| threads(&text))),
    ]
}
// ANCHOR_END: facts

// ANCHOR: cores
/// The physical cores: for each the list of its hardware threads, such as `0,4`, and its socket.
///
/// Two hardware threads that share a core have the same list of siblings.
fn cores(online: &BTreeSet<u32>) -> Option<BTreeMap<String, String>> {
    let mut cores = BTreeMap::new();
    for cpu in online {
        let topology = format!("{CPUS}/cpu{cpu}/topology");
        let siblings = read(format!("{topology}/thread_siblings_list"))?;
        let socket = read(format!("{topology}/physical_package_id"))?;
        cores.insert(siblings, socket);
    }
    Some(cores)
}

/// In words: which hardware threads are two on one core.
fn sharing(cores: &BTreeMap<String, String>) -> String {
    let shared = |siblings: &&String| cpu_list(siblings).is_some_and(|cpus| cpus.len() > 1);
    let mut shared: Vec<&str> = cores.keys().filter(shared).map(String::as_str).collect();
    if shared.is_empty() {
        return "none: each has a core to itself, or a virtual machine hides the sharing"
            .to_owned();
    }
    shared.sort_by_key(|siblings| cpu_list(siblings));
    shared.join(" | ")
}
// ANCHOR_END: cores

// ANCHOR: quota
/// The smallest CPU quota of all cgroups around this process, in CPUs.
///
/// `/proc/self/cgroup` names our groups. Each parent limits its children, so all are looked at.
/// In a container the path may be missing, and the group is at the top.
fn smallest_quota() -> String {
    let Some(groups) = read("/proc/self/cgroup") else { return "no cgroups here".to_owned() };
    let mut smallest = f64::INFINITY;
    for group in groups.lines() {
        // "0::/path" in version 2; "4:cpu,cpuacct:/path" in version 1.
        let mut parts = group.splitn(3, ':').skip(1);
        let Some(controllers) = parts.next() else { continue };
        let Some(path) = parts.next() else { continue };
        for folder in Path::new(path.trim_start_matches('/')).ancestors() {
            let limit = if controllers.is_empty() {
                let folder = Path::new(CGROUPS).join(folder);
                read(folder.join("cpu.max")).and_then(|text| quota(&text))
            } else if controllers.split(',').any(|controller| controller == "cpu") {
                let folder = Path::new(CGROUPS).join(controllers).join(folder);
                let most = "cpu.cfs_quota_us";
                let period = "cpu.cfs_period_us";
                read(folder.join(most))
                    .zip(read(folder.join(period)))
                    .and_then(|(most, period)| quota(&format!("{most} {period}")))
            } else {
                None
            };
            smallest = smallest.min(limit.unwrap_or(f64::INFINITY));
        }
    }
    if smallest.is_finite() { format!("{smallest:.2} CPUs") } else { "none found".to_owned() }
}
// ANCHOR_END: quota

/// A file's text without the white space around it, if it can be read.
fn read(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}
