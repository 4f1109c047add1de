//! `tools/release.sh`: its archive builds and runs a server without a network, and brings the book.
#![cfg(unix)]

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use ladder_tests::{DEADLINE, Finished, have, root, run};

/// How long a step may take on a busy machine.
const MINUTES: Duration = Duration::from_secs(15 * 60);

const NAME: &str = "from-one-thread-to-tokio";

/// Cargo in the unpacked folder, which knows no registry but what lies there.
fn cargo(folder: &Path, home: &Path, arguments: &[&str]) -> Command {
    // Not the path of the cargo that runs this test: the learner types `cargo`.
    let mut command = Command::new("cargo");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO"))
    {
        command.env_remove(name);
    }
    // An empty cache, and if anybody tried the network, it would fail.
    command.env("CARGO_HOME", home).env("CARGO_TARGET_DIR", folder.join("target"));
    command.env("CARGO_NET_OFFLINE", "true").current_dir(folder).args(arguments);
    command
}

#[track_caller]
fn succeed(finished: &Finished) {
    assert_eq!(finished.code, Some(0), "{finished:?}");
}

#[test]
#[ignore = "slow"]
fn the_archive_builds_and_runs_without_a_network() {
    if !have("git") {
        return;
    }
    let work = tempfile::tempdir().expect("a temporary folder");
    let script = root().join("tools/release.sh");
    succeed(&run(Command::new(script).arg(work.path()).arg("archive"), MINUTES));
    let archive = work.path().join(format!("{NAME}.tar.gz"));
    let unpack = |member: &str| {
        let mut tar = Command::new("tar");
        tar.arg("-xzmf").arg(&archive).arg(member).current_dir(work.path());
        succeed(&run(&mut tar, MINUTES));
    };
    unpack(NAME);
    let folder = work.path().join(NAME);
    let home = work.path().join("home");
    fs::create_dir(&home).expect("a folder for cargo");
    for page in ["index.html", "print.html"] {
        let text = fs::read_to_string(folder.join("the-book").join(page)).expect("it is there");
        assert!(text.contains("</html>"), "{page}");
    }
    // As the page on reading says it: there is no git in the folder.
    let changed = "examples/ch01/ch01_single_threaded/main.rs";
    fs::write(folder.join(changed), "broken").expect("it can be written");
    unpack(&format!("{NAME}/{changed}"));
    let original = fs::read(root().join(changed)).expect("it is there");
    assert_eq!(fs::read(folder.join(changed)).expect("it is back"), original);

    // With the heaviest packages that a rung has.
    let build = ["build", "--locked", "--example", "ch06_tokio"];
    succeed(&run(&mut cargo(&folder, &home, &build), MINUTES));
    let answer = ask_a_running_example(&folder, &home, "ch06_tokio");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(!home.join("registry/cache").exists(), "a package came from elsewhere");
}

/// Lets `cargo run` start it, asks for `/`, and ends it.
fn ask_a_running_example(folder: &Path, home: &Path, name: &str) -> String {
    let run = ["run", "--quiet", "--example", name, "--", "--port", "0"];
    let mut server = cargo(folder, home, &run)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("cargo starts");
    let mut line = String::new();
    let stdout = server.stdout.take().expect("it is piped");
    let read = BufReader::new(stdout).read_line(&mut line);
    let ask = || -> std::io::Result<String> {
        read?;
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let mut stream = TcpStream::connect(address.unwrap_or_default())?;
        stream.set_read_timeout(Some(DEADLINE))?;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = ask();
    server.kill().expect("it still runs");
    server.wait().expect("it ends");
    answer.unwrap_or_else(|error| panic!("{name}: {error}: {line}"))
}
