//! Where is everybody: a learner's place in one line, and a class in one table and on one page.
//!
//! Nothing is sent: a line is read out or pasted, and files are collected in whatever way a class has.

mod class;
mod page;
mod place;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::SystemTime,
};

use anyhow::{Result, ensure};
use records::{
    base::{plain, say},
    files::write_whole,
};

use self::{class::Class, place::Place};
use crate::learner::Learner;

/// The page of a class, from the repository's root.
const PAGE: &str = "target/where-is-everybody.html";

impl Learner<'_> {
    /// Prints the learner's place in one line, and first keeps the name, if one is given; an empty one is taken away.
    pub(crate) fn report(&self, name: Option<&str>) -> Result<()> {
        if let Some(name) = name.map(plain) {
            self.change(|progress| progress.name = Some(name).filter(|name| !name.is_empty()))?;
        }
        let place = Place::of(self, &self.progress()?);
        if place.name.is_empty() {
            eprintln!("`cargo xtask learn report --name \"pair 7\"` puts a name before this line.");
        }
        say(place);
        Ok(())
    }
}

/// Prints the table of a class, and writes its page. What can't be read is named, and then this ends with a failure, after
/// the rest was shown. Fails when nothing can be read, or the page can't be written.
pub(crate) fn report_class(root: &Path, paths: &[PathBuf]) -> Result<ExitCode> {
    let class = Class::read(root, paths)?;
    for fault in &class.faults {
        eprintln!("{fault}");
    }
    ensure!(!class.rows.is_empty(), "there is nothing to show");
    class.print();
    let file = root.join(PAGE);
    write_whole(&file, page::page(&class, SystemTime::now()).as_bytes())?;
    say(format_args!("\nThe same as a page: {}", file.display()));
    Ok(if class.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
