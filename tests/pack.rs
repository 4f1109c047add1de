//! `cargo xtask pack`: what it packs builds, runs and tests without a network.

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, SystemTime},
};

use ladder_tests::{DEADLINE, Finished, program, root, run, skip};
use regex::Regex;

/// How long packing may take, and how long compiling may. Both are slow on a busy machine.
const MINUTES: Duration = Duration::from_secs(15 * 60);

/// Cargo in the unpacked folder, which knows no registry but what lies there.
fn cargo(folder: &Path, home: &Path, arguments: &[&str]) -> Command {
    // Not the path of the cargo that runs this test: the learner types `cargo`.
    let mut command = Command::new("cargo");
    let own = env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO") || name.starts_with("MDBOOK_")
    });
    for (name, _) in own {
        command.env_remove(name);
    }
    // An empty cache. rustup finds its toolchains by itself, unless it lay in the old home.
    command.env("CARGO_HOME", home).env("CARGO_TARGET_DIR", folder.join("target"));
    // If anybody tried the network, it would fail.
    command.env("CARGO_NET_OFFLINE", "true");
    command.current_dir(folder).args(arguments);
    command
}

#[track_caller]
fn succeed(finished: &Finished, what: &str) {
    assert_eq!(finished.code, Some(0), "{what}: {finished:?}");
}

#[test]
#[ignore = "slow: cargo test --test pack -- --include-ignored"]
fn the_packed_archive_builds_runs_and_tests_without_a_network() {
    if Command::new("tar").arg("--version").stdin(Stdio::null()).output().is_err() {
        return skip("no tar; to get it: apt install tar, dnf install tar");
    }
    let work = tempfile::tempdir().expect("a temporary folder");
    let archive = work.path().join("kit.tar.gz");
    let packed = run(program("pack").current_dir(root()).arg("--out").arg(&archive), MINUTES);
    if packed.stderr.contains("the first time this needs a network") {
        return skip(
            "the packages of all systems are not on this disk, and can't be had; to get them: cargo fetch",
        );
    }
    succeed(&packed, "cargo xtask pack");

    let unpacked =
        run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(work.path()), MINUTES);
    succeed(&unpacked, "tar -xzf");
    let folder = &work.path().join("from-one-thread-to-tokio");
    let home = &work.path().join("home");
    fs::create_dir(home).expect("a folder for cargo");

    let start = fs::read_to_string(folder.join("START-HERE.txt")).expect("it says how to begin");
    assert!(start.contains("cargo xtask doctor"), "{start}");
    for page in ["index.html", "ch01-single-threaded.html", "print.html"] {
        let page = folder.join("the-book").join(page);
        let text = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{page:?}: {error}"));
        assert!(text.contains("</html>"), "{page:?}");
    }
    assert!(!folder.join(".git").exists() && !folder.join("target").exists());

    take_a_file_back(work.path(), &archive, folder);
    make_a_project(folder, home);

    // Builds and tests. Two packages, since all of them would take minutes and come from the same folder.
    let test = ["test", "--locked", "-p", "site"];
    let tested = run(&mut cargo(folder, home, &test), MINUTES);
    succeed(&tested, "cargo test -p site");
    assert!(tested.stdout.contains("test result: ok"), "{tested:?}");

    // An exercise in its starting state: it builds, and its check says what it expected.
    let exercise =
        run(&mut cargo(folder, home, &["test", "--locked", "-p", "ex_answer_404"]), MINUTES);
    assert_ne!(exercise.code, Some(0), "the starting state fails: {exercise:?}");
    assert!(exercise.stdout.contains("expected"), "{exercise:?}");

    // Runs, with the heaviest packages that a rung has.
    let build = ["build", "--locked", "--example", "ch06_tokio"];
    succeed(&run(&mut cargo(folder, home, &build), MINUTES), "cargo build --example ch06_tokio");
    let answer = ask_a_running_example(folder, home, "ch06_tokio");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(!home.join("registry").join("cache").exists(), "a package came from elsewhere");
}

/// As the page on reading says it: there is no git in the folder.
fn take_a_file_back(work: &Path, archive: &Path, folder: &Path) {
    let file = folder.join("examples/ch01/ch01_single_threaded/main.rs");
    let before = fs::read(&file).expect("the server is there");
    fs::write(&file, "fn main() {}").expect("it can be changed");
    let changed = modified(&file);
    let mut tar = Command::new("tar");
    tar.arg("-xzmf").arg(archive).current_dir(work);
    let member = "from-one-thread-to-tokio/examples/ch01/ch01_single_threaded/main.rs";
    succeed(&run(tar.arg(member), MINUTES), "tar -xzmf");
    assert_eq!(fs::read(&file).expect("the server is there"), before);
    assert!(modified(&file) >= changed, "cargo would not compile it again");
}

fn modified(file: &Path) -> SystemTime {
    fs::metadata(file).and_then(|it| it.modified()).expect("the system dates its files")
}

/// A project from an empty file, as the page on the workshop says it: once with the packages of the servers,
/// and once for each of the finished texts.
fn make_a_project(folder: &Path, home: &Path) {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("the workspace");
    succeed(&run(&mut cargo(folder, home, &["new", "examples/live/tasks"]), MINUTES), "cargo new");
    assert_eq!(fs::read_to_string(folder.join("Cargo.toml")).expect("the workspace"), manifest);
    let project = folder.join("examples/live/tasks");
    for package in [&["async-std"][..], &["tokio", "--features", "full"]] {
        let add = run(cargo(&project, home, &["add"]).args(package), MINUTES);
        succeed(&add, "cargo add");
    }
    succeed(&run(&mut cargo(&project, home, &["fetch"]), MINUTES), "cargo fetch");
    for (text, finished) in [("wrong", "examples/live/wrong.rs"), ("task", "examples/ch04/first_task/main.rs")] {
        let name = format!("examples/live/try_{text}");
        succeed(&run(&mut cargo(folder, home, &["new", &name]), MINUTES), "cargo new");
        let project = folder.join(&name);
        fs::copy(folder.join(finished), project.join("src/main.rs"))
            .expect("the finished text is there");
        let built = run(&mut cargo(&project, home, &["build"]), MINUTES);
        succeed(&built, text);
        assert!(!built.stderr.contains("warning"), "{built:?}");
    }
    let ran = run(&mut cargo(&folder.join("examples/live/try_task"), home, &["run"]), MINUTES);
    assert!(ran.stdout.starts_with("100 ms are over, after "), "{ran:?}");
}

/// Lets `cargo run` start it, asks for `/`, and ends it.
fn ask_a_running_example(folder: &Path, home: &Path, name: &str) -> String {
    let mut server =
        cargo(folder, home, &["run", "--quiet", "--example", name, "--", "--port", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("cargo starts");
    let mut line = String::new();
    let stdout = server.stdout.take().expect("it is piped");
    let read = BufReader::new(stdout).read_line(&mut line);
    let ask = || -> std::io::Result<String> {
        read?;
        let address = Regex::new(r"http://([0-9.:]+)/").expect("a correct expression");
        let address = address.captures(&line).ok_or_else(|| std::io::Error::other(line.clone()))?;
        let mut stream = TcpStream::connect(&address[1])?;
        stream.set_read_timeout(Some(DEADLINE))?;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = ask();
    server.kill().expect("it still runs");
    server.wait().expect("it ends");
    answer.unwrap_or_else(|error| panic!("{name}: {error}"))
}
