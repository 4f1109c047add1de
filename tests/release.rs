//! `tools/release.sh`: its archive is prepared for a lesson without a network, brings the book, and survives being handed on;
//! and the script says what it lacks before it works.
#![cfg(unix)]

use std::{
    collections::BTreeSet,
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use ladder_tests::{DEADLINE, Finished, chromium, have, none, root, run, skip};
use records::workshop::lessons::{Needs, needs_of};
use regex::Regex;
use walkdir::WalkDir;

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

    let class = put_into_git(&folder, work.path());
    assert_same_files(&folder, &class);
    let check = ["check", "--locked", "--quiet", "--example", "ch01_small"];
    succeed(&run(&mut cargo(&class, &home, &check), MINUTES));

    let prepared = run(&mut cargo(&folder, &home, &["xtask", "prepare", LESSON]), MINUTES);
    succeed(&prepared);
    let ready = format!("This machine is ready for {LESSON}.");
    assert!(
        prepared.stdout.lines().last().is_some_and(|line| line.starts_with(&ready)),
        "{prepared:?}"
    );
    none(compiled_in_the_lesson(&folder, &home));
    // With the heaviest packages that a rung has.
    let answer = ask_a_running_example(&folder, &home, "ch06_tokio");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(!home.join("registry/cache").exists(), "a package came from elsewhere");
}

/// The lesson for which the archive is prepared.
const LESSON: &str = "half-day";

/// Does what is typed in the lesson, on a machine that was prepared for it; the packages of others that are compiled then.
fn compiled_in_the_lesson(folder: &Path, home: &Path) -> Vec<String> {
    let Needs { examples, exercises, .. } =
        needs_of(folder, LESSON).expect("it is a lesson of the book");
    assert!(examples.len() > 2 && exercises.len() > 2, "{examples:?} {exercises:?}");
    let mut compiled = Vec::new();
    for name in &examples {
        compiled.extend(compiled_by(&mut cargo(folder, home, &["build", "--example", name])));
    }
    let learn = ["build", "--package", "learn", "--bin", "learn"];
    compiled.extend(compiled_by(&mut cargo(folder, home, &learn)));
    for name in &exercises {
        let exercise = folder.join("exercises");
        let mine = exercise.join("mine").join(name).with_extension("rs");
        fs::copy(exercise.join(name).join("start.rs"), mine).expect("the learner begins");
        let package = format!("ex_{name}");
        let check = ["test", "--no-run", "--test", "check", "--package", &package];
        compiled.extend(compiled_by(&mut cargo(folder, home, &check)));
    }
    compiled
}

/// The packages of others that this call of cargo compiles.
fn compiled_by(typed: &mut Command) -> Vec<String> {
    let done = run(typed.args(["--message-format", "json"]), MINUTES);
    succeed(&done);
    let built = done.stdout.lines().filter(|line| {
        line.contains("compiler-artifact")
            && line.contains("registry+")
            && line.contains("\"fresh\":false")
    });
    built.map(|line| format!("{typed:?}: {line}")).collect()
}

/// What a class may ignore everywhere: cargo wants all of it.
const IGNORED: &str =
    "target/\nvendor/\nbuild/\nbin/\nlib/\ndebug\n.*\n*.orig\n*.log\n*.lib\n*.a\n*.o\nCargo.lock\n";

/// Puts the folder into a git repository, by somebody whose git changes line ends and ignores much, and clones that. Where
/// the clone is.
fn put_into_git(folder: &Path, work: &Path) -> PathBuf {
    let ignored = work.join("ignored");
    fs::write(&ignored, IGNORED).expect("it can be written");
    let settings = work.join("gitconfig");
    let said = format!(
        "[user]\nname = t\nemail = t@localhost\n[core]\nautocrlf = true\nexcludesFile = {}\n",
        ignored.display()
    );
    fs::write(&settings, said).expect("it can be written");
    let git = |place: &Path, arguments: &[&str]| {
        let mut git = Command::new("git");
        git.env("GIT_CONFIG_GLOBAL", &settings).env("GIT_CONFIG_NOSYSTEM", "1");
        succeed(&run(git.current_dir(place).args(arguments), MINUTES));
    };
    git(folder, &["init", "--quiet"]);
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "one"]);
    git(work, &["clone", "--quiet", NAME, "class"]);
    work.join("class")
}

/// Asserts that two folders hold the same files, but for git's own.
#[track_caller]
fn assert_same_files(one: &Path, other: &Path) {
    let files = |folder: &Path| -> BTreeSet<PathBuf> {
        let entries = WalkDir::new(folder).into_iter().filter_entry(|it| it.file_name() != ".git");
        let entries = entries.map(|entry| entry.expect("it can be read"));
        let files = entries.filter(|entry| entry.file_type().is_file());
        files
            .map(|file| file.path().strip_prefix(folder).expect("it is below").to_owned())
            .collect()
    };
    let names = files(one);
    assert!(names.len() > 10_000, "{} files", names.len());
    let lost: Vec<_> = names.symmetric_difference(&files(other)).cloned().collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    let read = |folder: &Path, name: &Path| fs::read(folder.join(name)).expect("it can be read");
    let changed: Vec<_> =
        names.iter().filter(|name| read(one, name) != read(other, name)).collect();
    assert!(changed.is_empty(), "changed: {changed:?}");
}

/// A copy of the script and of nothing else, and what comes of it with these words.
#[track_caller]
fn refused(prepare: impl FnOnce(&Path), words: &[&str], because: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tools = folder.path().join("tools");
    fs::create_dir(&tools).expect("a folder can be made");
    let script = tools.join("release.sh");
    fs::copy(root().join("tools/release.sh"), &script).expect("it can be copied");
    prepare(folder.path());
    // Were it to work before it looks, there would be no xtask to build the book.
    let finished = run(Command::new(script).args(words).current_dir(folder.path()), DEADLINE);
    assert_eq!(finished.code, Some(1), "{words:?}: {finished:?}");
    assert!(finished.stderr.starts_with("error: "), "{words:?}: {finished:?}");
    assert!(finished.stderr.contains(because), "{words:?}: {finished:?}");
    assert!(!folder.path().join("out").exists(), "{words:?} left a folder");
}

#[test]
fn the_script_says_what_it_lacks_before_it_works() {
    if !have("git") {
        return;
    }
    let git = |folder: &Path, arguments: &[&str]| {
        succeed(&run(Command::new("git").current_dir(folder).args(arguments), DEADLINE));
    };
    refused(|_| {}, &["out", "archive"], "not a git repository");
    refused(|_| {}, &["archive"], "made in a git clone");
    refused(|folder| git(folder, &["init", "--quiet"]), &["archive"], "there is none yet");
    let unpacked = |folder: &Path| fs::write(folder.join("START-HERE.txt"), "").expect("written");
    refused(unpacked, &["out", "archive"], "is an unpacked archive");
    refused(|_| {}, &["out", "zip"], "there is no zip to make");
}

/// As pandoc reads it back.
#[test]
#[ignore = "slow"]
fn the_pictures_of_the_epub_have_words_and_its_links_lead_somewhere() {
    if chromium().is_none() {
        skip("no Chromium, which draws the pictures");
        return;
    }
    if !have("pandoc") {
        return;
    }
    let work = tempfile::tempdir().expect("a temporary folder");
    let script = root().join("tools/release.sh");
    succeed(&run(Command::new(script).arg(work.path()).arg("epub"), MINUTES));
    let mut pandoc = Command::new("pandoc");
    pandoc.args(["--from=epub", "--to=html"]).arg(work.path().join(format!("{NAME}.epub")));
    let finished = run(&mut pandoc, MINUTES);
    succeed(&finished);
    let text = &finished.stdout;
    let find = |pattern: &str| -> Vec<&str> {
        let pattern = Regex::new(pattern).expect("a correct expression");
        pattern.captures_iter(text).map(|found| found.extract::<1>().1[0]).collect()
    };
    let pictures = find("(<img\\s[^>]*>)");
    let dumb: Vec<_> =
        pictures.iter().filter(|it| !it.contains("alt=\"") || it.contains("alt=\"\"")).collect();
    assert!(pictures.len() > 50, "{} pictures", pictures.len());
    assert!(dumb.is_empty(), "without words: {dumb:?}");
    let places: BTreeSet<&str> = find("\\bid=\"([^\"]+)\"").into_iter().collect();
    let dead = |link: &&str| match link.strip_prefix('#') {
        Some(place) => !places.contains(place),
        None => !link.contains(':'),
    };
    // Pandoc's own, in the list of the book's parts for a reading machine.
    let own = ["text/title_page.xhtml", "#nav.xhtml#toc"];
    let links = find("href=\"([^\"]+)\"");
    let dead: BTreeSet<_> =
        links.iter().copied().filter(dead).filter(|it| !own.contains(it)).collect();
    assert!(links.len() > 1000, "{} links", links.len());
    assert!(dead.is_empty(), "dead: {dead:?}");
}

/// A browser that sees no file and says so, as one does that was installed as a snap and has a `/tmp` of its own.
#[test]
#[ignore = "slow"]
fn a_browser_that_makes_nothing_is_heard() {
    let work = tempfile::tempdir().expect("a temporary folder");
    let browser = work.path().join("browser");
    fs::write(&browser, "#!/bin/sh\necho 'cannot see that file' >&2\n").expect("it can be written");
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut script = Command::new(root().join("tools/release.sh"));
    let finished = run(script.arg(work.path()).arg("pdf").env("CHROMIUM", &browser), MINUTES);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    for words in ["cannot see that file", "error: ", "made nothing of the book"] {
        assert!(finished.stderr.contains(words), "{words}: {finished:?}");
    }
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
