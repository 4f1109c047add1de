//! `cargo xtask charts`: computes the figures that pages name and draws their charts, once an edition, from the records.
//! Its files are committed, and who reads the book computes nothing.
//!
//! It must not know how a figure is measured, nor how a page is built.

mod axis;
mod bands;
mod bars;
mod chart;
mod dots;
mod drawing;
mod edition;
mod figures;
mod labels;
mod lines;
mod measured;
mod named;
mod plot;
mod series;

use std::{fs, process::ExitCode};

use anyhow::{Context, Result};
use records::base::{end_with, find_root, say};

use crate::edition::{edition, left_over};

fn main() -> ExitCode {
    end_with(run())
}

fn run() -> Result<()> {
    let root = find_root()?;
    let files = edition(&root)?;
    for path in left_over(&root, &files)? {
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        say(format_args!("removed {}", path.strip_prefix(&root)?.display()));
    }
    for (path, text) in files {
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        records::files::write_whole(&path, text.as_bytes())?;
        say(format_args!("wrote {}", path.strip_prefix(&root)?.display()));
    }
    Ok(())
}
