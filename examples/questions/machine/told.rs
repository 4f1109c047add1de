//! What the system says of itself.

use std::fs;
use std::process::Command;

use experiment::{cpus, hardware_threads};

use crate::parse::field;
use crate::{Fact, linux};

/// All of it. Linux says the most.
pub fn facts() -> Vec<Fact> {
    let mut facts = if cfg!(target_os = "linux") {
        linux::facts()
    } else if cfg!(target_os = "macos") {
        macos_facts()
    } else {
        let cpus = cpus().len();
        let model = std::env::var("PROCESSOR_IDENTIFIER").ok();
        vec![
            ("CPU model", model),
            ("physical cores", None),
            ("hardware threads", (cpus > 0).then(|| cpus.to_string())),
            ("share a core", None),
        ]
    };
    facts.push(("available_parallelism", Some(hardware_threads().to_string())));
    facts.push(("scheduler class", scheduler_class()));
    facts.push(("time slice", time_slice()));
    facts
}

/// macOS answers through its `sysctl` command.
fn macos_facts() -> Vec<Fact> {
    let sysctl = |name: &str| {
        let output = Command::new("/usr/sbin/sysctl").args(["-n", name]).output().ok()?;
        let value = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && !value.is_empty()).then_some(value)
    };
    vec![
        ("CPU model", sysctl("machdep.cpu.brand_string")),
        ("sockets", sysctl("hw.packages")),
        ("physical cores", sysctl("hw.physicalcpu")),
        ("hardware threads", sysctl("hw.logicalcpu")),
        ("fast cores", sysctl("hw.perflevel0.physicalcpu")),
        ("economical cores", sysctl("hw.perflevel1.physicalcpu")),
    ]
}

/// The policy that Linux schedules this thread by: field 41 of its `stat`, counted from 1
/// (`man 5 proc_pid_stat`). The second field is a name in parentheses, which may hold anything.
fn scheduler_class() -> Option<String> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let policy: usize = rest.split_whitespace().nth(41 - 3)?.parse().ok()?;
    let names = [
        "SCHED_OTHER, the ordinary one",
        "SCHED_FIFO, real time",
        "SCHED_RR, real time in turns",
        "SCHED_BATCH, for long computations",
        "policy 4",
        "SCHED_IDLE, for what can wait",
        "SCHED_DEADLINE, real time with deadlines",
        "SCHED_EXT, a scheduler that somebody has loaded",
    ];
    names.get(policy).map(|name| (*name).to_owned())
}

/// How long a turn this thread asks for. Linux says it since version 6.6, in nanoseconds.
fn time_slice() -> Option<String> {
    let sched = fs::read_to_string("/proc/self/sched").ok()?;
    let nanoseconds: f64 = field(&sched, "se.slice")?.parse().ok()?;
    Some(format!("{:.1} ms", nanoseconds / 1e6))
}
