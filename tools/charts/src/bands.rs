//! Writes the table below a chart of dots: what some figures were in each band of a figure in percent.

use pictures::{
    sign::sign,
    text::{capital, escape, figure_words, plural},
};
use records::{base::significant, difference::Spread};

use crate::dots::Dots;

/// The bands, in percent. [`band_of`] says where each ends.
const BANDS: [&str; 5] = ["below 30", "30–60", "60–85", "85–95", "above 95"];

/// Returns the place of this value's band among the bands.
fn band_of(percent: f64) -> usize {
    match percent {
        ..30.0 => 0,
        30.0..60.0 => 1,
        60.0..85.0 => 2,
        85.0..=95.0 => 3,
        _ => 4,
    }
}

/// What a series reached in a band.
struct Reached {
    spread: Spread,
    runs: u64,
}

impl Reached {
    /// Sorts the runs of a series into the bands; `None` where there is none.
    fn in_bands(series: &Dots) -> [Option<Reached>; BANDS.len()] {
        let mut values: [Vec<f64>; BANDS.len()] = Default::default();
        for dot in &series.points {
            values[band_of(dot.x)].push(dot.y);
        }
        values.map(|values| Reached::of(&values))
    }

    fn of(values: &[f64]) -> Option<Reached> {
        Some(Reached { spread: Spread::of(values)?, runs: values.len() as u64 })
    }

    fn median(&self) -> String {
        significant(self.spread.median)
    }

    /// Writes the extremes, in parentheses, and the number of runs, in HTML.
    fn around(&self) -> String {
        let Spread { least, greatest, .. } = self.spread;
        let runs = plural(self.runs, "run");
        let [least, greatest] = [least, greatest].map(significant);
        format!("<small>({least} to {greatest})</small> <small>{runs}</small>")
    }
}

/// Tells whether a figure has bands: if it is in percent.
fn has_bands(figure: &str) -> bool {
    figure.ends_with("_percent")
}

/// A figure that the table tells by bands, with the runs of each series.
pub struct Told<'a> {
    pub figure: &'a str,
    pub all: Vec<Dots<'a>>,
}

impl Told<'_> {
    /// Writes a row that names the figure, and a row for each series that is shown.
    fn rows(&self) -> String {
        let name = escape(&capital(&figure_words(self.figure)));
        let columns = BANDS.len() + 1;
        let mut rows = format!(
            "<tr class=\"figure\"><th scope=\"rowgroup\" colspan=\"{columns}\">{name}</th></tr>\n"
        );
        for series in self.all.iter().filter(|series| series.named.is_shown) {
            let cells = Reached::in_bands(series).map(cell).concat();
            let sign = series.named.signed().map(sign).unwrap_or_default();
            let name = sign + &escape(&series.named.words);
            rows += &format!("<tr><th scope=\"row\">{name}</th>{cells}</tr>\n");
        }
        rows
    }
}

/// Writes the table in HTML, a group of rows for each figure; nothing, if the figure along the axis is not in percent.
pub fn table(told: &[Told], x_figure: &str) -> String {
    if !has_bands(x_figure) {
        return String::new();
    }
    let headings = BANDS.map(|band| format!("<th scope=\"col\">{band}</th>")).concat();
    let groups: String =
        told.iter().map(|it| format!("<tbody>\n{}</tbody>\n", it.rows())).collect();
    let x_figure = escape(&figure_words(x_figure));
    format!(
        "<p class=\"counts\">Medians by {x_figure}, in parentheses the least to the greatest.</p>\n\
         <div class=\"table-wrapper\">\n<table class=\"bands\">\n\
         <thead><tr><th scope=\"col\">Server</th>{headings}</tr></thead>\n{groups}</table>\n</div>\n"
    )
}

fn cell(reached: Option<Reached>) -> String {
    match reached {
        Some(reached) => {
            format!("<td>{} {}</td>", reached.median(), reached.around())
        }
        None => "<td>–</td>".to_owned(),
    }
}

/// Says what each series that is shown reached in each band, for those who do not see the chart: `Tokio: 30–60, 7.50`.
pub fn words(all: &[Dots], figure: &str) -> String {
    let mut sentences = Vec::new();
    for series in all.iter().filter(|series| series.named.is_shown) {
        let mut medians = Vec::new();
        for (band, reached) in BANDS.iter().zip(Reached::in_bands(series)) {
            medians.extend(reached.map(|reached| format!("{band}, {}", reached.median())));
        }
        let runs = plural(series.points.len() as u64, "run");
        sentences.push(match has_bands(figure) {
            true => format!("{}: {}", series.named.words, medians.join("; ")),
            false => format!("{}: {runs}", series.named.words),
        });
    }
    sentences.join(". ")
}

#[cfg(test)]
mod tests {
    use records::description::{Experiment, Variant};

    use super::*;
    use crate::{dots::Dot, series::series};

    #[test]
    fn a_band_ends_where_the_next_begins() {
        for (percent, band) in [
            (0.0, "below 30"),
            (29.99, "below 30"),
            (30.0, "30–60"),
            (60.0, "60–85"),
            (85.0, "85–95"),
            (95.0, "85–95"),
            (95.01, "above 95"),
            (130.0, "above 95"),
        ] {
            assert_eq!(BANDS[band_of(percent)], band, "{percent}");
        }
    }

    #[test]
    fn a_cell_has_the_median_and_what_lies_around_it() {
        let variant = Variant::named("one");
        let experiment = Experiment { variants: vec![variant.clone()], ..Experiment::default() };
        let dots = [(40.0, 3.0), (41.0, 1.0), (99.0, 0.5), (59.0, 2.0)];
        let dots = dots.map(|(x, y)| Dot { x, y }).to_vec();
        let all = series(&experiment, vec![(&variant, dots)]).unwrap();
        let told = [Told { figure: "latency_p99_ms", all }];
        let html = table(&told, "server_cpu_share_percent");
        let cells = "<td>–</td><td>2.00 <small>(1.00 to 3.00)</small> <small>3 runs</small></td><td>–</td><td>–</td>\
                     <td>0.50 <small>(0.50 to 0.50)</small> <small>1 run</small></td></tr>";
        assert!(html.contains(cells), "{html}");
        let heading = "<th scope=\"rowgroup\" colspan=\"6\">Latency, 99% below, ms</th>";
        assert!(html.contains(heading), "{html}");
        // Nothing else has bands in percent.
        assert_eq!(table(&told, "requests_per_second"), "");
        assert_eq!(words(&told[0].all, "requests_per_second"), ": 4 runs");
    }
}
