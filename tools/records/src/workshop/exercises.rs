//! The list of exercises, and the paths of their texts.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::base::missing_fields;

/// The folder of the learner's own files, from the repository's root.
pub const MINE: &str = "exercises/mine";

/// The name of the file that lists the exercises which a learner has passed.
pub const PROGRESS: &str = "progress.json";

/// The folder of that file. It is not that of the learner's own files: cargo rebuilds the packages of all exercises that
/// are not begun when something appears there, and so each hint would make it do that.
pub const PROGRESS_FOLDER: &str = "exercises";

/// Tells whether the file at this path is the learner's: an exercise, or the progress.
pub fn is_own(root: &Path, path: &Path) -> bool {
    path.starts_with(root.join(MINE)) || is_progress(root, path)
}

/// Tells whether this path is the file of the progress, or a temporary file that becomes it.
pub fn is_progress(root: &Path, path: &Path) -> bool {
    let name = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PROGRESS));
    name && path.parent() == Some(&root.join(PROGRESS_FOLDER))
}

/// The activity of an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Code is missing.
    Write,
    /// Something is wrong, and has to be found first.
    Diagnose,
}

impl Kind {
    /// Returns its word on a page.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Write => "write",
            Kind::Diagnose => "diagnose",
        }
    }
}

/// One exercise of `exercises/exercises.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exercise {
    /// Its name, which never changes: that of its folder, of the learner's file, and behind `ex_` of its package.
    pub name: String,
    /// The page at whose end it stands, without `.md`.
    pub chapter: String,
    /// Its title.
    pub title: String,
    /// Its length, in minutes.
    pub minutes: u32,
    /// Its activity.
    pub kind: Kind,
    /// One sentence.
    pub idea: String,
}

impl Exercise {
    /// Its package, for `cargo test -p`.
    pub fn package(&self) -> String {
        format!("ex_{}", self.name)
    }

    /// Its folder, relative to the repository's root.
    pub fn folder(&self) -> PathBuf {
        Path::new("exercises").join(&self.name)
    }

    /// The starting state, relative to the repository's root.
    pub fn start(&self) -> PathBuf {
        self.folder().join("start.rs")
    }

    /// The learner's own file, relative to the repository's root.
    pub fn mine(&self) -> PathBuf {
        Path::new(MINE).join(&self.name).with_extension("rs")
    }

    /// Reads the hints, in their order: the heading of each, and its text in Markdown. Fails when their file can't be read.
    pub fn hints(&self, root: &Path) -> Result<Vec<(String, String)>> {
        Ok(sections(&read(root, &self.folder().join("hints.md"))?).1)
    }

    /// Reads the task, without its title: the text above its first section, and the sections by their headings. Fails
    /// when the file can't be read, or begins with another title than the list has.
    pub fn task(&self, root: &Path) -> Result<(String, Vec<(String, String)>)> {
        let file = self.folder().join("README.md");
        let text = read(root, &file)?;
        let body = text.strip_prefix(&format!("# {}\n", self.title));
        let body = body.with_context(|| {
            format!("{} does not begin with `# {}`", file.display(), self.title)
        })?;
        Ok(sections(body))
    }

    /// Lists what is missing of the texts that a page shows.
    pub(crate) fn gaps(&self, root: &Path) -> Vec<String> {
        let mut gaps = Vec::new();
        for text in ["README.md", "hints.md", "start.rs", "solution.rs", "solution.md"] {
            let file = self.folder().join(text);
            if !root.join(&file).is_file() {
                gaps.push(format!("{} is not there", file.display()));
            }
        }
        if root.join(self.folder().join("README.md")).is_file() {
            gaps.extend(self.task(root).err().map(|error| format!("{error:#}")));
        }
        gaps
    }

    /// The solution: its code, and why it is right. Fails when a file can't be read.
    pub fn solution(&self, root: &Path) -> Result<(String, String)> {
        let code = read(root, &self.folder().join("solution.rs"))?;
        Ok((code, read(root, &self.folder().join("solution.md"))?))
    }
}

/// Splits a text into the part before the first heading of level 2, and each such heading with the part below it.
fn sections(text: &str) -> (String, Vec<(String, String)>) {
    let text = format!("\n{text}");
    let mut parts = text.split("\n## ");
    let first = parts.next().unwrap_or_default().trim().to_owned();
    let mut sections = Vec::new();
    for part in parts {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        sections.push((title.trim().to_owned(), body.trim().to_owned()));
    }
    (first, sections)
}

/// Reads a text, relative to the repository's root, with the ends of lines that the book has. Fails when it can't be read.
pub(crate) fn read(root: &Path, file: &Path) -> Result<String> {
    let text = fs::read_to_string(root.join(file));
    Ok(text.with_context(|| format!("cannot read {}", file.display()))?.replace("\r\n", "\n"))
}

/// Reads the list of exercises. Fails when it can't be read, is malformed, or has a name twice.
pub fn exercises(root: &Path) -> Result<Vec<Exercise>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct List {
        exercise: Vec<Exercise>,
    }
    let file = Path::new("exercises").join("exercises.toml");
    let text = read(root, &file)?;
    let fields = ["name", "chapter", "title", "minutes", "kind", "idea"];
    let gaps = missing_fields(&text, "exercise", &fields);
    ensure!(gaps.is_empty(), "{}:\n{}", file.display(), gaps.join("\n"));
    let List { exercise: list } =
        toml::from_str(&text).with_context(|| format!("{} is malformed", file.display()))?;
    for (index, exercise) in list.iter().enumerate() {
        let twice = list[..index].iter().any(|other| other.name == exercise.name);
        ensure!(!twice, "{} has the exercise {} twice", file.display(), exercise.name);
    }
    ensure!(!list.is_empty(), "{} has no exercise", file.display());
    Ok(list)
}

/// Finds the exercise of this name, which may have dashes, or `ex_` before it. Fails when there is none: the message
/// names the one that is most like it, or the command that lists them all.
pub fn named<'a>(list: &'a [Exercise], name: &str) -> Result<&'a Exercise> {
    let wanted = name.trim().to_lowercase().replace(['-', ' '], "_");
    let wanted = wanted.strip_prefix("ex_").unwrap_or(&wanted).trim_end_matches(".rs");
    if let Some(exercise) = list.iter().find(|exercise| exercise.name == wanted) {
        return Ok(exercise);
    }
    match closest(list, wanted) {
        Some(close) => bail!("there is no exercise {name}; did you mean {close}?"),
        None => bail!("there is no exercise {name}; `cargo xtask learn list` shows them all"),
    }
}

/// Finds the name that is most like this one, if any is like it; of equals, the first.
fn closest<'a>(list: &'a [Exercise], wanted: &str) -> Option<&'a str> {
    let mut closest: Option<(f32, &str)> = None;
    for exercise in list {
        let name = exercise.name.as_str();
        let ratio = similar::TextDiff::from_chars(wanted, name).ratio();
        let is_alike = ratio > 0.6 || !wanted.is_empty() && name.contains(wanted);
        if is_alike && closest.is_none_or(|(best, _)| ratio > best) {
            closest = Some((ratio, name));
        }
    }
    closest.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::testing::repository;

    fn section(title: &str, text: &str) -> (String, String) {
        (title.to_owned(), text.to_owned())
    }

    #[test]
    fn the_parts_of_an_exercise_are_found() {
        let folder = repository();
        let list = exercises(folder.path()).unwrap();
        let one = named(&list, "one_idea").unwrap();
        let hints = [section("First", "Look."), section("Second", "Look again.")];
        assert_eq!(one.hints(folder.path()).unwrap(), hints);
        let task = ("Do it.".to_owned(), vec![section("Going further", "- More.")]);
        assert_eq!(one.task(folder.path()).unwrap(), task);
        assert_eq!(one.solution(folder.path()).unwrap().1, "Because.\n");
    }

    #[test]
    fn a_name_may_be_written_in_other_ways_and_a_wrong_one_gets_a_proposal() {
        let folder = repository();
        let list = exercises(folder.path()).unwrap();
        for name in ["two_ideas", "two-ideas", "ex_two_ideas", "two_ideas.rs", "Two ideas"] {
            assert_eq!(named(&list, name).unwrap().name, "two_ideas");
        }
        for (wrong, proposal) in [("tow_ideas", "did you mean two_ideas?"), ("xyz", "learn list")] {
            let error = named(&list, wrong).unwrap_err().to_string();
            assert!(error.contains(proposal), "{error}");
        }
    }

    #[test]
    fn a_malformed_list_says_what_is_wrong() {
        let folder = repository();
        let file = folder.path().join("exercises/exercises.toml");
        let good = fs::read_to_string(&file).unwrap();
        for (text, complaint) in [
            (good.replace("minutes = 10", "minutes = \"ten\""), "minutes"),
            (good.replace("two_ideas", "one_idea"), "twice"),
            (good.clone() + "ideas = \"What\"\n", "ideas"),
            (
                good.clone() + "[[exercise]]\nname = \"three\"\nminutes = 10\n",
                "three lacks chapter, title, kind, idea",
            ),
            ("exercise = []".to_owned(), "no exercise"),
        ] {
            fs::write(&file, text).unwrap();
            let error = format!("{:#}", exercises(folder.path()).unwrap_err());
            assert!(error.contains(complaint), "{error}");
        }
    }
}
