//! Cargo, and what it has built.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::{program::run, stop::StopFlag};

/// How long cargo may take.
const BUILD_TIME: Duration = Duration::from_secs(3600);

/// A program, as cargo says after it has built it.
///
/// Cargo alone knows where it lies: a triple, a target folder and a build folder can be set in the environment and in
/// files above the repository. Whoever guesses finds none, or one of last week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The name of its example or binary.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// What the compiler was told, such as `opt_level 3, debug_assertions false`.
    pub profile: String,
}

/// The cargo that started this tool, if one did.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(root);
    command
}

/// Builds what these arguments of `cargo build` name; `name` is what a complaint calls it. Gives the programs among it,
/// also where there was nothing to compile. Fails when it does not compile, with what cargo says; when Ctrl-C is
/// pressed.
pub fn build(root: &Path, arguments: &[&str], name: &str, stop: &StopFlag) -> Result<Vec<Built>> {
    let mut command = cargo(root);
    command.args(["build", "--quiet", "--message-format", "json-render-diagnostics"]);
    command.args(arguments);
    let (status, messages, complaints) = run(&mut command, BUILD_TIME, stop, |_| {})?;
    ensure!(status.success(), "cargo could not build {name}:\n{}", complaints.trim());
    Ok(messages.lines().filter_map(built).collect())
}

/// The program of this name among those that were built. Fails when it is none of them.
pub fn program<'a>(built: &'a [Built], name: &str) -> Result<&'a Built> {
    let found = built.iter().find(|it| it.name == name);
    found.with_context(|| format!("cargo has built no program {name}"))
}

/// The program that one of cargo's messages names, if it names one.
fn built(message: &str) -> Option<Built> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
        target: Target,
        profile: serde_json::Map<String, serde_json::Value>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
    }
    let Message { executable, target, profile } = serde_json::from_str(message).ok()?;
    let said = profile.iter().filter(|(what, _)| *what != "test");
    let said = said.map(|(what, value)| match value.as_str() {
        Some(word) => format!("{what} {word}"),
        None => format!("{what} {value}"),
    });
    let profile = said.collect::<Vec<_>>().join(", ");
    Some(Built { name: target.name, path: executable?, profile })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_message_names_a_program_and_how_it_was_compiled() {
        let message = r#"{"reason":"compiler-artifact","target":{"kind":["example"],"name":"one"},
            "profile":{"opt_level":"3","debuginfo":0,"test":false},"executable":"/t/x86/release/examples/one","fresh":true}"#;
        let built = built(message).unwrap();
        assert_eq!(built.path, Path::new("/t/x86/release/examples/one"));
        assert_eq!((built.name.as_str(), &*built.profile), ("one", "debuginfo 0, opt_level 3"));
        for other in [
            message.replace("\"/t/x86/release/examples/one\"", "null"),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
            "warning: no JSON".to_owned(),
        ] {
            assert_eq!(super::built(&other), None, "{other}");
        }
    }

    /// Where the triple, or the folder, is chosen by a file, the program is elsewhere than usually.
    #[test]
    fn a_program_is_found_where_cargo_puts_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let manifest =
            "[package]\nname = \"one\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
        fs::write(root.join("Cargo.toml"), manifest).unwrap();
        let source = |text: &str| {
            fs::create_dir_all(root.join("examples")).unwrap();
            fs::write(root.join("examples/two.rs"), text).unwrap();
        };
        source("fn main() {}");
        let arguments = ["--example", "two"];
        let target = root.join("elsewhere").display().to_string().replace('\\', "/");
        fs::create_dir(root.join(".cargo")).unwrap();
        let config = |text: &str| fs::write(root.join(".cargo/config.toml"), text).unwrap();
        let triple = crate::machine::output("rustc", &["--print", "host-tuple"]).unwrap();
        let build = |settings: &str| {
            config(settings);
            // The folder of these tests, which may be set in the environment, is not that of this package.
            let settings = [&arguments[..], &["--target-dir", &target]].concat();
            let built = super::build(root, &settings, "two", &StopFlag::default()).unwrap();
            program(&built, "two").unwrap().path.clone()
        };
        assert!(build("").is_file());
        let other = build(&format!("[build]\ntarget = \"{triple}\"\n"));
        assert!(other.components().any(|part| part.as_os_str() == triple.as_str()), "{other:?}");
        assert!(other.is_file());
        let error = program(&[], "two").unwrap_err().to_string();
        assert!(error.contains("no program two"), "{error}");
    }
}
