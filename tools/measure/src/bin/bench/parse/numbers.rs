//! Parses the numbers that generators print, with their units, and checks that those are there which must be.

use anyhow::{Result, bail};
use records::figures::Figures;

use crate::figures::{get, or_zero, set};

/// Refuses an output in which one of these figures has no number.
pub fn require(tool: &str, figures: &Figures, names: &[&str]) -> Result<()> {
    match names.iter().find(|name| get(figures, name).is_none()) {
        Some(name) => bail!("{tool} printed no {name}"),
        None => Ok(()),
    }
}

/// Enters the sum of the errors of these kinds.
pub fn sum_errors(figures: &mut Figures, kinds: &[&str]) {
    let total: f64 = kinds.iter().map(|name| or_zero(figures, name)).sum();
    set(figures, "errors", total);
}

/// Parses a number without a unit.
pub fn plain(text: &str) -> Result<f64> {
    let value: Result<f64, _> = text.parse();
    match value {
        Ok(value) if value.is_finite() => Ok(value),
        _ => bail!("`{text}` is no number"),
    }
}

/// Parses a number with a unit letter: `11.60k`, `12.91MB`. `k`, `M` and the next are powers of `step`.
pub fn scaled(text: &str, step: f64) -> Result<f64> {
    let text = text.trim_end_matches('B');
    let power = match text.chars().last() {
        Some('k' | 'K') => 1,
        Some('M') => 2,
        Some('G') => 3,
        Some('T') => 4,
        Some('P') => 5,
        _ => return plain(text),
    };
    Ok(plain(&text[..text.len() - 1])? * step.powi(power))
}

/// Parses a time with its unit, to milliseconds: `626.00us`, `1.03ms`, `4.10s`, `1.50m`, `1.00h`.
pub fn milliseconds(text: &str) -> Result<f64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "us" => 0.001,
        "ms" => 1.0,
        "s" => 1000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        unit => bail!("`{unit}` in `{text}` is no unit of time"),
    };
    // Rounding takes away what binary fractions add: 0.626 and not 0.6260000000000001.
    Ok((plain(digits)? * factor * 1e6).round() / 1e6)
}
