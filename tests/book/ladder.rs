//! The rungs as pieces of text: one for each chapter, short, and free of what a textbook does not show.

use std::collections::BTreeSet;

use ladder_tests::{none, unlike};
use records::servers::{FOREIGN, SERVERS, Schedule, Server, example_folder};
use regex::Regex;

use super::{
    page::{Page, chapters},
    repository::{example_folders, files_below, read, read_of, root, short},
};

#[test]
fn every_rung_has_a_chapter_and_every_chapter_a_rung() {
    let chapters: BTreeSet<String> = chapters().into_iter().map(|page| page.stem).collect();
    let declared = SERVERS.iter().map(|server| server.page.clone()).collect();
    let of_no_server = " is the page of no server in examples/servers.toml";
    let no_page = ".md is not there, and examples/servers.toml names it";
    let mut complaints = unlike(&chapters, &declared, of_no_server, no_page);
    let folders = example_folders();
    let declared: BTreeSet<String> = SERVERS.iter().map(|server| server.name.clone()).collect();
    let gone = declared.difference(&folders);
    complaints.extend(gone.map(|name| format!("{name} of examples/servers.toml has no folder")));
    let steps = SERVERS.iter().flat_map(|server| &server.steps);
    let known: BTreeSet<String> = declared.iter().chain(steps).cloned().collect();
    let numbered: BTreeSet<String> =
        folders.into_iter().filter(|name| name.starts_with("ch")).collect();
    let unknown = numbered.difference(&known);
    complaints.extend(unknown.map(|name| format!("{name} is missing in examples/servers.toml")));
    none(complaints);
}

#[test]
fn every_chapter_shows_its_rung() {
    let chapters = chapters();
    let mut complaints = Vec::new();
    for Server { page: chapter, name: example, .. } in SERVERS.iter() {
        let Some(page) = chapters.iter().find(|page| page.stem == *chapter) else {
            complaints.push(format!("{example} has no page {chapter}"));
            continue;
        };
        let includes =
            page.directives().into_iter().filter(|directive| directive.name == "include");
        let folder = format!("{}/", short(&example_folder(root(), example)));
        if !includes.into_iter().any(|include| include.rest.contains(&folder)) {
            complaints.push(format!("{}: no listing of {example}", page.at(1)));
        }
        let runs = super::console::commands(page)
            .iter()
            .any(|command| command.example().is_some_and(|(name, _)| name == example));
        if !runs {
            complaints.push(format!("{}: does not say how to run {example}", page.at(1)));
        }
    }
    none(complaints);
}

/// What is written by hand of every server: its colour, its notes, and its line in three tables.
#[test]
fn what_is_written_by_hand_knows_every_server() {
    let style = read("book/theme/pictures.css");
    let notes = read("book/teachers-notes.md");
    let mut complaints = Vec::new();
    for Server { name, page, colour, .. } in SERVERS.iter() {
        let colour = colour.as_deref().unwrap_or_default();
        for part in [format!("--server-{colour}: "), format!(".of-{colour} {{")] {
            if !style.contains(&part) {
                complaints.push(format!("book/theme/pictures.css has no `{part}`, for {name}"));
            }
        }
        if !notes.contains(&format!("{{#{page}}}\n")) {
            complaints.push(format!("book/teachers-notes.md has no notes for {page}"));
        }
        for table in ["README.md", "book/introduction.md"] {
            if !read(table).contains(&format!("{page}.md")) {
                complaints.push(format!("{table} does not lead to {page}.md, the page of {name}"));
            }
        }
        if !read("book/recap.md").contains(name) {
            complaints.push(format!("book/recap.md does not name {name}"));
        }
    }
    none(complaints);
}

/// A server outside the ladder is named, run, and what it can't keep is told in the words of its declaration, which
/// names a test that there is: one of no test would excuse nothing, and be believed.
#[test]
fn the_servers_outside_the_ladder_are_told_of() {
    let sources: String = files_below(&root().join("tests"))
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(read)
        .collect();
    for server in FOREIGN.iter() {
        let page = Page::read(&root().join(format!("book/{}.md", server.page)));
        let runs = super::console::commands(&page);
        let runs = runs.iter().filter_map(|command| command.example());
        assert!(runs.into_iter().any(|(name, _)| name == server.name), "{}", server.name);
        let names = [format!("`{}`", server.name), format!("{{{{#server {}}}}}", server.name)];
        let is_named = names.iter().any(|name| page.text.contains(name));
        assert!(is_named, "no word of {}", server.name);
        for one in &server.differs {
            assert!(page.text.contains(&one.how), "{}: {}", page.at(1), one.how);
            // It is given a rung, or is a case.
            let forms = ["(rung: Rung)", "(server: &Target)"];
            let mut forms = forms.iter().map(|given| format!("fn {}{given}", one.test));
            assert!(
                forms.any(|form| sources.contains(&form)),
                "{}: there is no test {}",
                server.name,
                one.test
            );
        }
    }
}

#[test]
fn every_rung_is_a_package_of_its_name() {
    let mut complaints = Vec::new();
    for name in example_folders() {
        let manifest: toml::Table =
            read_of(&name, "Cargo.toml").parse().expect("a manifest is TOML");
        let package = manifest["package"].get("name");
        let example = manifest.get("example").and_then(|list| list.get(0)?.get("name"));
        for (what, found) in [("package", package), ("[[example]]", example)] {
            if found.and_then(toml::Value::as_str) != Some(name.as_str()) {
                complaints.push(format!("{name}: the {what} in its Cargo.toml has another name"));
            }
        }
    }
    none(complaints);
}

/// The functions that begin a line of a source, in their order.
fn names(source: &str) -> Vec<&str> {
    let function = Regex::new(r"(?m)^(?:async )?fn (\w+)").expect("it is a pattern");
    function.captures_iter(source).map(|found| found.get(1).expect("a name").as_str()).collect()
}

/// The numbered rungs, and smol's: those that a reader compares line by line.
fn compared() -> Vec<(&'static str, String)> {
    let compared = SERVERS.iter().map(|server| server.name.as_str());
    let compared = compared.filter(|name| name.starts_with("ch") && !name.ends_with("_blocking"));
    let compared: Vec<_> = compared.map(|name| (name, read_of(name, "main.rs"))).collect();
    assert!(compared.len() >= 7, "{} rungs", compared.len());
    compared
}

#[test]
fn the_rungs_have_the_same_functions_in_the_same_order() {
    let mut complaints = Vec::new();
    for (name, source) in compared() {
        let mut names = names(&source);
        // Some have one more, such as rung 2's `spawn`.
        names.retain(|function| ["main", "serve", "handle"].contains(function));
        if names != ["main", "serve", "handle"] {
            complaints.push(format!("{name} has {names:?} for main, serve and handle"));
        }
    }
    none(complaints);
}

/// A call that blocks in a task is the fault that two chapters warn of.
#[test]
fn no_task_blocks() {
    for Server { name, .. } in SERVERS.iter().filter(|server| server.schedule == Schedule::Tasks) {
        let text = read_of(name, "main.rs");
        for blocks in ["thread::sleep", "std::fs::", "std::thread"] {
            assert!(!text.contains(blocks), "{name} has {blocks}");
        }
        // Rung 7 takes such a step in a file of its own.
        let files = files_below(&example_folder(root(), name)).into_iter();
        let sources = files.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
        let sources: String = sources.map(read).collect();
        let awaits = |step: &str| {
            let takes = |line: &&str| line.contains(step) && line.contains("=>");
            let takes = sources.lines().filter(takes).filter(|line| !line.contains(" | "));
            takes.map(|line| line.contains(".await")).reduce(|one, other| one && other)
        };
        for step in ["Step::ReadFile(", "Step::Sleep("] {
            assert_eq!(awaits(step), Some(true), "{name}: {step}");
        }
    }
}

#[test]
fn the_header_of_every_rung_says_how_to_run_it() {
    let mut complaints = Vec::new();
    for name in example_folders() {
        let text = read_of(&name, "main.rs");
        let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let command = format!("cargo run --example {name}");
        if !header.iter().any(|line| line.contains(&command)) {
            complaints.push(format!("{name}: no {command:?} in its header"));
        }
    }
    none(complaints);
}

#[test]
fn no_rung_has_what_a_textbook_does_not_show() {
    let pattern =
        Regex::new(r"\bunsafe\b|\btodo!|\bunimplemented!|\bdbg!|\.unwrap\(\)|\bprocess::abort")
            .expect("it is a pattern");
    let mut complaints = Vec::new();
    for name in example_folders().into_iter().chain(["site".to_owned()]) {
        for path in files_below(&example_folder(root(), &name)) {
            let is_source = path.extension().is_some_and(|ending| ending == "rs");
            if !is_source || short(&path).contains("/tests/") {
                continue;
            }
            let text = read(&path);
            // A test may unwrap: to panic is how it fails.
            let shown = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (index, line) in shown.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                if pattern.is_match(code) {
                    complaints.push(format!("{}:{}: {line}", short(&path), index + 1));
                }
            }
        }
    }
    none(complaints);
}

/// Whoever opens one of these files from a search engine must see what it is.
#[test]
fn every_wrong_server_says_that_it_is_wrong_and_who_has_it() {
    // An article, or a project's issue.
    let origin = Regex::new(r"[Ss]ources? 00[0-4]|[\w-]+/[\w-]+#\d+").expect("it is a pattern");
    let mut complaints = Vec::new();
    let mut faults = 0;
    for path in files_below(&root().join("examples/clients/wrong_servers")) {
        let text = read(&path);
        // The other files are what several faults share.
        if !text.contains("pub const FAULT: Fault") {
            continue;
        }
        faults += 1;
        let path = short(&path);
        let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
        let name = format!("name: \"{}\",", stem.replace('_', "-"));
        if !text.contains(&name) {
            complaints.push(format!("{path}: its fault has another name"));
        }
        let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let header = header.join("\n");
        // The one that the others are compared with is right.
        let first = match stem {
            "none" => "//! No fault: ",
            _ => "//! Wrong",
        };
        if !header.starts_with(first) {
            complaints.push(format!("{path}: its header does not begin with {first:?}"));
        }
        // A floor to measure against is nobody's mistake.
        let is_ours = ["none", "parses_nothing"].contains(&stem);
        if !is_ours && !origin.is_match(&header) {
            complaints.push(format!("{path}: who has it?"));
        }
        let main = read("examples/clients/wrong_servers/main.rs");
        if !main.contains(&format!("    {stem}::FAULT,")) {
            complaints.push(format!("{path}: no --fault leads to it"));
        }
    }
    none(complaints);
    assert!(faults >= 12, "{faults} faults");
}

#[test]
fn the_compiler_forbids_unsafe_code_in_the_site_and_in_every_rung() {
    let manifest = |text: &str| text.parse::<toml::Table>().expect("a manifest is TOML");
    let lints = &manifest(&read("Cargo.toml"))["workspace"]["lints"]["rust"];
    assert_eq!(lints["unsafe_code"].as_str(), Some("forbid"));
    let mut complaints = Vec::new();
    for name in example_folders().into_iter().chain(["site".to_owned()]) {
        let manifest = manifest(&read_of(&name, "Cargo.toml"));
        let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace"));
        if inherits.and_then(toml::Value::as_bool) != Some(true) {
            complaints.push(format!("{name}: its Cargo.toml has no [lints] of the workspace"));
        }
    }
    none(complaints);
}
