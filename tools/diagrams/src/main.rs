//! `cargo xtask diagrams`: the diagrams of the pages as drawings.
//!
//! It must not know how a page is made: it draws the blocks that the book finds in its pages.

mod clean;
mod draw;
mod rules;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use base::{find_root, say};
use book::diagrams::{self, Diagrams};
use clap::Parser;

/// Draw the diagrams of the pages, with Chromium; the drawings go to book/diagrams
#[derive(Parser)]
#[command(name = "cargo xtask diagrams", bin_name = "cargo xtask diagrams")]
struct Cli {
    /// Write nothing: draw all diagrams anew, and fail where one differs from its drawing
    #[arg(long)]
    check: bool,
}

type Files = BTreeMap<PathBuf, String>;

fn main() -> ExitCode {
    base::end_with(run(&Cli::parse()))
}

fn run(cli: &Cli) -> Result<()> {
    let source = find_root()?.join("book");
    let folder = source.join(diagrams::FOLDER);
    let blocks = blocks(&source)?;
    if cli.check {
        let (fresh, mut faults) = draw::draw(&source, &blocks)?;
        faults.extend(differing(&texts(&folder)?, &fresh));
        say(format_args!("{} diagrams drawn again.", blocks.len()));
        return none(&faults);
    }
    let book = Diagrams::of(&source);
    let missing: Vec<String> =
        blocks.iter().filter(|it| book.figure(it).is_err()).cloned().collect();
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (files, faults) = draw::draw(&source, &missing)?;
    for (path, text) in &files {
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let names: BTreeSet<String> = blocks.iter().map(|block| book.name(block)).collect();
    let orphans = rules::orphans(texts(&folder)?.keys(), &names);
    for path in &orphans {
        fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    let (drawn, gone) = (files.len() / 2, orphans.len());
    say(format_args!("{drawn} diagrams drawn, {gone} files of others removed."));
    none(&faults)
}

/// Fails with all faults at once.
fn none(faults: &[String]) -> Result<()> {
    match faults {
        [] => Ok(()),
        _ => bail!("not every diagram can be drawn:\n  {}", faults.join("\n  ")),
    }
}

fn blocks(source: &Path) -> Result<Vec<String>> {
    let mut blocks = Vec::new();
    for (path, text) in texts(source)? {
        if path.extension().is_some_and(|ending| ending == "md") {
            blocks.extend(diagrams::blocks(&text).into_iter().map(|block| block.source));
        }
    }
    Ok(blocks)
}

/// The files of a folder, if it is there, that hold text.
fn texts(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        if path.is_file()
            && let Ok(text) = fs::read_to_string(&path)
        {
            files.insert(path, text);
        }
    }
    Ok(files)
}

/// The names of the files that are missing or not alike. Another browser may place a word a pixel away.
fn differing(old: &Files, fresh: &Files) -> Vec<String> {
    let differs = |path: &&PathBuf| match (old.get(*path), fresh.get(*path)) {
        (Some(one), Some(other)) => !rules::alike(one, other),
        _ => true,
    };
    let paths: BTreeSet<&PathBuf> = old.keys().chain(fresh.keys()).collect();
    let differing = paths.into_iter().filter(differs);
    differing.map(|path| format!("{} is drawn otherwise now", path.display())).collect()
}
