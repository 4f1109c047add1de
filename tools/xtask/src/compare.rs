//! `cargo xtask compare`: whether two folders of results come to the same conclusions.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use book::report::compare::{self, Total};
use records::{
    base::{find_root, say},
    descriptions,
    measured::Records,
    results,
};

/// Says whether two sessions come to the same conclusions. Fails when they have no experiment in common.
pub fn compare(first: &Path, second: Option<PathBuf>) -> Result<()> {
    let root = find_root()?;
    let second = second.unwrap_or_else(|| results::books(&root));
    let described = descriptions::load_all(&root)?;
    let session = |folder: &Path| {
        let records = Records::read(folder, &described)?;
        ensure!(!records.is_empty(), "{} holds no results of experiments", folder.display());
        Ok(records)
    };
    let (first, second) = (session(first)?, session(&second)?);
    let compared = compare::compare(&second, &first)?;
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
