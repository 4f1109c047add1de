//! `cargo xtask learn`: the real program, the real cargo, and small exercises that compile in a moment.
//!
//! Most of them run in a small repository that is made for the test.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant, SystemTime},
};

use ladder_tests::{Finished, none, program, root, run};
use records::workshop::lessons::{self, Lesson, Part};
use regex::Regex;
use tempfile::TempDir;

/// How long cargo may take for a few lines, on a machine that others use.
const COMPILE: Duration = Duration::from_secs(240);

/// A repository with three exercises. Their answers are "hang", for a check that never ends, or "right", or wrong.
struct Repository(TempDir);

const NAMES: [&str; 3] = ["first", "second", "third"];

impl Repository {
    fn new() -> Repository {
        let folder = Repository(tempfile::tempdir().expect("a temporary folder"));
        folder.write("book.toml", "");
        folder.write("exercises/mine/README.md", "");
        folder.write(
            "Cargo.toml",
            "[workspace]\nresolver = \"3\"\nmembers = [\"exercises/*\"]\nexclude = [\"exercises/mine\"]\n",
        );
        folder.copy("exercises/build.rs");
        for file in fs::read_dir(root().join("exercises/kit")).expect("it is there") {
            let name = file.expect("it can be read").file_name();
            folder.copy(&format!("exercises/kit/{}", name.display()));
        }
        folder.write(
            "exercises/kit/Cargo.toml",
            "[package]\nname = \"exercise_kit\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n",
        );
        let mut list = String::new();
        for name in NAMES {
            list += &format!(
                "[[exercise]]\nname = \"{name}\"\nchapter = \"ch01-x\"\ntitle = \"The {name}\"\nminutes = 10\n\
                 kind = \"write\"\nidea = \"None.\"\n"
            );
            folder.exercise(name);
        }
        folder.write("exercises/exercises.toml", &list);
        folder
    }

    fn exercise(&self, name: &str) {
        let write = |file: &str, text: &str| self.write(&format!("exercises/{name}/{file}"), text);
        write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"ex_{name}\"\nedition = \"2024\"\nbuild = \"../build.rs\"\n\
                 [lib]\npath = \"lib.rs\"\ntest = false\ndoctest = false\n\
                 [[test]]\nname = \"check\"\npath = \"check.rs\"\nharness = false\n\
                 [dependencies]\nexercise_kit = {{ path = \"../kit\" }}\n"
            ),
        );
        write(
            "lib.rs",
            &format!(
                "#[cfg_attr(exercise = \"start\", path = \"start.rs\")]\n\
                 #[cfg_attr(exercise = \"mine\", path = \"../mine/{name}.rs\")]\nmod exercise;\npub use exercise::*;\n"
            ),
        );
        write("start.rs", &answer(if name == "first" { "hang" } else { "wrong" }));
        write(
            "check.rs",
            &format!(
                "exercise_kit::checks![check];\n\
                 fn check() {{\n    let answer = ex_{name}::answer();\n    if answer == \"hang\" {{\n        \
                 std::fs::write(\"pid\", std::process::id().to_string()).unwrap();\n        \
                 loop {{ std::thread::park(); }}\n    }}\n    \
                 assert!(answer == \"right\", \"seen: {{answer}}, expected: right\");\n}}\n"
            ),
        );
        write("README.md", &format!("# The {name}\n\nDo the {name}.\n"));
        write("hints.md", "## One\n\nLook at it.\n\n## Two\n\nLook again.\n");
        write("solution.rs", &answer("right"));
        write("solution.md", "Because.\n");
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// The learner writes this answer.
    fn answer(&self, name: &str, text: &str) {
        self.write(&format!("exercises/mine/{name}.rs"), &answer(text));
    }

    /// The learner writes this answer, which nobody could tell from the times of the files: it is a day old.
    fn old_answer(&self, name: &str, text: &str) {
        let file = self.path("answer.rs");
        fs::write(&file, answer(text)).expect("it can be written");
        let day = Duration::from_secs(24 * 60 * 60);
        let opened = fs::File::options().append(true).open(&file).expect("it is there");
        opened.set_modified(SystemTime::now() - day).expect("it is ours");
        fs::rename(file, self.path(&format!("exercises/mine/{name}.rs"))).expect("it can be moved");
    }

    fn copy(&self, file: &str) {
        self.write(file, &fs::read_to_string(root().join(file)).expect("it is text"));
    }

    fn prepared(&self, mut command: Command) -> Command {
        command.current_dir(self.0.path()).env("CARGO_TARGET_DIR", self.path("target"));
        command
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.prepared(program("learn"));
        command.args(arguments);
        command
    }

    /// `cargo xtask learn` with these arguments, to its end.
    fn learn(&self, arguments: &[&str]) -> Finished {
        run(&mut self.command(arguments), COMPILE)
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.prepared(Command::new(env!("CARGO")));
        command.args(arguments);
        command
    }

    /// The line of an exercise in the list.
    #[track_caller]
    fn listed(&self, name: &str) -> String {
        let list = self.learn(&["list"]).stdout;
        let line = list.lines().find(|line| line.contains(&format!(" {name} ")));
        line.unwrap_or_else(|| panic!("{name} is not in {list}")).to_owned()
    }
}

fn answer(text: &str) -> String {
    format!("pub fn answer() -> &'static str {{\n    {text:?}\n}}\n")
}

/// The tool, watching a file, with pipes for its terminal.
struct Watch {
    process: Child,
    said: Arc<Mutex<String>>,
}

impl Watch {
    fn start(mut command: Command) -> Watch {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("the tool starts");
        let said = Arc::new(Mutex::new(String::new()));
        listen(process.stdout.take().expect("it is piped"), &said);
        listen(process.stderr.take().expect("it is piped"), &said);
        Watch { process, said }
    }

    fn press(&mut self, key: &str) {
        let input = self.process.stdin.as_mut().expect("it is piped");
        input.write_all(format!("{key}\n").as_bytes()).expect("it listens");
    }

    fn said(&self) -> String {
        self.said.lock().expect("no reader has failed").clone()
    }

    /// Waits until this has been said; all that was said until then.
    #[track_caller]
    fn hears(&self, words: &str) -> String {
        let start = Instant::now();
        loop {
            let said = self.said();
            if said.contains(words) {
                return said;
            }
            assert!(start.elapsed() < COMPILE, "{words:?} was never said:\n{said}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for its end, and for both listeners: its last words may still be in a pipe then.
    #[track_caller]
    fn ends(mut self) -> String {
        let start = Instant::now();
        while self.process.try_wait().expect("it can be asked").is_none()
            || Arc::strong_count(&self.said) > 1
        {
            assert!(start.elapsed() < COMPILE, "it does not end:\n{}", self.said());
            thread::sleep(Duration::from_millis(20));
        }
        assert!(self.process.wait().expect("it has ended").success(), "{}", self.said());
        self.said()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn listen(pipe: impl Read + Send + 'static, said: &Arc<Mutex<String>>) {
    let said = Arc::clone(said);
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            let mut said = said.lock().expect("no reader has failed");
            *said += &line;
            said.push('\n');
        }
    });
}

/// Waits until the check of this exercise has begun, which never ends; its process.
#[track_caller]
fn hanging(repository: &Repository, watch: &Watch, name: &str) -> u32 {
    let file = repository.path(&format!("exercises/{name}/pid"));
    let start = Instant::now();
    loop {
        if let Ok(number) = fs::read_to_string(&file).unwrap_or_default().parse() {
            fs::remove_file(&file).expect("it is there");
            return number;
        }
        assert!(start.elapsed() < COMPILE, "the check does not begin:\n{}", watch.said());
        thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process stays; a system other than Linux is not asked. The process of a check ends when it notices that
/// nobody listens any more.
fn lives(process: u32) -> bool {
    let start = Instant::now();
    while cfg!(target_os = "linux") && Path::new(&format!("/proc/{process}")).exists() {
        if start.elapsed() > Duration::from_secs(20) {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

/// A limit on the size of files stands for the full disk: a file can be made, and nothing written into it.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_no_file_that_would_count_as_begun() {
    let repository = Repository::new();
    let on_a_full_disk = |arguments: &[&str]| {
        let learn = repository.command(arguments);
        let mut shell = repository.prepared(Command::new("sh"));
        // Without the trap, the system ends the program at once.
        shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]);
        shell.arg(learn.get_program()).args(learn.get_args());
        run(&mut shell, COMPILE)
    };
    let mine = repository.path("exercises/mine/first.rs");
    let full = on_a_full_disk(&["start", "first"]);
    assert_eq!(full.code, Some(1), "{full:?}");
    assert!(
        full.stderr.contains("cannot make exercises/mine/first.rs: File too large"),
        "{full:?}"
    );
    let left: Vec<_> =
        fs::read_dir(repository.path("exercises/mine")).expect("it is there").collect();
    assert_eq!(left.len(), 1, "only its README: {left:?}");

    let starts = || fs::read(repository.path("exercises/first/start.rs")).expect("it is there");
    assert_eq!(repository.learn(&["start", "first"]).code, Some(0));
    assert_eq!(fs::read(&mine).expect("it was made"), starts());

    repository.answer("first", "right");
    let kept = repository.path("exercises/mine/kept/first-1.rs");
    assert_eq!(on_a_full_disk(&["reset", "first", "--yes"]).code, Some(1));
    assert!(!mine.exists() && fs::read_to_string(&kept).expect("it is kept").contains("right"));
    assert_eq!(repository.learn(&["start", "first"]).code, Some(0));
    assert_eq!(fs::read(&mine).expect("it was made"), starts());
}

#[test]
fn what_the_compiler_says_is_shown() {
    let repository = Repository::new();
    repository.write("exercises/mine/second.rs", "pub fn answer() -> &'static str {\n    7\n}\n");
    let failed = repository.learn(&["check", "second"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.stderr.contains("error[E0308]: mismatched types"), "{failed:?}");
    assert!(failed.stderr.contains("Compiling ex_second"), "{failed:?}");
    assert!(failed.stdout.contains("Not yet: The second."), "{failed:?}");
    repository.answer("second", "seven");
    let failed = repository.learn(&["check", "second"]);
    assert!(failed.stdout.contains("seen: seven, expected: right"), "{failed:?}");
}

/// The check of the first exercise never ends; no letter waits for it.
#[test]
#[ignore = "slow"]
fn letters_act_while_a_check_runs_and_an_obsolete_check_is_ended() {
    let repository = Repository::new();
    let mut watch = Watch::start(repository.command(&["watch"]));
    let first = hanging(&repository, &watch, "first");
    watch.press("h");
    watch.hears("Hint 1 of 2: One");
    watch.press("s");
    watch.hears("the solution of first shows itself when");
    assert!(!watch.said().contains("Not yet"), "{}", watch.said());

    // Run again: another process.
    watch.press("r");
    let second = hanging(&repository, &watch, "first");
    assert!(first != second && !lives(first), "{first} still runs");
    // Saved: the check of what was there before is ended.
    repository.answer("first", "nearly");
    watch.hears("seen: nearly, expected: right");
    watch.hears("Not yet: The first.");
    assert!(!lives(second), "{second} still runs");
    repository.answer("first", "hang");
    let third = hanging(&repository, &watch, "first");

    watch.press("n");
    watch.hears("Skipped: The first.");
    watch.hears("seen: wrong, expected: right");
    assert!(!lives(third), "{third} still runs");
    assert!(repository.listed("first").contains("skipped"));

    repository.answer("second", "hang");
    let last = hanging(&repository, &watch, "second");
    watch.press("q");
    watch.ends();
    assert!(!lives(last), "{last} still runs");
}

#[test]
#[ignore = "slow"]
fn what_is_skipped_is_listed_and_comes_back() {
    let repository = Repository::new();
    let skipped = repository.learn(&["skip"]);
    assert!(skipped.stdout.contains("Skipped: The first."), "{skipped:?}");
    assert!(skipped.stdout.contains("Do the second."), "{skipped:?}");
    assert!(repository.listed("first").contains("skipped"));
    assert!(repository.listed("second").starts_with("> begun"), "{}", repository.listed("second"));
    // By its name, and it is skipped no more.
    repository.learn(&["start", "first"]);
    assert!(repository.listed("first").starts_with("> begun"), "{}", repository.listed("first"));
    repository.learn(&["skip"]);
    // By itself, when nothing else is left.
    for (name, next) in [("second", "Next: The third"), ("third", "Next: The first")] {
        repository.answer(name, "right");
        let passed = repository.learn(&["check", name]);
        assert!(passed.stdout.contains(next), "{passed:?}");
    }
    let alone = repository.learn(&["skip", "first"]);
    assert!(alone.stdout.contains("the only exercise that is still open"), "{alone:?}");
}

/// A hint writes down that it was shown, and so does each check; neither is a reason to compile anything.
#[test]
#[ignore = "slow"]
fn progress_makes_no_package_stale() {
    let repository = Repository::new();
    repository.answer("second", "right");
    repository.learn(&["check", "second"]);
    let build = || {
        let all = ["build", "--workspace", "--message-format", "json"];
        let built = run(&mut repository.cargo(&all), COMPILE);
        assert_eq!(built.code, Some(0), "{built:?}");
        let fresh = |name: &str| {
            let library = format!("\"name\":\"ex_{name}\"");
            let line = built
                .stdout
                .lines()
                .find(|line| line.contains("compiler-artifact") && line.contains(&library));
            line.unwrap_or_else(|| panic!("{name} was not built: {built:?}"))
                .contains("\"fresh\":true")
        };
        NAMES.map(fresh)
    };
    build();
    assert_eq!(build(), [true; 3], "nothing has changed");
    repository.learn(&["hint", "second"]);
    repository.learn(&["hint", "third"]);
    assert_eq!(build(), [true; 3], "a hint was shown");
    // A save is the concern of its own exercise, and of those that wait for a file.
    repository.learn(&["start", "third"]);
    build();
    repository.answer("second", "wrong");
    assert!(build()[2], "another exercise was saved");
    // A file that was copied by hand is found.
    repository.answer("first", "right");
    assert!(!build()[0], "the first has a file now");
    let checked = run(&mut repository.cargo(&["test", "--package", "ex_first"]), COMPILE);
    assert_eq!(checked.code, Some(0), "{checked:?}");
}

/// Cargo goes by the times of files, and a file that is moved into its place may be older than the last one.
#[test]
fn a_check_judges_what_the_file_holds_now() {
    let repository = Repository::new();
    repository.answer("second", "right");
    assert_eq!(repository.learn(&["check", "second"]).code, Some(0));
    let mine = repository.path("exercises/mine/second.rs");
    let written = || fs::metadata(&mine).and_then(|it| it.modified()).expect("it is there");
    let before = written();
    assert_eq!(repository.learn(&["check", "second"]).code, Some(0));
    assert_eq!(written(), before, "an editor would ask about a file whose time has changed");
    repository.old_answer("second", "moved");
    let failed = repository.learn(&["check", "second"]);
    assert!(failed.stdout.contains("seen: moved, expected: right"), "{failed:?}");
    repository.old_answer("second", "right");
    let passed = repository.learn(&["check", "second"]);
    assert!(passed.code == Some(0) && passed.stdout.contains("Passed: The second."), "{passed:?}");

    let mut watch = Watch::start(repository.command(&["watch", "second"]));
    watch.hears("Passed: The second.");
    repository.old_answer("second", "moved again");
    watch.hears("seen: moved again, expected: right");
    watch.press("q");
    watch.ends();
}

/// The second exercise, whose answer comes after this.
fn answer_after(statement: &str) -> String {
    format!("pub fn answer() -> &'static str {{\n    {statement};\n    \"right\"\n}}\n")
}

/// Files of a learner that end, hang or flood their program, and what is said about each.
const NO_ANSWER: [(&str, &str); 8] = [
    ("std::process::exit(0)", ENDED),
    ("std::thread::spawn(|| std::process::exit(0)).join().unwrap()", ENDED),
    ("println!(\"passed\"); std::process::exit(0)", ENDED),
    ("std::process::abort()", ENDED),
    ("fn deep(n: u64) -> u64 { 1 + deep(n + 1) } println!(\"{}\", deep(0))", ENDED),
    ("loop { println!(\"read 0 bytes\") }", FLOODED),
    ("loop { print!(\"read 0 bytes \") }", FLOODED),
    ("loop { std::thread::park() }", "seen:     check had not ended after 12s"),
];

const ENDED: &str = "seen:     the program ended before its checks were over";
const FLOODED: &str = "seen:     your program has printed more than";

#[test]
#[ignore = "slow"]
fn what_ends_or_hangs_or_floods_its_program_has_failed_and_is_told_so() {
    let repository = Repository::new();
    for (statement, why) in NO_ANSWER {
        repository.write("exercises/mine/second.rs", &answer_after(statement));
        let mut by_learn = repository.command(&["check", "second"]);
        let mut by_cargo = repository.cargo(&["test", "--package", "ex_second"]);
        for command in [&mut by_learn, &mut by_cargo] {
            let failed = run(command.env("EXERCISE_SECONDS", "1"), COMPILE);
            assert!(failed.code.is_some_and(|code| code != 0), "{statement}: {failed:?}");
            assert!(failed.stdout.contains(why), "{statement}: {failed:?}");
            assert!(failed.stdout.len() < 600_000, "{statement}: {}", failed.stdout.len());
        }
        assert!(!repository.listed("second").contains("passed"), "{statement}");
    }
}

/// Nothing can be printed any more, not even that a check hangs.
#[test]
#[ignore = "slow"]
fn a_program_that_falls_silent_is_ended() {
    let repository = Repository::new();
    let statement = "std::mem::forget(std::io::stdout().lock()); \
                     std::thread::spawn(|| println!()).join().unwrap()";
    repository.write("exercises/mine/second.rs", &answer_after(statement));
    let mut check = repository.command(&["check", "second"]);
    let failed = run(check.env("EXERCISE_SECONDS", "1"), COMPILE);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.stdout.contains("nothing happened for 13s"), "{failed:?}");
}

#[test]
fn what_a_program_prints_is_shown() {
    let repository = Repository::new();
    let text = "pub fn answer() -> &'static str {\n    \
                (0..1000).for_each(|number| println!(\"line {number}\"));\n    \"wrong\"\n}\n";
    repository.write("exercises/mine/second.rs", text);
    let failed = repository.learn(&["check", "second"]).stdout;
    for line in ["line 0\n", "\nline 999\n", "seen: wrong", "\n0 of 1 checks passed\n"] {
        assert!(failed.contains(line), "{failed}");
    }
}

/// The list that a table of TOML has below this name.
fn list_of(table: &toml::Value, name: &str) -> Vec<toml::Value> {
    table[name].as_array().expect("a list").clone()
}

/// The name of something in the file of the lessons.
fn name_of(table: &toml::Value) -> String {
    table["name"].as_str().expect("a text").to_owned()
}

/// The exercises of each lesson of the book, in order.
fn lessons() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(root().join("book/lessons.toml")).expect("the lessons");
    let all = toml::Value::Table(text.parse().expect("it is TOML"));
    let known: Vec<String> = list_of(&all, "exercise").iter().map(name_of).collect();
    let mut lessons = Vec::new();
    for lesson in list_of(&all, "lesson") {
        let days = list_of(&lesson, "day");
        let parts = days.iter().flat_map(|day| list_of(day, "parts"));
        let names = parts.filter_map(|part| part.as_str().map(str::to_owned));
        lessons.push((name_of(&lesson), names.filter(|name| known.contains(name)).collect()));
    }
    lessons
}

/// A copy of what the tool reads of the book and the exercises: nothing in it is compiled.
fn copy_of_the_book() -> Repository {
    let copy = Repository(tempfile::tempdir().expect("a temporary folder"));
    copy.write("book.toml", "");
    copy.write("Cargo.toml", "[workspace]\n");
    for folder in ["book", "exercises"] {
        for entry in walkdir::WalkDir::new(root().join(folder)).max_depth(2) {
            let entry = entry.expect("it can be read");
            let name = entry.path().strip_prefix(root()).expect("it is below");
            let text = ["md", "toml", "rs"].map(Some);
            let ending = name.extension().and_then(|ending| ending.to_str());
            if text.contains(&ending) && !name.starts_with("exercises/mine") {
                let copied = fs::read_to_string(entry.path()).expect("it is text");
                copy.write(&name.to_string_lossy(), &copied);
            }
        }
    }
    copy
}

#[test]
#[ignore = "slow"]
fn a_lessons_own_order_is_followed() {
    let list = fs::read_to_string(root().join("exercises/exercises.toml")).expect("the list");
    let name = Regex::new("(?m)^name = \"(.+)\"$").expect("it is a pattern");
    let listed: Vec<String> = name.captures_iter(&list).map(|name| name[1].to_owned()).collect();
    let lessons = lessons();
    assert!(lessons.iter().filter(|(_, exercises)| exercises.len() > 1).count() > 1, "{lessons:?}");
    for (lesson, exercises) in &lessons {
        let book = copy_of_the_book();
        let start = ["start", "--lesson", lesson];
        if exercises.is_empty() {
            let refused = book.learn(&start);
            assert_eq!(refused.code, Some(1), "{refused:?}");
            assert!(refused.stderr.contains("has no exercise; these have: "), "{refused:?}");
            continue;
        }
        // Somewhere else before: the lesson begins with its own first.
        book.learn(&["start", "four_for_a_hundred"]);
        let begun = book.learn(&start);
        assert!(
            begun.stdout.contains(&format!("Made exercises/mine/{}.rs", exercises[0])),
            "{begun:?}"
        );
        let mut passed = Vec::new();
        for name in exercises {
            let next = book.learn(&[]);
            assert!(next.stdout.contains(&format!("({name};")), "{lesson}, {passed:?}: {next:?}");
            passed.push(format!("\"{name}\": {{\"passed\": \"2030-01-01T00:00:00Z\"}}"));
            book.write(
                "exercises/progress.json",
                &format!(
                    "{{\"lesson\": \"{lesson}\", \"current\": \"{name}\", \"exercises\": {{{}}}}}",
                    passed.join(", ")
                ),
            );
        }
        let after = book.learn(&[]);
        assert!(after.stdout.contains("what follows is not in it"), "{after:?}");
        // Back to the order of the list: its first exercise that is open.
        let none = book.learn(&["start", "--lesson", "none"]);
        let first =
            listed.iter().find(|name| !exercises.contains(name)).expect("a lesson is short");
        assert!(none.stdout.contains(&format!("({first};")), "{none:?}");
    }
    let unknown = copy_of_the_book().learn(&["start", "--lesson", "a-week"]);
    assert!(unknown.stderr.contains("no lesson `a-week`, only: "), "{unknown:?}");
}

/// What a command prints on standard output.
#[track_caller]
fn line_of(finished: &Finished) -> &str {
    assert_eq!(finished.code, Some(0), "{finished:?}");
    finished.stdout.trim_end()
}

#[test]
fn a_learners_place_is_one_line() {
    let repository = Repository::new();
    let nameless = repository.learn(&["report"]);
    assert_eq!(nameless.stdout, "0 of 3 · first, not begun\n");
    assert!(nameless.stderr.contains("--name \"pair 7\""), "{nameless:?}");
    let named = repository.learn(&["report", "--name", "pair 7"]);
    assert_eq!(line_of(&named), "pair 7 · 0 of 3 · first, not begun");
    assert_eq!(named.stderr, "");
    repository.learn(&["start"]);
    assert_eq!(line_of(&repository.learn(&["report"])), "pair 7 · 0 of 3 · first, 0 hints");
    repository.learn(&["hint"]);
    assert_eq!(line_of(&repository.learn(&["report"])), "pair 7 · 0 of 3 · first, 1 hint");
    repository.learn(&["skip"]);
    let skipped = repository.learn(&["report"]);
    assert_eq!(line_of(&skipped), "pair 7 · 0 of 3, 1 skipped · second, 0 hints");
    let passed = NAMES.map(|name| format!("{name:?}: {{\"passed\": \"2030\"}}")).join(", ");
    let progress = format!("{{\"name\": \"pair 7\", \"exercises\": {{{passed}}}}}");
    repository.write("exercises/progress.json", &progress);
    assert_eq!(line_of(&repository.learn(&["report"])), "pair 7 · 3 of 3 · all passed");
}

/// A report of the judge, as it was recorded, about the server of this learner.
fn judged(learner: &str) -> String {
    let recorded = root().join("measurements/results/judged/first_server.json");
    let report = fs::read_to_string(recorded).expect("it is there");
    report.replacen("\"command\"", &format!("\"learner\": {learner:?},\n\"command\""), 1)
}

#[test]
fn a_class_is_one_table_and_one_page_whatever_is_broken() {
    let repository = Repository::new();
    let begun = "{\"exercises\": {\"first\": {\"passed\": \"2030\"}, \"second\": {\"hints\": 2}}}";
    repository.write("class/anna/progress.json", begun);
    repository.write("class/judged.json", &judged("anna"));
    // Windows PowerShell writes UTF-16.
    let utf16: Vec<u8> =
        format!("\u{feff}{}", judged("Zoë")).encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(repository.path("class/theirs.json"), utf16).expect("a file");
    let lines = "pair 10 · 0 of 3 · first, not begun\n[10:40] Bob: pair 9 · 0 of 3 · first, 0 hints\n\
                 [10:42] Bob: pair 9 · 0 of 3 · first, 1 hint\npair 10 · 1 of 3 · second, 0 hints\n<b> · 3 of 3 · all passed\n";
    repository.write("class/lines.txt", lines);
    let good = repository.learn(&["report", "class"]);
    assert_eq!(good.code, Some(0), "{good:?}");
    let page = repository.path("target/where-is-everybody.html");
    let table = [
        "         passed  at               HTTP/1.1  clients  contract  outside",
        "pair 9   0 of 3  first, 1 hint",
        "anna     1 of 3  second, 2 hints  3 of 9    3 of 9   3 of 9    144 of 194",
        "pair 10  1 of 3  second, 0 hints",
        "<b>      3 of 3  all passed",
        "Zoë                               3 of 9    3 of 9   3 of 9    144 of 194",
        "",
        "4 learners: 1 at first, 2 at second, 1 with all passed",
        "",
    ];
    let said = good.stdout.split_once("The same as a page: ").expect("it says where");
    let (shown, place) = said;
    assert_eq!(shown, format!("{}\n", table.join("\n")));
    // The system's folder for what is temporary may have two names.
    assert!(place.trim_end().ends_with("where-is-everybody.html"), "{place}");
    let html = fs::read_to_string(&page).expect("it was written");
    for words in ["&lt;b&gt;", "value=\"1\"></progress> 1 of 3</td><td>second, 2 hints</td>", "Zoë"]
    {
        assert!(html.contains(words), "{words}: {html}");
    }
    for outside in ["http:", "https:", "<link", "src="] {
        assert!(!html.contains(outside), "{outside}: {html}");
    }

    fs::create_dir(repository.path("empty")).expect("a folder");
    repository.write("broken/damaged.json", "{ not quite");
    repository.write("broken/other.json", "{\"a\": 1}");
    repository.write("broken/chat.txt", "thanks!\n");
    repository.write("broken/old.json", "{\"lesson\": \"gone\", \"exercises\": {}}");
    repository.write("broken/half.txt", "thanks!\npair 2 · 0 of 3 · first, 1 hint\n");
    let broken = repository.learn(&["report", "broken", "empty", "absent.json"]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    for fault in [
        "broken/damaged.json is damaged",
        "broken/other.json is neither a learner's progress.json nor a report of `judge --json`",
        "broken/chat.txt has no line of `cargo xtask learn report`",
        "broken/old.json: ",
        "broken/half.txt, line 1, is no report: thanks!",
        "empty holds no report",
        "cannot read absent.json",
    ] {
        assert!(broken.stderr.contains(fault), "{fault}: {broken:?}");
    }
    for row in ["\npair 2  0 of 3  first, 1 hint\n", "\nold     0 of 3  first, not begun\n"] {
        assert!(broken.stdout.contains(row), "{row}: {broken:?}");
    }
    let nothing = repository.learn(&["report", "empty"]);
    assert_eq!(nothing.code, Some(1), "{nothing:?}");
    assert!(nothing.stderr.ends_with("error: there is nothing to show\n"), "{nothing:?}");
}

/// A cargo that writes down what it is asked for, and fails at an argument that begins with a word.
#[cfg(unix)]
const FAILING_CARGO: &str = "#!/bin/sh
echo \"$@\" >>\"$ASKED\"
for argument in \"$@\"; do
    case \"$argument\" in \"$FAILS_AT\"*) exit 101;; esac
done
";

/// The path of such a cargo, in this folder.
#[cfg(unix)]
fn failing_cargo(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;

    let cargo = folder.join("cargo");
    fs::write(&cargo, FAILING_CARGO).expect("a file");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("it is ours");
    cargo
}

/// Prepares a machine for half a day with this cargo, which fails at this word.
#[cfg(unix)]
fn prepare(cargo: &Path, word: &str) -> Finished {
    let mut prepare = ladder_tests::tool();
    prepare.env("CARGO", cargo).env("ASKED", cargo.with_file_name("asked"));
    prepare.env("FAILS_AT", word).current_dir(root());
    run(prepare.args(["prepare", "half-day"]), COMPILE)
}

#[cfg(unix)]
fn last_line(finished: &Finished) -> &str {
    finished.stdout.lines().last().unwrap_or_default()
}

/// Those of the lines that begin with these words.
#[cfg(unix)]
fn lines_with<'a>(lines: &'a str, words: &str) -> Vec<&'a str> {
    lines.lines().filter(|line| line.starts_with(words)).collect()
}

/// Asked for two exercises at once, cargo would compile Tokio with the features of both, and in the room with those of each.
#[test]
#[cfg(unix)]
fn a_machine_is_prepared_by_the_calls_of_the_lesson_and_the_last_line_says_how_that_ended() {
    use ladder_tests::{have, tool};

    let needs = lessons::needs_of(root(), "half-day").expect("it is a lesson");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cargo = failing_cargo(folder.path());
    let ready = prepare(&cargo, "nothing-fails");
    assert_eq!(ready.code, Some(if have("curl") { 0 } else { 1 }), "{ready:?}");
    let asked = fs::read_to_string(folder.path().join("asked")).expect("cargo was asked");
    assert_eq!(lines_with(&asked, "fetch ").len(), 1, "{asked}");
    let checks = lines_with(&asked, "test ");
    assert_eq!(checks.len(), needs.exercises.len(), "{asked}");
    for (check, name) in checks.iter().zip(&needs.exercises) {
        assert!(check.ends_with(&format!(" --no-run --test check --package ex_{name}")), "{check}");
    }
    let examples: String = needs.examples.iter().map(|name| format!(" --example {name}")).collect();
    let builds = lines_with(&asked, "build ");
    assert!(builds.iter().any(|build| build.ends_with(&examples)), "{asked}");

    let offline = prepare(&cargo, "fetch");
    assert_eq!(offline.code, Some(1), "{offline:?}");
    let line = last_line(&offline);
    assert!(line.starts_with("Not ready for half-day yet: "), "{line}");
    assert!(line.contains("the packages (they are not all on this disk: connect"), "{line}");
    let failed = prepare(&cargo, "ex_");
    let name = format!("the exercise {} (cargo says above", needs.exercises[0]);
    assert!(last_line(&failed).contains(&name), "{failed:?}");

    let mut unknown = tool();
    let unknown = run(unknown.current_dir(root()).args(["prepare", "a-week"]), COMPILE);
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    assert!(unknown.stderr.contains("no lesson `a-week`, only: "), "{unknown:?}");
}

/// Another command of cargo's would compile something in the room that nobody has prepared.
#[test]
fn each_lesson_types_only_what_a_machine_can_be_prepared_for() {
    let mut unknown = Vec::new();
    let all = lessons::lessons(root()).expect("they are well formed");
    for command in all.iter().flat_map(Lesson::parts).flat_map(Part::commands) {
        let words: Vec<&str> = command.split(' ').skip_while(|word| word.contains('=')).collect();
        match words[..] {
            ["cargo", "run" | "build", "--example", _] => {}
            ["cargo", "run", "--example", _, "--", ..] => {}
            ["cargo", "new", _] | ["cargo", "xtask", "learn" | "doctor", ..] => {}
            ["cargo", ..] => unknown.push(command.to_owned()),
            _ => {}
        }
    }
    none(unknown);
}
