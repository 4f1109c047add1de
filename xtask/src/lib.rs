//! The tool behind `cargo xtask`: builds the book, serves it, and measures the servers.
//!
//! The binary is only the command line; everything it does is in here, so that
//! the tests of the book can call it:
//!
//! - [`book`] builds the book through mdBook's own library.
//! - [`changed`] renders only the pages that changed, while the book is served.
//! - [`check`] finds what mdBook passes over in silence: absent includes and anchors, dead links.
//! - [`doctor`] says what a machine lacks for all this.
//! - [`ladder`] is the preprocessor that fills in diffs and measured figures.
//! - [`pack`] makes the archive for a room without a network.
//! - [`print`](mod@print) makes a PDF and an EPUB of the book.
//! - [`predict`] turns the questions of a page into forms, and holds their answers against the results.
//! - [`results`] is the form in which measurements are stored, and [`tables`] how a page shows them.
//! - [`experiments`] compare variants round by round; [`evidence`] and [`charts`] are how a page shows them.
//! - [`learn`] leads through the exercises, and shows them on the pages.
//! - [`replay`] shows on a page what [`observe`] has recorded.
//! - [`mod@run`] lists the servers, and starts one.
//! - [`serve`] is the web server for whoever reads or writes the book.
//! - [`observe`] records what the threads and tasks of a rung do.
//! - [`workshop`] collects the notes for teachers, and adds their minutes up to agendas.
//! - [`mod@bench`] measures, and [`experiments`] compares variants round by round.

#[cfg(not(test))]
use std::io::{self, Write};
use std::{
    fmt::{self, Display, Formatter},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

pub mod bench;
pub mod book;
pub mod changed;
pub mod charts;
pub mod check;
pub mod doctor;
pub mod evidence;
pub mod experiments;
pub mod ladder;
pub mod learn;
pub mod models;
pub mod observe;
pub mod pack;
pub mod predict;
pub mod print;
pub mod replay;
pub mod results;
pub mod run;
pub mod serve;
pub mod tables;
pub mod workshop;

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

/// The repository's root: the nearest folder, from the current one upwards, that holds `book.toml`.
///
/// # Errors
/// When no folder above holds one.
pub fn find_root() -> Result<PathBuf> {
    let here = std::env::current_dir().context("cannot tell the current folder")?;
    here.ancestors()
        .find(|folder| folder.join("book.toml").is_file())
        .map(Path::to_path_buf)
        .with_context(|| {
            format!(
                "no book.toml in {} or above it: run this inside the repository",
                here.display()
            )
        })
}

/// Prints a line, and does not mind when nobody reads it any more.
///
/// `println!` panics there, so `cargo xtask bench | head` would end a session that writes its results to files.
pub fn say(line: impl Display) {
    // The harness of the tests keeps back only what the macros print.
    #[cfg(test)]
    println!("{line}");
    #[cfg(not(test))]
    let _ = writeln!(io::stdout(), "{line}");
}

/// A number with `decimals` digits after the point and a comma at every third digit before it.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (sign, digits) = match text.strip_prefix('-') {
        // A number that rounds to nothing has no sign.
        Some(digits) if digits.bytes().any(|byte| matches!(byte, b'1'..=b'9')) => ("-", digits),
        Some(digits) => ("", digits),
        None => ("", text.as_str()),
    };
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = String::from(sign);
    for (index, digit) in whole.char_indices() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

/// A measured number with as many digits as it deserves: three, or all of a whole number.
pub fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        // 99.97 becomes 100, and not 100.0.
        0.0 | 99.95.. => 0,
        9.995.. => 1,
        0.1.. => 2,
        tiny => 1 + (-tiny.log10()).ceil().clamp(0.0, 8.0) as usize,
    };
    number(value, decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_decimals() {
        assert_eq!(number(0.0, 0), "0");
        assert_eq!(number(999.5, 0), "1,000");
        assert_eq!(number(1234567.891, 2), "1,234,567.89");
        assert_eq!(number(-1234.0, 0), "-1,234");
        assert_eq!(number(-0.001, 1), "0.0");
        assert_eq!(number(12.0, 3), "12.000");
    }

    #[test]
    fn measured_numbers_have_the_digits_they_deserve() {
        for (value, text) in [
            (0.0, "0"),
            (12345.6, "12,346"),
            (-123.4, "-123"),
            (99.97, "100"),
            (39.84, "39.8"),
            (9.996, "10.0"),
            (3.984, "3.98"),
            (0.5, "0.50"),
            (0.0123, "0.012"),
            (1e-5, "0.000010"),
        ] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn a_problem_reads_like_a_compilers_line() {
        let problem =
            Problem { file: "book/a.md".into(), line: Some(3), message: "no such file".into() };
        assert_eq!(problem.to_string(), "book/a.md:3: no such file");
    }
}
