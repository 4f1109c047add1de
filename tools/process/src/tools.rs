//! The programs that we measure with, and that somebody else has to install.

use std::{collections::BTreeMap, process::Command};

/// Each tool: its name, the option that makes it say its version, and how it is had on Debian, Fedora and macOS.
static TOOLS: [[&str; 5]; 7] = [
    ["wrk", "-v", "sudo apt install wrk", "sudo dnf install wrk", "brew install wrk"],
    ["ab", "-V", "sudo apt install apache2-utils", "sudo dnf install httpd-tools", ""],
    ["oha", "--version", "cargo install oha", "cargo install oha", "brew install oha"],
    ["drill", "--version", "cargo install drill", "cargo install drill", "cargo install drill"],
    ["strace", "-V", "sudo apt install strace", "sudo dnf install strace", ""],
    ["valgrind", "--version", "sudo apt install valgrind", "sudo dnf install valgrind", ""],
    ["taskset", "--version", "sudo apt install util-linux", "sudo dnf install util-linux", ""],
];

fn tool(name: &str) -> Option<&'static [&'static str; 5]> {
    TOOLS.iter().find(|[known, ..]| *known == name)
}

/// The version of each of these tools that is installed, as the tool itself says.
pub fn find(names: impl IntoIterator<Item = &'static str>) -> BTreeMap<String, String> {
    let tools = names.into_iter().filter_map(tool);
    tools.filter_map(|[name, how, ..]| Some(((*name).to_owned(), version(name, how)?))).collect()
}

fn version(name: &str, option: &str) -> Option<String> {
    let output = Command::new(name).arg(option).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    version_in(name, &String::from_utf8_lossy(&text))
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
    let Some([.., debian, fedora, macos]) = tool(name) else { return String::new() };
    let macos = match *macos {
        "" if name == "ab" => "; macOS: it comes with the system".to_owned(),
        "" => String::new(),
        command => format!("; macOS: `{command}`"),
    };
    format!("Debian, Ubuntu: `{debian}`; Fedora: `{fedora}`{macos}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        for (name, text, version) in [
            ("wrk", "wrk debian/4.1.0-3+b2 [epoll] Copyright\nUsage:", Some("debian/4.1.0-3+b2")),
            ("wrk", "", None),
            ("ab", "This is ApacheBench, Version 2.3 <$Revision: 1 $>\n", Some("2.3")),
            ("valgrind", "valgrind-3.19.0\n", Some("3.19.0")),
            ("strace", "strace -- version 6.1\nCopyright", Some("6.1")),
            ("taskset", "taskset from util-linux 2.38.1\n", Some("2.38.1")),
            ("drill", "drill 0.8.3\n", Some("0.8.3")),
            // It asks name servers.
            ("drill", "drill version 1.8.3 (ldns version 1.8.3)\nWritten by NLnet Labs.\n", None),
        ] {
            assert_eq!(version_in(name, text).as_deref(), version, "{text}");
        }
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
