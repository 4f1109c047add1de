//! The files of results: read once, and written whole or not at all.

use std::{
    any::Any,
    collections::BTreeMap,
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

/// The files in a folder with this ending, by the rest of their names; none where there is no such folder.
pub(crate) fn with_ending(folder: &Path, ending: &str) -> Result<BTreeMap<String, PathBuf>> {
    let cannot_read = || format!("cannot read {}", folder.display());
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        entries => entries.with_context(cannot_read)?,
    };
    let mut files = BTreeMap::new();
    for entry in entries {
        let path = entry.with_context(cannot_read)?.path();
        if path.extension().is_some_and(|extension| extension == ending) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            // The link with which Emacs locks a file that it edits leads nowhere.
            if name.starts_with('.') {
                continue;
            }
            files.insert(name, path);
        }
    }
    Ok(files)
}

/// The text of a file, if it is there.
fn read_text(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// What the text of this file holds.
pub(crate) fn from_json<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T> {
    serde_json::from_str(text)
        .with_context(|| format!("{} is not a result of this tool", path.display()))
}

/// Files with their texts, and what was made of them.
type Kept = BTreeMap<PathBuf, (String, Arc<dyn Any + Send + Sync>)>;

/// What is made of the text of a file, if it is there: made once, and kept until the text is another one, or it does
/// not hold any more. A book that is served is built again and again from the same results.
pub(crate) fn keep<T: Send + Sync + 'static>(
    path: &Path,
    holds: impl FnOnce(&T) -> bool,
    make: impl FnOnce(&str) -> Result<T>,
) -> Result<Option<Arc<T>>> {
    static KEPT: Mutex<Kept> = Mutex::new(BTreeMap::new());
    let Some(text) = read_text(path)? else { return Ok(None) };
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let same = kept().get(path).filter(|(old, _)| *old == text).map(|(_, made)| Arc::clone(made));
    if let Some(Ok(made)) = same.map(Arc::downcast)
        && holds(&made)
    {
        return Ok(Some(made));
    }
    let made = Arc::new(make(&text)?);
    kept().insert(path.to_path_buf(), (text, Arc::clone(&made) as _));
    Ok(Some(made))
}

/// Writes a file that is whole or absent: under another name first, then renamed. Fails when the folder can't be made
/// or written to.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    put(temporary(path, bytes)?, path)
}

/// Writes a file beside `path`, under a name of its own. It is removed again if it is dropped.
pub(crate) fn temporary(path: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let folder = path.parent().expect("a result's path has a folder");
    let write = || -> std::io::Result<NamedTempFile> {
        fs::create_dir_all(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        // Without this a crash of the machine could leave an empty file under the final name.
        file.as_file().sync_all()?;
        // A temporary file is its owner's alone; a result is an ordinary file.
        #[cfg(unix)]
        file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
        Ok(file)
    };
    write().with_context(|| cannot_write(path))
}

/// Gives a file its name, in place of a file that has it already.
pub(crate) fn put(file: NamedTempFile, path: &Path) -> Result<()> {
    file.persist(path).map_err(|error| error.error).with_context(|| cannot_write(path))?;
    Ok(())
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}; what was there before is kept", path.display())
}
