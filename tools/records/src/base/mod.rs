//! Helpers for every crate: the repository's root, a line on the terminal, a name in it, a number in words, a fenced block, the id of a
//! heading, other people's programs and how each is installed, the programs that cargo has built.
//!
//! It must not know servers, records or pages.

pub mod built;
pub mod programs;

#[cfg(not(test))]
use std::io::{self, Write};
use std::{
    fmt::Display,
    path::{Path, PathBuf},
    process::{ExitCode, Termination},
};

use anyhow::{Context, Result};

/// Finds the repository's root: the nearest folder, from the current one upwards, that holds `book.toml` and
/// `Cargo.toml`. Fails when no folder above holds them.
///
/// Tests find it in the same way, because cargo starts them in their package's folder. The folder in which a program
/// was compiled says nothing: a checkout can be moved after its build, and cargo rebuilds nothing for that.
pub fn find_root() -> Result<PathBuf> {
    root_above(&std::env::current_dir().context("cannot tell the current folder")?)
}

fn root_above(here: &Path) -> Result<PathBuf> {
    let root = here.ancestors().find(|folder| is_root(folder));
    root.map(Path::to_path_buf).with_context(|| {
        let here = here.display();
        format!(
            "no book.toml with a Cargo.toml in {here} or above it: run this inside the repository"
        )
    })
}

fn is_root(folder: &Path) -> bool {
    folder.join("book.toml").is_file() && folder.join("Cargo.toml").is_file()
}

/// Ends a program: returns its exit code, and prints a failure as one line on standard error.
pub fn end_with(outcome: Result<impl Termination>) -> ExitCode {
    match outcome {
        Ok(end) => end.report(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line, and ignores the error where nobody reads it any more.
///
/// `println!` panics there, so `cargo xtask bench | head` would end a session that writes its results to files.
pub fn say(line: impl Display) {
    // The harness of the tests keeps back only what the macros print.
    #[cfg(test)]
    println!("{line}");
    #[cfg(not(test))]
    let _ = writeln!(io::stdout(), "{line}");
}

/// Makes a name fit into a line of a learner's place: without what would part it, and without what a terminal takes for a
/// command. No more than 40 letters are left.
pub fn plain(name: &str) -> String {
    let letters = name.chars().map(|letter| match letter {
        '·' => '-',
        letter if letter.is_control() => ' ',
        letter => letter,
    });
    let line = letters.collect::<String>().replace(": ", "- ");
    line.trim().chars().take(40).collect()
}

/// Finds the entries of this list, in a text of TOML, that lack some of these fields: a line for each, with all that it
/// lacks, where serde would name the first field alone. A text that isn't TOML has no entries.
pub fn missing_fields(text: &str, list: &str, fields: &[&str]) -> Vec<String> {
    let table: toml::Table = text.parse().unwrap_or_default();
    let entries = table.get(list).and_then(toml::Value::as_array);
    let mut lines = Vec::new();
    for (index, entry) in entries.into_iter().flatten().enumerate() {
        let missing: Vec<&str> =
            fields.iter().copied().filter(|field| entry.get(field).is_none()).collect();
        if !missing.is_empty() {
            let name = match entry.get("name").and_then(toml::Value::as_str) {
                Some(name) => name.to_owned(),
                None => format!("the {list} number {}", index + 1),
            };
            lines.push(format!("{name} lacks {}", missing.join(", ")));
        }
    }
    lines
}

/// Writes a fenced block whose fence is longer than any run of backticks inside it.
pub fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// Returns the `id` that mdBook gives to a heading with these words, where the heading names none and is the first of
/// its kind.
pub fn heading_id(words: &str) -> String {
    let mut id = String::new();
    for letter in words.trim().chars().flat_map(char::to_lowercase) {
        if letter.is_whitespace() {
            id.push('-');
        } else if letter.is_alphanumeric() || matches!(letter, '_' | '-') {
            id.push(letter);
        }
    }
    id
}

/// Writes a number with `decimals` digits after the point and a comma at every third digit before it.
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

/// Rounds to the value that [`number`] writes with `decimals` digits after the point.
pub fn rounded(value: f64, decimals: usize) -> f64 {
    // Multiplied by a power of ten, the value could be rounded to another digit than the one that is written.
    format!("{value:.decimals$}").parse().expect("a number that was just written")
}

/// Writes a measured number with as many digits as it deserves: three, or all of a whole number.
pub fn significant(value: f64) -> String {
    number(value, deserved_decimals(value))
}

/// Writes a number with as many decimals as it has, and at most six.
pub fn shortest(value: f64) -> String {
    let text = number(value, 6);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the number of digits after the point that a measured number deserves. Below a thousandth it gets no digit
/// that it doesn't have: 0.006 was stored to a thousandth, and 0.0060 would claim more.
pub fn deserved_decimals(value: f64) -> usize {
    match value.abs() {
        // 99.97 becomes 100, and not 100.0.
        0.0 | 99.95.. => 0,
        9.995.. => 1,
        0.1.. => 2,
        tiny => {
            let two = 1 + (-tiny.log10()).ceil().clamp(0.0, 8.0) as usize;
            let written = format!("{tiny}");
            let there = written.split_once('.').map_or(0, |(_, digits)| digits.len());
            two.min(there.max(3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_where_the_checkout_lies_today() {
        let before = find_root().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let [first, moved] = ["first", "moved"].map(|name| folder.path().join(name));
        // A book of a learner's own, below, is not the repository.
        let inside = Path::new("examples/live/notes");
        std::fs::create_dir_all(first.join(inside)).unwrap();
        for file in ["book.toml", "Cargo.toml", "examples/live/notes/book.toml"] {
            std::fs::write(first.join(file), "").unwrap();
        }
        assert_eq!(root_above(&first.join(inside)).unwrap(), first);
        std::fs::rename(&first, &moved).unwrap();
        assert_eq!(root_above(&moved.join(inside)).unwrap(), moved);
        let error = root_above(&first.join(inside)).unwrap_err().to_string();
        assert!(error.contains("run this inside the repository"), "{error}");
        assert_eq!(find_root().unwrap(), before);
    }

    #[test]
    fn a_name_parts_no_line() {
        for (name, line) in
            [(" a · b\u{1b}[2J\n", "a - b [2J"), ("Zoë: the second", "Zoë- the second"), (":", ":")]
        {
            assert_eq!(plain(name), line);
        }
    }

    #[test]
    fn headings_have_the_ids_of_mdbook() {
        for (words, id) in [
            ("A/A control", "aa-control"),
            ("HTTP/1.0 and HTTP/1.1", "http10-and-http11"),
            (" Little\u{2019}s law ", "littles-law"),
            ("TIME_WAIT", "time_wait"),
            ("head-of-line blocking", "head-of-line-blocking"),
        ] {
            assert_eq!(heading_id(words), id);
        }
    }

    #[test]
    fn numbers_have_commas_and_decimals() {
        assert_eq!(number(999.5, 0), "1,000");
        assert_eq!(number(1234567.891, 2), "1,234,567.89");
        assert_eq!(number(-1234.0, 0), "-1,234");
        assert_eq!(number(-0.001, 1), "0.0");
        assert_eq!(number(12.0, 3), "12.000");
        // 1.115 is a little less in binary, but 100 times as much is a little more than 111.5.
        assert_eq!((rounded(1.115, 2), number(1.115, 2).as_str()), (1.11, "1.11"));
        assert_eq!((rounded(-1234.5678, 1), rounded(0.5, 0)), (-1234.6, 0.0));
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
            (0.05, "0.050"),
            (0.006, "0.006"),
            (0.0063, "0.0063"),
            (0.00628, "0.0063"),
            (1e-5, "0.00001"),
        ] {
            assert_eq!(significant(value), text);
        }
    }
}
