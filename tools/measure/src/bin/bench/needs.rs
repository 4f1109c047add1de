//! Selects the experiments to measure, and finds out which executables, tools and system features they need.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use records::{
    base::{number, programs::how_to_install},
    description::{Experiment, Pin, Profile, Setup, Sink},
    servers::{NAMES, Server, Toolchain, keeps_the_contract},
};

use crate::{context::Context, syscalls};

/// Selects the experiments that `--only` names, in alphabetical order; all, where it names nothing. The name of a server
/// selects every experiment in which it is compared, with all that it is compared with, because ratios are taken inside
/// a round. Fails where there is no such experiment or server.
pub fn select<'a>(
    only: &[String],
    described: &'a BTreeMap<String, Experiment>,
) -> Result<Vec<(&'a str, &'a Experiment)>> {
    let mut only_names = only.iter();
    if let Some(unknown) =
        only_names.find(|name| !described.contains_key(*name) && !keeps_the_contract(name))
    {
        let experiments: Vec<&str> = described.keys().map(String::as_str).collect();
        bail!(
            "there is no experiment or server `{unknown}`; there are {}",
            [&experiments[..], &NAMES].concat().join(", ")
        );
    }
    let mut chosen = Vec::new();
    for (name, experiment) in described {
        if only.is_empty() || only.iter().any(|it| it == name || compares(experiment, it)) {
            chosen.push((name.as_str(), experiment));
        }
    }
    Ok(chosen)
}

/// Tells whether an experiment compares a server with others.
fn compares(experiment: &Experiment, server: &str) -> bool {
    experiment.setups().any(|(_, setup)| setup.server.as_deref() == Some(server))
}

/// Lists the executables that an experiment needs: profile and name of each.
pub fn executables_of(experiment: &Experiment) -> BTreeSet<(Profile, String)> {
    let mut needed = BTreeSet::new();
    for (_, setup) in experiment.setups() {
        if generator_of(&setup) == Some("load") {
            needed.insert((Profile::Release, "load".to_owned()));
        }
        let profile = setup.profile.unwrap_or_default();
        needed.extend([setup.program, setup.server].into_iter().flatten().map(|it| (profile, it)));
    }
    needed
}

/// Lists the tools that an experiment needs, apart from those that we build.
pub fn tools_of(experiment: &Experiment) -> BTreeSet<&'static str> {
    let mut tools = BTreeSet::new();
    for (_, setup) in experiment.setups() {
        let generator = generator_of(&setup);
        tools.extend(["wrk", "ab", "oha", "drill"].iter().filter(|tool| Some(**tool) == generator));
        tools.extend(setup.count.map(|_| "perf"));
    }
    let pinned = experiment.entries().iter().any(|name| experiment.pin_of(name) != Pin::None);
    if pinned && cfg!(target_os = "linux") {
        tools.insert("taskset");
    }
    tools
}

/// Returns the reason why a variant can't be run here, if there is one. `hard_limit` is the hard limit of descriptors.
pub fn impossible(setup: &Setup, context: &Context, hard_limit: Option<u64>) -> Option<String> {
    let tools = [generator_of(setup), setup.count.map(|_| "perf")];
    for tool in tools.into_iter().flatten().filter(|tool| *tool != "load") {
        if !context.tools.contains_key(tool) {
            return Some(format!("{tool} is not installed. {}", how_to_install(tool)));
        }
    }
    let foreign = setup.server.as_deref().and_then(Server::named);
    if let Some(Err(why)) = foreign.and_then(Server::toolchain).map(Toolchain::require) {
        return Some(why);
    }
    if setup.count.is_some()
        && let Some(why) = syscalls::impossible()
    {
        return Some(why);
    }
    if !cfg!(unix) && (setup.descriptors.is_some() || setup.pause.is_some()) {
        return Some("a limit of descriptors and a pause are to be had on Unix only".to_owned());
    }
    if !cfg!(unix) && setup.stderr == Some(Sink::Terminal) {
        return Some("a pseudo-terminal is to be had on Unix only".to_owned());
    }
    let (wanted, limit) = setup.descriptors.zip(hard_limit)?;
    let [needs, most] = [wanted, limit].map(|count| number(count as f64, 0));
    (wanted > limit).then(|| {
        format!("a program may open at most {most} files and sockets here, and this needs {needs}")
    })
}

fn generator_of(setup: &Setup) -> Option<&str> {
    setup.generator.iter().flatten().next().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use records::description::Count;

    use super::*;
    use crate::testing::{pool, program};

    fn release(name: &str) -> (Profile, String) {
        (Profile::Release, name.to_owned())
    }

    #[test]
    fn only_takes_experiments_and_servers() {
        let described = [("pool-law".to_owned(), pool()), ("rounds".to_owned(), program())].into();
        for (only, expected) in
            [("rounds", &["rounds"][..]), ("ch03_threadpool", &["pool-law"]), ("ch06_tokio", &[])]
        {
            let chosen = select(&[only.to_owned()], &described).unwrap();
            let names: Vec<&str> = chosen.into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, expected);
        }
        assert_eq!(select(&[], &described).unwrap().len(), 2);
        let message = select(&["ch07".to_owned()], &described).unwrap_err().to_string();
        assert!(message.contains("ch06_tokio") && message.contains("pool-law"), "{message}");
    }

    #[test]
    fn an_experiment_needs_servers_generators_and_tools() {
        let mut experiment = pool();
        assert_eq!(tools_of(&experiment).contains("taskset"), cfg!(target_os = "linux"));
        let server = "ch03_threadpool";
        assert_eq!(executables_of(&experiment), [release(server)].into());
        experiment.pin = Pin::None;
        let own = &mut experiment.variants[1].own;
        own.profile = Some(Profile::Debug);
        own.generator = Some(vec!["load".to_owned()]);
        own.count = Some(Count::Syscalls);
        assert_eq!(tools_of(&experiment), ["perf", "wrk"].into());
        let debug = (Profile::Debug, server.to_owned());
        assert_eq!(executables_of(&experiment), [release(server), release("load"), debug].into());
    }

    #[test]
    fn a_program_needs_itself_and_nothing_else() {
        let mut experiment = program();
        assert_eq!(tools_of(&experiment).contains("taskset"), cfg!(target_os = "linux"));
        assert_eq!(executables_of(&experiment), [release("hardware_threads")].into());
        experiment.variants[1].pin = None;
        assert!(tools_of(&experiment).is_empty());
        // The server that it looks at is built, and isn't tested.
        experiment.variants[0].own.server = Some("go_http".to_owned());
        let both = [release("go_http"), release("hardware_threads")];
        assert_eq!(executables_of(&experiment), both.into());
    }
}
