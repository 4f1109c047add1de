//! `cargo xtask servers` and `cargo xtask run`: which servers there are, and one of them started.

use std::path::Path;

use ::servers::{NAMES, SERVERS, Server};
use anyhow::{Result, bail};
use base::say;

use crate::programs;

/// Prints a line for each server: its name and its idea.
pub fn list() {
    let width = NAMES.iter().map(|name| name.len()).max().unwrap_or_default();
    for Server { name, idea, .. } in SERVERS.iter() {
        say(format_args!("{name:width$}  {idea}"));
    }
}

/// Builds the server and becomes it: its output, its signals and its exit status are this process's from here on.
///
/// # Errors
/// When there is no such server, or cargo can't be started. Cargo itself says where the server does not compile.
pub fn run(root: &Path, name: &str, release: bool, args: &[String]) -> Result<()> {
    let Some(server) = Server::named(name) else {
        bail!("there is no server `{name}`; there are {}", NAMES.join(", "));
    };
    let mut cargo = programs::cargo_run(root);
    cargo.args(["--example", &server.name]);
    cargo.args(release.then_some("--release")).arg("--").args(args);
    programs::become_it(&mut cargo)
}
