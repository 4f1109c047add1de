//! The change from one file to another, as a page shows it: the new file with what went and what came, in the language's
//! colours, and what stayed far from them folded to its number of lines.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use pictures::text::{escape, plural};
use records::anchors::without_anchors;
use similar::{ChangeTag, DiffOp, TextDiff};

/// How many lines that stay are shown before and after each change.
const AROUND: usize = 2;

/// The least number of lines that is worth folding: for fewer, the line that says so saves nothing.
const LEAST_FOLDED: usize = 3;

/// A file as it is compared.
struct Source {
    /// The comment at its top, `//!`, or `//` in an exercise: it tells what the file is, which is no change.
    header: String,
    code: String,
}

impl Source {
    /// Reads a file below `root`, without the comments that only mark an anchor.
    fn read(root: &Path, path: &str) -> Result<Source> {
        let text =
            fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
        // A checkout on Windows may have other line ends.
        let text = without_anchors(&text.replace("\r\n", "\n"));
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let header = lines.iter().take_while(|it| it.starts_with("//") && !it.starts_with("///"));
        let documented = header.count();
        let blank = lines[documented..].iter().take_while(|line| line.trim().is_empty()).count();
        let (header, code) = lines.split_at(if documented > 0 { documented + blank } else { 0 });
        Ok(Source { header: header.concat(), code: code.concat() })
    }
}

/// The change from the file `old` to the file `new`, both below `root`, as a block of HTML. Fails when their code is the
/// same.
pub(crate) fn change(root: &Path, old: &str, new: &str) -> Result<String> {
    let before = Source::read(root, old)?;
    let after = Source::read(root, new)?;
    ensure!(before.code != after.code, "{old} and {new} are the same");
    let diff = TextDiff::from_lines(&before.code, &after.code);
    let new_lines: Vec<&str> = after.code.split_inclusive('\n').collect();
    let mut lines = hidden(&after.header);
    let last = diff.ops().len() - 1;
    for (index, op) in diff.ops().iter().enumerate() {
        match op {
            DiffOp::Equal { new_index, len, .. } => {
                let stayed = &new_lines[*new_index..new_index + len];
                lines += &unchanged(stayed, index > 0, index < last);
            }
            _ if is_documentation(&diff, op) => {
                lines += &escape(&new_lines[op.new_range()].concat());
            }
            _ => lines += &changed(&diff, op),
        }
    }
    let language = Path::new(new).extension().and_then(|it| it.to_str()).map_or("text", name_of);
    Ok(format!("<pre class=\"change\"><code class=\"language-{language}\">{lines}</code></pre>"))
}

/// The name that highlight.js has for the language of files with this ending.
fn name_of(extension: &str) -> &str {
    match extension {
        "rs" => "rust",
        "js" => "javascript",
        other => other,
    }
}

/// Lines that both files have. What is far from a change is folded.
fn unchanged(lines: &[&str], follows_a_change: bool, precedes_a_change: bool) -> String {
    let head = if follows_a_change { AROUND.min(lines.len()) } else { 0 };
    let tail = if precedes_a_change { AROUND.min(lines.len() - head) } else { 0 };
    let folded = &lines[head..lines.len() - tail];
    if folded.len() < LEAST_FOLDED {
        return escape(&lines.concat());
    }
    let said = format!("{} as before", plural(folded.len() as u64, "line"));
    format!(
        "{}<span class=\"as-before\" data-said=\"{said}\">{}</span>{}",
        escape(&lines[..head].concat()),
        hidden(&folded.concat()),
        escape(&lines[lines.len() - tail..].concat())
    )
}

/// Lines that only the whole file shows.
fn hidden(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("<span class=\"only-whole\">{}</span>", escape(text))
}

/// Tells whether a change only says in other words what an item is for.
fn is_documentation(diff: &TextDiff<'_, '_, str>, op: &DiffOp) -> bool {
    matches!(op, DiffOp::Replace { .. })
        && diff.iter_changes(op).all(|change| change.value().trim_start().starts_with("///"))
}

/// The lines that went and those that came; what differs inside a line is marked.
fn changed(diff: &TextDiff<'_, '_, str>, op: &DiffOp) -> String {
    let mut lines = String::new();
    for change in diff.iter_inline_changes(op) {
        let element = if change.tag() == ChangeTag::Delete { "del" } else { "ins" };
        let parts: Vec<_> = change.iter_strings_lossy().collect();
        // Of a line that is all new, nothing stands out.
        let has_more = parts.iter().any(|(differs, words)| !differs && !words.trim().is_empty());
        lines += &format!("<{element}>");
        for (differs, words) in parts {
            lines += &if differs && has_more { marked(&words) } else { escape(&words) };
        }
        lines += &format!("</{element}>");
    }
    lines
}

/// The words with a mark, but not the room around them.
fn marked(words: &str) -> String {
    let inner = words.trim();
    if inner.is_empty() {
        return escape(words);
    }
    let (before, after) = words.split_once(inner).unwrap_or_default();
    format!("{before}<mark>{}</mark>{after}", escape(inner))
}

/// Names a file beside another: by its own name in the same folder, else by its program's.
pub(crate) fn short_name<'a>(path: &'a str, other: &str) -> &'a str {
    let name = path.rsplit('/').next().unwrap_or(path);
    if Path::new(path).parent() == Path::new(other).parent() || name != "main.rs" {
        return name;
    }
    path.rsplit('/').nth(1).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change_of(old: &str, new: &str) -> Result<String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("old.rs"), old).unwrap();
        fs::write(folder.path().join("new.rs"), new).unwrap();
        change(folder.path(), "old.rs", "new.rs")
    }

    #[test]
    fn what_changed_is_marked_on_the_line_and_inside_it() {
        let shown = change_of(
            "fn main() {\n    let x = one();\n}\n",
            "fn main() {\r\n    let x = two();\r\n}\r\n",
        );
        assert_eq!(
            shown.unwrap(),
            "<pre class=\"change\"><code class=\"language-rust\">fn main() {\n\
             <del>    let x = <mark>one</mark>();\n</del><ins>    let x = <mark>two</mark>();\n</ins>}\n</code></pre>"
        );
    }

    fn lines(from: u32, to: u32) -> String {
        (from..to).map(|line| format!("line{line}();\n")).collect()
    }

    #[test]
    fn what_is_far_from_a_change_is_folded_and_there_for_the_whole_file() {
        let shown = change_of(
            &format!("// ANCHOR: a\n{}old();\n{}// ANCHOR_END: a\n", lines(0, 5), lines(5, 9)),
            &format!("{}{}", lines(0, 5), lines(5, 9)),
        );
        assert_eq!(
            shown.unwrap(),
            "<pre class=\"change\"><code class=\"language-rust\"><span class=\"as-before\" data-said=\"3 lines as before\">\
             <span class=\"only-whole\">line0();\nline1();\nline2();\n</span></span>line3();\nline4();\n\
             <del>old();\n</del>line5();\nline6();\nline7();\nline8();\n</code></pre>"
        );
    }

    #[test]
    fn other_words_of_documentation_are_no_change() {
        let old = "//! Old.\n\n/// Old.\nfn a() {\n    1 < 2;\n}\n";
        let new = "//! New.\n\n/// New.\nfn a() {\n    1 > 2;\n}\n";
        let shown = change_of(old, new).unwrap();
        assert!(!shown.contains("Old."), "{shown}");
        assert!(
            shown.contains("<span class=\"only-whole\">//! New.\n\n</span>/// New.\n"),
            "{shown}"
        );
        assert!(shown.contains("<del>    1 <mark>&lt;</mark> 2;\n</del>"), "{shown}");
        let exercise = change_of("// A task.\n//\n// Do it.\n\none();\n", "// A task.\n\ntwo();\n");
        let shown = exercise.unwrap();
        assert!(
            shown.contains(
                "<span class=\"only-whole\">// A task.\n\n</span><del><mark>one</mark>();"
            ),
            "{shown}"
        );
        let error = change_of("//! Old.\nfn a() {}\n", "//! New.\nfn a() {}\n").unwrap_err();
        assert!(error.to_string().contains("are the same"), "{error}");
    }

    #[test]
    fn a_file_is_called_by_what_tells_it_apart() {
        for (path, other, name) in [
            ("examples/ch01/ch01_small/main.rs", "examples/ch02/ch02_small/main.rs", "ch01_small"),
            ("examples/ch01/a/main.rs", "examples/ch01/a/pieces.rs", "main.rs"),
            ("examples/ch04/ch04_small/a.rs", "examples/ch05/b.rs", "a.rs"),
        ] {
            assert_eq!(short_name(path, other), name);
        }
    }
}
