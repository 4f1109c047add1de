//! `cargo xtask learn`: leads through the exercises.
//!
//! A learner's own files are in `exercises/mine`, which git ignores: one for each
//! exercise, made from its starting state, and never written to by anything in
//! here afterwards. What is passed stands beside them, in `progress.json`.
//! `exercises/build.rs` makes cargo compile the learner's file where there is one.

pub mod list;
pub mod page;
pub(crate) mod progress;
mod watch;

use std::{
    fs,
    io::{self, BufRead, ErrorKind, IsTerminal, Write},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail};
use clap::Subcommand;
use sha2::{Digest, Sha256};

use self::{
    list::{Exercise, exercises, named},
    progress::Progress,
};
use crate::say;

/// Where the learner's own files are, from the repository's root.
pub(crate) const MINE: &str = "exercises/mine";

/// Where files go that were reset.
const KEPT: &str = "kept";

/// What a learner can ask for.
#[derive(Debug, Subcommand)]
pub enum Wish {
    /// Begin an exercise: makes your own file of it and says what to do
    Start {
        /// The exercise; without it, the next one
        name: Option<String>,
    },
    /// Check your file each time you save it
    Watch {
        /// The exercise; without it, the one you are at
        name: Option<String>,
    },
    /// Check your file once
    Check {
        /// The exercise; without it, the one you are at
        name: Option<String>,
        /// Check every exercise that you have begun
        #[arg(long, conflicts_with = "name")]
        all: bool,
    },
    /// Show the next hint
    Hint {
        /// The exercise; without it, the one you are at
        name: Option<String>,
    },
    /// Show a solution and why it is right, once you have passed
    Solution {
        /// The exercise; without it, the one you passed last
        name: Option<String>,
        /// Show it before that as well: for teachers
        #[arg(long)]
        teacher: bool,
    },
    /// Begin an exercise again; your file is kept in exercises/mine/kept
    Reset {
        /// The exercise
        name: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// List the exercises with your progress
    List,
}

/// Does what was asked for; without a wish, says where the learner is and what is next.
///
/// # Errors
/// When there is no such exercise, or a file can't be read or written.
pub fn learn(root: &Path, wish: Option<Wish>) -> Result<ExitCode> {
    let learner = Learner { root, list: exercises(root)? };
    match wish {
        None => learner.status()?,
        Some(Wish::List) => learner.show_list()?,
        Some(Wish::Start { name }) => {
            let exercise = learner.chosen(name.as_deref())?;
            learner.begin(exercise)?;
            learner.show_task(exercise)?;
        }
        Some(Wish::Check { all: true, .. }) => return learner.check_all(),
        Some(Wish::Check { name, .. }) => {
            let exercise = learner.chosen(name.as_deref())?;
            learner.begin(exercise)?;
            return Ok(if learner.check(exercise)? {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            });
        }
        Some(Wish::Watch { name }) => {
            let exercise = learner.chosen(name.as_deref())?;
            watch::watch(&learner, exercise)?;
        }
        Some(Wish::Hint { name }) => learner.hint(learner.chosen(name.as_deref())?)?,
        Some(Wish::Solution { name, teacher }) => {
            let exercise = match &name {
                Some(name) => named(&learner.list, name)?,
                None => learner.at()?,
            };
            learner.solution(exercise, teacher)?;
        }
        Some(Wish::Reset { name, yes }) => {
            let exercise = named(&learner.list, &name)?;
            learner.reset(exercise, || Ok(yes || confirms(exercise)?))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks on the terminal whether to reset.
fn confirms(exercise: &Exercise) -> Result<bool> {
    if !io::stdin().is_terminal() {
        bail!(
            "nobody is there to be asked; `--yes` resets without asking, and keeps your file too"
        );
    }
    let mut out = io::stdout();
    write!(
        out,
        "Begin \"{}\" again? {} goes to {MINE}/{KEPT}. [y/N] ",
        exercise.title,
        shown(&exercise.mine())
    )?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// A path as it is shown, the same on every system.
fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn fingerprint(text: &[u8]) -> String {
    // A checkout on another system may have other line ends.
    let text: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'\r').collect();
    Sha256::digest(&text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A learner in a repository.
#[derive(Debug)]
pub(crate) struct Learner<'a> {
    root: &'a Path,
    list: Vec<Exercise>,
}

impl Learner<'_> {
    fn progress(&self) -> Result<Progress> {
        Progress::read(self.root)
    }

    fn change(&self, change: impl FnOnce(&mut Progress)) -> Result<()> {
        let mut progress = self.progress()?;
        let before = progress.clone();
        change(&mut progress);
        if progress == before { Ok(()) } else { progress.write(self.root) }
    }

    /// The exercise of this name, or the one to work on.
    fn chosen(&self, name: Option<&str>) -> Result<&Exercise> {
        if let Some(name) = name {
            return named(&self.list, name);
        }
        let next = self.progress()?.next(&self.list);
        next.context("you have passed every exercise; name the one you mean")
    }

    /// The exercise that the learner was at last, passed or not.
    fn at(&self) -> Result<&Exercise> {
        match self.progress()?.current {
            Some(name) => named(&self.list, &name),
            None => self.chosen(None),
        }
    }

    /// Makes the learner's file if there is none, and remembers that this exercise is at hand.
    fn begin(&self, exercise: &Exercise) -> Result<()> {
        // Before anything is made: a record that can't be read stops here.
        self.progress()?;
        let start = fs::read(self.root.join(exercise.start()))
            .with_context(|| format!("cannot read {}", shown(&exercise.start())))?;
        let mine = exercise.mine();
        let made = self.make(&mine, &start)?;
        self.change(|progress| {
            progress.current = Some(exercise.name.clone());
            let state = progress.of(exercise);
            if made || state.start.is_none() {
                state.start = Some(fingerprint(&start));
            }
        })?;
        if made {
            say(format_args!("Made {} for you.", shown(&mine)));
        } else if self.progress()?.of(exercise).start != Some(fingerprint(&start)) {
            say(format_args!(
                "Note: {} has changed since you began. Your file has not; compare them, or begin again with \
                 `cargo xtask learn reset {}`.",
                shown(&exercise.start()),
                exercise.name
            ));
        }
        Ok(())
    }

    /// Writes a file that is not there; whether it was.
    fn make(&self, path: &Path, text: &[u8]) -> Result<bool> {
        let full = self.root.join(path);
        let make = || -> io::Result<bool> {
            fs::create_dir_all(full.parent().unwrap_or(self.root))?;
            match fs::File::create_new(&full) {
                Ok(mut file) => file.write_all(text).map(|()| true),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
                Err(error) => Err(error),
            }
        };
        make().with_context(|| format!("cannot make {}", shown(path)))
    }

    fn status(&self) -> Result<()> {
        let progress = self.progress()?;
        self.show_bar(&progress);
        let Some(next) = progress.next(&self.list) else {
            say("\nAll passed. The chapters' sections \"Going further\" have more to do.");
            return Ok(());
        };
        let begun = self.root.join(next.mine()).is_file();
        let word = if begun { "You are at" } else { "Next" };
        say(format_args!("\n{word}: {}", describe(next)));
        if begun {
            say(format_args!("Your file:  {}", shown(&next.mine())));
            say("\ncargo xtask learn watch     checks it each time you save");
            say("cargo xtask learn hint      shows the next hint");
        } else {
            say(format_args!(
                "\ncargo xtask learn start     makes your file, {}",
                shown(&next.mine())
            ));
        }
        say("cargo xtask learn list      shows all exercises");
        Ok(())
    }

    fn show_bar(&self, progress: &Progress) {
        let all = self.list.len();
        let done = self.list.iter().filter(|exercise| progress.is_done(exercise)).count();
        let width = 30;
        let full = done * width / all;
        let bar = format!("{}{}", "#".repeat(full), "-".repeat(width - full));
        say(format_args!("[{bar}] {done} of {all} exercises passed"));
    }

    fn show_list(&self) -> Result<()> {
        let progress = self.progress()?;
        let next = progress.next(&self.list).map(|exercise| &exercise.name);
        let longest = self.list.iter().map(|exercise| exercise.name.len()).max().unwrap_or(0);
        let mut chapter = "";
        for exercise in &self.list {
            if exercise.chapter != chapter {
                chapter = &exercise.chapter;
                say(format_args!("\n{chapter}"));
            }
            let state = if progress.is_done(exercise) {
                "passed"
            } else if progress.was_passed(exercise) {
                "again"
            } else if self.root.join(exercise.mine()).is_file() {
                "begun"
            } else {
                ""
            };
            let mark = if next == Some(&exercise.name) { ">" } else { " " };
            let Exercise { name, title, minutes, kind, .. } = exercise;
            say(format_args!(
                "{mark} {state:<6}  {name:<longest$}  {title} ({}, {minutes} minutes)",
                kind.word()
            ));
        }
        say("");
        self.show_bar(&progress);
        Ok(())
    }

    fn show_task(&self, exercise: &Exercise) -> Result<()> {
        let (task, sections) = exercise.task(self.root)?;
        say(format_args!("\n== {}\n\n{task}", describe(exercise)));
        for (heading, text) in sections.iter().filter(|(heading, _)| heading != "Going further") {
            say(format_args!("\n{heading}:\n\n{text}"));
        }
        say(format_args!("\nYour file:   {}", shown(&exercise.mine())));
        say(format_args!("Its check:   {}/check.rs", shown(&exercise.folder())));
        say("\ncargo xtask learn watch     checks your file each time you save it");
        say(format_args!(
            "cargo test -p {:<13} checks it once, without this tool",
            exercise.package()
        ));
        say("cargo xtask learn hint      shows a hint");
        Ok(())
    }

    /// Runs the check of the learner's file, and remembers it if it is passed.
    fn check(&self, exercise: &Exercise) -> Result<bool> {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["test", "--quiet", "--test", "check", "--package", &exercise.package()]);
        // The learner's file is what a check takes unless this says otherwise.
        cargo.env_remove("LADDER_EXERCISE").current_dir(self.root);
        // A failure says what was seen and what was expected; frames of the kit would bury it.
        cargo.env("RUST_BACKTRACE", "0");
        let status = cargo.status().context("cannot run cargo")?;
        if !status.success() {
            say(format_args!("Not yet: {}.", exercise.title));
            return Ok(false);
        }
        self.change(|progress| progress.pass(exercise))?;
        say(format_args!("Passed: {}.", exercise.title));
        let progress = self.progress()?;
        self.show_bar(&progress);
        say(format_args!("cargo xtask learn solution {}   shows ours, and why", exercise.name));
        match progress.next(&self.list) {
            Some(next) => say(format_args!("Next: {}: cargo xtask learn start", describe(next))),
            None => say("That was the last one."),
        }
        Ok(true)
    }

    fn check_all(&self) -> Result<ExitCode> {
        let begun = |exercise: &&Exercise| self.root.join(exercise.mine()).is_file();
        let begun: Vec<&Exercise> = self.list.iter().filter(begun).collect();
        if begun.is_empty() {
            bail!("you have begun no exercise yet; `cargo xtask learn start` begins the first");
        }
        let mut open = Vec::new();
        for exercise in &begun {
            if !self.check(exercise)? {
                open.push(exercise.name.as_str());
            }
        }
        say(format_args!(
            "\n{} of the {} you have begun pass.",
            begun.len() - open.len(),
            begun.len()
        ));
        if open.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        say(format_args!("Not yet: {}.", open.join(", ")));
        Ok(ExitCode::FAILURE)
    }

    fn hint(&self, exercise: &Exercise) -> Result<()> {
        let hints = exercise.hints(self.root)?;
        let mut shown = 0;
        self.change(|progress| {
            let state = progress.of(exercise);
            state.hints = (state.hints + 1).min(hints.len());
            shown = state.hints;
        })?;
        for (index, hint) in hints.iter().enumerate().take(shown) {
            say(format_args!(
                "Hint {} of {}: {}\n\n{}\n",
                index + 1,
                hints.len(),
                hint.title,
                hint.text
            ));
        }
        if shown == hints.len() {
            say("That was the last hint. Beside someone who has passed it, you will see it.");
        }
        Ok(())
    }

    fn solution(&self, exercise: &Exercise, teacher: bool) -> Result<()> {
        if !teacher && !self.progress()?.was_passed(exercise) {
            bail!(
                "the solution of {} shows itself when your own has passed its check; \
                 `cargo xtask learn hint {}` helps before that (teachers: `--teacher`)",
                exercise.name,
                exercise.name
            );
        }
        let (code, why) = exercise.solution(self.root)?;
        say(format_args!("{}\n{}", code.trim_end(), format_args!("\n{}", why.trim())));
        for (heading, text) in exercise.task(self.root)?.1 {
            if heading == "Going further" {
                say(format_args!("\n{heading}:\n\n{text}"));
            }
        }
        Ok(())
    }

    /// Keeps the learner's file under another name, and begins again, if `confirmed` says so.
    fn reset(&self, exercise: &Exercise, confirmed: impl FnOnce() -> Result<bool>) -> Result<()> {
        self.progress()?;
        let mine = exercise.mine();
        if self.root.join(&mine).is_file() {
            if !confirmed()? {
                say("Nothing was changed.");
                return Ok(());
            }
            let kept = self.keep(exercise)?;
            say(format_args!("Your file is now {}.", shown(&kept)));
        }
        self.change(|progress| {
            let state = progress.of(exercise);
            state.again = state.passed.is_some();
            state.hints = 0;
        })?;
        self.begin(exercise)
    }

    /// Moves the learner's file to a name that is free; that name.
    fn keep(&self, exercise: &Exercise) -> Result<PathBuf> {
        let folder = Path::new(MINE).join(KEPT);
        fs::create_dir_all(self.root.join(&folder))
            .with_context(|| format!("cannot make {}", shown(&folder)))?;
        let names = (1..).map(|number| folder.join(format!("{}-{number}.rs", exercise.name)));
        let kept = names
            .into_iter()
            .find(|path| !self.root.join(path).exists())
            .expect("the numbers have no end");
        fs::rename(self.root.join(exercise.mine()), self.root.join(&kept))
            .with_context(|| format!("cannot move your file to {}", shown(&kept)))?;
        Ok(kept)
    }
}

/// One line about an exercise.
fn describe(exercise: &Exercise) -> String {
    let Exercise { name, title, minutes, kind, .. } = exercise;
    format!("{title} ({name}; {}, {minutes} minutes)", kind.word())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::list::tests::repository;

    const START: &str = "// One idea.\n\nlet it = \"the start\";\n";

    #[test]
    fn a_learners_file_is_made_once_and_never_written_over() {
        let folder = repository();
        let learner = Learner { root: folder.path(), list: exercises(folder.path()).unwrap() };
        let one = &learner.list[0];
        let mine = folder.path().join(one.mine());
        learner.begin(one).unwrap();
        assert_eq!(fs::read_to_string(&mine).unwrap(), START);
        fs::write(&mine, "mine").unwrap();
        // An update brings another starting state.
        fs::write(folder.path().join(one.start()), "// new\n").unwrap();
        learner.begin(one).unwrap();
        assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
        assert_eq!(learner.progress().unwrap().current.as_deref(), Some("one_idea"));
    }

    #[test]
    fn a_reset_asks_and_keeps_every_copy() {
        let folder = repository();
        let learner = Learner { root: folder.path(), list: exercises(folder.path()).unwrap() };
        let one = &learner.list[0];
        let mine = folder.path().join(one.mine());
        learner.begin(one).unwrap();
        learner.change(|progress| progress.pass(one)).unwrap();
        fs::write(&mine, "first").unwrap();
        learner.reset(one, || Ok(false)).unwrap();
        assert_eq!(fs::read_to_string(&mine).unwrap(), "first");
        for (number, text) in ["first", "second"].iter().enumerate() {
            fs::write(&mine, text).unwrap();
            learner.reset(one, || Ok(true)).unwrap();
            let kept = folder.path().join(MINE).join(format!("kept/one_idea-{}.rs", number + 1));
            assert_eq!(fs::read_to_string(kept).unwrap(), *text);
            assert_eq!(fs::read_to_string(&mine).unwrap(), START);
        }
        // It is open again, and the solution may still be seen.
        assert!(!learner.progress().unwrap().is_done(one));
        learner.solution(one, false).unwrap();
    }

    #[test]
    fn a_solution_is_shown_after_passing_or_to_a_teacher() {
        let folder = repository();
        let learner = Learner { root: folder.path(), list: exercises(folder.path()).unwrap() };
        let two = &learner.list[1];
        let error = learner.solution(two, false).unwrap_err().to_string();
        assert!(error.contains("learn hint two_ideas"), "{error}");
        learner.solution(two, true).unwrap();
        learner.change(|progress| progress.pass(two)).unwrap();
        learner.solution(two, false).unwrap();
    }

    #[test]
    fn hints_come_one_by_one_and_then_stay() {
        let folder = repository();
        let learner = Learner { root: folder.path(), list: exercises(folder.path()).unwrap() };
        let one = &learner.list[0];
        for count in [1, 2, 2] {
            learner.hint(one).unwrap();
            assert_eq!(learner.progress().unwrap().of(one).hints, count);
        }
    }

    #[test]
    fn a_record_that_cannot_be_read_stops_everything_before_it_is_touched() {
        let folder = repository();
        let learner = Learner { root: folder.path(), list: exercises(folder.path()).unwrap() };
        let record = folder.path().join(MINE).join(progress::FILE);
        fs::write(&record, "broken").unwrap();
        let one = &learner.list[0];
        assert!(learner.begin(one).is_err() && learner.hint(one).is_err());
        assert!(learner.reset(one, || Ok(true)).is_err());
        assert_eq!(fs::read_to_string(&record).unwrap(), "broken");
        assert!(!folder.path().join(one.mine()).exists());
    }
}
