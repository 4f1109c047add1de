//! `cargo xtask pack`: everything for a room without a network, in one archive.
//!
//! It holds the sources, all packages that they compile (`cargo vendor`), and the built book.
//! Whoever has Rust unpacks it and needs nothing else.
//!
//! It must not know what is in a page, nor what is measured.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context, Result, ensure};
use base::{find_root, say};
use book::build::{self, BuildOptions};
use clap::Parser;
use walkdir::{DirEntry, WalkDir};
use workshop::exercises::{self, MINE};

/// The folder that the archive unpacks into.
const FOLDER: &str = "from-one-thread-to-tokio";

/// The built book, in that folder.
const BOOK: &str = "the-book";

/// The packages, in that folder.
const VENDOR: &str = "vendor";

/// What to read first, in that folder.
const START: &str = "START-HERE.txt";

/// How the name of the folder begins in which the archive is made.
const IN_WORK: &str = ".pack-in-work-";

/// What is made anew, or belongs to one machine.
const LEFT_OUT: [&str; 5] = ["target", ".git", "node_modules", VENDOR, BOOK];

/// Lets cargo take every package from the archive.
const SOURCES: &str = "
# Written by `cargo xtask pack`: every package is in the folder `vendor`, so no network is needed.
[source.crates-io]
replace-with = \"vendored-sources\"

[source.vendored-sources]
directory = \"vendor\"

[net]
offline = true
";

const START_HERE: &str = "\
From One Thread to Tokio: the book, its programs, and all that they need.
No network is needed. Rust 1.88 or newer is, and a linker: README.md says under \"What you need\" what
to do if cargo says \"linker `cc` not found\". Rust itself without a network: the standalone installers of
https://forge.rust-lang.org/infra/other-installation-methods.html

Read the book      open the-book/index.html in a browser; the slides work from there too.
                   Only the scheduler lab has to be served: cargo xtask serve
This machine       cargo xtask doctor
Run a server       cargo run --example ch01_single_threaded
Do the exercises   cargo xtask learn
Run the tests      cargo test
Take a file back   in the folder above: tar -xzmf from-one-thread-to-tokio.tar.gz \\
                       from-one-thread-to-tokio/examples/ch01/ch01_single_threaded/main.rs
A project to try   cargo new examples/live/NAME (cargo add finds the packages of the book in vendor/)

The first build takes some minutes, as it compiles everything that is in vendor/.
README.md says more.
";

/// Make one archive of the book, the sources and all packages, for a room without a network
#[derive(Parser)]
#[command(name = "cargo xtask pack", bin_name = "cargo xtask pack")]
struct Cli {
    /// The archive's name, which ends with .tar.gz; without this, it goes to target/pack
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    base::end_with(make(&Cli::parse()))
}

fn make(Cli { out }: &Cli) -> Result<()> {
    let archive = pack(&find_root()?, out.as_deref())?;
    let size = fs::metadata(&archive).map_or(0, |file| file.len());
    say(format_args!(
        "The archive is {}, {:.0} MB. Unpack it with `tar -xzf`, and read {START}.",
        archive.display(),
        size as f64 / 1e6
    ));
    Ok(())
}

/// Makes the archive, and returns where it is. Without `out` it lies in `target/pack`.
///
/// The archive is whole or absent: it is made beside its place, and moved there at the end. Fails when `tar` is
/// missing, cargo can't get a package, the book does not build, or the disk is full.
fn pack(root: &Path, out: Option<&Path>) -> Result<PathBuf> {
    let archive = match out {
        Some(path) => std::path::absolute(path)?,
        None => root.join("target").join("pack").join(format!("{FOLDER}.tar.gz")),
    };
    ensure!(
        archive.to_string_lossy().ends_with(".tar.gz"),
        "{}: the archive's name has to end with .tar.gz",
        archive.display()
    );
    let tar = Command::new("tar").arg("--version").stdin(Stdio::null()).output();
    ensure!(
        tar.is_ok(),
        "`tar` is needed to pack: Debian, Ubuntu: `sudo apt install tar`; it is part of macOS and Windows"
    );
    let beside = archive.parent().context("the archive needs a folder to lie in")?;
    fs::create_dir_all(beside).with_context(|| format!("cannot make {}", beside.display()))?;
    let work = tempfile::Builder::new()
        .prefix(IN_WORK)
        .tempdir_in(beside)
        .with_context(|| format!("cannot make a folder in {}", beside.display()))?;
    let folder = work.path().join(FOLDER);

    say("1 of 4: copying the sources");
    copy_sources(root, &folder)?;
    say("2 of 4: getting all packages, those of other systems too (cargo vendor)");
    vendor(root, &folder)?;
    say("3 of 4: building the book");
    let options = BuildOptions { destination: Some(folder.join(BOOK)), ..BuildOptions::default() };
    build::build(root, &options, build::replace)?;
    fs::write(folder.join(START), START_HERE).context("cannot write the first page")?;
    say("4 of 4: packing");
    let packed = work.path().join("packed.tar.gz");
    run(Command::new("tar").arg("-czf").arg(&packed).arg("-C").arg(work.path()).arg(FOLDER))?;
    fs::rename(&packed, &archive)
        .with_context(|| format!("cannot move the archive to {}", archive.display()))?;
    Ok(archive)
}

/// What lies in the folder for a reader's own projects and is ours; see `examples/live/.gitignore`.
fn is_ours_in_live(name: &str) -> bool {
    [".cargo", ".gitignore", "Cargo.toml"].contains(&name) || name.ends_with(".rs")
}

/// Copies what the repository consists of: what git tracks or, where there is no git, as in an unpacked archive, all but
/// what is made or is a learner's own.
fn copy_sources(root: &Path, to: &Path) -> Result<()> {
    let sources = if root.join(".git").exists() { tracked(root)? } else { found(root)? };
    for path in sources {
        let (from, to) = (root.join(&path), to.join(&path));
        let folder = to.parent().context("it lies in a folder")?;
        let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(&from, &to));
        copied.with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}

/// The files that git tracks, as they are now; not those that are removed, and no links, which could lead out.
fn tracked(root: &Path) -> Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z"]).current_dir(root).stdin(Stdio::null());
    let output =
        git.output().context("cannot start git, which says what belongs to the repository")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "git does not say what belongs to the repository: {complaint}"
    );
    let names = String::from_utf8(output.stdout).context("a file has no name in UTF-8")?;
    let is_file = |name: &PathBuf| root.join(name).symlink_metadata().is_ok_and(|it| it.is_file());
    Ok(names.split_terminator('\0').map(PathBuf::from).filter(is_file).collect())
}

/// The files that belong to a repository without git.
fn found(root: &Path) -> Result<Vec<PathBuf>> {
    let is_source = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        // The archive may be made inside what it packs.
        let is_ours = || name.starts_with(IN_WORK);
        // `CARGO_TARGET_DIR` may name any folder; cargo marks it.
        let is_cache = || entry.path().join("CACHEDIR.TAG").exists();
        // A learner's own work stays with the learner, and so do projects of their own.
        let is_own = || {
            let path = entry.path();
            let (mine, live) = (root.join(MINE), root.join("live"));
            exercises::is_own(root, path) && path != mine && path != mine.join("README.md")
                || path.parent() == Some(&live) && !is_ours_in_live(&name)
        };
        entry.depth() == 0
            || !(is_own()
                || is_ours()
                || LEFT_OUT.contains(&&*name)
                || entry.file_type().is_dir() && is_cache())
    };
    let mut files = Vec::new();
    for entry in WalkDir::new(root).into_iter().filter_entry(is_source) {
        let entry = entry.context("cannot read the sources")?;
        // A link could lead out of the repository.
        if entry.file_type().is_file() {
            files.push(entry.path().strip_prefix(root).context("it lies elsewhere")?.to_path_buf());
        }
    }
    Ok(files)
}

/// Puts all packages of `Cargo.lock` into the archive, and tells cargo to look there.
fn vendor(root: &Path, folder: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["vendor", "--locked", "--quiet", "--versioned-dirs"]);
    // It prints the settings that it proposes; ours are written below.
    command.arg(folder.join(VENDOR)).current_dir(root).stdout(Stdio::null());
    run(&mut command).context("the packages can't be had; the first time this needs a network")?;
    let config = folder.join(".cargo").join("config.toml");
    let mut text = fs::read_to_string(&config).unwrap_or_default();
    if !text.contains("[source.vendored-sources]") {
        text += SOURCES;
    }
    fs::create_dir_all(folder.join(".cargo")).context("cannot make the folder .cargo")?;
    fs::write(&config, text).with_context(|| format!("cannot write {}", config.display()))
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.stdin(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot start {program}"))?;
    ensure!(status.success(), "{program} ended with {status}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_repository_consists_of_is_copied() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let copied = "Cargo.toml book/ch01.md .cargo/config.toml exercises/mine/README.md examples/live/Cargo.toml examples/live/wrong.rs";
        let left_out = "target/debug/xtask cache/CACHEDIR.TAG cache/deps exercises/progress.json \
                        tests/browser/node_modules/axe/index.js exercises/mine/overlap.rs \
                        exercises/mine/kept/overlap.rs examples/live/wrong/Cargo.toml examples/live/Cargo.lock \
                        .pack-in-work-x/Cargo.toml";
        for path in copied.split(' ').chain(left_out.split_whitespace()) {
            let path = from.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        copy_sources(from.path(), to.path()).unwrap();
        let is_there = |path: &str| to.path().join(path).exists();
        for path in copied.split(' ') {
            assert!(is_there(path), "{path}");
        }
        for path in left_out.split_whitespace() {
            assert!(!is_there(path), "{path}");
        }
        for folder in ["target", "cache", "exercises/mine/kept", "examples/live/wrong"] {
            assert!(!is_there(folder), "{folder}");
        }
    }

    #[test]
    fn what_git_does_not_track_stays_at_home() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let git = |words: &[&str]| run(Command::new("git").current_dir(from.path()).args(words));
        git(&["init", "--quiet"]).unwrap();
        for name in ["Cargo.toml", "gone.rs", ".env"] {
            fs::write(from.path().join(name), "text").unwrap();
        }
        git(&["add", "Cargo.toml", "gone.rs"]).unwrap();
        fs::remove_file(from.path().join("gone.rs")).unwrap();
        copy_sources(from.path(), to.path()).unwrap();
        let there: Vec<_> =
            fs::read_dir(to.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(there, ["Cargo.toml"]);
    }

    #[test]
    fn another_kind_of_archive_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = pack(folder.path(), Some(Path::new("book.zip"))).unwrap_err();
        assert!(error.to_string().contains(".tar.gz"), "{error}");
    }
}
