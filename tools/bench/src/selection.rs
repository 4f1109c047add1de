//! What `--only` names.

use anyhow::{Result, bail};
use records::descriptions::RESERVED;
use servers::NAMES;

/// What `--only` names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The rungs that are measured with every benchmark of the ladder, in the book's order.
    pub rungs: Vec<&'static str>,
    /// The experiments, by name.
    pub experiments: Vec<String>,
}

/// What `--only` names: rungs and experiments, or all of one kind (`ladder`, `experiments`). Everything where
/// it names nothing.
///
/// # Errors
/// When there is no such rung or experiment.
pub fn select(only: &[String], experiments: &[&str]) -> Result<Selection> {
    let [all_rungs, all_experiments] = RESERVED;
    let known = |name: &str| {
        RESERVED.contains(&name) || NAMES.contains(&name) || experiments.contains(&name)
    };
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        bail!(
            "there is no rung or experiment `{unknown}`; there are {}",
            [&NAMES[..], experiments, &RESERVED[..]].concat().join(", ")
        );
    }
    let wanted = |name: &str, all: &str| {
        only.is_empty() || only.iter().any(|wanted| wanted == name || wanted == all)
    };
    let experiments = experiments.iter().filter(|name| wanted(name, all_experiments));
    Ok(Selection {
        rungs: NAMES.iter().copied().filter(|rung| wanted(rung, all_rungs)).collect(),
        experiments: experiments.map(ToString::to_string).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_takes_known_rungs_and_experiments() {
        let only = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| name.to_string()).collect();
            select(&names, &["keep-alive", "pool-law"])
        };
        let sizes = |names: &[&str]| {
            let selection = only(names).unwrap();
            (selection.rungs.len(), selection.experiments.len())
        };
        assert_eq!(sizes(&[]), (NAMES.len(), 2));
        assert_eq!(sizes(&["ladder"]), (NAMES.len(), 0));
        assert_eq!(sizes(&["experiments"]), (0, 2));
        assert_eq!(sizes(&["experiments", "ch06_tokio"]), (1, 2));
        let two = only(&["ch06_tokio", "ch04_smol"]).unwrap();
        assert_eq!((two.rungs, two.experiments.len()), (vec!["ch04_smol", "ch06_tokio"], 0));
        let one = only(&["pool-law"]).unwrap();
        assert_eq!((one.rungs.len(), one.experiments), (0, vec!["pool-law".to_owned()]));
        let message = only(&["ch07"]).unwrap_err().to_string();
        assert!(message.contains("ch06_tokio") && message.contains("pool-law"), "{message}");
    }
}
