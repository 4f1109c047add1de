//! The programs that cargo builds when they are asked for: this process becomes them.

use std::{env, ffi::OsString, path::Path, process::Command};

use anyhow::{Context, Result};
use records::base::find_root;

/// Builds a program of the folder `tools` and becomes it: its output, its signals and its exit status are this
/// process's from here on. So nobody compiles one without using it.
pub fn become_program(package: &str, name: &str, args: &[OsString]) -> Result<()> {
    let mut cargo = cargo_run(&find_root()?);
    // While it compiles for the first time, what cargo says is news; afterwards it stands around each answer.
    let beside =
        env::current_exe()?.with_file_name(name).with_extension(env::consts::EXE_EXTENSION);
    if beside.is_file() {
        cargo.arg("--quiet");
    }
    cargo.args(["--package", package, "--bin", name, "--"]).args(args);
    become_it(&mut cargo)
}

/// `cargo run` for the repository with this root.
pub fn cargo_run(root: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg("run").arg("--manifest-path").arg(root.join("Cargo.toml"));
    cargo
}

/// Cargo replaces itself in the same way by the program that it has built.
#[cfg(unix)]
pub fn become_it(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).with_context(|| format!("cannot start {command:?}"))
}

/// Windows can't replace a process: this one waits, and ends with the same status.
#[cfg(not(unix))]
pub fn become_it(command: &mut Command) -> Result<()> {
    // A console sends Ctrl-C to both; only the server may act on it.
    ctrlc::set_handler(|| {})?;
    std::process::exit(command.status()?.code().unwrap_or(1))
}
