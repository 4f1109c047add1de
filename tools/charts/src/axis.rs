//! Axes that end at round numbers.

use pictures::canvas::{Canvas, width};
use records::base::shortest;

/// An axis: its two ends, and the places of its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub log: bool,
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<f64>,
}

impl Axis {
    /// Makes an axis in powers of ten if it is logarithmic, else from 0.
    pub fn of(values: &[f64], log: bool, count: usize) -> Axis {
        if log { Axis::decades(values) } else { Axis::from_zero(values, count) }
    }

    /// Makes an axis from 0 to a round number.
    fn from_zero(values: &[f64], count: usize) -> Axis {
        let most = values.iter().copied().fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        let step = round_step(most / count as f64);
        let steps = (most / step - 1e-9).ceil().max(1.0);
        let ticks = (0..=steps as usize).map(|index| index as f64 * step).collect();
        Axis { log: false, low: 0.0, high: steps * step, ticks }
    }

    /// Makes a logarithmic axis between two round numbers. A value that is not above 0 has no logarithm and is drawn at the
    /// low end.
    fn decades(values: &[f64]) -> Axis {
        let mut least = f64::INFINITY;
        let mut most = 0.0_f64;
        for value in values.iter().copied().filter(|value| *value > 0.0) {
            least = least.min(value);
            most = most.max(value);
        }
        if least.is_infinite() {
            (least, most) = (1.0, 10.0);
        }
        let powers = least.log10().floor() as i32 - 1..=most.log10().ceil() as i32 + 1;
        let mut round: Vec<f64> = powers
            .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
            .collect();
        let below = round.iter().rfind(|value| **value <= least * 1.000_001);
        let above = round.iter().find(|value| **value >= most * 0.999_999);
        let low = below.copied().unwrap_or(least);
        let mut high = above.copied().unwrap_or(most);
        if high <= low {
            high = low * 10.0;
        }
        round.retain(|value| (low * 0.999_999..=high * 1.000_001).contains(value));
        let powers: Vec<f64> =
            round.iter().copied().filter(|value| is_power_of_ten(*value)).collect();
        Axis { log: true, low, high, ticks: if powers.len() > 2 { powers } else { round } }
    }

    /// Makes the horizontal axis of a line chart, from the least value to the greatest, with a tick at each.
    pub fn along(values: &[f64], log: bool) -> Axis {
        let mut ticks = values.to_vec();
        ticks.sort_unstable_by(f64::total_cmp);
        ticks.dedup();
        if log {
            ticks.retain(|value| *value > 0.0);
        }
        match ticks[..] {
            [low, .., high] if log => Axis { log, low, high, ticks },
            // Near 0 it begins there.
            [low, .., high] if low >= 0.0 && low < (high - low) / 5.0 => {
                Axis { log, low: 0.0, high, ticks }
            }
            [low, .., high] => Axis { log, low, high, ticks },
            _ => Axis::of(values, log, 1),
        }
    }

    /// Makes a horizontal axis that ends at round numbers around the values, and not at 0 if they are far from it.
    pub fn around(values: &[f64], log: bool, count: usize) -> Axis {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_near_zero = least < (most - least) / 5.0;
        if log || is_near_zero || least >= most {
            return Axis::of(values, log, count);
        }
        let step = round_step((most - least) / count as f64);
        let first = (least / step + 1e-9).floor() as usize;
        let last = (most / step - 1e-9).ceil() as usize;
        let ticks: Vec<f64> = (first..=last).map(|index| index as f64 * step).collect();
        Axis { log, low: first as f64 * step, high: last as f64 * step, ticks }
    }

    /// Returns the value, or its logarithm.
    fn scaled(&self, value: f64) -> f64 {
        if self.log { value.max(self.low).log10() } else { value }
    }

    /// Returns the pixel of a value between the two ends of the axis.
    pub fn place(&self, value: f64, (first, last): (i32, i32)) -> i32 {
        let (low, high) = (self.scaled(self.low), self.scaled(self.high));
        let share = (self.scaled(value) - low) / (high - low);
        first + (share * f64::from(last - first)).round() as i32
    }

    /// Leaves out numbers that would cover others, if the axis has this length. The first and the last stay.
    pub fn thin(&mut self, length: i32, canvas: Canvas) {
        let most = self.ticks.len().saturating_sub(1);
        let mut order: Vec<usize> = (0..self.ticks.len()).collect();
        order.sort_by_key(|index| (*index != 0 && *index != most, *index));
        let mut kept: Vec<f64> = Vec::new();
        for index in order {
            let tick = self.ticks[index];
            let (start, end) = self.span(tick, length, canvas);
            let is_free = kept.iter().all(|other| {
                let (from, to) = self.span(*other, length, canvas);
                end <= from || to <= start
            });
            if is_free {
                kept.push(tick);
            }
        }
        kept.sort_unstable_by(f64::total_cmp);
        self.ticks = kept;
    }

    /// Returns the two ends of a tick's number, in pixels, with some space around it.
    fn span(&self, tick: f64, length: i32, canvas: Canvas) -> (i32, i32) {
        let middle = self.place(tick, (0, length));
        let half = width(&shortest(tick), canvas) / 2 + 3;
        (middle - half, middle + half)
    }
}

fn is_power_of_ten(value: f64) -> bool {
    (value.log10() - value.log10().round()).abs() < 1e-6
}

/// Rounds up to the next of 1, 2, 5, 10, 20, …
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= step * 0.999_999);
    times.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;
    use pictures::canvas::NARROW;

    #[test]
    fn axes_end_at_round_numbers() {
        let axis = Axis::from_zero(&[39.9, 12.0], 4);
        assert_eq!((axis.low, axis.high), (0.0, 40.0));
        assert_eq!(axis.ticks, [0.0, 10.0, 20.0, 30.0, 40.0]);
        let axis = Axis::from_zero(&[12345.0], 6);
        assert_eq!(axis.ticks.last(), Some(&15000.0));
        assert_eq!(Axis::from_zero(&[], 4).high, 1.0);
        let axis = Axis::decades(&[0.0, 3.0, 4755.0]);
        assert_eq!((axis.low, axis.high), (2.0, 5000.0));
        assert_eq!(axis.ticks, [10.0, 100.0, 1000.0]);
        assert_eq!(axis.place(100.0, (0, 400)), 200);
        let axis = Axis::decades(&[30.0, 60.0]);
        assert_eq!(axis.ticks, [20.0, 50.0, 100.0]);
        // What has no logarithm lies at the end.
        assert_eq!(axis.place(0.0, (0, 400)), 0);
        let axis = Axis::around(&[71.0, 98.5, 100.0], false, 6);
        assert_eq!(axis.ticks, [70.0, 75.0, 80.0, 85.0, 90.0, 95.0, 100.0]);
        assert_eq!((axis.low, axis.high), (70.0, 100.0));
        assert_eq!(Axis::around(&[9.0, 99.3], false, 5).ticks.first(), Some(&0.0));
        assert_eq!(Axis::around(&[5.0, 5.0], false, 5).low, 0.0);
        assert_eq!(Axis::around(&[9.0, 99.3], true, 5).ticks, [5.0, 10.0, 20.0, 50.0, 100.0]);
        let mut axis = Axis::along(&[1000.0, 10.0, 11.0, 10.0], false);
        assert_eq!(axis.ticks, [10.0, 11.0, 1000.0]);
        axis.thin(300, NARROW);
        assert_eq!(axis.ticks, [10.0, 1000.0]);
        let mut axis = Axis::along(&[10.0, 100.0, 1000.0, 5000.0, 10000.0], true);
        axis.thin(280, NARROW);
        assert_eq!(axis.ticks, [10.0, 100.0, 1000.0, 10000.0]);
    }
}
