//! The environment of the server that is judged: that of the terminal, without what cargo has added for this program.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

/// What cargo and rustup set for a program that they start
/// (<https://doc.rust-lang.org/cargo/reference/environment-variables.html>), and `.cargo/config.toml` of this repository.
const SET_BY_CARGO: [&str; 14] = [
    "CARGO",
    "CARGO_BIN_NAME",
    "CARGO_CRATE_NAME",
    "CARGO_MAKEFLAGS",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_LINKS",
    "CARGO_MANIFEST_PATH",
    "CARGO_PRIMARY_PACKAGE",
    "CARGO_TARGET_TMPDIR",
    "OUT_DIR",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_TOOLCHAIN_SOURCE",
    "RUST_RECURSION_COUNT",
    "RUST_TEST_THREADS",
];

/// The beginnings of further names that cargo sets.
const SET_BY_CARGO_TOO: [&str; 2] = ["CARGO_PKG_", "CARGO_BIN_EXE_"];

/// Where the system looks for shared libraries; cargo puts its own folders in front.
const LIBRARY_PATH: &str =
    if cfg!(target_os = "macos") { "DYLD_FALLBACK_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };

/// Gives a command the environment in which this program would have been started by hand.
pub fn clear_of_cargo(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if is_set_by_cargo(&name) {
            command.env_remove(&*name);
        }
    }
    let Some(folders) = env::var_os(LIBRARY_PATH) else { return };
    match without_folders_of_cargo(&folders) {
        Some(rest) => command.env(LIBRARY_PATH, rest),
        None => command.env_remove(LIBRARY_PATH),
    };
}

/// Tells whether cargo sets a variable of this name, and no person.
fn is_set_by_cargo(name: &str) -> bool {
    SET_BY_CARGO.contains(&name) || SET_BY_CARGO_TOO.iter().any(|start| name.starts_with(start))
}

/// Lists the folders in which the system looks for libraries, but for those of this build and of its toolchain.
fn without_folders_of_cargo(folders: &OsString) -> Option<OsString> {
    let own = env::current_exe().ok();
    let own = own.as_deref().and_then(Path::parent);
    let rest: Vec<PathBuf> = env::split_paths(folders)
        .filter(|folder| !folder.as_os_str().is_empty())
        .filter(|folder| own.is_none_or(|own| !folder.starts_with(own)))
        .filter(|folder| !is_of_a_toolchain(folder))
        .collect();
    if rest.is_empty() { None } else { env::join_paths(rest).ok() }
}

/// Tells whether rustc has its libraries there: `lib`, and `lib/rustlib/TRIPLE/lib` in it.
fn is_of_a_toolchain(folder: &Path) -> bool {
    folder.join("rustlib").is_dir() || folder.components().any(|it| it.as_os_str() == "rustlib")
}
