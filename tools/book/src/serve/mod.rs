//! Serves the book to whoever reads or writes it, and builds it again whenever a source changes.

mod host;
mod server;
pub(crate) mod start;
mod watch;

use std::{
    path::Path,
    sync::{Arc, mpsc::RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use mdbook_driver::config::Config;
use records::{base::say, results::Results};

use self::{
    server::{Served, VERSION_PATH, answer_all, listen},
    watch::watch,
};
use crate::{
    build::{ANNOUNCED, render, settings},
    preprocessor::Ladder,
    published,
};

/// How long nothing more may change before the search and the page of all pages follow. Who writes saves every few
/// seconds, and a change waits for a build that has begun.
const WHOLE_AFTER: Duration = Duration::from_secs(10);

/// The folder to which `cargo xtask observe` writes on a machine that is not the book's.
const YOURS: &str = "target/results";

/// The parts of the book that are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parts {
    All,
    /// Without the search and the page of all pages, which take most of the time.
    Pages,
}

/// Builds the book of the repository at `root`, serves it, and builds it again whenever a source changes, which it looks for
/// itself if `polls`. Ends with the process.
///
/// # Errors
/// When `book.toml` is wrong, or no port can be had.
pub(crate) fn serve(root: &Path, port: u16, open: bool, polls: bool) -> Result<()> {
    // The port first: whoever has it keeps it, and we say so before the work.
    let listener = listen(port)?;
    let url = format!("http://{}/", listener.local_addr().context("cannot tell the port")?);
    let yours = Some(root.join(YOURS)).filter(|folder| folder.is_dir());
    if let Some(folder) = &yours
        && Results::read(folder).is_ok_and(|results| !results.is_empty())
    {
        say(format_args!("Your own recordings in {YOURS} are shown next to the book's."));
    }
    let watched: Vec<&Path> = yours.iter().map(|folder| folder.as_path()).collect();
    let changes = watch(root, &watched, polls)?;
    let folder = root.join(settings(root)?.build.build_dir);
    let book = Arc::new(Served::new(root, folder));
    let ladder = Ladder { yours: yours.clone(), somebody_writes: true };
    say(ANNOUNCED);
    build(&book, root, &ladder, Parts::All);
    book.state().version += 1;
    say(format_args!("The book is at {url} (Ctrl-C ends this)."));
    if open && let Err(error) = open::that_detached(&url) {
        say(format_args!("No browser could be opened ({error}); open that address yourself."));
    }
    let served = Arc::clone(&book);
    thread::spawn(move || answer_all(&listener, &served));
    // Whether the pages are newer than the search and the page of all pages.
    let mut is_behind = false;
    loop {
        let wait = if is_behind { WHOLE_AFTER } else { Duration::MAX };
        let parts = match changes.recv_timeout(wait) {
            Ok(()) => Parts::Pages,
            Err(RecvTimeoutError::Timeout) => Parts::All,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        // What changed while the last book was built is in the next one.
        while changes.try_recv().is_ok() {}
        let is_built = build(&book, root, &ladder, parts);
        is_behind = is_built && parts == Parts::Pages;
        // For a search alone, no open page loads again.
        if is_behind {
            book.state().version += 1;
        }
    }
}

/// Builds these parts of the book, while no file of it is read. Whether that went well.
fn build(book: &Served, root: &Path, ladder: &Ladder, parts: Parts) -> bool {
    let start = Instant::now();
    let built = book.alone(|| render(root, config(root, parts)?, ladder.clone()));
    let error = built.err().map(|error| format!("{error:#}"));
    match &error {
        Some(error) => eprintln!("error: {error}"),
        None => {
            let what = if parts == Parts::All { "The whole book" } else { "Its pages" };
            say(format_args!("{what} took {:.1} s.", start.elapsed().as_secs_f64()));
        }
    }
    let is_built = error.is_none();
    book.state().error = error;
    is_built
}

/// The book's settings, as it is served.
fn config(root: &Path, parts: Parts) -> Result<Config> {
    let mut config = settings(root)?;
    // Wherever the book is published, here it lies at the top of its host.
    published::serve_at_the_top(&mut config)?;
    // By this mdBook's template knows that a page has to ask for its version.
    config.set("output.html.live-reload-endpoint", VERSION_PATH.trim_start_matches('/'))?;
    if parts == Parts::Pages {
        config.set("output.html.search.enable", false)?;
        config.set("output.html.print.enable", false)?;
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::{SETTINGS, repository};

    #[test]
    fn a_change_is_served_without_its_search_and_a_fault_leaves_the_last_book() {
        let folder = repository("# A\n\nfirst\n");
        let root = folder.path();
        let search = "[output.html.search]\nenable = true\n[output.html.print]\nenable = true\n";
        let site = "site-url = \"https://example.org/book/\"\n";
        fs::write(root.join("book.toml"), format!("{SETTINGS}{site}{search}")).unwrap();
        let book = Served::new(root, root.join("target/book"));
        let has = |name: &str| root.join("target/book").join(name).exists();
        let page = |name: &str| fs::read_to_string(root.join("target/book").join(name)).unwrap();
        let ladder = Ladder { somebody_writes: true, ..Ladder::default() };
        assert!(build(&book, root, &ladder, Parts::All));
        assert!(has("print.html") && page("a.html").contains("searchindex"));
        assert!(page("404.html").contains("<base href=\"/\">"));

        fs::write(root.join("book/a.md"), "# A\n\n```mermaid\nflowchart LR\n```\n").unwrap();
        assert!(build(&book, root, &ladder, Parts::Pages));
        assert!(!has("print.html") && !page("a.html").contains("searchindex"));
        assert!(page("a.html").contains("<pre class=\"mermaid\">"), "{}", page("a.html"));

        fs::write(root.join("book/a.md"), "# A\n\n{{#nonsense}}\n").unwrap();
        assert!(!build(&book, root, &ladder, Parts::Pages));
        let error = book.state().error.clone().unwrap();
        assert!(error.contains("book/a.md:3") && page("a.html").contains("mermaid"), "{error}");
        fs::write(root.join("book/a.md"), "# A\n\nlast\n").unwrap();
        assert!(build(&book, root, &ladder, Parts::All) && book.state().error.is_none());
    }
}
