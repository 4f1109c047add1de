//! The README: what it promises is there.

use std::collections::BTreeSet;

use ladder_tests::none;
use regex::Regex;

use super::{build::BUILT, console::commands, page::Page, repository::root};

fn readme() -> Page {
    Page::read(&root().join("README.md"))
}

#[test]
fn the_two_commands_are_there() {
    let page = readme();
    let commands: BTreeSet<String> =
        commands(&page).iter().map(|command| command.words.join(" ")).collect();
    for command in ["cargo xtask serve", "cargo test"] {
        assert!(
            commands.contains(command),
            "README.md has no console block with `{command}`: {commands:?}"
        );
    }
}

/// Its picture is drawn by hand (`npm run --prefix tests/browser preview`), and its words are those of the page: other figures are
/// another title, and then both are to be renewed.
#[test]
fn its_picture_is_the_books_first_picture() {
    let page = std::fs::read_to_string(BUILT.join("introduction.html")).expect("it is there");
    let title =
        Regex::new(r#"(?s).*<figure class="chart crowd">\s*<p class="finding">([^<]+)</p>"#);
    let title = title.expect("it is a pattern").captures(&page).expect("it has a first picture");
    let picture = Regex::new(r"!\[([^]]+)\]\(\.github/screenshot\.png\)").expect("it is a pattern");
    let text = readme().text;
    let words = picture.captures(&text).expect("README.md has a picture");
    assert!(words[1].contains(&title[1]), "{}\n{}", &words[1], &title[1]);
}

#[test]
fn every_file_that_it_links_is_there() {
    let page = readme();
    let mut complaints = Vec::new();
    for (link, line) in page.links() {
        let path = link.split('#').next().unwrap_or_default();
        if path.contains("://") || path.is_empty() {
            continue;
        }
        if !root().join(path).exists() {
            complaints.push(format!("{}: {link} is not there", page.at(line)));
        }
    }
    let source = Regex::new(r#"<img [^>]*src="([^"]+)""#).expect("it is a pattern");
    for picture in source.captures_iter(&page.text) {
        if !picture[1].contains("://") && !root().join(&picture[1]).exists() {
            complaints.push(format!("README.md: the picture {} is not there", &picture[1]));
        }
    }
    none(complaints);
}
