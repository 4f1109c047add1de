//! What an experiment needs: executables, tools, and what only some systems can do.

use std::collections::BTreeSet;

use base::number;
use process::tools::how_to_install;
use records::description::{Count, Experiment, Pin, Profile, Setup, Sink};
use servers::{Foreign, Toolchain};

use crate::context::Context;

/// The executables that an experiment needs: profile and name of each.
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

/// The tools that an experiment needs, apart from those that we build.
pub fn tools_of(experiment: &Experiment) -> BTreeSet<&'static str> {
    let mut tools = BTreeSet::new();
    for (_, setup) in experiment.setups() {
        let generator = generator_of(&setup);
        tools.extend(["wrk", "ab", "oha", "drill"].iter().filter(|tool| Some(**tool) == generator));
        tools.extend(setup.count.map(Count::tool));
    }
    let pinned = experiment.entries().iter().any(|name| experiment.pin_of(name) != Pin::None);
    if pinned && cfg!(target_os = "linux") {
        tools.insert("taskset");
    }
    tools
}

/// Why a variant can't be run here, if it can't. `hard_limit`: how many files and sockets a program may have open
/// at most.
pub fn impossible(setup: &Setup, context: &Context, hard_limit: Option<u64>) -> Option<String> {
    let tools = [generator_of(setup), setup.count.map(Count::tool)];
    for tool in tools.into_iter().flatten().filter(|tool| *tool != "load") {
        if !context.tools.contains_key(tool) {
            return Some(format!("{tool} is not installed. {}", how_to_install(tool)));
        }
    }
    let foreign = setup.server.as_deref().and_then(Foreign::named);
    if let Some(Err(why)) = foreign.and_then(Foreign::toolchain).map(Toolchain::look) {
        return Some(why);
    }
    if setup.count.is_some() && !cfg!(target_os = "linux") {
        return Some("counts are taken on Linux only".to_owned());
    }
    if !cfg!(unix) && (setup.descriptors.is_some() || setup.pause.is_some()) {
        return Some("a limit of descriptors and a pause are to be had on Unix only".to_owned());
    }
    if !cfg!(unix) && setup.stderr == Some(Sink::Terminal) {
        return Some("a pseudo-terminal is to be had on Unix only".to_owned());
    }
    match (setup.descriptors, hard_limit) {
        (Some(wanted), Some(limit)) if wanted > limit => Some(format!(
            "a program may open at most {} files and sockets here, and this needs {}",
            number(limit as f64, 0),
            number(wanted as f64, 0)
        )),
        _ => None,
    }
}

fn generator_of(setup: &Setup) -> Option<&str> {
    setup.generator.iter().flatten().next().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use records::{
        descriptions,
        testing::{PROGRAM, repository},
    };

    use super::*;
    use crate::testing::pool;

    fn release(name: &str) -> (Profile, String) {
        (Profile::Release, name.to_owned())
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
        own.count = Some(Count::Allocations);
        assert_eq!(tools_of(&experiment), ["valgrind", "wrk"].into());
        let debug = (Profile::Debug, server.to_owned());
        assert_eq!(executables_of(&experiment), [release(server), release("load"), debug].into());
    }

    #[test]
    fn a_program_needs_itself_and_nothing_else() {
        let text = PROGRAM.replace("pin = \"one\"", "");
        let experiment = descriptions::parse("rounds", &text, repository().path()).unwrap();
        assert!(tools_of(&experiment).is_empty());
        assert_eq!(executables_of(&experiment), [release("hardware_threads")].into());
        let mut experiment = descriptions::parse("rounds", PROGRAM, repository().path()).unwrap();
        assert_eq!(tools_of(&experiment).contains("taskset"), cfg!(target_os = "linux"));
        // The server that it looks at is built, and isn't tested.
        experiment.variants[0].own.server = Some("go_http".to_owned());
        let both = [release("go_http"), release("hardware_threads")];
        assert_eq!(executables_of(&experiment), both.into());
    }
}
