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

/// The findings without which the workshop can't be held.
const NEEDED: [&str; 3] = ["packages", "cc", "curl"];

/// A row of the table.
struct Finding {
    name: String,
    /// The version or state that was found; or the fault, and its cure.
    found: Result<String, (String, String)>,
    purpose: String,
}

impl Finding {
    fn is_needed(&self) -> bool {
        self.found.is_err() && NEEDED.contains(&self.name.as_str())
    }

    fn is_lacking(&self) -> bool {
        self.found.is_err() && !self.is_needed()
    }

    fn print(&self) {
        let Finding { name, found, purpose } = self;
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
    say(verdict(&findings));
    if findings.iter().any(Finding::is_needed) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn verdict(findings: &[Finding]) -> String {
    let needed = names(findings, Finding::is_needed);
    let lacking = names(findings, Finding::is_lacking);
    let mut text = match needed.as_str() {
        "" => "This machine is ready for the workshop.".to_owned(),
        _ => format!("Not ready for the workshop yet: {needed}."),
    };
    if !lacking.is_empty() {
        text += &format!(" It goes without these: {lacking}.");
    }
    text
}

fn names(findings: &[Finding], is_it: fn(&Finding) -> bool) -> String {
    let those = findings.iter().filter(|finding| is_it(finding));
    those.map(|finding| finding.name.as_str()).collect::<Vec<_>>().join(", ")
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
    Finding { name: "packages".to_owned(), found, purpose }
}

/// Returns the name that Rust has for this system.
fn host() -> Option<String> {
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
    Finding { name: "port 8080".to_owned(), found, purpose: "the servers listen there".to_owned() }
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
    Finding { name: "proxy".to_owned(), found, purpose }
}

/// Tells whether a program belongs to no toolchain: these know the oldest version that they need.
fn is_no_toolchain(program: &Program) -> bool {
    TOOLCHAINS.iter().all(|toolchain| toolchain.version[0] != program.name)
}

fn installed(program: &Program) -> Finding {
    let found = match program.version() {
        Some(version) => Ok(version),
        None => Err(("not found".to_owned(), how_to_install(program.name))),
    };
    Finding { name: program.name.to_owned(), found, purpose: program.purpose.to_owned() }
}

/// Checks the toolchain of another language.
fn toolchain(toolchain: &Toolchain) -> Finding {
    let found = match toolchain.installed_version() {
        Ok(version) => Ok(version),
        Err(why) => Err((format!("not usable: {why}"), how_to_install(&toolchain.version[0]))),
    };
    let purpose = format!("{} or newer, for its servers", toolchain.oldest);
    Finding { name: toolchain.title.clone(), found, purpose }
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
        Finding { name: name.to_owned(), found, purpose: "why".to_owned() }
    }

    #[test]
    fn the_verdict_names_what_is_needed_and_what_is_not() {
        let ready = verdict(&[finding("curl", true), finding("wrk", false)]);
        assert_eq!(ready, "This machine is ready for the workshop. It goes without these: wrk.");
        let not = verdict(&[finding("packages", false), finding("wrk", false)]);
        assert!(not.starts_with("Not ready for the workshop yet: packages. It goes"), "{not}");
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
