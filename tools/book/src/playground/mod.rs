//! What a published page sends to the public Rust Playground: a small server and its clients, in one program.
//!
//! The Playground has the standard library, Tokio and futures, a network of its own machine only, and ten seconds to compile
//! and run. The tests here compile and run exactly what is sent; the Playground itself, no test can reach.

/// The clients, and the `main` that starts all.
const HARNESS: &str = include_str!("harness.rs");

/// The line of the harness that starts the server.
const START: &str = "std::thread::spawn(move || serve(port));";

/// Crates that a small server may have and the Playground has not.
const LACKING: [(&str, &str); 3] =
    [("async_std", "async-std"), ("smol", "smol"), ("async_io", "async-io")];

/// What the Playground can do for a program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Playground {
    /// It runs this text.
    Runs(String),
    /// It has not this crate.
    Lacks(&'static str),
}

/// Whether a program uses something of this crate.
fn uses(source: &str, name: &str) -> bool {
    source.contains(&format!("use {name}::"))
}

/// Whether an item is a program's own `main`, or tells it its port: the harness has both.
fn is_replaced(item: &str) -> bool {
    let own = ["fn main(", "async fn main(", "fn port("];
    item.lines().any(|line| own.iter().any(|start| line.starts_with(start)))
}

impl Playground {
    /// For the program with this `main.rs`; `None` if it is no server in one file that starts with `serve(port)`.
    pub(crate) fn of(source: &str) -> Option<Playground> {
        if source.contains("\nmod ")
            || uses(source, "mio")
            || !source.contains("fn serve(port: u16)")
        {
            return None;
        }
        if let Some((_, name)) = LACKING.iter().find(|(name, _)| uses(source, name)) {
            return Some(Playground::Lacks(name));
        }
        let start = if uses(source, "tokio") {
            "std::thread::spawn(move || tokio::runtime::Runtime::new()?.block_on(serve(port)));"
        } else if source.contains("async fn serve(") {
            "std::thread::spawn(move || block_on(serve(port)));"
        } else {
            START
        };
        let lines = source.lines().filter(|line| !line.trim_start().starts_with("// ANCHOR"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let items = text.split("\n\n").filter(|item| !is_replaced(item));
        let kept = items.collect::<Vec<_>>().join("\n\n");
        Some(Playground::Runs(format!("{}\n\n{}", kept.trim_end(), HARNESS.replace(START, start))))
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, process::Command, thread};

    use records::base::find_root;

    use super::*;

    fn source(file: &str) -> String {
        fs::read_to_string(find_root().unwrap().join("examples").join(file)).unwrap()
    }

    /// The text that is sent for this program.
    fn sent(file: &str) -> String {
        match Playground::of(&source(file)) {
            Some(Playground::Runs(text)) => text,
            other => panic!("{file}: {other:?}"),
        }
    }

    /// Runs a program that was made of this text, and returns when each client was answered, in milliseconds.
    fn answered(program: &Path) -> Vec<(String, u32)> {
        let output = Command::new(program).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}");
        let mut clients: Vec<_> = said
            .lines()
            .filter_map(|line| {
                let words: Vec<&str> = line.strip_prefix("client ")?.split(' ').collect();
                assert_eq!(words[3..], ["200", "OK"], "{line}");
                Some((words[0].to_owned(), words[2].parse().unwrap()))
            })
            .collect();
        clients.sort();
        let paths: Vec<&str> = clients.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["/", "/", "/sleep"], "{said}");
        clients
    }

    #[test]
    fn what_is_sent_compiles_runs_and_shows_who_waits() {
        let folder = tempfile::tempdir().unwrap();
        let programs = [
            ("ch01/ch01_small/main.rs", true),
            ("ch02/ch02_small/main.rs", false),
            ("ch02/ch02_small/shared.rs", false),
            ("ch02/ch02_small/scoped.rs", false),
            ("ch03/ch03_small/main.rs", false),
            ("event_loop/small.rs", true),
        ];
        let compiled = programs.map(|(file, others_wait)| {
            let program = folder.path().join(file.replace('/', "_").trim_end_matches(".rs"));
            let text = program.with_extension("rs");
            fs::write(&text, sent(file)).unwrap();
            let mut rustc = Command::new("rustc");
            rustc.args(["--edition", "2024", "-D", "warnings", "--crate-name", "sent", "-o"]);
            assert!(rustc.arg(&program).arg(&text).status().unwrap().success(), "{file}");
            (program, file, others_wait)
        });
        // Each waits for two seconds and more: together, when nothing is compiled beside them any more.
        thread::scope(|scope| {
            for (program, file, others_wait) in &compiled {
                scope.spawn(move || {
                    let clients = answered(program);
                    assert_eq!(clients[0].1 >= 2000, *others_wait, "{file}: {clients:?}");
                });
            }
        });
    }

    #[test]
    #[ignore = "slow"]
    fn what_is_sent_compiles_and_runs_with_tokio_and_futures() {
        let root = find_root().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let programs = [
            ("futures", "ch05/ch05_small/blocking.rs"),
            ("tokio", "ch06/ch06_small/main.rs"),
            ("bounded", "ch07/ch07_small/main.rs"),
        ];
        let mut manifest = "[workspace]\n[package]\nname = \"sent\"\nedition = \"2024\"\n[dependencies]\n\
                            futures = { version = \"0.3\", features = [\"thread-pool\"] }\n\
                            tokio = { version = \"1\", features = [\"io-util\", \"net\", \"rt-multi-thread\", \"sync\", \"time\"] }\n"
            .to_owned();
        for (name, file) in programs {
            manifest += &format!("[[bin]]\nname = \"{name}\"\npath = \"{name}.rs\"\n");
            fs::write(folder.path().join(format!("{name}.rs")), sent(file)).unwrap();
        }
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        // The releases that the rungs have.
        fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
        let target = folder.path().join("target");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet"]).current_dir(folder.path());
        cargo.env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", "-D warnings");
        assert!(cargo.status().unwrap().success());
        for (name, file) in programs {
            let clients = answered(&target.join("debug").join(name));
            assert!(clients[0].1 < 2000, "{file}: {clients:?}");
        }
    }

    #[test]
    fn a_crate_that_the_playground_has_not_is_named() {
        for (file, lacking) in [
            ("ch04/ch04_small/main.rs", "async-std"),
            ("ch04/ch04_smol_small/main.rs", "smol"),
            ("ch05/ch05_small/main.rs", "async-io"),
        ] {
            assert_eq!(Playground::of(&source(file)), Some(Playground::Lacks(lacking)), "{file}");
        }
        for other in ["ch03/first_pool/main.rs", "ch06/ch06_tokio/main.rs", "event_loop/ready.rs"] {
            assert_eq!(Playground::of(&source(other)), None, "{other}");
        }
    }
}
