//! Serves the book to whoever reads or writes it, and builds it again whenever a source changes.

mod files;
mod host;
mod reload;
mod server;
mod watch;

use std::{
    path::Path,
    sync::{Arc, mpsc::RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use mdbook_renderer::RenderContext;
use records::base::say;

use self::{
    server::{Served, answer_all, listen},
    watch::watch,
};
use crate::build::{self, BuildOptions, build_changed, changed, replace};

/// How long nothing more may change before the whole book follows the pages that changed. Who writes saves every few
/// seconds, and a change waits for a build that has begun; only the search and the warnings of dead links are late.
const WHOLE_AFTER: Duration = Duration::from_secs(10);

/// Builds the book, serves it, and builds it again whenever a source changes, which it looks for itself if `polls`. Ends with
/// the process. Fails when the settings are dangerous, or no port can be had.
pub fn serve(root: &Path, port: u16, open: bool, polls: bool, options: BuildOptions) -> Result<()> {
    let options = BuildOptions { lenient: true, ..options };
    // Once at the start: a reader who asked for some figures must not be shown others.
    let destination = root.join(build::settings(root, &options)?.build.build_dir);
    // The port first: whoever has it keeps it, and we say so before the work.
    let listener = listen(port)?;
    let url = format!("http://{}/", listener.local_addr().context("cannot tell the port")?);
    let yours = options.yours.as_deref().filter(|folder| folder.is_dir());
    if let Some(folder) = yours
        && build::own_recordings(folder).unwrap_or(false)
    {
        let folder = folder.strip_prefix(root).unwrap_or(folder).display();
        say(format_args!("Your own recordings in {folder} are shown next to the book's."));
    }
    let watched: Vec<&Path> = yours.into_iter().collect();
    let changes = watch(root, &watched, polls)?;
    say(build::ANNOUNCED);
    let book = Arc::new(Served::new(destination));
    let mut rendered = rebuild(&book, root, &options);
    say(format_args!("The book is at {url} (Ctrl-C ends this)."));
    if open && let Err(error) = open::that_detached(&url) {
        say(format_args!("No browser could be opened ({error}); open that address yourself."));
    }
    let served = Arc::clone(&book);
    thread::spawn(move || answer_all(&listener, &served));
    // Whether pages are shown that the search and the page for printing don't know yet.
    let mut is_behind = false;
    loop {
        let wait = if is_behind { WHOLE_AFTER } else { Duration::MAX };
        let change = changes.recv_timeout(wait);
        if change == Err(RecvTimeoutError::Disconnected) {
            return Ok(());
        }
        // What changed while the last book was built is in the next one.
        while changes.try_recv().is_ok() {}
        is_behind = change.is_ok()
            && rendered.as_mut().is_some_and(|last| show_changed(&book, root, &options, last));
        if !is_behind {
            rendered = rebuild(&book, root, &options).or(rendered);
        }
    }
}

/// Shows the pages that changed, and nothing else. Whether that did.
fn show_changed(
    book: &Served,
    root: &Path,
    options: &BuildOptions,
    last: &mut RenderContext,
) -> bool {
    let start = Instant::now();
    // What is wrong is said by the build of the whole book, which follows.
    let Ok(Some(pages)) = build_changed(root, options, last) else { return false };
    if book.alone(|| changed::put(&pages, &book.folder)).is_err() {
        return false;
    }
    book.state().built(true);
    let names: Vec<String> = pages.iter().map(|(name, _)| name.display().to_string()).collect();
    say(format_args!("{} is new, after {:.1} s.", names.join(", "), start.elapsed().as_secs_f64()));
    true
}

/// Builds the whole book. What was rendered, if it could be.
fn rebuild(book: &Served, root: &Path, options: &BuildOptions) -> Option<RenderContext> {
    let start = Instant::now();
    let mut is_new = true;
    let built = build::build(root, options, |fresh, destination| {
        // Where all changes are shown already, nobody's page has to load again.
        is_new = !changed::look_the_same(fresh, destination).unwrap_or(false);
        book.alone(|| replace(fresh, destination))
    });
    match built {
        Ok(built) => {
            book.state().built(is_new);
            for problem in &built.problems {
                eprintln!("warning: {problem}");
            }
            say(format_args!("The whole book took {:.1} s.", start.elapsed().as_secs_f64()));
            Some(built.rendered)
        }
        Err(error) => {
            let text = format!("{error:#}");
            eprintln!("error: {text}");
            book.state().error = Some(text);
            None
        }
    }
}
