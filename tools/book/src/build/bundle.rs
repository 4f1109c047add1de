//! One style sheet and one script for all pages, made of those that `theme/head.hbs` names: a reader who is far away waits
//! for each file. A script in there finds its neighbours from where it lies, so the one lies in the same folder.
//!
//! Of mdBook's own scripts, the pages wait for none before they are shown, and the one that colours listings knows their
//! languages alone: with all its languages it is four times as large.

use std::{collections::BTreeSet, fs, path::Path, sync::LazyLock};

use anyhow::{Context, Result};
use regex::{Captures, Regex};

/// The head's own links; the first group is the way to the folder, the second the file.
static STYLES: LazyLock<Regex> =
    LazyLock::new(|| own_links("<link rel=\"stylesheet\" href=", r"\.css", "( media=\"print\")?>"));
static SCRIPTS: LazyLock<Regex> = LazyLock::new(|| {
    own_links("<script defer(?: blocking=\"render\")? src=", r"\.js", "></script>")
});

/// Lines that name a file of the theme, between what stands before and after its address.
fn own_links(before: &str, ending: &str, after: &str) -> Regex {
    let way = r"(\{\{ path_to_root \}\}|(?:\.\./)*)";
    let line = format!("[ \t]*{before}\"{way}theme/([a-z]+{ending})\"{after}\n");
    expression(&line)
}

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("a correct expression")
}

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

/// What `teach/notes.html` asks for.
const NOTES: &str = "theme/elements.js";

/// Makes the two files, lets all pages in a folder name them, and leaves out languages that no page has.
pub(crate) fn bundle_all(folder: &Path) -> Result<()> {
    join_files(&folder.join("theme"))?;
    let mut languages = BTreeSet::new();
    let mut highlighter = None;
    for entry in fs::read_dir(folder).context("cannot read the folder of the pages")? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name.ends_with(".html") {
            let page = fs::read_to_string(&path)?;
            languages.extend(LISTING.captures_iter(&page).map(|found| found[1].to_owned()));
            fs::write(&path, bundle(&page))
                .with_context(|| format!("cannot write {}", path.display()))?;
        } else if name.starts_with("highlight-") && name.ends_with(".js") {
            highlighter = Some(path);
        }
    }
    if let Some(path) = highlighter {
        let script = fs::read_to_string(&path)?;
        fs::write(&path, keep_languages(&script, languages))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
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

/// Makes the two files, if there are any to make them of.
fn join_files(theme: &Path) -> Result<()> {
    let Ok(head) = fs::read_to_string(theme.join("head.hbs")) else { return Ok(()) };
    let mut style = String::new();
    for link in STYLES.captures_iter(&head) {
        let text = take(&theme.join(&link[2]))?;
        if link.get(3).is_some() {
            style += &format!("@media print {{\n{text}}}\n");
        } else {
            style += &text;
        }
    }
    let mut script = String::new();
    for link in SCRIPTS.captures_iter(&head) {
        script += &take(&theme.join(&link[2]))?;
    }
    for (name, text) in [("book.css", style), ("book.js", script)] {
        fs::write(theme.join(name), text).with_context(|| format!("cannot write {name}"))?;
    }
    Ok(())
}

/// What a file says. No page asks for it any more, but for the window with a teacher's notes.
fn take(path: &Path) -> Result<String> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    if !path.ends_with(NOTES) {
        fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(text)
}

/// A page that names the two files in place of all others, and waits for none of mdBook's scripts.
pub(crate) fn bundle(page: &str) -> String {
    let once = |all: &Regex, page: &str, link: &dyn Fn(&str) -> String| {
        let mut first = true;
        let put = |found: &Captures<'_>| {
            let new = if first { link(&found[1]) } else { String::new() };
            first = false;
            new
        };
        all.replace_all(page, put).into_owned()
    };
    let page = once(&STYLES, page, &|way| {
        format!("    <link rel=\"stylesheet\" href=\"{way}theme/book.css\">\n")
    });
    // What it changes is there when the page is first seen.
    let page = once(&SCRIPTS, &page, &|way| {
        format!("    <script defer blocking=\"render\" src=\"{way}theme/book.js\"></script>\n")
    });
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
        let head = "<link rel=\"stylesheet\" href=\"{{ path_to_root }}theme/a.css\">\n\
                    <link rel=\"stylesheet\" href=\"{{ path_to_root }}theme/b.css\" media=\"print\">\n\
                    <script defer blocking=\"render\" src=\"{{ path_to_root }}theme/c.js\"></script>\n\
                    <script defer src=\"{{ path_to_root }}theme/d.js\"></script>\n";
        let files =
            [("head.hbs", head), ("a.css", "a {}\n"), ("b.css", "b {}\n"), ("c.js", "c();\n")];
        for (name, text) in files.into_iter().chain([("d.js", "d();\n")]) {
            fs::write(theme.join(name), text).unwrap();
        }
        let page = folder.path().join("page.html");
        fs::write(&page, head.replace("{{ path_to_root }}", "")).unwrap();
        bundle_all(folder.path()).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("theme/book.css"), "a {}\n@media print {\nb {}\n}\n");
        assert_eq!(read("theme/book.js"), "c();\nd();\n");
        assert!(!theme.join("a.css").exists() && !theme.join("d.js").exists());
        let page = read("page.html");
        assert_eq!(page.matches("theme/").count(), 2, "{page}");
        assert!(page.contains("href=\"theme/book.css\"") && page.contains("src=\"theme/book.js\""));
    }
}
