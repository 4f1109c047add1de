//! Builds the book through mdBook's own library.

mod bundle;
pub(crate) mod changed;
mod dress;
mod exchange;
mod listings;
pub(crate) mod unsearched;
mod warnings;
mod where_am_i;

use std::{
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};

use anyhow::{Context, Result};
use mdbook_driver::{MDBook, config::Config};
use mdbook_mermaid::Mermaid;
use mdbook_renderer::{RenderContext, Renderer};
use records::{results::Results, workshop::agenda};
use tracing::subscriber::with_default;
use tracing_subscriber::layer::SubscriberExt;

use self::{
    changed::{Changed, Page, Slot, Whole},
    exchange::folder_beside,
    warnings::Warnings,
};
use crate::{
    check::{check_links, trace_to_source},
    diagrams,
    preprocessor::Ladder,
    problem::{Problem, fail_on},
    published,
    settings::{self, full_path},
};

pub use self::exchange::replace;

/// What is said before a build, because it takes its time.
pub const ANNOUNCED: &str = "Building the book: its pages with their figures and listings, its search, and a look at every link …";

/// What a build may be told.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Show the reader's own recordings in this folder beside the book's, if it is there.
    pub yours: Option<PathBuf>,
    /// Write the book here instead of to the `build-dir` of `book.toml`.
    pub destination: Option<PathBuf>,
    /// Keep a book that has dead links or warnings of mdBook.
    pub lenient: bool,
}

/// A finished build.
#[derive(Clone, Debug)]
pub struct Built {
    /// The folder that holds the pages.
    pub folder: PathBuf,
    /// What was wrong and let pass, in a lenient build.
    pub problems: Vec<Problem>,
    /// What mdBook rendered.
    pub rendered: RenderContext,
}

/// Builds the book of the repository at `root`.
///
/// The pages are made in a folder beside the final one, which they replace only when all went well: a failed build leaves
/// the last good book alone. `replace` makes the exchange; it is handed the new folder and the final one. Fails when
/// the settings are dangerous or wrong, a page has a problem, or mdBook fails. If not lenient, also on a dead link and
/// on any warning of mdBook.
pub fn build(
    root: &Path,
    options: &BuildOptions,
    replace: impl FnOnce(&Path, &Path) -> Result<()>,
) -> Result<Built> {
    let root = &full_path(root)?;
    let config = settings(root, options)?;
    let destination = root.join(&config.build.build_dir);
    let source = root.join(&config.book.src);
    let fresh = folder_beside(&destination)?;
    // A folder of its own inside: the temporary one is its owner's alone.
    let pages = fresh.path().join("book");
    let rendered = Slot::default();
    let mut problems = render(root, config, &pages, options, Whole(Rc::clone(&rendered)))?;
    let rendered = rendered.take().context("book.toml has no [output.html] to render")?;
    // The pages have taken from these what they show.
    let _ = fs::remove_dir_all(pages.join(diagrams::FOLDER));
    for file in ["theme/head.hbs", agenda::AGENDAS, dress::DAYS, where_am_i::ROAD] {
        let _ = fs::remove_file(pages.join(file));
    }
    // mdBook has put these elsewhere.
    let _ = fs::remove_dir_all(pages.join("theme/fonts"));
    let _ = fs::remove_file(pages.join("theme/favicon.svg"));
    // In a book that is not lenient, all diagrams are drawn; in this one the reader's machine may draw some.
    if options.lenient && root.join(diagrams::LIBRARY).is_file() {
        let to = pages.join(diagrams::PAGES_LIBRARY);
        let made = fs::create_dir_all(pages.join("theme"));
        made.and_then(|()| fs::copy(root.join(diagrams::LIBRARY), &to))
            .with_context(|| format!("cannot write {}", to.display()))?;
    }
    let mut dead = check_links(&pages)?;
    dead.iter_mut().for_each(|problem| trace_to_source(problem, root, &source));
    for problem in dead {
        // The page for printing and the start page hold the same links once more.
        if !problems.iter().any(|known| known.message == problem.message) {
            problems.push(problem);
        }
    }
    if !options.lenient {
        fail_on(&problems)?;
    }
    replace(&pages, &destination)?;
    Ok(Built { folder: destination, problems, rendered })
}

/// Renders the pages that changed since `last`, and only those. It takes the place of `last`.
///
/// `None` where that does not do: where no page changed, or more than pages.
pub(crate) fn build_changed(
    root: &Path,
    options: &BuildOptions,
    last: &mut RenderContext,
) -> Result<Option<Vec<Page>>> {
    let root = &full_path(root)?;
    let config = settings(root, options)?;
    let fresh = folder_beside(&root.join(&config.build.build_dir))?;
    let found = Slot::default();
    let changed = Changed { last: last.clone(), found: Rc::clone(&found) };
    render(root, config, fresh.path(), options, changed)?;
    let Some((rendered, pages)) = found.take() else { return Ok(None) };
    *last = rendered;
    Ok(Some(pages))
}

pub(crate) fn settings(root: &Path, options: &BuildOptions) -> Result<Config> {
    let mut config = settings::read(root, options.destination.as_deref())?;
    if options.lenient {
        // As `mdbook serve` does: wherever the book is published, here it lies at the top of its host.
        published::serve_below(&mut config, "/")?;
    }
    Ok(config)
}

/// Lets a renderer write the book to this folder. Returns what mdBook warned of, and what was left out.
fn render(
    root: &Path,
    mut config: Config,
    folder: &Path,
    options: &BuildOptions,
    renderer: impl Renderer + 'static,
) -> Result<Vec<Problem>> {
    config.build.build_dir = folder.to_path_buf();
    let warnings = Warnings::default();
    let mut problems = Vec::new();
    let mut yours = options.yours.as_deref();
    match yours.map(own_recordings) {
        Some(Ok(true)) => {}
        Some(Err(error)) => {
            let message = format!("these recordings are not shown next to the book's: {error:#}");
            problems.extend(yours.take().map(|file| Problem::of(file, message)));
        }
        Some(Ok(false)) | None => yours = None,
    }
    let ladder = Ladder { yours: yours.map(full_path).transpose()?, live: options.lenient };
    with_default(tracing_subscriber::registry().with(warnings.clone()), || {
        let mut book = MDBook::load_with_config(root, config)?;
        book.with_renderer(renderer);
        book.with_preprocessor(ladder).with_preprocessor(Mermaid).build()
    })?;
    problems.extend(warnings.take());
    Ok(problems)
}

/// Whether there is something to show in a folder of the reader's own results.
pub(crate) fn own_recordings(folder: &Path) -> Result<bool> {
    Ok(!Results::read(folder)?.is_empty())
}

#[cfg(test)]
mod tests {
    use records::testing::recording;

    use super::*;
    use crate::testing::{SETTINGS, repository};

    fn try_build(root: &Path) -> Result<Built> {
        build(root, &BuildOptions::default(), replace)
    }

    #[test]
    fn a_book_is_built_and_replaced_only_by_a_good_one() {
        let folder = repository("# A\n\nfirst\n");
        let root = folder.path();
        let built = try_build(root).unwrap();
        let page = || fs::read_to_string(built.folder.join("a.html")).unwrap();
        assert!(page().contains("first"));
        // What Emacs keeps beside a file that it edits: a link that leads nowhere, and a copy.
        for name in ["#a.md#", "a.md~", "#style.css#"] {
            fs::write(root.join("book").join(name), "# A\n\n{{#include ../no.rs}}\n").unwrap();
        }
        #[cfg(unix)]
        for name in [".#a.md", ".#style.css"] {
            let link = root.join("book").join(name);
            std::os::unix::fs::symlink("me@host.42:1", link).unwrap();
        }
        try_build(root).unwrap();
        assert!(page().contains("first"));
        for (broken, complaint) in [
            ("# A\n\n[x](nowhere.md)\n", "book/a.md:3: `nowhere.html` leads to"),
            ("# A\n\n{{#include ../no.rs}}\n", "book/a.md:3: {{#include ../no.rs}}: cannot read"),
            ("# A\n\n```mermaid\nflowchart LR\n```\n", "book/a.md:3: this diagram is not drawn"),
            ("# A\n\n<div>\n\nunclosed\n", "WARN"),
        ] {
            fs::write(root.join("book/a.md"), broken).unwrap();
            let error = format!("{:#}", try_build(root).unwrap_err());
            assert!(error.contains(complaint), "{error}");
            assert!(page().contains("first"));
        }
        let left: Vec<_> = fs::read_dir(root.join("target")).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");

        // A lenient build keeps a book with a dead link, and says so. What is not drawn yet is the script's.
        let page_of_a_writer = "# A\n\nsecond [x](nowhere.md)\n\n```mermaid\nflowchart LR\n```\n";
        fs::write(root.join("book/a.md"), page_of_a_writer).unwrap();
        let options = BuildOptions { lenient: true, ..BuildOptions::default() };
        let lenient = build(root, &options, replace).unwrap();
        assert_eq!(lenient.problems.len(), 1, "{:?}", lenient.problems);
        assert!(page().contains("second") && page().contains("<pre class=\"mermaid\">"));
        assert!(!built.folder.join(diagrams::PAGES_LIBRARY).exists());

        // With mermaid installed, the script has something to draw with; a reader's book never has it.
        let library = root.join(diagrams::LIBRARY);
        fs::create_dir_all(library.parent().unwrap()).unwrap();
        fs::write(&library, "draw").unwrap();
        build(root, &options, replace).unwrap();
        assert!(built.folder.join(diagrams::PAGES_LIBRARY).exists());
        fs::write(root.join("book/a.md"), "# A\n\nthird\n").unwrap();
        try_build(root).unwrap();
        assert!(!built.folder.join(diagrams::PAGES_LIBRARY).exists());
    }

    /// What `serve` shows of a change at once is what a build of the whole book makes of it.
    #[test]
    fn a_changed_page_alone_is_the_page_of_the_whole_book() {
        let folder = repository("# A\n\nfirst, [b](b.md#b)\n");
        let root = folder.path();
        let write = |name: &str, text: &str| fs::write(root.join("book").join(name), text).unwrap();
        write("SUMMARY.md", "- [A](a.md)\n- [B](b.md)\n    - [C](c.md)\n");
        write("b.md", "# B\n\nsecond\n");
        write("c.md", "# C\n\n{{#include b.md}}\n");
        write("style.css", "p {}");
        let Built { folder: shown, mut rendered, .. } = try_build(root).unwrap();
        let index = changed::search_index(&shown);
        let whole = root.join("whole");
        let mut show = |names: &[&str]| {
            let pages = build_changed(root, &BuildOptions::default(), &mut rendered).unwrap();
            let pages = pages.unwrap_or_default();
            let new: Vec<&str> = pages.iter().map(|page| page.0.to_str().unwrap()).collect();
            assert_eq!(new, names);
            changed::put(&pages, &shown).unwrap();
            let options = BuildOptions { destination: Some(whole.clone()), ..Default::default() };
            build(root, &options, replace).unwrap();
            changed::look_the_same(&shown, &whole).unwrap()
        };
        assert!(show(&[]));
        write("b.md", "# B\n\nsecond, and a [link](c.md)\n");
        assert!(show(&["b.html", "c.html"]));
        write("a.md", "# A\n\nfirst of all\n");
        assert!(show(&["a.html", "index.html"]));
        assert!(show(&[]));
        // A page that is open knows the old index, and so do the pages that were put there.
        assert_ne!(changed::search_index(&whole), index);
        let page = fs::read_to_string(shown.join("a.html")).unwrap();
        assert!(page.contains("first of all") && page.contains(&index.unwrap()), "{page}");
        // What is no page, and what all pages show, takes the whole book.
        write("style.css", "p { margin: 0 }");
        assert!(!show(&[]));
        write("a.md", "# A\n\nonce more\n");
        write("SUMMARY.md", "- [A](a.md)\n- [B](b.md)\n    - [Chapter](c.md)\n");
        assert!(!show(&[]));
    }

    const PUBLISHED: &str = "git-repository-url = \"https://codeberg.org/a/b\"\n\
                             edit-url-template = \"https://codeberg.org/a/b/_edit/main/{path}\"\n";
    const LISTED: &str = "# A\n\n**`a.rs`**\n\n```rust,ignore\nfn main() {}\n```\n";

    #[test]
    fn a_published_book_knows_its_addresses() {
        let folder = repository(LISTED);
        let root = folder.path();
        let summary = "- [A](a.md)\n- [B](b.md)\n";
        for (name, text) in
            [("SUMMARY.md", summary), ("b.md", "# B\n"), ("404.md", "# No\n\n[a](a.md)\n")]
        {
            fs::write(root.join("book").join(name), text).unwrap();
        }
        for (site, own, base) in [
            ("https://example.org/book/", Some("https://example.org/book/"), "/book/"),
            ("HTTPS://Example.org:8443/", Some("https://example.org:8443/"), "/"),
            ("/book/", None, "/book/"),
            ("/", None, "/"),
        ] {
            let settings = format!("{SETTINGS}{PUBLISHED}site-url = \"{site}\"\n");
            fs::write(root.join("book.toml"), settings).unwrap();
            let built = try_build(root).unwrap();
            let read = |name: &str| fs::read_to_string(built.folder.join(name)).unwrap();
            for (page, address) in [("index.html", ""), ("a.html", ""), ("b.html", "b.html")] {
                let html = read(page);
                let has = |part: &str| html.contains(part);
                let own = own.map(|own| format!("{own}{address}"));
                let canonical =
                    own.as_ref().map(|own| format!("<link rel=\"canonical\" href=\"{own}\">"));
                assert_eq!(has("rel=\"canonical\""), own.is_some(), "{site} {page}: {html}");
                assert!(canonical.is_none_or(|line| has(&line)), "{site} {page}: {html}");
                let url = own.map(|own| format!("<meta property=\"og:url\" content=\"{own}\">"));
                assert!(url.is_none_or(|line| has(&line)), "{site} {page}: {html}");
                assert!(has("href=\"https://codeberg.org/a/b\""), "{site} {page}: {html}");
                let source = if page == "b.html" { "b.md" } else { "a.md" };
                let edit = format!("href=\"https://codeberg.org/a/b/_edit/main/book/{source}\"");
                assert!(has(&edit), "{site} {page}: {html}");
            }
            let image =
                own.map(|own| format!("<meta property=\"og:image\" content=\"{own}images/"));
            assert!(image.is_none_or(|image| read("b.html").contains(&image)), "{site}");
            let listing = "href=\"https://codeberg.org/a/b/src/branch/main/a.rs\"";
            assert!(read("a.html").contains(listing), "{site}");
            // It is shown wherever the missing address lies, and asks no host but that one.
            assert!(read("404.html").contains(&format!("<base href=\"{base}\">")), "{site}");
            // Served from this machine, it lies at the top.
            let options = BuildOptions { lenient: true, ..BuildOptions::default() };
            let served = build(root, &options, replace).unwrap();
            assert!(served.problems.is_empty(), "{:?}", served.problems);
            assert!(read("404.html").contains("<base href=\"/\">"), "{site}");
            assert!(!read("b.html").contains("example.org"), "{site}");
        }
        let settings = format!("{SETTINGS}site-url = \"https://example.org/book\"\n");
        fs::write(root.join("book.toml"), settings).unwrap();
        let error = format!("{:#}", try_build(root).unwrap_err());
        assert!(error.contains("a slash at the end"), "{error}");
    }

    /// mdBook makes this link of the path from which it copies what is no page.
    #[test]
    fn a_page_is_edited_in_the_book_whoever_holds_a_file_of_it_open() {
        let folder = repository("# A\n\nfirst\n");
        let root = folder.path();
        fs::write(root.join("book.toml"), format!("{SETTINGS}{PUBLISHED}")).unwrap();
        fs::write(root.join("book/style.css"), "p {}").unwrap();
        let edit = "href=\"https://codeberg.org/a/b/_edit/main/book/a.md\"";
        #[cfg(unix)]
        std::os::unix::fs::symlink("me@host.42:1", root.join("book/.#a.md")).unwrap();
        let Built { folder: shown, mut rendered, .. } = try_build(root).unwrap();
        let page = fs::read_to_string(shown.join("a.html")).unwrap();
        assert!(page.contains(edit) && shown.join("style.css").is_file(), "{page}");
        fs::write(root.join("book/a.md"), "# A\n\nsecond\n").unwrap();
        let pages = build_changed(root, &BuildOptions::default(), &mut rendered).unwrap().unwrap();
        assert!(
            pages.iter().all(|(_, page)| page.contains("second") && page.contains(edit)),
            "{pages:?}"
        );
    }

    /// A page brings its notes to whoever teaches from it, and a search finds what readers see.
    #[test]
    fn a_page_has_its_notes_for_teachers_and_the_search_has_not() {
        let text = |words: &str| {
            format!(
                "# A\n\n## X\n\n{words}.\n\n<details>\n<summary>For teachers</summary>\n\n\
                 **Minutes:** [x](#x) 10.\n\nSaid aloud.\n\n</details>\n"
            )
        };
        let folder = repository(&text("Read"));
        let root = folder.path();
        let write = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
        write("book/SUMMARY.md", "- [A](a.md)\n- [All](teachers-notes.md)\n");
        write("book/teachers-notes.md", "# All\n\n{{#notes}}\n");
        let search = "[output.html.search.chapter]\n\"teachers-notes.md\" = { enable = false }\n";
        write("book.toml", &format!("{SETTINGS}{search}"));
        let Built { folder: shown, mut rendered, .. } = try_build(root).unwrap();
        let read = |name: &str| fs::read_to_string(shown.join(name)).unwrap();
        let index = read(&changed::search_index(&shown).unwrap());
        assert!(index.contains("Read") && !index.contains("aloud"), "{index}");
        let notes = "<template class=\"for-teachers\">\n<details>\n<summary>For teachers</summary>\n\
                     <p><strong>Minutes:</strong> 10: <a href=\"#x\">x</a> 10.</p>\n<p>Said aloud.</p>\n\
                     </details>\n</template>";
        for page in ["a.html", "index.html"] {
            assert!(read(page).contains(notes), "{}", read(page));
        }
        write("book/a.md", &text("Written"));
        let pages = build_changed(root, &BuildOptions::default(), &mut rendered).unwrap().unwrap();
        assert_eq!(pages.len(), 2, "{pages:?}");
        assert!(pages.iter().all(|(_, page)| page.contains("Written") && page.contains(notes)));
    }

    #[test]
    fn what_a_tool_printed_is_on_the_page_and_in_no_search() {
        let printed = "Read\n\n```text,as-printed\n  Latency <1 ms\n\nLost & found\n```\n";
        let folder = repository(&format!("# A\n\n{printed}"));
        let Built { folder: shown, mut rendered, .. } = try_build(folder.path()).unwrap();
        let block = "<pre><code class=\"language-text as-printed\">  Latency &lt;1 ms\n\nLost &amp; found\n\
                     </code></pre>";
        for page in ["a.html", "index.html", "print.html"] {
            let page = fs::read_to_string(shown.join(page)).unwrap();
            assert!(page.contains(block) && !page.contains("text/plain"), "{page}");
        }
        let index = fs::read_to_string(shown.join(changed::search_index(&shown).unwrap())).unwrap();
        assert!(index.contains("Read") && !index.contains("Latency"), "{index}");
        fs::write(folder.path().join("book/a.md"), format!("# A\n\nOnce more\n\n{printed}"))
            .unwrap();
        let changed = build_changed(folder.path(), &BuildOptions::default(), &mut rendered);
        let pages = changed.unwrap().unwrap();
        assert!(pages.iter().all(|(_, page)| page.contains(block)), "{pages:?}");
    }

    /// What the preprocessor writes into a page comes out of mdBook as a link to the built glossary.
    #[test]
    fn a_term_is_explained_at_the_first_link_to_it() {
        let page = "# A\n\n[Tasks](glossary.md#task) wait.\n\n| a |\n|---|\n| [task](glossary.md#task) |\n";
        let folder = repository(page);
        let root = folder.path();
        let glossary = "# G\n\n## T\n\n### task\n\nWork that \"waits\".\nMore.\n";
        fs::write(root.join("book/glossary.md"), glossary).unwrap();
        fs::write(root.join("book/SUMMARY.md"), "- [A](a.md)\n- [G](glossary.md)\n").unwrap();
        let built = try_build(root).unwrap();
        let page = fs::read_to_string(built.folder.join("a.html")).unwrap();
        let first = "<a class=\"term\" href=\"glossary.html#task\" aria-description=\"Work that &quot;waits&quot;.\">Tasks</a>";
        assert!(page.contains(first), "{page}");
        assert!(page.contains("<td><a href=\"glossary.html#task\">task</a></td>"), "{page}");
    }

    #[test]
    fn a_recording_alone_is_something_to_show() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("observed/ch06_tokio.json");
        fs::create_dir(file.parent().unwrap()).unwrap();
        assert!(!own_recordings(folder.path()).unwrap());
        let mut recording = recording();
        fs::write(&file, serde_json::to_vec(&recording).unwrap()).unwrap();
        assert!(own_recordings(folder.path()).unwrap());
        recording.threads[0].spans[0].1 = 2000;
        fs::write(&file, serde_json::to_vec(&recording).unwrap()).unwrap();
        let error = format!("{:#}", own_recordings(folder.path()).unwrap_err());
        assert!(error.contains("ch06_tokio.json is broken: thread worker <1>"), "{error}");
    }
}
