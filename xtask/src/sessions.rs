//! `cargo xtask compare` and `redescribe`: what two sessions conclude, and new words for what was measured.

use std::path::{Path, PathBuf};

use anyhow::Result;
use base::{find_root, say};
use records::{
    descriptions,
    sessions::Records,
    store::{self, EXPERIMENTS, SECOND_SESSION},
};
use report::compare::{self, Total};

/// Says whether two sessions of experiments come to the same conclusions.
///
/// # Errors
/// When one can't be read, or they have no experiment in common.
pub fn compare(first: &Path, second: Option<PathBuf>) -> Result<()> {
    let second = match second {
        Some(second) => second,
        None => records::results::books(&find_root()?),
    };
    let compared = compare::compare(&Records::read(first)?, &Records::read(&second)?)?;
    for it in &compared {
        let same = it.compared - it.differences.len();
        say(format_args!("{:<30} {same} of {} conclusions the same", it.name, it.compared));
        it.differences.iter().for_each(|difference| say(format_args!("    {difference}")));
    }
    let Total { compared: all, same, contradictions } = Total::of(&compared);
    say(format_args!(
        "In all, {same} of {all} conclusions are the same, and {contradictions} contradict each other."
    ));
    for (words, names) in compare::unlike_by_words(&compared) {
        let which = match names.len() {
            all if all == compared.len() => "all".to_owned(),
            _ => names.join(", "),
        };
        say(format_args!("Not alike, in {which}: {words}."));
    }
    Ok(())
}

/// Writes new words or margins of the descriptions into the results.
///
/// # Errors
/// When a description is wrong, or a record can't be read or written.
pub fn redescribe(results: Option<PathBuf>) -> Result<()> {
    let root = find_root()?;
    let results = results.unwrap_or_else(|| records::results::books(&root));
    let described = descriptions::load_all(&root)?;
    let mut changed = 0;
    for folder in [results.clone(), results.join(SECOND_SESSION)] {
        for name in store::redescribe(&folder.join(EXPERIMENTS), &described)? {
            say(format_args!("{}: {name} is described anew", folder.display()));
            changed += 1;
        }
    }
    if changed == 0 {
        say(format_args!(
            "Nothing to write: no description differs from its record by words or margin alone."
        ));
    }
    Ok(())
}
