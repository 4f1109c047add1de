//! Charts as SVG inside the page.
//!
//! plotters maps values to places and draws the axes. It knows only fixed colours, so each thing is drawn in a
//! colour that stands for its role, and the finished text gets the theme's variables in their place
//! (`book/theme/pictures.css`). Signs, diamonds and values lie above that, with the classes of the style sheet. Each
//! chart is drawn twice, for wide and for narrow columns, with text of the same size; the style sheet shows the one
//! that fits.

mod axis;
mod bars;
mod canvas;
mod element;
mod ends;
mod ink;
mod legend;
mod lines;
pub(crate) mod sheet;
mod verdicts;

use anyhow::Result;
use records::description::ChartKind;

use self::sheet::{NARROW, WIDE};
pub(crate) use self::verdicts::same as compared_with;
use crate::sets::Sets;
pub use crate::text::escape;

/// The chart of an experiment: two SVG elements on one line, of which the page shows one.
///
/// `id` must be unique in the whole book, because one page holds all others; `title` is what was found. With the reader's set a second one
/// is drawn next to the first.
///
/// # Errors
/// When the description asks for lines and a variant has no place on the horizontal axis.
pub(crate) fn draw(id: &str, title: &str, sets: Sets) -> Result<String> {
    let mut both = String::new();
    for sheet in [WIDE, NARROW] {
        let id = format!("{id}-{}", sheet.class);
        let chart = match sets.experiment().chart.kind {
            ChartKind::Bars => bars::draw(sheet, sets)?,
            ChartKind::Lines => lines::draw(sheet, sets)?,
        };
        let description = element::description(sets);
        both += &element::finish(&id, sheet, &chart, (title, &description));
    }
    Ok(both)
}

/// The verdicts of an experiment: what they say together, and the ratios of its contrasts and of its control in the same
/// two sizes. `None` where they are fewer than two.
pub(crate) fn draw_verdicts(id: &str, sets: Sets) -> Option<(String, String)> {
    let rows = verdicts::rows(sets);
    if rows.len() < 2 {
        return None;
    }
    let finding = verdicts::finding(&rows);
    let description = verdicts::description(&rows);
    let drawn = [WIDE, NARROW].map(|sheet| {
        let id = format!("{id}-{}", sheet.class);
        let drawing = verdicts::draw(sheet, &rows, sets.experiment().margin.part());
        element::finish(&id, sheet, &drawing, (&finding, &description))
    });
    Some((finding, drawn.concat()))
}

#[cfg(test)]
mod tests {
    use records::{
        description::{CONTROL, Chart, Contrast, Law},
        sessions::Set,
        store::Record,
        summary::Summary,
        testing::{pool, record},
    };

    use super::*;
    use crate::{
        disturbed,
        testing::{both_sizes, has, is_in_the_theme},
    };

    fn try_draw(ours: &Record, yours: Option<&Record>) -> Result<String> {
        let summaries = [Summary::of(ours), Summary::of(yours.unwrap_or(ours))];
        let ours = Set { record: ours, summary: &summaries[0] };
        let yours = yours.map(|record| Set { record, summary: &summaries[1] });
        draw("chart", "The law of the pool", Sets { ours, yours })
    }

    fn drawn(ours: &Record, yours: Option<&Record>) -> String {
        try_draw(ours, yours).unwrap()
    }

    /// A record of two series over an axis.
    fn sweep() -> Record {
        let mut sweep = record(&[
            ("pool, 10", &[10.0, 11.0, 9.0]),
            ("pool, 1000", &[80.0, 81.0, 79.0]),
            ("tokio, 10", &[100.0, 101.0, 99.0]),
            ("tokio, 1000", &[9000.0, 9100.0, 8000.0]),
        ]);
        sweep.experiment.chart = Chart {
            kind: ChartKind::Lines,
            x_label: Some("clients".to_owned()),
            log: true,
            x_log: true,
        };
        for variant in &mut sweep.experiment.variants {
            let (series, x) = variant.name.split_once(", ").unwrap();
            variant.series = Some(series.to_owned());
            variant.x = x.parse().ok();
        }
        sweep.experiment.variants[1].law = Some(Law { value: 80.0, words: "8 / 0.1 s".to_owned() });
        sweep
    }

    /// The words that a reader sees, the two sizes one after the other.
    fn texts(svg: &str) -> Vec<String> {
        let page = format!("<page>{svg}</page>");
        let page = roxmltree::Document::parse(&page).unwrap();
        let texts = page.descendants().filter(|node| node.has_tag_name("text"));
        let text = |node: roxmltree::Node| -> String {
            node.descendants().filter(|it| it.is_text()).filter_map(|it| it.text()).collect()
        };
        texts.map(text).collect()
    }

    #[test]
    fn a_chart_is_well_formed_and_says_what_it_shows() {
        let mut yours = pool();
        yours.machine.cpu_model = Some("Your \"own\" one".to_owned());
        for (record, yours) in
            [(pool(), None), (pool(), Some(&yours)), (sweep(), None), (sweep(), Some(&sweep()))]
        {
            let summary = Summary::of(&record);
            let figures = summary.lines.iter().filter(|line| line.name != CONTROL);
            let figures: Vec<String> =
                figures.map(|line| format!("{}: {}", line.name, disturbed::median(line))).collect();
            both_sizes(&drawn(&record, yours), "The law of the pool", |svg| {
                let text =
                    svg.children().find_map(|node| node.has_tag_name("desc").then(|| node.text()));
                has(text.flatten().unwrap(), &[&figures.join("; ")]);
            });
        }
    }

    #[test]
    fn bars_have_their_names_and_values_as_text() {
        let yours = pool();
        for yours in [None, Some(&yours)] {
            let texts = texts(&drawn(&pool(), yours));
            let law = "what the law predicts: 40 for pool of 4 (4 / 0.1 s)";
            // The narrow sheet breaks it.
            assert_eq!(texts.iter().filter(|text| *text == law).count(), 1, "{texts:?}");
            for text in ["pool of 1", "9.90", "pool of 4", "39.5\u{a0}† law 40"] {
                let count = texts.iter().filter(|found| *found == text).count();
                let values = yours.is_some() && text.starts_with(['3', '9']);
                assert_eq!(count, if values { 4 } else { 2 }, "{text} in {texts:?}");
            }
            let machine = texts.iter().any(|text| text.contains("this book's machine"));
            assert_eq!(machine, yours.is_some());
        }
    }

    #[test]
    fn lines_have_axes_and_each_its_name_at_its_end() {
        let texts = texts(&drawn(&sweep(), None));
        assert_eq!(texts.iter().filter(|text| *text == "pool").count(), 2, "{texts:?}");
        for text in ["pool", "tokio", "clients", "10", "100", "1,000"] {
            assert!(texts.iter().any(|found| found == text), "{text} in {texts:?}");
        }
        // A disturbed point is marked: once in each of the two drawings, and nothing else is.
        assert_eq!(texts.iter().filter(|text| text.contains('†')).count(), 0);
        let mut disturbed = sweep();
        disturbed.runs[0].noisy = true;
        let texts = self::texts(&drawn(&disturbed, None));
        assert_eq!(texts.iter().filter(|text| *text == "†").count(), 2, "{texts:?}");
        // Without its `x` a point has no place.
        let mut lost = sweep();
        lost.experiment.variants[2].x = None;
        let error = try_draw(&lost, None).unwrap_err().to_string();
        assert!(error.contains("\"tokio, 10\"") && error.contains("`x = …`"), "{error}");
    }

    #[test]
    fn lines_that_coincide_are_said_to() {
        let mut same = sweep();
        for run in same.runs.iter_mut().filter(|run| run.variant.starts_with("tokio")) {
            let other = if run.variant.ends_with("1000") { 80.0 } else { 10.0 };
            run.figures.insert("requests_per_second".to_owned(), Some(other));
        }
        let texts = texts(&drawn(&same, None));
        assert!(texts.iter().any(|text| text == "pool and tokio coincide"), "{texts:?}");
        let law = texts.iter().find(|text| text.starts_with("what the law predicts"));
        has(law.unwrap(), &["80 for pool, 1000 (8 / 0.1 s); the lines coincide with it"]);
    }

    #[test]
    fn a_law_is_a_diamond_and_a_server_has_its_sign() {
        let mut pool = pool();
        let svg = drawn(&pool, None);
        assert_eq!(svg.matches("<path class=\"law\"").count(), 2 + 2, "a bar and the key, twice");
        assert!(!svg.contains("class=\"sign\""), "no server is named");
        pool.experiment.common.server = Some("ch03_threadpool".to_owned());
        assert_eq!(drawn(&pool, None).matches("class=\"sign\"").count(), 2 + 2);
        assert_eq!(drawn(&sweep(), None).matches("<path class=\"law around\"").count(), 2);
    }

    #[test]
    fn verdicts_are_drawn_as_such() {
        let draw = |record: &Record| {
            let summary = Summary::of(record);
            draw_verdicts("v", Sets { ours: Set { record, summary: &summary }, yours: None })
        };
        let (finding, svg) = draw(&pool()).unwrap();
        assert_eq!(finding, "pool of 4 to pool of 1: 3.99 times");
        is_in_the_theme(&svg);
        both_sizes(&svg, &finding, |svg| {
            let text = svg.children().find(|node| node.has_tag_name("desc")).unwrap();
            let words =
                "pool of 4 to pool of 1: 3.99 (3.98 to 4.00), differs; control to pool of 1: ";
            has(text.text().unwrap(), &[words, "equal within 5%"]);
        });
        let texts = texts(&svg);
        let has_text = |wanted: &str| texts.iter().any(|text| text == wanted);
        assert!(has_text("3.99 times") && has_text("equal within 5%"), "{texts:?}");
        // Too few rounds: a ring that is broken, and the words.
        let few = record(&[("a", &[1.0]), ("b", &[2.0]), (CONTROL, &[1.0])]);
        let (finding, few) = draw(&few).unwrap();
        assert_eq!(finding, "b to a: can't tell, too few rounds");
        // Of many it says how many are alike.
        let mut many =
            record(&[("a", &[1.0; 5]), ("b", &[2.0; 5]), ("c", &[4.0; 5]), ("d", &[1.0; 5])]);
        many.experiment.contrasts = ["b", "c", "d"].map(|of| Contrast::between(of, "a")).into();
        let (finding, _) = draw(&many).unwrap();
        assert_eq!(finding, "Of 3 ratios 2 differ (2.00 to 4.00 times) and 1 is equal within 5%");
        assert_eq!(few.matches("<circle class=\"unknown\"").count(), 4);
        has(&few, &["can't tell", ": too few rounds", ">?</text>"]);
        assert!(draw(&record(&[("a", &[1.0; 5]), ("b", &[2.0; 5])])).is_none());
    }

    #[test]
    fn every_colour_is_the_themes() {
        for mut record in [pool(), sweep()] {
            record.experiment.common.server = Some("ch03_threadpool".to_owned());
            for yours in [None, Some(&record)] {
                let svg = drawn(&record, yours);
                has(&svg, &["var(--server-pool)", "currentColor"]);
                is_in_the_theme(&svg);
            }
        }
        for server in servers::SERVERS.iter() {
            is_in_the_theme(&format!("var(--server-{})", server.colour));
        }
    }

    #[test]
    fn a_variant_without_a_run_that_counts_is_named_all_the_same() {
        let mut record = pool();
        for run in record.runs.iter_mut().filter(|run| run.variant == "pool of 1") {
            run.void = Some("errors".to_owned());
        }
        let texts = texts(&drawn(&record, None));
        assert!(texts.iter().any(|text| text == "no run counts"), "{texts:?}");
        // Nothing at all, and nothing but zeros, are charts too.
        let zeros = self::record(&[("a", &[0.0, 0.0, 0.0]), ("b", &[0.0, 0.0, 0.0])]);
        for log in [false, true] {
            let mut zeros = zeros.clone();
            zeros.experiment.chart.log = log;
            drawn(&zeros, None);
            zeros.runs.clear();
            drawn(&zeros, None);
        }
    }
}
