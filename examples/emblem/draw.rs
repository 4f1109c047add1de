//! Draws the emblem of a name: a picture in letters, another one for each name. It computes, and does nothing else.

/// How wide and how high an emblem is, in letters.
const WIDTH: u32 = 64;
const HEIGHT: u32 = 24;

/// So many points, across and down, are looked at for each letter. With twice as many, drawing takes four times as long.
const DETAIL: u32 = 8;

/// A point that is still near after so many steps stays.
const STEPS: u32 = 100;

/// From no ink to the most.
const INK: &[u8] = b" .:-=+*#%@";

/// The emblem of a name: 24 lines of up to 64 letters.
pub fn draw(name: &str) -> String {
    let constant = constant(name);
    let mut emblem = String::new();
    for row in 0..HEIGHT {
        for column in 0..WIDTH {
            emblem.push(letter(column, row, constant));
        }
        // Nobody sees the blanks at the end of a line.
        emblem.truncate(emblem.trim_end_matches(' ').len());
        emblem.push('\n');
    }
    emblem
}

/// The number that makes this name's emblem: a point on a circle, whose Julia sets are all worth looking at.
fn constant(name: &str) -> (f64, f64) {
    // FNV-1a, which makes quite another number of each name.
    let mut hash: u32 = 0x811c_9dc5;
    for byte in name.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    // A point on the circle of radius 1, by fractions alone: they are the same on every machine.
    let part = f64::from(hash >> 1) / f64::from(u32::MAX >> 1) * 2.0 - 1.0;
    let below = 1.0 + part * part;
    let side = if hash & 1 == 0 { 1.0 } else { -1.0 };
    (0.7885 * side * (1.0 - part * part) / below, 0.7885 * 2.0 * part / below)
}

/// The letter at this place: the longer its points stay, the more ink.
fn letter(column: u32, row: u32, constant: (f64, f64)) -> char {
    let mut stayed = 0;
    for part in 0..DETAIL * DETAIL {
        let x = f64::from(column * DETAIL + part % DETAIL) / f64::from(WIDTH * DETAIL);
        let y = f64::from(row * DETAIL + part / DETAIL) / f64::from(HEIGHT * DETAIL);
        stayed += steps(3.2 * x - 1.6, 2.4 * y - 1.2, constant);
    }
    let mean = f64::from(stayed) / f64::from(DETAIL * DETAIL);
    // Most points leave early, so the first steps make the most difference.
    let share = (mean.ln() / f64::from(STEPS).ln()).clamp(0.0, 1.0);
    let ink = share * (INK.len() - 1) as f64;
    char::from(INK[ink as usize])
}

/// How many steps a point stays near.
fn steps(mut x: f64, mut y: f64, (re, im): (f64, f64)) -> u32 {
    for step in 0..STEPS {
        if x * x + y * y > 4.0 {
            return step;
        }
        (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
    }
    STEPS
}
