//! The executables that are measured, and those that measure, built by cargo.

use std::{
    collections::{BTreeMap, BTreeSet},
    env::consts::EXE_SUFFIX,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use base::say;
use process::{StopFlag, cargo, origin::sha256};
use records::description::Profile;
use servers::{Foreign, NAMES, Server, Toolchain, keeps_the_contract};

/// Where cargo puts the executables, and what they are.
#[derive(Clone, Debug)]
pub struct Executables {
    /// Cargo's folder.
    pub target: PathBuf,
    /// The SHA-256 of each, by [`key`].
    pub hashes: BTreeMap<String, String>,
}

impl Executables {
    pub fn path(&self, profile: Profile, name: &str) -> PathBuf {
        self.folder(profile).join(format!("{name}{EXE_SUFFIX}"))
    }

    /// The folder of those that are built for release.
    pub fn release(&self) -> PathBuf {
        self.folder(Profile::Release)
    }

    fn folder(&self, profile: Profile) -> PathBuf {
        self.target.join(word(profile)).join("examples")
    }
}

/// What cargo calls a profile.
fn word(profile: Profile) -> &'static str {
    match profile {
        Profile::Release => "release",
        Profile::Debug => "debug",
    }
}

/// The name of an executable among the hashes: `PROFILE/NAME`.
pub fn key(profile: Profile, name: &str) -> String {
    format!("{}/{name}", word(profile))
}

/// Builds these servers, and what else is measured with.
///
/// Cargo compiles a crate with the features that all packages of one command want, so that an executable
/// depends on what is built beside it. The rungs are therefore always built together, and every other
/// package alone: what `--only` names makes no difference.
pub fn build(
    root: &Path,
    mut wanted: BTreeSet<(Profile, String)>,
    stop: &StopFlag,
) -> Result<Executables> {
    // The wire tests are run against the release build, also where only the other is timed.
    let tested = wanted.iter().filter(|(_, name)| keeps_the_contract(name));
    let tested: Vec<String> = tested.map(|(_, name)| name.clone()).collect();
    wanted.extend(tested.into_iter().map(|name| (Profile::Release, name)));
    if wanted.iter().any(|(_, name)| Server::named(name).is_some()) {
        say("Building the servers for release …");
        compile(root, Profile::Release, &NAMES, stop)?;
    }
    let target = cargo::target_folder(root, stop)?;
    let mut executables = Executables { target, hashes: BTreeMap::new() };
    for (profile, name) in wanted {
        let foreign = Foreign::named(&name).and_then(|server| Some((server, server.toolchain()?)));
        let hash = match foreign {
            Some((server, toolchain)) => build_with_toolchain(root, server, toolchain)?,
            None => {
                let purpose = match profile {
                    Profile::Release => "for release",
                    Profile::Debug => "without optimization",
                };
                if profile == Profile::Debug || Server::named(&name).is_none() {
                    say(format_args!("Building {name} {purpose} …"));
                    compile(root, profile, &[name.as_str()], stop)?;
                }
                Some(sha256(&executables.path(profile, &name))?)
            }
        };
        executables.hashes.extend(hash.map(|hash| (key(profile, &name), hash)));
    }
    Ok(executables)
}

/// Builds a server in another language: the hash of what is shipped; none where its toolchain is not here.
fn build_with_toolchain(
    root: &Path,
    server: &Foreign,
    toolchain: &Toolchain,
) -> Result<Option<String>> {
    if toolchain.look().is_err() {
        return Ok(None);
    }
    let name = &server.name;
    say(format_args!("Building {name} with {} …", toolchain.title));
    toolchain.build(root).map_err(anyhow::Error::msg)?;
    let shipped = server.shipped(root).with_context(|| format!("{name} has no file"))?;
    Ok(Some(sha256(&shipped)?))
}

fn compile(root: &Path, profile: Profile, packages: &[&str], stop: &StopFlag) -> Result<()> {
    let release = (profile == Profile::Release).then_some("--release");
    let packages_too = packages.iter().flat_map(|name| ["--package", name, "--example", name]);
    let arguments: Vec<&str> = release.into_iter().chain(packages_too).collect();
    cargo::build(root, &arguments, &packages.join(", "), stop)
}
