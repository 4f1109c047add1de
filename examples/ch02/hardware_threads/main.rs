//! No server: prints your machine's cores and hardware threads, and what limits this process.
//!
//! Run it as you read the chapter "Hardware threads and operating-system threads":
//!
//!     cargo run --example hardware_threads

mod linux;
mod parse;

use std::process::Command;
use std::{env, thread};

// ANCHOR: main
/// One line of the report: what it is about, and what was found out, if anything was.
type Fact = (&'static str, Option<String>);

fn main() {
    let mut facts = if cfg!(target_os = "linux") {
        linux::facts()
    } else if cfg!(target_os = "macos") {
        macos_facts()
    } else if cfg!(windows) {
        windows_facts()
    } else {
        Vec::new()
    };
    // This one the standard library answers, on every system it knows.
    let parallelism = thread::available_parallelism().ok();
    facts.push(("available_parallelism", parallelism.map(|threads| threads.to_string())));

    for (name, found) in facts {
        let found = found.unwrap_or_else(|| "this system does not say".to_owned());
        println!("{name:<24}{found}");
    }
}
// ANCHOR_END: main

/// macOS answers through its `sysctl` command. It doesn't tell what hardware threads share a
/// core, and it has neither affinity masks nor cgroups.
fn macos_facts() -> Vec<Fact> {
    vec![
        ("CPU model", sysctl("machdep.cpu.brand_string")),
        ("sockets", sysctl("hw.packages")),
        ("physical cores", sysctl("hw.physicalcpu")),
        ("hardware threads", sysctl("hw.logicalcpu")),
        ("fast cores", sysctl("hw.perflevel0.physicalcpu")),
        ("economical cores", sysctl("hw.perflevel1.physicalcpu")),
        ("share a core", None),
        ("OS threads right now", None),
    ]
}

/// What `sysctl -n name` prints, if it knows that name.
fn sysctl(name: &str) -> Option<String> {
    let output = Command::new("/usr/sbin/sysctl").args(["-n", name]).output().ok()?;
    let value = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !value.is_empty()).then_some(value)
}

/// Windows tells more, but only through calls that need `unsafe` or another crate.
fn windows_facts() -> Vec<Fact> {
    vec![
        ("CPU model", env::var("PROCESSOR_IDENTIFIER").ok()),
        ("sockets", None),
        ("physical cores", None),
        ("hardware threads", env::var("NUMBER_OF_PROCESSORS").ok()),
        ("share a core", None),
        ("OS threads right now", None),
    ]
}
