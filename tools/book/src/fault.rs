//! A fault in a page, with its place.

use std::path::Path;

use anyhow::Error;

/// Something in a page that can't be filled in.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The words of the page that it is about.
    pub text: String,
    /// Why, and what to do.
    pub error: Error,
}

impl Fault {
    /// A complaint that names the line, counted from 1, in the page's file, which has this text. What mdBook has put into
    /// the page by now is not in there, so its lines are others.
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
