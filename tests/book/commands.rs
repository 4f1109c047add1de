//! Every command on the pages: known to this test, possible, and with the output that the page shows.

use std::{
    collections::BTreeSet,
    net::{Ipv4Addr, TcpListener},
    process,
    sync::LazyLock,
    thread,
};

use ladder_tests::{
    AXUM_SERVICE, DEADLINE, EMBLEMS, EXPERIMENTS, Launch, RUNGS, Rung, Server, WRONG_SERVERS,
    example, have, is_here, none, program, run, tool,
};
use records::servers::{FOREIGN, Kind};
use regex::Regex;

use super::{
    console::{Command, commands},
    named::{check_exercise, check_file, check_package, check_project, check_test},
    page::{Page, chapters, pages},
    repository::{files_below, is_built_apart, is_example, read, root, short},
};

/// Programs that only look, at the reader's machine or at a server, and whose output differs from one to the next.
const LOOKERS: [&str; 15] = [
    "cat",
    "free",
    "gdb",
    "grep",
    "kill",
    "ls",
    "lscpu",
    "nproc",
    "ps",
    "rustc",
    "ss",
    "sysctl",
    "tokio-console",
    "top",
    "ulimit",
];

/// The load generator, an example that asks the server above it.
const LOAD: &str = "load";

/// The client that tries to break the server above it.
const BREAK_IT: &str = "break_it";

/// Clients that say what they have seen of the server above them.
const CLIENTS: [&str; 7] = [
    "both_ways",
    "both_ways_threads",
    "http_client",
    "second_answer",
    "sends_first",
    "six_seconds",
    "stops_reading",
];

/// The servers that pass what they are asked on to the server above them.
const RELAYS: [&str; 3] = ["relay", "pooling_relay", "pooling_relay_looks"];

/// What `tools/release.sh` writes.
const ARCHIVE: &str = "from-one-thread-to-tokio.tar.gz";

/// What only Linux has, to type as it stands there; and what is on other systems too, or has no counterpart there.
pub static LINUX: LazyLock<[(Regex, &[&str]); 2]> = LazyLock::new(|| {
    let typed =
        |what: &str| Regex::new(&format!("(?m)(^\\$ |^|`)({what})")).expect("it is a pattern");
    [
        (
            typed(
                r"ps -[LTC]|ps -o nlwp|watch -n|ss -|lscpu\b|nproc\b|gdb -|(cat|ls|ls -l) /proc/PID",
            ),
            &["macOS"],
        ),
        (typed(r"taskset -|strace -|grep \w+ /proc/"), &["macOS", "Linux"]),
    ]
});

/// So many lines before and after a command may say what it is elsewhere.
const BESIDE: usize = 12;

/// Pages on which nothing is typed.
const NOT_TYPED: [&str; 1] = ["changes"];

/// The pages of the book, and the README.
fn all_pages() -> Vec<Page> {
    let mut all = pages();
    all.push(Page::read(&root().join("README.md")));
    all
}

#[test]
fn every_command_is_known() {
    let mut complaints = Vec::new();
    for page in all_pages() {
        for command in commands(&page) {
            if let Err(complaint) = check(&command) {
                complaints.push(format!(
                    "{}: {complaint}: {}",
                    command.at,
                    command.words.join(" ")
                ));
            }
        }
    }
    none(complaints);
}

/// Whoever has another system reads on the spot what to type there, or that only Linux has it.
#[test]
fn what_only_linux_knows_says_what_to_type_elsewhere() {
    let exercises = files_below(&root().join("exercises"));
    let exercises = exercises.iter().filter(|path| path.ends_with("README.md"));
    let exercises = exercises.map(|path| Page::read(path));
    let is_typed = |page: &Page| !NOT_TYPED.contains(&page.stem.as_str());
    let mut complaints = Vec::new();
    for page in pages().into_iter().chain(exercises).filter(is_typed) {
        let lines: Vec<&str> = page.text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let beside =
                lines[index.saturating_sub(BESIDE)..lines.len().min(index + BESIDE + 1)].concat();
            for (command, systems) in &*LINUX {
                if command.is_match(line) && !systems.iter().any(|system| beside.contains(system)) {
                    complaints.push(format!("{}:{}: {line}", short(&page.path), index + 1));
                }
            }
        }
    }
    none(complaints);
}

/// Complains unless this is a command that a reader can type.
pub fn check(command: &Command) -> Result<(), String> {
    let words = command.rest(0);
    let looks = LOOKERS.contains(&words[0]);
    if !looks && words.iter().any(|word| ["|", "&", "&&", ";", ">"].contains(word)) {
        return Err("no test runs several commands of a line".to_owned());
    }
    match words[..] {
        ["cargo", "run", ..] | ["cargo", "xtask", "run", ..] if command.example().is_some() => {
            check_example(command)
        }
        ["cargo", "run", "-p" | "--package", package] => check_exercise(package),
        ["cargo", "xtask", ..] => check_tool(&words[2..]),
        ["cargo", "test", ..] => check_test(&words[2..]),
        ["cargo", "tree", "-p" | "--package", package, ..] => check_package(package),
        ["cargo", "build" | "doc" | "install", ..] | ["git", "clone", ..] | ["cd", _] => Ok(()),
        ["cargo", "new", project] => check_project(project),
        ["git", "restore", file] => check_file(file),
        // What this does in an archive, tests/release.rs tries.
        ["tar", "-xzmf", ARCHIVE, member] => {
            let folder = ARCHIVE.trim_end_matches(".tar.gz");
            let file = member.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            check_file(file.unwrap_or_default())
        }
        ["tools/release.sh", _folder, "archive"] => check_file(words[0]),
        ["curl", ..] if fetches_a_listing(command) => Ok(()),
        ["curl", ..] => check_url(command, "curl"),
        ["wrk" | "ab", ..] if !command.output.is_empty() => {
            Err("the output of a measurement comes from measurements/results".to_owned())
        }
        ["wrk" | "ab", ..] => check_url(command, words[0]),
        _ if looks => Ok(()),
        _ => Err("a command of no known kind".to_owned()),
    }
}

/// The server of this name: a rung, a step to it, a stop of the reader's own service, the wrong servers, or one outside the
/// ladder, or the service on axum. The other examples are none.
fn server_named(name: &str) -> Option<Rung> {
    let rungs = RUNGS.iter().chain(EMBLEMS.iter()).copied().chain([*WRONG_SERVERS, *AXUM_SERVICE]);
    let steps = records::servers::SERVERS.iter().flat_map(|server| &server.steps);
    let foreign = FOREIGN.iter().map(|server| Rung::named(&server.name));
    let mut all = rungs.chain(steps.filter_map(|step| Rung::step(step))).chain(foreign);
    all.find(|rung| rung.name == name)
}

/// The server on a framework whose tutorial is the example of this name.
fn with_tutorial(name: &str) -> Option<&'static records::servers::Server> {
    let mut servers = FOREIGN.iter().filter(|server| server.kind == Kind::Framework);
    servers.find(|server| server.tutorial.as_deref() == Some(name))
}

/// How the server or the tutorial of this name is started; `None` for an example that is neither.
fn launch(name: &str) -> Option<Launch> {
    match with_tutorial(name) {
        Some(server) => Some(Launch::tutorial_of(Rung::named(&server.name))),
        None => server_named(name).map(Rung::launch),
    }
}

fn check_example(command: &Command) -> Result<(), String> {
    let (name, flags) = command.example().expect("the caller has looked");
    if name == LOAD {
        return check_load(command, &flags);
    }
    let rung = server_named(name);
    if rung.is_none() && with_tutorial(name).is_none() && !is_example(name) {
        return Err(format!("there is no example {name}"));
    }
    let Some(rung) = rung else { return Ok(()) };
    // Flags that a page shows because they are refused are tried when the page is run.
    if !command.output.is_empty() && !command.output.contains("listening on") {
        return Ok(());
    }
    let mut flags = flags.into_iter();
    while let Some(flag) = flags.next() {
        match flag {
            "--panic-route" if rung == *WRONG_SERVERS => {
                return Err(format!("{name} takes no {flag}"));
            }
            "--keep-alive" | "--panic-route" | "--help" => {}
            "--log" if ["actix_site", "go_http"].contains(&name) => {}
            "--threads" if rung.threads.is_none() => {
                return Err(format!("{name} takes no --threads"));
            }
            "--port" | "--threads" => {
                let value = flags.next().unwrap_or_default();
                value.parse::<u16>().map_err(|error| format!("{flag} {value}: {error}"))?;
            }
            "--connections" | "--sleeping" | "--reading" | "--computing" | "--queue"
            | "--patience" | "--deadline"
                if name == "ch07_bounded" =>
            {
                let value = flags.next().unwrap_or_default();
                value.parse::<u16>().map_err(|error| format!("{flag} {value}: {error}"))?;
            }
            "--idle" | "--keep" | "--notice" | "--to"
                if name.starts_with("kept") || name.starts_with("pooling_relay") =>
            {
                let value = flags.next().unwrap_or_default();
                value.parse::<f64>().map_err(|error| format!("{flag} {value}: {error}"))?;
            }
            "--fault" if rung == *WRONG_SERVERS => {
                let fault = flags.next().unwrap_or_default();
                let known = read("examples/clients/wrong_servers/main.rs");
                if !known.contains(&format!(" {}::FAULT,", fault.replace('-', "_"))) {
                    return Err(format!("there is no fault {fault}"));
                }
            }
            _ => return Err(format!("{name} takes no {flag}")),
        }
    }
    Ok(())
}

/// Its flags are tried when the page is run.
fn check_load(command: &Command, flags: &[&str]) -> Result<(), String> {
    if flags == ["--help"] {
        return Ok(());
    }
    if !command.output.is_empty() {
        return Err("the output of a measurement comes from measurements/results".to_owned());
    }
    if !command.words.iter().any(|word| word == "--release") {
        return Err("a generator that is no release build measures itself".to_owned());
    }
    check_url(command, LOAD)
}

/// Asks the tool itself which words and flags it knows.
fn check_tool(words: &[&str]) -> Result<(), String> {
    // `learn start answer_404`: the help is that of the last subcommand, whatever its arguments.
    let subcommands = words.iter().take_while(|word| !word.starts_with('-'));
    let mut command = match words.first() {
        // The tool would only hand the question on.
        Some(name) if ["bench", "observe", "learn", "judge"].contains(name) => {
            let mut command = program(name);
            command.args(subcommands.skip(1));
            command
        }
        Some(name) if ["serve", "build", "preprocess"].contains(name) => {
            let mut command = program("book");
            command.args(subcommands);
            command
        }
        _ => {
            let mut command = tool();
            command.args(subcommands);
            command
        }
    };
    let help = run(command.arg("--help"), DEADLINE);
    if help.code != Some(0) {
        return Err(format!("the tool does not know it: {}", help.stderr.trim()));
    }
    let known: BTreeSet<&str> = help
        .stdout
        .split(|letter: char| !(letter.is_alphanumeric() || "-_".contains(letter)))
        .collect();
    for flag in words.iter().filter(|word| word.starts_with("--") && **word != "--") {
        let name = flag.split('=').next().unwrap_or_default();
        if !known.contains(name) {
            return Err(format!("the tool does not know {flag}"));
        }
    }
    Ok(())
}

/// Whether it fetches a listing of the Rust Book as it was at a commit, which no test does.
fn fetches_a_listing(command: &Command) -> bool {
    let book = "https://raw.githubusercontent.com/rust-lang/book/";
    let rest = command.words.last().and_then(|url| url.strip_prefix(book));
    let commit = rest.and_then(|rest| rest.split('/').next());
    // The whole hash.
    commit.is_some_and(|commit| commit.len() == 40)
}

fn check_url(command: &Command, tool: &str) -> Result<(), String> {
    let urls: Vec<&String> = command
        .words
        .iter()
        .filter(|word| word.contains("://") || word.starts_with("127.0.0.1"))
        .collect();
    let [url] = urls[..] else { return Err(format!("{tool} needs one URL")) };
    let path = ["http://127.0.0.1:", "http://localhost:"].iter().find_map(|start| {
        let (_port, path) = url.strip_prefix(start)?.split_once('/')?;
        Some(path.split('?').next().unwrap_or_default())
    });
    match path {
        None => Err(format!("{url} is not http://127.0.0.1:PORT/...")),
        // To see a 404 is a fine wish for curl.
        Some("" | "sleep" | "tenth" | "file" | "work" | "panic") => Ok(()),
        Some(_) if tool == "curl" => Ok(()),
        Some(path) => Err(format!("the site has no page /{path}")),
    }
}

static CHANGING: LazyLock<[(Regex, &str); 3]> = LazyLock::new(|| {
    let pattern = |text: &str| Regex::new(text).expect("it is a pattern");
    [
        (pattern(r"(?mi)^(< )?date: .*$"), "Date: now"),
        (pattern(r"(127\.0\.0\.1|localhost)[: ](port )?\d+"), "127.0.0.1:8080"),
        (pattern(r"process id \d+"), "process id 1"),
    ]
});

/// The text with everything replaced that differs from one run to the next.
fn settled(text: &str) -> String {
    let text = text.replace('\r', "");
    let text = CHANGING
        .iter()
        .fold(text, |text, (pattern, by)| pattern.replace_all(&text, *by).into_owned());
    text.trim_end().to_owned()
}

/// Complains if the page shows something else than what was printed.
fn compare(command: &Command, printed: &str) -> Result<(), String> {
    if command.output.is_empty() || settled(&command.output) == settled(printed) {
        return Ok(());
    }
    let (at, line) = (&command.at, command.words.join(" "));
    Err(format!(
        "{at}: {line}\n  the page shows:\n{}\n  it prints:\n{}\n",
        settled(&command.output),
        settled(printed)
    ))
}

/// The commands of a page that need each other: a program, and what is asked of it until the next one.
fn groups(page: &Page) -> Vec<Vec<Command>> {
    let mut groups: Vec<Vec<Command>> = Vec::new();
    for command in commands(page) {
        let example = command.example().map(|(name, _)| name);
        let begins = example.is_some_and(|name| {
            ![LOAD, BREAK_IT].contains(&name) && !RELAYS.contains(&name) && !CLIENTS.contains(&name)
        });
        match groups.last_mut() {
            Some(group) if !begins => group.push(command),
            _ => groups.push(vec![command]),
        }
    }
    groups
}

/// Runs a server, or another program, and what is asked of it, in their order; the complaints.
fn run_group(commands: Vec<Command>, with_curl: bool) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut server: Option<Server> = None;
    // They live as long as the relays in front of them.
    let mut behind: Vec<Server> = Vec::new();
    for command in commands {
        let outcome = if let Some((LOAD, flags)) = command.example() {
            run_load(&command, &flags, server.as_ref())
        } else if let Some((BREAK_IT, flags)) = command.example() {
            run_break_it(&command, &flags, server.as_ref())
        } else if let Some((name, flags)) = command.example()
            && CLIENTS.contains(&name)
        {
            run_client(&command, name, &flags, server.as_ref())
        } else if let Some((name, flags)) = command.example()
            && let Some(relay) = RELAYS.into_iter().find(|relay| *relay == name)
        {
            let Some(above) = server.take() else {
                complaints.push(format!("{}: no server above it", command.at));
                continue;
            };
            let to = above.address.port().to_string();
            let relay = Rung::step(relay).expect("it is declared");
            let relay = relay.start(&[&without_port(&flags)[..], &["--to", &to]].concat());
            let outcome = compare(&command, &relay.line);
            behind.push(above);
            server = Some(relay);
            outcome
        } else if let Some((name, flags)) = command.example() {
            // Without its toolchain, what follows can't be asked of it either.
            if records::servers::Server::foreign(name).is_some_and(|server| !is_here(server)) {
                return complaints;
            }
            // What is compiled in another way is compiled anew: tests/which_task.rs and tests/first_server.rs do.
            let has_flags = command.variables.iter().any(|(name, _)| name == "RUSTFLAGS");
            if has_flags || command.words.iter().any(|word| word == "--config") {
                return complaints;
            }
            match launch(name) {
                Some(_) if ends_by_itself(&command) => {
                    compare(&command, &run_refused(name, &flags))
                }
                Some(launch) => {
                    let launch = launch.args(&without_port(&flags));
                    let set =
                        |launch: Launch, (name, value): &(String, String)| launch.env(name, value);
                    let started = command.variables.iter().fold(launch, set).start();
                    let outcome = compare(&command, &started.line);
                    server = Some(started);
                    outcome
                }
                None => {
                    // Its table, and not its figures, is what is looked at.
                    let short = EXPERIMENTS.contains(&name).then_some("--quick");
                    // A thousand requests are there for the reader to look at them.
                    let flags =
                        flags.into_iter().map(|flag| if flag == "1000" { "1" } else { flag });
                    let finished = run(example(name).args(flags).args(short), 10 * DEADLINE);
                    let right = finished.code == Some(0);
                    if right { Ok(()) } else { Err(format!("{}: {}", command.at, finished.stderr)) }
                }
            }
        } else if command.words[0] == "curl" && with_curl && !fetches_a_listing(&command) {
            match &server {
                Some(server) => run_curl(&command, server),
                None => Err(format!("{}: no `cargo run --example` above it", command.at)),
            }
        } else {
            Ok(())
        };
        complaints.extend(outcome.err());
    }
    complaints
}

/// Whether the page shows a start that fails, or only the usage.
fn ends_by_itself(command: &Command) -> bool {
    let helps = command.words.iter().any(|word| word == "--help");
    helps || !command.output.is_empty() && !command.output.contains("listening on")
}

/// What a rung says that does not become a server.
fn run_refused(name: &str, flags: &[&str]) -> String {
    // The page's own port may be free here, and somebody else's there.
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = taken.local_addr().expect("it is bound").port().to_string();
    let mut command: process::Command = example(name);
    command.args(["--port", &port]).args(without_port(flags));
    let finished = run(&mut command, DEADLINE);
    finished.stdout + &finished.stderr
}

/// The flags without `--port N`: a test takes any free port.
fn without_port<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    let mut rest = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        match *flag {
            "--port" => drop(flags.next()),
            flag => rest.push(flag),
        }
    }
    rest
}

/// The words, with the address of this server where a page has that of the reader's.
fn addressed(words: &[&str], server: &Server) -> Vec<String> {
    static LOCAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"http://(127\.0\.0\.1|localhost):\d+").expect("it is a pattern")
    });
    let base = server.url("");
    words.iter().map(|word| LOCAL.replace_all(word, base.as_str()).into_owned()).collect()
}

/// Lets the load generator ask the page's server for a moment.
fn run_load(command: &Command, flags: &[&str], server: Option<&Server>) -> Result<(), String> {
    let mut load = example(LOAD);
    match server {
        // The last of two durations counts.
        Some(server) => load.args(addressed(flags, server)).args(["--duration", "0.2"]),
        None if flags == ["--help"] => load.args(flags),
        None => return Err(format!("{}: no server above it", command.at)),
    };
    let finished = run(&mut load, DEADLINE);
    if finished.code != Some(0) {
        return Err(format!("{}: {}", command.at, finished.stderr));
    }
    compare(command, &finished.stdout)
}

/// Lets the page's server be broken: it says how, or that it was not.
fn run_break_it(command: &Command, flags: &[&str], server: Option<&Server>) -> Result<(), String> {
    let server = server.ok_or_else(|| format!("{}: no server above it", command.at))?;
    let port = server.address.port().to_string();
    // A client that stays leaves at once: the last of two times counts.
    let fixed = ["--port", &port, "--seconds", "0"];
    let finished = run(example(BREAK_IT).args(flags).args(fixed), DEADLINE);
    if finished.code != Some(0) {
        return Err(format!("{}: {}", command.at, finished.stderr));
    }
    compare(command, &finished.stdout)
}

/// Lets a client see what becomes of it. What it counts is another number on each machine.
fn run_client(
    command: &Command,
    name: &str,
    flags: &[&str],
    server: Option<&Server>,
) -> Result<(), String> {
    let server = server.ok_or_else(|| format!("{}: no server above it", command.at))?;
    let port = server.address.port().to_string();
    let mut client = example(name);
    client.args(flags).args(["--port", &port]);
    if name == "six_seconds" {
        // Nobody here waits for half a minute: the last of two times counts.
        client.args(["--every", "0.01"]);
    }
    let finished = run(&mut client, 3 * DEADLINE);
    if finished.code == Some(0) {
        Ok(())
    } else {
        Err(format!("{}: {}", command.at, finished.stderr))
    }
}

/// What a reader waits seconds for takes a tenth of that in a test: in a request, and in the answer to it. Shorter, it would
/// be over before a deadline of 50 ms where the machine stalls.
fn hastened(text: &str) -> String {
    static SECONDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(ms=|slept )([0-9]+00)0\b").expect("it is a pattern"));
    SECONDS.replace_all(text, "$1$2").into_owned()
}

fn run_curl(command: &Command, server: &Server) -> Result<(), String> {
    let words = addressed(&command.rest(1), server).into_iter().map(|word| hastened(&word));
    let mut curl = process::Command::new("curl");
    // Neither a proxy nor somebody's ~/.curlrc has a say.
    curl.args(["--disable", "--noproxy", "*"]).args(words);
    let finished = run(&mut curl, DEADLINE);
    if command.output.is_empty() && finished.code != Some(0) {
        return Err(format!(
            "{}: curl ends with {:?}: {}",
            command.at, finished.code, finished.stderr
        ));
    }
    let mut expected = command.clone();
    expected.output = hastened(&command.output);
    compare(&expected, &(finished.stdout + &finished.stderr))
}

/// Whether a program among them is compiled with dependencies of its own.
fn are_built_apart(commands: &[Command]) -> bool {
    commands.iter().filter_map(Command::example).any(|(name, _)| is_built_apart(name))
}

#[test]
fn what_is_shown_is_what_is_printed() {
    shown_is_printed(|commands| !are_built_apart(commands));
}

#[ignore = "slow"]
#[test]
fn what_is_shown_of_programs_that_are_built_apart_is_what_is_printed() {
    shown_is_printed(are_built_apart);
}

fn shown_is_printed(is_asked: fn(&[Command]) -> bool) {
    let with_curl = have("curl");
    let pages = all_pages();
    // Some of the requests wait for seconds; nobody else needs to wait for them.
    let complaints = thread::scope(|scope| {
        let runs: Vec<_> = pages
            .iter()
            .flat_map(groups)
            .filter(|group| is_asked(group))
            .map(|group| scope.spawn(move || run_group(group, with_curl)))
            .collect();
        runs.into_iter()
            .flat_map(|run| match run.join() {
                Ok(complaints) => complaints,
                Err(_) => {
                    vec!["what a page runs could not be run; its panic stands above".to_owned()]
                }
            })
            .collect()
    });
    none(complaints);
}

#[test]
fn every_chapter_of_the_ladder_lets_the_reader_talk_to_its_server() {
    let mut complaints = Vec::new();
    for page in chapters() {
        let commands = commands(&page);
        let shown = commands
            .iter()
            .filter(|command| command.words[0] == "curl" && !command.output.is_empty());
        if shown.count() == 0 {
            complaints.push(format!("{}: no curl with its output", page.at(1)));
        }
        if !commands.iter().any(|command| command.output.contains("listening on")) {
            complaints.push(format!("{}: no server with the line that it prints", page.at(1)));
        }
    }
    none(complaints);
}
