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
mod ends;
mod legend;
mod lines;
pub(crate) mod sheet;
mod verdicts;

use anyhow::Result;
use records::{description::ChartKind, sessions::Set, store::machine_name};

use self::{
    canvas::Drawing,
    sheet::{NARROW, Sheet, WIDE, element},
};
pub use crate::text::escape;
use crate::{disturbed, sets::Sets, text::figure_words};

/// The chart of an experiment: two SVG elements on one line, of which the page shows one.
///
/// `id` must be unique in the whole book, because one page holds all others; `title` is what was found. With the
/// reader's set a second one is drawn next to the first. Fails when the description asks for lines and a variant has
/// no place on the horizontal axis.
pub(crate) fn draw(id: &str, title: &str, sets: Sets) -> Result<String> {
    let draw: fn(Sheet, Sets) -> Result<Drawing> = match sets.experiment().chart.kind {
        ChartKind::Bars => bars::draw,
        ChartKind::Lines => lines::draw,
    };
    Ok(both(id, (title, &description(sets)), [draw(WIDE, sets)?, draw(NARROW, sets)?]))
}

/// Verdicts as a picture.
pub(crate) struct Verdicts {
    /// What they say together.
    pub finding: String,
    /// With what all are compared, in words, if that is the same for all.
    pub to: Option<String>,
    /// The ratios in the same two sizes.
    pub svg: String,
}

/// The ratios of an experiment's contrasts and of its control, in as many pictures as they need; none where they are
/// fewer than two.
pub(crate) fn draw_verdicts(id: &str, sets: Sets) -> Vec<Verdicts> {
    let margin = sets.experiment().margin.part();
    let drawn = |(index, verdicts::Panel { rows, to }): (usize, verdicts::Panel)| {
        let finding = verdicts::finding(&rows);
        let description = verdicts::description(&rows);
        let drawings = [WIDE, NARROW].map(|sheet| verdicts::draw(sheet, &rows, margin));
        let svg = both(&format!("{id}-{index}"), (&finding, &description), drawings);
        Verdicts { finding, to, svg }
    };
    verdicts::panels(sets).into_iter().enumerate().map(drawn).collect()
}

/// The elements of a drawing in the wide and in the narrow size, with its title and its description.
fn both(id: &str, words: (&str, &str), drawings: [Drawing; 2]) -> String {
    let drawn = |(sheet, Drawing { body, height }): (Sheet, Drawing)| {
        let id = format!("{id}-{}", sheet.class);
        element(&id, (sheet.class, ""), (sheet.width, height), words, &body)
    };
    [WIDE, NARROW].into_iter().zip(drawings).map(drawn).collect()
}

/// The figures of a chart in words, for those who do not see it.
fn description(sets: Sets) -> String {
    let kind = match sets.experiment().chart.kind {
        ChartKind::Bars => "Bars",
        ChartKind::Lines => "Lines",
    };
    let what = figure_words(&sets.experiment().metric);
    let figures = |set: Set| {
        let variants = sets.experiment().variants.iter();
        let lines = variants.filter_map(|variant| set.summary.line(&variant.name));
        let figures = lines.map(|line| format!("{}: {}", line.name, disturbed::median(line)));
        figures.collect::<Vec<_>>().join("; ")
    };
    match sets.yours {
        None => format!("{kind}: {what}. {}.", figures(sets.ours)),
        Some(yours) => format!(
            "{kind}: {what}. This book's machine, {}: {}. Yours, {}: {}.",
            machine_name(sets.ours.record),
            figures(sets.ours),
            machine_name(yours.record),
            figures(yours)
        ),
    }
}

#[cfg(test)]
mod tests {
    use records::{
        description::{CONTROL, Chart, Contrast, Law},
        store::Record,
        testing::{pool, record},
    };
    use roxmltree::{Document, Node};

    use super::*;
    use crate::testing::{both_sizes, has, is_in_the_theme, with};

    fn try_draw(ours: &Record, yours: Option<&Record>) -> Result<String> {
        with(ours, yours, |it| draw("chart", "The law of the pool", it.sets("pool-law").unwrap()))
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
        let x_label = Some("clients".to_owned());
        sweep.experiment.chart = Chart { kind: ChartKind::Lines, x_label, log: true, x_log: true };
        for variant in &mut sweep.experiment.variants {
            let (series, x) = variant.name.split_once(", ").unwrap();
            (variant.series, variant.x) = (Some(series.to_owned()), x.parse().ok());
        }
        sweep.experiment.variants[1].law = Some(Law { value: 80.0, words: "8 / 0.1 s".to_owned() });
        sweep
    }

    /// The words that a reader sees, the two sizes one after the other.
    fn texts(svg: &str) -> Vec<String> {
        let page = format!("<page>{svg}</page>");
        let page = Document::parse(&page).unwrap();
        let texts = page.descendants().filter(|node| node.has_tag_name("text"));
        let text = |node: Node| -> String {
            node.descendants().filter(Node::is_text).filter_map(|it| it.text()).collect()
        };
        texts.map(text).collect()
    }

    /// How many texts are these words.
    fn count(texts: &[String], words: &str) -> usize {
        texts.iter().filter(|text| *text == words).count()
    }

    #[test]
    fn a_chart_is_well_formed_says_what_it_shows_and_has_the_themes_colours() {
        let bars = "pool of 1: 9.90; pool of 4: 39.5\u{a0}†";
        let lines = "pool, 10: 10.0; pool, 1000: 80.0; tokio, 10: 100; tokio, 1000: 9,000";
        for (mut ours, figures) in [(pool(), bars), (sweep(), lines)] {
            ours.experiment.common.server = Some("ch03_threadpool".to_owned());
            let mut yours = ours.clone();
            yours.machine.cpu_model = Some("Your \"own\" one".to_owned());
            for yours in [None, Some(&yours)] {
                let svg = drawn(&ours, yours);
                has(&svg, &["var(--server-pool)", "currentColor"]);
                is_in_the_theme(&svg);
                both_sizes(&svg, "The law of the pool", |svg| {
                    let text = svg.children().find(|node| node.has_tag_name("desc")).unwrap();
                    has(text.text().unwrap(), &[figures]);
                });
            }
        }
        for server in servers::SERVERS.iter() {
            is_in_the_theme(&format!("var(--server-{})", server.colour));
        }
    }

    #[test]
    fn bars_have_their_names_and_values_as_text() {
        let yours = pool();
        for yours in [None, Some(&yours)] {
            let texts = texts(&drawn(&pool(), yours));
            // The narrow sheet breaks it.
            assert_eq!(count(&texts, "what the law predicts: 40 for pool of 4 (4 / 0.1 s)"), 1);
            let values = if yours.is_some() { 4 } else { 2 };
            for (text, times) in [
                ("pool of 1", 2),
                ("9.90", values),
                ("pool of 4", 2),
                ("39.5\u{a0}† law 40", values),
            ] {
                assert_eq!(count(&texts, text), times, "{text} in {texts:?}");
            }
            let machine = texts.iter().any(|text| text.contains("this book's machine"));
            assert_eq!(machine, yours.is_some());
        }
    }

    #[test]
    fn lines_have_axes_and_each_its_name_at_its_end() {
        let calm = texts(&drawn(&sweep(), None));
        assert_eq!(count(&calm, "pool"), 2, "{calm:?}");
        for text in ["pool", "tokio", "clients", "10", "100", "1,000"] {
            assert!(count(&calm, text) > 0, "{text} in {calm:?}");
        }
        // A disturbed point is marked: once in each of the two drawings, and nothing else is.
        assert!(!calm.iter().any(|text| text.contains('†')), "{calm:?}");
        let mut disturbed = sweep();
        disturbed.runs[0].noisy = true;
        assert_eq!(count(&texts(&drawn(&disturbed, None)), "†"), 2);
        // Without its `x` a point has no place.
        let mut lost = sweep();
        lost.experiment.variants[2].x = None;
        let error = try_draw(&lost, None).unwrap_err().to_string();
        has(&error, &["\"tokio, 10\"", "`x = …`"]);
    }

    #[test]
    fn lines_that_coincide_are_said_to() {
        let mut same = sweep();
        for run in same.runs.iter_mut().filter(|run| run.variant.starts_with("tokio")) {
            let other = if run.variant.ends_with("1000") { 80.0 } else { 10.0 };
            run.figures.insert("requests_per_second".to_owned(), Some(other));
        }
        let texts = texts(&drawn(&same, None));
        assert!(count(&texts, "pool and tokio coincide") > 0, "{texts:?}");
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
            with(record, None, |it| draw_verdicts("v", it.sets("pool-law").unwrap())).pop()
        };
        let Verdicts { finding, svg, .. } = draw(&pool()).unwrap();
        assert_eq!(finding, "pool of 4 to pool of 1: 3.99 times");
        is_in_the_theme(&svg);
        both_sizes(&svg, &finding, |svg| {
            let text = svg.children().find(|node| node.has_tag_name("desc")).unwrap();
            let words =
                "pool of 4 to pool of 1: 3.99 (3.98 to 4.00), differs; control to pool of 1: ";
            has(text.text().unwrap(), &[words, "equal within 5%"]);
        });
        let texts = texts(&svg);
        assert!(["3.99 times", "equal within 5%"].iter().all(|it| count(&texts, it) > 0));
        // Too few rounds: a ring that is broken, and the words.
        let Verdicts { finding, svg: few, .. } =
            draw(&record(&[("a", &[1.0]), ("b", &[2.0]), (CONTROL, &[1.0])])).unwrap();
        assert_eq!(finding, "b to a: can't tell, too few rounds");
        assert_eq!(few.matches("<circle class=\"unknown\"").count(), 4);
        has(&few, &["can't tell", ": too few rounds", ">?</text>"]);
        // Of many it says how many are alike.
        let mut many =
            record(&[("a", &[1.0; 5]), ("b", &[2.0; 5]), ("c", &[4.0; 5]), ("d", &[1.0; 5])]);
        many.experiment.contrasts = ["b", "c", "d"].map(|of| Contrast::between(of, "a")).into();
        let finding = draw(&many).unwrap().finding;
        assert_eq!(finding, "Of 3 ratios 2 differ (2.00 to 4.00 times) and 1 is equal within 5%");
        assert!(draw(&record(&[("a", &[1.0; 5]), ("b", &[2.0; 5])])).is_none());
    }

    /// With what the ratios of a record are compared, and the words of their picture; for each picture.
    fn compared(record: &Record) -> Vec<(Option<String>, Vec<String>)> {
        let all = with(record, None, |it| draw_verdicts("v", it.sets("pool-law").unwrap()));
        all.into_iter().map(|it| (it.to, texts(&it.svg))).collect()
    }

    #[test]
    fn a_line_that_is_compared_with_another_at_each_place_is_named_without_it() {
        let mut sweep = sweep();
        let pairs = [("pool, 10", "tokio, 10"), ("pool, 1000", "tokio, 1000")];
        sweep.experiment.contrasts = pairs.map(|(of, to)| Contrast::between(of, to)).into();
        let [(to, words)] = &compared(&sweep)[..] else { panic!("one picture") };
        assert_eq!(to.as_deref(), Some("tokio with as many clients"));
        assert!(count(words, "pool, 1000") > 0, "{words:?}");
        // Too many for a slide: a picture for each place.
        sweep.experiment.contrasts =
            [pairs; 7].as_flattened().iter().map(|(of, to)| Contrast::between(of, to)).collect();
        let [(few, words), (many, _)] = &compared(&sweep)[..] else { panic!("two pictures") };
        assert_eq!(few.as_deref(), Some("tokio with 10 clients"));
        assert_eq!(many.as_deref(), Some("tokio with 1,000 clients"));
        assert_eq!(count(words, "pool"), 2 * 7, "{words:?}");
        // A ratio that is alone at its place has its picture, too.
        let alone = |(of, to): &(&str, &str)| Contrast::between(of, to);
        sweep.experiment.contrasts =
            pairs[..1].iter().cycle().take(12).chain(&pairs[1..]).map(alone).collect();
        let [_, (_, words)] = &compared(&sweep)[..] else { panic!("two pictures") };
        assert_eq!(count(words, "pool"), 2, "{words:?}");
        // At different places, the name says both.
        sweep.experiment.contrasts = vec![
            Contrast::between("pool, 10", "tokio, 1000"),
            Contrast::between(pairs[0].0, pairs[0].1),
        ];
        let [(to, words)] = &compared(&sweep)[..] else { panic!("one picture") };
        assert_eq!(*to, None);
        assert!(count(words, "pool, 10 to tokio, 1000") > 0, "{words:?}");
    }

    #[test]
    fn a_variant_without_a_run_that_counts_is_named_all_the_same() {
        let mut record = pool();
        for run in record.runs.iter_mut().filter(|run| run.variant == "pool of 1") {
            run.void = Some("errors".to_owned());
        }
        let texts = texts(&drawn(&record, None));
        assert!(count(&texts, "no run counts") > 0, "{texts:?}");
        // Nothing at all, and nothing but zeros, are charts too.
        let mut zeros = self::record(&[("a", &[0.0; 3]), ("b", &[0.0; 3])]);
        for runs in [zeros.runs.clone(), Vec::new()] {
            zeros.runs = runs;
            for log in [false, true] {
                zeros.experiment.chart.log = log;
                drawn(&zeros, None);
            }
        }
    }
}
