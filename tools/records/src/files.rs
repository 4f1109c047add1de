//! The files of results: how they are listed, read, and written whole or not at all.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

/// Lists the files in a folder with this ending, by the rest of their names; none where there is no such folder.
pub(crate) fn with_ending(folder: &Path, ending: &str) -> Result<BTreeMap<String, PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        entries => entries.with_context(|| cannot_read(folder))?,
    };
    let mut files = BTreeMap::new();
    for entry in entries {
        let path = entry.with_context(|| cannot_read(folder))?.path();
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

/// Reads the text of a file, if it is there.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| cannot_read(path)),
    }
}

/// Reads a text that somebody has sent or saved, in whatever way: `>` of Windows PowerShell writes UTF-16, and an editor may
/// put a mark of the byte order before UTF-8. Fails when the file can't be read, or is no text.
pub fn read_sent(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| cannot_read(path))?;
    let text = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => {
            let (pairs, _) = rest.as_chunks();
            let units: Vec<u16> = pairs.iter().copied().map(u16::from_le_bytes).collect();
            String::from_utf16(&units).ok()
        }
        [0xef, 0xbb, 0xbf, rest @ ..] => str::from_utf8(rest).ok().map(str::to_owned),
        _ => String::from_utf8(bytes).ok(),
    };
    text.with_context(|| format!("{} is no text", path.display()))
}

/// Writes a file that is whole or absent: under another name first, then renamed. Fails when the folder can't be made
/// or written to.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write_beside(path, bytes)?;
    put_in_place(path)
}

/// Writes a file under another name, from which [`put_in_place`] gives it its own. Fails when the folder can't be made or
/// written to; nothing is left then.
pub(crate) fn write_beside(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = beside(path);
    let written = write(&beside, bytes);
    if written.is_err() {
        let _ = fs::remove_file(beside);
    }
    written.with_context(|| cannot_write(path))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().expect("a result's path has a folder"))?;
    let mut file = fs::File::create(path)?;
    file.write_all(bytes)?;
    // Without this a crash of the machine could leave an empty file under the final name.
    file.sync_all()
}

/// Gives a file that was written beside its place its name, instead of a file that has it already.
pub(crate) fn put_in_place(path: &Path) -> Result<()> {
    fs::rename(beside(path), path).with_context(|| cannot_write(path))
}

/// Returns the other name; [`with_ending`] passes over names that begin with a dot.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().expect("a result has a name").to_string_lossy();
    path.with_file_name(format!(".{name}.new"))
}

pub(crate) fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}; what was there before is kept", path.display())
}
