//! `cargo xtask compare`, `keep` and `redescribe`: what two sessions conclude, what the log keeps of one, and new words
//! for what was measured.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use base::{find_root, say};
use records::{
    descriptions,
    log::{self, Session},
    results,
    sessions::Records,
    store::{self, EXPERIMENTS},
};
use report::compare::{self, Total};

/// Says whether two sessions come to the same conclusions. Fails when they have no experiment in common.
pub fn compare(first: &Path, second: Option<PathBuf>) -> Result<()> {
    let root = find_root()?;
    let second = second.unwrap_or_else(|| results::books(&root));
    let described = descriptions::load_all(&root)?;
    let (first, second) = (session(&root, first)?, session(&root, &second)?);
    let compared = compare::compare(&second, &first, &described)?;
    for it in &compared {
        let same = it.compared - it.differences.len();
        say(format_args!("{:<30} {same} of {} conclusions the same", it.name, it.compared));
        it.differences.iter().for_each(|difference| say(format_args!("    {difference}")));
    }
    let Total { compared: all, same, contradictions } = Total::of(&compared);
    say(format_args!(
        "In all, {same} of {all} conclusions are the same, and {contradictions} contradict each other."
    ));
    Ok(())
}

/// The session whose results lie in a folder, or that a file of the log holds.
fn session(root: &Path, path: &Path) -> Result<Session> {
    if path.is_file() {
        return log::read(path);
    }
    let records = Records::read(path)?;
    ensure!(!records.is_empty(), "{} holds no results of experiments", path.display());
    Ok(Session::of(&records, &descriptions::load_all(root)?))
}

/// Adds what the results in a folder conclude to the session log. Fails when that has a session of this name.
pub fn keep(results: &Path, name: &str) -> Result<()> {
    let root = find_root()?;
    let path = log::keep(&root, name, &session(&root, results)?)?;
    say(format_args!("{}: its `note` is yours to write.", path.display()));
    Ok(())
}

/// Writes new words, margins or contrasts of the descriptions into the results. The records keep those of their session.
pub fn redescribe(results: Option<PathBuf>) -> Result<()> {
    let root = find_root()?;
    let results = results.unwrap_or_else(|| results::books(&root));
    let described = descriptions::load_all(&root)?;
    let changed = store::redescribe(&results.join(EXPERIMENTS), &described)?;
    for name in &changed {
        say(format_args!("{name} has its new description"));
    }
    if changed.is_empty() {
        say("Nothing to write: no description differs from its record by words or rules alone.");
    }
    Ok(())
}
