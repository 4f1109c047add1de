//! The programs that are measured, built by cargo.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use base::say;
use process::{
    StopFlag,
    cargo::{BUILD_TIME, cargo, target_folder},
};
use records::description::Profile;
use servers::Server;

/// Where cargo puts the servers.
#[derive(Clone, Debug)]
pub struct Executables {
    /// The folder of those that are built for release.
    pub release: PathBuf,
    /// The folder of those that are built for debugging.
    pub debug: PathBuf,
}

impl Executables {
    /// One of them.
    pub fn path(&self, profile: Profile, name: &str) -> PathBuf {
        let folder = match profile {
            Profile::Release => &self.release,
            Profile::Debug => &self.debug,
        };
        folder.join(executable(name))
    }
}

/// Builds these servers, and what else is measured with.
///
/// Cargo compiles a crate with the features that all packages of one command want, so that an executable
/// depends on what is built beside it. The rungs are therefore always built together, and every other
/// package alone: what `--only` names makes no difference.
///
/// # Errors
/// When one does not compile, with what cargo says; when Ctrl-C is pressed.
pub fn build(
    root: &Path,
    wanted: &BTreeSet<(Profile, String)>,
    stop: &StopFlag,
) -> Result<Executables> {
    let is_rung =
        |profile: Profile, name: &str| profile == Profile::Release && Server::named(name).is_some();
    if wanted.iter().any(|(profile, name)| is_rung(*profile, name)) {
        say("Building the servers for release …");
        compile(root, Profile::Release, &servers::NAMES, stop)?;
    }
    for (profile, name) in wanted.iter().filter(|(profile, name)| !is_rung(*profile, name)) {
        let purpose = match profile {
            Profile::Release => "for release",
            Profile::Debug => "without optimization",
        };
        say(format_args!("Building {name} {purpose} …"));
        compile(root, *profile, &[name.as_str()], stop)?;
    }
    let target = target_folder(root, stop)?;
    let folder = |profile: &str| target.join(profile).join("examples");
    Ok(Executables { release: folder("release"), debug: folder("debug") })
}

fn compile(root: &Path, profile: Profile, packages: &[&str], stop: &StopFlag) -> Result<()> {
    let mut command = cargo(root);
    command.args(["build", "--quiet"]);
    if profile == Profile::Release {
        command.arg("--release");
    }
    for package in packages {
        command.args(["--package", package, "--example", package]);
    }
    let (status, _, complaints) = process::run(&mut command, BUILD_TIME, stop, || {})?;
    if !status.success() {
        bail!("cargo could not build {}:\n{}", packages.join(", "), complaints.trim());
    }
    Ok(())
}

fn executable(rung: &str) -> String {
    format!("{rung}{}", std::env::consts::EXE_SUFFIX)
}
