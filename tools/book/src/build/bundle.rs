//! One style sheet and one script for all pages, made of those that the pages name, mdBook's style sheets among them: a
//! reader who is far away waits for each file. A script of the theme finds its neighbours from where it lies, so the one
//! lies in the same folder.
//!
//! Of mdBook's own scripts, the pages wait for none before they are shown, and the one that colours listings knows their
//! languages alone: with all its languages it is four times as large.

use std::{
    collections::BTreeSet,
    fs,
    mem::take,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use anyhow::{Context, Result};
use regex::{Captures, Regex};

/// A style sheet that a page names: its name where the menu of themes turns it on and off, the way to the folder of the
/// pages, its file in there, and whether it is for paper.
static STYLES: LazyLock<Regex> = LazyLock::new(|| {
    expression(concat!(
        r#"[ \t]*<link rel="stylesheet" (?:id="mdbook-(?<id>highlight|tomorrow-night|ayu-highlight)-css" )?"#,
        r#"href="(?<way>(?:\.\./)*)(?<file>[\w/.-]+\.css)"(?<paper> media="print")?>\n"#
    ))
});
/// A script of the theme.
static SCRIPTS: LazyLock<Regex> = LazyLock::new(|| {
    expression(concat!(
        r#"[ \t]*<script defer(?: blocking="render")? "#,
        r#"src="(?<way>(?:\.\./)*)(?<file>theme/[a-z]+\.js)"></script>\n"#
    ))
});
/// The scripts that mdBook puts at a page's end, where each would hold up what a reader sees first.
static LATE_SCRIPTS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"<script (src="[^"]*\b(?:elasticlunr|mark|searcher|clipboard|highlight|book)-[0-9a-f]+[.])"#,
    )
});
/// A listing's language, by the name that its page gives it.
static LISTING: LazyLock<Regex> =
    LazyLock::new(|| expression(r#"<code class="(?:[^"]* )?language-([\w+-]+)"#));
/// The line of a language in the script that colours listings, its other names, and the languages that it needs.
static LANGUAGE: LazyLock<Regex> =
    LazyLock::new(|| expression(r#"^hljs\.registerLanguage\("([^"]+)""#));
static ALIASES: LazyLock<Regex> = LazyLock::new(|| expression(r"aliases:\[([^\]]*)\]"));
static OTHERS: LazyLock<Regex> =
    LazyLock::new(|| expression(r#"(?:subLanguage:|getLanguage\()"([^"]+)""#));

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("a correct expression")
}

/// What `teach/notes.html` asks for.
const NOTES: &str = "theme/elements.js";

/// Makes the two files, lets all pages in a folder name them, and leaves out languages that no page has.
pub(crate) fn bundle_all(folder: &Path) -> Result<()> {
    let mut styles = Vec::new();
    let mut scripts = Vec::new();
    let mut languages = BTreeSet::new();
    let mut highlighter = None;
    for entry in fs::read_dir(folder).context("cannot read the folder of the pages")? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.extension().is_some_and(|ending| ending == "html") {
            let page = fs::read_to_string(&path)?;
            keep_longer(&mut styles, STYLES.captures_iter(&page).map(|link| style(&link)));
            keep_longer(&mut scripts, SCRIPTS.captures_iter(&page).map(|link| file(&link)));
            languages.extend(LISTING.captures_iter(&page).map(|found| found[1].to_owned()));
            write(&path, &bundle(&page))?;
        } else if name.starts_with("highlight-") && path.extension().is_some_and(|it| it == "js") {
            highlighter = Some(path);
        }
    }
    let mut sheet = String::new();
    for (file, around) in styles {
        // What it names lies beside it.
        let beside = file.parent().unwrap_or(&file).display();
        let text = take_in(folder, &file)?.replace("url(\"", &format!("url(\"../{beside}/"));
        sheet += &if around.is_empty() { text } else { format!("{around} {{\n{text}}}\n") };
    }
    let mut script = String::new();
    for file in scripts {
        script += &take_in(folder, &file)?;
    }
    let theme = folder.join("theme");
    fs::create_dir_all(&theme).context("cannot make a folder")?;
    write(&theme.join("book.css"), &sheet)?;
    write(&theme.join("book.js"), &script)?;
    if let Some(path) = highlighter {
        let script = fs::read_to_string(&path)?;
        write(&path, &keep_languages(&script, languages))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Takes these files, if they are more: the page that stands for the contents names fewer than others.
fn keep_longer<File>(files: &mut Vec<File>, others: impl Iterator<Item = File>) {
    let others: Vec<File> = others.collect();
    if others.len() > files.len() {
        *files = others;
    }
}

/// The file of a style sheet, and for what it is; empty if for everything.
fn style(link: &Captures<'_>) -> (PathBuf, &'static str) {
    let id = link.name("id").map(|id| id.as_str());
    let around = match id {
        // Only as strong as they were alone.
        Some("highlight") => ":where(html.light, html.rust)",
        Some("tomorrow-night") => ":where(html.coal, html.navy)",
        Some(_) => ":where(html.ayu)",
        None if link.name("paper").is_some() => "@media print",
        None => "",
    };
    (file(link), around)
}

fn file(link: &Captures<'_>) -> PathBuf {
    PathBuf::from(&link["file"])
}

/// Of the script that colours listings, what it needs for these languages: each has a line of its own.
fn keep_languages(script: &str, mut wanted: BTreeSet<String>) -> String {
    loop {
        let mut kept = String::new();
        for line in script.lines().filter(|line| is_wanted(line, &wanted)) {
            kept += line;
            kept.push('\n');
        }
        let known = wanted.len();
        wanted.extend(OTHERS.captures_iter(&kept).map(|found| found[1].to_owned()));
        if wanted.len() == known {
            return kept;
        }
    }
}

/// Whether a line is of one of these languages, or of none.
fn is_wanted(line: &str, wanted: &BTreeSet<String>) -> bool {
    let Some(language) = LANGUAGE.captures(line) else { return true };
    let aliases = ALIASES.captures(line);
    let mut names = aliases.iter().flat_map(|found| found[1].split(','));
    wanted.contains(&language[1]) || names.any(|name| wanted.contains(name.trim_matches('"')))
}

/// What a file says, which no page asks for any more, but for the window with a teacher's notes.
fn take_in(folder: &Path, file: &Path) -> Result<String> {
    let path = folder.join(file);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    if !path.ends_with(NOTES) {
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(text)
}

/// A page that names the two files in place of all others, and waits for none of mdBook's scripts.
pub(crate) fn bundle(page: &str) -> String {
    let mut is_first = true;
    let page = STYLES.replace_all(page, |link: &Captures<'_>| {
        let mut new = String::new();
        if take(&mut is_first) {
            let way = &link["way"];
            new += &format!("    <link rel=\"stylesheet\" href=\"{way}theme/book.css\">\n");
        }
        // The menu of themes asks for it by its name.
        if let Some(id) = link.name("id") {
            new += &format!("    <style id=\"mdbook-{}-css\"></style>\n", id.as_str());
        }
        new
    });
    let mut is_first = true;
    let page = SCRIPTS.replace_all(&page, |link: &Captures<'_>| {
        if !take(&mut is_first) {
            return String::new();
        }
        let way = &link["way"];
        // What it changes is there when the page is first seen.
        format!("    <script defer blocking=\"render\" src=\"{way}theme/book.js\"></script>\n")
    });
    // mdBook gives the description of its search box another name than it has.
    let page = page.replace("describedby=\"searchresults", "describedby=\"mdbook-searchresults");
    LATE_SCRIPTS.replace_all(&page, "<script defer $1").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        build::{BuildOptions, build, replace},
        testing::repository,
    };

    #[test]
    fn a_page_waits_for_no_script_of_mdbook_and_loads_its_own_languages_alone() {
        let listings = "# A\n\n```console\n$ ls\n```\n\n```rust,ignore\nfn main() {}\n```\n";
        let folder = repository(listings);
        let built = build(folder.path(), &BuildOptions::default(), replace).unwrap();
        let page = fs::read_to_string(built.folder.join("a.html")).unwrap();
        for name in ["elasticlunr", "mark", "searcher", "clipboard", "highlight", "book"] {
            assert!(page.contains(&format!("<script defer src=\"{name}-")), "{name}: {page}");
        }
        assert_eq!(page.matches("rel=\"stylesheet\"").count(), 1, "{page}");
        let sheet = fs::read_to_string(built.folder.join("theme/book.css")).unwrap();
        for (id, of) in [
            ("highlight", "light, html.rust"),
            ("tomorrow-night", "coal, html.navy"),
            ("ayu-highlight", "ayu"),
        ] {
            assert!(page.contains(&format!("<style id=\"mdbook-{id}-css\"></style>")), "{page}");
            assert!(sheet.contains(&format!(":where(html.{of}) {{\n")), "{id}: {sheet}");
        }
        let (_, named) = page.split_once("src=\"highlight-").unwrap();
        let (rest, _) = named.split_once('"').unwrap();
        let script = fs::read_to_string(built.folder.join(format!("highlight-{rest}"))).unwrap();
        let knows = |name: &str| script.contains(&format!("\nhljs.registerLanguage(\"{name}\""));
        // A terminal's block is coloured as what is typed in there, which is bash.
        assert!(script.contains("var hljs=") && knows("shell") && knows("bash") && knows("rust"));
        assert!(!knows("java") && !knows("sql") && !knows("xml"), "{script}");
    }

    #[test]
    fn a_page_names_one_style_sheet_and_one_script() {
        let folder = tempfile::tempdir().unwrap();
        let theme = folder.path().join("theme");
        fs::create_dir(&theme).unwrap();
        let head = "<link rel=\"stylesheet\" href=\"theme/a.css\">\n\
                    <link rel=\"stylesheet\" href=\"theme/b.css\" media=\"print\">\n\
                    <script defer blocking=\"render\" src=\"theme/c.js\"></script>\n\
                    <script defer src=\"theme/d.js\"></script>\n";
        let files = [
            ("a.css", "a { background: url(\"a.svg\") }\n"),
            ("b.css", "b {}\n"),
            ("c.js", "c();\n"),
        ];
        for (name, text) in files.into_iter().chain([("d.js", "d();\n")]) {
            fs::write(theme.join(name), text).unwrap();
        }
        fs::write(folder.path().join("page.html"), head).unwrap();
        bundle_all(folder.path()).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let sheet = "a { background: url(\"../theme/a.svg\") }\n@media print {\nb {}\n}\n";
        assert_eq!(read("theme/book.css"), sheet);
        assert_eq!(read("theme/book.js"), "c();\nd();\n");
        assert!(!theme.join("a.css").exists() && !theme.join("d.js").exists());
        let page = read("page.html");
        assert_eq!(page.matches("theme/").count(), 2, "{page}");
        assert!(page.contains("href=\"theme/book.css\"") && page.contains("src=\"theme/book.js\""));
    }
}
