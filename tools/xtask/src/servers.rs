//! `cargo xtask servers` and `cargo xtask run`: which servers there are, and one of them started.

use std::path::Path;

use ::servers::{FOREIGN, Foreign, SERVERS, keeps_the_contract};
use anyhow::{Context, Result, bail};
use base::say;

use crate::programs;

/// All servers with their ideas: those of the ladder, and then those outside it.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let ladder = SERVERS.iter().map(|server| (server.name.as_str(), server.idea.as_str()));
    let foreign = FOREIGN.iter().map(|server| (server.name.as_str(), server.idea.as_str()));
    ladder.chain(foreign)
}

/// Prints a line for each server: its name and its idea.
pub fn list() {
    let width = all().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, idea) in all() {
        say(format_args!("{name:width$}  {idea}"));
    }
}

/// Builds the server and becomes it: its output, its signals and its exit status are this process's from here on.
/// Cargo itself says where it does not compile. One in another language has but one way of being built.
pub fn run(root: &Path, name: &str, release: bool, args: &[String]) -> Result<()> {
    if !keeps_the_contract(name) {
        let names: Vec<&str> = all().map(|(name, _)| name).collect();
        bail!("there is no server `{name}`; there are {}", names.join(", "));
    }
    let foreign = Foreign::named(name);
    if let Some(toolchain) = foreign.and_then(Foreign::toolchain) {
        if let Err(why) = toolchain.look().and_then(|_| toolchain.build(root)) {
            bail!("{name}: {why}");
        }
        let command = foreign.and_then(|server| server.command(root));
        return programs::become_it(command.context("its declaration was checked")?.args(args));
    }
    let mut cargo = programs::cargo_run(root);
    // The rungs are default members, and cargo compiles them as it does without this tool.
    if foreign.is_some() {
        cargo.args(["--package", name]);
    }
    cargo.args(["--example", name]);
    cargo.args(release.then_some("--release")).arg("--").args(args);
    programs::become_it(&mut cargo)
}
