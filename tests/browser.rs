//! Every page of the book in a real browser, by the tests of `browser/*.spec.mjs`, which Playwright runs: no error on the
//! console, no request that fails or leaves this machine, no fault that axe finds, nothing wider than the screen, the text there
//! without JavaScript, and what can be pressed, played or typed. What is written in JavaScript has types and one style, which
//! needs no browser.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};

use ladder_tests::{build_book, chromium, copy_published_book, have, program, root, run, skip};

/// How long the browser may take for all pages.
const BROWSER_TIME: Duration = Duration::from_secs(3600);

/// Whether there is node, with the packages of the checks; what is missing is said.
fn node() -> bool {
    if !have("node") {
        return false;
    }
    let installed = scripts().join("node_modules").is_dir();
    if !installed {
        skip(
            "the packages of the checks are not installed; to get them: npm ci --prefix tests/browser",
        );
    }
    installed
}

/// What runs the checks: node with the browser's driver, and a browser. `None` where something is missing,
/// which is said.
fn tools() -> Option<PathBuf> {
    if !node() {
        return None;
    }
    let chromium = chromium();
    if chromium.is_none() {
        skip(
            "no Chromium; to get it: apt install chromium, dnf install chromium, brew install --cask chromium; \
             or set CHROMIUM to its path",
        );
    }
    chromium
}

/// The folder of the checks.
fn scripts() -> PathBuf {
    root().join("tests/browser")
}

/// Builds the book of a repository into a folder of this name.
fn build(repository: &Path, name: &str) -> PathBuf {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser").join(name);
    let finished = build_book(repository, &output);
    assert_eq!(
        finished.code,
        Some(0),
        "the book does not build:\n{}{}",
        finished.stdout,
        finished.stderr
    );
    output
}

/// The book, built once for all tests that leave it as it is.
static BUILT: LazyLock<PathBuf> = LazyLock::new(|| build(root(), "book"));

/// Held while a browser is open: one run of Playwright is work for all processors there are.
static BROWSER: Mutex<()> = Mutex::new(());

/// Runs the tests that these arguments choose on a built book.
fn passes(book: &Path, chromium: &Path, chosen: &[&str]) {
    let mut tests = Command::new("node");
    tests
        .arg(scripts().join("node_modules/@playwright/test/cli.js"))
        .args(["test", "--reporter=dot", "--config"])
        .arg(scripts())
        .args(chosen)
        .env("BOOK", book)
        .env("BOOK_PROGRAM", program("book").get_program())
        .env("CHROMIUM", chromium);
    // A run that failed has left nothing behind.
    let _alone = BROWSER.lock().unwrap_or_else(PoisonError::into_inner);
    let finished = run(&mut tests, BROWSER_TIME);
    assert_eq!(finished.code, Some(0), "\n{}{}", finished.stdout, finished.stderr);
}

/// Runs a program of the packages in the root of the repository.
fn holds(mut program: Command, args: &[&str]) {
    let finished = run(program.args(args).current_dir(scripts().join("../..")), BROWSER_TIME);
    assert_eq!(finished.code, Some(0), "\n{}{}", finished.stdout, finished.stderr);
}

#[test]
fn the_types_of_the_scripts_hold() {
    if node() {
        let mut compiler = Command::new("node");
        compiler.arg(scripts().join("node_modules/typescript/bin/tsc"));
        holds(compiler, &["--project", "tests/browser"]);
    }
}

/// Formatting, lints, and no circle of imports.
#[test]
fn the_scripts_have_one_style() {
    if !node() {
        return;
    }
    // Biome is a program of its own for each system; the lock file has that for Linux on x86-64.
    let biome = scripts().join("node_modules/@biomejs/cli-linux-x64/biome");
    if !biome.is_file() {
        return skip(
            "Biome, which holds the style of the scripts, is installed on Linux (x86-64) only",
        );
    }
    holds(Command::new(biome), &["ci", "--error-on-warnings", "--colors=off"]);
}

/// A chapter has one of nearly everything that a page can have.
#[test]
fn a_chapter_is_right_in_a_browser() {
    let Some(chromium) = tools() else { return };
    passes(&BUILT, &chromium, &["pages", "--project=book", "--grep=ch02-thread-spawn"]);
}

#[test]
#[ignore = "slow"]
fn the_book_is_right_in_a_browser() {
    let Some(chromium) = tools() else { return };
    passes(&BUILT, &chromium, &["--project=book"]);
}

#[test]
#[ignore = "slow"]
fn a_published_book_opens_in_a_browser() {
    let Some(chromium) = tools() else { return };
    let copy = tempfile::tempdir().expect("there is room for a copy");
    copy_published_book(copy.path());
    let book = build(copy.path(), "published");
    passes(&book, &chromium, &["--project=published"]);
}
