//! `cargo xtask doctor`: prints what this machine has and lacks for the book, the workshop and the measurements.
//!
//! Nothing is installed or changed here, and nothing is asked of a network.

use std::{
    env,
    net::{Ipv4Addr, TcpListener},
    path::Path,
    process::{Command, ExitCode, Stdio},
};

use records::{
    base::{
        programs::{Program, how_to_install, programs},
        say,
    },
    servers::{TOOLCHAINS, Toolchain},
};

/// The programs without which the workshop can't be held.
const NEEDED: [&str; 2] = ["cc", "curl"];

/// A row of the table.
pub struct Finding {
    name: String,
    /// Whether the workshop can't be held without it.
    matters: bool,
    /// The version or state that was found; or the fault, and its cure.
    found: Result<String, (String, String)>,
    purpose: String,
}

impl Finding {
    /// Says that something is missing without which the workshop can't be held, and how it is had.
    pub fn missing(name: &str, cure: &str) -> Finding {
        let found = Err((String::new(), cure.to_owned()));
        Finding { name: name.to_owned(), matters: true, found, purpose: String::new() }
    }

    fn is_needed(&self) -> bool {
        self.found.is_err() && self.matters
    }

    /// Prints it, with its cure below it.
    pub fn print(&self) {
        let Finding { name, found, purpose, .. } = self;
        let mark = match found {
            Ok(_) => "ok",
            Err(_) if self.is_needed() => "NEEDED",
            Err(_) => "lacking",
        };
        // Some print much more than their version.
        let (words, cure) = match found {
            Ok(words) => (words.chars().take(40).collect(), ""),
            Err((words, cure)) => (words.clone(), cure.as_str()),
        };
        say(format_args!("{mark:<8} {name:<9} {words:<40} {purpose}"));
        if !cure.is_empty() {
            say(format_args!("{:18} {cure}", ""));
        }
    }
}

/// Checks everything, prints what it finds, and fails where the workshop can't be held.
pub fn doctor(root: &Path) -> ExitCode {
    let mut findings = vec![packages(root), port(), proxy(set(&PROXIES), set(&EXCEPTIONS))];
    let programs = programs().filter(|it| it.is_for_this_system() && is_no_toolchain(it));
    findings.extend(programs.map(|it| installed(&it)));
    findings.extend(TOOLCHAINS.iter().map(toolchain));
    findings.iter().for_each(Finding::print);
    say("");
    conclude("the workshop", &findings)
}

/// Says in one line whether this machine is ready, or what is missing and how it is had; fails where something is.
pub fn conclude(what: &str, findings: &[Finding]) -> ExitCode {
    say(verdict(what, findings));
    if findings.iter().any(Finding::is_needed) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn verdict(what: &str, findings: &[Finding]) -> String {
    let mut needed = Vec::new();
    let mut lacking = Vec::new();
    for finding in findings {
        match &finding.found {
            Err((_, cure)) if finding.matters => needed.push(format!("{} ({cure})", finding.name)),
            Err(_) => lacking.push(finding.name.as_str()),
            Ok(_) => {}
        }
    }
    let mut text = match needed.as_slice() {
        [] => format!("This machine is ready for {what}."),
        _ => format!("Not ready for {what} yet: {}.", needed.join(", ")),
    };
    if !lacking.is_empty() {
        text += &format!(" It goes without these: {}.", lacking.join(", "));
    }
    text
}

/// Checks that all packages that this system compiles are on the disk.
fn packages(root: &Path) -> Finding {
    let mut fetch = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    fetch.args(["fetch", "--locked", "--offline", "--quiet"]);
    if let Some(host) = host() {
        fetch.args(["--target", &host]);
    }
    fetch.current_dir(root).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let found = match fetch.status() {
        Ok(status) if status.success() => Ok("all are on this disk".to_owned()),
        _ => Err(("some are not on this disk".to_owned(), "cargo fetch --locked".to_owned())),
    };
    let purpose = "to compile in a room without a network".to_owned();
    Finding { name: "packages".to_owned(), matters: true, found, purpose }
}

/// Returns the name that Rust has for this system.
pub fn host() -> Option<String> {
    let about = Command::new("rustc").arg("-vV").stdin(Stdio::null()).output().ok()?;
    let about = String::from_utf8_lossy(&about.stdout).into_owned();
    about.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

fn port() -> Finding {
    let cure = "`-- --port 8081` behind a server's command".to_owned();
    let found = match TcpListener::bind((Ipv4Addr::LOCALHOST, 8080)) {
        Ok(_) => Ok("free".to_owned()),
        Err(error) => Err((format!("not free: {error}"), cure)),
    };
    let purpose = "the servers listen there".to_owned();
    Finding { name: "port 8080".to_owned(), matters: false, found, purpose }
}

// curl reads the first of these in small letters alone.
const PROXIES: [&str; 3] = ["http_proxy", "all_proxy", "ALL_PROXY"];
const EXCEPTIONS: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// Returns the value of the first of these variables that is set.
fn set(names: &[&str]) -> String {
    names.iter().find_map(|name| env::var(name).ok()).unwrap_or_default()
}

/// Checks that curl asks the servers itself: with a proxy in the environment it asks that, which can't reach them.
fn proxy(proxy: String, exceptions: String) -> Finding {
    let mut exceptions = exceptions.split(',').map(str::trim);
    let is_excepted = exceptions.any(|it| ["*", "127.0.0.1", "127.0.0.0/8"].contains(&it));
    let found = match proxy.as_str() {
        "" => Ok("none".to_owned()),
        _ if is_excepted => Ok("none before 127.0.0.1".to_owned()),
        _ => Err((
            format!("{proxy}, also before 127.0.0.1"),
            "export no_proxy=localhost,127.0.0.1".to_owned(),
        )),
    };
    let purpose = "curl would ask it for our servers".to_owned();
    Finding { name: "proxy".to_owned(), matters: false, found, purpose }
}

/// Tells whether a program belongs to no toolchain: these know the oldest version that they need.
fn is_no_toolchain(program: &Program) -> bool {
    TOOLCHAINS.iter().all(|toolchain| toolchain.version[0] != program.name)
}

/// Looks for a program.
pub fn installed(program: &Program) -> Finding {
    let found = match program.version() {
        Some(version) => Ok(version),
        None => Err(("not found".to_owned(), how_to_install(program.name))),
    };
    Finding {
        name: program.name.to_owned(),
        matters: NEEDED.contains(&program.name),
        found,
        purpose: program.purpose.to_owned(),
    }
}

/// Checks the toolchain of another language.
fn toolchain(toolchain: &Toolchain) -> Finding {
    let found = match toolchain.installed_version() {
        Ok(version) => Ok(version),
        Err(why) => Err((format!("not usable: {why}"), how_to_install(&toolchain.version[0]))),
    };
    let purpose = format!("{} or newer, for its servers", toolchain.oldest);
    Finding { name: toolchain.title.clone(), matters: false, found, purpose }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_named_unless_this_machine_is_excepted() {
        let found = proxy("http://proxy".to_owned(), "example.org".to_owned()).found;
        let (what, cure) = found.unwrap_err();
        assert_eq!(what, "http://proxy, also before 127.0.0.1");
        assert_eq!(cure, "export no_proxy=localhost,127.0.0.1");
        for (proxy_url, exceptions) in
            [("http://proxy", "localhost, 127.0.0.1"), ("http://proxy", "*"), ("", "")]
        {
            assert!(proxy(proxy_url.to_owned(), exceptions.to_owned()).found.is_ok());
        }
    }

    fn finding(name: &str, is_there: bool) -> Finding {
        let found = match is_there {
            true => Ok("1.0".to_owned()),
            false => Err(("not found".to_owned(), "how".to_owned())),
        };
        let matters = NEEDED.contains(&name);
        Finding { name: name.to_owned(), matters, found, purpose: "why".to_owned() }
    }

    #[test]
    fn the_verdict_says_how_what_is_needed_is_had() {
        let ready = verdict("half-day", &[finding("curl", true), finding("wrk", false)]);
        assert_eq!(ready, "This machine is ready for half-day. It goes without these: wrk.");
        let not = verdict("half-day", &[finding("curl", false), finding("wrk", false)]);
        assert_eq!(not, "Not ready for half-day yet: curl (how). It goes without these: wrk.");
    }

    #[test]
    fn a_toolchain_that_is_too_old_is_lacking_and_its_cure_is_in_the_table() {
        let mut java = TOOLCHAINS.iter().find(|one| one.name == "java").unwrap().clone();
        java.oldest = "999".to_owned();
        let (_, cure) = toolchain(&java).found.unwrap_err();
        assert!(cure.contains("sudo apt install openjdk-21-jdk-headless"), "{cure}");
        assert!(TOOLCHAINS.iter().all(|one| !how_to_install(&one.version[0]).is_empty()));
    }
}
