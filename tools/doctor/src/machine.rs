//! What the machine itself has to offer: a compiler, processors, packages, room on the disk, ports, descriptors.

use std::{
    env,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use crate::{
    finding::{Finding, State},
    programs::first_line,
};

/// What the tests and the tool of a whole checkout take in `target`, and some room, in bytes.
const SPACE_FOR_ALL: u64 = 5 << 30;

/// What the book and the servers take, in bytes.
const SPACE_FOR_THE_WORKSHOP: u64 = 2 << 30;

/// The descriptors that the ladder's measurements want: 500 clients, and as much again to spare.
const DESCRIPTORS: u64 = 1024;

/// The oldest Rust that compiles this.
const OLDEST_RUST: &str = env!("CARGO_PKG_RUST_VERSION");

pub fn rust() -> Finding {
    // Whoever reads this has compiled it, so it is new enough.
    let version = first_line("rustc", &["--version"]).unwrap_or_else(|| "rustc".to_owned());
    Finding::fine("Rust", format!("{version}; {OLDEST_RUST} or newer is needed"))
}

/// The hardware threads.
pub fn processors() -> Finding {
    let count = thread::available_parallelism().map_or(1, usize::from);
    match count {
        1 => Finding::not(
            State::Lacking,
            "hardware threads",
            "1",
            "with one, nothing computes side by side; the chapters that wait work as well",
            "more processors for this virtual machine or container",
        ),
        _ => Finding::fine("hardware threads", count.to_string()),
    }
}

/// Whether all packages that this system compiles are on the disk.
pub fn packages(root: &Path) -> Finding {
    let mut fetch = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    fetch.args(["fetch", "--locked", "--offline", "--quiet"]);
    if let Some(host) = host() {
        fetch.args(["--target", &host]);
    }
    fetch.current_dir(root).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match fetch.status() {
        Ok(status) if status.success() => {
            Finding::fine("packages", "all are on this disk; no network is needed to compile")
        }
        _ => Finding::not(
            State::Needed,
            "packages",
            "some are not on this disk",
            "in a room without a network nothing compiles then",
            "cargo fetch --locked",
        ),
    }
}

/// The system that rustc compiles for: `x86_64-unknown-linux-gnu`.
fn host() -> Option<String> {
    let output = Command::new("rustc").arg("-vV").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

/// The room on the disk that holds `target`.
pub fn space(root: &Path) -> Finding {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let there = target.ancestors().find(|folder| folder.exists()).unwrap_or(root);
    let Ok(free) = fs4::available_space(there) else {
        return Finding::fine("disk", "the system does not say how much is free");
    };
    let found = format!("{:.1} GiB free for {}", free as f64 / (1 << 30) as f64, target.display());
    let cure = "make room, or set CARGO_TARGET_DIR to a folder on another disk";
    match free {
        SPACE_FOR_ALL.. => Finding::fine("disk", found),
        SPACE_FOR_THE_WORKSHOP.. => {
            Finding::not(State::Lacking, "disk", found, "`cargo test` may need 5 GiB", cure)
        }
        _ => {
            Finding::not(State::Needed, "disk", found, "the book and its servers need 2 GiB", cure)
        }
    }
}

/// Whether curl asks the servers itself: with a proxy in the environment it asks that, which can't reach them.
pub fn proxy() -> Finding {
    // curl reads the first of these in small letters alone.
    let names = ["http_proxy", "all_proxy", "ALL_PROXY"];
    let set = names.iter().find_map(|name| Some((*name, env::var(name).ok()?)));
    let except = ["no_proxy", "NO_PROXY"].iter().find_map(|name| env::var(name).ok());
    proxy_in(set, &except.unwrap_or_default())
}

fn proxy_in(set: Option<(&str, String)>, except: &str) -> Finding {
    let is_local = |host: &str| ["*", "127.0.0.1", "127.0.0.0/8"].contains(&host.trim());
    match set {
        Some((name, proxy)) if !proxy.is_empty() && !except.split(',').any(is_local) => {
            Finding::not(
                State::Lacking,
                "proxy",
                format!("{name} is {proxy}, also for 127.0.0.1"),
                "curl asks the proxy for our servers, and prints nothing or the proxy's page",
                "export no_proxy=localhost,127.0.0.1",
            )
        }
        _ => Finding::fine("proxy", "none stands between curl and the servers"),
    }
}

pub fn port(number: u16, matters: &str, cure: &str) -> Finding {
    let subject = format!("port {number}");
    match TcpListener::bind((Ipv4Addr::LOCALHOST, number)) {
        Ok(_) => Finding::fine(&subject, "free"),
        Err(error) => {
            Finding::not(State::Lacking, &subject, format!("not free: {error}"), matters, cure)
        }
    }
}

/// How many files and sockets a program may have open.
#[cfg(unix)]
pub fn descriptors() -> Option<Finding> {
    use nix::sys::resource::{Resource::RLIMIT_NOFILE, getrlimit};
    let (soft, hard) = getrlimit(RLIMIT_NOFILE).ok()?;
    let found = format!("{soft}, and {hard} at most");
    Some(match soft {
        DESCRIPTORS.. => Finding::fine("descriptors", found),
        _ => Finding::not(
            State::Lacking,
            "descriptors",
            found,
            "a server with many clients needs one for each",
            format!("ulimit -n {}, in the shell that starts the server", DESCRIPTORS.min(hard)),
        ),
    })
}

/// Not limited here.
#[cfg(not(unix))]
pub fn descriptors() -> Option<Finding> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_named_unless_this_machine_is_excepted() {
        let set = || Some(("http_proxy", "http://proxy:3128".to_owned()));
        let finding = proxy_in(set(), "example.org");
        assert_eq!(finding.state, State::Lacking);
        assert!(finding.to_string().contains("http_proxy is http://proxy:3128"), "{finding}");
        for (set, except) in [(set(), "localhost, 127.0.0.1"), (set(), "*"), (None, "")] {
            assert_eq!(proxy_in(set, except).state, State::Fine, "{except}");
        }
    }

    #[test]
    fn a_port_in_use_is_noticed() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let number = taken.local_addr().unwrap().port();
        let finding = port(number, "why", "how");
        assert_eq!(finding.state, State::Lacking);
        assert!(finding.to_string().contains("not free"), "{finding}");
        drop(taken);
    }
}
