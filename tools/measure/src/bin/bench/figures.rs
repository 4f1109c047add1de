//! Enters figures by their names, and looks them up.

use records::figures::Figures;

/// Enters a figure; `None` is one that the tool or the system does not give.
pub fn set(figures: &mut Figures, name: &str, value: impl Into<Option<f64>>) {
    if let Some(value) = value.into() {
        figures.insert(name.to_owned(), value);
    }
}

/// Returns the number of a figure, if there is one.
pub fn get(figures: &Figures, name: &str) -> Option<f64> {
    figures.get(name).copied()
}

/// Returns the number of a figure; 0 where there is none.
pub fn or_zero(figures: &Figures, name: &str) -> f64 {
    get(figures, name).unwrap_or_default()
}

/// Collects the figures that have a number.
pub fn named<const N: usize>(figures: [(&str, Option<f64>); N]) -> Figures {
    let mut named = Figures::new();
    for (name, value) in figures {
        set(&mut named, name, value);
    }
    named
}
