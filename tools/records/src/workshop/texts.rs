//! What a class looks at after an exercise: its solution, and the wrong ones beside it with the check that catches each.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::{
    files::with_ending,
    workshop::exercises::{Exercise, exercises, read},
};

/// The file that says which check catches which wrong solution, from the repository's root: in each line the exercise and
/// the file's name with a slash between them, and the check. A test of the exercises writes it (tests/exercises.rs).
pub const CAUGHT: &str = "exercises/caught.txt";

/// The command that writes that file.
const WRITES_CAUGHT: &str = "CAUGHT=new cargo test -p ladder_tests --test exercises -- --ignored each_wrong_solution_is_caught";

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
    /// The check that catches it.
    pub caught: String,
    /// A part of what that check says.
    pub says: String,
}

/// Reads the texts of an exercise.
///
/// # Errors
/// When a file can't be read, a wrong solution doesn't say in its first two lines what is wrong and what is said of it, or
/// it isn't known which check catches it.
fn texts(root: &Path, exercise: &Exercise, caught: &BTreeMap<String, String>) -> Result<Texts> {
    let Exercise { name, title, .. } = exercise;
    let folder = exercise.folder();
    let checks = read(root, &folder.join("check.rs"))?;
    let list = checks.split_once(CHECKS).and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.with_context(|| format!("{name}: its check.rs has no `{CHECKS}…]`"))?;
    let checks = list.split(',').map(str::trim).filter(|check| !check.is_empty());
    let (solution, _) = exercise.solution(root)?;
    let files = with_ending(&root.join(&folder).join("wrong"), "rs")?;
    ensure!(!files.is_empty(), "{name} has no wrong solutions");
    let mut wrong = Vec::new();
    for stem in files.keys() {
        let path = folder.join("wrong").join(format!("{stem}.rs"));
        let text = read(root, &path)?;
        let title = said(&text, 0, "// Wrong: ").with_context(|| path.display().to_string())?;
        let says =
            said(&text, 1, "// The check says: ").with_context(|| path.display().to_string())?;
        let check = caught.get(&format!("{name}/{stem}")).with_context(|| {
            format!("{CAUGHT} has no line for {name}/{stem}; this writes it: {WRITES_CAUGHT}")
        })?;
        wrong.push(Wrong { title, code: without_head(&text), caught: check.clone(), says });
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

/// Reads which check catches which wrong solution.
fn caught(root: &Path) -> Result<BTreeMap<String, String>> {
    let text = read(root, Path::new(CAUGHT));
    let text = text.with_context(|| format!("this writes {CAUGHT}: {WRITES_CAUGHT}"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.filter_map(|line| line.split_once(' '));
    Ok(lines.map(|(wrong, check)| (wrong.to_owned(), check.to_owned())).collect())
}

/// Writes the script with the texts of all exercises. One without a check is not there to be done, and left out.
///
/// # Errors
/// When the list of exercises, a text of one, or what catches the wrong ones can't be read.
pub fn script(root: &Path) -> Result<String> {
    let mut own = exercises(root)?;
    own.retain(|exercise| root.join(exercise.folder()).join("check.rs").is_file());
    let caught = if own.is_empty() { BTreeMap::new() } else { caught(root)? };
    let mut all = Vec::new();
    for exercise in &own {
        all.push(texts(root, exercise, &caught)?);
    }
    Ok(format!("globalThis.SOLUTIONS = {};\n", serde_json::to_string(&all)?))
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        // What an editor and a system leave there.
        for other in ["wrong/.asks_one.rs.swp", "wrong/.#asks_one.rs", "wrong/asks_one.rs~"] {
            fs::write(own.join(other), "").unwrap();
        }
        for (text, missing) in [(None, "cannot read"), (Some("# Which check.\n"), "no line for")] {
            if let Some(text) = text {
                fs::write(root.join(CAUGHT), text).unwrap();
            }
            let error = format!("{:#}", script(root).unwrap_err());
            assert!(error.contains(missing) && error.contains("CAUGHT=new cargo test"), "{error}");
        }
        fs::write(root.join(CAUGHT), "# Which check.\none_idea/asks_one so_is_two\n").unwrap();
        let script = script(root).unwrap();
        let json = script.strip_prefix("globalThis.SOLUTIONS = ").unwrap();
        let all: serde_json::Value = serde_json::from_str(json.trim_end_matches(";\n")).unwrap();
        assert_eq!(all[0]["checks"], serde_json::json!(["one_is_asked", "so_is_two"]));
        assert_eq!(all[0]["title"], "One idea");
        let wrong = &all[0]["wrong"][0];
        assert_eq!(wrong["title"], "asks one.");
        assert_eq!(wrong["code"], "/// Asks.\nfn ask() {}\n");
        assert_eq!((&wrong["caught"], &wrong["says"]), (&"so_is_two".into(), &"asked: 1".into()));
        assert_eq!(all[0]["wrong"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn a_text_that_does_not_say_what_is_wrong_is_named() {
        let folder = repository();
        let root = folder.path();
        let own = root.join("exercises/one_idea");
        fs::create_dir_all(own.join("wrong")).unwrap();
        fs::write(own.join("check.rs"), CHECK).unwrap();
        fs::write(own.join("wrong/silent.rs"), "fn ask() {}\n").unwrap();
        fs::write(root.join(CAUGHT), "").unwrap();
        let error = format!("{:#}", script(root).unwrap_err());
        assert!(error.contains("silent.rs: its line 1 is not `// Wrong: …`"), "{error}");
    }
}
