//! What is wrong in the book, and where.

use std::{
    fmt::{self, Display, Formatter},
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

/// Something in the book that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, relative to the repository's root or to the output folder.
    pub file: PathBuf,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Problem {
    pub(crate) fn of(file: &Path, message: impl Into<String>) -> Problem {
        Problem { file: file.to_path_buf(), line: None, message: message.into() }
    }

    pub(crate) fn at(file: &Path, text: &str, byte: usize, message: String) -> Problem {
        Problem { line: Some(line_of(text, byte)), ..Problem::of(file, message) }
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // The same form on every system, so that an editor can jump to it.
        let file = self.file.to_string_lossy().replace('\\', "/");
        match self.line {
            Some(line) => write!(f, "{file}:{line}: {}", self.message),
            None => write!(f, "{file}: {}", self.message),
        }
    }
}

/// The line of a byte, counted from 1.
pub(crate) fn line_of(text: &str, byte: usize) -> usize {
    text[..byte].matches('\n').count() + 1
}

/// Fails if there are problems, and names all of them.
pub(crate) fn fail_on(problems: &[Problem]) -> Result<()> {
    match problems {
        [] => Ok(()),
        [problem] => bail!("{problem}"),
        several => {
            let lines: String = several.iter().map(|problem| format!("\n  {problem}")).collect();
            bail!("{} problems:{lines}", several.len())
        }
    }
}
