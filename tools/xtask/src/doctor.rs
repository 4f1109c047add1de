//! `cargo xtask doctor`: what this machine has and lacks for the book, the workshop and the measurements.
//!
//! Nothing is installed or changed here, and nothing is asked of a network.

use std::{
    env,
    fmt::{self, Display, Formatter},
    fs,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    thread,
};

use records::{
    base::{
        programs::{Program, System, program, programs},
        say,
    },
    servers::{TOOLCHAINS, Toolchain},
};

/// What the tests and the tools of a whole checkout take in `target`, and some room, in KiB.
const SPACE: u64 = 5 << 20;

/// The descriptors that the ladder's measurements want: 500 clients, and as much again to spare.
const DESCRIPTORS: u64 = 1024;

/// What the workshop can't be held without.
const NEEDED: [&str; 2] = ["cc", "curl"];

/// Browsers by their names; macOS and Windows come with one.
const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "firefox"];

/// What was found out about one thing.
struct Finding {
    subject: String,
    found: String,
    state: State,
}

enum State {
    Fine,
    /// Something optional can't be done without it.
    Lacking {
        matters: String,
        cure: String,
    },
    /// The workshop can't be held without it.
    Needed {
        matters: String,
        cure: String,
    },
}

impl Finding {
    fn fine(subject: &str, found: impl Into<String>) -> Finding {
        Finding { subject: subject.to_owned(), found: found.into(), state: State::Fine }
    }

    fn lacking(subject: &str, found: impl Into<String>, matters: &str, cure: &str) -> Finding {
        let state = State::Lacking { matters: matters.to_owned(), cure: cure.to_owned() };
        Finding { state, ..Finding::fine(subject, found) }
    }

    fn needed(subject: &str, found: impl Into<String>, matters: &str, cure: &str) -> Finding {
        let state = State::Needed { matters: matters.to_owned(), cure: cure.to_owned() };
        Finding { state, ..Finding::fine(subject, found) }
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Finding { subject, found, state } = self;
        let (mark, why) = match state {
            State::Fine => ("ok", None),
            State::Lacking { matters, cure } => ("lacking", Some((matters, cure))),
            State::Needed { matters, cure } => ("NEEDED", Some((matters, cure))),
        };
        write!(f, "{mark:<8} {subject:<18} {found}")?;
        if let Some((matters, cure)) = why {
            write!(f, "\n{:27} matters: {matters}\n{:27} cure:    {cure}", "", "")?;
        }
        Ok(())
    }
}

/// Looks at everything, prints what it finds, and fails where the workshop can't be held.
pub fn doctor(root: &Path) -> ExitCode {
    let findings = check_up(root);
    findings.iter().for_each(say);
    say("");
    say(verdict(&findings));
    let lacks = findings.iter().any(|finding| matches!(finding.state, State::Needed { .. }));
    if lacks { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn check_up(root: &Path) -> Vec<Finding> {
    let system = System::of_this_machine();
    // curl reads the first of these in small letters alone.
    let set = ["http_proxy", "all_proxy", "ALL_PROXY"].iter().find_map(|name| env::var(name).ok());
    let except = ["no_proxy", "NO_PROXY"].iter().find_map(|name| env::var(name).ok());
    let mut findings = vec![
        rust(),
        processors(),
        packages(root),
        port(8080, "the servers listen there", "`-- --port 8081` behind a server's command"),
        port(3000, "the book is served there", "nothing: the next free port is taken"),
        proxy(set.as_deref(), except.as_deref()),
    ];
    findings.extend(workspace_around(root));
    if cfg!(unix) {
        findings.extend(space(root));
        findings.extend(descriptors());
    }
    findings.push(browser(system));
    // A browser has been looked for by all its names, and a toolchain knows its oldest version.
    let is_toolchain = |name: &str| TOOLCHAINS.iter().any(|one| one.version[0] == name);
    let others = programs().filter(|one| one.name != "chromium" && !is_toolchain(one.name));
    findings.extend(others.filter_map(|one| installed(&one, system)));
    findings.extend(TOOLCHAINS.iter().map(|one| toolchain(one, system)));
    findings
}

fn verdict(findings: &[Finding]) -> String {
    let names = |is_it: fn(&State) -> bool| -> Vec<&str> {
        let those = findings.iter().filter(|finding| is_it(&finding.state));
        those.map(|finding| finding.subject.as_str()).collect()
    };
    let needed = names(|state| matches!(state, State::Needed { .. }));
    let lacking = names(|state| matches!(state, State::Lacking { .. }));
    let mut text = match needed[..] {
        [] => "This machine is ready for the workshop.".to_owned(),
        _ => format!("Not ready for the workshop yet: {}.", needed.join(", ")),
    };
    if !lacking.is_empty() {
        text += &format!(" It goes without these: {}.", lacking.join(", "));
    }
    text
}

fn rust() -> Finding {
    // Whoever reads this has compiled it, so it is new enough.
    let version = output("rustc", &["--version"]).unwrap_or_else(|| "rustc".to_owned());
    let oldest = env!("CARGO_PKG_RUST_VERSION");
    Finding::fine("Rust", format!("{}; {oldest} or newer is needed", version.trim()))
}

fn processors() -> Finding {
    match thread::available_parallelism().map_or(1, usize::from) {
        1 => Finding::lacking(
            "hardware threads",
            "1",
            "with one, nothing computes side by side; the chapters that wait work as well",
            "more processors for this virtual machine or container",
        ),
        count => Finding::fine("hardware threads", count.to_string()),
    }
}

/// Whether all packages that this system compiles are on the disk.
fn packages(root: &Path) -> Finding {
    let mut fetch = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    fetch.args(["fetch", "--locked", "--offline", "--quiet"]);
    let about = output("rustc", &["-vV"]).unwrap_or_default();
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    fetch.args(host.into_iter().flat_map(|host| ["--target", host]));
    fetch.current_dir(root).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match fetch.status() {
        Ok(status) if status.success() => {
            Finding::fine("packages", "all are on this disk; no network is needed to compile")
        }
        _ => Finding::needed(
            "packages",
            "some are not on this disk",
            "in a room without a network nothing compiles then",
            "cargo fetch --locked",
        ),
    }
}

/// The workspace in which this folder lies, if it lies in one. Ours ends cargo's search for one, but a learner's own project
/// in `examples/live` is no part of ours.
fn workspace_around(root: &Path) -> Option<Finding> {
    let is_one = |folder: &&Path| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.lines().any(|line| line.trim_start().starts_with("[workspace"))
    };
    let folder = root.ancestors().skip(1).find(is_one)?;
    Some(Finding::lacking(
        "own projects",
        format!("this folder lies within the workspace {}", folder.display()),
        "cargo takes a project in examples/live for a part of it, and refuses to build it",
        "a line `[workspace]` at the end of the project's Cargo.toml",
    ))
}

/// The room on the disk that holds `target`.
fn space(root: &Path) -> Option<Finding> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let there = target.ancestors().find(|folder| folder.exists()).unwrap_or(root);
    let text = output("df", &["-Pk", &there.to_string_lossy()])?;
    let free: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    let found = format!("{:.1} GiB free for {}", free as f64 / (1 << 20) as f64, target.display());
    Some(match free {
        SPACE.. => Finding::fine("disk", found),
        _ => Finding::lacking(
            "disk",
            found,
            "the book and its servers need 2 GiB, `cargo test` may need 5",
            "make room, or set CARGO_TARGET_DIR to a folder on another disk",
        ),
    })
}

/// How many files and sockets a program may have open.
fn descriptors() -> Option<Finding> {
    let limit = output("sh", &["-c", "ulimit -n"])?.trim().to_owned();
    let few = limit.parse().is_ok_and(|limit: u64| limit < DESCRIPTORS);
    Some(match few {
        false => Finding::fine("descriptors", limit),
        true => Finding::lacking(
            "descriptors",
            limit,
            "a server with many clients needs one for each",
            &format!("ulimit -n {DESCRIPTORS}, in the shell that starts the server"),
        ),
    })
}

fn port(number: u16, matters: &str, cure: &str) -> Finding {
    let subject = format!("port {number}");
    match TcpListener::bind((Ipv4Addr::LOCALHOST, number)) {
        Ok(_) => Finding::fine(&subject, "free"),
        Err(error) => Finding::lacking(&subject, format!("not free: {error}"), matters, cure),
    }
}

/// Whether curl asks the servers itself: with a proxy in the environment it asks that, which can't reach them.
fn proxy(set: Option<&str>, except: Option<&str>) -> Finding {
    let is_local = |host: &str| ["*", "127.0.0.1", "127.0.0.0/8"].contains(&host.trim());
    match set {
        Some(proxy)
            if !proxy.is_empty() && !except.unwrap_or_default().split(',').any(is_local) =>
        {
            Finding::lacking(
                "proxy",
                format!("it is {proxy}, also for 127.0.0.1"),
                "curl asks the proxy for our servers, and prints nothing or the proxy's page",
                "export no_proxy=localhost,127.0.0.1",
            )
        }
        _ => Finding::fine("proxy", "none stands between curl and the servers"),
    }
}

/// A program of the table; `None` where this system has no use for it.
fn installed(program: &Program, system: System) -> Option<Finding> {
    let name = program.name;
    if let Some(line) = program.version() {
        return Some(Finding::fine(name, line.chars().take(60).collect::<String>()));
    }
    let cure = program.install(system)?;
    Some(match NEEDED.contains(&name) {
        true => Finding::needed(name, "not found", program.matters, &cure),
        false => Finding::lacking(name, "not found", program.matters, &cure),
    })
}

fn browser(system: System) -> Finding {
    if matches!(system, System::Mac | System::Windows) {
        return Finding::fine("browser", "the system has one");
    }
    match BROWSERS.iter().find_map(|name| output(name, &["--version"])) {
        Some(line) => Finding::fine("browser", line.trim()),
        None => Finding::lacking(
            "browser",
            "none found by its name",
            "to read the book here; target/book can be read on any other machine",
            &program("chromium").and_then(|it| it.install(system)).unwrap_or_default(),
        ),
    }
}

/// What builds and runs the servers of another language.
fn toolchain(toolchain: &Toolchain, system: System) -> Finding {
    let Toolchain { title, oldest, version, .. } = toolchain;
    let program = program(&version[0]);
    match toolchain.find() {
        Ok(line) => Finding::fine(title, line),
        Err(why) => Finding::lacking(
            title,
            format!("no {oldest} or newer found: {why}"),
            "for the servers of the page on other languages",
            &program.and_then(|it| it.install(system)).unwrap_or_default(),
        ),
    }
}

/// What a program prints.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_named_unless_this_machine_is_excepted() {
        let finding = proxy(Some("http://proxy:3128"), Some("example.org")).to_string();
        assert!(finding.starts_with("lacking  proxy"), "{finding}");
        assert!(finding.contains("it is http://proxy:3128"), "{finding}");
        for except in ["localhost, 127.0.0.1", "*"] {
            assert!(proxy(Some("http://proxy:3128"), Some(except)).to_string().starts_with("ok"));
        }
    }

    #[test]
    fn the_verdict_names_what_is_needed_and_what_is_not() {
        let wrk = || Finding::lacking("wrk", "not found", "why", "how");
        let ready = verdict(&[Finding::fine("curl", "8"), wrk()]);
        assert_eq!(ready, "This machine is ready for the workshop. It goes without these: wrk.");
        let not = verdict(&[wrk(), Finding::needed("packages", "some", "why", "how")]);
        assert!(not.starts_with("Not ready for the workshop yet: packages."), "{not}");
    }

    /// In a folder of its own cargo builds the project, and within a workspace it does with the line that is the cure.
    #[test]
    fn a_project_within_another_workspace_builds_with_the_line_that_the_doctor_names() {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().join("book");
        let project = root.join("examples/live/hello");
        fs::create_dir_all(project.join("src")).unwrap();
        fs::write(root.join("Cargo.toml"), "[workspace]\nexclude = [\"examples/live\"]\n").unwrap();
        fs::write(project.join("src/main.rs"), "fn main() {}\n").unwrap();
        let manifest = "[package]\nname = \"hello\"\nedition = \"2024\"\n";
        let builds = |manifest: &str| {
            fs::write(project.join("Cargo.toml"), manifest).unwrap();
            let mut cargo = Command::new("cargo");
            cargo.args(["metadata", "--offline", "--no-deps", "--format-version", "1"]);
            let output = cargo.current_dir(&project).output().unwrap();
            output.status.success()
        };
        assert!(builds(manifest) && workspace_around(&root).is_none());
        fs::write(outside.path().join("Cargo.toml"), "[workspace]\nmembers = []\n").unwrap();
        assert!(!builds(manifest));
        let said = workspace_around(&root).unwrap().to_string();
        assert!(said.contains("cure:    a line `[workspace]` at the end"), "{said}");
        assert!(builds(&format!("{manifest}\n[workspace]\n")));
    }

    #[test]
    fn a_toolchain_is_in_the_table_and_what_it_lacks_is_said_with_its_cure() {
        let mut java = TOOLCHAINS.iter().find(|one| one.name == "java").unwrap().clone();
        assert!(TOOLCHAINS.iter().all(|one| program(&one.version[0]).is_some()));
        java.oldest = "999".to_owned();
        let finding = toolchain(&java, System::Debian).to_string();
        assert!(finding.contains("no 999 or newer found"), "{finding}");
        assert!(finding.contains("cure:    sudo apt install openjdk-21-jdk-headless"), "{finding}");
    }
}
