//! The repository as files, and as cargo sees it.

use std::{
    collections::BTreeSet, env, fs, path::Path, process::Command, sync::LazyLock, time::Duration,
};

use ladder_tests::run;
pub use ladder_tests::{files_below, root};
use records::servers::example_folder;
use serde_json::Value;

/// How long cargo may take when it only looks at the packages: it may have to wait for another cargo, or download.
const CARGO_TIME: Duration = Duration::from_secs(300);

/// A file of the repository.
#[track_caller]
pub fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The path as the messages name it: from the root, with forward slashes.
pub fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// The names of the packages in `examples/` with a `main.rs`, but for the servers on frameworks and what else stands on
/// libraries.
pub fn example_folders() -> BTreeSet<String> {
    let files = files_below(&root().join("examples")).into_iter();
    let folders = files.filter(|path| path.ends_with("main.rs")).filter_map(|path| {
        let folder = path.parent()?;
        let outside = ["examples/elsewhere", "examples/libraries"];
        let is_ladder = !outside.iter().any(|outside| folder.starts_with(root().join(outside)));
        let is_package = folder.join("Cargo.toml").is_file();
        let name = folder.file_name()?.to_string_lossy().into_owned();
        (is_ladder && is_package).then_some(name)
    });
    folders.collect()
}

/// A file of a program in `examples/`, wherever that lies.
#[track_caller]
pub fn read_of(example: &str, file: &str) -> String {
    read(example_folder(root(), example).join(file))
}

/// What cargo prints with these arguments.
#[track_caller]
pub fn cargo(args: &[&str]) -> String {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    let finished = run(command.args(args).current_dir(root()), CARGO_TIME);
    assert_eq!(finished.code, Some(0), "cargo {}:\n{}", args.join(" "), finished.stderr);
    finished.stdout
}

/// `cargo metadata`, for the packages that this system needs.
pub static METADATA: LazyLock<Value> = LazyLock::new(|| {
    let version = cargo(&["--version", "--verbose"]);
    let host =
        version.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo has a host");
    let text = cargo(&["metadata", "--locked", "--format-version", "1", "--filter-platform", host]);
    serde_json::from_str(&text).expect("cargo writes JSON")
});

/// A package in [`METADATA`].
#[track_caller]
pub fn package(name: &str) -> &'static Value {
    packages()
        .find(|package| package["name"] == name)
        .unwrap_or_else(|| panic!("no package {name}"))
}

/// All packages in [`METADATA`].
pub fn packages() -> impl Iterator<Item = &'static Value> {
    METADATA["packages"].as_array().expect("a list of packages").iter()
}

/// The names of the packages that are compiled for `package`, itself left out.
#[track_caller]
pub fn compiled_for(package: &str) -> BTreeSet<String> {
    let args =
        ["tree", "--locked", "--package", package, "--edges", "normal,build", "--prefix", "none"];
    let tree = cargo(&args);
    let lines = tree.lines().filter(|line| !line.is_empty());
    // "name v1.2.3 (path) (*)": two versions of a package count twice.
    let names = lines.map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "));
    names.filter(|name| name.split(' ').next() != Some(package)).collect()
}

/// Whether this target is a program, an example or not, of this name.
fn is_program(target: &Value, name: &str) -> bool {
    ["example", "bin"].iter().any(|kind| target["kind"][0] == *kind) && target["name"] == name
}

/// Whether one of our packages has a program of this name.
pub fn is_example(name: &str) -> bool {
    let own = packages().filter(|package| package["source"].is_null());
    let mut targets = own.filter_map(|package| package["targets"].as_array()).flatten();
    targets.any(|target| is_program(target, name))
}

/// Whether a program of this name belongs to a package that is no default member, so that cargo compiles dependencies of
/// its own for it.
pub fn is_built_apart(name: &str) -> bool {
    let default = METADATA["workspace_default_members"].as_array().expect("a list");
    let apart = packages().filter(|it| it["source"].is_null() && !default.contains(&it["id"]));
    let mut targets = apart.filter_map(|package| package["targets"].as_array()).flatten();
    targets.any(|target| is_program(target, name))
}
