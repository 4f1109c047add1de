//! Finds includes that mdBook passes over in silence: one whose file is absent stays in the page as text, and one
//! whose anchor is absent becomes an empty block.

use std::{collections::BTreeSet, fs, path::Path};

use crate::{
    anchors,
    problem::Problem,
    scan::{Found, directives},
};

/// The problems of mdBook's own directives in the page at `path`, and of what only looks like one.
pub(super) fn check_includes(path: &Path, file: &Path, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut known = BTreeSet::new();
    for found in directives(text) {
        known.insert(found.start);
        if found.is_mdbooks()
            && found.name != "title"
            && let Err(message) = check_include(path, &found)
        {
            let message = format!("{}: {message}", found.text);
            problems.push(Problem::at(file, text, found.start, message));
        }
    }
    for (byte, _) in text.match_indices("{{#") {
        let escaped = text[..byte].ends_with('\\');
        if !escaped && !known.contains(&byte) {
            let line = text[byte..].lines().next().unwrap_or_default();
            let message = format!("`{line}` is no directive: it has no end on this line");
            problems.push(Problem::at(file, text, byte, message));
        }
    }
    problems
}

fn check_include(page: &Path, found: &Found) -> Result<(), String> {
    let target = found.rest.split_whitespace().next().ok_or("it names no file")?;
    let (path, part) = match (found.name, target.split_once(':')) {
        ("include" | "rustdoc_include", Some((path, part))) => (path, part),
        _ => (target, ""),
    };
    let folder = page.parent().expect("a page is in a folder");
    let text = fs::read_to_string(folder.join(path))
        .map_err(|error| format!("cannot read {path} (from {}): {error}", folder.display()))?;
    let first = part.split(':').next().unwrap_or_default();
    if first.is_empty() {
        return Ok(());
    }
    if let Ok(line) = first.parse::<usize>() {
        let lines = text.lines().count();
        return match line {
            line if line <= lines => Ok(()),
            line => Err(format!("{path} has {lines} lines, and no line {line}")),
        };
    }
    match anchors::count(&text, first) {
        (0, _) => Err(format!("{path} has no anchor `{first}`")),
        (_, 0) => Err(format!("the anchor `{first}` in {path} never ends")),
        (1, 1) => Ok(()),
        _ if found.name == "rustdoc_include" => Ok(()),
        _ => Err(format!(
            "{path} has the anchor `{first}` more than once, and `include` takes only the first"
        )),
    }
}
