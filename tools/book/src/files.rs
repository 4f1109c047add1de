//! The files of a folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// All files below a folder with this extension, in order.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let path = entry.context("cannot read a folder")?.into_path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    Ok(files)
}
