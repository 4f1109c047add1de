//! The pages themselves: their form, and what they include from the sources.

use std::{collections::BTreeSet, fs, path::Path};

use ladder_tests::{none, unlike};
use regex::Regex;

use super::{
    page::{Page, chapters, pages},
    repository::{files_below, read, root, short},
};

#[test]
fn the_summary_lists_every_page_once() {
    let summary = Page::read(&root().join("book/SUMMARY.md"));
    let links: Vec<String> = summary.links().into_iter().map(|(target, _)| target).collect();
    let listed: BTreeSet<String> = links.iter().cloned().collect();
    let book = root().join("book");
    let relative = |page: Page| {
        let path = page.path.strip_prefix(&book).expect("it is below").to_path_buf();
        path.to_string_lossy().replace('\\', "/")
    };
    let there: BTreeSet<String> = pages().into_iter().map(relative).collect();
    let (no_such, missing) = (" of book/SUMMARY.md is not there", " is missing in book/SUMMARY.md");
    let mut complaints = unlike(&listed, &there, no_such, missing);
    let often = listed.iter().filter(|name| links.iter().filter(|link| link == name).count() > 1);
    complaints.extend(often.map(|name| format!("{name} is twice in book/SUMMARY.md")));
    none(complaints);
}

/// The introduction lists them, and the style marks them in the table of contents.
#[test]
fn the_short_way_is_the_same_in_the_list_and_in_the_contents() {
    let introduction = read("book/introduction.md");
    let style = read("book/theme/ladder.css");
    let link = Regex::new(r"(?m)^- \[[^\]]+\]\(([a-z0-9-]+)\.md\)").expect("it is a pattern");
    let mark = Regex::new("\\[href\\$=\"([a-z0-9-]+)\\.html\"\\]").expect("it is a pattern");
    let (_, below) = introduction.split_once("\n## The short way\n").expect("it is a section");
    let section = below.split("\n<a id").next().unwrap_or_default();
    let listed: Vec<&str> =
        link.captures_iter(section).map(|found| found.extract::<1>().1[0]).collect();
    let (_, below) = style.split_once("/* The pages of the short way").expect("they are marked");
    let rule = below.split('}').next().unwrap_or_default();
    let marked: Vec<&str> =
        mark.captures_iter(rule).map(|found| found.extract::<1>().1[0]).collect();
    assert!(!listed.is_empty());
    assert_eq!(marked, listed, "left: ladder.css, right: introduction.md");
}

/// A letter that the line above the terms leaves out is not found there.
#[test]
fn the_letters_of_the_glossary_lead_to_its_sections() {
    let page = Page::read(&root().join("book/glossary.md"));
    let mut complaints = Vec::new();
    let mut letter = String::new();
    for heading in page.headings() {
        if heading.level == 2 {
            letter = heading.text;
        } else if heading.level == 3 {
            let first = heading.text.chars().find(|it| it.is_alphabetic());
            if first.map(|it| it.to_uppercase().to_string()) != Some(letter.clone()) {
                complaints.push(format!(
                    "{}: {} stands below {letter}",
                    page.at(heading.line),
                    heading.text
                ));
            }
        }
    }
    none(complaints);
    let sections = page.headings().into_iter().filter(|heading| heading.level == 2);
    let sections: Vec<String> =
        sections.map(|heading| format!("#{}", heading.text.to_lowercase())).collect();
    let links = page.links().into_iter().map(|(target, _)| target);
    let letters: Vec<String> = links.filter(|target| target.len() == 2).collect();
    assert_eq!(letters, sections, "left: the line of letters, right: the sections");
}

#[test]
fn every_page_has_one_title_and_skips_no_level() {
    let mut complaints = Vec::new();
    for page in pages() {
        let headings = page.headings();
        let titles = headings.iter().filter(|heading| heading.level == 1).count();
        if titles != 1 {
            complaints.push(format!("{}: {titles} headings of level 1", page.at(1)));
        }
        if headings.first().is_none_or(|first| first.level != 1) {
            complaints.push(format!("{}: does not begin with its title", page.at(1)));
        }
        for pair in headings.windows(2) {
            if pair[1].level > pair[0].level + 1 {
                let (at, text) = (page.at(pair[1].line), &pair[1].text);
                complaints.push(format!("{at}: {text:?} skips a level"));
            }
        }
    }
    none(complaints);
}

#[test]
fn the_chapters_of_the_ladder_have_the_same_sections() {
    const SECTIONS: [&str; 8] = [
        "The defect",
        "The change",
        "Predict",
        "What happens inside",
        "A tempting wrong version",
        "Your turn",
        "The whole server",
        "Recap",
    ];
    // A chapter that begins with its whole server.
    const WHOLE_FIRST: [&str; 9] = [
        "The defect",
        "Predict",
        "The change",
        "Run it",
        "What happens inside",
        "A tempting wrong version",
        "The figures",
        "Your turn",
        "Recap",
    ];
    let mut complaints = Vec::new();
    let chapters = chapters();
    for page in &chapters {
        let headings = page.headings();
        let found: Vec<&str> = headings
            .iter()
            .filter(|heading| heading.level == 2)
            .map(|heading| heading.text.as_str())
            .collect();
        // The first rung changes nothing: it is the start.
        let changes = if page.stem.starts_with("ch01") { "The server" } else { "The change" };
        let expected = |names: &[&'static str]| -> Vec<&str> {
            names.iter().map(|name| if *name == "The change" { changes } else { *name }).collect()
        };
        if found != expected(&SECTIONS) && found != expected(&WHOLE_FIRST) {
            complaints.push(format!("{}: {found:?}", page.at(1)));
        }
        // A chapter is named by its number, if no other page has the same.
        let number = page.stem.get(..4).filter(|number| number.starts_with("ch"));
        let is_alone = |number: &&str| {
            chapters.iter().filter(|other| other.stem.starts_with(*number)).count() == 1
        };
        let name = number.filter(is_alone).unwrap_or(&page.stem);
        if !page.text.contains(&format!("\n{{{{#exercises {name}}}}}\n")) {
            complaints.push(format!("{}: not its own exercises", page.at(1)));
        }
    }
    none(complaints);
}

#[test]
fn nothing_is_left_to_do() {
    let word = Regex::new(r"\b(TODO|FIXME|XXX|TBD|coming soon)\b").expect("it is a pattern");
    let mut complaints = Vec::new();
    let folders = ["book", "examples", "exercises", "tests", "tools"];
    let files = folders.iter().flat_map(|folder| files_below(&root().join(folder)));
    for path in files.chain([root().join("README.md"), root().join("book.toml")]) {
        let ours = path.extension().is_some_and(|ending| {
            ["md", "rs", "toml", "css", "js", "mjs", "html"].iter().any(|known| ending == *known)
        });
        // This file names the words; minified code and mdBook's own files are not ours.
        let name = short(&path);
        let foreign = ["book/theme/css/general.css", "book/theme/highlight.js"]
            .contains(&name.as_str())
            || name.ends_with(".min.js");
        if !ours || path.ends_with("book/pages.rs") || foreign {
            continue;
        }
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", short(&path)));
        for (index, line) in text.lines().enumerate().filter(|(_, line)| word.is_match(line)) {
            complaints.push(format!("{}:{}: {line}", short(&path), index + 1));
        }
    }
    none(complaints);
}

#[test]
fn code_blocks_say_what_they_are() {
    let mut complaints = Vec::new();
    for page in pages() {
        for block in page.blocks() {
            let language = block.info.split(',').next().unwrap_or_default();
            // mdBook's tests take a block without a word for Rust.
            if language.is_empty() {
                complaints.push(format!("{}: a block without a language", page.at(block.line)));
            }
            // A play button on a server would run it in a sandbox that has no sockets.
            if language == "rust" && !block.info.split(',').any(|word| word == "ignore") {
                complaints.push(format!(
                    "{}: ```{} instead of ```rust,ignore",
                    page.at(block.line),
                    block.info
                ));
            }
        }
    }
    none(complaints);
}

#[test]
fn every_diagram_has_a_title_and_a_text() {
    let mut complaints = Vec::new();
    for page in pages() {
        for block in page.blocks().iter().filter(|block| block.info == "mermaid") {
            for word in ["accTitle:", "accDescr"] {
                if !block.text.contains(word) {
                    complaints.push(format!("{}: a diagram without {word}", page.at(block.line)));
                }
            }
        }
    }
    none(complaints);
}

/// The names after this mark in a source, with the numbers of their lines.
fn marks(text: &str, mark: &str) -> Vec<(String, usize)> {
    let marks = text.lines().enumerate().filter_map(|(index, line)| {
        let (_, rest) = line.split_once(mark)?;
        // In Markdown the mark is a comment.
        Some((rest.trim_end_matches("-->").trim().to_owned(), index + 1))
    });
    marks.collect()
}

#[test]
fn anchors_are_unique_and_have_an_end() {
    let mut complaints = Vec::new();
    for path in files_below(&root().join("examples")) {
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let text = read(&path);
        let (starts, ends) = (marks(&text, "ANCHOR:"), marks(&text, "ANCHOR_END:"));
        let mut seen = BTreeSet::new();
        for (name, line) in &starts {
            let at = format!("{}:{line}", short(&path));
            if !seen.insert(name) {
                // mdBook shows only the first of two.
                complaints.push(format!("{at}: a second anchor {name}"));
            }
            match ends.iter().filter(|(end, _)| end == name).collect::<Vec<_>>()[..] {
                [(_, end)] if end > line => {}
                _ => complaints.push(format!("{at}: the anchor {name} needs one end, below it")),
            }
        }
        for (name, line) in ends.iter().filter(|(name, _)| !seen.contains(name)) {
            complaints
                .push(format!("{}:{line}: the end of {name}, which never began", short(&path)));
        }
    }
    none(complaints);
}

#[test]
fn every_include_resolves() {
    let mut complaints = Vec::new();
    for page in pages() {
        for include in
            page.directives().iter().filter(|directive| directive.name.ends_with("include"))
        {
            let (file, anchor) = match include.rest.split_once(':') {
                Some((file, anchor)) => (file, Some(anchor)),
                None => (include.rest.as_str(), None),
            };
            let folder = page.path.parent().expect("a page lies in a folder");
            let Ok(text) = fs::read_to_string(folder.join(file)) else {
                complaints.push(format!("{}: no file {file}", page.at(include.line)));
                continue;
            };
            let Some(anchor) = anchor else { continue };
            let found = |mark: &str| {
                marks(&text, mark).into_iter().filter(|(name, _)| name == anchor).count()
            };
            if (found("ANCHOR:"), found("ANCHOR_END:")) != (1, 1) {
                complaints
                    .push(format!("{}: {file} has no anchor {anchor}", page.at(include.line)));
            }
        }
    }
    none(complaints);
}

#[test]
fn listings_have_their_file_above_them() {
    let mut complaints = Vec::new();
    for page in pages() {
        let lines: Vec<&str> = page.text.lines().collect();
        let directives = page.directives();
        for block in page.blocks() {
            let end = block.line + block.text.lines().count();
            let inside =
                directives.iter().filter(|directive| (block.line..=end).contains(&directive.line));
            for include in inside.filter(|directive| directive.name == "include") {
                let Some(file) =
                    include.rest.split(':').next().and_then(|file| file.strip_prefix("../"))
                else {
                    continue;
                };
                // The name, a blank line, the fence.
                let above = &lines[block.line.saturating_sub(4)..block.line];
                if !above.iter().any(|line| line.contains(&format!("**`{file}`**"))) {
                    complaints.push(format!(
                        "{}: no **`{file}`** above its listing",
                        page.at(include.line)
                    ));
                }
            }
        }
    }
    none(complaints);
}

#[test]
fn no_page_and_no_result_names_somebodys_folders() {
    let pattern = Regex::new(r"/home/|/root/|/Users/|[A-Z]:\\|/tmp/").expect("it is a pattern");
    let mut complaints = Vec::new();
    let readme = Some(root().join("README.md")).filter(|path| path.exists());
    for path in files_below(&root().join("book")).into_iter().chain(readme) {
        let shown = |path: &Path| {
            path.extension()
                .is_some_and(|ending| ["md", "json", "txt"].iter().any(|known| ending == *known))
        };
        if !shown(&path) {
            continue;
        }
        for (index, line) in
            read(&path).lines().enumerate().filter(|(_, line)| pattern.is_match(line))
        {
            complaints.push(format!("{}:{}: {line}", short(&path), index + 1));
        }
    }
    none(complaints);
}

#[test]
fn links_to_other_sites_are_encrypted_and_stable() {
    let mut complaints = Vec::new();
    for page in pages() {
        for (link, line) in page.links() {
            let local =
                link.starts_with("http://127.0.0.1") || link.starts_with("http://localhost");
            if link.starts_with("http://") && !local {
                complaints.push(format!("{}: {link} is not https", page.at(line)));
            }
        }
    }
    none(complaints);
}
