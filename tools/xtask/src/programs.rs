//! Lets cargo build the programs that are asked for; this process becomes them.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
};

use anyhow::{Context, Result};
use records::base::{built::Built, find_root};

/// Builds a program of the folder `tools` and becomes it: its output, its signals and its exit status are this
/// process's from here on. So nobody compiles a program without using it.
pub fn become_program(package: &str, name: &str, args: &[OsString]) -> Result<()> {
    let program = built(package, name)?;
    exec(Command::new(program).args(args))
}

/// Builds the program. Cargo prints on standard error what it compiles, or in one line that it has nothing to do. Where
/// the program does not compile, this process ends as cargo does.
fn built(package: &str, name: &str) -> Result<PathBuf> {
    let mut build = build(package, name, &find_root()?);
    build.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    let output = build.output().with_context(|| format!("cannot start {build:?}"))?;
    if !output.status.success() {
        process::exit(output.status.code().unwrap_or(1));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let mut programs = messages.lines().filter_map(Built::in_message);
    let program = programs.rfind(|it| it.name == name);
    Ok(program.with_context(|| format!("cargo has built no program {name}"))?.path)
}

/// Makes the command that builds a program of the folder `tools`.
pub fn build(package: &str, name: &str, root: &Path) -> Command {
    let mut build = cargo("build", root);
    build.args(["--package", package, "--bin", name]);
    build
}

/// Makes a command of cargo's for the repository, or another workspace, with this root.
pub fn cargo(command: &str, root: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg(command).arg("--manifest-path").arg(root.join("Cargo.toml"));
    cargo
}

/// Replaces this process by a program, as cargo replaces itself by the program that it has built.
#[cfg(unix)]
pub fn exec(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).with_context(|| format!("cannot start {command:?}"))
}

/// Runs a program to its end, and ends with its status, because Windows can't replace a process.
#[cfg(not(unix))]
pub fn exec(command: &mut Command) -> Result<()> {
    // A console sends Ctrl-C to both; only the server may act on it.
    ctrlc::set_handler(|| {})?;
    std::process::exit(command.status()?.code().unwrap_or(1))
}
