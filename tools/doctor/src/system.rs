//! The systems, as far as they differ in how a program is installed.

use std::{env, fs};

/// What its packages are installed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// And Ubuntu.
    Debian,
    /// And Red Hat.
    Fedora,
    Arch,
    Mac,
    Windows,
    Other,
}

impl System {
    pub fn of_this_machine() -> System {
        match env::consts::OS {
            "macos" => System::Mac,
            "windows" => System::Windows,
            _ => {
                let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
                System::of_release(&release)
            }
        }
    }

    /// The command that installs a package of Debian, Fedora or Arch, if this is one of them.
    pub fn install(self, [debian, fedora, arch]: [&str; 3]) -> Option<String> {
        match self {
            System::Debian => Some(format!("sudo apt install {debian}")),
            System::Fedora => Some(format!("sudo dnf install {fedora}")),
            System::Arch => Some(format!("sudo pacman -S {arch}")),
            _ => None,
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
}
