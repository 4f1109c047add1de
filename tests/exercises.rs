//! The exercises: every starting state compiles and fails in words, every solution passes, and every
//! wrong solution that lies beside it is refused with words that name the reason.
//!
//! All solutions and their checks are one program of `exercises/texts`, and what must be refused is another, so that a
//! plain `cargo test` compiles the solutions alone. Each text has a process of its own for its checks, and that has a
//! deadline.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::{BufRead, BufReader},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{LazyLock, Mutex},
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{Finished, example, have, none, root, run, unlike};
use records::base::built::Built;

/// How long cargo may take to build all checks once.
const BUILD_TIME: Duration = Duration::from_secs(900);

/// How long one check may take, with everything in it.
const CHECK_TIME: Duration = Duration::from_secs(180);

/// Seconds for a check on a machine that stalls.
const PATIENT: &str = "60";

/// How many checks run side by side. Most of them wait.
const SIDE_BY_SIDE: usize = 16;

/// A text of an exercise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Text {
    Start,
    Solution,
    /// The name of its file in the folder `wrong`, and the words with which it must be refused.
    Wrong(String, String),
}

impl Text {
    /// The program of `exercises/texts` that it is in.
    fn program(&self) -> &'static str {
        match self {
            Text::Solution => "solutions",
            Text::Start | Text::Wrong(..) => "texts",
        }
    }

    /// Its module there.
    fn module(&self) -> String {
        match self {
            Text::Start => "start".to_owned(),
            Text::Solution => "solution".to_owned(),
            Text::Wrong(name, _) => format!("wrong_{name}"),
        }
    }

    /// Seconds that a check waits before it gives up. What is wrong only costs them; a solution has a learner's, and
    /// where a client is silent for its patience, an eighth of them, it takes that too.
    fn seconds(&self) -> &'static str {
        match self {
            Text::Start | Text::Wrong(..) => "3",
            Text::Solution => "10",
        }
    }
}

/// Whether a file is a source, and not what an editor or a system has left there.
fn is_source(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".rs") && !name.starts_with('.')
}

/// An exercise of the list, as far as its tests want to know it.
#[derive(Clone, Debug)]
struct Exercise {
    name: String,
    chapter: String,
    kind: String,
    minutes: i64,
}

impl Exercise {
    fn folder(&self) -> PathBuf {
        root().join("exercises").join(&self.name)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder().join(file)).unwrap_or_default()
    }

    /// Its wrong solutions. Each says in its first line what is wrong, and in its second how it is refused.
    fn wrong(&self) -> Vec<Text> {
        let entries = fs::read_dir(self.folder().join("wrong")).into_iter().flatten();
        let paths = entries.map(|entry| entry.expect("a folder can be read to its end").path());
        let mut wrong: Vec<Text> = paths
            .filter(|path| is_source(path))
            .map(|path| {
                let text = fs::read_to_string(&path).expect("it is text");
                let mut lines = text.lines();
                let what = lines.next().and_then(|line| line.strip_prefix("// Wrong: "));
                let words = lines.next().and_then(|line| line.strip_prefix("// The check says: "));
                let name = path.file_stem().expect("it has a name").to_string_lossy();
                // One without these is a complaint of `every_exercise_is_complete`.
                let words = what.and(words).unwrap_or_default();
                Text::Wrong(name.into_owned(), words.to_owned())
            })
            .collect();
        wrong.sort();
        wrong
    }
}

static EXERCISES: LazyLock<Vec<Exercise>> = LazyLock::new(|| {
    let text = fs::read_to_string(root().join("exercises/exercises.toml")).expect("the list");
    let list: toml::Table = text.parse().expect("the list is TOML");
    let list = list["exercise"].as_array().expect("a list of exercises");
    let word = |exercise: &toml::Value, key: &str| {
        exercise[key].as_str().unwrap_or_else(|| panic!("{key} of {exercise:?}")).to_owned()
    };
    let exercises = list.iter().map(|exercise| Exercise {
        name: word(exercise, "name"),
        chapter: word(exercise, "chapter"),
        kind: word(exercise, "kind"),
        minutes: exercise["minutes"].as_integer().expect("minutes"),
    });
    exercises.collect()
});

/// Builds a program of `exercises/texts`: where it lies, or what the compiler said.
fn build(name: &str) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.current_dir(root());
    // Of the default members, so that what they depend on is compiled as for them.
    cargo.args(["test", "--locked", "--no-run", "--test", name]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    let finished = run(&mut cargo, BUILD_TIME);
    if finished.code != Some(0) {
        return Err(format!("a text does not compile:\n{}", finished.stderr));
    }
    let mut built = finished.stdout.lines().filter_map(Built::in_message);
    let built = built.find(|it| it.name == name);
    built.map(|it| it.path).ok_or_else(|| "no check was built".to_owned())
}

/// Runs the check of an exercise with one of its texts.
fn run_one(program: &Path, exercise: &Exercise, text: &Text, seconds: &str) -> Finished {
    let mut check = Command::new(program);
    // The program's own name begins each: `permits` ends another exercise's name.
    check.arg(format!("{}::{}::{}::", text.program(), exercise.name, text.module()));
    check.current_dir(exercise.folder()).env("EXERCISE_SECONDS", seconds);
    // It panics over a check that does not end, and has killed it then.
    let outcome = catch_unwind(AssertUnwindSafe(|| run(&mut check, CHECK_TIME)));
    outcome.unwrap_or_else(|_| Finished {
        code: None,
        stdout: String::new(),
        stderr: String::new(),
    })
}

/// What checks did, by exercise and text.
type Outcomes = BTreeMap<(String, Text), Finished>;

/// What the checks of a program did with these texts of all exercises.
///
/// # Panics
/// When a text does not compile.
fn run_all(name: &str, texts: impl Fn(&'static Exercise) -> Vec<Text>) -> Outcomes {
    let program = build(name).unwrap_or_else(|complaint| panic!("{complaint}"));
    let program = program.as_path();
    let with_texts = |exercise| texts(exercise).into_iter().map(move |text| (exercise, text));
    let texts: Vec<_> = EXERCISES.iter().flat_map(with_texts).collect();
    let waiting = Mutex::new(texts.into_iter());
    let finished = Mutex::new(Outcomes::new());
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().expect("no other thread has failed").next();
                    let Some((exercise, text)) = next else { return };
                    let name = &exercise.name;
                    let mut outcome = run_one(program, exercise, &text, text.seconds());
                    // A machine that stalls for seconds can keep a check from seeing what it looks for.
                    // It gets more time; but never one that has let a wrong solution pass.
                    if outcome.code != Some(0) && judge(name, &text, Some(&outcome)).is_some() {
                        outcome = run_one(program, exercise, &text, PATIENT);
                    }
                    let mut finished = finished.lock().expect("no other thread has failed");
                    finished.insert((name.clone(), text), outcome);
                }
            });
        }
    });
    finished.into_inner().expect("no thread has failed")
}

/// What the checks did with the solutions, which takes them a few seconds.
static PASSED: LazyLock<Outcomes> =
    LazyLock::new(|| run_all("solutions", |_| vec![Text::Solution]));

/// What the checks did with all that they should refuse, for which many of them wait until their time is over.
static REFUSED: LazyLock<Outcomes> = LazyLock::new(|| {
    run_all("texts", |exercise| [Text::Start].into_iter().chain(exercise.wrong()).collect())
});

/// What the check of this exercise did with this text.
#[track_caller]
fn outcome(exercise: &Exercise, text: &Text) -> Option<&'static Finished> {
    let outcomes = if *text == Text::Solution { &PASSED } else { &REFUSED };
    outcomes.get(&(exercise.name.clone(), text.clone()))
}

/// What is wrong with an outcome of a check that had this text.
fn judge(name: &str, text: &Text, outcome: Option<&Finished>) -> Option<String> {
    let it = format!("{name}, {}", text.module());
    let Some(outcome) = outcome else { return Some(format!("{it}: no check was run")) };
    let said = format!("{}\n{}", outcome.stdout, outcome.stderr);
    let of_check = |line: &&str| line.contains("seen: ") || line.contains("expected: ");
    let words: Vec<&str> = said.lines().filter(of_check).collect();
    match (text, outcome.code) {
        (_, None) => Some(format!("{it}: the check does not end")),
        (Text::Solution, Some(0)) => None,
        (Text::Solution, Some(_)) => Some(format!("{it}: fails its check:\n{said}")),
        (_, Some(0)) => Some(format!("{it}: passes its check")),
        (Text::Start, _) if words.is_empty() => Some(format!("{it}: fails without words:\n{said}")),
        (Text::Wrong(_, why), _) if !words.iter().any(|line| line.contains(why)) => {
            Some(format!("{it}: is not refused with the words {why:?}:\n{said}"))
        }
        _ => None,
    }
}

/// The names that were ever published. They are for ever, so this list only grows.
const NAMES: &str = include_str!("exercise-names.txt");

#[test]
fn names_never_change() {
    let names: Vec<&str> = NAMES.lines().filter(|line| !line.starts_with('#')).collect();
    let listed: Vec<&str> = EXERCISES.iter().map(|exercise| exercise.name.as_str()).collect();
    let gone = names.iter().filter(|name| !listed.contains(name));
    let new = listed.iter().filter(|name| !names.contains(name));
    let mut complaints: Vec<String> = gone
        .map(|name| format!("the exercise {name} is gone, and with it its learners' progress"))
        .collect();
    complaints.extend(new.map(|name| format!("{name} is new: add it to tests/exercise-names.txt")));
    none(complaints);
}

/// The files that each exercise consists of.
const FILES: [&str; 8] = [
    "Cargo.toml",
    "README.md",
    "check.rs",
    "hints.md",
    "lib.rs",
    "solution.md",
    "solution.rs",
    "start.rs",
];

#[test]
fn every_exercise_is_complete() {
    let mut complaints = Vec::new();
    let model =
        fs::read_to_string(root().join("exercises/answer_404/lib.rs")).expect("it is there");
    for exercise in EXERCISES.iter() {
        let name = &exercise.name;
        let folder = exercise.folder();
        for file in FILES.iter().filter(|file| !folder.join(file).is_file()) {
            complaints.push(format!("{name} has no {file}"));
        }
        let read = |file: &str| exercise.read(file);
        let readme = read("README.md");
        if !readme.contains("\n## Going further\n") {
            complaints.push(format!("{name}: nothing further to do"));
        }
        if exercise.kind == "diagnose" && !readme.contains("\n## Tools\n") {
            complaints.push(format!("{name}: diagnose with which tools?"));
        }
        let runs = readme.contains(&format!("cargo run -p ex_{name}"));
        if runs != folder.join("main.rs").is_file() {
            complaints.push(format!("{name}: its page and main.rs do not agree on a program"));
        }
        if read("hints.md").lines().filter(|line| line.starts_with("## ")).count() < 3 {
            complaints.push(format!("{name}: fewer than three hints"));
        }
        if !read("start.rs").contains("// Your turn") {
            complaints.push(format!("{name}: the task is not in the code"));
        }
        if read("solution.md").split_whitespace().count() < 40 {
            complaints.push(format!("{name}: no paragraph of why"));
        }
        let wrong = exercise.wrong();
        if wrong.is_empty() {
            complaints.push(format!("{name}: no wrong solution that its check must refuse"));
        }
        for text in wrong {
            let Text::Wrong(file, words) = text else { continue };
            if words.is_empty() {
                complaints.push(format!(
                    "{name}: wrong/{file}.rs does not begin with `// Wrong: ` and `// The check says: `"
                ));
            }
        }
        if !(10..=30).contains(&exercise.minutes) {
            complaints.push(format!("{name}: {} minutes", exercise.minutes));
        }
        let manifest = read("Cargo.toml");
        if !manifest.contains(&format!("name = \"ex_{name}\"")) {
            complaints.push(format!("{name}: its package has another name"));
        }
        // The texts are built together, so only this says that a learner's package has what they need.
        for package in
            ["async_io", "async_std", "blocking", "futures", "smol", "tokio", "tokio_util"]
        {
            let used = ["start.rs", "solution.rs"]
                .iter()
                .any(|it| read(it).contains(&format!("use {package}::")));
            let line = package.replace('_', "-");
            if used
                && !manifest
                    .lines()
                    .any(|it| it.starts_with(&line) && !it[line.len()..].starts_with('-'))
            {
                complaints.push(format!("{name}: its package lacks {package}"));
            }
        }
        let without_title = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_owned());
        if without_title(&read("lib.rs").replace(name, "answer_404")) != without_title(&model) {
            complaints.push(format!("{name}: lib.rs is not that of answer_404 with another name"));
        }
    }
    none(complaints);
}

#[test]
fn every_folder_is_listed_and_every_rung_has_three() {
    let listed: BTreeSet<String> = EXERCISES.iter().map(|exercise| exercise.name.clone()).collect();
    let entries = fs::read_dir(root().join("exercises")).expect("the exercises are there");
    let folders: BTreeSet<String> = entries
        .map(|entry| entry.expect("a folder can be read to its end"))
        .filter(|entry| entry.path().join("check.rs").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let not_listed = " is missing in exercises/exercises.toml";
    let no_folder = " of exercises/exercises.toml has no folder with a check.rs";
    let mut complaints = unlike(&folders, &listed, not_listed, no_folder);
    for rung in 1..=6 {
        let own = EXERCISES.iter().filter(|it| it.chapter.starts_with(&format!("ch0{rung}-")));
        if own.count() < 3 {
            complaints.push(format!("rung {rung} has fewer than three exercises"));
        }
    }
    none(complaints);
    let diagnose = EXERCISES.iter().filter(|exercise| exercise.kind == "diagnose").count();
    assert!(diagnose >= 5 && EXERCISES.len() >= 18, "{} exercises", EXERCISES.len());
}

/// What is wrong with the outcomes of these texts of all exercises.
fn complaints(texts: impl Fn(&Exercise) -> Vec<Text>) -> Vec<String> {
    let judged = EXERCISES.iter().flat_map(|exercise| {
        let judge = |text| judge(&exercise.name, &text, outcome(exercise, &text));
        texts(exercise).into_iter().filter_map(judge).collect::<Vec<_>>()
    });
    judged.collect()
}

#[test]
#[ignore = "slow"]
fn every_starting_state_fails_in_words() {
    none(complaints(|_| vec![Text::Start]));
}

#[test]
fn every_solution_passes() {
    none(complaints(|_| vec![Text::Solution]));
}

#[test]
#[ignore = "slow"]
fn every_wrong_solution_is_refused_with_the_reason() {
    none(complaints(Exercise::wrong));
}

/// The names of the checks whose line of the report begins with this word.
fn checks_that(outcome: &Finished, word: &str) -> BTreeSet<String> {
    let names = outcome.stdout.lines().filter_map(|line| line.strip_prefix(word));
    names.map(|name| name.trim().to_owned()).collect()
}

/// The file that tells a class which check catches which wrong solution.
const CAUGHT: &str = "exercises/caught.txt";

/// The wrong solutions of all exercises as that file names them, each with its exercise and its text.
fn all_wrong() -> BTreeMap<String, (&'static Exercise, Text)> {
    let named = EXERCISES.iter().flat_map(|exercise| {
        let texts = exercise.wrong().into_iter().map(move |text| (exercise, text));
        texts.filter_map(|(exercise, text)| match &text {
            Text::Wrong(file, _) => Some((format!("{}/{file}", exercise.name), (exercise, text))),
            Text::Start | Text::Solution => None,
        })
    });
    named.collect()
}

/// The check that has refused a text in these words, if one has before the program ended.
fn caught_by(outcome: &Finished, words: &str) -> Option<String> {
    let mut heard = false;
    for line in outcome.stdout.lines() {
        heard |= (line.contains("seen: ") || line.contains("expected: ")) && line.contains(words);
        if let Some(check) = line.strip_prefix("FAILED").filter(|_| heard) {
            return Some(check.trim().to_owned());
        }
    }
    None
}

/// `CAUGHT=new` writes the file, of which nothing is written by hand.
#[test]
#[ignore = "slow"]
fn each_wrong_solution_is_caught_by_the_check_that_a_class_is_told() {
    let mut lines = String::from(
        "# The check that catches each wrong solution, for a class that is asked. Its test writes this:\n\
         # CAUGHT=new cargo test -p ladder_tests --test exercises -- --ignored each_wrong_solution_is_caught\n",
    );
    for (name, (exercise, text)) in all_wrong() {
        let Text::Wrong(_, words) = &text else { continue };
        let outcome = outcome(exercise, &text).expect("each text was checked");
        let check = caught_by(outcome, words);
        let check = check.unwrap_or_else(|| panic!("no check says {words:?} of {name}"));
        lines += &format!("{name} {check}\n");
    }
    let file = root().join(CAUGHT);
    if env::var_os("CAUGHT").is_some_and(|it| it == "new") {
        fs::write(&file, &lines).expect("it can be written");
    }
    let listed = fs::read_to_string(&file).unwrap_or_default();
    let found: BTreeSet<String> = lines.lines().map(str::to_owned).collect();
    let told: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
    none(unlike(&found, &told, " is what was found", &format!(" stands in {CAUGHT}")));
}

#[test]
fn the_file_of_what_is_caught_names_every_wrong_solution() {
    let listed = fs::read_to_string(root().join(CAUGHT)).expect("it is there");
    let listed = listed.lines().filter(|line| !line.starts_with('#'));
    let listed: BTreeMap<&str, &str> = listed.filter_map(|line| line.split_once(' ')).collect();
    let all = all_wrong();
    let names = listed.keys().map(|name| (*name).to_owned()).collect();
    let wrong = all.keys().cloned().collect();
    let mut complaints = unlike(
        &wrong,
        &names,
        &format!(" is missing in {CAUGHT}, whose first lines say how it is written"),
        &format!(" of {CAUGHT} is no wrong solution any more"),
    );
    for (name, check) in listed {
        let checks = all.get(name).map(|(exercise, _)| exercise.read("check.rs"));
        let is_there = checks.is_none_or(|checks| checks.contains(&format!("fn {check}()")));
        if !is_there {
            complaints.push(format!("{CAUGHT}: {name} is caught by {check}, which is no check"));
        }
    }
    none(complaints);
}

/// A check that refuses no text that lies beside it looks for nothing that anybody has seen to be missing.
#[test]
#[ignore = "slow"]
fn every_check_refuses_a_text() {
    let mut complaints = Vec::new();
    for exercise in EXERCISES.iter() {
        let solved = outcome(exercise, &Text::Solution).expect("each solution was checked");
        let texts = [Text::Start].into_iter().chain(exercise.wrong());
        let refused: BTreeSet<String> = texts
            .filter_map(|text| outcome(exercise, &text))
            .flat_map(|outcome| checks_that(outcome, "FAILED"))
            .collect();
        for check in checks_that(solved, "passed").difference(&refused) {
            complaints.push(format!("{}: the check {check} refuses no text", exercise.name));
        }
    }
    none(complaints);
}

/// For every single exercise it is reported if the solution is as broken as the starting state, if the
/// starting state is solved, and if a wrong solution passes or is refused with words about something else.
#[test]
#[ignore = "slow"]
fn what_a_text_must_not_do_is_reported() {
    for exercise in EXERCISES.iter() {
        let name = &exercise.name;
        let failed = outcome(exercise, &Text::Start);
        let passed = outcome(exercise, &Text::Solution);
        assert!(judge(name, &Text::Solution, failed).is_some(), "{name}");
        assert!(judge(name, &Text::Start, passed).is_some(), "{name}");
        let other = Text::Wrong("x".to_owned(), "words about something else".to_owned());
        for outcome in [failed, passed] {
            assert!(judge(name, &other, outcome).is_some(), "{name}");
        }
    }
    assert!(judge("x", &Text::Solution, None).is_some());
}

/// What a task names as a way to see its fault, and what is seen of the starting state.
struct Tool {
    exercise: &'static str,
    /// As it stands in the task.
    named: &'static str,
    /// What is run: `break_it` and other programs, with PORT and PID for those of the exercise's program.
    run: &'static str,
    /// How often it is run at the same time.
    clients: u32,
    shows: Shows,
}

#[derive(Clone, Copy)]
enum Shows {
    /// This is printed.
    Prints(&'static str),
    /// The answers come three seconds after each other.
    InTurn,
    /// There is no answer.
    Nothing,
}

const ASK: &str = "curl http://127.0.0.1:8080/";
const TOOLS: [Tool; 14] = [
    Tool {
        exercise: "answer_404",
        named: "curl -i http://127.0.0.1:8080/cats",
        run: "curl -si http://127.0.0.1:PORT/cats",
        clients: 1,
        shows: Shows::Prints("HTTP/1.1 200"),
    },
    Tool {
        exercise: "silent_client",
        named: "cargo run --example break_it -- silent",
        run: "break_it silent --port PORT",
        clients: 1,
        shows: Shows::Prints("broken: the next client gets no response"),
    },
    Tool {
        exercise: "overlap",
        named: ASK,
        run: "curl -s http://127.0.0.1:PORT/",
        clients: 2,
        shows: Shows::InTurn,
    },
    Tool {
        exercise: "thread_leak",
        named: ASK,
        run: "curl -si http://127.0.0.1:PORT/",
        clients: 3,
        shows: Shows::Prints("HTTP/1.1 200"),
    },
    Tool {
        exercise: "thread_leak",
        named: "ps -T -p PID",
        run: "ps -T -p PID",
        clients: 1,
        shows: Shows::Prints("log-2"),
    },
    Tool {
        exercise: "shrinking_pool",
        named: "curl http://127.0.0.1:8080/share/12/3",
        run: "curl -s http://127.0.0.1:PORT/share/12/0",
        clients: 4,
        shows: Shows::Nothing,
    },
    Tool {
        exercise: "shrinking_pool",
        named: "curl http://127.0.0.1:8080/share/12/3",
        run: "curl -s http://127.0.0.1:PORT/share/12/3",
        clients: 1,
        shows: Shows::Nothing,
    },
    Tool {
        exercise: "waiting_inside",
        named: ASK,
        run: "curl -s --max-time 8 http://127.0.0.1:PORT/",
        clients: 2,
        shows: Shows::Nothing,
    },
    Tool {
        exercise: "blocking_call",
        named: ASK,
        run: "curl -s http://127.0.0.1:PORT/",
        clients: 3,
        shows: Shows::InTurn,
    },
    Tool {
        exercise: "dropped_task",
        named: "curl -v http://127.0.0.1:8080/",
        run: "curl -v http://127.0.0.1:PORT/",
        clients: 1,
        shows: Shows::Nothing,
    },
    Tool {
        exercise: "forgotten_waker",
        named: "cargo run -p ex_forgotten_waker",
        run: "",
        clients: 1,
        shows: Shows::Prints("task 3 has heard the bell"),
    },
    Tool {
        exercise: "lost_in_select",
        named: "cargo run --example break_it -- two-pieces",
        run: "break_it two-pieces --port PORT",
        clients: 1,
        shows: Shows::Prints("broken: no response within 8s"),
    },
    Tool {
        exercise: "late_deadline",
        named: "cargo run -p ex_late_deadline",
        run: "",
        clients: 1,
        shows: Shows::Prints("no answer in six seconds"),
    },
    Tool {
        exercise: "lock_across_await",
        named: ASK,
        run: "curl -s http://127.0.0.1:PORT/",
        clients: 3,
        shows: Shows::InTurn,
    },
];

/// Runs the program of an exercise, and what its task names: what is not seen of the fault.
fn what_is_not_shown(program: &Path, exercise: &Exercise) -> Vec<String> {
    let mut command = Command::new(program);
    command.current_dir(exercise.folder()).args(["--port", "0"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().expect("it was built");
    let pid = process.id().to_string();
    let said = BufReader::new(process.stdout.take().expect("it is piped"));
    let mut said = said.lines().map_while(Result::ok);
    let first = said.next().unwrap_or_default();
    let address = first.split_once("127.0.0.1:").map_or("", |(_, rest)| rest);
    let port = address.split('/').next().unwrap_or_default();
    let mut complaints = Vec::new();
    // `ps` of other systems has no such letters, and the task says so.
    let runs_here = |tool: &&Tool| cfg!(target_os = "linux") || !tool.run.starts_with("ps ");
    let own = TOOLS.iter().filter(|tool| tool.exercise == exercise.name).filter(runs_here);
    for tool in own {
        let named = tool.named;
        if !exercise.read("README.md").contains(&format!("`{named}`")) {
            complaints.push(format!("{} does not name `{named}`", exercise.name));
        }
        let start = Instant::now();
        let words = tool.run.replace("PORT", port).replace("PID", &pid);
        let seen = match words.split_once(' ') {
            Some((program, arguments)) => run_at_once(tool.clients, program, arguments),
            // The program of the exercise shows it by itself, and ends.
            None => vec![Finished {
                code: Some(0),
                stdout: said.by_ref().collect::<Vec<_>>().join("\n"),
                stderr: String::new(),
            }],
        };
        let in_turn = start.elapsed() >= Duration::from_secs(3) * tool.clients;
        let shown = match tool.shows {
            Shows::Prints(words) => seen.iter().all(|it| it.stdout.contains(words)),
            Shows::InTurn => in_turn && seen.iter().all(|it| it.code == Some(0)),
            Shows::Nothing => seen.iter().all(|it| it.code != Some(0)),
        };
        if !shown {
            complaints.push(format!("{}: `{words}` shows no fault: {seen:?}", exercise.name));
        }
    }
    let _ = process.kill();
    let _ = process.wait();
    complaints
}

/// Runs a program several times at the same time.
fn run_at_once(clients: u32, program: &str, arguments: &str) -> Vec<Finished> {
    let client = || {
        let mut command =
            if program == "break_it" { example("break_it") } else { Command::new(program) };
        run(command.args(arguments.split(' ')), CHECK_TIME)
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..clients).map(|_| scope.spawn(client)).collect();
        clients.into_iter().map(|client| client.join().expect("it ends")).collect()
    })
}

/// A task that names a tool promises that the tool shows the fault.
#[test]
#[ignore = "slow"]
fn the_tools_of_a_task_show_its_fault() {
    if !have("curl") {
        return;
    }
    let with_program = |exercise: &&Exercise| exercise.folder().join("main.rs").is_file();
    let exercises: Vec<&Exercise> = EXERCISES.iter().filter(with_program).collect();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.current_dir(root()).args(["build", "--locked", "--bins"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    for exercise in &exercises {
        let mine = root().join("exercises/mine").join(&exercise.name).with_extension("rs");
        assert!(!mine.exists(), "{} is no starting state", mine.display());
        cargo.args(["--package", &format!("ex_{}", exercise.name)]);
    }
    let built = run(&mut cargo, BUILD_TIME);
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let messages = built.stdout.lines().filter_map(|line| serde_json::from_str(line).ok());
    let programs: Vec<PathBuf> = messages
        .filter_map(|it: serde_json::Value| Some(it["executable"].as_str()?.into()))
        .collect();
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for exercise in exercises {
            let name = format!("ex_{}", exercise.name);
            let is_its =
                |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem == name.as_str());
            let program = programs.iter().find(is_its).expect("cargo has built it");
            let complaints = &complaints;
            scope.spawn(move || {
                let own = TOOLS.iter().filter(|tool| tool.exercise == exercise.name).count();
                let mut found = what_is_not_shown(program, exercise);
                if own == 0 {
                    found.push(format!("no tool of {} is tried", exercise.name));
                }
                complaints.lock().expect("no other thread has failed").extend(found);
            });
        }
    });
    none(complaints.into_inner().expect("no thread has failed"));
}

/// `cargo fmt` does not find the solutions, since no package has them for its own.
#[test]
fn every_text_is_formatted() {
    if !have("rustfmt") {
        return;
    }
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.current_dir(root()).args(["--check", "--edition", "2024"]);
    for exercise in EXERCISES.iter() {
        rustfmt.arg(exercise.folder().join("solution.rs"));
        for text in exercise.wrong() {
            let Text::Wrong(name, _) = text else { continue };
            rustfmt.arg(exercise.folder().join("wrong").join(name).with_extension("rs"));
        }
    }
    let finished = run(&mut rustfmt, CHECK_TIME);
    assert_eq!(finished.code, Some(0), "{}\n{}", finished.stdout, finished.stderr);
}

/// A workspace of one exercise that needs no package from elsewhere, for a learner to work in.
fn learners_workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a place for a small workspace");
    let copy = |path: &str| {
        let to = folder.path().join(path);
        fs::create_dir_all(to.parent().expect("it is in the workspace"))
            .expect("a folder can be made");
        fs::copy(root().join(path), to).unwrap_or_else(|error| panic!("{path}: {error}"));
    };
    for part in ["exercises/kit", "exercises/answer_404"] {
        for entry in fs::read_dir(root().join(part)).expect("it is there").flatten() {
            if entry.path().is_file() {
                copy(&format!("{part}/{}", entry.file_name().to_string_lossy()));
            }
        }
    }
    ["Cargo.lock", "exercises/build.rs", "exercises/mine/README.md"].into_iter().for_each(copy);
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("it is there");
    let mut manifest: toml::Table = manifest.parse().expect("it is TOML");
    let workspace = manifest["workspace"].as_table_mut().expect("it is a workspace");
    workspace.remove("default-members");
    workspace["members"] = vec!["exercises/kit", "exercises/answer_404"].into();
    fs::write(folder.path().join("Cargo.toml"), manifest.to_string()).expect("it can be written");
    folder
}

/// The way of a learner with plain cargo: the starting state, then a file of one's own, then a hint.
#[test]
fn a_learners_own_file_is_checked_and_a_hint_compiles_nothing() {
    let workspace = learners_workspace();
    let check = || {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
        cargo
            .current_dir(workspace.path())
            .env("CARGO_TARGET_DIR", workspace.path().join("target"));
        run(cargo.args(["test", "--offline", "--package", "ex_answer_404"]), BUILD_TIME)
    };
    let mine = workspace.path().join("exercises/mine");
    let start = check();
    let said = start.stdout + &start.stderr;
    assert!(start.code != Some(0) && said.contains("this is the starting state"), "{said}");
    assert!(said.contains("seen:     the status 200"), "{said}");

    let solution = root().join("exercises/answer_404/solution.rs");
    let solution = fs::read_to_string(solution).expect("it is there") + "\nfn not_used_yet() {}\n";
    fs::write(mine.join("answer_404.rs"), solution).expect("it can be written");
    let own = check();
    assert_eq!(own.code, Some(0), "{}\n{}", own.stdout, own.stderr);
    assert!(!own.stderr.contains("not_used_yet"), "{}", own.stderr);
    assert!(!own.stderr.contains("this is the starting state"), "{}", own.stderr);

    fs::write(mine.join("progress.json"), "{}").expect("it can be written");
    let again = check();
    assert!(again.code == Some(0) && !again.stderr.contains("Compiling"), "{}", again.stderr);
}
