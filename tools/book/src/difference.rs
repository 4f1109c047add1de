//! The difference of two files, as a page shows it.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use records::anchors::without_anchors;
use similar::TextDiff;

/// The unified difference of two files below `root`, without the comments that only mark an anchor. Fails when both are
/// the same.
pub(crate) fn unified(root: &Path, old: &str, new: &str) -> Result<String> {
    let read = |path: &str| -> Result<String> {
        let text = fs::read_to_string(root.join(path));
        // A checkout on Windows may have other line ends.
        let text = text.with_context(|| format!("cannot read {path}"))?.replace("\r\n", "\n");
        Ok(without_anchors(&text))
    };
    let (old_text, new_text) = (read(old)?, read(new)?);
    let diff = TextDiff::from_lines(&old_text, &new_text);
    let text = diff.unified_diff().context_radius(3).header(old, new).to_string();
    ensure!(!text.is_empty(), "{old} and {new} are the same");
    Ok(text)
}
