//! Renders only the pages that changed, for whoever has the book before them while they write.
//!
//! mdBook renders all pages or none. Everything is filled in as for a whole book; what is then the same as the last
//! time is taken out before mdBook renders, so that titles, order and links stay and nearly all of the work goes.
//! What needs every page, the search index and the page for printing, is as it was until the whole book is built.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
    rc::Rc,
    sync::LazyLock,
};

use anyhow::{Context, Result, ensure};
use mdbook_driver::{book::Book, config::HtmlConfig};
use mdbook_html::HtmlHandlebars;
use mdbook_renderer::{RenderContext, Renderer};
use regex::Regex;
use tempfile::TempDir;

use super::{
    bundle::{bundle, bundle_all},
    dress::{self, Pages},
    unsearched,
};
use crate::{files::is_an_editors, published};

/// The name of mdBook's search index, in which a part is a hash of all that it holds: each page names it.
static SEARCH_INDEX: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("searchindex-[0-9a-f]+[.]js").expect("a correct expression"));

/// A page of the built book: its path in there, and its text.
pub(crate) type Page = (PathBuf, String);

/// Where a renderer leaves what it found.
pub(crate) type Slot<T> = Rc<RefCell<Option<T>>>;

/// mdBook's own renderer, which notes what it rendered.
pub(crate) struct Whole(pub Slot<RenderContext>);

impl Renderer for Whole {
    fn name(&self) -> &str {
        "html"
    }

    fn render(&self, context: &RenderContext) -> Result<()> {
        let source = context.source_dir();
        let mut rendered = context.clone();
        let copy = if has_dangling_link(&source) {
            Some(copy_files(&source, &context.config.book.src)?)
        } else {
            None
        };
        if let Some(copy) = &copy {
            take_files_below(&mut rendered, copy.path())?;
        }
        if let Some(site) = published::site(&context.config) {
            published::serve_below(&mut rendered.config, &site.folder)?;
        }
        unsearched::hide(&mut rendered.book);
        HtmlHandlebars::new().render(&rendered)?;
        unsearched::show_all(&context.destination)?;
        Pages::of(context)?.dress_all(&context.destination)?;
        bundle_all(&context.destination)?;
        self.0.replace(Some(context.clone()));
        Ok(())
    }
}

/// Whether a link below a folder leads nowhere, as that with which Emacs locks a file. mdBook copies whatever is no page,
/// and fails on it.
fn has_dangling_link(folder: &Path) -> bool {
    let mut entries = walkdir::WalkDir::new(folder).into_iter().flatten();
    entries.any(|entry| entry.path_is_symlink() && !entry.path().exists())
}

/// Lets mdBook take the files that are no pages from below `folder`, by the same path as from below the book's root. The
/// path itself stays: mdBook writes it into each page, in the link where that is edited.
fn take_files_below(context: &mut RenderContext, folder: &Path) -> Result<()> {
    let html: HtmlConfig = context.config.get("output.html")?.unwrap_or_default();
    let theme = html.theme_dir(&context.root);
    if theme.is_dir() {
        context.config.set("output.html.theme", theme)?;
    }
    context.root = folder.to_path_buf();
    Ok(())
}

/// A copy of a folder at `name` in a new one, without such links, and without what else editors keep there.
fn copy_files(folder: &Path, name: &Path) -> Result<TempDir> {
    let is_below = name.components().all(|part| matches!(part, Component::Normal(_)));
    ensure!(is_below, "src = {} in book.toml has to be a folder beside it", name.display());
    let above = tempfile::tempdir().context("cannot make a folder")?;
    let copy = above.path().join(name);
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.context("cannot read a folder")?;
        let name = entry.path().strip_prefix(folder).context("it lies elsewhere")?;
        let to = copy.join(name);
        if entry.file_type().is_dir() {
            fs::create_dir_all(&to)?;
        } else if entry.path().is_file() && !is_an_editors(name) {
            fs::copy(entry.path(), &to)?;
        }
    }
    Ok(above)
}

/// Renders the pages that are not what they were; none if more has changed than their text.
pub(crate) struct Changed {
    /// What was rendered the last time.
    pub last: RenderContext,
    /// What is rendered now, and the pages.
    pub found: Slot<(RenderContext, Vec<Page>)>,
}

impl Renderer for Changed {
    fn name(&self) -> &str {
        "html"
    }

    fn render(&self, context: &RenderContext) -> Result<()> {
        let texts = |book: &Book| -> BTreeSet<(PathBuf, String)> {
            let chapters = book.chapters();
            chapters.filter_map(|it| Some((it.path.clone()?, it.content.clone()))).collect()
        };
        let before = texts(&self.last.book);
        let now = texts(&context.book);
        let changed: BTreeSet<&PathBuf> = now.difference(&before).map(|(path, _)| path).collect();
        if changed.is_empty() || frame(&self.last, |_| false) != frame(context, |_| false) {
            return Ok(());
        }
        // The pages have their notes for teachers from one of them.
        let is_rendered = |path: &PathBuf| changed.contains(path) || path.ends_with(dress::NOTES);
        let mut some = frame(context, is_rendered);
        some.destination = context.destination.join("pages");
        take_files_below(&mut some, &context.destination.join("nothing"))?;
        fs::create_dir_all(some.source_dir()).context("cannot make a folder")?;
        unsearched::hide(&mut some.book);
        HtmlHandlebars::new().render(&some)?;
        let first = context.book.chapters().next().and_then(|chapter| chapter.path.as_ref());
        let start = changed.iter().any(|path| Some(*path) == first).then(|| "index.html".into());
        let names = changed.iter().map(|path| path.with_extension("html")).chain(start);
        let dressed = Pages::of(context)?;
        let notes = dress::notes(&some.destination)?;
        let page = |name: PathBuf| {
            let text = fs::read_to_string(some.destination.join(&name));
            let text = text.context("mdBook did not render a page")?;
            let text = bundle(&dressed.dress(&name, &unsearched::show(&text), &notes));
            Ok((name, text))
        };
        let pages = names.map(page).collect::<Result<Vec<Page>>>()?;
        self.found.replace(Some((context.clone(), pages)));
        Ok(())
    }
}

/// All that is rendered but for the text of most pages, and the place.
fn frame(context: &RenderContext, is_kept: impl Fn(&PathBuf) -> bool) -> RenderContext {
    let mut frame = context.clone();
    frame.destination = PathBuf::new();
    frame.config.build.build_dir = PathBuf::new();
    frame.book.for_each_chapter_mut(|chapter| {
        if !chapter.path.as_ref().is_some_and(&is_kept) {
            chapter.content.clear();
        }
    });
    frame
}

/// Puts pages among those in a folder, where they find the search index that is there.
pub(crate) fn put(pages: &[Page], folder: &Path) -> Result<()> {
    let index = search_index(folder).unwrap_or_default();
    for (name, text) in pages {
        let path = folder.join(name);
        fs::write(&path, SEARCH_INDEX.replace_all(text, index.as_str()).as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The search index of a built book, by its name there.
pub(crate) fn search_index(folder: &Path) -> Option<String> {
    let names = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.into_string().ok()).find(|name| is_search_index(name))
}

/// Whether a file of this name is, or once was, a search index.
pub(crate) fn is_search_index(name: &str) -> bool {
    SEARCH_INDEX.find(name).is_some_and(|found| found.as_str() == name)
}

/// Whether two built books look the same: all is but the search index and the page for printing.
pub(crate) fn look_the_same(one: &Path, other: &Path) -> Result<bool> {
    let files = |folder: &Path| -> Result<BTreeMap<PathBuf, String>> {
        let mut files = BTreeMap::new();
        for entry in walkdir::WalkDir::new(folder) {
            let entry = entry.context("cannot read a folder")?;
            let name = entry.path().strip_prefix(folder).context("it lies elsewhere")?;
            let special = name.to_str().is_some_and(|it| is_search_index(it) || it == "print.html");
            if entry.file_type().is_file() && !special {
                let bytes = fs::read(entry.path())?;
                let text = String::from_utf8_lossy(&bytes);
                files.insert(name.to_path_buf(), SEARCH_INDEX.replace_all(&text, "").into_owned());
            }
        }
        Ok(files)
    };
    Ok(files(one)? == files(other)?)
}
