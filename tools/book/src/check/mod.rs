//! Finds what mdBook 0.5 passes over in silence, where it ends with status 0: in the pages, and in what became of them.

mod html;
mod includes;
mod links;

use std::{fs, path::Path};

use anyhow::{Context, Result};

pub(crate) use self::links::{check_links, trace_to_source};

use self::includes::check_includes;
use crate::{diagrams::Diagrams, files::files_below, filler::Filler, problem::Problem, questions};

/// The problems in the pages below `source`: includes, directives, questions, diagrams that are not drawn if all must
/// be, and pages that no line of `SUMMARY.md` names.
pub(crate) fn check_pages(
    root: &Path,
    source: &Path,
    filler: &Filler,
    diagrams: Option<&Diagrams>,
) -> Result<Vec<Problem>> {
    let read = |path: &Path| {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let summary = read(&source.join("SUMMARY.md"))?;
    let mut problems = Vec::new();
    for path in files_below(source, "md")? {
        let page = path.strip_prefix(source).expect("it is below the sources");
        // The theme may hold notes for people.
        if page.starts_with("theme") || page == "SUMMARY.md" {
            continue;
        }
        let text = read(&path)?;
        let file = path.strip_prefix(root).unwrap_or(&path);
        let link = page.to_string_lossy().replace('\\', "/");
        let named = ["", "./"].iter().any(|start| summary.contains(&format!("({start}{link})")));
        if !named && page != "404.md" {
            problems.push(Problem::of(file, "no line of SUMMARY.md names this page"));
        }
        problems.extend(check_includes(&path, file, &text));
        problems.extend(filler.problems(page, file, &text));
        problems.extend(questions::check_page(page, file, &text));
        problems.extend(diagrams.into_iter().flat_map(|it| it.problems(file, &text)));
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lines, write};

    #[test]
    fn absent_files_and_anchors_are_found_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let source = "// ANCHOR: one\nx\n// ANCHOR_END: one\n// ANCHOR: two\n// ANCHOR_END: two\n// ANCHOR: two\n// ANCHOR_END: two\n// ANCHOR: open\n";
        let page = "# A\n\n{{#include ../a.rs:one}}\n{{#include ../a.rs}}\n{{#include ../b.rs}}\n\
                    {{#include ../a.rs:on}}\n{{#include ../a.rs:two}}\n{{#rustdoc_include ../a.rs:two}}\n\
                    {{#include ../a.rs:open}}\n{{#include ../a.rs:2:3}}\n{{#include ../a.rs:99}}\n\
                    {{#nonsense}}\n\\{{#include ../c.rs}}\n{{#include ../a.rs\n}}\n";
        let files = [
            ("a.rs", source),
            ("book/SUMMARY.md", "- [A](a.md)\n"),
            ("book/a.md", page),
            ("book/lost.md", "# Lost\n"),
            ("book/theme/note.md", "{{#nonsense}}\n"),
        ];
        write(root, &files);
        let problems = check_pages(root, &root.join("book"), &Filler::default(), None).unwrap();
        let lines = lines(&problems);
        let expect = [
            ("book/a.md:5: ", "cannot read ../b.rs"),
            ("book/a.md:6: ", "no anchor `on`"),
            ("book/a.md:7: ", "more than once"),
            ("book/a.md:9: ", "never ends"),
            ("book/a.md:11: ", "no line 99"),
            ("book/a.md:14: ", "no end on this line"),
            ("book/a.md:12: ", "no directive `nonsense`"),
            ("book/lost.md: ", "no line of SUMMARY.md"),
        ];
        assert_eq!(lines.len(), expect.len(), "{lines:#?}");
        for (line, (start, part)) in lines.iter().zip(expect) {
            assert!(line.starts_with(start) && line.contains(part), "{line}");
        }
    }
}
