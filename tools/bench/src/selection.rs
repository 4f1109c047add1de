//! What `--only` names.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use records::description::Experiment;
use servers::{NAMES, keeps_the_contract};

/// The experiments that `--only` names, in alphabetical order; all, where it names nothing. A server is every
/// experiment in which it is compared, with all that it is compared with: ratios are taken inside a round.
///
/// # Errors
/// When there is no such experiment or server.
pub fn select<'a>(
    only: &[String],
    described: &'a BTreeMap<String, Experiment>,
) -> Result<Vec<(&'a str, &'a Experiment)>> {
    let is_known = |name: &&String| described.contains_key(*name) || keeps_the_contract(name);
    if let Some(unknown) = only.iter().find(|name| !is_known(name)) {
        let experiments: Vec<&str> = described.keys().map(String::as_str).collect();
        bail!(
            "there is no experiment or server `{unknown}`; there are {}",
            [&experiments[..], &NAMES].concat().join(", ")
        );
    }
    let compares = |experiment: &Experiment, server: &String| {
        experiment.setups().any(|(_, setup)| setup.server.as_ref() == Some(server))
    };
    let is_wanted = |name: &str, experiment: &Experiment| {
        only.is_empty() || only.iter().any(|it| it == name || compares(experiment, it))
    };
    let wanted = described.iter().filter(|(name, experiment)| is_wanted(name, experiment));
    Ok(wanted.map(|(name, experiment)| (name.as_str(), experiment)).collect())
}

#[cfg(test)]
mod tests {
    use records::{
        descriptions,
        testing::{PROGRAM, repository},
    };

    use super::*;
    use crate::testing::pool;

    #[test]
    fn only_takes_experiments_and_servers() {
        let program = descriptions::parse("rounds", PROGRAM, repository().path()).unwrap();
        let described = [("pool-law".to_owned(), pool()), ("rounds".to_owned(), program)].into();
        let only = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| name.to_string()).collect();
            let chosen = select(&names, &described)?;
            Ok::<_, anyhow::Error>(chosen.into_iter().map(|(name, _)| name).collect::<Vec<_>>())
        };
        assert_eq!(only(&[]).unwrap(), ["pool-law", "rounds"]);
        assert_eq!(only(&["rounds"]).unwrap(), ["rounds"]);
        assert_eq!(only(&["ch03_threadpool"]).unwrap(), ["pool-law"]);
        assert!(only(&["ch06_tokio"]).unwrap().is_empty());
        let message = only(&["ch07"]).unwrap_err().to_string();
        assert!(message.contains("ch06_tokio") && message.contains("pool-law"), "{message}");
    }
}
