//! The list of exercises, and the paths of their texts.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, ensure};
use serde::Deserialize;

use crate::base::lacking;

/// The folder of the learner's own files, from the repository's root.
pub const MINE: &str = "exercises/mine";

/// The name of the file in which stands what a learner has passed.
pub const PROGRESS: &str = "progress.json";

/// The folder of that file. It is not that of the learner's own files: the packages of all exercises that are not
/// begun wait for something to appear there, and each hint would make cargo build them again.
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
    /// As it stands on a page.
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
    /// The package: `cargo test -p` takes this.
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

    /// The headings of the hints, in their order, and what each hint says, in Markdown. Fails when their file can't be
    /// read.
    pub fn hints(&self, root: &Path) -> Result<Vec<(String, String)>> {
        Ok(sections(&read(root, &self.folder().join("hints.md"))?).1)
    }

    /// The task, without its title: what stands first, and the sections below it by their headings. Fails when the file
    /// can't be read, or begins with another title than the list has.
    pub fn task(&self, root: &Path) -> Result<(String, Vec<(String, String)>)> {
        let file = self.folder().join("README.md");
        let text = read(root, &file)?;
        let body = text.strip_prefix(&format!("# {}\n", self.title));
        let body = body.with_context(|| {
            format!("{} does not begin with `# {}`", file.display(), self.title)
        })?;
        Ok(sections(body))
    }

    /// What is missing of the texts that a page shows.
    pub(crate) fn gaps(&self, root: &Path) -> Vec<String> {
        let texts = ["README.md", "hints.md", "start.rs", "solution.rs", "solution.md"];
        let files = texts.iter().map(|text| self.folder().join(text));
        let missing = files.filter(|file| !root.join(file).is_file());
        let mut gaps: Vec<String> =
            missing.map(|file| format!("{} is not there", file.display())).collect();
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
    let section = |part: &str| {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        (title.trim().to_owned(), body.trim().to_owned())
    };
    (first, parts.map(section).collect())
}

fn read(root: &Path, file: &Path) -> Result<String> {
    let text = fs::read_to_string(root.join(file));
    Ok(text.with_context(|| format!("cannot read {}", file.display()))?.replace("\r\n", "\n"))
}

/// All exercises, in their order. Fails when the list can't be read, is malformed, or has a name twice.
pub fn exercises(root: &Path) -> Result<Vec<Exercise>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct List {
        exercise: Vec<Exercise>,
    }
    let file = Path::new("exercises").join("exercises.toml");
    let text = read(root, &file)?;
    let gaps = lacking(&text, "exercise", &["name", "chapter", "title", "minutes", "kind", "idea"]);
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

/// The exercise of this name. A name with dashes, or with `ex_` before it, will do. Fails when there is none: the
/// message names those that are alike, or says how to see them all.
pub fn named<'a>(list: &'a [Exercise], name: &str) -> Result<&'a Exercise> {
    let wanted = name.trim().to_lowercase().replace(['-', ' '], "_");
    let wanted = wanted.strip_prefix("ex_").unwrap_or(&wanted).trim_end_matches(".rs");
    list.iter().find(|exercise| exercise.name == wanted).ok_or_else(|| {
        let names = list.iter().map(|exercise| exercise.name.as_str());
        let rated = names.map(|it| (similar::TextDiff::from_chars(wanted, it).ratio(), it));
        let alike =
            rated.filter(|(ratio, it)| *ratio > 0.6 || !wanted.is_empty() && it.contains(wanted));
        // Of those that are as close, the first.
        match alike.rev().max_by(|one, other| one.0.total_cmp(&other.0)) {
            Some((_, close)) => anyhow!("there is no exercise {name}; did you mean {close}?"),
            None => anyhow!("there is no exercise {name}; `cargo xtask learn list` shows them all"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::testing::repository;

    #[test]
    fn the_parts_of_an_exercise_are_found() {
        let folder = repository();
        let list = exercises(folder.path()).unwrap();
        let one = named(&list, "one_idea").unwrap();
        let pair = |title: &str, text: &str| (title.to_owned(), text.to_owned());
        let hints = [pair("First", "Look."), pair("Second", "Look again.")];
        assert_eq!(one.hints(folder.path()).unwrap(), hints);
        let task = ("Do it.".to_owned(), vec![pair("Going further", "- More.")]);
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
