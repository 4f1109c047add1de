//! Builds the book through mdBook's own library.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use mdbook_driver::{MDBook, config::Config};
use mdbook_mermaid::Mermaid;
use mdbook_renderer::{RenderContext, Renderer};
use records::results::Results;
use tempfile::TempDir;
use tracing::{Event, Level, Subscriber, field::Visit};
use tracing_subscriber::layer::{Context as LayerContext, Layer, SubscriberExt};
use workshop::agenda;

use crate::{
    Problem,
    changed::{Changed, Page, Place, Whole},
    check,
    directives::Ladder,
    predict,
};

/// How the name of a folder begins in which a book is being made.
const IN_WORK: &str = "book-in-work-";

/// The age from which such a folder belongs to no build any more.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// What a build may be told.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Take the results from here instead of from `book/results`.
    pub results: Option<PathBuf>,
    /// Show the reader's own results in this folder beside the book's, if it is there.
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
/// The pages are made in a folder beside the final one, which they replace only
/// when all went well: a failed build leaves the last good book alone.
/// `replace` makes the exchange; it is handed the new folder and the final one.
///
/// # Errors
/// When the settings are dangerous or wrong, a page has a problem, or mdBook fails.
/// If not lenient, also on a dead link and on any warning of mdBook.
pub fn build(
    root: &Path,
    options: &BuildOptions,
    replace: impl FnOnce(&Path, &Path) -> Result<()>,
) -> Result<Built> {
    let root = &absolute(root)?;
    let config = settings(root, options)?;
    let destination = root.join(&config.build.build_dir);
    let source = root.join(&config.book.src);
    let fresh = folder_beside(&destination)?;
    // A folder of its own inside: the temporary one is its owner's alone.
    let pages = fresh.path().join("book");
    let rendered = Place::default();
    let mut problems = render(root, config, &pages, options, Whole(Rc::clone(&rendered)))?;
    let rendered = rendered.take().context("book.toml has no [output.html] to render")?;
    // The template is in the pages by now; alone it is of no use to a reader.
    let _ = fs::remove_file(pages.join("theme").join("head.hbs"));
    // And so are the answers to the questions: they are in the pages.
    let _ = fs::remove_dir_all(pages.join(predict::FOLDER));
    // The pages have taken from it what they show.
    let _ = fs::remove_file(pages.join(agenda::AGENDAS));
    let mut dead = check::check_output(&pages)?;
    dead.iter_mut().for_each(|problem| check::trace_to_source(problem, root, &source));
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
///
/// # Errors
/// When the whole book could not be built either.
pub fn build_changed(
    root: &Path,
    options: &BuildOptions,
    last: &mut RenderContext,
) -> Result<Option<Vec<Page>>> {
    let root = &absolute(root)?;
    let config = settings(root, options)?;
    let fresh = folder_beside(&root.join(&config.build.build_dir))?;
    let found = Place::default();
    let changed = Changed { last: last.clone(), found: Rc::clone(&found) };
    render(root, config, fresh.path(), options, changed)?;
    let Some((rendered, pages)) = found.take() else { return Ok(None) };
    *last = rendered;
    Ok(Some(pages))
}

/// What `book.toml`, the environment and the options say.
fn settings(root: &Path, options: &BuildOptions) -> Result<Config> {
    let settings = root.join("book.toml");
    let mut config = Config::from_disk(&settings)
        .with_context(|| format!("cannot use {}", settings.display()))?;
    config.update_from_env().context("an environment variable MDBOOK_… is no setting of mdBook")?;
    if let Some(destination) = &options.destination {
        config.build.build_dir = absolute(destination)?;
    }
    refuse_to_delete(root, &config)?;
    refuse_dropped_table(&config)?;
    if let Some(folder) = &options.results {
        Results::read(folder)?.complete()?;
    }
    Ok(config)
}

/// A temporary folder beside the book's final one, on the same file system.
fn folder_beside(destination: &Path) -> Result<TempDir> {
    let beside = destination.parent().context("build-dir can't be the root of the file system")?;
    fs::create_dir_all(beside)
        .with_context(|| format!("cannot make the folder {}", beside.display()))?;
    remove_abandoned(beside);
    tempfile::Builder::new()
        .prefix(IN_WORK)
        .tempdir_in(beside)
        .with_context(|| format!("cannot make a folder in {}", beside.display()))
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
    let said = Said::default();
    let mut problems = Vec::new();
    let yours = match options.yours.as_deref().map(own_results) {
        Some(Ok(true)) => options.yours.as_deref().map(absolute).transpose()?,
        Some(Err(error)) => {
            let file = options.yours.clone().unwrap_or_default();
            let message = format!("these results are not shown beside the book's: {error:#}");
            problems.push(Problem { file, line: None, message });
            None
        }
        Some(Ok(false)) | None => None,
    };
    let subscriber = tracing_subscriber::registry().with(said.clone());
    tracing::subscriber::with_default(subscriber, || {
        let mut book = MDBook::load_with_config(root, config)?;
        let results = options.results.as_deref().map(absolute).transpose()?;
        book.with_renderer(renderer);
        book.with_preprocessor(Ladder { results, yours }).with_preprocessor(Mermaid).build()
    })?;
    problems.extend(said.take());
    Ok(problems)
}

/// Whether there is something to show in a folder of the reader's own results.
///
/// # Errors
/// When a file in it can't be read, or is no result.
pub(crate) fn own_results(folder: &Path) -> Result<bool> {
    let results = Results::read(folder)?;
    let nothing =
        results.is_empty() && results.experiments.is_empty() && results.has_no_recording();
    Ok(!nothing)
}

/// Removes what builds left behind that were killed. A young folder may belong to one that is at work.
fn remove_abandoned(beside: &Path) {
    let Ok(entries) = fs::read_dir(beside) else { return };
    for entry in entries.flatten() {
        let changed = entry.metadata().and_then(|data| data.modified()).ok();
        let old = changed.and_then(|then| then.elapsed().ok()).is_some_and(|age| age > ABANDONED);
        if old && entry.file_name().to_string_lossy().starts_with(IN_WORK) {
            // One that can't be removed costs only space.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("cannot tell where {} is", path.display()))
}

/// Puts the folder `fresh` in the place of `destination`, and removes what was there.
///
/// # Errors
/// When a folder can't be moved, for instance because another program holds a file in it open.
pub fn replace(fresh: &Path, destination: &Path) -> Result<()> {
    let old = fresh.with_file_name("old");
    let had = destination.exists();
    if had {
        fs::rename(destination, &old)
            .with_context(|| format!("cannot move {} away", destination.display()))?;
    }
    if let Err(error) = fs::rename(fresh, destination) {
        if had {
            // Better the last good book than none.
            let _ = fs::rename(&old, destination);
        }
        return Err(error)
            .with_context(|| format!("cannot move the book to {}", destination.display()));
    }
    // `old` is in the temporary folder, and goes with it.
    Ok(())
}

/// Fails if there are problems, and names all of them.
pub(crate) fn fail_on(problems: &[Problem]) -> Result<()> {
    match problems {
        [] => Ok(()),
        [problem] => bail!("{problem}"),
        several => {
            let mut text = format!("{} problems:", several.len());
            for problem in several {
                let _ = write!(text, "\n  {problem}");
            }
            bail!(text)
        }
    }
}

/// What mdBook leaves in every book that it builds.
const IN_EACH_BOOK: [&str; 3] = [".nojekyll", "index.html", "toc.html"];

/// What shows that a folder with a book in it is somebody's checkout of a published site.
const IN_NO_BOOK: [&str; 3] = [".git", ".github", "CNAME"];

/// Fails where a build would delete the book's sources, or something else that is no built book.
///
/// mdBook empties its output folder before it writes. Its default for that
/// folder is `book`, where our sources are, and an environment variable
/// (`MDBOOK_BUILD__BUILD_DIR`) can set it to anything.
///
/// # Errors
/// When the output folder holds the sources, lies among them, or is neither empty nor an earlier build.
pub fn refuse_to_delete(root: &Path, config: &Config) -> Result<()> {
    let source = resolved(&root.join(&config.book.src))?;
    let output = resolved(&root.join(&config.build.build_dir))?;
    if output.starts_with(&source) || source.starts_with(&output) {
        bail!(
            "refusing to build into {}: a build empties its output folder, and that would delete the book's \
             sources in {}. Set `build-dir` in book.toml (or MDBOOK_BUILD__BUILD_DIR) to another folder, such as target/book",
            output.display(),
            source.display()
        );
    }
    let entries = match fs::read_dir(&output) {
        Ok(entries) => entries.flatten().map(|entry| entry.file_name()).collect::<Vec<_>>(),
        // It does not exist yet.
        Err(_) => return Ok(()),
    };
    if entries.is_empty() {
        return Ok(());
    }
    let is_book = IN_EACH_BOOK.iter().all(|name| entries.iter().any(|entry| entry == name));
    let foreign = entries.iter().find(|entry| IN_NO_BOOK.iter().any(|name| *entry == name));
    let why = match foreign {
        Some(name) => format!("it holds {}, which no build has made", name.to_string_lossy()),
        None if is_book => return Ok(()),
        None => "what is in it is no built book".to_owned(),
    };
    bail!(
        "refusing to build into {}: a build empties that folder, and {why}. \
         Set `build-dir` (or `--out`) to a new or an empty folder, such as target/book",
        output.display()
    )
}

/// The path as the file system has it, even if its last parts do not exist yet.
fn resolved(path: &Path) -> Result<PathBuf> {
    let path = absolute(path)?;
    let mut missing = Vec::new();
    let mut existing = path.as_path();
    loop {
        match fs::canonicalize(existing) {
            Ok(found) => {
                let mut resolved = found;
                for name in missing.iter().rev() {
                    match name {
                        std::path::Component::ParentDir => {
                            resolved.pop();
                        }
                        name => resolved.push(name),
                    }
                }
                return Ok(resolved);
            }
            Err(_) => {
                let last = existing.components().next_back();
                missing.push(last.with_context(|| format!("{} is no folder", path.display()))?);
                existing = existing.parent().unwrap_or(Path::new(""));
            }
        }
    }
}

/// Fails where mdBook would silently ignore the whole table `[output.html]` for one wrong word in it.
///
/// # Errors
/// When the table is there and can't be used, or is not there at all.
pub fn refuse_dropped_table(config: &Config) -> Result<()> {
    let table: Option<mdbook_driver::config::HtmlConfig> = config
        .get("output.html")
        .context("mdBook would ignore all of [output.html] in book.toml")?;
    table.map(drop).context("book.toml has no table [output.html]")
}

/// Collects what mdBook logs as a warning or an error.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<Problem>>>);

impl Said {
    fn take(&self) -> Vec<Problem> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S: Subscriber> Layer<S> for Said {
    fn on_event(&self, event: &Event<'_>, _context: LayerContext<'_, S>) {
        let level = *event.metadata().level();
        if level > Level::WARN {
            return;
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        let problem = Problem {
            file: PathBuf::from("mdBook"),
            line: None,
            message: format!("{level}: {}", message.0),
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(problem);
    }
}

/// The text of an event.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changed;

    const SETTINGS: &str = "[book]\ntitle = \"T\"\nsrc = \"book\"\n[build]\nbuild-dir = \"target/book\"\n\
                            create-missing = false\n[output.html]\n";

    fn repository(page: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("book")).unwrap();
        fs::write(folder.path().join("book.toml"), SETTINGS).unwrap();
        fs::write(folder.path().join("book/SUMMARY.md"), "- [A](a.md)\n").unwrap();
        fs::write(folder.path().join("book/a.md"), page).unwrap();
        folder
    }

    fn try_build(root: &Path) -> Result<Built> {
        build(root, &BuildOptions::default(), replace)
    }

    fn settings(build_dir: &str) -> Config {
        let text = SETTINGS.replace("target/book", build_dir);
        text.parse().unwrap()
    }

    #[test]
    fn a_build_never_empties_the_sources() {
        let folder = repository("# A\n");
        let root = folder.path();
        fs::create_dir(root.join("precious")).unwrap();
        fs::write(root.join("precious/file"), "").unwrap();
        for danger in
            ["book", "./book", "book/html", ".", "target/../book", "x/../book", "precious"]
        {
            assert!(refuse_to_delete(root, &settings(danger)).is_err(), "{danger}");
        }
        let absolute = root.join("book");
        assert!(refuse_to_delete(root, &settings(absolute.to_str().unwrap())).is_err());
        for fine in ["target/book", "books", "precious/new"] {
            refuse_to_delete(root, &settings(fine)).unwrap();
        }
        // A checkout of a published book: it has all that a built one has, and a history.
        for name in IN_EACH_BOOK {
            fs::create_dir_all(root.join("site")).unwrap();
            fs::write(root.join("site").join(name), "").unwrap();
        }
        refuse_to_delete(root, &settings("site")).unwrap();
        for name in IN_NO_BOOK {
            fs::write(root.join("site").join(name), "").unwrap();
            let error = refuse_to_delete(root, &settings("site")).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
            fs::remove_file(root.join("site").join(name)).unwrap();
        }
        fs::remove_file(root.join("site/toc.html")).unwrap();
        assert!(refuse_to_delete(root, &settings("site")).is_err());
        // mdBook's own default.
        let default: Config = "[book]\nsrc = \"book\"\n".parse().unwrap();
        assert!(refuse_to_delete(root, &default).is_err());
        assert!(root.join("book/a.md").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_sources_is_seen_through() {
        let folder = repository("# A\n");
        std::os::unix::fs::symlink(folder.path().join("book"), folder.path().join("out")).unwrap();
        assert!(refuse_to_delete(folder.path(), &settings("out")).is_err());
    }

    #[test]
    fn a_table_that_mdbook_drops_is_an_error() {
        let config: Config = format!("{SETTINGS}no-such-setting = 1\n").parse().unwrap();
        let error = refuse_dropped_table(&config).unwrap_err();
        assert!(format!("{error:#}").contains("no-such-setting"), "{error:#}");
        assert!(refuse_dropped_table(&Config::default()).is_err());
    }

    #[test]
    fn a_book_is_built_and_replaced_only_by_a_good_one() {
        let folder = repository("# A\n\nfirst\n\n```mermaid\nflowchart LR\n```\n");
        let root = folder.path();
        let built = try_build(root).unwrap();
        let page = || fs::read_to_string(built.folder.join("a.html")).unwrap();
        assert!(page().contains("first") && page().contains("<pre class=\"mermaid\">"));
        for (broken, complaint) in [
            ("# A\n\n[x](nowhere.md)\n", "book/a.md:3: `nowhere.html` leads to"),
            ("# A\n\n{{#include ../no.rs}}\n", "book/a.md:3: {{#include ../no.rs}}: cannot read"),
            ("# A\n\n{{#results ch06_tokio}}\n", "`cargo xtask bench`"),
            ("# A\n\n<div>\n\nunclosed\n", "WARN"),
        ] {
            fs::write(root.join("book/a.md"), broken).unwrap();
            let error = format!("{:#}", try_build(root).unwrap_err());
            assert!(error.contains(complaint), "{error}");
            assert!(page().contains("first"));
        }
        let left: Vec<_> = fs::read_dir(root.join("target")).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");

        // A lenient build keeps a book with a dead link, and says so.
        fs::write(root.join("book/a.md"), "# A\n\nsecond [x](nowhere.md)\n").unwrap();
        let options = BuildOptions { lenient: true, ..BuildOptions::default() };
        let lenient = build(root, &options, replace).unwrap();
        assert_eq!(lenient.problems.len(), 1, "{:?}", lenient.problems);
        assert!(page().contains("second"));
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
            assert_eq!(
                pages.iter().map(|page| page.0.to_str().unwrap()).collect::<Vec<_>>(),
                names
            );
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

    #[test]
    fn a_recording_alone_is_something_to_show() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("observed/ch06_tokio.json");
        fs::create_dir(file.parent().unwrap()).unwrap();
        assert!(!own_results(folder.path()).unwrap());
        let mut recording = records::testing::recording();
        fs::write(&file, serde_json::to_vec(&recording).unwrap()).unwrap();
        assert!(own_results(folder.path()).unwrap());
        recording.threads[0].spans[0].1 = 2000;
        fs::write(&file, serde_json::to_vec(&recording).unwrap()).unwrap();
        let error = format!("{:#}", own_results(folder.path()).unwrap_err());
        assert!(error.contains("ch06_tokio.json is broken: thread worker <1>"), "{error}");
    }

    #[test]
    fn the_readers_own_figures_stand_beside_the_books_if_they_can_be_read() {
        use records::testing::{pool, write};
        let folder = repository("# A\n\n{{#experiment pool-law}}\n");
        let root = folder.path();
        write(&root.join("book/results"), "pool-law", &pool());
        let own = root.join("target/results");
        let page = |yours: Option<&Path>| {
            let yours = yours.map(Path::to_path_buf);
            let options = BuildOptions { yours, lenient: true, ..BuildOptions::default() };
            let built = build(root, &options, replace).unwrap();
            (fs::read_to_string(built.folder.join("a.html")).unwrap(), built.problems)
        };
        let (alone, problems) = page(None);
        assert!(alone.contains("<svg class=\"wide\"") && problems.is_empty(), "{problems:?}");
        // No folder, and one without results.
        for _ in 0..2 {
            assert_eq!(page(Some(&own)).0, alone);
            fs::create_dir_all(&own).unwrap();
        }
        write(&own, "pool-law", &pool());
        let (both, problems) = page(Some(&own));
        assert!(both.contains("<em>yours:</em>") && problems.is_empty(), "{problems:?}");
        fs::write(own.join("experiments/pool-law.json"), "{").unwrap();
        let (alone_again, problems) = page(Some(&own));
        assert_eq!(alone_again, alone);
        assert!(problems[0].message.contains("pool-law.json is not a result"), "{problems:?}");
    }
}
