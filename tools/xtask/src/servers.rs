//! `cargo xtask servers` and `cargo xtask run`: lists the servers, and starts one of them.

use std::path::Path;

use anyhow::{Context, Result, bail};
use records::{
    base::say,
    servers::{ALL, Kind, Server},
};

use crate::programs;

/// Prints a line for each server: its name and its idea.
pub fn list() {
    let width = ALL.iter().map(|server| server.name.len()).max().unwrap_or_default();
    for Server { name, idea, .. } in ALL.iter() {
        say(format_args!("{name:width$}  {idea}"));
    }
}

/// Builds the server and becomes it: its output, its signals and its exit status are this process's from here on. Where
/// it does not compile, cargo itself says so. `release` changes nothing for a server in another language.
pub fn run(root: &Path, name: &str, release: bool, args: &[String]) -> Result<()> {
    let Some(server) = Server::named(name) else {
        let names: Vec<&str> = ALL.iter().map(|server| server.name.as_str()).collect();
        bail!("there is no server `{name}`; there are {}", names.join(", "));
    };
    if let Some(toolchain) = server.toolchain() {
        if let Err(why) = toolchain.require().and_then(|_| toolchain.build(root)) {
            bail!("{name}: {why}");
        }
        let command = server.command(root);
        return programs::exec(command.context("its declaration was checked")?.args(args));
    }
    let mut cargo = programs::cargo("run", root);
    // The rungs are default members, and cargo compiles them as it does without this tool.
    if server.kind == Kind::Framework {
        cargo.args(["--package", name]);
    }
    cargo.args(["--example", name]);
    cargo.args(release.then_some("--release")).arg("--").args(args);
    programs::exec(&mut cargo)
}
