//! The build: it succeeds without a warning, and refuses what mdBook passes over.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use ladder_tests::build_book;
use regex::Regex;

use super::repository::{files_below, package, read, root, short};

/// A folder for this test alone, below the target folder.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book").join(name);
    match fs::remove_dir_all(&folder) {
        Err(error) if folder.exists() => panic!("{}: {error}", folder.display()),
        _ => {}
    }
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder
}

/// The book as it is, built once for all tests that look at the outcome.
pub static BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
    let output = scratch("good").join("html");
    let finished = build_book(root(), &output);
    assert_eq!(
        finished.code,
        Some(0),
        "the book does not build:\n{}{}",
        finished.stdout,
        finished.stderr
    );
    let said = format!("{}{}", finished.stdout, finished.stderr).to_lowercase();
    assert!(!said.contains("warn"), "the book builds with a warning:\n{said}");
    output
});

#[test]
fn the_book_builds_without_a_warning() {
    for page in
        ["index.html", "introduction.html", "ch03-threadpool.html", "print.html", "404.html"]
    {
        assert!(BUILT.join(page).is_file(), "{page} was not made");
    }
}

fn built(ending: &str) -> Vec<(PathBuf, String)> {
    let files = files_below(&BUILT).into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|found| found == ending));
    files.map(|path| (path.clone(), fs::read_to_string(&path).expect("it is text"))).collect()
}

#[test]
fn no_directive_is_left_in_a_page() {
    for (path, text) in built("html") {
        // A page may speak about a directive, in code and escaped.
        let text = text.replace("<code>{{#", "");
        assert!(!text.contains("{{#"), "{}", path.display());
        assert!(!text.contains("ANCHOR"), "{}: an anchor's line shows", path.display());
    }
}

#[test]
fn nothing_but_the_book_is_in_the_output() {
    for path in files_below(&BUILT) {
        let name = short(&path);
        let ours = path
            .extension()
            .is_none_or(|ending| !["md", "rs", "toml", "hbs"].iter().any(|other| ending == *other));
        assert!(ours, "{name} was copied into the output");
    }
}

#[test]
fn no_page_names_somebodys_folders() {
    let pattern = Regex::new(r"/home/|/root/|/Users/|[A-Z]:\\").expect("it is a pattern");
    for (path, text) in built("html") {
        let found = pattern.find(&text).map(|found| found.as_str());
        assert_eq!(found, None, "{}", path.display());
    }
}

/// The mermaid.min.js of the package that Cargo.lock holds.
fn mermaid() -> Vec<u8> {
    let manifest = package("mdbook-mermaid")["manifest_path"].as_str().expect("a path");
    let folder = Path::new(manifest).parent().expect("a manifest lies in a folder");
    let file = folder.join("src/bin/assets/mermaid.min.js");
    fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn mermaid_is_the_file_of_its_package() {
    let files = files_below(root());
    let ours: Vec<&PathBuf> = files
        .iter()
        .filter(|path| path.file_name().is_some_and(|name| name == "mermaid.min.js"))
        .collect();
    for path in &ours {
        let same = fs::read(path).expect("it can be read") == mermaid();
        assert!(same, "{} is not the file of the mdbook-mermaid in Cargo.lock", short(path));
    }
    assert_eq!(ours.len(), 1, "{ours:?}");
}

#[test]
fn mermaid_is_in_the_output_once() {
    let original = mermaid();
    let copies: Vec<PathBuf> = files_below(&BUILT)
        .into_iter()
        .filter(|path| fs::metadata(path).is_ok_and(|data| data.len() == original.len() as u64))
        .filter(|path| fs::read(path).is_ok_and(|bytes| bytes == original))
        .collect();
    assert_eq!(copies.len(), 1, "{copies:?}");
}

#[test]
fn no_page_loads_mermaid_by_itself() {
    let script = Regex::new(r#"<script[^>]*src="[^"]*mermaid"#).expect("it is a pattern");
    let mut with_diagram = 0;
    for (path, text) in built("html") {
        with_diagram += usize::from(text.contains("<pre class=\"mermaid\""));
        assert!(!script.is_match(&text), "{}", path.display());
    }
    assert!(with_diagram > 0, "no page has a diagram");
    // The book's own script loads it, behind a look for diagrams. The browser's test sees it do so.
    let loader = read("book/theme/diagrams.js");
    let looks = loader.find("all(document, \"pre.mermaid\")").expect("it looks");
    let leaves = loader[looks..].find("return;").expect("it leaves where there is none");
    assert!(loader[looks..].find("mermaid.min.js").is_some_and(|loads| loads > leaves));
}

/// Copies what a build needs: the book, its settings, the sources that it quotes.
pub fn copy_of_the_book(name: &str) -> PathBuf {
    let copy = scratch(name);
    for part in ["book", "examples", "exercises", "live"] {
        for file in files_below(&root().join(part)) {
            let to = copy.join(file.strip_prefix(root()).expect("it is below"));
            fs::create_dir_all(to.parent().expect("it lies in a folder"))
                .expect("a folder can be made");
            fs::copy(&file, &to).expect("a file can be copied");
        }
    }
    for file in ["book.toml", "Cargo.toml", "Cargo.lock", "README.md"] {
        fs::copy(root().join(file), copy.join(file)).expect("a file can be copied");
    }
    copy
}

/// Asserts that a copy of the book, changed by `damage`, is not built, and that the complaint names `words`.
/// Nothing in the copy may be lost, and no half-made book may be left.
#[track_caller]
fn refused(name: &str, damage: impl FnOnce(&Path), words: &[&str]) {
    let copy = copy_of_the_book(name);
    damage(&copy);
    let sources = || {
        let files = files_below(&copy.join("book"));
        files
            .into_iter()
            .map(|path| (path.clone(), fs::read(&path).expect("it can be read")))
            .collect::<BTreeMap<_, _>>()
    };
    let before = sources();
    let output = copy.join("target/built");
    let finished = match name {
        // Here the destination itself is what is wrong.
        "build-dir" => ladder_tests::run(
            ladder_tests::tool().current_dir(&copy).arg("build"),
            std::time::Duration::from_secs(300),
        ),
        _ => build_book(&copy, &output),
    };
    let said = format!("{}{}", finished.stdout, finished.stderr);
    assert_ne!(finished.code, Some(0), "{name} was not noticed:\n{said}");
    for word in words {
        assert!(said.contains(word), "{name}: the complaint does not name {word:?}:\n{said}");
    }
    assert!(!output.exists(), "{name}: a broken book was left in {}", output.display());
    assert_eq!(before, sources(), "{name}: the sources were changed");
    fs::remove_dir_all(&copy).expect("the copy can be removed");
}

/// Appends to a page of the copy.
fn append(copy: &Path, page: &str, text: &str) {
    let path = copy.join("book").join(page);
    let old = fs::read_to_string(&path).expect("the page is there");
    fs::write(path, format!("{old}\n{text}\n")).expect("it can be written");
}

/// Changes the settings of the copy.
#[track_caller]
fn set(copy: &Path, from: &str, to: &str) {
    let settings = read("book.toml");
    let changed = Regex::new(from).expect("it is a pattern").replace(&settings, to).into_owned();
    assert_ne!(settings, changed, "book.toml has no {from}");
    fs::write(copy.join("book.toml"), changed).expect("it can be written");
}

const PAGE: &str = "ch01-single-threaded.md";

/// First of all the copy itself must build, or the tests below would prove nothing.
#[test]
fn a_copy_of_the_book_builds() {
    let copy = copy_of_the_book("whole");
    let output = copy.join("target/built");
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

#[test]
fn a_missing_include_is_refused() {
    let text = "```rust,ignore\n{{#include ../examples/no_such_file.rs}}\n```";
    refused("include", |copy| append(copy, PAGE, text), &["no_such_file.rs", PAGE]);
}

#[test]
fn an_absent_anchor_is_refused() {
    let text =
        "```rust,ignore\n{{#include ../examples/ch01_single_threaded/main.rs:no_such_anchor}}\n```";
    refused("anchor", |copy| append(copy, PAGE, text), &["no_such_anchor", PAGE]);
}

#[test]
fn a_dead_link_is_refused() {
    refused(
        "link",
        |copy| append(copy, PAGE, "[x](no-such-page.md)"),
        &["no-such-page", "ch01-single-threaded"],
    );
}

#[test]
fn a_dead_link_to_a_heading_is_refused() {
    let text = "[x](ch06-tokio.md#no-such-heading)";
    refused(
        "heading",
        |copy| append(copy, PAGE, text),
        &["no-such-heading", "ch01-single-threaded"],
    );
}

#[test]
fn an_unknown_directive_is_refused() {
    refused(
        "directive",
        |copy| append(copy, PAGE, "{{#no_such_directive x}}"),
        &["no_such_directive", PAGE],
    );
}

#[test]
fn a_figure_that_was_not_measured_is_refused() {
    let text = "{{#figure ch01_single_threaded/wrk-sleep/no_such_figure 0}}";
    refused("figure", |copy| append(copy, PAGE, text), &["no_such_figure", PAGE]);
}

#[test]
fn an_experiment_that_was_not_measured_is_refused() {
    let text = "It is {{#median no-such-experiment \"a variant\" 0}}.";
    let words = ["no-such-experiment", "cargo xtask bench --only", PAGE];
    refused("experiment", |copy| append(copy, PAGE, text), &words);
}

#[test]
fn a_question_without_an_answer_is_refused() {
    let text = "{{#predict no-such-question}}\n\nWhich?\n\n1. This.\n2. That.\n\n\
        <details>\n<summary>Answer</summary>\n\nThat.\n\n</details>";
    let words = ["no-such-question", "predictions/ch01-single-threaded.toml", PAGE];
    refused("question", |copy| append(copy, PAGE, text), &words);
}

#[test]
fn an_answer_without_evidence_is_refused() {
    let damage = |copy: &Path| {
        let path = copy.join("book/predictions/ch01-single-threaded.toml");
        let text = fs::read_to_string(&path).expect("it is there");
        let (kept, _) = text.split_once("tests = ").expect("it names a test");
        fs::write(path, kept).expect("it can be written");
    };
    refused("evidence", damage, &["ch01-single-threaded.toml", "second-request", "evidence"]);
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
    refused("absent", |copy| append(copy, "SUMMARY.md", "[Absent](absent.md)"), &["absent.md"]);
}

#[test]
fn a_typo_in_the_settings_is_refused() {
    // mdBook alone would drop the whole table for it, and with it the scripts and the style.
    refused(
        "typo",
        |copy| set(copy, r"(?m)^\[output\.html\]$", "[output.html]\nno-such-setting = true"),
        &["no-such-setting"],
    );
}

#[test]
fn the_sources_as_output_folder_are_refused() {
    refused(
        "build-dir",
        |copy| set(copy, r#"(?m)^build-dir = ".*"$"#, "build-dir = \"book\""),
        &["book", "build-dir"],
    );
}

/// Changes a file of the copy's book.
#[track_caller]
fn change(copy: &Path, file: &str, from: &str, to: &str) {
    let path = copy.join("book").join(file);
    let old = fs::read_to_string(&path).expect("the file is there");
    let new = old.replacen(from, to, 1);
    assert_ne!(old, new, "{file} has no {from}");
    fs::write(path, new).expect("it can be written");
}

#[test]
fn an_agenda_with_an_unknown_part_is_refused() {
    let words = ["half-day", "no part `the quue`", "ch03-threadpool"];
    refused(
        "agenda-part",
        |copy| change(copy, "ch03-threadpool.md", "[the queue](", "[the quue]("),
        &["no part `the queue`", "ch03-threadpool"],
    );
    refused(
        "agenda-typo",
        |copy| change(copy, "workshop.toml", "\"laws and figures\", \"exercise\"", "\"the quue\""),
        &words,
    );
}

#[test]
fn an_agenda_with_an_unknown_page_is_refused() {
    refused(
        "agenda-page",
        |copy| change(copy, "workshop.toml", "ch02-thread-spawn", "ch02-threads"),
        &["90-minutes", "no page ch02-threads.md"],
    );
}

#[test]
fn an_agenda_that_is_longer_than_promised_is_refused() {
    refused(
        "agenda-long",
        |copy| change(copy, "workshop.toml", "{ pause = 15 }", "{ pause = 16 }"),
        &["half-day", "241 minutes", "at most 240"],
    );
}

#[test]
fn an_exercise_with_other_minutes_than_its_list_has_is_refused() {
    refused(
        "agenda-exercise",
        |copy| {
            let list = copy.join("exercises/exercises.toml");
            let old = fs::read_to_string(&list).expect("the list is there");
            fs::write(list, old.replacen("minutes = 15", "minutes = 20", 1))
                .expect("it can be written");
        },
        &["ch01-single-threaded.md", "takes 15 minutes here, and 20"],
    );
}

#[test]
fn minutes_that_do_not_add_up_are_refused() {
    refused(
        "minutes",
        |copy| change(copy, PAGE, "**Minutes:** 75:", "**Minutes:** 70:"),
        &[PAGE, "75 together, and not 70"],
    );
}
