//! The book as it is: it builds without a warning, and what comes out holds nothing that belongs elsewhere.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use ladder_tests::build_book;
use records::workshop::exercises::exercises;
use regex::Regex;

use super::{
    page::pages,
    repository::{files_below, read, root, short},
};

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

/// The home page begins with a picture and what there is to say of it; whoever finds the book reads what the book is.
#[test]
fn the_home_page_is_described_as_the_book() {
    let settings: toml::Table = read("book.toml").parse().expect("it is TOML");
    let description = settings["book"]["description"].as_str().expect("it is text");
    for name in ["index.html", "introduction.html"] {
        let page = fs::read_to_string(BUILT.join(name)).expect("it is there");
        for part in ["name=\"description\"", "property=\"og:description\""] {
            let tag = format!("<meta {part} content=\"{description}\">");
            assert_eq!(page.matches(&tag).count(), 1, "{name}: {tag}");
        }
    }
}

/// A page of the ladder, and no other, has a line above its title.
#[test]
fn a_page_of_the_ladder_says_where_it_stands_and_what_it_takes() {
    let summary = read("book/SUMMARY.md");
    let (_, below) = summary.split_once("\n# The ladder").expect("it is a part");
    let ladder = below.split("\n# ").next().unwrap_or_default();
    let exercises = exercises(root()).expect("they can be read");
    let mut count = 0;
    for page in pages() {
        let file = BUILT.join(&page.stem).with_extension("html");
        let html = fs::read_to_string(&file).expect("it is there");
        let line = html.split_once("<nav class=\"where\" aria-label=\"Where you are\">");
        let is_on_it = ladder.contains(&format!("({}.md)", page.stem));
        assert_eq!(line.is_some(), is_on_it, "{}", page.stem);
        let Some((_, line)) = line else { continue };
        count += 1;
        let line = line.split("</nav>").next().unwrap_or_default();
        let own = exercises.iter().filter(|exercise| exercise.chapter == page.stem);
        let minutes: Vec<u32> = own.map(|exercise| exercise.minutes).collect();
        let sum: u32 = minutes.iter().sum();
        let s = if minutes.len() == 1 { "" } else { "s" };
        let to_do = format!("<a href=\"#your-turn\">{} exercise{s}, {sum} min</a>", minutes.len());
        assert_eq!(line.contains(&to_do), sum > 0, "{}: {to_do} in {line}", page.stem);
        let parts: &[&str] = match page.stem.as_str() {
            "ch03-threadpool" => &[
                "<span>rung 3 of 7</span> · <span><a href=\"workshop.html#three-agendas\">",
                " min in a workshop</a></span> · ",
                "needs <a href=\"ch02-thread-spawn.html\" aria-label=\"2 · A thread for each connection\">2</a>",
            ],
            "event-loop" => &["optional, beside rung 4</span>"],
            "shared-data" => &["between rungs 3 and 4</span>"],
            _ => &[],
        };
        for part in parts {
            assert!(line.contains(part), "{}: no {part} in {line}", page.stem);
        }
    }
    assert!(count > 10, "{count} pages");
}

fn built(ending: &str) -> Vec<(PathBuf, String)> {
    let files = files_below(&BUILT).into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|found| found == ending));
    files.map(|path| (path.clone(), fs::read_to_string(&path).expect("it is text"))).collect()
}

/// On paper, and in the EPUB, the name stays above its listing as the page has it.
#[test]
fn the_name_of_a_file_is_the_head_of_its_listing() {
    let name = Regex::new("<p><strong><code>[^<]+</code></strong></p>\\s*<pre").expect("it is one");
    let mut heads = 0;
    for (path, text) in built("html") {
        let is_paper = path.ends_with("print.html");
        heads += text.matches("<p class=\"listing-head\"><strong>").count();
        assert_eq!(name.is_match(&text), is_paper, "{}", path.display());
    }
    assert!(heads > 150, "only {heads} heads");
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
