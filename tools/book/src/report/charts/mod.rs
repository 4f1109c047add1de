//! Charts as SVG inside the page: bars, points and lines.
//!
//! They are written as elements with classes, and the style sheet says how these look (`book/theme/pictures.css`): the
//! class of a server's colour, that of a bar, and `yours` for the reader's own. Each chart is drawn twice, for wide and
//! for narrow columns, with text of the same size; the style sheet shows the one that fits.

mod axis;
mod bars;
mod drawing;
mod key;
mod labels;
mod lines;
mod named;
pub(crate) mod sheet;

use anyhow::Result;
use records::{description::ChartKind, measured::Set, store::machine_name};

use self::{
    drawing::Drawing,
    named::Named,
    sheet::{NARROW, Sheet, WIDE, element},
};
pub(crate) use self::{key::key, named::in_table};
pub use crate::report::text::escape;
use crate::report::{disturbed, sets::Sets, text::figure_words};

/// Where values differ by more than this, bars can't show both ends.
const FAR_APART: f64 = 20.0;

/// The chart of an experiment: two SVG elements on one line, of which the page shows one.
///
/// `id` must be unique in the whole book, because one page holds all others; `title` is what was found. With the
/// reader's set a second one is drawn next to the first. Fails when the description asks for lines and a variant has
/// no place on the horizontal axis.
pub(crate) fn draw(id: &str, title: &str, sets: Sets) -> Result<String> {
    let description = description(sets);
    let mut elements = String::new();
    for sheet in [WIDE, NARROW] {
        let Drawing { body, height } = drawn(sheet, sets, title)?;
        let id = format!("{id}-{}", sheet.class);
        let size = (sheet.width, height);
        elements += &element(&id, (sheet.class, ""), size, (title, &description), &body);
    }
    Ok(elements)
}

fn drawn(sheet: Sheet, sets: Sets, title: &str) -> Result<Drawing> {
    match sets.experiment().chart.kind {
        ChartKind::Bars => Ok(bars::draw(sheet, sets, title)),
        ChartKind::Lines => lines::draw(sheet, sets, title),
    }
}

/// Whether the values stand on a logarithmic axis: where the description says so, and where bars would differ too much.
pub(crate) fn is_logarithmic(sets: Sets) -> bool {
    let experiment = sets.experiment();
    let lines = sets.all().flat_map(|set| &set.summary.lines).filter_map(|line| line.metric);
    let laws = experiment.variants.iter().filter_map(|it| it.law.as_ref()).map(|law| law.value);
    let values: Vec<f64> = lines.map(|spread| spread.median).chain(laws).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    let is_far_apart = least > 0.0 && most > FAR_APART * least;
    experiment.chart.log || (experiment.chart.kind == ChartKind::Bars && is_far_apart)
}

/// The figures of a chart in words, for those who do not see it.
fn description(sets: Sets) -> String {
    let kind = match sets.experiment().chart.kind {
        ChartKind::Bars if is_logarithmic(sets) => "Points",
        ChartKind::Bars => "Bars",
        ChartKind::Lines => "Lines",
    };
    let what = figure_words(&sets.experiment().metric);
    let figures = |set: Set| {
        let variants = sets.experiment().variants.iter();
        let figures = variants.filter_map(|variant| {
            let name = Named::of(sets.experiment(), variant, &variant.name).words;
            let line = set.summary.line(&variant.name)?;
            Some(format!("{name}: {}", disturbed::median(line)))
        });
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
        description::{Chart, Law},
        store::Record,
        testing::{pool, record},
    };
    use roxmltree::{Document, Node};

    use super::*;
    use crate::report::testing::{both_sizes, has, is_in_the_theme, with};

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
    fn a_program_has_not_the_sign_of_a_server_built_before_it() {
        let mut record = record(&[("no bound", &[1.0])]);
        let setup = &mut record.experiment.common;
        setup.server = Some("ch06_tokio".to_owned());
        setup.program = Some("rush".to_owned());
        let named =
            |name| named::Named::of(&record.experiment, &record.experiment.variants[0], name);
        assert!(named("no bound").server.is_none());
        assert!(named("ch06_tokio, shipped").server.is_some());
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
                has(&svg, &["var(--server-pool)", " of-pool\""]);
                assert_eq!(svg.contains(" of-pool yours\""), yours.is_some());
                is_in_the_theme(&svg);
                both_sizes(&svg, "The law of the pool", |svg| {
                    let text = svg.children().find(|node| node.has_tag_name("desc")).unwrap();
                    has(text.text().unwrap(), &[figures]);
                });
            }
        }
        for colour in records::servers::SERVERS.iter().filter_map(|server| server.colour.as_ref()) {
            is_in_the_theme(&format!("var(--server-{colour})"));
        }
    }

    #[test]
    fn bars_have_their_names_and_values_as_text() {
        let yours = pool();
        for yours in [None, Some(&yours)] {
            let texts = texts(&drawn(&pool(), yours));
            let values = if yours.is_some() { 4 } else { 2 };
            for (text, times) in [
                ("pool of 1", 2),
                ("9.90", values),
                ("pool of 4", 2),
                ("39.5\u{a0}† of 40", values),
            ] {
                assert_eq!(count(&texts, text), times, "{text} in {texts:?}");
            }
            let key = with(&pool(), yours, |it| key(it.sets("pool-law").unwrap()));
            has(&key, &["the most that the law allows: 4 / 0.1 s = 40 for pool of 4"]);
            assert_eq!(key.contains("this book's machine"), yours.is_some());
        }
    }

    #[test]
    fn a_law_is_said_before_its_formula_which_says_of_what_its_numbers_are() {
        let said = |first: &str, second: &str, metric: &str| {
            let mut record = pool();
            record.experiment.metric = metric.to_owned();
            for (variant, words) in record.experiment.variants.iter_mut().zip([first, second]) {
                variant.law = Some(Law { value: 40.0, words: words.to_owned() });
            }
            with(&record, None, |it| key(it.sets("pool-law").unwrap()))
        };
        let [one, four, ten] =
            ["min(492, 1) / 0.1 s", "min(492, 4) / 0.1 s", "min(10, 32) / 0.1 s"];
        let most = "the most that the law allows: ";
        for (first, second, words) in [
            (one, four, "4 threads / 0.1 s = 40 for pool of 4"),
            (one, ten, "1 thread / 0.1 s = 40 for pool of 1"),
            (ten, one, "10 clients / 0.1 s = 40 for pool of 1"),
        ] {
            has(&said(first, second, "requests_per_second"), &[&format!("{most}{words}")]);
        }
        let latency = said("the wait itself", "2 x 50 ms", "latency_p90_ms");
        has(&latency, &["what the law predicts: the wait itself = 40 for pool of 1"]);
    }

    #[test]
    fn bars_are_sorted_unless_they_are_a_series() {
        let order = |rows: &[(&str, &[f64])]| -> Vec<String> {
            let mut texts = texts(&drawn(&record(rows), None));
            texts.truncate(texts.len() / 2);
            texts.retain(|text| rows.iter().any(|row| row.0 == text));
            texts
        };
        assert_eq!(order(&[("one", &[1.0; 5]), ("another", &[2.0; 5])]), ["another", "one"]);
        assert_eq!(order(&[("of 2", &[1.0; 5]), ("of 10", &[2.0; 5])]), ["of 2", "of 10"]);
        assert_eq!(order(&[("a of 2", &[1.0; 5]), ("b of 2", &[2.0; 5])]), ["b of 2", "a of 2"]);
    }

    #[test]
    fn a_bar_stands_for_no_value_that_is_twenty_times_another() {
        let kinds = |least: f64| {
            let svg = drawn(&record(&[("a", &[least; 5]), ("b", &[10.0; 5])]), None);
            (svg.matches("<rect class=\"bar\"").count(), svg.matches("class=\"point\"").count())
        };
        assert_eq!(kinds(0.6), (4, 0));
        assert_eq!(kinds(0.4), (0, 4));
        // Zero has no place on a logarithmic axis.
        assert_eq!(kinds(0.0), (4, 0));
    }

    #[test]
    fn a_server_is_called_as_its_sign_is() {
        let mut one = record(&[("ch06_tokio", &[1.0; 5]), ("ch06_tokio, kept", &[2.0; 5])]);
        one.experiment.common.server = Some("ch06_tokio".to_owned());
        let texts = texts(&drawn(&one, None));
        assert_eq!((count(&texts, "Tokio"), count(&texts, "Tokio, kept")), (2, 2), "{texts:?}");
    }

    #[test]
    fn lines_have_axes_and_each_its_name_and_its_last_value() {
        let calm = texts(&drawn(&sweep(), None));
        for text in ["pool: 80.0", "tokio: 9,000", "clients"] {
            assert_eq!(count(&calm, text), 2, "{text} in {calm:?}");
        }
        for text in ["10", "100", "1,000"] {
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
    fn no_line_is_seen_in_the_gaps_of_a_point() {
        let svg = drawn(&sweep(), None);
        let page = format!("<page>{svg}</page>");
        let page = Document::parse(&page).unwrap();
        let is_point = |node: &Node| node.attribute("class") == Some("point");
        let below = |point: Node<'_, '_>| {
            let ground = point.prev_sibling_element()?;
            Some(ground.attribute("class")? == "ground")
        };
        let points: Vec<Option<bool>> = page.descendants().filter(is_point).map(below).collect();
        // Four in each drawing, and on the narrow one two in its list.
        assert_eq!(points, [Some(true); 10]);
    }

    #[test]
    fn of_many_lines_those_have_their_colour_that_the_title_names() {
        let rows = (1..8).map(|x| (format!("line {x}"), [f64::from(x); 5])).collect::<Vec<_>>();
        let rows: Vec<(&str, &[f64])> = rows.iter().map(|row| (&*row.0, &row.1[..])).collect();
        let mut many = record(&rows);
        many.experiment.chart.kind = ChartKind::Lines;
        for (variant, server) in
            many.experiment.variants.iter_mut().zip(records::servers::SERVERS.iter())
        {
            let name = server.name.clone();
            (variant.series, variant.x) = (Some(name.clone()), Some(1.0));
            variant.own.server = Some(name);
        }
        let coloured = |title: &str| {
            let svg = with(&many, None, |it| draw("chart", title, it.sets("pool-law").unwrap()));
            let svg = svg.unwrap();
            ["one", "pool", "smol"].map(|colour| svg.contains(&format!("point of-{colour}\"")))
        };
        assert_eq!(coloured("What many cost"), [true; 3]);
        assert_eq!(coloured("A pool costs less than rung 4s"), [false, true, true]);
    }

    #[test]
    fn among_other_languages_a_rung_keeps_its_colour_and_its_mark() {
        let servers = ["go_http", "go_tcp", "java_pool", "node_http", "deno_http", "java_nio2"];
        let servers = [&servers[..], &["ch06_tokio", "hyper_site"]].concat();
        let rows: Vec<(&str, &[f64])> = servers.iter().map(|name| (*name, &[1.0; 5][..])).collect();
        let mut many = record(&rows);
        many.experiment.chart.kind = ChartKind::Lines;
        for variant in &mut many.experiment.variants {
            let name = variant.name.clone();
            (variant.series, variant.x) = (Some(name.clone()), Some(1.0));
            variant.own.server = Some(name);
        }
        let title = "Go costs less than Node.js";
        let svg = with(&many, None, |it| draw("chart", title, it.sets("pool-law").unwrap()));
        assert!(svg.unwrap().contains("point of-tokio\""));
        let colours: Vec<Option<&str>> = servers
            .iter()
            .map(|name| records::servers::Server::named(name)?.colour.as_deref())
            .collect();
        let marks = drawing::marks(&colours);
        assert_eq!(marks[6], drawing::mark_of(Some("tokio"), 0));
        let mut different = marks.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), marks.len());
    }

    #[test]
    fn of_other_languages_those_are_in_ink_that_the_title_names() {
        let servers = ["go_http", "java_pool", "java_virtual", "ch06_tokio"];
        let in_ink = |title: &str| {
            let rows = servers.map(|server| (server, &[1.0; 5][..]));
            let mut record = record(&rows);
            for variant in &mut record.experiment.variants {
                variant.own.server = Some(variant.name.clone());
            }
            with(&record, None, |it| {
                let svg = draw("chart", title, it.sets("pool-law").unwrap()).unwrap();
                (svg.matches("bar in-ink").count() / 2, svg.matches("bar of-tokio").count() / 2)
            })
        };
        assert_eq!(in_ink("What all cost"), (0, 1));
        assert_eq!(in_ink("Go costs less than Tokio"), (1, 1));
        assert_eq!(in_ink("Two servers in Java"), (2, 1));
        assert_eq!(in_ink("Java’s virtual threads"), (1, 1));
    }

    #[test]
    fn on_a_phone_no_line_of_the_grid_lies_behind_a_name() {
        let svg = drawn(&record(&[("one", &[1.0; 5]), ("another", &[2.0; 5])]), None);
        let page = format!("<page>{svg}</page>");
        let page = Document::parse(&page).unwrap();
        let narrow = page.root_element().children().nth(1).unwrap();
        let of = |class: &str| narrow.descendants().find(|it| it.attribute("class") == Some(class));
        let name = of("").unwrap().attribute("y").unwrap().parse::<i32>().unwrap();
        let axis = of("axis").unwrap().attribute("d").unwrap();
        let top = axis.split_whitespace().nth(1).unwrap().split('L').next().unwrap();
        assert!(top.parse::<i32>().unwrap() >= name, "{axis} begins above {name}");
    }

    #[test]
    fn a_law_is_a_diamond_and_a_server_has_its_sign() {
        let mut pool = pool();
        let svg = drawn(&pool, None);
        assert_eq!(svg.matches("<path class=\"law\"").count(), 2, "a bar, twice");
        assert!(!svg.contains("class=\"sign\""), "no server is named");
        pool.experiment.common.server = Some("ch03_threadpool".to_owned());
        assert_eq!(drawn(&pool, None).matches("class=\"sign\"").count(), 2 + 2);
        assert_eq!(drawn(&sweep(), None).matches("<path class=\"law around\"").count(), 2);
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
