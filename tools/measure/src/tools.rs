//! The programs that we measure with, and that somebody else has to install.

use std::collections::BTreeMap;

use records::base::programs::program;

/// Finds those of these tools that are installed, and the version that each prints.
pub fn find(names: impl IntoIterator<Item = &'static str>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for name in names {
        if let Some(version) = version(name) {
            found.insert(name.to_owned(), version);
        }
    }
    found
}

fn version(name: &str) -> Option<String> {
    version_in(name, &program(name)?.version()?)
}

/// Finds the version in a tool's first line: `wrk 4.1.0 [epoll] …`, `This is ApacheBench, Version 2.3 <…>`.
fn version_in(name: &str, text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let mut words = line.split_whitespace();
    let version = match name {
        "wrk" => words.nth(1),
        "ab" => words.skip_while(|word| *word != "Version").nth(1),
        // `drill 0.8.3`. The program of that name which asks name servers says `drill version 1.8.3 (ldns …)`.
        "drill" => words.nth(1).filter(|version| version.starts_with(|c: char| c.is_ascii_digit())),
        _ => words.next_back(),
    };
    version.map(str::to_owned)
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
            ("perf", "perf version 6.1.187\n", Some("6.1.187")),
            ("taskset", "taskset from util-linux 2.38.1\n", Some("2.38.1")),
            ("drill", "drill 0.8.3\n", Some("0.8.3")),
            // It asks name servers.
            ("drill", "drill version 1.8.3 (ldns version 1.8.3)\nWritten by NLnet Labs.\n", None),
        ] {
            assert_eq!(version_in(name, text).as_deref(), version, "{text}");
        }
    }
}
