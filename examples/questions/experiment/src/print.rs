//! What an experiment prints.

use std::{fmt::Display, process};

use serde_json::{Map, json};

/// Says that the figures above come from a debug build, if they do.
pub fn say_if_debug() {
    if cfg!(debug_assertions) {
        println!("This was a debug build: with cargo run --release the figures can be compared.");
    }
}

/// Ends the process with status 1, after a line on standard error with the reason.
pub fn fail(program: &str, complaint: impl Display) -> ! {
    eprintln!("{program}: {complaint}");
    process::exit(1)
}

/// Prints `{"figures": {...}}`. A figure that could not be found out is left out.
pub fn print_figures(figures: &[(&str, Option<f64>)]) {
    let known = figures.iter().filter_map(|(name, value)| Some(((*name).to_owned(), (*value)?)));
    let figures: Map<_, _> = known.map(|(name, value)| (name, json!(value))).collect();
    println!("{}", json!({ "figures": figures }));
}

/// The middle one of some values, sorted here; 0 if there are none.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// A number without decimals, in groups of three digits: `12,345`.
pub fn thousands(number: f64) -> String {
    let digits = format!("{:.0}", number.max(0.0));
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        for (number, text) in [(0.0, "0"), (999.4, "999"), (1000.0, "1,000"), (1e6, "1,000,000")] {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn the_middle_one_is_found() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut []), 0.0);
    }
}
