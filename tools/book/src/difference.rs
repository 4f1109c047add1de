//! The difference of two files, as a page shows it.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use similar::TextDiff;

use crate::anchors::without_anchors;

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

#[cfg(test)]
mod tests {
    use super::*;

    /// The most lines added and removed from one rung to the next: one idea, on one screen.
    const SCREEN: usize = 60;

    /// A rung, and the one before. The two ways to the fifth are both short.
    const NEIGHBOURS: [[&str; 2]; 7] = [
        ["ch01_single_threaded", "ch02_thread_spawn"],
        ["ch02_thread_spawn", "ch03_threadpool"],
        ["ch03_threadpool", "ch04_async_std"],
        ["ch04_async_std", "ch04_smol"],
        ["ch04_async_std", "ch05_futures_executor"],
        ["ch04_smol", "ch05_futures_executor"],
        ["ch05_futures_executor", "ch06_tokio"],
    ];

    #[test]
    fn neighbouring_rungs_differ_by_one_screen() {
        let root = base::find_root().unwrap();
        for [old, new] in NEIGHBOURS {
            let path = |rung: &str| format!("examples/{rung}/main.rs");
            let unified = unified(&root, &path(old), &path(new)).unwrap();
            // The first two lines name the files.
            let changed =
                unified.lines().skip(2).filter(|line| line.starts_with(['+', '-'])).count();
            assert!(changed > 0 && changed <= SCREEN, "{changed} changed lines:\n{unified}");
        }
    }
}
