//! One style sheet and one script for all pages, made of those that `theme/head.hbs` names: a reader who is far away waits
//! for each file. A script in there finds its neighbours from where it lies, so the one lies in the same folder.

use std::{fs, path::Path, sync::LazyLock};

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
    Regex::new(&line).expect("a correct expression")
}

/// What `teach/notes.html` asks for.
const NOTES: &str = "theme/elements.js";

/// Makes the two files, and lets all pages in a folder name them.
pub(crate) fn bundle_all(folder: &Path) -> Result<()> {
    let theme = folder.join("theme");
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
    for entry in fs::read_dir(folder).context("cannot read the folder of the pages")? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "html") {
            let page = fs::read_to_string(&path)?;
            fs::write(&path, bundle(&page))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
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

/// A page that names the two files in place of all others.
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
    once(&SCRIPTS, &page, &|way| {
        format!("    <script defer blocking=\"render\" src=\"{way}theme/book.js\"></script>\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
