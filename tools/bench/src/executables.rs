//! The executables that are measured, and those that measure, built by cargo.

use std::{
    collections::{BTreeMap, BTreeSet},
    env::consts::EXE_SUFFIX,
    path::{Path, PathBuf},
};

use anyhow::Result;
use base::say;
use process::{StopFlag, cargo, origin::sha256};
use records::description::Profile;
use servers::{NAMES, Server};

/// Where cargo puts the executables, and what they are.
#[derive(Clone, Debug)]
pub struct Executables {
    /// The folder of those that are built for release.
    pub release: PathBuf,
    /// The folder of those that are built for debugging.
    pub debug: PathBuf,
    /// The SHA-256 of each, by [`key`].
    pub hashes: BTreeMap<String, String>,
}

impl Executables {
    /// One of them.
    pub fn path(&self, profile: Profile, name: &str) -> PathBuf {
        let folder = match profile {
            Profile::Release => &self.release,
            Profile::Debug => &self.debug,
        };
        folder.join(format!("{name}{EXE_SUFFIX}"))
    }
}

/// The name of an executable among the hashes: `PROFILE/NAME`.
pub fn key(profile: Profile, name: &str) -> String {
    let profile = match profile {
        Profile::Release => "release",
        Profile::Debug => "debug",
    };
    format!("{profile}/{name}")
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
    mut wanted: BTreeSet<(Profile, String)>,
    stop: &StopFlag,
) -> Result<Executables> {
    // The wire tests are run against the release build, also where only the other is timed.
    let rungs: Vec<&str> =
        NAMES.iter().copied().filter(|rung| wanted.iter().any(|(_, name)| name == rung)).collect();
    wanted.extend(rungs.iter().map(|rung| (Profile::Release, (*rung).to_owned())));
    if !rungs.is_empty() {
        say("Building the servers for release …");
        compile(root, Profile::Release, &NAMES, stop)?;
    }
    let is_rung =
        |profile: Profile, name: &str| profile == Profile::Release && Server::named(name).is_some();
    for (profile, name) in wanted.iter().filter(|(profile, name)| !is_rung(*profile, name)) {
        let purpose = match profile {
            Profile::Release => "for release",
            Profile::Debug => "without optimization",
        };
        say(format_args!("Building {name} {purpose} …"));
        compile(root, *profile, &[name.as_str()], stop)?;
    }
    let target = cargo::target_folder(root, stop)?;
    let folder = |profile: &str| target.join(profile).join("examples");
    let (release, debug) = (folder("release"), folder("debug"));
    let mut executables = Executables { release, debug, hashes: BTreeMap::new() };
    for (profile, name) in wanted {
        let hash = sha256(&executables.path(profile, &name))?;
        executables.hashes.insert(key(profile, &name), hash);
    }
    Ok(executables)
}

fn compile(root: &Path, profile: Profile, packages: &[&str], stop: &StopFlag) -> Result<()> {
    let release = (profile == Profile::Release).then_some("--release");
    let packages_too = packages.iter().flat_map(|name| ["--package", name, "--example", name]);
    let arguments: Vec<&str> = release.into_iter().chain(packages_too).collect();
    cargo::build(root, &arguments, &packages.join(", "), stop)
}
