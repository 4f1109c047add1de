//! `book.toml`, and what a wrong line in it could destroy.

use std::path::{Component, Path, PathBuf};

use super::repository::{read, root};

fn settings() -> toml::Table {
    read("book.toml").parse().expect("book.toml is TOML")
}

fn setting(table: &str, name: &str) -> String {
    let value = settings().get(table).and_then(|table| table.get(name)).cloned();
    let value = value.unwrap_or_else(|| panic!("book.toml has no {name} in [{table}]"));
    value.as_str().unwrap_or_else(|| panic!("{name} in book.toml is no text")).to_owned()
}

/// The folder without `.` and `..`, taken from the root.
fn folder(setting: &str) -> PathBuf {
    let mut path = root().to_path_buf();
    for component in Path::new(setting).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()),
            other => path.push(other),
        }
    }
    path
}

#[test]
fn the_sources_are_in_the_folder_book() {
    assert_eq!(setting("book", "src"), "book");
}

/// mdBook empties its output folder, and its default for that is `book`: our sources.
#[test]
fn a_build_does_not_delete_the_sources() {
    let output = folder(&setting("build", "build-dir"));
    let source = folder(&setting("book", "src"));
    assert!(!output.starts_with(&source), "build-dir is the sources' folder, or inside it");
    assert!(!source.starts_with(&output), "the sources are inside build-dir");
    let target = root().join("target");
    assert!(output.starts_with(&target) && output != target, "build-dir is not below target/");
}

#[test]
fn a_comment_says_why_the_output_folder_is_set() {
    let text = read("book.toml");
    let lines: Vec<&str> = text.lines().collect();
    let is_setting =
        |line: &&str| line.split('=').next().is_some_and(|name| name.trim() == "build-dir");
    let at = lines.iter().position(is_setting).expect("build-dir is set");
    let comment = lines[..at].iter().rev().take_while(|line| line.trim_start().starts_with('#'));
    let comment = comment.copied().collect::<Vec<_>>().join(" ").to_lowercase();
    let says_it =
        ["delete", "empties", "empty", "remove"].iter().any(|word| comment.contains(word));
    assert!(says_it, "the comment above build-dir does not say what it prevents: {comment:?}");
}

#[test]
fn a_page_that_is_missing_is_not_made() {
    let value = settings()["build"].get("create-missing").and_then(toml::Value::as_bool);
    assert_eq!(value, Some(false), "create-missing must be false, or mdBook writes an empty page");
}
