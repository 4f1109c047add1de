//! Builds, checks and serves the book: its directives, its questions, and what mdBook passes over in silence.
//!
//! It must not know how anything is measured.

use std::{
    fmt::{self, Display, Formatter},
    path::PathBuf,
};

pub mod build;
pub mod changed;
pub mod check;
pub mod directives;
pub mod predict;
pub mod serve;

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
