//! What a class looks at after an exercise: its solution, and the wrong ones beside it with the check that catches each.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::workshop::exercises::{Exercise, exercises, read};

/// The file that says which check catches which wrong solution, from the repository's root: in each line the exercise and
/// the file's name with a slash between them, and the check; a dash where the whole program ends before a check has. A
/// test of the exercises writes it (tests/exercises.rs).
pub const CAUGHT: &str = "exercises/caught.txt";

/// What stands before the list of the checks in an exercise's `check.rs`, up to its bracket.
const CHECKS: &str = "exercise_kit::checks![";

/// The texts of an exercise, as teach/solutions.js of the built book has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Texts {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The code of the solution.
    pub solution: String,
    /// The names of its checks, in their order.
    pub checks: Vec<String>,
    /// Its wrong solutions, by the names of their files.
    pub wrong: Vec<Wrong>,
}

/// A wrong solution, which its exercise's check refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wrong {
    /// What is wrong in it.
    pub title: String,
    /// Its code.
    pub code: String,
    /// The check that catches it, if it isn't caught before a check has ended.
    pub caught: Option<String>,
    /// A part of what that check says.
    pub says: String,
}

/// Reads the texts of an exercise.
///
/// # Errors
/// When a file can't be read, or a wrong solution doesn't say in its first two lines what is wrong and what is said of it.
fn texts(root: &Path, exercise: &Exercise, caught: &BTreeMap<String, String>) -> Result<Texts> {
    let Exercise { name, title, .. } = exercise;
    let folder = exercise.folder();
    let checks = read(root, &folder.join("check.rs"))?;
    let list = checks.split_once(CHECKS).and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.with_context(|| format!("{name}: its check.rs has no `{CHECKS}…]`"))?;
    let checks = list.split(',').map(str::trim).filter(|check| !check.is_empty());
    let (solution, _) = exercise.solution(root)?;
    let mut files: Vec<_> = fs::read_dir(root.join(&folder).join("wrong"))
        .with_context(|| format!("{name} has no wrong solutions"))?
        .collect::<std::io::Result<_>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    let mut wrong = Vec::new();
    for file in files {
        let path = folder.join("wrong").join(file.file_name());
        let text = read(root, &path)?;
        let title = said(&text, 0, "// Wrong: ").with_context(|| path.display().to_string())?;
        let says =
            said(&text, 1, "// The check says: ").with_context(|| path.display().to_string())?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let caught = caught.get(&format!("{name}/{stem}")).filter(|check| *check != "-").cloned();
        wrong.push(Wrong { title, code: without_head(&text), caught, says });
    }
    Ok(Texts {
        name: name.clone(),
        title: title.clone(),
        solution: without_head(&solution),
        checks: checks.map(str::to_owned).collect(),
        wrong,
    })
}

/// Reads what this line of a wrong solution says. Fails when it begins with other words.
fn said(text: &str, line: usize, what: &str) -> Result<String> {
    let words = text.lines().nth(line).and_then(|line| line.strip_prefix(what));
    words.map(str::to_owned).with_context(|| format!("its line {} is not `{what}…`", line + 1))
}

/// Leaves out the comment with which a text begins.
fn without_head(text: &str) -> String {
    let mut lines = text.split_inclusive('\n').peekable();
    while lines.next_if(|line| line.starts_with("//") && !line.starts_with("///")).is_some() {}
    while lines.next_if(|line| line.trim().is_empty()).is_some() {}
    lines.collect()
}

/// Writes the script with the texts of all exercises. One without a check is not there to be done, and left out.
///
/// # Errors
/// When the list of exercises or a text of one can't be read.
pub fn script(root: &Path) -> Result<String> {
    let caught = fs::read_to_string(root.join(CAUGHT)).unwrap_or_default();
    let caught = caught.lines().filter(|line| !line.starts_with('#'));
    let caught = caught.filter_map(|line| line.split_once(' '));
    let caught = caught.map(|(text, check)| (text.to_owned(), check.to_owned())).collect();
    let mut all = Vec::new();
    for exercise in exercises(root)? {
        if root.join(exercise.folder()).join("check.rs").is_file() {
            all.push(texts(root, &exercise, &caught)?);
        }
    }
    Ok(format!("globalThis.SOLUTIONS = {};\n", serde_json::to_string(&all)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::testing::repository;

    const CHECK: &str =
        "//! Checks.\n\nexercise_kit::checks![\n    one_is_asked,\n    so_is_two,\n];\n";
    const WRONG: &str =
        "// Wrong: asks one.\n// The check says: asked: 1\n\n/// Asks.\nfn ask() {}\n";

    #[test]
    fn a_class_gets_the_texts_with_the_check_that_catches_each() {
        let folder = repository();
        let root = folder.path();
        assert_eq!(script(root).unwrap(), "globalThis.SOLUTIONS = [];\n");
        let own = root.join("exercises/one_idea");
        fs::create_dir_all(own.join("wrong")).unwrap();
        fs::write(own.join("check.rs"), CHECK).unwrap();
        fs::write(own.join("wrong/asks_one.rs"), WRONG).unwrap();
        fs::write(own.join("wrong/exits.rs"), WRONG).unwrap();
        let caught = "# Which check.\none_idea/asks_one so_is_two\none_idea/exits -\n";
        fs::write(root.join(CAUGHT), caught).unwrap();
        let script = script(root).unwrap();
        let json = script.strip_prefix("globalThis.SOLUTIONS = ").unwrap();
        let all: serde_json::Value = serde_json::from_str(json.trim_end_matches(";\n")).unwrap();
        assert_eq!(all[0]["checks"], serde_json::json!(["one_is_asked", "so_is_two"]));
        assert_eq!(all[0]["title"], "One idea");
        let wrong = &all[0]["wrong"][0];
        assert_eq!(wrong["title"], "asks one.");
        assert_eq!(wrong["code"], "/// Asks.\nfn ask() {}\n");
        assert_eq!((&wrong["caught"], &wrong["says"]), (&"so_is_two".into(), &"asked: 1".into()));
        assert_eq!(all[0]["wrong"][1]["caught"], serde_json::Value::Null);
    }

    #[test]
    fn a_text_that_does_not_say_what_is_wrong_is_named() {
        let folder = repository();
        let root = folder.path();
        let own = root.join("exercises/one_idea");
        fs::create_dir_all(own.join("wrong")).unwrap();
        fs::write(own.join("check.rs"), CHECK).unwrap();
        fs::write(own.join("wrong/silent.rs"), "fn ask() {}\n").unwrap();
        let error = format!("{:#}", script(root).unwrap_err());
        assert!(error.contains("silent.rs: its line 1 is not `// Wrong: …`"), "{error}");
    }
}
