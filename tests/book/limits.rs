//! How long our files and functions may be: one thought each.

use std::path::PathBuf;

use ladder_tests::none;

use super::repository::{files_below, read, root, short};

/// The most lines of a file.
const FILE: usize = 500;

/// The most lines of a function, its first and its last among them.
const FUNCTION: usize = 60;

/// A line that begins a function: what stands before `fn`.
const BEFORE: [&str; 7] =
    ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "default"];

/// The name of the function that begins in this line.
fn begins(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    words.by_ref().find(|word| !BEFORE.contains(word)).filter(|word| *word == "fn")?;
    let name = words.next()?;
    name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

/// The functions of a source that rustfmt has formatted, with their first lines, from 1, and their lengths: such a
/// function ends with the brace that is indented as its beginning is.
fn functions(source: &str) -> Vec<(&str, usize, usize)> {
    let lines: Vec<&str> = source.lines().collect();
    let mut functions = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = begins(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &&str| match line.strip_prefix(indent) {
            // A body, or a declaration without one.
            Some(rest) => rest == "}" || !rest.starts_with(' ') && rest.ends_with([';', '}']),
            None => false,
        };
        let length = lines[at..].iter().position(ends).map_or(lines.len() - at, |last| last + 1);
        functions.push((name, at + 1, length));
    }
    functions
}

/// What is too long in the sources below these folders.
fn too_long(folders: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    for path in folders.iter().flat_map(|folder| files_below(&root().join(folder))) {
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let (source, path) = (read(&path), short(&path));
        let lines = source.lines().count();
        if lines > FILE {
            complaints.push(format!("{path} has {lines} lines, and may have {FILE}"));
        }
        for (name, line, length) in functions(&source) {
            if length > FUNCTION {
                complaints.push(format!(
                    "{path}:{line}: {name} has {length} lines, and may have {FUNCTION}"
                ));
            }
        }
    }
    complaints
}

#[test]
fn files_and_functions_are_short() {
    none(too_long(&["examples", "exercises", "live", "tests", "tools", "xtask"]));
}

/// The lines of code in these files: no blank lines, and none that hold a comment alone, but `use` lines and braces.
fn lines_of_code(paths: &[PathBuf]) -> usize {
    let sources = paths.iter().map(read).collect::<String>();
    sources
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

/// The servers by hand are for reading: each is as long as its page says at most.
#[test]
fn the_servers_by_hand_are_short() {
    let examples = root().join("examples");
    let event_loop = ["main.rs", "clients.rs", "client.rs"];
    let event_loop = event_loop.map(|file| examples.join("event_loop").join(file));
    let lines = lines_of_code(&event_loop);
    assert!(lines <= 200, "the event loop has {lines} lines of code");
    let mut runtime = files_below(&examples.join("own_runtime/runtime"));
    assert!(runtime.len() > 3, "{runtime:?}");
    runtime.push(examples.join("own_runtime/queue.rs"));
    let lines = lines_of_code(&runtime);
    assert!(lines <= 350, "the runtime by hand has {lines} lines of code");
}

/// The sources of a folder of `examples/` that holds the steps to a rung.
fn steps_in(folder: &str) -> Vec<PathBuf> {
    let mut files = files_below(&root().join("examples").join(folder));
    files.retain(|path| path.extension().is_some_and(|it| it == "rs"));
    assert!(files.len() > 3, "{files:?}");
    files
}

/// A step to a rung is read on one screen, and the first server at a glance.
#[test]
fn the_steps_to_a_rung_fit_on_a_screen() {
    for path in steps_in("first_server") {
        let most = if path.ends_with("main.rs") { 20 } else { 40 };
        let lines = read(&path).lines().count();
        assert!(lines <= most, "{} has {lines} lines, and may have {most}", short(&path));
    }
    for path in steps_in("first_pool") {
        let lines = lines_of_code(std::slice::from_ref(&path));
        assert!(lines <= 40, "{} has {lines} lines of code, and may have 40", short(&path));
    }
}

/// The steps to rung 4, in lines of code: the first on one screen, and each with a future and what polls it.
#[test]
fn the_steps_to_the_fourth_rung_are_short() {
    let steps = files_below(&root().join("examples/first_task"));
    let sources: Vec<PathBuf> =
        steps.into_iter().filter(|path| path.extension().is_some_and(|it| it == "rs")).collect();
    assert!(sources.len() > 3, "{sources:?}");
    for path in sources {
        let most = if path.ends_with("main.rs") { 35 } else { 50 };
        let lines = lines_of_code(std::slice::from_ref(&path));
        assert!(lines <= most, "{} has {lines} lines of code, and may have {most}", short(&path));
    }
}

#[test]
fn a_function_is_found_with_its_length() {
    let source = "impl A {\n    pub async fn one(\n        self,\n    ) -> Vec<u8> {\n        if true {\n        }\n    }\n\n    \
                  fn two() {}\n}\n\ntrait B {\n    fn three();\n}\n\n// fn no()\nfn four<'a>() {\n    loop {}\n}\n";
    let found = [("one", 2, 6), ("two", 9, 1), ("three", 13, 1), ("four", 17, 3)];
    assert_eq!(functions(source), found);
    for other in ["let fn_ = 1;", "// fn x() {", "type F = fn(u8);", "pub struct A;"] {
        assert_eq!(begins(other), None, "{other}");
    }
}
