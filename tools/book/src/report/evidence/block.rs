//! An experiment as a page shows it: its chart, or the chart among all its figures.

use anyhow::{Context, Result};
use records::description::{ChartKind, Experiment};

use crate::report::{
    charts,
    evidence::{
        commands::{origin_line, repeat, signs},
        table::{ensure_may_stand_open, medians, table, verdicts},
    },
    sets::{Evidence, Sets},
    text::{self, capital, escape, figure_words, fold, unescaped},
};

/// An experiment as a page shows it: question, chart with what was found, and all figures in a fold. Where variants are
/// chosen, a table of these stands open instead of the chart, which is then in the fold.
/// Fails when it was not measured, its chart can't be drawn, or the variants are unknown or more than five.
pub fn experiment(
    evidence: Evidence,
    id: &str,
    name: &str,
    chosen: &[String],
    found: &str,
) -> Result<String> {
    ensure_may_stand_open(evidence, name, chosen)?;
    let sets = evidence.sets(name)?;
    let chart = figure(sets, id, name, found)?;
    let (open, folded, what) = match chosen {
        [] => (chart, String::new(), "The figures"),
        chosen => (medians(sets, chosen), chart, "The chart and all figures"),
    };
    let parts = [folded, table(sets), verdicts(sets), repeat(sets.ours)];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let Experiment { question, title, .. } = sets.experiment();
    let fold = fold(&format!("{what} of “{}”", escape(title)), &parts.join("\n\n"));
    Ok(format!("**The question:** {question}\n\n{}\n\n{fold}", open.trim_end()))
}

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
    use records::{
        description::Pin,
        store::{self, Record},
        testing::{pool, read, record},
    };

    use super::*;
    use crate::report::{
        evidence::Figures,
        testing::{has, lacks, with},
    };

    fn shown(record: &Record, chosen: &[&str], found: &str) -> Result<String> {
        let chosen: Vec<String> = chosen.iter().map(|name| (*name).to_owned()).collect();
        with(record, None, |it| experiment(it, "c", "pool-law", &chosen, found))
    }

    #[test]
    fn a_block_has_question_chart_verdict_table_and_command() {
        let text = shown(&pool(), &[], "").unwrap();
        let parts = [
            "**The question:** How many requests",
            "<figure class=\"chart\">",
            "<p class=\"finding\">The law of the pool</p>",
            "<summary>How it was measured</summary>\n<p>5 rounds, the server on one half of the CPUs and the generator on the other half, A &lt;Processor&gt; &amp; Co, Linux 6, 2025-01-02.",
            "<code>cargo xtask bench --only pool-law</code>",
            "The machine stalled in 1 of 15 runs, and 1 more was void and does not count.",
            "| pool of 4 | pool of 1 | requests per second | 3.99 | 3.98 to 4.00 | differs |",
            "| pool of 4 | 39.5 | 39.0 | 39.9 | 40.0 | 98.8 | 0 | 1 of 5 |",
            "| pool of 1 | 9.90 | 9.80 | 10.0 | – | – | 1 | 0 |",
            "| control: *pool of 1* again |",
            "Generator: `wrk -t1 http://127.0.0.1:8080/sleep`.",
            "- *pool of 4*: `ch03_threadpool --port 0 pool of 4`",
        ];
        has(&text, &parts);
        lacks(&text, &["yours"]);
        // An empty line would end the HTML block, and the rest would be Markdown.
        let figure = &text[text.find("<figure").unwrap()..text.find("</details>").unwrap()];
        lacks(figure, &["\n\n", "{{"]);
        // What its signs mean is seen, and neither conditions nor the command.
        has(figure, &["<figcaption>†: the machine"]);
        lacks(figure.split_once("</figure>").unwrap().0, &["5 rounds", "cargo xtask"]);
        let found = shown(&pool(), &[], "Four times.").unwrap();
        has(&found, &["<p class=\"finding\">Four times.</p>"]);
    }

    #[test]
    fn chosen_variants_are_an_open_table_above_the_folded_chart() {
        let of = |chosen: &[&str]| shown(&pool(), chosen, "");
        let text = of(&["pool of 4"]).unwrap();
        let (open, folded) = text.split_once("<details>").unwrap();
        has(open, &["| Variant | Median, requests/s | Law |\n", "| pool of 4 | 39.5 | 40.0 |\n"]);
        lacks(open, &["pool of 1 ", "<figure"]);
        has(folded, &["<summary>The chart and all figures of “"]);
        has(folded, &["<figure", "| pool of 1 | 9.90 |"]);
        // No law predicts this one.
        has(&of(&["pool of 1"]).unwrap(), &["| Variant | Median, requests/s |\n"]);
        assert!(of(&["pool of 9"]).is_err());
        let error = of(&["control"; 6]).unwrap_err().to_string();
        assert_eq!(error, "an open table has 6 rows, and may have 5");
    }

    #[test]
    fn a_program_is_named_as_it_is_started() {
        let mut rounds = record(&[("1 thread", &[1.0; 3]), ("8 threads", &[2.0; 3])]);
        rounds.experiment.metric = "rounds_per_second".to_owned();
        rounds.experiment.pin = Pin::None;
        rounds.experiment.common.program = Some("compute_or_wait".to_owned());
        rounds.experiment.variants[1].pin = Some(Pin::One);
        for run in &mut rounds.runs {
            let threads = &run.variant[..1];
            run.server = ["compute_or_wait", "--threads", threads].map(str::to_owned).to_vec();
            run.generator.clear();
            let rate = run.figures["requests_per_second"];
            run.figures = [("rounds_per_second".to_owned(), rate)].into();
        }
        let folder = tempfile::tempdir().unwrap();
        store::write(&folder.path().join("experiments"), "rounds", &rounds, "").unwrap();
        let ours = read(folder.path(), &rounds);
        let evidence = Evidence { ours: &ours, yours: None };
        let text = experiment(evidence, "c", "rounds", &[], "").unwrap();
        let parts = [
            "| Variant | Median, per second |",
            "rounds per second",
            "bound to no CPU, or on one CPU; the order",
            "- *1 thread*: `cargo run --release --example compute_or_wait -- --threads 1`\n",
            "- *8 threads*: `cargo run --release --example compute_or_wait -- --threads 8` (on one CPU)\n",
        ];
        has(&text, &parts);
        lacks(&text, &["enerator", "erver"]);
    }

    #[test]
    fn yours_stands_beside_the_books() {
        let mut yours = pool();
        yours.machine.cpu_model = Some("Another|Processor".to_owned());
        yours.quick = true;
        for run in &mut yours.runs {
            let rate = 5.0 + run.round as f64 / 1e4;
            run.figures.insert("requests_per_second".to_owned(), Some(rate));
        }
        with(&pool(), Some(&yours), |evidence| {
            let parts = [
                "Yours: Another\\|Processor, Linux 6, 2025-01-02, 5 rounds, shortened with `--quick`.",
                "| *yours:* pool of 1 | 5.00 | 5.00 |",
                "yours: Another|Processor",
                "this book's machine: A &lt;Processor&gt; &amp; Co",
                "Yours: 5 rounds, Another|Processor, Linux 6, 2025-01-02, a sketch.",
            ];
            has(&experiment(evidence, "c", "pool-law", &[], "").unwrap(), &parts);
            // A sentence speaks of the book's.
            let figures = Figures::of(evidence, "pool-law").unwrap();
            assert_eq!(figures.median("pool of 1", None).unwrap().value, 9.9);
        });
        // Where something else was run it is another experiment.
        yours.experiment.variants[0].own.options = None;
        with(&pool(), Some(&yours), |evidence| {
            let text = experiment(evidence, "c", "pool-law", &[], "").unwrap();
            lacks(&text.to_lowercase(), &["yours"]);
        });
    }
}
