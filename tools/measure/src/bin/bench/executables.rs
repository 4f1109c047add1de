//! Lets cargo and the toolchains build the executables that are measured, and those that measure.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use measure::{
    StopFlag,
    cargo::{self, Built},
    origin::sha256,
    settings::settings,
};
use records::{
    base::say,
    description::Profile,
    machine::Build,
    servers::{NAMES, Server, Toolchain, keeps_the_contract},
};

/// The executables that this call has built. Nothing else is ever measured.
#[derive(Clone, Debug, Default)]
pub struct Executables {
    /// The path of each as cargo reports it, by [`key`].
    pub paths: BTreeMap<String, PathBuf>,
    /// The SHA-256 of each, by [`key`]; of a server in another language that of what is shipped.
    pub hashes: BTreeMap<String, String>,
    /// The compiler settings of each, and the settings made by hand.
    pub build: Build,
}

impl Executables {
    /// Returns the path of an executable. Fails when this call has not built it.
    pub fn path(&self, profile: Profile, name: &str) -> Result<&Path> {
        let path = self.paths.get(&key(profile, name)).map(PathBuf::as_path);
        path.with_context(|| format!("{} was not built", key(profile, name)))
    }

    /// Returns the part of [`build`](Executables::build) that these executables need.
    pub fn build_of(&self, needed: &BTreeSet<(Profile, String)>) -> Build {
        let keys: BTreeSet<String> =
            needed.iter().map(|(profile, name)| key(*profile, name)).collect();
        let mut build = self.build.clone();
        build.profiles.retain(|name, _| keys.contains(name));
        build
    }

    /// Enters a program that cargo has built.
    fn add(&mut self, profile: Profile, name: &str, built: &[Built]) -> Result<()> {
        let built = cargo::program(built, name)?;
        let key = key(profile, name);
        self.hashes.insert(key.clone(), sha256(&built.path)?);
        self.build.profiles.insert(key.clone(), built.profile.clone());
        self.paths.insert(key, built.path.clone());
        Ok(())
    }
}

/// Returns cargo's name of a profile.
fn cargo_name(profile: Profile) -> &'static str {
    match profile {
        Profile::Release => "release",
        Profile::Debug => "debug",
    }
}

/// Returns the name of an executable among the hashes: `PROFILE/NAME`.
pub fn key(profile: Profile, name: &str) -> String {
    format!("{}/{name}", cargo_name(profile))
}

/// Builds these executables.
///
/// Cargo compiles a crate with the features that all packages of one command want, so that an executable depends on what
/// is built beside it. The rungs are therefore always built together, and every other package alone: what `--only` names
/// makes no difference.
pub fn build(
    root: &Path,
    mut wanted: BTreeSet<(Profile, String)>,
    stop: &StopFlag,
) -> Result<Executables> {
    let mut executables = Executables::default();
    executables.build.settings = settings(root);
    if let Some(set) = executables.build.set_by_hand() {
        say(format_args!(
            "Set by hand: {set}. Figures taken so can't be compared with the book's; the records say it."
        ));
    }
    // The wire tests are run against the release build, also where only the other is timed.
    let tested = wanted.iter().filter(|(_, name)| keeps_the_contract(name));
    let tested: Vec<String> = tested.map(|(_, name)| name.clone()).collect();
    wanted.extend(tested.into_iter().map(|name| (Profile::Release, name)));
    let mut rungs = Vec::new();
    if wanted.iter().any(|(_, name)| Server::rung(name).is_some()) {
        say("Building the servers for release …");
        rungs = compile(root, Profile::Release, &NAMES, stop)?;
    }
    for (profile, name) in wanted {
        let foreign = Server::named(&name).and_then(|server| Some((server, server.toolchain()?)));
        if let Some((server, toolchain)) = foreign {
            let hash = build_with_toolchain(root, server, toolchain)?;
            executables.hashes.extend(hash.map(|hash| (key(profile, &name), hash)));
        } else if profile == Profile::Release && Server::rung(&name).is_some() {
            executables.add(profile, &name, &rungs)?;
        } else {
            let purpose = match profile {
                Profile::Release => "for release",
                Profile::Debug => "without optimization",
            };
            say(format_args!("Building {name} {purpose} …"));
            let built = compile(root, profile, &[name.as_str()], stop)?;
            executables.add(profile, &name, &built)?;
        }
    }
    Ok(executables)
}

/// Builds a server in another language, and returns the hash of the file that is shipped; `None` where its toolchain is
/// not installed.
fn build_with_toolchain(
    root: &Path,
    server: &Server,
    toolchain: &Toolchain,
) -> Result<Option<String>> {
    if toolchain.require().is_err() {
        return Ok(None);
    }
    let name = &server.name;
    say(format_args!("Building {name} with {} …", toolchain.title));
    toolchain.build(root).map_err(anyhow::Error::msg)?;
    let shipped = server.shipped(root).with_context(|| format!("{name} has no file"))?;
    Ok(Some(sha256(&shipped)?))
}

fn compile(
    root: &Path,
    profile: Profile,
    packages: &[&str],
    stop: &StopFlag,
) -> Result<Vec<Built>> {
    let mut arguments = Vec::new();
    if profile == Profile::Release {
        arguments.push("--release");
    }
    for name in packages {
        arguments.extend(["--package", name, "--example", name]);
    }
    cargo::build(root, &arguments, &packages.join(", "), stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cargo_has_just_built_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x86_64/release/examples/one");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "1").unwrap();
        let profile = "opt_level 0".to_owned();
        let one = Built { name: "one".to_owned(), path: file.clone(), profile };
        let mut executables = Executables::default();
        executables.add(Profile::Release, "one", std::slice::from_ref(&one)).unwrap();
        assert_eq!(executables.path(Profile::Release, "one").unwrap(), file);
        // An older file beside it, or one of another profile, is none of them.
        std::fs::write(file.with_file_name("two"), "2").unwrap();
        assert!(executables.add(Profile::Release, "two", &[one]).is_err());
        for (profile, name) in [(Profile::Release, "two"), (Profile::Debug, "one")] {
            let error = executables.path(profile, name).unwrap_err().to_string();
            assert!(error.ends_with("was not built"), "{error}");
        }
        let needed = [(Profile::Debug, "one".to_owned())].into();
        assert!(executables.build_of(&needed).profiles.is_empty());
        let needed = [(Profile::Release, "one".to_owned())].into();
        assert_eq!(executables.build_of(&needed).profiles["release/one"], "opt_level 0");
    }
}
