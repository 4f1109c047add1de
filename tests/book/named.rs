//! What the pages let cargo run by its name: packages, exercises, test programs and tests.

use super::repository::{files_below, packages, read, root};

/// An exercise that can be run by itself.
pub fn check_exercise(package: &str) -> Result<(), String> {
    check_package(package)?;
    let name = package.strip_prefix("ex_").unwrap_or_default();
    let program = root().join("exercises").join(name).join("main.rs");
    if program.is_file() { Ok(()) } else { Err(format!("{package} has no program")) }
}

/// A package of the workspace.
pub fn check_package(name: &str) -> Result<(), String> {
    let known = packages().any(|package| package["name"] == name);
    if known { Ok(()) } else { Err(format!("there is no package {name}")) }
}

/// Complains unless a reader's own project may be made there.
///
/// A project anywhere else in the repository would become a member of its workspace.
pub fn check_project(path: &str) -> Result<(), String> {
    let name = path.strip_prefix("examples/live/").unwrap_or_default();
    let free = !name.is_empty() && !name.contains('/') && !root().join(path).is_file();
    if free { Ok(()) } else { Err("a reader's own project belongs into examples/live/".to_owned()) }
}

/// Complains unless there is such a file. With the name of a folder, `git restore` would throw every edit in it away.
pub fn check_file(path: &str) -> Result<(), String> {
    if root().join(path).is_file() { Ok(()) } else { Err(format!("there is no file {path}")) }
}

/// A test program, of this package where one is named before it.
fn check_test_program(name: &str, package: Option<&str>) -> Result<(), String> {
    let own = packages().filter(|it| it["source"].is_null());
    let own = own.filter(|it| package.is_none_or(|package| it["name"] == package));
    let mut targets = own.filter_map(|it| it["targets"].as_array()).flatten();
    let known = targets.any(|target| target["kind"][0] == "test" && target["name"] == name);
    if known { Ok(()) } else { Err(format!("there is no test program {name}")) }
}

/// What stands behind `cargo test`.
pub fn check_test(words: &[&str]) -> Result<(), String> {
    let words: Vec<&str> = words.iter().copied().take_while(|word| *word != "--").collect();
    let mut words = words.into_iter();
    let mut package = None;
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_default();
        match word {
            "-p" | "--package" => {
                let name = value();
                check_package(name)?;
                package = Some(name);
            }
            "--test" => check_test_program(value(), package)?,
            "--release" | "--workspace" | "--example" | "--examples" | "--no-fail-fast" => {}
            flag if flag.starts_with('-') => {
                return Err(format!("is {flag} a flag of cargo test?"));
            }
            filter => {
                let name = filter.rsplit("::").next().unwrap_or_default();
                let folders = ["tests", "examples", "exercises", "tools"]
                    .map(|folder| files_below(&root().join(folder)));
                let sources = folders
                    .iter()
                    .flatten()
                    .filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
                let mut sources = sources.map(read);
                if !sources.any(|text| text.contains(name)) {
                    return Err(format!("no test has {name} in its name"));
                }
            }
        }
    }
    Ok(())
}
