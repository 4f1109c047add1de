//! `cargo xtask doctor`: says what this machine has and lacks for the book, the workshop and the measurements.
//!
//! Nothing is installed or changed here, and nothing is asked of a network. It must not know what is done with what it
//! finds.

mod finding;
mod machine;
mod programs;
mod system;

use std::{path::Path, process::ExitCode};

use base::{find_root, say};
use servers::TOOLCHAINS;

use crate::{
    finding::{Finding, State},
    machine::{descriptors, packages, port, processors, proxy, rust, space},
    programs::{PROGRAMS, browser, toolchain},
    system::System,
};

fn main() -> ExitCode {
    base::end_with(find_root().map(|root| doctor(&root)))
}

/// Looks at everything, prints what it finds, and fails where the workshop can't be held.
fn doctor(root: &Path) -> ExitCode {
    let findings = check_up(root);
    for finding in &findings {
        say(finding);
    }
    say("");
    say(verdict(&findings));
    let lacks = findings.iter().any(|finding| finding.state == State::Needed);
    if lacks { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn check_up(root: &Path) -> Vec<Finding> {
    let system = System::of_this_machine();
    let other_port = "`-- --port 8081` behind a server's command";
    let mut findings = vec![
        rust(),
        processors(),
        packages(root),
        space(root),
        port(8080, "the servers listen there", other_port),
        proxy(),
        port(3000, "the book is served there", "nothing: the next free port is taken"),
    ];
    findings.extend(descriptors());
    findings.extend(PROGRAMS.iter().map(|program| program.look(system)));
    findings.push(browser(system));
    findings.extend(TOOLCHAINS.iter().map(|one| toolchain(one, system)));
    findings
}

fn verdict(findings: &[Finding]) -> String {
    let names = |state: State| -> Vec<&str> {
        let those = findings.iter().filter(|finding| finding.state == state);
        those.map(|finding| finding.subject.as_str()).collect()
    };
    let (needed, lacking) = (names(State::Needed), names(State::Lacking));
    let mut text = match needed[..] {
        [] => "This machine is ready for the workshop.".to_owned(),
        _ => format!("Not ready for the workshop yet: {}.", needed.join(", ")),
    };
    if !lacking.is_empty() {
        text += &format!(" It goes without these: {}.", lacking.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_names_what_is_needed_and_what_is_not() {
        let needed = Finding::not(State::Needed, "packages", "some", "why", "how");
        let lacking = Finding::not(State::Lacking, "wrk", "not found", "why", "how");
        let fine = Finding::fine("curl", "8");
        let ready = verdict(&[fine.clone(), lacking.clone()]);
        assert_eq!(ready, "This machine is ready for the workshop. It goes without these: wrk.");
        let not = verdict(&[fine, lacking, needed]);
        assert!(not.starts_with("Not ready for the workshop yet: packages."), "{not}");
    }

    #[test]
    fn this_machine_is_looked_at_whole() {
        let findings = check_up(&find_root().unwrap());
        let subjects = [
            "Rust",
            "packages",
            "disk",
            "port 8080",
            "proxy",
            "curl",
            "wrk",
            "ab",
            "browser",
            "Go",
        ];
        for subject in subjects {
            let count = findings.iter().filter(|finding| finding.subject == subject).count();
            assert_eq!(count, 1, "{subject}");
        }
        // Cargo has just compiled all of it.
        let packages = findings.iter().find(|finding| finding.subject == "packages").unwrap();
        assert_eq!(packages.state, State::Fine, "{packages}");
        for finding in findings.iter().filter(|finding| finding.state != State::Fine) {
            assert!(!finding.cure.is_empty() && !finding.matters.is_empty(), "{finding}");
        }
    }
}
