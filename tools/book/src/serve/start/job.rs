//! What a page may have started, by its name and nothing else.

use std::path::Path;

use records::{servers::Started, workshop::exercises};

/// The example that attacks a server.
const ATTACKER: &str = "break_it";

/// A program that a page may have started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// An example that `examples/servers.toml` names.
    Example(String, &'static Started),
    /// The check of an exercise.
    Check(String),
}

impl Job {
    /// The example of this name, if a page may start it.
    pub(crate) fn example(name: &str) -> Option<Job> {
        Started::named(name).map(|started| Job::Example(name.to_owned(), started))
    }

    /// The check of the exercise of this name, if there is one.
    pub(crate) fn check(root: &Path, name: &str) -> Option<Job> {
        let list = exercises::exercises(root).ok()?;
        list.iter().any(|it| it.name == name).then(|| Job::Check(name.to_owned()))
    }

    /// The word and the name by which `book keep` knows it.
    pub(super) fn words(&self) -> [&str; 2] {
        match self {
            Job::Example(name, _) => ["example", name],
            Job::Check(name) => ["check", name],
        }
    }

    /// What clients ask for, or do to it; nothing of a program that serves nobody.
    pub(super) fn started(&self) -> Option<&'static Started> {
        match self {
            Job::Example(_, started) if started.is_server() => Some(started),
            _ => None,
        }
    }

    /// The arguments of cargo that build it, and what attacks it.
    pub(super) fn build(&self) -> Vec<String> {
        match self {
            Job::Example(name, started) => {
                let mut arguments = started.build_arguments(name);
                arguments.extend(
                    self.client().into_iter().flat_map(|it| ["--example", it]).map(str::to_owned),
                );
                arguments
            }
            Job::Check(_) => {
                ["build", "--package", "learn", "--bin", "learn"].map(str::to_owned).into()
            }
        }
    }

    /// The name of the program that cargo builds for it.
    pub(super) fn program(&self) -> &str {
        match self {
            Job::Example(name, _) => name,
            Job::Check(_) => "learn",
        }
    }

    pub(super) fn arguments(&self) -> Vec<&str> {
        match self {
            // Any free one.
            Job::Example(_, started) if started.is_server() => vec!["--port", "0"],
            Job::Example(..) => Vec::new(),
            Job::Check(name) => vec!["check", name],
        }
    }

    /// The variables that it gets.
    pub(super) fn settings(&self) -> Vec<(&'static String, &'static String)> {
        match self {
            Job::Example(_, started) => started.settings.iter().collect(),
            Job::Check(_) => Vec::new(),
        }
    }

    /// The program that attacks it.
    pub(super) fn client(&self) -> Option<&'static str> {
        self.started().filter(|started| !started.attacks.is_empty()).map(|_| ATTACKER)
    }
}
