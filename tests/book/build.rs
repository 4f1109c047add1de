//! The book as it is: it builds without a warning, its links lead somewhere, and nothing is left in its pages that belongs
//! elsewhere.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use ladder_tests::{build_book, none};
use regex::Regex;

use super::repository::{files_below, read, root};

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

/// The theme's template says it; another release of mdBook may hand other names to that.
#[test]
fn a_page_says_what_it_is_and_where_it_leads() {
    let page = fs::read_to_string(BUILT.join("ch02-thread-spawn.html")).expect("it is there");
    for part in [
        "<title>2 · A thread for each connection - From One Thread to Tokio: concurrency in Rust</title>",
        "<meta property=\"og:site_name\" content=\"From One Thread to Tokio\">",
        "<meta property=\"og:title\" content=\"2 · A thread for each connection",
        "<h1 class=\"menu-title\"><span>2 · A thread for each connection</span></h1>",
        "aria-label=\"Previous page: 1 · One thread\"",
        "<span>1 · One thread</span>",
    ] {
        assert_eq!(page.matches(part).count(), 1, "{part}");
    }
}

#[test]
fn each_page_is_described_as_the_book() {
    let settings: toml::Table = read("book.toml").parse().expect("it is TOML");
    let description = settings["book"]["description"].as_str().expect("it is text");
    for name in ["index.html", "introduction.html", "recap.html"] {
        let page = fs::read_to_string(BUILT.join(name)).expect("it is there");
        for part in ["name=\"description\"", "property=\"og:description\""] {
            let tag = format!("<meta {part} content=\"{description}\">");
            assert_eq!(page.matches(&tag).count(), 1, "{name}: {tag}");
        }
    }
}

/// mdBook empties its output folder, and its default for that is `book`, where the sources are.
#[test]
fn the_book_is_built_below_target() {
    let settings: toml::Table = read("book.toml").parse().expect("it is TOML");
    assert_eq!(settings["build"]["build-dir"].as_str(), Some("target/book"));
}

fn built(ending: &str) -> Vec<(PathBuf, String)> {
    let files = files_below(&BUILT).into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|found| found == ending));
    files.map(|path| (path.clone(), fs::read_to_string(&path).expect("it is text"))).collect()
}

#[test]
fn the_name_of_a_file_is_the_head_of_its_listing() {
    let name = expression("<p><strong><code>[^<]+</code></strong></p>\\s*<pre");
    let mut heads = 0;
    for (path, text) in built("html") {
        heads += text.matches("<p class=\"listing-head\"><strong>").count();
        assert!(!name.is_match(&text), "{}", path.display());
    }
    assert!(heads > 150, "only {heads} heads");
}

/// A page of the built book: the places in it that a link can name, and where its own links lead.
#[derive(Default)]
struct Linked {
    places: BTreeSet<String>,
    links: Vec<String>,
}

impl Linked {
    fn of(html: &str) -> Linked {
        static SCRIPT: LazyLock<Regex> = LazyLock::new(|| expression("(?s)<script.*?</script>"));
        static TAG: LazyLock<Regex> =
            LazyLock::new(|| expression("<([a-zA-Z][a-zA-Z0-9-]*)((?:[^>\"]|\"[^\"]*\")*)>"));
        static ATTRIBUTE: LazyLock<Regex> =
            LazyLock::new(|| expression("\\s(id|name|href|src)=\"([^\"]*)\""));
        let mut page = Linked::default();
        for tag in TAG.captures_iter(&SCRIPT.replace_all(html, "")) {
            for attribute in ATTRIBUTE.captures_iter(&tag[2]) {
                let value = attribute[2].replace("&amp;", "&");
                match (&tag[1], &attribute[1]) {
                    (_, "id") | ("a", "name") => drop(page.places.insert(value)),
                    // What its links are counted from is where it lies: all pages lie in one folder.
                    ("base", _) | (_, "name") => {}
                    _ => page.links.push(value),
                }
            }
        }
        page
    }
}

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("it is one")
}

/// The file in the book to which a link of the page `name` leads, and the place in there.
fn target<'a>(name: &Path, link: &'a str) -> (PathBuf, &'a str) {
    let (path, place) = link.split_once('#').unwrap_or((link, ""));
    let path = path.split('?').next().unwrap_or_default();
    if path.is_empty() {
        return (name.to_owned(), place);
    }
    let mut file = name.parent().unwrap_or(Path::new("")).to_owned();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(file.pop()),
            "" => file.push("index.html"),
            part => file.push(part),
        }
    }
    (file, place)
}

#[test]
fn every_link_leads_somewhere() {
    let pages = built("html").into_iter().map(|(path, html)| {
        (path.strip_prefix(&*BUILT).expect("it is below").to_owned(), Linked::of(&html))
    });
    let pages: BTreeMap<PathBuf, Linked> = pages.collect();
    let outside = expression("^([a-zA-Z][a-zA-Z0-9+.-]*:|//)");
    let mut complaints = Vec::new();
    let mut named = 0;
    for (name, page) in &pages {
        for link in page.links.iter().filter(|link| !outside.is_match(link)) {
            let (file, place) = target(name, link);
            if !BUILT.join(&file).is_file() {
                complaints.push(format!("{}: {link} leads nowhere", name.display()));
            } else if let Some(there) = pages.get(&file)
                && !place.is_empty()
            {
                named += 1;
                if !there.places.contains(place) {
                    complaints.push(format!("{}: there is no place {link}", name.display()));
                }
            }
        }
    }
    assert!(named > 1000, "only {named} links to a place in a page");
    none(complaints);
}

/// mdBook leaves an include there whose file is not, and ends well.
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
}
