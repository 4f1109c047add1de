//! The book as it is: it builds without a warning, and what comes out holds nothing that belongs elsewhere.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use ladder_tests::build_book;
use regex::Regex;

use super::repository::{files_below, root, short};

/// A folder for this test alone, below the target folder.
pub fn scratch(name: &str) -> PathBuf {
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

/// mdBook writes the same words into all pages, or none; another release may write them in another form.
#[test]
fn a_page_says_what_it_is_and_where_it_leads() {
    let page = fs::read_to_string(BUILT.join("ch02-thread-spawn.html")).expect("it is there");
    for part in [
        "<title>2 · A thread for each connection - From One Thread to Tokio</title>",
        "<meta name=\"description\" content=\"The second rung",
        "<meta property=\"og:title\" content=\"2 · A thread for each connection",
        "<h1 class=\"menu-title\">2 · A thread for each connection</h1>",
        "aria-label=\"Previous page: 1 · One thread\"",
        "<span>1 · One thread</span>",
        "href=\"theme/book.css\"",
        "src=\"theme/book.js\"",
    ] {
        assert_eq!(page.matches(part).count(), 1, "{part}");
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

#[test]
fn no_page_has_a_diagram_that_a_reader_must_draw() {
    let mut drawn = 0;
    for (path, text) in built("html") {
        drawn += text.matches("<figure class=\"chart diagram\">").count();
        assert!(!text.contains("<pre class=\"mermaid\""), "{}", path.display());
    }
    assert!(drawn > 10, "only {drawn} diagrams");
    for path in files_below(&BUILT) {
        assert!(!short(&path).contains("mermaid"), "{} was published", path.display());
    }
}
