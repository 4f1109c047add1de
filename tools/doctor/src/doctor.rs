//! `cargo xtask doctor`: what this machine has and lacks, whether it matters, and how to get it.
//!
//! Nothing is installed or changed here, and nothing is asked of a network.

use std::{
    env,
    fmt::{self, Display, Formatter},
    fs,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use base::say;

/// What the tests and the tool of a whole checkout take in `target`, and some room, in bytes.
const SPACE_FOR_ALL: u64 = 5 << 30;

/// What the book and the servers take, in bytes.
const SPACE_FOR_THE_WORKSHOP: u64 = 2 << 30;

/// The descriptors that the ladder's measurements want: 500 clients, and as much again to spare.
const DESCRIPTORS: u64 = 1024;

/// The oldest Rust that compiles this.
const OLDEST_RUST: &str = env!("CARGO_PKG_RUST_VERSION");

/// How a thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is as it should be.
    Fine,
    /// It is not there, or too small, and something optional can't be done without it.
    Lacking,
    /// The workshop can't be held without it.
    Needed,
}

/// What was found out about one thing.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was looked at: `wrk`, `port 8080`.
    pub subject: String,
    /// Whether it is as it should be.
    pub state: State,
    /// What is there.
    pub found: String,
    /// What it is for; empty where everybody knows.
    pub matters: String,
    /// A command or an action that gives what is lacking.
    pub cure: String,
}

impl Finding {
    fn fine(subject: &str, found: impl Into<String>) -> Finding {
        let (matters, cure) = Default::default();
        Finding {
            subject: subject.to_owned(),
            state: State::Fine,
            found: found.into(),
            matters,
            cure,
        }
    }

    fn not(
        state: State,
        subject: &str,
        found: impl Into<String>,
        matters: &str,
        cure: impl Into<String>,
    ) -> Finding {
        let (subject, matters) = (subject.to_owned(), matters.to_owned());
        Finding { subject, state, found: found.into(), matters, cure: cure.into() }
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mark = match self.state {
            State::Fine => "ok",
            State::Lacking => "lacking",
            State::Needed => "NEEDED",
        };
        write!(f, "{mark:<8} {:<18} {}", self.subject, self.found)?;
        if self.state != State::Fine {
            write!(f, "\n{:27} matters: {}\n{:27} cure:    {}", "", self.matters, "", self.cure)?;
        }
        Ok(())
    }
}

/// Looks at everything, prints what it finds, and returns whether the workshop can be held here.
pub fn doctor(root: &Path) -> bool {
    let findings = check_up(root);
    for finding in &findings {
        say(finding);
    }
    say("");
    say(verdict(&findings));
    findings.iter().all(|finding| finding.state != State::Needed)
}

/// Looks at everything.
pub fn check_up(root: &Path) -> Vec<Finding> {
    let system = System::of_this_machine();
    let mut findings = vec![rust(), processors(), packages(root), space(root)];
    findings.push(port(
        8080,
        "the servers listen there",
        "`-- --port 8081` behind a server's command",
    ));
    findings.push(port(3000, "the book is served there", "nothing: the next free port is taken"));
    findings.extend(descriptors());
    findings.extend(PROGRAMS.iter().map(|program| program.look(system)));
    findings.push(browser(system));
    findings
}

/// What all of it means.
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

/// What its packages are installed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Debian,
    Fedora,
    Arch,
    Mac,
    Windows,
    Other,
}

impl System {
    fn of_this_machine() -> System {
        match env::consts::OS {
            "macos" => System::Mac,
            "windows" => System::Windows,
            _ => {
                let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
                System::of_release(&release)
            }
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

/// A program, what it is for, and how it is had.
struct Program {
    name: &'static str,
    /// The option that makes it say something and end.
    probe: &'static str,
    state: State,
    matters: &'static str,
    debian: &'static str,
    fedora: &'static str,
    arch: &'static str,
    mac: &'static str,
    windows: &'static str,
}

const PROGRAMS: [Program; 8] = [
    Program {
        name: "curl",
        probe: "--version",
        state: State::Needed,
        matters: "every chapter talks to its server with it",
        debian: "sudo apt install curl",
        fedora: "sudo dnf install curl",
        arch: "sudo pacman -S curl",
        mac: "it is part of the system: /usr/bin/curl",
        windows: "winget install cURL.cURL",
    },
    Program {
        name: "git",
        probe: "--version",
        state: State::Lacking,
        matters: "to get a newer state of the book",
        debian: "sudo apt install git",
        fedora: "sudo dnf install git",
        arch: "sudo pacman -S git",
        mac: "xcode-select --install",
        windows: "winget install Git.Git",
    },
    Program {
        name: "wrk",
        probe: "-v",
        state: State::Lacking,
        matters: "to measure as the articles did; without it, use the example `load`",
        debian: "sudo apt install wrk",
        fedora: "sudo dnf install wrk",
        arch: "sudo pacman -S wrk",
        mac: "brew install wrk",
        windows: "inside WSL: sudo apt install wrk",
    },
    Program {
        name: "ab",
        probe: "-V",
        state: State::Lacking,
        matters: "to measure as the articles did; without it, use the example `load`",
        debian: "sudo apt install apache2-utils",
        fedora: "sudo dnf install httpd-tools",
        arch: "sudo pacman -S apache",
        mac: "it is part of the system: /usr/sbin/ab",
        windows: "inside WSL: sudo apt install apache2-utils",
    },
    Program {
        name: "strace",
        probe: "-V",
        state: State::Lacking,
        matters: "to count system calls, in `cargo xtask bench` (Linux)",
        debian: "sudo apt install strace",
        fedora: "sudo dnf install strace",
        arch: "sudo pacman -S strace",
        mac: "",
        windows: "",
    },
    Program {
        name: "valgrind",
        probe: "--version",
        state: State::Lacking,
        matters: "to count instructions and allocations, in `cargo xtask bench` (Linux)",
        debian: "sudo apt install valgrind",
        fedora: "sudo dnf install valgrind",
        arch: "sudo pacman -S valgrind",
        mac: "",
        windows: "",
    },
    Program {
        name: "node",
        probe: "--version",
        state: State::Lacking,
        matters: "for the tests of the pages in a browser, in `cargo test`",
        debian: "sudo apt install nodejs npm",
        fedora: "sudo dnf install nodejs npm",
        arch: "sudo pacman -S nodejs npm",
        mac: "brew install node",
        windows: "winget install OpenJS.NodeJS.LTS",
    },
    Program {
        name: "python3",
        probe: "--version",
        state: State::Lacking,
        matters: "for the tests with clients of other languages, in `cargo test`",
        debian: "sudo apt install python3",
        fedora: "sudo dnf install python3",
        arch: "sudo pacman -S python",
        mac: "xcode-select --install",
        windows: "winget install Python.Python.3.13",
    },
];

impl Program {
    fn look(&self, system: System) -> Finding {
        if let Some(line) = first_line(self.name, &[self.probe]) {
            return Finding::fine(self.name, line);
        }
        match self.cure(system) {
            "" => Finding::fine(self.name, "not on this system, and not needed here"),
            cure => Finding::not(self.state, self.name, "not found", self.matters, cure),
        }
    }

    fn cure(&self, system: System) -> &'static str {
        match system {
            System::Debian => self.debian,
            System::Fedora => self.fedora,
            System::Arch => self.arch,
            System::Mac => self.mac,
            System::Windows => self.windows,
            System::Other => {
                "install the package that holds it, with your system's package manager"
            }
        }
    }
}

/// The first line that a program prints, if there is such a program. Its exit code says nothing: wrk's is 1.
fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it is there").trim();
    let short: String = line.chars().take(60).collect();
    Some(short)
}

fn rust() -> Finding {
    // Whoever reads this has compiled it, so it is new enough.
    let version = first_line("rustc", &["--version"]).unwrap_or_else(|| "rustc".to_owned());
    Finding::fine("Rust", format!("{version}; {OLDEST_RUST} or newer is needed"))
}

fn processors() -> Finding {
    let count = thread::available_parallelism().map_or(1, usize::from);
    match count {
        1 => Finding::not(
            State::Lacking,
            "hardware threads",
            "1",
            "with one, nothing computes side by side; the chapters that wait work as well",
            "more processors for this virtual machine or container",
        ),
        _ => Finding::fine("hardware threads", count.to_string()),
    }
}

/// Whether all packages that this system compiles are on the disk.
fn packages(root: &Path) -> Finding {
    let mut fetch = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    fetch.args(["fetch", "--locked", "--offline", "--quiet"]);
    if let Some(host) = host() {
        fetch.args(["--target", &host]);
    }
    fetch.current_dir(root).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match fetch.status() {
        Ok(status) if status.success() => {
            Finding::fine("packages", "all are on this disk; no network is needed to compile")
        }
        _ => Finding::not(
            State::Needed,
            "packages",
            "some are not on this disk",
            "in a room without a network nothing compiles then",
            "cargo fetch --locked",
        ),
    }
}

/// The system that rustc compiles for: `x86_64-unknown-linux-gnu`.
fn host() -> Option<String> {
    let output = Command::new("rustc").arg("-vV").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

/// The room on the disk that holds `target`.
fn space(root: &Path) -> Finding {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let there = target.ancestors().find(|folder| folder.exists()).unwrap_or(root);
    let Ok(free) = fs4::available_space(there) else {
        return Finding::fine("disk", "the system does not say how much is free");
    };
    let found = format!("{:.1} GiB free for {}", free as f64 / (1 << 30) as f64, target.display());
    let cure = "make room, or set CARGO_TARGET_DIR to a folder on another disk";
    match free {
        SPACE_FOR_ALL.. => Finding::fine("disk", found),
        SPACE_FOR_THE_WORKSHOP.. => {
            Finding::not(State::Lacking, "disk", found, "`cargo test` may need 5 GiB", cure)
        }
        _ => {
            Finding::not(State::Needed, "disk", found, "the book and its servers need 2 GiB", cure)
        }
    }
}

fn port(number: u16, matters: &str, cure: &str) -> Finding {
    let subject = format!("port {number}");
    match TcpListener::bind((Ipv4Addr::LOCALHOST, number)) {
        Ok(_) => Finding::fine(&subject, "free"),
        Err(error) => {
            Finding::not(State::Lacking, &subject, format!("not free: {error}"), matters, cure)
        }
    }
}

#[cfg(unix)]
fn descriptors() -> Option<Finding> {
    use nix::sys::resource::{Resource::RLIMIT_NOFILE, getrlimit};
    let (soft, hard) = getrlimit(RLIMIT_NOFILE).ok()?;
    let found = format!("{soft}, and {hard} at most");
    Some(match soft {
        DESCRIPTORS.. => Finding::fine("descriptors", found),
        _ => Finding::not(
            State::Lacking,
            "descriptors",
            found,
            "a server with many clients needs one for each",
            format!("ulimit -n {}, in the shell that starts the server", DESCRIPTORS.min(hard)),
        ),
    })
}

#[cfg(not(unix))]
fn descriptors() -> Option<Finding> {
    None
}

/// A browser that can be found by its name. macOS and Windows come with one.
fn browser(system: System) -> Finding {
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
            match system {
                System::Debian => "sudo apt install chromium",
                System::Fedora => "sudo dnf install chromium",
                System::Arch => "sudo pacman -S chromium",
                _ => "install a browser with your system's package manager",
            },
        ),
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

    #[test]
    fn what_is_missing_is_said_with_its_cure() {
        let missing = Program { name: "no-such-program", ..PROGRAMS[0] };
        for system in [
            System::Debian,
            System::Fedora,
            System::Arch,
            System::Windows,
            System::Mac,
            System::Other,
        ] {
            let finding = missing.look(system);
            assert_eq!(finding.state, State::Needed);
            assert!(!finding.cure.is_empty() && !finding.matters.is_empty(), "{finding}");
        }
        let unheard_of = Program { name: "no-such-program", ..PROGRAMS[4] };
        assert_eq!(unheard_of.look(System::Windows).state, State::Fine);
        assert_eq!(unheard_of.look(System::Debian).state, State::Lacking);
    }

    #[test]
    fn a_port_in_use_is_noticed() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let number = taken.local_addr().unwrap().port();
        let finding = port(number, "why", "how");
        assert_eq!(finding.state, State::Lacking);
        assert!(finding.to_string().contains("not free"), "{finding}");
        drop(taken);
    }

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
        let findings = check_up(&base::find_root().unwrap());
        for subject in ["Rust", "packages", "disk", "port 8080", "curl", "wrk", "ab", "browser"] {
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
