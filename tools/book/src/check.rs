//! Finds what mdBook 0.5 passes over in silence.
//!
//! An include whose file is absent stays in the page as text, one whose anchor is
//! absent becomes an empty block, and a dead link stays dead; mdBook ends with
//! status 0 each time.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
};

use anyhow::{Context, Result};
use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, states::RawKind,
    },
};
use mdbook_driver::config::Config;

use crate::{
    Problem, build as book, directives as ladder,
    directives::{Directive, Filler, MDBOOK},
};

/// The problems in the book's Markdown: includes, directives, pages that no line of `SUMMARY.md` names.
///
/// # Errors
/// When `book.toml`, a page or a result can't be read.
pub fn check_book(root: &Path) -> Result<Vec<Problem>> {
    let (filler, source) = Filler::of_book(root)?;
    check_sources(root, &source, &filler)
}

/// The same for this folder of pages and these results.
///
/// # Errors
/// When a page can't be read.
pub fn check_sources(root: &Path, source: &Path, filler: &Filler) -> Result<Vec<Problem>> {
    let summary = fs::read_to_string(source.join("SUMMARY.md"))
        .with_context(|| format!("cannot read {}", source.join("SUMMARY.md").display()))?;
    let mut problems = Vec::new();
    for path in files_below(source, "md")? {
        let page = path.strip_prefix(source).expect("it is below the sources");
        // The theme and the results may hold notes for people.
        if page.starts_with("theme") || page.starts_with("results") || page == "SUMMARY.md" {
            continue;
        }
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let file = path.strip_prefix(root).unwrap_or(&path);
        let link = page.to_string_lossy().replace('\\', "/");
        let named = ["", "./"].iter().any(|start| summary.contains(&format!("({start}{link})")));
        if !named && page != "404.md" {
            problems.push(Problem {
                file: file.to_path_buf(),
                line: None,
                message: "no line of SUMMARY.md names this page".to_owned(),
            });
        }
        problems.extend(check_includes(&path, file, &text));
        problems.extend(ladder::check_directives(filler, file, &text));
        problems.extend(filler.predictions.check_page(page, file, &text));
    }
    Ok(problems)
}

/// The line of a byte, counted from 1.
pub(crate) fn line_of(text: &str, byte: usize) -> usize {
    text[..byte].matches('\n').count() + 1
}

/// The problems of mdBook's own directives in one page, and of what only looks like one.
fn check_includes(path: &Path, file: &Path, text: &str) -> Vec<Problem> {
    let problem = |byte: usize, message: String| Problem {
        file: file.to_path_buf(),
        line: Some(line_of(text, byte)),
        message,
    };
    let mut problems = Vec::new();
    let mut known = BTreeSet::new();
    for directive in ladder::directives(text) {
        known.insert(directive.start);
        if !MDBOOK.contains(&directive.name) || directive.name == "title" {
            continue;
        }
        if let Err(message) = check_include(path, &directive) {
            problems.push(problem(directive.start, format!("{}: {message}", directive.text)));
        }
    }
    for (byte, _) in text.match_indices("{{#") {
        let escaped = text[..byte].ends_with('\\');
        if !escaped && !known.contains(&byte) {
            let line = text[byte..].lines().next().unwrap_or_default();
            problems.push(problem(
                byte,
                format!("`{line}` is no directive: it has no end on this line"),
            ));
        }
    }
    problems
}

fn check_include(page: &Path, directive: &Directive) -> Result<(), String> {
    let target = directive.rest.split_whitespace().next().ok_or("it names no file")?;
    let (path, part) = match (directive.name, target.split_once(':')) {
        ("include" | "rustdoc_include", Some((path, part))) => (path, Some(part)),
        _ => (target, None),
    };
    let folder = page.parent().expect("a page is in a folder");
    let text = fs::read_to_string(folder.join(path))
        .map_err(|error| format!("cannot read {path} (from {}): {error}", folder.display()))?;
    let Some(part) = part else { return Ok(()) };
    let first = part.split(':').next().unwrap_or_default();
    if let Ok(line) = first.parse::<usize>() {
        let lines = text.lines().count();
        return match line {
            line if line <= lines => Ok(()),
            line => Err(format!("{path} has {lines} lines, and no line {line}")),
        };
    }
    if first.is_empty() {
        return Ok(());
    }
    let count = |mark: &str| {
        // As mdBook sees it: the mark, white space, and the whole name.
        text.lines()
            .filter_map(|line| line.split_once(mark))
            .filter(|(_, rest)| {
                let name = rest.trim_start();
                let end =
                    name.find(|letter: char| !(letter.is_alphanumeric() || "_-".contains(letter)));
                &name[..end.unwrap_or(name.len())] == first
            })
            .count()
    };
    match (count("ANCHOR:"), count("ANCHOR_END:"), directive.name) {
        (0, _, _) => Err(format!("{path} has no anchor `{first}`")),
        (_, 0, _) => Err(format!("the anchor `{first}` in {path} never ends")),
        (1, 1, _) | (_, _, "rustdoc_include") => Ok(()),
        _ => Err(format!(
            "{path} has the anchor `{first}` more than once, and `include` takes only the first"
        )),
    }
}

/// All files below a folder with this extension, in order.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let path = entry.context("cannot read a folder")?.into_path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    Ok(files)
}

/// What the check needs of one HTML page.
#[derive(Debug, Default)]
struct Page {
    ids: BTreeSet<String>,
    /// Where the page points to, and whether the browser loads it with the page.
    links: Vec<(String, bool)>,
    /// The page's `<base href>`: a link is relative to it.
    base: Option<String>,
}

/// The problems in a built book: links inside the book that lead nowhere, and pages that load
/// something from another host.
///
/// # Errors
/// When the folder or a page can't be read.
pub fn check_output(folder: &Path) -> Result<Vec<Problem>> {
    let paths = Mutex::new(files_below(folder, "html")?);
    let next = || paths.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let read_pages = || -> Result<Vec<(PathBuf, Page)>> {
        let mut pages = Vec::new();
        while let Some(path) = next() {
            let text = fs::read_to_string(&path);
            let text = text.with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.strip_prefix(folder).expect("it is below the folder").to_path_buf();
            pages.push((name, read_page(&text)));
        }
        Ok(pages)
    };
    // The page for printing is as long as all others together, so a second processor helps, and a third would not.
    let (some, others) = thread::scope(|scope| {
        let others = scope.spawn(read_pages);
        (read_pages(), others.join().expect("reading a page does not panic"))
    });
    let pages: BTreeMap<PathBuf, Page> = some?.into_iter().chain(others?).collect();
    let mut problems = Vec::new();
    for (name, page) in &pages {
        for (link, loaded) in &page.links {
            if let Err(message) = check_link(folder, &pages, name, page, link, *loaded) {
                problems.push(Problem { file: name.clone(), line: None, message });
            }
        }
    }
    problems.dedup();
    Ok(problems)
}

fn check_link(
    folder: &Path,
    pages: &BTreeMap<PathBuf, Page>,
    name: &Path,
    page: &Page,
    link: &str,
    loaded: bool,
) -> Result<(), String> {
    let has_scheme = link.split_once(':').is_some_and(|(scheme, _)| {
        scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    if has_scheme || link.starts_with("//") {
        let inside = link.starts_with("data:") || !loaded;
        return match inside {
            true => Ok(()),
            false => Err(format!("loads {link} from another host")),
        };
    }
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    let path = path.split('?').next().unwrap_or_default();
    let target = match (path, &page.base) {
        // On 404.html, whose base is the start page, mdBook means the page itself too.
        ("", _) => name.to_path_buf(),
        _ => {
            let from = match &page.base {
                Some(_) => Path::new(""),
                None => name.parent().unwrap_or(Path::new("")),
            };
            let decoded = percent_decode(path)
                .ok_or_else(|| format!("`{link}` has a broken percent sign"))?;
            let target = normal(&from.join(decoded.trim_start_matches('/')))
                .ok_or_else(|| format!("`{link}` leads out of the book"))?;
            match folder.join(&target).is_dir() {
                true => target.join("index.html"),
                false => target,
            }
        }
    };
    if !folder.join(&target).is_file() {
        return Err(format!("`{link}` leads to {}, which is not there", target.display()));
    }
    if fragment.is_empty() {
        return Ok(());
    }
    let Some(target_page) = pages.get(&target) else { return Ok(()) };
    let id = percent_decode(fragment).unwrap_or_else(|| fragment.to_owned());
    match target_page.ids.contains(&id) {
        true => Ok(()),
        false => Err(format!("`{link}`: {} has no heading #{id}", target.display())),
    }
}

/// The path without `.` and `..`; `None` where it leads out of the folder.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => result.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !result.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(result)
}

/// The text with `%41` turned into `A`; `None` where a percent sign has no two digits, or no UTF-8 comes out.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(decoded).ok()
}

/// Says in a problem of the output which line of the sources is meant, if a line is easy to find.
pub fn trace_to_source(problem: &mut Problem, root: &Path, source: &Path) {
    let page = source.join(&problem.file).with_extension("md");
    let Ok(text) = fs::read_to_string(&page) else { return };
    let Some(link) = problem.message.split('`').nth(1) else { return };
    let link = link.replace(".html", ".md");
    let found = text.lines().position(|line| line.contains(&format!("({link})")));
    let Some(index) = found else { return };
    problem.file = page.strip_prefix(root).unwrap_or(&page).to_path_buf();
    problem.line = Some(index + 1);
}

struct Collector(RefCell<Page>);

impl Collector {
    fn take(&self, tag: &Tag) {
        let attribute = |name: &str| {
            let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
            Some(found.value.to_string())
        };
        let mut page = self.0.borrow_mut();
        page.ids.extend(attribute("id"));
        match &*tag.name {
            "a" => {
                page.ids.extend(attribute("name"));
                page.links.extend(attribute("href").map(|link| (link, false)));
            }
            "base" => page.base = page.base.take().or(attribute("href")),
            "link" => page.links.extend(attribute("href").map(|link| (link, true))),
            "script" | "img" | "iframe" | "source" | "video" | "audio" => {
                page.links.extend(attribute("src").map(|link| (link, true)));
            }
            _ => {}
        }
    }
}

impl TokenSink for Collector {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        self.take(&tag);
        // What these hold is no markup.
        match &*tag.name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }
}

fn read_page(html: &str) -> Page {
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(html));
    let tokenizer = Tokenizer::new(Collector(RefCell::default()), Default::default());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

/// Fails where the settings would make a build delete something. See [`book::refuse_to_delete`].
///
/// # Errors
/// When `book.toml` can't be read, or its `build-dir` is no safe place.
pub fn check_settings(root: &Path) -> Result<()> {
    let mut config = Config::from_disk(root.join("book.toml"))?;
    config.update_from_env()?;
    book::refuse_to_delete(root, &config)?;
    book::refuse_dropped_table(&config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn lines(problems: &[Problem]) -> Vec<String> {
        problems.iter().map(Problem::to_string).collect()
    }

    #[test]
    fn absent_files_and_anchors_are_found_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(
            root,
            &[
                (
                    "a.rs",
                    "// ANCHOR: one\nx\n// ANCHOR_END: one\n// ANCHOR: two\n// ANCHOR_END: two\n// ANCHOR: two\n// ANCHOR_END: two\n// ANCHOR: open\n",
                ),
                ("book/SUMMARY.md", "- [A](a.md)\n"),
                (
                    "book/a.md",
                    "# A\n\n{{#include ../a.rs:one}}\n{{#include ../a.rs}}\n{{#include ../b.rs}}\n\
                     {{#include ../a.rs:on}}\n{{#include ../a.rs:two}}\n{{#rustdoc_include ../a.rs:two}}\n\
                     {{#include ../a.rs:open}}\n{{#include ../a.rs:2:3}}\n{{#include ../a.rs:99}}\n\
                     {{#nonsense}}\n\\{{#include ../c.rs}}\n{{#include ../a.rs\n}}\n",
                ),
                ("book/lost.md", "# Lost\n"),
                ("book/theme/note.md", "{{#nonsense}}\n"),
            ],
        );
        let problems = check_sources(root, &root.join("book"), &Filler::default()).unwrap();
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

    #[test]
    fn dead_links_are_found_in_the_output() {
        let folder = tempfile::tempdir().unwrap();
        write(
            folder.path(),
            &[
                (
                    "a.html",
                    r##"<a href="b.html#there">ok</a> <a href="#top">ok</a><h1 id="top"></h1>
                    <a href="b.html#gone">1</a> <a href="c.html">2</a> <a href="../x">3</a>
                    <a href="https://example.org/">ok</a> <img src="https://example.org/x.png">
                    <script>const x = '<a href="no.html">';</script><code>&lt;a href="no.html"></code>
                    <a href="sub/d.html">ok</a> <a href="raw.txt">ok</a> <a href="mailto:a@b">ok</a>"##,
                ),
                ("b.html", r#"<h2 id="there">x</h2>"#),
                ("sub/d.html", r##"<a href="../a.html">ok</a> <a href="a.html">4</a>"##),
                ("404.html", r#"<base href="/"><a href="a.html">ok</a><a href="z.html">5</a>"#),
                ("raw.txt", ""),
            ],
        );
        let lines = lines(&check_output(folder.path()).unwrap());
        let expect = [
            "404.html: `z.html` leads to z.html, which is not there",
            "a.html: `b.html#gone`: b.html has no heading #gone",
            "a.html: `c.html` leads to c.html, which is not there",
            "a.html: `../x` leads out of the book",
            "a.html: loads https://example.org/x.png from another host",
            "sub/d.html: `a.html` leads to sub/a.html, which is not there",
        ];
        assert_eq!(lines, expect);
    }

    #[test]
    fn percent_signs() {
        assert_eq!(percent_decode("a%20b").as_deref(), Some("a b"));
        assert_eq!(percent_decode("%e2%82%ac").as_deref(), Some("€"));
        for broken in ["%", "%4", "%zz", "%ff", "%+1"] {
            assert_eq!(percent_decode(broken), None, "{broken}");
        }
    }
}
