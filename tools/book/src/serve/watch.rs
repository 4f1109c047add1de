//! Notices that a source of the book changed.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, Sender},
    thread,
    time::Duration,
};

use anyhow::{Context, Result};
use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use records::workshop::exercises::is_own;

/// How long nothing may change before we rebuild: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(50);

type Events = Sender<notify::Result<Event>>;

/// Tells whether an editor keeps a file of this name beside the file that it edits: the link with which Emacs locks a
/// file, and copies for a crash.
fn is_an_editors(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(['.', '#']) || name.ends_with('~')
}

/// The files and folders of which the book is made.
struct Sources {
    root: PathBuf,
    /// Folders, with all that is below them.
    folders: Vec<PathBuf>,
}

/// A message whenever something changed and then nothing more for a moment. If `polls`, the files are looked at each second.
pub(super) fn watch(root: &Path, results: &[&Path], polls: bool) -> Result<Receiver<()>> {
    let mut folders: Vec<PathBuf> =
        ["book", "examples", "exercises", "measurements"].map(|name| root.join(name)).into();
    for results in results {
        let found = fs::canonicalize(results);
        folders.push(found.with_context(|| format!("cannot watch {}", results.display()))?);
    }
    let sources = Sources { root: root.to_path_buf(), folders };
    let (events, raw) = mpsc::channel();
    let watcher = sources.start_watcher(&events, polls)?;
    let (sender, changes) = mpsc::channel();
    thread::spawn(move || {
        // It must live as long as this thread listens to it.
        let _watcher = watcher;
        while let Ok(event) = raw.recv() {
            if !sources.matters(&event) {
                continue;
            }
            while raw.recv_timeout(QUIET).is_ok() {}
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    Ok(changes)
}

impl Sources {
    /// The folder whose own files some pages include; its folders are the reader's.
    fn live(&self) -> PathBuf {
        self.root.join("examples/live")
    }

    /// Tells whether an event changes the book.
    fn matters(&self, event: &notify::Result<Event>) -> bool {
        let Ok(event) = event else { return true };
        // Reading a file is an event too; to answer that with a build, which reads, would never end.
        let writes = matches!(
            event.kind,
            EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Any
        );
        writes && event.paths.iter().any(|path| self.hold(path))
    }

    fn hold(&self, path: &Path) -> bool {
        let is_listing = path.extension().is_some_and(|ending| ending == "rs");
        ["book.toml", "README.md"].iter().any(|file| path == self.root.join(file))
            || is_listing && path.parent() == Some(&self.live())
            || self.folders.iter().any(|folder| path.starts_with(folder))
                && !path.starts_with(self.live())
                // A learner's own files are on no page, nor is what an editor keeps beside a file.
                && !is_own(&self.root, path)
                && !is_an_editors(path)
    }

    fn start_watcher(&self, events: &Events, polls: bool) -> Result<Box<dyn Watcher + Send>> {
        if !polls {
            let native = RecommendedWatcher::new(events.clone(), Config::default())
                .and_then(|mut watcher| self.add_to(&mut watcher).map(|()| watcher));
            if let Ok(watcher) = native {
                return Ok(Box::new(watcher));
            }
        }
        // The system may have run out of watches, or have none in a container.
        let every_second = Config::default().with_poll_interval(Duration::from_secs(1));
        let polling = PollWatcher::new(events.clone(), every_second)
            .and_then(|mut watcher| self.add_to(&mut watcher).map(|()| watcher));
        Ok(Box::new(polling.context("cannot watch the book's files")?))
    }

    fn add_to(&self, watcher: &mut dyn Watcher) -> notify::Result<()> {
        // An editor replaces a file by a new one, so its folder is what is watched.
        watcher.watch(&self.root, RecursiveMode::NonRecursive)?;
        self.folders.iter().try_for_each(|folder| watcher.watch(folder, RecursiveMode::Recursive))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_noticed_and_reading_is_none() {
        for polls in [false, true] {
            notices(polls);
        }
    }

    #[track_caller]
    fn notices(polls: bool) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::write(root.join("secret.txt"), "secret").unwrap();
        let sources = ["book", "examples", "exercises", "measurements"];
        for name in sources.into_iter().chain(["examples/live", "target", "target/results"]) {
            fs::create_dir(root.join(name)).unwrap();
        }
        let changes = watch(&root, &[&root.join("target/results")], polls).unwrap();
        let editors = ["book/.#a.md", "book/#a.md#", "book/a.md~", "examples/.x.rs.swp"];
        for own in ["target/x", "examples/live/Cargo.lock", "exercises/progress.json"]
            .into_iter()
            .chain(editors)
        {
            fs::write(root.join(own), "").unwrap();
        }
        fs::read(root.join("secret.txt")).unwrap();
        // Who polls looks twice in this time.
        let a_while = Duration::from_millis(if polls { 2500 } else { 600 });
        assert!(changes.recv_timeout(a_while).is_err());
        for matters in
            ["examples/x.rs", "target/results/a.json", "README.md", "examples/live/wrong.rs"]
        {
            fs::write(root.join(matters), "").unwrap();
            changes.recv_timeout(Duration::from_secs(20)).unwrap();
        }
    }
}
