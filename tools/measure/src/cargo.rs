//! Cargo, and what it has built.

use std::{path::Path, process::Command, time::Duration};

use anyhow::{Context, Result, ensure};
pub use records::base::built::Built;

use crate::{program::run, stop::StopFlag};

/// The time limit of a build.
const BUILD_TIME: Duration = Duration::from_secs(3600);

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
    let build = run(&mut command, BUILD_TIME, stop, |_| {})?;
    ensure!(build.status.success(), "cargo could not build {name}:\n{}", build.stderr.trim());
    Ok(build.stdout.lines().filter_map(Built::in_message).collect())
}

/// The program of this name among those that were built. Fails when it is none of them.
pub fn program<'a>(built: &'a [Built], name: &str) -> Result<&'a Built> {
    let found = built.iter().find(|it| it.name == name);
    found.with_context(|| format!("cargo has built no program {name}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
