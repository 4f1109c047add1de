//! Every page of the book in a real browser: no error on the console, no request that fails or leaves
//! this machine, no fault that axe finds, nothing wider than the screen, every diagram drawn, and the
//! text there without JavaScript. What is looked at is written in `browser/check.mjs`; what a first visit loads, in
//! `browser/weight.mjs`. Every page with the keyboard
//! alone: `browser/keyboard.mjs`; on paper: `browser/paper.mjs`. The terms of the glossary, by all their names:
//! `browser/search.mjs`, and explained where they are linked: `browser/terms.mjs`. Commands and listings, pasted:
//! `browser/copy.mjs`; the rest of a listing: `browser/listings.mjs`. And the questions to the reader, answered in every
//! way: `browser/predict.mjs`; the scheduler lab, played: `browser/lab.mjs`; "You are the scheduler", lost and not lost:
//! `browser/schedule.mjs`; the race, the openings and the recordings, played: `browser/playing.mjs`; and the pages as a
//! teacher shows them:
//! `browser/teach.mjs`; a published book: `browser/published.mjs`; readers with other keyboards, fingers and hosts: `browser/readers.mjs`. What is written in JavaScript has types and one style, which needs no browser.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};

use ladder_tests::{Finished, build_book, chromium, copy_published_book, have, root, run, skip};

/// How long the browser may take for all pages, from when no other one is open.
const BROWSER_TIME: Duration = Duration::from_secs(1800);

/// The page that is always looked at; the others, and all else that is done with a page, are slow.
const CHAPTER: &str = "ch02-thread-spawn";

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

/// The book, built once for all checks that leave it as it is.
static BUILT: LazyLock<PathBuf> = LazyLock::new(|| build(root(), "book"));

/// One of the checks, of a built book.
fn check(script: &str, book: &Path, chromium: &Path) -> Command {
    let mut check = Command::new("node");
    check.arg(scripts().join(script)).arg(book).env("CHROMIUM", chromium);
    check
}

/// Held while a browser is open: one has several pages at a time, which is work for all processors there are.
static BROWSER: Mutex<()> = Mutex::new(());

/// Runs a program that opens a browser, when no other one does.
fn look(program: &mut Command) -> Finished {
    // A check that failed has left nothing behind.
    let _alone = BROWSER.lock().unwrap_or_else(PoisonError::into_inner);
    run(program, BROWSER_TIME)
}

/// Runs one of the checks on the built book.
fn passes(script: &str) {
    let Some(chromium) = tools() else { return };
    let finished = look(&mut check(script, &BUILT, &chromium));
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
    let finished = look(check("check.mjs", &BUILT, &chromium).env("ONLY", CHAPTER));
    assert_eq!(finished.code, Some(0), "\n{}{}", finished.stdout, finished.stderr);
}

#[test]
#[ignore = "slow"]
fn a_published_book_opens_in_a_browser() {
    let Some(chromium) = tools() else { return };
    let copy = tempfile::tempdir().expect("there is room for a copy");
    copy_published_book(copy.path());
    let book = build(copy.path(), "published");
    let finished = look(&mut check("published.mjs", &book, &chromium));
    assert_eq!(finished.code, Some(0), "\n{}{}", finished.stdout, finished.stderr);
}

#[test]
#[ignore = "slow"]
fn no_page_is_heavy_and_none_jumps() {
    passes("weight.mjs");
}

#[test]
#[ignore = "slow"]
fn every_page_is_right_in_a_browser() {
    passes("check.mjs");
}

#[test]
#[ignore = "slow"]
fn every_page_can_be_walked_with_the_keyboard_alone() {
    passes("keyboard.mjs");
}

#[test]
#[ignore = "slow"]
fn no_table_is_cut_on_paper() {
    passes("paper.mjs");
}

#[test]
#[ignore = "slow"]
fn a_term_is_found_by_its_other_names() {
    passes("search.mjs");
}

#[test]
#[ignore = "slow"]
fn terms_explain_themselves_in_a_browser() {
    passes("terms.mjs");
}

#[test]
#[ignore = "slow"]
fn the_questions_can_be_answered_in_a_browser() {
    passes("predict.mjs");
}

#[test]
#[ignore = "slow"]
fn commands_are_copied_as_they_are_typed() {
    passes("copy.mjs");
}

#[test]
#[ignore = "slow"]
fn listings_have_heads_and_show_their_first_lines() {
    passes("listings.mjs");
}

#[test]
#[ignore = "slow"]
fn the_lab_plays_in_a_browser() {
    passes("lab.mjs");
}

#[test]
#[ignore = "slow"]
fn a_reader_is_the_scheduler() {
    passes("schedule.mjs");
}

#[test]
#[ignore = "slow"]
fn pictures_of_time_play_in_a_browser() {
    passes("playing.mjs");
}

#[test]
#[ignore = "slow"]
fn other_keyboards_voices_fingers_and_hosts_read_as_well() {
    passes("readers.mjs");
}

#[test]
#[ignore = "slow"]
fn a_page_is_taught_a_section_at_a_time() {
    passes("teach.mjs");
}
