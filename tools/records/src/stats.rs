//! Medians, and the digits with which a figure is stored.

/// Finds the middle value, or the mean of the two in the middle; `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(match values.len() % 2 {
        1 => upper,
        _ => (values[middle - 1] + upper) / 2.0,
    })
}

/// Rounds to thousandths, which are finer than anything that is measured here.
pub fn to_thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Rounds to millionths, for figures such as the context switches of a request, of which there may be less than one.
pub fn to_millionths(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
