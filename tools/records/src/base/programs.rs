//! The programs of other people that the book, its tests and its measurements use: the table `programs.txt`.

use std::{env::consts::OS, fs, process::Command, process::Stdio};

const TABLE: &str = include_str!("programs.txt");

/// What a program is installed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// And Ubuntu.
    Debian,
    /// And Red Hat.
    Fedora,
    /// And what is made of it.
    Arch,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
    /// Any other.
    Other,
}

impl System {
    /// The one that this program runs on.
    pub fn of_this_machine() -> System {
        match OS {
            "macos" => System::Mac,
            "windows" => System::Windows,
            _ => System::of_release(&fs::read_to_string("/etc/os-release").unwrap_or_default()),
        }
    }

    /// By `ID` and `ID_LIKE` of the file os-release (os-release(5)).
    fn of_release(release: &str) -> System {
        let value = |key: &str| {
            let line = release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            line.unwrap_or_default().trim_matches('"').to_owned()
        };
        let names = format!("{} {}", value("ID"), value("ID_LIKE"));
        let is = |wanted: &[&str]| names.split_whitespace().any(|name| wanted.contains(&name));
        match () {
            () if is(&["debian", "ubuntu"]) => System::Debian,
            () if is(&["fedora", "rhel"]) => System::Fedora,
            () if is(&["arch"]) => System::Arch,
            () => System::Other,
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name, as a shell knows it.
    pub name: &'static str,
    version: &'static str,
    /// What it is for.
    pub matters: &'static str,
    /// For Debian, Fedora, Arch, macOS, Windows and others.
    install: [&'static str; 6],
}

/// All programs, in the order of the table.
pub fn programs() -> impl Iterator<Item = Program> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let mut cells = row.split('|').map(str::trim);
        let mut next = || cells.next().unwrap_or_default();
        Program {
            name: next(),
            version: next(),
            matters: next(),
            install: std::array::from_fn(|_| next()),
        }
    })
}

/// The program of this name, if the table has it.
pub fn program(name: &str) -> Option<Program> {
    programs().find(|program| program.name == name)
}

impl Program {
    /// The first line that is not empty of what it says of its version; `None` where it is not installed. Its exit code
    /// says nothing: wrk's is 1. Of a component that lacks, rustup and cargo say so in its place.
    pub fn version(&self) -> Option<String> {
        let mut words = self.version.split(' ');
        let mut command = Command::new(words.next()?);
        let output = command.args(words).stdin(Stdio::null()).output().ok()?;
        let text = [output.stdout, output.stderr].concat();
        version_in(&String::from_utf8_lossy(&text))
    }

    /// What gives it on this system; `None` where it is not for this system.
    pub fn install(&self, system: System) -> Option<String> {
        let how = self.install[system as usize];
        let is_command = how.contains("install") || how.starts_with("rustup ");
        match system {
            _ if how.is_empty() => None,
            System::Debian if !is_command => Some(format!("sudo apt install {how}")),
            System::Fedora if !is_command => Some(format!("sudo dnf install {how}")),
            System::Arch if !is_command => Some(format!("sudo pacman -S {how}")),
            _ => Some(how.to_owned()),
        }
    }
}

fn version_in(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    (!line.starts_with("error:")).then(|| line.trim().to_owned())
}

/// How a program is had on the three systems that most readers have, and elsewhere; empty for one that the table does not
/// have.
pub fn how_to_install(name: &str) -> String {
    let Some(program) = program(name) else { return String::new() };
    let systems = [
        ("Debian, Ubuntu", System::Debian),
        ("Fedora", System::Fedora),
        ("macOS", System::Mac),
        ("others", System::Other),
    ];
    let ways = systems.iter().filter_map(|(title, system)| {
        program.install(*system).map(|how| format!("{title}: {how}"))
    });
    ways.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_known_by_their_release() {
        for (release, system) in [
            ("PRETTY_NAME=\"Debian GNU/Linux 13\"\nID=debian\n", System::Debian),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", System::Debian),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", System::Fedora),
            ("ID=manjaro\nID_LIKE=arch\n", System::Arch),
            ("ID=nixos\n", System::Other),
            ("", System::Other),
        ] {
            assert_eq!(System::of_release(release), system, "{release}");
        }
    }

    #[test]
    fn what_is_missing_can_be_had() {
        let strace = program("strace").unwrap();
        assert_eq!(strace.install(System::Debian).unwrap(), "sudo apt install strace");
        assert_eq!(strace.install(System::Windows), None);
        let ab = how_to_install("ab");
        assert!(ab.contains("Fedora: sudo dnf install httpd-tools; macOS: it is part"), "{ab}");
        assert_eq!(program("oha").unwrap().install(System::Arch).unwrap(), "cargo install oha");
        assert_eq!(how_to_install("load"), "");
    }

    #[test]
    fn a_component_that_rustup_lacks_is_not_there() {
        let version = "\nclippy 0.1.95 (59807616e1 2026-04-14)\n";
        assert_eq!(version_in(version).unwrap(), "clippy 0.1.95 (59807616e1 2026-04-14)");
        assert_eq!(version_in("error: no such command: `clippy`\n\nhelp: view all\n"), None);
        let clippy = program("clippy").unwrap();
        let way = clippy.install(System::Debian).unwrap();
        assert_eq!(way, "rustup component add clippy");
        assert!(clippy.version().is_none_or(|version| version.starts_with("clippy ")));
    }

    #[test]
    fn every_row_is_whole() {
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            assert_eq!(line.split('|').count(), 9, "{line}");
        }
    }
}
