//! What the build refuses, although mdBook passes over it: each mistake is made in a copy of the book of
//! `fixture/`, which is as small as a book can be that has one of everything. Three mistakes that need all
//! that the real book has are made in copies of that one.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use ladder_tests::{Finished, build_book, copy_book, copy_folder, run, tool};
use regex::Regex;

use super::{
    build::scratch,
    repository::{files_below, root},
};

/// How long a build may take on a busy machine.
const BUILD_TIME: Duration = Duration::from_secs(300);

/// A copy of the fixture.
fn small(name: &str) -> PathBuf {
    let copy = scratch(name);
    copy_folder(&root().join("tests/book/fixture"), &copy);
    // A repository has one, and cargo should see none in the fixture itself.
    fs::write(copy.join("Cargo.toml"), "").expect("it can be written");
    copy
}

/// A copy of the real book.
fn whole(name: &str) -> PathBuf {
    let copy = scratch(name);
    copy_book(&copy);
    copy
}

/// Where a copy is built.
fn output(copy: &Path) -> PathBuf {
    copy.join("target/built")
}

/// The files of a copy's book.
fn sources(copy: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = files_below(&copy.join("book")).into_iter();
    files.map(|path| (path.clone(), fs::read(&path).expect("it can be read"))).collect()
}

/// Asserts that a damaged copy was not built, that the complaint names `words`, that nothing in the copy was
/// lost, and that no half-made book was left.
#[track_caller]
fn check_refusal(copy: &Path, build: impl FnOnce() -> Finished, words: &[&str]) {
    let before = sources(copy);
    let finished = build();
    let said = format!("{}{}", finished.stdout, finished.stderr);
    assert_ne!(finished.code, Some(0), "it was not noticed:\n{said}");
    for word in words {
        assert!(said.contains(word), "the complaint does not name {word:?}:\n{said}");
    }
    assert!(!output(copy).exists(), "a broken book was left");
    assert_eq!(before, sources(copy), "the sources were changed");
    fs::remove_dir_all(copy).expect("the copy can be removed");
}

/// Asserts that the small book, with this damage, is refused with these words.
#[track_caller]
fn refused(name: &str, damage: impl FnOnce(&Path), words: &[&str]) {
    let copy = small(name);
    damage(&copy);
    check_refusal(&copy, || build_book(&copy, &output(&copy)), words);
}

/// Asserts that the small book is refused with these words when its page has this text as well.
#[track_caller]
fn refused_on_its_page(name: &str, text: &str, words: &[&str]) {
    refused(name, |copy| append(copy, "book/one.md", text), words);
}

/// Asserts that the small book is refused with these words when this file of it says something else.
#[track_caller]
fn refused_change(name: &str, file: &str, from: &str, to: &str, words: &[&str]) {
    refused(name, |copy| change(copy, file, from, to), words);
}

/// Appends to a file of a copy.
fn append(copy: &Path, file: &str, text: &str) {
    let path = copy.join(file);
    let old = fs::read_to_string(&path).expect("the file is there");
    fs::write(path, format!("{old}\n{text}\n")).expect("it can be written");
}

/// Changes a file of a copy.
#[track_caller]
fn change(copy: &Path, file: &str, from: &str, to: &str) {
    let path = copy.join(file);
    let old = fs::read_to_string(&path).expect("the file is there");
    let new = old.replacen(from, to, 1);
    assert_ne!(old, new, "{file} has no {from}");
    fs::write(path, new).expect("it can be written");
}

/// Both copies build as they are, or the tests below would prove nothing.
#[test]
fn a_copy_of_the_book_builds() {
    for copy in [small("small"), whole("whole")] {
        let output = output(&copy);
        let finished = build_book(&copy, &output);
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
        assert!(output.join("index.html").is_file());
        // The copy's folder has a name that no page has a reason to contain.
        let here = copy.to_string_lossy().into_owned();
        for path in files_below(&output) {
            let bytes = fs::read(&path).expect("it can be read");
            let names = String::from_utf8_lossy(&bytes).contains(&here);
            assert!(!names, "{} names the folder in which it was built", path.display());
        }
        fs::remove_dir_all(&copy).expect("the copy can be removed");
    }
}

/// It has one of everything in which a mistake is made below.
#[test]
fn the_small_book_shows_what_it_has() {
    let copy = small("shown");
    let output = output(&copy);
    build_book(&copy, &output);
    let read = |page: &str| fs::read_to_string(output.join(page)).expect("it was made");
    let (one, workshop) = (read("one.html"), read("workshop.html"));
    for (text, shown) in [
        (&one, "fn serve() {}"),
        (&one, "data-prediction=\"one/second\""),
        (&one, "href=\"workshop.html#an-hour\""),
        (&workshop, "<strong>30</strong>"),
    ] {
        assert!(text.contains(shown), "no {shown} in:\n{text}");
    }
    fs::remove_dir_all(&copy).expect("the copy can be removed");
}

#[test]
fn a_missing_include_is_refused() {
    let text = "```rust,ignore\n{{#include ../examples/no_such_file.rs}}\n```";
    refused_on_its_page("include", text, &["no_such_file.rs", "one.md"]);
}

#[test]
fn an_absent_anchor_is_refused() {
    let text = "```rust,ignore\n{{#include ../examples/server/main.rs:no_such_anchor}}\n```";
    refused_on_its_page("anchor", text, &["no_such_anchor", "one.md"]);
}

#[test]
fn a_dead_link_is_refused() {
    refused_on_its_page("link", "[x](no-such-page.md)", &["no-such-page", "one.md"]);
}

#[test]
fn a_dead_link_to_a_heading_is_refused() {
    let text = "[x](workshop.md#no-such-heading)";
    refused_on_its_page("heading", text, &["no-such-heading", "one.md"]);
}

#[test]
fn an_unknown_directive_is_refused() {
    let text = "{{#no_such_directive x}}";
    refused_on_its_page("directive", text, &["no_such_directive", "one.md"]);
}

#[test]
fn an_experiment_that_nobody_described_is_refused() {
    let text = "It is {{#median no-such-experiment \"a variant\" 0}}.";
    let words = ["experiments/no-such-experiment.toml is not there", "one.md"];
    refused_on_its_page("experiment", text, &words);
}

#[test]
fn a_question_without_an_answer_is_refused() {
    let text = "{{#predict no-such-question}}\n\nWhich?\n\n1. This.\n2. That.\n\n\
        <details>\n<summary>Answer</summary>\n\nThat.\n\n</details>";
    let words = ["no-such-question", "{{#predict NAME ANSWER", "one.md"];
    refused_on_its_page("question", text, &words);
}

#[test]
fn a_page_that_is_not_in_the_summary_is_refused() {
    refused(
        "lost",
        |copy| fs::write(copy.join("book/lost.md"), "# Lost\n").expect("it can be written"),
        &["lost.md"],
    );
}

#[test]
fn a_page_that_is_only_in_the_summary_is_refused() {
    let damage = |copy: &Path| append(copy, "book/SUMMARY.md", "- [Absent](absent.md)");
    refused("absent", damage, &["absent.md"]);
}

#[test]
fn a_typo_in_the_settings_is_refused() {
    // mdBook alone would drop the whole table for it, and with it the scripts and the style.
    let with_typo = "[output.html]\nno-such-setting = true";
    refused_change("typo", "book.toml", "[output.html]", with_typo, &["no-such-setting"]);
}

#[test]
fn an_agenda_with_an_unknown_part_is_refused() {
    let words = ["no part `the server`", "one.md"];
    refused_change("agenda-part", "book/one.md", "[the server](", "[the sever](", &words);
    let words = ["an-hour", "no part `the sever`", "one.md"];
    let agendas = "book/workshop.toml";
    refused_change("agenda-typo", agendas, "\"the server\"", "\"the sever\"", &words);
}

#[test]
fn an_agenda_with_an_unknown_page_is_refused() {
    let words = ["an-hour", "no page two.md"];
    refused_change("agenda-page", "book/workshop.toml", "\"one\"", "\"two\"", &words);
}

#[test]
fn an_agenda_that_is_longer_than_promised_is_refused() {
    let words = ["an-hour", "31 minutes", "at most 30"];
    refused_change("agenda-long", "book/workshop.toml", "pause = 5", "pause = 6", &words);
}

// The real book, end to end.

/// What was measured is there, and this is not among it.
#[test]
fn a_figure_that_was_not_measured_is_refused() {
    let page = "book/ch01-single-threaded.md";
    let text = "{{#median wrk-sleep ch01_single_threaded no_such_figure 0}}";
    let copy = whole("figure");
    append(&copy, page, text);
    check_refusal(&copy, || build_book(&copy, &output(&copy)), &["no_such_figure", page]);
}

/// Here the destination itself is what is wrong, so nothing else may name one.
#[test]
fn the_sources_as_output_folder_are_refused() {
    let copy = whole("build-dir");
    let settings = copy.join("book.toml");
    let text = fs::read_to_string(&settings).expect("it is there");
    let folder = Regex::new(r#"(?m)^build-dir = ".*"$"#).expect("it is a pattern");
    let changed = folder.replace(&text, "build-dir = \"book\"");
    assert_ne!(text, changed, "book.toml has no build-dir");
    fs::write(settings, changed.as_bytes()).expect("it can be written");
    let build = || run(tool().current_dir(&copy).arg("build"), BUILD_TIME);
    check_refusal(&copy, build, &["book", "build-dir"]);
}
