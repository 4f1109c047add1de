//! A rung as a program: its command line, what it prints, and how it ends.

use std::{env, fs, io, net::TcpListener, process::ExitCode, time::Duration};

use ladder_tests::{
    Client, DEADLINE, Failure, On, Plain, RUNGS, Rung, Trials, WRONG_SERVERS, alone, cases,
    example, run, run_to_end, tests, tool,
};
use records::servers::FOREIGN;

/// How long cargo may take for a few lines, on a machine that others use.
const COMPILE: Duration = Duration::from_secs(240);

#[cfg(unix)]
mod process {
    pub mod signals;
}

fn main() -> ExitCode {
    let mut trials = Trials::of_all_servers();
    trials.add(On::Every, Plain::Ladder, tests![prints_one_line_and_nothing_per_request]);
    trials.add(
        On::Every,
        Plain::Three,
        tests![says_that_its_port_is_taken, refuses_bad_flags, explains_itself],
    );
    trials.alone(alone![
        the_file_is_that_of_the_repository_in_which_the_program_lies_or_is_started,
        no_server_minds_that_nobody_listens,
        the_tool_lists_the_servers_and_names_them_where_one_is_unknown,
        #[cfg(unix)]
        the_tool_becomes_the_server_that_it_runs,
        the_tool_shows_how_cargo_builds_the_program_that_it_becomes
    ]);
    #[cfg(unix)]
    process::signals::list(&mut trials);
    trials.run()
}

fn prints_one_line_and_nothing_per_request(rung: Rung) -> Result<(), Failure> {
    for flags in [&[][..], &["--keep-alive"]] {
        let mut server = rung.launch_with_threads(3).args(flags).start();
        let address = server.address;
        let id = server.id();
        let line = server.line.clone();
        let start = format!("{}: listening on http://{address}/ with ", rung.name);
        let end = format!(", process id {id}");
        let threads = line.strip_prefix(&start).and_then(|rest| rest.strip_suffix(&end));
        let threads = threads.unwrap_or_else(|| panic!("{line:?} is not {start:?} ... {end:?}"));
        assert!(!threads.is_empty(), "{line:?} says nothing about threads");
        if rung.threads.is_some() {
            assert!(threads.contains('3'), "{line:?} does not say that there are 3 threads");
        }
        assert!(address.ip().is_loopback(), "{address} is not this machine alone");

        for target in ["/", "/sleep?ms=1", "/tenth", "/file", "/work", "/nowhere", "/sleep?ms=x"] {
            cases::ask(&server, target)?;
        }
        let mut bad = Client::connect(&server)?;
        bad.send("garbage\r\n\r\n")?;
        let response = bad.response()?;
        response.ensure(response.status == 400, "a 400")?;
        Client::connect(&server)?.reset();
        cases::still_answers(&server)?;
        assert!(server.is_running());
        let (stdout, stderr) = server.kill();
        assert_eq!(stdout, line + "\n", "one line and nothing else on standard output");
        assert_eq!(stderr, "", "nothing on standard error");
    }
    Ok(())
}

fn says_that_its_port_is_taken(rung: Rung) -> Result<(), Failure> {
    let holder = TcpListener::bind("127.0.0.1:0").expect("some port is free");
    let port = holder.local_addr().expect("it is bound").port().to_string();
    let finished = run_to_end(rung, &["--port", &port]);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert_eq!(finished.stdout, "", "{finished:?}");
    assert_eq!(finished.stderr.lines().count(), 1, "one line: {finished:?}");
    for words in [rung.name, &port, "--port"] {
        assert!(finished.stderr.contains(words), "{words:?} in {finished:?}");
    }
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
    Ok(())
}

fn refuses_bad_flags(rung: Rung) -> Result<(), Failure> {
    let mut cases: Vec<(&[&str], &str)> = vec![
        (&["--port", "70000"], "--port"),
        (&["--port", "-1"], "--port"),
        (&["--port", "x"], "--port"),
        (&["--port", ""], "--port"),
        (&["--port"], "--port"),
        (&["--port", "0", "--nonsense"], "--nonsense"),
        (&["--port", "0", "--keep-alive=yes"], "--keep-alive"),
        (&["--port", "0", "stray"], "stray"),
        (&["-x"], "-x"),
        // Where there is no pool the flag itself is the mistake; where there is one, the number.
        (&["--port", "0", "--threads", "0"], "--threads"),
        (&["--port", "0", "--threads", "many"], "--threads"),
    ];
    if rung.threads.is_none() {
        cases.push((&["--port", "0", "--threads", "4"], "--threads"));
    }
    for (args, words) in cases {
        let finished = run_to_end(rung, args);
        assert_eq!(finished.code, Some(2), "{args:?}: {finished:?}");
        assert_eq!(finished.stdout, "", "{args:?}: {finished:?}");
        assert_eq!(finished.stderr.lines().count(), 1, "one line for {args:?}: {finished:?}");
        for words in [rung.name, words, "--help"] {
            assert!(finished.stderr.contains(words), "{words:?} for {args:?} in {finished:?}");
        }
    }
    Ok(())
}

/// A repository may be moved after its build, or be one of two: cargo builds nothing anew for that.
fn the_file_is_that_of_the_repository_in_which_the_program_lies_or_is_started() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let rung = Rung::named("ch01_single_threaded");
    let program = format!("copy{}", env::consts::EXE_SUFFIX);
    let served = |repository: &str, start: &str| {
        let copy = folder.path().join(repository).join("target/debug/examples").join(&program);
        let server = rung.launch().copied(&copy, &folder.path().join(start)).start();
        let response = cases::ask(&server, "/file").unwrap();
        (response.status, response.text().to_owned(), server.kill().1)
    };
    for name in ["one", "two"] {
        let site = folder.path().join(name).join("examples/site");
        let target = folder.path().join(name).join("target/debug/examples");
        fs::create_dir_all(&site).expect("a folder can be made");
        fs::create_dir_all(&target).expect("a folder can be made");
        fs::write(site.join("hello.html"), name).expect("a file can be written");
        fs::copy(rung.launch().program(), target.join(&program)).expect("it is built");
    }
    let ok = |text: &str| (200, text.to_owned(), String::new());
    assert_eq!(served("one", "two"), ok("one"));
    // Moved away, and nothing left that it could have been compiled from.
    let moved = folder.path().join("moved");
    fs::rename(folder.path().join("one"), &moved).expect("a folder can be moved");
    assert_eq!(served("moved", "."), ok("one"));
    // A target folder that lies outside: then the current folder counts.
    fs::remove_dir_all(moved.join("examples")).expect("a folder can be removed");
    assert_eq!(served("moved", "two/examples"), ok("two"));
    let (status, _, said) = served("moved", ".");
    assert_eq!((status, said.lines().count()), (500, 1), "{said}");
    assert!(said.contains("examples/site/hello.html"), "{said}");
}

fn explains_itself(rung: Rung) -> Result<(), Failure> {
    for flag in ["--help", "-h"] {
        let finished = run_to_end(rung, &[flag]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert_eq!(finished.stderr, "", "{finished:?}");
        for words in [rung.name, "--port", "--keep-alive", "8080"] {
            assert!(finished.stdout.contains(words), "{words:?} in {finished:?}");
        }
        let threads = finished.stdout.contains("--threads");
        assert_eq!(threads, rung.threads.is_some(), "--threads in {finished:?}");
    }
    if let Some(threads) = rung.threads {
        let line = rung.start(&[]).line.clone();
        let words = format!(" with {threads} ");
        assert!(line.contains(&words), "{line:?} does not say that there are {threads} threads");
    }
    Ok(())
}

/// Whatever a server has to say, it ends as it should where both its pipes are closed: `println!` and
/// `eprintln!` would panic there, and the exit status would be 101.
fn no_server_minds_that_nobody_listens() {
    for name in RUNGS.iter().chain([&*WRONG_SERVERS]).map(|rung| rung.name) {
        for (flag, code) in [("--nonsense", 2), ("--help", 0)] {
            let unheard = || {
                let (reader, writer) = io::pipe().expect("the system has a pipe left");
                drop(reader);
                writer
            };
            let status = example(name).arg(flag).stdout(unheard()).stderr(unheard()).status();
            assert_eq!(status.expect("it starts").code(), Some(code), "{name} {flag}");
        }
    }
}

fn the_tool_lists_the_servers_and_names_them_where_one_is_unknown() {
    let listed = run(tool().arg("servers"), DEADLINE);
    let names = listed.stdout.lines().filter_map(|line| line.split(' ').next());
    let foreign = FOREIGN.iter().map(|server| server.name.as_str());
    let all: Vec<&str> = records::servers::NAMES.iter().copied().chain(foreign).collect();
    assert_eq!(names.collect::<Vec<_>>(), all, "{listed:?}");
    let unknown = run(tool().args(["run", "ch03"]), DEADLINE);
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    for words in ["no server `ch03`", "ch03_threadpool", "go_http"] {
        assert!(unknown.stderr.contains(words), "{words:?} in {unknown:?}");
    }
}

/// `cargo xtask run` is the server from its first line on: the same process, so that signals reach it.
#[cfg(unix)]
fn the_tool_becomes_the_server_that_it_runs() {
    use std::{
        io::{BufRead, BufReader},
        process::Stdio,
    };

    let mut command = tool();
    command.args(["run", "ch03_threadpool", "--", "--port", "0", "--threads", "3"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the tool starts");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    stdout.read_line(&mut line).expect("it is text");
    assert!(line.contains("with 3 worker threads"), "{line:?}");
    assert!(line.ends_with(&format!("process id {}\n", child.id())), "{line:?} {}", child.id());
    ladder_tests::send_signal(child.id(), ladder_tests::Signal::Terminate).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));

    let wrong = run(tool().args(["run", "ch03_threadpool", "--", "--nonsense"]), DEADLINE);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

/// What measures, records and teaches is compiled by whoever asks for it: in a repository of packages with those names.
/// What cargo does is seen as long as it does something, and stays out of what a program prints for others.
fn the_tool_shows_how_cargo_builds_the_program_that_it_becomes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |file: &str, text: &str| {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let programs =
        [("measure", "bench"), ("measure", "observe"), ("learn", "learn"), ("judge", "judge")];
    let prints = "fn main() {\n    let words: Vec<String> = std::env::args().skip(1).collect();\n    \
                  println!(\"{}\", words.join(\" \"));\n    std::process::exit(3);\n}\n";
    write("book.toml", "");
    write(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"measure\", \"learn\", \"judge\"]\n",
    );
    for (package, name) in programs {
        let manifest = format!("[package]\nname = \"{package}\"\nedition = \"2024\"\n");
        write(&format!("{package}/Cargo.toml"), &manifest);
        write(&format!("{package}/src/bin/{name}.rs"), prints);
    }
    let call = |name: &str| {
        let mut command = tool();
        command.current_dir(folder.path()).env("CARGO_TARGET_DIR", folder.path().join("target"));
        let said = run(command.args([name, "--json", "one"]), COMPILE);
        assert_eq!((said.code, &*said.stdout), (Some(3), "--json one\n"), "{name}: {said:?}");
        said.stderr
    };
    for (package, name) in programs {
        let compiling = format!("Compiling {package} ");
        let first = call(name);
        assert!(first.contains(&compiling), "{name}: {first}");
        let again = call(name);
        // Another cargo on this machine may hold a lock for a moment, and this one then says that it waits.
        let lines = again.lines().filter(|line| !line.contains("Blocking waiting"));
        assert_eq!(lines.count(), 1, "{name}: {again}");
    }
    // After an update.
    write("learn/src/bin/learn.rs", &format!("// New.\n{prints}"));
    let updated = call("learn");
    assert!(updated.contains("Compiling learn "), "{updated}");

    write("judge/src/bin/judge.rs", "fn main() { wrong }\n");
    let mut command = tool();
    command.current_dir(folder.path()).env("CARGO_TARGET_DIR", folder.path().join("target"));
    let wrong = run(command.arg("judge"), COMPILE);
    assert_eq!((wrong.code, &*wrong.stdout), (Some(101), ""), "{wrong:?}");
    assert!(wrong.stderr.contains("cannot find value `wrong`"), "{wrong:?}");
}
