//! The programs that we measure with, and that somebody else has to install.

use std::{collections::BTreeMap, process::Command};

/// A program, and how it is had.
struct Known {
    name: &'static str,
    /// The option that makes it say its version.
    version: &'static str,
    debian: &'static str,
    fedora: &'static str,
    macos: &'static str,
}

const KNOWN: [Known; 7] = [
    Known {
        name: "wrk",
        version: "-v",
        debian: "sudo apt install wrk",
        fedora: "sudo dnf install wrk",
        macos: "brew install wrk",
    },
    Known {
        name: "ab",
        version: "-V",
        debian: "sudo apt install apache2-utils",
        fedora: "sudo dnf install httpd-tools",
        macos: "",
    },
    Known {
        name: "oha",
        version: "--version",
        debian: "cargo install oha",
        fedora: "cargo install oha",
        macos: "brew install oha",
    },
    Known {
        name: "drill",
        version: "--version",
        debian: "cargo install drill",
        fedora: "cargo install drill",
        macos: "cargo install drill",
    },
    Known {
        name: "strace",
        version: "-V",
        debian: "sudo apt install strace",
        fedora: "sudo dnf install strace",
        macos: "",
    },
    Known {
        name: "valgrind",
        version: "--version",
        debian: "sudo apt install valgrind",
        fedora: "sudo dnf install valgrind",
        macos: "",
    },
    Known {
        name: "taskset",
        version: "--version",
        debian: "sudo apt install util-linux",
        fedora: "sudo dnf install util-linux",
        macos: "",
    },
];

/// The version of each of these tools that is installed, as the tool itself says.
pub fn find(names: impl IntoIterator<Item = &'static str>) -> BTreeMap<String, String> {
    let known = names.into_iter().filter_map(|name| KNOWN.iter().find(|known| known.name == name));
    known.filter_map(|known| Some((known.name.to_owned(), version(known)?))).collect()
}

fn version(known: &Known) -> Option<String> {
    let output = Command::new(known.name).arg(known.version).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    version_in(known.name, &String::from_utf8_lossy(&text))
}

/// The version in a tool's first line: `wrk 4.1.0 [epoll] …`, `This is ApacheBench, Version 2.3 <…>`.
fn version_in(name: &str, text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let mut words = line.split_whitespace();
    let version = match name {
        "wrk" => words.nth(1),
        "ab" => words.skip_while(|word| *word != "Version").nth(1),
        // `drill 0.8.3`. The program of that name which asks name servers says `drill version 1.8.3 (ldns …)`.
        "drill" => words.nth(1).filter(|version| version.starts_with(|c: char| c.is_ascii_digit())),
        _ => words.next_back().map(|word| word.trim_start_matches("valgrind-")),
    };
    version.map(str::to_owned)
}

/// How a tool is installed.
pub fn how_to_install(name: &str) -> String {
    match KNOWN.iter().find(|known| known.name == name) {
        None => String::new(),
        Some(Known { debian, fedora, macos, .. }) => {
            let macos = match *macos {
                "" if name == "ab" => "; macOS: it comes with the system".to_owned(),
                "" => String::new(),
                command => format!("; macOS: `{command}`"),
            };
            format!("Debian, Ubuntu: `{debian}`; Fedora: `{fedora}`{macos}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        let wrk = "wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012 Will Glozer\nUsage:";
        assert_eq!(version_in("wrk", wrk).as_deref(), Some("debian/4.1.0-3+b2"));
        let ab = "This is ApacheBench, Version 2.3 <$Revision: 1 $>\n";
        assert_eq!(version_in("ab", ab).as_deref(), Some("2.3"));
        assert_eq!(version_in("valgrind", "valgrind-3.19.0\n").as_deref(), Some("3.19.0"));
        let strace = "strace -- version 6.1\nCopyright";
        assert_eq!(version_in("strace", strace).as_deref(), Some("6.1"));
        let taskset = "taskset from util-linux 2.38.1\n";
        assert_eq!(version_in("taskset", taskset).as_deref(), Some("2.38.1"));
        assert_eq!(version_in("drill", "drill 0.8.3\n").as_deref(), Some("0.8.3"));
        let asks_names = "drill version 1.8.3 (ldns version 1.8.3)\nWritten by NLnet Labs.\n";
        assert_eq!(version_in("drill", asks_names), None);
        assert_eq!(version_in("wrk", ""), None);
    }

    #[test]
    fn what_is_missing_can_be_had() {
        let how = how_to_install("strace");
        assert!(how.contains("`sudo apt install strace`"), "{how}");
        assert!(how_to_install("ab").contains("macOS: it comes with the system"));
        assert_eq!(how_to_install("load"), "");
        assert!(find(["no such tool"]).is_empty());
    }
}
