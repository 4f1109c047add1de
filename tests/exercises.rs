//! The exercises: every starting state compiles and fails in words, every solution passes.
//!
//! Both texts of every exercise are built by cargo as a learner's own would be
//! (`LADDER_EXERCISE` says which), and their checks are run as programs, each with a deadline.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::Command,
    sync::{LazyLock, Mutex},
    thread,
    time::Duration,
};

use ladder_tests::{Finished, run};

/// How long cargo may take to build all checks once.
const BUILD_TIME: Duration = Duration::from_secs(900);

/// How long one check may take, with everything in it.
const CHECK_TIME: Duration = Duration::from_secs(180);

/// How many checks run side by side. Most of them wait.
const SIDE_BY_SIDE: usize = 8;

/// A text of an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Start,
    Solution,
}

impl Text {
    fn name(self) -> &'static str {
        match self {
            Text::Start => "start",
            Text::Solution => "solution",
        }
    }

    /// Seconds that a check waits before it gives up: a starting state only costs them, a solution may need them.
    fn seconds(self) -> &'static str {
        match self {
            Text::Start => "3",
            Text::Solution => "60",
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the root")
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

/// Builds the check of every exercise with this text; the programs by exercise, or what the compiler said.
fn build(text: Text) -> Result<BTreeMap<String, PathBuf>, String> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.current_dir(root()).env("LADDER_EXERCISE", text.name());
    cargo.args(["test", "--locked", "--no-run", "--test", "check"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    for exercise in EXERCISES.iter() {
        cargo.arg("--package").arg(format!("ex_{}", exercise.name));
    }
    let finished = run(&mut cargo, BUILD_TIME);
    if finished.code != Some(0) {
        return Err(format!(
            "a {} does not compile:
{}",
            text.name(),
            finished.stderr
        ));
    }
    let mut programs = BTreeMap::new();
    for line in finished.stdout.lines() {
        let message: serde_json::Value = serde_json::from_str(line).expect("cargo writes JSON");
        let Some(program) = message["executable"].as_str() else { continue };
        if message["target"]["name"] == "check" {
            // ".../exercises/NAME/check.rs"
            let source = Path::new(message["target"]["src_path"].as_str().expect("a path"));
            let folder = source.parent().and_then(Path::file_name).expect("it lies in a folder");
            programs.insert(folder.to_string_lossy().into_owned(), PathBuf::from(program));
        }
    }
    Ok(programs)
}

/// What checks did, by exercise.
type Outcomes = BTreeMap<String, Finished>;

/// What the check of each exercise did with this text.
fn run_all(text: Text) -> Result<Outcomes, String> {
    let programs = build(text)?;
    let waiting = Mutex::new(programs.into_iter());
    let finished = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().expect("no other thread has failed").next();
                    let Some((name, program)) = next else { return };
                    let mut check = Command::new(program);
                    check.current_dir(root().join("exercises").join(&name));
                    check.env("EXERCISE_SECONDS", text.seconds());
                    // It panics over a check that does not end, and has killed it then.
                    let outcome = catch_unwind(AssertUnwindSafe(|| run(&mut check, CHECK_TIME)));
                    let outcome = outcome.unwrap_or_else(|_| Finished {
                        code: None,
                        stdout: String::new(),
                        stderr: String::new(),
                    });
                    finished.lock().expect("no other thread has failed").insert(name, outcome);
                }
            });
        }
    });
    Ok(finished.into_inner().expect("no thread has failed"))
}

/// What the checks did with the starting states and with the solutions. Built and run once.
static OUTCOMES: LazyLock<[Result<Outcomes, String>; 2]> =
    LazyLock::new(|| [run_all(Text::Start), run_all(Text::Solution)]);

/// What the checks did with this text.
#[track_caller]
fn outcomes(text: Text) -> &'static Outcomes {
    OUTCOMES[text as usize].as_ref().unwrap_or_else(|complaint| panic!("{complaint}"))
}

/// What is wrong with an outcome of a check that had this text.
fn judge(name: &str, text: Text, outcome: Option<&Finished>) -> Option<String> {
    let Some(outcome) = outcome else { return Some(format!("{name}: no check was built")) };
    let said = format!("{}\n{}", outcome.stdout, outcome.stderr);
    let words = said.contains("seen:") && said.contains("expected:");
    match (text, outcome.code) {
        (_, None) => Some(format!("{name}: the check of the {} does not end", text.name())),
        (Text::Start, Some(0)) => Some(format!("{name}: the starting state passes its check")),
        (Text::Start, _) if !words => {
            Some(format!("{name}: the starting state fails without words:\n{said}"))
        }
        (Text::Solution, Some(code)) if code != 0 => {
            Some(format!("{name}: the solution fails its check:\n{said}"))
        }
        _ => None,
    }
}

fn complaints(text: Text, outcomes: &Outcomes) -> Vec<String> {
    let judged =
        EXERCISES.iter().map(|exercise| judge(&exercise.name, text, outcomes.get(&exercise.name)));
    judged.flatten().collect()
}

/// The names that were ever published. They are for ever, so this list only grows.
const NAMES: &str = include_str!("exercise-names.txt");

#[test]
fn names_never_change() {
    let names: Vec<&str> = NAMES.lines().filter(|line| !line.starts_with('#')).collect();
    let listed: Vec<&str> = EXERCISES.iter().map(|exercise| exercise.name.as_str()).collect();
    for name in &names {
        assert!(
            listed.contains(name),
            "the exercise {name} is gone, and with it its learners' progress"
        );
    }
    for name in &listed {
        assert!(names.contains(name), "{name} is new: add it to tests/exercise-names.txt");
    }
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
    for exercise in EXERCISES.iter() {
        let (name, folder) = (&exercise.name, exercise.folder());
        for file in FILES.iter().filter(|file| !folder.join(file).is_file()) {
            complaints.push(format!("{name} has no {file}"));
        }
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
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
        if !(10..=20).contains(&exercise.minutes) {
            complaints.push(format!("{name}: {} minutes", exercise.minutes));
        }
        let manifest = read("Cargo.toml");
        if !manifest.contains(&format!("name = \"ex_{name}\"")) {
            complaints.push(format!("{name}: its package has another name"));
        }
        if !read("lib.rs").contains(&format!("path = \"../mine/{name}.rs\"")) {
            complaints.push(format!("{name}: lib.rs does not name the learner's file"));
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
    assert_eq!(folders, listed, "left: folders, right: exercises.toml");
    for rung in 1..=6 {
        let own = EXERCISES.iter().filter(|it| it.chapter.starts_with(&format!("ch0{rung}-")));
        assert!(own.count() >= 3, "rung {rung} has fewer than three exercises");
    }
    let diagnose = EXERCISES.iter().filter(|exercise| exercise.kind == "diagnose").count();
    assert!(diagnose >= 5 && EXERCISES.len() >= 18, "{} exercises", EXERCISES.len());
}

#[track_caller]
fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn every_starting_state_fails_in_words() {
    none(complaints(Text::Start, outcomes(Text::Start)));
}

#[test]
fn every_solution_passes() {
    none(complaints(Text::Solution, outcomes(Text::Solution)));
}

/// A solution that is as broken as its starting state is reported, for every single exercise; and so is a
/// starting state that is solved.
#[test]
fn a_broken_solution_and_a_solved_start_are_reported() {
    assert_eq!(complaints(Text::Solution, outcomes(Text::Start)).len(), EXERCISES.len());
    assert_eq!(complaints(Text::Start, outcomes(Text::Solution)).len(), EXERCISES.len());
    assert!(judge("x", Text::Solution, None).is_some());
}
