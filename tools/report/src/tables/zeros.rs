//! Rows and columns that say nothing, because they are 0 throughout.

use crate::text::{ABSENT, listed};

/// A row or a column of a table: its name, and the text of its cells.
pub type Column = (&'static str, Vec<String>);

/// Takes out what is 0 wherever it is known, and returns the names of that apart.
pub fn without_zeros(rows: Vec<Column>) -> (Vec<Column>, Vec<&'static str>) {
    let says_something = |cells: &[String]| cells.iter().any(|cell| cell != "0" && cell != ABSENT);
    let (kept, zeros): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|(_, cells)| says_something(cells));
    (kept, zeros.into_iter().map(|(name, _)| name).collect())
}

/// The sentence below a table that names what [`without_zeros`] has taken out.
pub fn zeros_sentence(names: &[&str]) -> Option<String> {
    let why = match names.len() {
        0 => return None,
        1 => "it is 0 throughout",
        _ => "they are 0 throughout",
    };
    let names: Vec<String> = names.iter().map(|name| format!("*{name}*")).collect();
    Some(format!("Left out, because {why}: {}.", listed(&names)))
}
