//! Calls cargo, and finds the programs that it has built.

use std::{path::Path, process::Command, time::Duration};

use anyhow::{Context, Result, ensure};
pub use records::base::built::Built;

use crate::{program::run, stop::StopFlag};

/// The time limit of a build.
const BUILD_TIME: Duration = Duration::from_secs(3600);

/// Makes a command of the cargo that started this tool, if one did.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(root);
    command
}

/// Builds what these arguments of `cargo build` name, and returns the programs among it, also where there was nothing to
/// compile. Fails when it does not compile, with `name` and what cargo prints; and when Ctrl-C is pressed.
pub fn build(root: &Path, arguments: &[&str], name: &str, stop: &StopFlag) -> Result<Vec<Built>> {
    let mut command = cargo(root);
    command.args(["build", "--quiet", "--message-format", "json-render-diagnostics"]);
    command.args(arguments);
    let build = run(&mut command, BUILD_TIME, stop, |_| {})?;
    ensure!(build.status.success(), "cargo could not build {name}:\n{}", build.stderr.trim());
    Ok(build.stdout.lines().filter_map(Built::in_message).collect())
}

/// Finds the program of this name among those that were built. Fails when it is none of them.
pub fn program<'a>(built: &'a [Built], name: &str) -> Result<&'a Built> {
    let found = built.iter().find(|it| it.name == name);
    found.with_context(|| format!("cargo has built no program {name}"))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use super::*;

    /// Builds the example of a package whose `.cargo/config.toml` has these settings.
    fn built_with(root: &Path, settings: &str) -> PathBuf {
        fs::write(root.join(".cargo/config.toml"), settings).unwrap();
        // The folder of these tests, which may be set in the environment, is not that of this package.
        let target = root.join("elsewhere").display().to_string().replace('\\', "/");
        let arguments = ["--example", "two", "--target-dir", &target];
        let built = build(root, &arguments, "two", &StopFlag::default()).unwrap();
        program(&built, "two").unwrap().path.clone()
    }

    /// A settings file that chooses the triple, or the folder, moves the program to another place.
    #[test]
    fn a_program_is_found_where_cargo_puts_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let manifest =
            "[package]\nname = \"one\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
        for folder in ["examples", ".cargo"] {
            fs::create_dir(root.join(folder)).unwrap();
        }
        fs::write(root.join("Cargo.toml"), manifest).unwrap();
        fs::write(root.join("examples/two.rs"), "fn main() {}").unwrap();
        let triple = crate::machine::output("rustc", &["--print", "host-tuple"]).unwrap();
        assert!(built_with(root, "").is_file());
        let other = built_with(root, &format!("[build]\ntarget = \"{triple}\"\n"));
        assert!(other.components().any(|part| part.as_os_str() == triple.as_str()), "{other:?}");
        assert!(other.is_file());
        let error = program(&[], "two").unwrap_err().to_string();
        assert!(error.contains("no program two"), "{error}");
    }
}
