//! A fault in a page, with its place.

use std::path::Path;

use anyhow::Error;

/// Something in a page that can't be filled in.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The words of the page that it is about.
    pub text: String,
    /// The reason, and what to do.
    pub error: Error,
}

impl Fault {
    /// Writes a complaint that names the line, counted from 1, in the page's file, which has the text `written`. The page
    /// that mdBook hands over has other lines, because it holds its includes.
    pub(crate) fn in_file(self, file: &Path, written: &str) -> String {
        // The same form on every system, so that an editor can jump to it.
        let file = file.to_string_lossy().replace('\\', "/");
        let place = match written.find(&self.text) {
            Some(byte) => format!("{file}:{}", written[..byte].matches('\n').count() + 1),
            None => file,
        };
        format!("{place}: {:#}", self.error)
    }
}
