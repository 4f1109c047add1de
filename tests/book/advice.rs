//! Advice that a reader follows: it loses no work, and names what the machine will really say.

use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::{fs, path::Path, process::Command};

use ladder_tests::none;
#[cfg(target_os = "linux")]
use ladder_tests::{DEADLINE, run};
use regex::Regex;

#[cfg(target_os = "linux")]
use super::repository::read;
use super::{
    page::Page,
    repository::{files_below, root},
};

/// Complains unless a reader's own project may be made there.
///
/// A project anywhere else in the repository would become a member of its workspace.
pub fn check_project(path: &str) -> Result<(), String> {
    let name = path.strip_prefix("live/").unwrap_or_default();
    let free = !name.is_empty() && !name.contains('/') && !root().join(path).is_file();
    if free { Ok(()) } else { Err("a reader's own project belongs into live/".to_owned()) }
}

/// Complains unless there is such a file; a folder is none.
pub fn check_file(path: &str) -> Result<(), String> {
    if root().join(path).is_file() { Ok(()) } else { Err(format!("there is no file {path}")) }
}

/// With the name of a folder, git would throw every edit in it away, and those of an exercise as well.
#[test]
fn no_advice_throws_work_away() {
    let taking_back = Regex::new(r"\bgit (checkout|restore|reset|clean|stash)\b([^`\n|]*)")
        .expect("it is a pattern");
    let new = Regex::new(r"\bcargo (?:new|init)\b(?: +([^`\n|]*))?").expect("it is a pattern");
    let texts = ["book", "exercises", "examples"].map(|folder| files_below(&root().join(folder)));
    let texts = texts.into_iter().flatten().chain([root().join("README.md")]);
    let is_text = |path: &PathBuf| path.extension().is_some_and(|it| it == "md" || it == "rs");
    let mut found = 0;
    let mut complaints = Vec::new();
    for path in texts.filter(is_text) {
        let page = Page::read(&path);
        let mut judge = |at: usize, outcome: Result<(), String>| {
            found += 1;
            if let Err(complaint) = outcome {
                complaints.push(format!("{}: {complaint}", page.at(page.line_of(at))));
            }
        };
        for git in taking_back.captures_iter(&page.text) {
            let outcome = match &git[1] {
                "checkout" | "restore" => check_file(git[2].trim()),
                other => Err(format!("git {other} throws more away than a reader means")),
            };
            judge(git.get(0).expect("all of it").start(), outcome);
        }
        for project in new.captures_iter(&page.text) {
            let path = project.get(1).map_or("", |path| path.as_str().trim());
            judge(project.get(0).expect("all of it").start(), check_project(path));
        }
    }
    none(complaints);
    assert!(found > 0, "nothing was looked at");
}

/// Without a linker the doctor can't be built, so the pages have to know the words.
#[cfg(target_os = "linux")]
#[test]
fn the_readme_has_the_words_of_a_missing_linker() {
    let sysroot = run(Command::new("rustc").args(["--print", "sysroot"]), DEADLINE).stdout;
    let rustc = Path::new(sysroot.trim()).join("bin/rustc");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("main.rs");
    fs::write(&source, "fn main() {}").expect("a file");
    let mut compile = Command::new(rustc);
    compile.arg(&source).current_dir(folder.path()).env("PATH", folder.path());
    let said = run(&mut compile, DEADLINE).stderr;
    let words = said.lines().next().expect("it says something").trim();
    assert!(words.contains("linker"), "{said}");
    for page in ["README.md", "book/workshop.md"] {
        assert!(read(page).contains(words), "{page} does not have: {words}");
    }
    let setup = read("book/introduction.md");
    assert!(setup.contains("{{#include ../README.md:linker}}"), "the setup does not name it");
}
