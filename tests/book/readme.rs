//! The README: what it promises is there.

use std::collections::{BTreeMap, BTreeSet};

use ladder_tests::none;
use regex::Regex;
use servers::{SERVERS, Server};

use super::{
    console::commands,
    page::Page,
    repository::{compiled_for, files_below, read, root},
};

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

/// The lines of the ladder's table by example: `| ... | ch03_threadpool | ... | 17 |`.
fn table() -> BTreeMap<String, Vec<String>> {
    let page = readme();
    let example = Regex::new(r"`([a-z]\w*)`").expect("it is a pattern");
    let rows = page.text.lines().filter(|line| line.starts_with('|')).filter_map(|line| {
        let name = example.captures(line)?[1].to_owned();
        Some((name, line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()))
    });
    rows.collect()
}

/// The row that a declared server should have, but for what it compiles by name.
fn row(server: &Server) -> String {
    let Server { name, chapter, idea, .. } = server;
    let page = Page::read(&root().join(format!("book/{chapter}.md")));
    let title = page.headings().first().expect("a page has a title").text.clone();
    let count = compiled_for(name).len();
    format!(
        "| [{title}](book/{chapter}.md) | `{name}` | {idea} | {count}: what is new among them |"
    )
}

/// A server gets its row with its figures.
#[test]
fn the_ladder_is_complete() {
    let table = table();
    for server in SERVERS.iter().filter(|server| server.measured) {
        let name = &server.name;
        assert!(
            table.contains_key(name),
            "README.md has no row for {name}; it is:\n{}",
            row(server)
        );
    }
    let examples = super::repository::example_folders();
    for name in table.keys() {
        assert!(examples.contains(name), "README.md: there is no example {name}");
    }
}

/// A row that a new server is told to have is one that these tests accept.
#[test]
fn the_row_of_a_server_has_its_name_its_idea_and_its_packages() {
    let table = table();
    for server in SERVERS.iter().filter(|server| server.measured) {
        let (row, cells) = (row(server), &table[&server.name]);
        for cell in [&format!("`{}`", server.name), &cells[2]] {
            assert!(row.contains(&format!("| {cell} |")), "no {cell} in {row}");
        }
    }
}

/// Every slow test says how it is run, and the README has each of these commands.
#[test]
fn the_slow_tests_are_named() {
    let slow = Regex::new(r#"slow: (cargo test[^"]*)""#).expect("it is a pattern");
    let page = readme();
    let mut found = BTreeSet::new();
    for path in files_below(&root().join("tests")) {
        if path.extension().is_some_and(|ending| ending == "rs") {
            found.extend(slow.captures_iter(&read(&path)).map(|command| command[1].to_owned()));
        }
    }
    for command in &found {
        let named = page.text.contains(&format!("`{command}`"));
        assert!(named, "README.md has no `{command}` among the slow tests");
    }
    assert!(found.len() > 5, "{found:?}");
    let everything = "cargo test --locked --no-fail-fast -- --include-ignored";
    for file in [".ci/run", ".github/workflows/ci.yml"] {
        assert!(read(file).contains(everything), "{file} does not run `{everything}`");
    }
}

/// The last column begins with the number of packages that are compiled besides the rung itself.
///
/// It holds on Linux: other systems need a few packages more or fewer.
#[cfg(target_os = "linux")]
#[test]
fn the_numbers_of_dependencies_are_those_of_cargo() {
    for (name, cells) in table() {
        let last = cells.last().expect("a row has cells");
        let digits = last.chars().take_while(char::is_ascii_digit).collect::<String>();
        assert!(!digits.is_empty(), "README.md: {name}: {last:?} begins with no number");
        let compiled = compiled_for(&name);
        assert_eq!(digits, compiled.len().to_string(), "README.md: {name} compiles {compiled:?}");
    }
}

#[test]
fn the_idea_of_each_rung_has_six_words() {
    let idea = Regex::new("(?i)six words").expect("it is a pattern");
    let page = readme();
    let header = page.text.lines().find(|line| line.starts_with('|') && idea.is_match(line));
    let header = header.expect("README.md: no column for the idea in six words");
    let column = header
        .trim_matches('|')
        .split('|')
        .position(|cell| idea.is_match(cell))
        .expect("it is there");
    for (name, cells) in table() {
        let words = cells[column].split_whitespace().count();
        assert_eq!(words, 6, "README.md: {name}: {:?}", cells[column]);
        if let Some(server) = Server::named(&name) {
            assert_eq!(cells[column], server.idea, "left: README.md, right: examples/servers.toml");
        }
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

#[test]
fn the_licences_are_there() {
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(root().join(name).is_file(), "{name} is missing");
    }
}
