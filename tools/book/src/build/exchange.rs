//! The folder in which a book is made, and how it takes the place of the last one.

use std::{fs, path::Path, time::Duration};

use anyhow::{Context, Result};
use tempfile::TempDir;

/// How the name of a folder begins in which a book is being made.
const IN_WORK: &str = "book-in-work-";

/// The age from which such a folder belongs to no build any more.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// A temporary folder beside the book's final one, on the same file system.
pub(super) fn folder_beside(destination: &Path) -> Result<TempDir> {
    let beside = destination.parent().context("build-dir can't be the root of the file system")?;
    fs::create_dir_all(beside)
        .with_context(|| format!("cannot make the folder {}", beside.display()))?;
    remove_abandoned(beside);
    tempfile::Builder::new()
        .prefix(IN_WORK)
        .tempdir_in(beside)
        .with_context(|| format!("cannot make a folder in {}", beside.display()))
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

/// Puts the folder `fresh` in the place of `destination`, and removes what was there. Fails when a folder can't be
/// moved, for instance because another program holds a file in it open.
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
