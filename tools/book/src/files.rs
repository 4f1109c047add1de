//! The files of a folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Whether a file of this name is what an editor keeps beside the file that it edits: the link with which Emacs locks a
/// file, which leads nowhere, and copies for a crash.
pub(crate) fn is_an_editors(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(['.', '#']) || name.ends_with('~')
}

/// All files below a folder with this extension, in order, but for what editors keep there.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let path = entry.context("cannot read a folder")?.into_path();
        if path.extension().is_some_and(|found| found == extension) && !is_an_editors(&path) {
            files.push(path);
        }
    }
    Ok(files)
}
