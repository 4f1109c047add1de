//! The README: what it promises is there.

use std::collections::BTreeSet;

use ladder_tests::none;
use regex::Regex;

use super::{console::commands, page::Page, repository::root};

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
