//! An experiment as a page shows it: its chart, and how it was measured.

use anyhow::{Context, Result};
use records::description::ChartKind;

use crate::report::{
    charts,
    evidence::commands::{origin_line, signs},
    sets::{Evidence, Sets},
    text::{self, capital, escape, figure_words, unescaped},
};

/// The chart of an experiment, and folded how it was measured: HTML without an empty line. `id` is unique in the book;
/// `found` is what it found, in HTML, and its title where that is empty. Fails when it was not measured, or has no place
/// for a point.
pub fn chart(evidence: Evidence, id: &str, name: &str, found: &str) -> Result<String> {
    figure(evidence.sets(name)?, id, name, found)
}

/// The chart of these sets.
pub(crate) fn figure(sets: Sets, id: &str, name: &str, found: &str) -> Result<String> {
    let title = match found {
        "" => escape(&sets.experiment().title),
        found => found.to_owned(),
    };
    let svg = charts::draw(id, &unescaped(&title), sets)
        .with_context(|| format!("cannot draw the experiment {name}"))?;
    let drawing = svg + &charts::key(sets);
    let figure = text::figure("class=\"chart\"", &title, &what(sets), &drawing, &signs(sets));
    Ok(format!(
        "{figure}\n<details class=\"about\">\n<summary>How it was measured</summary>\n<p>{}</p>\n</details>",
        origin_line(sets, name)
    ))
}

/// What the chart shows, and on which axes.
fn what(sets: Sets) -> String {
    let experiment = sets.experiment();
    let chart = &experiment.chart;
    let axes = match (chart.kind, charts::is_logarithmic(sets), chart.x_log) {
        (ChartKind::Bars, true, _) => " The axis is logarithmic.",
        (ChartKind::Lines, true, true) => " Both axes are logarithmic.",
        (ChartKind::Lines, true, false) => " The vertical axis is logarithmic.",
        (ChartKind::Lines, false, true) => " The horizontal axis is logarithmic.",
        (ChartKind::Bars | ChartKind::Lines, false, _) => "",
    };
    format!("{}.{axes}", escape(&capital(&figure_words(&experiment.metric))))
}

#[cfg(test)]
mod tests {
    use records::{store::Record, testing::pool};

    use super::*;
    use crate::report::{
        evidence::Figures,
        testing::{has, lacks, with},
    };

    fn shown(record: &Record, found: &str) -> String {
        with(record, None, |it| chart(it, "c", "pool-law", found).unwrap())
    }

    #[test]
    fn a_chart_has_what_was_found_and_how_it_was_measured() {
        let text = shown(&pool(), "");
        let parts = [
            "<figure class=\"chart\">",
            "<p class=\"finding\">The law of the pool</p>",
            "<summary>How it was measured</summary>\n<p>5 rounds, the server on one half of the CPUs and the generator on the other half, A &lt;Processor&gt; &amp; Co, Linux 6, 2025-01-02.",
            "<code>cargo xtask bench --only pool-law</code>",
        ];
        has(&text, &parts);
        // An empty line would end the HTML block, and the rest would be Markdown.
        lacks(&text, &["yours", "\n\n", "{{"]);
        // What its signs mean is seen, and neither conditions nor the command.
        has(&text, &["<figcaption>†: the machine"]);
        lacks(text.split_once("</figure>").unwrap().0, &["5 rounds", "cargo xtask"]);
        has(&shown(&pool(), "Four times."), &["<p class=\"finding\">Four times.</p>"]);
    }

    #[test]
    fn yours_stands_beside_the_books() {
        let mut yours = pool();
        yours.machine.cpu_model = Some("Another|Processor".to_owned());
        yours.quick = true;
        for run in &mut yours.runs {
            run.figures.insert("requests_per_second".to_owned(), Some(5.0));
        }
        with(&pool(), Some(&yours), |evidence| {
            let parts = [
                "yours: Another|Processor",
                "this book's machine: A &lt;Processor&gt; &amp; Co",
                "Yours: 5 rounds, Another|Processor, Linux 6, 2025-01-02, a sketch.",
            ];
            has(&chart(evidence, "c", "pool-law", "").unwrap(), &parts);
            // A sentence speaks of the book's.
            let figures = Figures::of(evidence, "pool-law").unwrap();
            assert_eq!(figures.median("pool of 1", None).unwrap().value, 9.9);
        });
        // Where something else was run it is another experiment.
        yours.experiment.variants[0].own.options = None;
        with(&pool(), Some(&yours), |evidence| {
            lacks(&chart(evidence, "c", "pool-law", "").unwrap().to_lowercase(), &["yours"]);
        });
    }
}
