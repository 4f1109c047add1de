//! Cargo, and what it has built.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, ensure};

use crate::{program::run, stop::StopFlag};

/// How long cargo may take.
const BUILD_TIME: Duration = Duration::from_secs(3600);

/// Where cargo puts what it builds.
pub fn target_folder(root: &Path, stop: &StopFlag) -> Result<PathBuf> {
    let mut command = cargo(root);
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    let (_, metadata, _) = run(&mut command, BUILD_TIME, stop, |_| {})?;
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata).context("cannot read the output of cargo metadata")?;
    let target = metadata["target_directory"].as_str().context("cargo names no target folder")?;
    Ok(PathBuf::from(target))
}

/// The cargo that started this tool, if one did.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(root);
    command
}

/// Builds what these arguments of `cargo build` name; `name` is what a complaint calls it. Fails when it does not
/// compile, with what cargo says; when Ctrl-C is pressed.
pub fn build(root: &Path, arguments: &[&str], name: &str, stop: &StopFlag) -> Result<()> {
    let mut command = cargo(root);
    command.args(["build", "--quiet"]).args(arguments);
    let (status, _, complaints) = run(&mut command, BUILD_TIME, stop, |_| {})?;
    ensure!(status.success(), "cargo could not build {name}:\n{}", complaints.trim());
    Ok(())
}
