//! Other people's programs that the book, its tests and its measurements use: the table `programs.txt`.

use std::process::{Command, Stdio};

const TABLE: &str = include_str!("programs.txt");

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name, as a shell knows it.
    pub name: &'static str,
    /// The command that prints its version; where it has several names, one for each, with `, ` between them.
    version: &'static str,
    /// Its purpose.
    pub purpose: &'static str,
    /// Its package on Debian, or the command that installs it there.
    debian: &'static str,
    /// The command that installs it on macOS.
    macos: &'static str,
}

/// Lists all programs, in the order of the table.
pub fn programs() -> impl Iterator<Item = Program> {
    TABLE.lines().filter(|line| !line.starts_with('#')).map(row)
}

fn row(line: &'static str) -> Program {
    let mut cells = line.split('|').map(str::trim);
    let [name, version, purpose, debian, macos] =
        std::array::from_fn(|_| cells.next().unwrap_or_default());
    Program { name, version, purpose, debian, macos }
}

/// Finds the program of this name, if the table has it.
pub fn program(name: &str) -> Option<Program> {
    programs().find(|program| program.name == name)
}

impl Program {
    /// Tells whether it exists for this system: some are Linux's alone.
    pub fn is_for_this_system(&self) -> bool {
        !cfg!(target_os = "macos") || !self.macos.is_empty()
    }

    /// Asks it for its version: returns the first line that isn't empty, or `None` where it is not installed. Its exit
    /// code says nothing: wrk's is 1.
    pub fn version(&self) -> Option<String> {
        self.version.split(", ").find_map(|command| {
            let mut words = command.split(' ');
            let mut command = Command::new(words.next()?);
            let output = command.args(words).stdin(Stdio::null()).output().ok()?;
            let text = [output.stdout, output.stderr].concat();
            version_in(&String::from_utf8_lossy(&text))
        })
    }
}

/// Finds the version in what a program has printed; `None` where rustup or cargo print that a component is missing.
fn version_in(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    (!line.starts_with("error:")).then(|| line.trim().to_owned())
}

/// Returns the commands that install a program on Debian and on macOS; empty for one that the table does not have.
pub fn how_to_install(name: &str) -> String {
    let Some(Program { debian, macos, .. }) = program(name) else { return String::new() };
    let is_command = debian.contains(" install ") || debian.starts_with("rustup ");
    let apt = if is_command { "" } else { "sudo apt install " };
    match macos {
        "" => format!("Debian, Ubuntu: {apt}{debian}"),
        _ => format!("Debian, Ubuntu: {apt}{debian}; macOS: {macos}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_can_be_had() {
        assert_eq!(how_to_install("strace"), "Debian, Ubuntu: sudo apt install strace");
        let wrk = "Debian, Ubuntu: sudo apt install wrk; macOS: brew install wrk";
        assert_eq!(how_to_install("wrk"), wrk);
        let clippy = how_to_install("clippy");
        assert!(clippy.starts_with("Debian, Ubuntu: rustup component add clippy; "), "{clippy}");
        assert_eq!(how_to_install("load"), "");
    }

    #[test]
    fn a_component_that_rustup_lacks_is_not_there() {
        let version = "\nclippy 0.1.95 (59807616e1 2026-04-14)\n";
        assert_eq!(version_in(version).unwrap(), "clippy 0.1.95 (59807616e1 2026-04-14)");
        assert_eq!(version_in("error: no such command: `clippy`\n\nhelp: view all\n"), None);
    }
}
