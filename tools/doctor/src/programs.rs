//! The programs of other people that the book, the workshop and the measurements use.

use std::process::{Command, Stdio};

use servers::Toolchain;

use crate::{
    finding::{Finding, State},
    system::System,
};

/// A program, what it is for, and how it is had.
pub struct Program {
    name: &'static str,
    /// The option that makes it say something and end.
    probe: &'static str,
    state: State,
    matters: &'static str,
    /// The packages that hold it, of Debian, Fedora and Arch.
    packages: [&'static str; 3],
    mac: &'static str,
    windows: &'static str,
}

/// What is used, but for a browser.
pub const PROGRAMS: [Program; 8] = [
    Program {
        name: "curl",
        probe: "--version",
        state: State::Needed,
        matters: "every chapter talks to its server with it",
        packages: ["curl", "curl", "curl"],
        mac: "it is part of the system: /usr/bin/curl",
        windows: "winget install cURL.cURL",
    },
    Program {
        name: "git",
        probe: "--version",
        state: State::Lacking,
        matters: "to get a newer state of the book",
        packages: ["git", "git", "git"],
        mac: "xcode-select --install",
        windows: "winget install Git.Git",
    },
    Program {
        name: "wrk",
        probe: "-v",
        state: State::Lacking,
        matters: "to measure as the articles did; without it, use the example `load`",
        packages: ["wrk", "wrk", "wrk"],
        mac: "brew install wrk",
        windows: "inside WSL: sudo apt install wrk",
    },
    Program {
        name: "ab",
        probe: "-V",
        state: State::Lacking,
        matters: "to measure as the articles did; without it, use the example `load`",
        packages: ["apache2-utils", "httpd-tools", "apache"],
        mac: "it is part of the system: /usr/sbin/ab",
        windows: "inside WSL: sudo apt install apache2-utils",
    },
    Program {
        name: "strace",
        probe: "-V",
        state: State::Lacking,
        matters: "to count system calls, in `cargo xtask bench` (Linux)",
        packages: ["strace", "strace", "strace"],
        mac: "",
        windows: "",
    },
    Program {
        name: "valgrind",
        probe: "--version",
        state: State::Lacking,
        matters: "to count instructions and allocations, in `cargo xtask bench` (Linux)",
        packages: ["valgrind", "valgrind", "valgrind"],
        mac: "",
        windows: "",
    },
    Program {
        name: "node",
        probe: "--version",
        state: State::Lacking,
        matters: "for the tests of the pages in a browser, in `cargo test`",
        packages: ["nodejs npm", "nodejs npm", "nodejs npm"],
        mac: "brew install node",
        windows: "winget install OpenJS.NodeJS.LTS",
    },
    Program {
        name: "python3",
        probe: "--version",
        state: State::Lacking,
        matters: "for the tests with clients of other languages, in `cargo test`",
        packages: ["python3", "python3", "python"],
        mac: "xcode-select --install",
        windows: "winget install Python.Python.3.13",
    },
];

impl Program {
    pub fn look(&self, system: System) -> Finding {
        if let Some(line) = first_line(self.name, &[self.probe]) {
            return Finding::fine(self.name, line);
        }
        let cure = self.cure(system);
        if cure.is_empty() {
            return Finding::fine(self.name, "not on this system, and not needed here");
        }
        Finding::not(self.state, self.name, "not found", self.matters, cure)
    }

    /// What gives it; empty where it is not needed.
    fn cure(&self, system: System) -> String {
        match system {
            System::Mac => self.mac.to_owned(),
            System::Windows => self.windows.to_owned(),
            _ => system.install(self.packages).unwrap_or_else(|| {
                "install the package that holds it, with your system's package manager".to_owned()
            }),
        }
    }
}

/// The first line that a program prints, if there is such a program. Its exit code says nothing: wrk's is 1.
pub fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it is there").trim();
    let short: String = line.chars().take(60).collect();
    Some(short)
}

/// What builds and runs the servers of another language.
pub fn toolchain(toolchain: &Toolchain, system: System) -> Finding {
    let install = &toolchain.install;
    match toolchain.find() {
        Ok(line) => Finding::fine(&toolchain.title, line),
        Err(why) => Finding::not(
            State::Lacking,
            &toolchain.title,
            format!("no {} or newer found: {why}", toolchain.oldest),
            "for the servers of the page on other languages",
            match system {
                System::Debian => &install.debian,
                System::Fedora => &install.fedora,
                System::Arch => &install.arch,
                System::Mac => &install.mac,
                System::Windows => &install.windows,
                System::Other => &install.page,
            },
        ),
    }
}

/// A browser that can be found by its name. macOS and Windows come with one.
pub fn browser(system: System) -> Finding {
    if matches!(system, System::Mac | System::Windows) {
        return Finding::fine("browser", "the system has one");
    }
    let names =
        ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "firefox"];
    let found = names.iter().find_map(|name| Some((name, first_line(name, &["--version"])?)));
    match found {
        Some((_, line)) => Finding::fine("browser", line),
        None => Finding::not(
            State::Lacking,
            "browser",
            "none found by its name",
            "to read the book here; target/book can be read on any other machine",
            system.install(["chromium"; 3]).unwrap_or_else(|| {
                "install a browser with your system's package manager".to_owned()
            }),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_its_cure() {
        let missing = Program { name: "no-such-program", ..PROGRAMS[0] };
        use System::{Arch, Debian, Fedora, Mac, Other, Windows};
        let mut go = servers::TOOLCHAINS[0].clone();
        go.version[0] = "no-such-program".to_owned();
        for system in [Debian, Fedora, Arch, Windows, Mac, Other] {
            let finding = missing.look(system);
            assert_eq!(finding.state, State::Needed);
            assert!(!finding.cure.is_empty() && !finding.matters.is_empty(), "{finding}");
            let finding = toolchain(&go, system);
            assert_eq!((finding.state, &*finding.subject), (State::Lacking, "Go"));
            assert!(!finding.cure.is_empty() && finding.found.contains(&go.oldest), "{finding}");
        }
        let unheard_of = Program { name: "no-such-program", ..PROGRAMS[4] };
        assert_eq!(unheard_of.look(Windows).state, State::Fine);
        assert_eq!(unheard_of.look(Debian).state, State::Lacking);
    }
}
