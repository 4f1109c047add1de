//! Builds the book through mdBook's own library, with our preprocessor.

use std::{
    fs,
    path::{Path, PathBuf, absolute},
};

use anyhow::{Context, Result, ensure};
use mdbook_driver::{MDBook, config::Config};
use mdbook_mermaid::Mermaid;
use records::workshop::{
    lessons::{self, LESSONS},
    texts,
};

use crate::{preprocessor::Ladder, published};

/// The line that announces a build, which takes some seconds.
pub(crate) const ANNOUNCED: &str =
    "Building the book: its pages with their figures and listings, and its search …";

/// The file that mdBook leaves in every book that it builds.
const IN_EACH_BOOK: &str = ".nojekyll";

/// Builds the book of the repository at `root` into `destination` or, without one, into the `build-dir` of `book.toml`.
/// Returns the folder.
///
/// # Errors
/// When the settings are wrong, a page has a fault, `destination` holds what is no built book, or mdBook fails.
pub(crate) fn build(root: &Path, destination: Option<&Path>) -> Result<PathBuf> {
    let mut config = settings(root)?;
    if let Some(destination) = destination {
        config.build.build_dir = emptied(destination)?;
    }
    let folder = root.join(&config.build.build_dir);
    render(root, config, Ladder::default())?;
    Ok(folder)
}

/// Reads the settings from `book.toml` and the environment.
///
/// # Errors
/// When it can't be read, or publishes the book at no right address.
pub(crate) fn settings(root: &Path) -> Result<Config> {
    let file = root.join("book.toml");
    let mut config =
        Config::from_disk(&file).with_context(|| format!("cannot use {}", file.display()))?;
    config.update_from_env().context("an environment variable MDBOOK_… is no setting of mdBook")?;
    published::check(&config)?;
    Ok(config)
}

/// Returns the absolute path of a folder that the command line names, which mdBook empties. Fails when it holds something
/// else than a built book.
fn emptied(folder: &Path) -> Result<PathBuf> {
    let is_empty = folder.read_dir().map_or(true, |mut entries| entries.next().is_none());
    let is_book = folder.join(IN_EACH_BOOK).exists() && !folder.join(".git").exists();
    ensure!(
        is_empty || is_book,
        "a build empties its folder, and {} holds what is no built book: name a new folder",
        folder.display()
    );
    absolute(folder).with_context(|| format!("cannot tell where {} is", folder.display()))
}

/// Lets mdBook build the book, with its own preprocessors and ours.
///
/// # Errors
/// When a page, a lesson or an exercise has a fault, or mdBook fails. The book that was there is left alone unless mdBook is
/// to blame.
pub(crate) fn render(root: &Path, config: Config, ladder: Ladder) -> Result<()> {
    let folder = root.join(&config.build.build_dir);
    let mut book = MDBook::load_with_config(root, config)?;
    // Before mdBook empties the folder: a fault in them leaves the earlier book.
    let has_lessons = root.join(LESSONS).exists();
    let plans = has_lessons.then(|| lessons::script(root)).transpose()?;
    let solutions = texts::script(root)?;
    // In the places of the commands that `book.toml` names for plain mdBook.
    book.with_preprocessor(ladder).with_preprocessor(Mermaid);
    book.build()?;
    let taught = folder.join("teach");
    if let Some(plans) = plans {
        write(&taught, "lessons.js", &plans)?;
    }
    write(&taught, "solutions.js", &solutions)
}

/// Writes what a page that is shown to a class loads when it is wanted. It is a script and no JSON, which a page from a file
/// could not read.
fn write(folder: &Path, name: &str, script: &str) -> Result<()> {
    let file = folder.join(name);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&file, script));
    written.with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{SETTINGS, repository};

    fn page(built: &Path) -> String {
        fs::read_to_string(built.join("a.html")).unwrap()
    }

    #[test]
    fn a_malformed_directive_is_refused_with_its_line_and_the_book_stays() {
        let folder = repository("# A\n\n{{#include b.md}}\n\nfirst\n");
        let root = folder.path();
        // An include moves the lines of the page that mdBook hands on.
        fs::write(root.join("book/b.md"), "one\n\ntwo\n\nthree\n").unwrap();
        let built = build(root, None).unwrap();
        assert_eq!(built, root.join("target/book"));
        let text = page(&built);
        assert!(text.contains("first") && text.contains("three"), "{text}");
        for (broken, complaint) in [
            ("{{#nonsense x}}", "book/a.md:5: {{#nonsense x}}: there is no directive `nonsense`"),
            ("{{#diff a.rs}}", "book/a.md:5: {{#diff a.rs}}: this directive is written"),
            ("{{#predict one}}", "book/a.md:5: {{#predict one}}: no <details> with the answer"),
            ("```mermaid\nflowchart LR\n```", "book/a.md:5: this diagram is not drawn"),
        ] {
            let text = format!("# A\n\n{{{{#include b.md}}}}\n\n{broken}\n");
            fs::write(root.join("book/a.md"), text).unwrap();
            let error = format!("{:#}", build(root, None).unwrap_err());
            assert!(error.contains(complaint), "{error}");
            assert!(page(&built).contains("first"));
        }
    }

    #[test]
    fn a_fault_of_a_lesson_or_an_exercise_leaves_the_book() {
        let folder = repository("# A\n\nfirst\n");
        let root = folder.path();
        let built = build(root, None).unwrap();
        fs::write(root.join("book/a.md"), "# A\n\nsecond\n").unwrap();
        write(&root.join("exercises/one"), "check.rs", "").unwrap();
        let error = format!("{:#}", build(root, None).unwrap_err());
        assert!(error.contains("exercises/caught.txt"), "{error}");
        fs::remove_file(root.join("exercises/one/check.rs")).unwrap();
        fs::write(root.join(LESSONS), "lesson = 1\n").unwrap();
        let error = format!("{:#}", build(root, None).unwrap_err());
        assert!(error.contains("book/lessons.toml is malformed"), "{error}");
        assert!(page(&built).contains("first"));
    }

    #[test]
    fn all_faults_of_all_pages_are_told_at_once() {
        let folder = repository("# A\n\n{{#nonsense x}}\n\n{{#nonsense y}}\n");
        let root = folder.path();
        fs::write(root.join("book/b.md"), "# B\n\n{{#nonsense z}}\n").unwrap();
        fs::write(root.join("book/SUMMARY.md"), "- [A](a.md)\n- [B](b.md)\n").unwrap();
        let error = build(root, None).unwrap_err();
        let error = error.root_cause().to_string();
        let places: Vec<&str> =
            error.lines().filter_map(|line| line.split(": {{").next()).collect();
        assert_eq!(places, ["book/a.md:3", "book/a.md:5", "book/b.md:3"], "{error}");
    }

    #[test]
    fn a_build_empties_no_folder_that_holds_something_else() {
        let folder = repository("# A\n");
        let root = folder.path();
        for precious in ["book", "."] {
            let error = build(root, Some(&root.join(precious))).unwrap_err().to_string();
            assert!(error.contains("no built book"), "{error}");
        }
        assert!(root.join("book/a.md").exists());
        let out = root.join("out");
        // Into a new folder, and once more into the book that is there now.
        for _ in 0..2 {
            assert_eq!(build(root, Some(&out)).unwrap(), out);
        }
        // The checkout of a published book.
        fs::create_dir(out.join(".git")).unwrap();
        assert!(build(root, Some(&out)).is_err() && out.join(".git").exists());
    }

    const PUBLISHED: &str = "git-repository-url = \"https://codeberg.org/a/b\"\n\
                             edit-url-template = \"https://codeberg.org/a/b/_edit/main/{path}\"\n\
                             site-url = \"https://example.org/book/\"\n";
    const LISTED: &str = "# A\n\n**`a.rs`**\n\n```rust,ignore\nfn main() {}\n```\n";

    #[test]
    fn a_published_book_links_to_its_sources() {
        let folder = repository(LISTED);
        let root = folder.path();
        fs::write(root.join("book.toml"), format!("{SETTINGS}{PUBLISHED}")).unwrap();
        let built = build(root, None).unwrap();
        let page = page(&built);
        for address in ["src/branch/main/a.rs", "_edit/main/book/a.md"] {
            let link = format!("href=\"https://codeberg.org/a/b/{address}\"");
            assert!(page.contains(&link), "{link}: {page}");
        }
        fs::write(root.join("book.toml"), format!("{SETTINGS}site-url = \"https://a.b/book\"\n"))
            .unwrap();
        let error = format!("{:#}", build(root, None).unwrap_err());
        assert!(error.contains("a slash at the end"), "{error}");
    }

    /// The preprocessor's link comes out of mdBook as one to the built glossary.
    #[test]
    fn a_term_is_explained_at_the_first_link_to_it() {
        let page = "# A\n\n[Tasks](glossary.md#task) wait.\n\n| a |\n|---|\n| [task](glossary.md#task) |\n";
        let folder = repository(page);
        let root = folder.path();
        let glossary = "# G\n\n## T\n\n### task\n\nWork that \"waits\".\nMore.\n";
        fs::write(root.join("book/glossary.md"), glossary).unwrap();
        fs::write(root.join("book/SUMMARY.md"), "- [A](a.md)\n- [G](glossary.md)\n").unwrap();
        let built = build(root, None).unwrap();
        let page = self::page(&built);
        let first = "<a class=\"term\" href=\"glossary.html#task\" aria-description=\"Work that &quot;waits&quot;.\">Tasks</a>";
        assert!(page.contains(first), "{page}");
        assert!(page.contains("<td><a href=\"glossary.html#task\">task</a></td>"), "{page}");
    }
}
