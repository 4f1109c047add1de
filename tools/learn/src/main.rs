//! `cargo xtask learn`: leads through the exercises.
//!
//! A learner's own files are in `exercises/mine`, which git ignores: one for each exercise, made from its starting state,
//! and never written to by this program afterwards. `exercises/progress.json` lists the exercises that are passed.
//! `exercises/build.rs` makes cargo compile the learner's file where there is one.
//!
//! It must not know how an exercise's page is made, nor anything of measuring.

mod learner;
mod progress;
mod run;
mod show;
mod watch;
mod work;

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use records::{
    base::find_root,
    workshop::{
        exercises::{Exercise, MINE, named},
        lessons::order,
    },
};

use crate::{
    learner::{Learner, shown},
    progress::Progress,
    work::KEPT,
};

/// Lead through the exercises: where am I, what is next; check, skip, hint, solution, reset, list
#[derive(Parser)]
#[command(name = "cargo xtask learn", bin_name = "cargo xtask learn")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// The tasks of the program.
#[derive(Debug, Subcommand)]
enum Command {
    /// Begin an exercise: makes your own file of it and explains what to do
    Start {
        /// The exercise; without it, the next exercise
        name: Option<String>,
        /// Follow the order of a lesson, such as half-day; `none` goes back to the order of the list
        #[arg(long)]
        lesson: Option<String>,
    },
    /// Check your file each time you save it
    Watch {
        /// The exercise; without it, the one you are at
        name: Option<String>,
        /// Look at the file each second, where no system reports changes: in a container, or on a network
        #[arg(long)]
        poll: bool,
    },
    /// Check your file once
    Check {
        /// The exercise; without it, the one you are at
        name: Option<String>,
        /// Check every exercise you have begun
        #[arg(long, conflicts_with = "name")]
        all: bool,
    },
    /// Put an exercise off and continue with the next
    Skip {
        /// The exercise; without it, the one you are at
        name: Option<String>,
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

fn main() -> ExitCode {
    let Cli { command } = Cli::parse();
    records::base::end_with(find_root().and_then(|root| learn(&root, command)))
}

/// Does what the command line asks for; without a command, prints where the learner is and what is next. Fails when there
/// is no such exercise, or a file can't be read or written.
fn learn(root: &Path, command: Option<Command>) -> Result<ExitCode> {
    if let Some(Command::Start { lesson: Some(name), .. }) = &command {
        follow(root, name)?;
    }
    let learner = Learner::new(root)?;
    match command {
        None => learner.status()?,
        Some(Command::List) => learner.show_list()?,
        Some(Command::Start { name, .. }) => {
            let exercise = learner.chosen(name.as_deref())?;
            learner.begin(exercise)?;
            learner.show_task(exercise)?;
        }
        Some(Command::Check { all: true, .. }) => return learner.check_all(),
        Some(Command::Check { name, .. }) => {
            let exercise = learner.chosen(name.as_deref())?;
            learner.begin(exercise)?;
            let passed = learner.check(exercise)?;
            return Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Some(Command::Watch { name, poll }) => {
            watch::watch(&learner, learner.chosen(name.as_deref())?, poll)?;
        }
        Some(Command::Skip { name }) => {
            if let Some(next) = learner.skip(learner.chosen(name.as_deref())?)? {
                learner.begin(next)?;
                learner.show_task(next)?;
            }
        }
        Some(Command::Hint { name }) => learner.hint(learner.chosen(name.as_deref())?)?,
        Some(Command::Solution { name, teacher }) => {
            let exercise = match &name {
                Some(name) => named(&learner.list, name)?,
                None => learner.current()?,
            };
            learner.solution(exercise, teacher)?;
        }
        Some(Command::Reset { name, yes }) => {
            let exercise = named(&learner.list, &name)?;
            learner.reset(exercise, || Ok(yes || confirms(exercise)?))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Lets the learner follow this lesson, from its first open exercise on; or none.
fn follow(root: &Path, name: &str) -> Result<()> {
    let lesson = match name {
        "none" => None,
        name => Some(order(root, name)?.name),
    };
    let mut progress = Progress::read(root)?;
    progress.lesson = lesson;
    progress.current = None;
    progress.write(root)
}

/// Asks on the terminal whether to reset.
fn confirms(exercise: &Exercise) -> Result<bool> {
    ensure!(
        io::stdin().is_terminal(),
        "there is no terminal to ask on; `--yes` resets without asking, and it keeps your file too"
    );
    let title = &exercise.title;
    let mine = shown(&exercise.mine());
    let mut out = io::stdout();
    write!(out, "Begin \"{title}\" again? {mine} goes to {MINE}/{KEPT}. [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
