//! Every page of the book in a real browser: no error on the console, no request that fails or leaves
//! this machine, no fault that axe finds, nothing wider than the screen, every diagram drawn, and the
//! text there without JavaScript. What is looked at is written in `browser/check.mjs`. And the questions to
//! the reader, answered in every way: `browser/predict.mjs`; and the scheduler lab, played: `browser/lab.mjs`.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    time::Duration,
};

use ladder_tests::{build_book, chromium, have, run, skip};

/// How long the browser may take for all pages.
const BROWSER_TIME: Duration = Duration::from_secs(1800);

/// What runs the checks: node with the browser's driver, and a browser. `None` where something is missing,
/// which is said.
fn tools() -> Option<PathBuf> {
    if !have(
        "node",
        &["--version"],
        "apt install nodejs npm, brew install node, or https://nodejs.org",
    ) {
        return None;
    }
    if !scripts().join("node_modules").is_dir() {
        skip("the browser's driver is not installed; to get it: npm ci --prefix tests/browser");
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
    Path::new(env!("CARGO_MANIFEST_DIR")).join("browser")
}

/// The book, built once for all checks.
static BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the root");
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser/book");
    let finished = build_book(root, &output);
    assert_eq!(
        finished.code,
        Some(0),
        "the book does not build:\n{}{}",
        finished.stdout,
        finished.stderr
    );
    output
});

/// Runs one of the checks on the built book.
fn passes(script: &str) {
    let Some(chromium) = tools() else { return };
    let mut check = Command::new("node");
    check.arg(scripts().join(script)).arg(&*BUILT).env("CHROMIUM", chromium);
    let finished = run(&mut check, BROWSER_TIME);
    assert_eq!(finished.code, Some(0), "\n{}{}", finished.stdout, finished.stderr);
}

#[test]
fn every_page_is_right_in_a_browser() {
    passes("check.mjs");
}

#[test]
fn the_questions_can_be_answered_in_a_browser() {
    passes("predict.mjs");
}

#[test]
fn the_lab_plays_in_a_browser() {
    passes("lab.mjs");
}
