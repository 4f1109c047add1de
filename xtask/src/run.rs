//! `cargo xtask servers` and `cargo xtask run`: which servers there are, and one of them started.

use std::{env, path::Path, process::Command};

use anyhow::{Context, Result, bail};
use servers::{NAMES, SERVERS, Server};

use crate::say;

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
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg("run").arg("--manifest-path").arg(root.join("Cargo.toml"));
    cargo.args(["--quiet", "--example", &server.name]);
    cargo.args(release.then_some("--release")).arg("--").args(args);
    become_it(&mut cargo).with_context(|| format!("cannot start {cargo:?}"))
}

/// Cargo replaces itself in the same way by the program that it has built.
#[cfg(unix)]
fn become_it(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(command.exec().into())
}

/// Windows can't replace a process: this one waits, and ends with the same status.
#[cfg(not(unix))]
fn become_it(command: &mut Command) -> Result<()> {
    // A console sends Ctrl-C to both; only the server may act on it.
    ctrlc::set_handler(|| {})?;
    std::process::exit(command.status()?.code().unwrap_or(1))
}
