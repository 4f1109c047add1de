//! Draws the chart of an experiment as a page shows it: what was expected, the finding, the drawing in two sizes, the law,
//! and how it was measured.
//!
//! A drawing is made of elements with classes, and the style sheet says how these look (`book/theme/pictures.css`). Each
//! is drawn twice, for wide and for narrow columns, with text of the same size; the style sheet shows the one that fits.

use std::{
    collections::{BTreeMap, BTreeSet},
    slice,
};

use anyhow::{Context, Result};
use pictures::{
    canvas::{Canvas, NARROW, WIDE, element},
    text::{capital, day, escape, figure_words, listed, plural, unescaped},
};
use records::{
    base::{number, shortest, significant},
    description::{ChartKind, Experiment, Law, Pin, Variant},
    disturbance::STEAL_PERCENT,
    store::RoundRun,
};

use crate::{
    bands::{self, Told},
    bars,
    dots::{self, dots},
    drawing::Drawing,
    lines,
    measured::Measured,
    named::Named,
};

/// The factor by which values may differ in bars, which can't show both ends of more.
const FAR_APART: f64 = 20.0;
/// The share of its processors, in percent, above which the generator is the limit, and not the server.
const LIMITED_PERCENT: f64 = 90.0;
/// The size of the sample beside a law, in pixels.
const SAMPLE: i32 = 24;

/// The form of a chart.
#[derive(Clone, Copy)]
enum Form<'a> {
    /// A bar for each variant.
    Bars,
    /// A line for each series, over the places that the description gives its variants.
    Lines,
    /// A dot for each run, over this figure of the run.
    Dots { x_figure: &'a str },
}

impl Form<'_> {
    fn of(experiment: &Experiment) -> Form<'_> {
        match (experiment.chart.kind, experiment.chart.x_figure.as_deref()) {
            (ChartKind::Bars, _) => Form::Bars,
            (ChartKind::Lines, None) => Form::Lines,
            (ChartKind::Lines, Some(x_figure)) => Form::Dots { x_figure },
        }
    }
}

/// Draws the chart of an experiment in HTML, without an empty line; `finding` is its title, in HTML.
///
/// Fails when the description asks for lines and a variant has no place on the horizontal axis, or for dots and there is
/// none, or too many series would be in colour.
pub fn chart(measured: &Measured, finding: &str) -> Result<String> {
    let form = Form::of(&measured.description);
    let mut drawings = String::new();
    for canvas in [WIDE, NARROW] {
        let drawing = draw(canvas, form, measured)
            .with_context(|| format!("cannot draw the experiment {}", measured.name))?;
        let id = format!("chart-{}-{}", measured.name, canvas.class);
        let size = (canvas.width, drawing.height);
        let words = (&*unescaped(finding), &*description(form, measured)?);
        drawings += &element(&id, (canvas.class, ""), size, words, &drawing.body);
        drawings.push('\n');
    }
    let law = match form {
        Form::Dots { .. } => None,
        Form::Bars | Form::Lines => law_words(&measured.description),
    };
    let law = law.map(|words| {
        let is_around = is_logarithmic(measured) || matches!(form, Form::Lines);
        let sample = sample(|drawing| drawing.law((SAMPLE / 2, 10), is_around));
        format!("<span>{sample}{}</span>", escape(&words))
    });
    let band = has_band(measured).then(|| {
        let sample = sample(|drawing| drawing.bar("band", (6, 0), (12, 20)));
        let baseline = named(measured, measured.description.baseline());
        format!("<span>{sample}{} beside itself</span>", escape(&baseline))
    });
    let marks: Vec<String> = law.into_iter().chain(band).collect();
    let marks = match marks.is_empty() {
        true => String::new(),
        false => format!("<p class=\"marks\">{}</p>\n", marks.join(" ")),
    };
    let table = match form {
        Form::Dots { x_figure } => bands::table(&told_by_bands(measured, x_figure)?, x_figure),
        Form::Bars | Form::Lines => String::new(),
    };
    Ok(format!(
        "<figure class=\"chart\" id=\"chart-{name}\">\n{expected}<p class=\"finding\">{finding}</p>\n\
         <p class=\"counts\">{what}</p>\n{drawings}{marks}{table}</figure>\n\
         <details class=\"about\">\n<summary>How it was measured</summary>\n\
         <p>{about}</p>\n</details>\n",
        name = measured.name,
        expected = expected(measured),
        what = what(form, measured),
        about = about(form, measured),
    ))
}

/// Lists the figures that the table by bands tells, each with its runs. Fails when no run has one of them.
fn told_by_bands<'a>(measured: &'a Measured, x_figure: &str) -> Result<Vec<Told<'a>>> {
    let experiment = &measured.description;
    let figures = match experiment.chart.bands.is_empty() {
        true => slice::from_ref(&experiment.metric),
        false => &experiment.chart.bands[..],
    };
    let mut told = Vec::new();
    for figure in figures {
        told.push(Told { figure, all: dots(measured, x_figure, figure)? });
    }
    Ok(told)
}

/// Writes what was expected, as it stood in the description when the experiment was measured; nothing, if nothing stood there.
fn expected(measured: &Measured) -> String {
    match &measured.record.session.expected {
        Some(words) => {
            format!("<p class=\"expected\"><strong>Expected:</strong> {}</p>\n", escape(words))
        }
        None => String::new(),
    }
}

fn draw(canvas: Canvas, form: Form, measured: &Measured) -> Result<Drawing> {
    match form {
        Form::Bars => Ok(bars::draw(canvas, measured)),
        Form::Lines => lines::draw(canvas, measured),
        Form::Dots { x_figure } => dots::draw(canvas, measured, x_figure),
    }
}

/// Tells whether a grey band shows the ratios of the baseline to its control.
fn has_band(measured: &Measured) -> bool {
    measured.description.chart.kind == ChartKind::Bars && measured.beside_itself().is_some()
}

/// Tells whether the axis of the values is logarithmic: if the description says so, or bars would differ too much.
pub fn is_logarithmic(measured: &Measured) -> bool {
    let experiment = &measured.description;
    let medians = experiment.variants.iter().filter_map(|it| Some(measured.metric(it)?.median));
    let laws = experiment.variants.iter().filter_map(|it| it.law.as_ref()).map(|law| law.value);
    let values: Vec<f64> = medians.chain(laws).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    let is_far_apart = least > 0.0 && most > FAR_APART * least;
    experiment.chart.log || (experiment.chart.kind == ChartKind::Bars && is_far_apart)
}

/// Lists the figures of the chart in words, for screen readers.
fn description(form: Form, measured: &Measured) -> Result<String> {
    let experiment = &measured.description;
    let kind = match form {
        Form::Bars if is_logarithmic(measured) => "Points",
        Form::Bars => "Bars",
        Form::Lines => "Lines",
        Form::Dots { x_figure } => {
            let what = figure_words(&experiment.metric);
            let over = figure_words(x_figure);
            let all = dots(measured, x_figure, &experiment.metric)?;
            let series = bands::words(&all, x_figure);
            return Ok(format!("Dots: {what}, over {over}. {series}."));
        }
    };
    let mut figures = Vec::new();
    for variant in &experiment.variants {
        let name = Named::of(experiment, variant, &variant.name).words;
        let median = measured.metric(variant).map(|spread| significant(spread.median));
        figures.push(format!("{name}: {}", median.as_deref().unwrap_or("no run counts")));
    }
    Ok(format!("{kind}: {}. {}.", figure_words(&experiment.metric), figures.join("; ")))
}

/// Names the metric, and the axes that are logarithmic; of dots also what each is.
fn what(form: Form, measured: &Measured) -> String {
    let chart = &measured.description.chart;
    let axes = match (chart.kind, is_logarithmic(measured), chart.x_log) {
        (ChartKind::Bars, true, _) => " The axis is logarithmic.",
        (ChartKind::Lines, true, true) => " Both axes are logarithmic.",
        (ChartKind::Lines, true, false) => " The vertical axis is logarithmic.",
        (ChartKind::Lines, false, true) => " The horizontal axis is logarithmic.",
        (ChartKind::Bars | ChartKind::Lines, false, _) => "",
    };
    let dots = match form {
        Form::Dots { .. } => " Each dot is a run.",
        Form::Bars | Form::Lines => "",
    };
    format!("{}.{dots}{axes}", escape(&capital(&figure_words(&measured.description.metric))))
}

/// Draws a small sample of a mark, to stand before its explanation.
fn sample(draw: impl FnOnce(&mut Drawing)) -> String {
    let mut drawing = Drawing::default();
    draw(&mut drawing);
    format!(
        "<svg class=\"pic\" width=\"{SAMPLE}\" height=\"20\" viewBox=\"0 0 {SAMPLE} 20\" \
         aria-hidden=\"true\">{}</svg>",
        drawing.body
    )
}

/// Explains how it was measured, in HTML: rounds, CPUs, the runs that were left out, how far the baseline is from itself,
/// where the generator was the limit, the day, and the command that repeats it.
fn about(form: Form, measured: &Measured) -> String {
    let Measured { name, record, .. } = measured;
    let runs = record.runs.len() as u64;
    let mut sentences = vec![format!(
        "{}, {}, {}.",
        plural(measured.rounds() as u64, "round"),
        bound(&measured.description),
        order(measured)
    )];
    match form {
        Form::Bars | Form::Lines => sentences.push(
            "The bar or point is the median, and the line through or below it goes from the least to the greatest."
                .to_owned(),
        ),
        Form::Dots { .. } => {}
    }
    if let Some(itself) = measured.beside_itself() {
        let what = if has_band(measured) { "The grey band" } else { "Twice in each round" };
        sentences.push(format!(
            "{what}: {} beside itself, {} to {} times.",
            named(measured, measured.description.baseline()),
            number(itself.least, 2),
            number(itself.greatest, 2)
        ));
    }
    sentences.push(match record.left_out() {
        0 => format!("None of {} was left out.", plural(runs, "run")),
        left_out => format!("{left_out} of {} were left out.", plural(runs, "run")),
    });
    let stolen = record.runs.iter().filter_map(|run| stolen_percent(run, measured));
    let stolen = stolen.filter(|percent| *percent > STEAL_PERCENT).count();
    if stolen > 0 {
        sentences.push(format!(
            "In {stolen} of them the host took more than {STEAL_PERCENT}% of the machine's CPU time."
        ));
    }
    let limited = limited(measured);
    if !limited.is_empty() {
        sentences.push(format!(
            "In most rounds of {} the generator used more than {LIMITED_PERCENT}% of its CPUs, so this is the \
             generator's limit.",
            listed(&limited)
        ));
    }
    let command = format!("cargo xtask bench --only {name}");
    escape(&sentences.join(" "))
        + &format!(
            " Measured on {}. The rule for a difference: <a href=\"measuring.html#is-there-a-difference-at-all\">Measuring honestly</a>. \
             Repeat it: <code>{command}</code>",
            escape(day(&record.session.started))
        )
}

/// Describes the order of the runs, judging by the record: a server may have got all its loads in one process.
fn order(measured: &Measured) -> &'static str {
    let variants = &measured.description.variants;
    let mut series: Vec<&str> = variants.iter().filter_map(|it| it.series.as_deref()).collect();
    series.dedup();
    match !series.is_empty() && series.iter().all(|name| has_fixed_order(measured, name)) {
        true => "the servers in random order, each with its loads one after the other",
        false => "in random order",
    }
}

/// Tells whether the runs of a series have the same order in all rounds, of which there are enough that it is no chance.
fn has_fixed_order(measured: &Measured, series: &str) -> bool {
    let mut rounds: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for run in &measured.record.runs {
        let variant = measured.description.variant(&run.variant);
        if variant.is_some_and(|it| it.series.as_deref() == Some(series)) {
            rounds.entry(run.round).or_default().push(&run.variant);
        }
    }
    let mut orders: Vec<&Vec<&str>> = rounds.values().collect();
    let is_long = orders.iter().all(|order| order.len() > 2);
    orders.dedup();
    rounds.len() > 2 && is_long && orders.len() == 1
}

/// Computes the share of the machine's CPU time that the host took in a run, in percent.
fn stolen_percent(run: &RoundRun, measured: &Measured) -> Option<f64> {
    let took = run.figure("duration_seconds").or_else(|| run.figure("program_seconds"))?;
    let threads = measured.record.session.machine.hardware_threads?;
    Some(100.0 * run.figure("steal_seconds")? / (took * threads as f64))
}

/// Describes to which CPUs server and generator, or the program, were bound.
fn bound(experiment: &Experiment) -> String {
    let pins = experiment.variants.iter().map(|variant| variant.pin.unwrap_or(experiment.pin));
    let pins: BTreeSet<Pin> = pins.collect();
    let words = pins.into_iter().map(|pin| match pin {
        Pin::None if experiment.is_of_programs() => "bound to no CPU",
        Pin::None => "server and generator bound to no CPU",
        Pin::Apart => "the server on one half of the CPUs and the generator on the other half",
        Pin::Together => "server and generator on the same CPU",
        Pin::One => "on one CPU",
    });
    words.collect::<Vec<_>>().join(", or ")
}

/// Names the variants in which the generator was the limit: it had no CPU time left in most rounds.
fn limited(measured: &Measured) -> Vec<String> {
    let experiment = &measured.description;
    let metric = &experiment.metric;
    // What a request costs the server is no figure of the generator.
    let is_generators = metric.ends_with("_per_second") || metric.starts_with("latency_");
    let mut limited = Vec::new();
    for variant in experiment.variants.iter().filter(|_| is_generators) {
        let counted = measured.record.counted(&variant.name);
        let runs = counted.values().filter(|run| {
            run.figure("generator_cpu_share_percent").is_some_and(|it| it > LIMITED_PERCENT)
        });
        if 2 * runs.count() > counted.len() {
            limited.push(named(measured, &variant.name));
        }
    }
    limited
}

/// Returns the name that a chart gives a variant.
fn named(measured: &Measured, variant: &str) -> String {
    let experiment = &measured.description;
    let found = experiment.variant(variant);
    found.map_or_else(|| variant.to_owned(), |it| Named::of(experiment, it, variant).words)
}

/// Explains the law with the formula that most variants have; the prediction for each stands at its bar.
fn law_words(experiment: &Experiment) -> Option<String> {
    let laws = experiment.variants.iter().filter_map(|it| Some((it, it.law.as_ref()?)));
    let laws: Vec<(&Variant, &Law)> = laws.collect();
    // The first of those with the greatest weight.
    let (variant, law) = laws.iter().rev().max_by_key(|(_, law)| weight(law, &laws))?;
    let name = Named::of(experiment, variant, &variant.name).words;
    let what = match experiment.metric.ends_with("_per_second") {
        true => "the most that the law allows",
        false => "what the law predicts",
    };
    Some(format!("{what}: {} = {} for {name}", spelled(law), shortest(law.value)))
}

/// Ranks a law as the one to show: by the number of variants that have it, and then by many threads, with which both of
/// its numbers count.
fn weight(law: &Law, laws: &[(&Variant, &Law)]) -> (usize, bool) {
    let often = laws.iter().filter(|(_, other)| other.words == law.words).count();
    (often, threads(law).is_some_and(|it| it > 1))
}

/// Splits a law that takes the fewer of clients and threads, `min(492, 8) / 0.1 s`, into these two and the rest.
fn fewer(words: &str) -> Option<(u64, u64, &str)> {
    let (both, rest) = words.strip_prefix("min(")?.split_once(')')?;
    let (clients, threads) = both.split_once(", ")?;
    Some((clients.parse().ok()?, threads.parse().ok()?, rest))
}

/// Returns the number of threads, if they and not the clients limit the rate.
fn threads(law: &Law) -> Option<u64> {
    let (clients, threads, _) = fewer(&law.words)?;
    (threads < clients).then_some(threads)
}

/// Writes the formula: `8 threads / 0.1 s`.
fn spelled(law: &Law) -> String {
    match fewer(&law.words) {
        Some((clients, threads, rest)) if threads < clients => plural(threads, "thread") + rest,
        Some((clients, _, rest)) => plural(clients, "client") + rest,
        None => law.words.replace(" x ", " × "),
    }
}

#[cfg(test)]
mod tests {
    use records::{
        description::Chart,
        store::RoundRun,
        testing::{pool, run},
    };

    use super::*;

    fn drawn(measured: &Measured) -> String {
        chart(measured, "Four times &lt;1&gt;").unwrap()
    }

    fn pool_law() -> Measured {
        let (description, record) = pool();
        Measured { name: "pool-law".to_owned(), description, record }
    }

    /// Two series over an axis.
    fn sweep() -> Measured {
        let mut sweep = pool_law();
        sweep.description.variants.clear();
        sweep.record.runs.clear();
        let points =
            [("pool, 10", 10.0), ("pool, 1000", 80.0), ("tokio, 10", 100.0), ("tokio, 1000", 9e3)];
        for (name, rate) in points {
            let (series, x) = name.split_once(", ").unwrap();
            sweep.description.variants.push(Variant {
                series: Some(series.to_owned()),
                x: x.parse().ok(),
                ..Variant::named(name)
            });
            sweep.record.runs.push(run(1, name, rate));
        }
        sweep.description.chart = Chart {
            kind: ChartKind::Lines,
            x_label: Some("clients".to_owned()),
            log: true,
            x_log: true,
            ..Chart::default()
        };
        sweep
    }

    #[test]
    fn a_bar_stands_for_no_value_that_is_twenty_times_another() {
        // Zero has no place on a logarithmic axis.
        for (least, bars, points) in [(0.6, 4, 0), (0.4, 0, 4), (0.0, 4, 0)] {
            let mut measured = pool_law();
            measured.record.runs = vec![run(1, "pool of 1", least), run(1, "pool of 4", 10.0)];
            measured.description.variants.iter_mut().for_each(|variant| variant.law = None);
            let html = drawn(&measured);
            assert_eq!(html.matches("<rect class=\"bar\"").count(), bars, "{least}");
            assert_eq!(html.matches("class=\"point\"").count(), points, "{least}");
        }
    }

    /// The runs of three rounds, each in its order.
    fn in_rounds(names: &[String], orders: [[usize; 3]; 3]) -> Vec<RoundRun> {
        let mut runs = Vec::new();
        for (round, order) in (1..).zip(orders) {
            for place in order {
                runs.push(run(round, &names[place], 1.0));
            }
        }
        runs
    }

    /// The words about the law where two variants have these formulas.
    fn law_of_two(first: &str, second: &str, metric: &str) -> String {
        let mut experiment = pool_law().description;
        experiment.metric = metric.to_owned();
        for (variant, words) in experiment.variants.iter_mut().zip([first, second]) {
            variant.law = Some(Law { value: 40.0, words: words.to_owned() });
        }
        law_words(&experiment).unwrap()
    }

    #[test]
    fn what_was_expected_before_stands_before_what_was_found() {
        let mut measured = pool_law();
        // What is written into the description afterwards was not there before.
        measured.description.expected = Some("Ten.".to_owned());
        assert!(!drawn(&measured).contains("Expected"));
        measured.record.session.expected = Some("10 < 40.".to_owned());
        let both = "<p class=\"expected\"><strong>Expected:</strong> 10 &lt; 40.</p>\n<p class=\"finding\">Four";
        assert!(drawn(&measured).contains(both));
    }

    #[test]
    fn a_line_needs_a_place_for_each_of_its_variants() {
        let mut measured = sweep();
        measured.description.variants[2].x = None;
        let error = format!("{:#}", chart(&measured, "").unwrap_err());
        assert!(error.contains("\"tokio, 10\"") && error.contains("`x = …`"), "{error}");
    }

    /// Three runs of two series, of which one is not shown, over the load that was measured.
    fn loads() -> Measured {
        let mut loads = sweep();
        let chart = &mut loads.description.chart;
        (chart.x_figure, chart.x_log) = (Some("server_cpu_share_percent".to_owned()), false);
        chart.shown = vec!["tokio".to_owned()];
        loads.description.variants.iter_mut().for_each(|variant| variant.x = None);
        let law = Law { value: 1e6, words: "many".to_owned() };
        loads.description.variants[0].law = Some(law);
        let percents = [Some(12.0), None, Some(29.9), Some(95.0)];
        for (run, percent) in loads.record.runs.iter_mut().zip(percents) {
            run.figures.extend(percent.map(|it| ("server_cpu_share_percent".to_owned(), it)));
        }
        loads
    }

    #[test]
    fn a_dot_is_a_run_that_counts_and_lies_over_its_own_figure() {
        let mut measured = loads();
        let mut more = measured.record.runs[3].clone();
        more.round = 2;
        more.figures.insert("server_cpu_share_percent".to_owned(), 95.1);
        measured.record.runs.push(more.clone());
        more.round = 3;
        more.left_out = Some("errors".to_owned());
        measured.record.runs.push(more);
        let html = drawn(&measured);
        let [wide, _narrow] =
            [1, 2].map(|place| html.split("<svg class=\"pic").nth(place).unwrap());
        let (_, shown) = wide.split_once("<g class=\"runs\"").unwrap();
        let (shown, _) = shown.split_once("</g>").unwrap();
        assert_eq!(shown.matches("<path").count(), 3, "{shown}");
        // The run that has no such figure is no dot.
        let (_, grey) = wide.split_once("<path class=\"runs grey\" d=\"").unwrap();
        let (grey, _) = grey.split_once('"').unwrap();
        assert_eq!(grey.matches("h0").count(), 1, "{grey}");
        // No lines, no intervals, and no law, which says nothing of a measured load.
        for class in ["series", "interval", "predicted", "law around"] {
            assert!(!html.contains(&format!("class=\"{class}\"")), "{class}");
        }
        assert!(!html.contains("1,000,000"), "{html}");
        assert!(html.contains("Each dot is a run. The vertical axis is logarithmic."), "{html}");
        assert!(!html.contains("point is the median") && !html.contains("\n\n"), "{html}");
        assert!(html.contains(">tokio</text>"), "{html}");
        let words = "<desc id=\"chart-pool-law-wide-desc\">Dots: requests per second, over server CPU time share, %. \
                     tokio: below 30, 100; 85–95, 9,000; above 95, 9,000.</desc>";
        assert!(html.contains(words), "{html}");
        let row = "<tr><th scope=\"row\">tokio</th><td>100 <small>(100 to 100)</small> <small>1 run</small></td><td>–</td><td>–</td>\
                   <td>9,000 <small>(9,000 to 9,000)</small> <small>1 run</small></td><td>9,000 <small>(9,000 to 9,000)</small> <small>1 run</small></td></tr>\n";
        assert!(html.contains(row) && !html.contains("<th scope=\"row\">pool"), "{html}");
    }

    #[test]
    fn dots_have_a_logarithmic_axis_where_the_description_says_so() {
        let mut measured = loads();
        let height = |measured: &Measured| {
            let html = drawn(measured);
            let dot = html.split("<path transform=\"translate(").nth(1).unwrap();
            dot.split([' ', ')']).nth(1).unwrap().parse::<i32>().unwrap()
        };
        let logarithmic = height(&measured);
        measured.description.chart.log = false;
        // From 10 to 10,000 a hundred lies a third of the way up, or nearly at the bottom.
        assert!(logarithmic + 80 < height(&measured), "{logarithmic}");
    }

    #[test]
    fn a_chart_of_dots_without_a_dot_is_refused() {
        let mut measured = loads();
        measured.record.runs.iter_mut().for_each(|run| {
            run.figures.remove("server_cpu_share_percent");
        });
        let error = format!("{:#}", chart(&measured, "").unwrap_err());
        assert!(error.contains("both `server_cpu_share_percent` and"), "{error}");
    }

    #[test]
    fn the_order_that_is_told_is_the_one_in_the_record() {
        let mut measured = pool_law();
        measured.description.variants.clear();
        for x in [10.0, 20.0, 30.0] {
            let (series, x) = (Some("tokio".to_owned()), Some(x));
            measured.description.variants.push(Variant {
                series,
                x,
                ..Variant::named(&format!("{x:?}"))
            });
        }
        let names: Vec<String> =
            measured.description.variants.iter().map(|variant| variant.name.clone()).collect();
        measured.record.runs = in_rounds(&names, [[0, 1, 2]; 3]);
        assert_eq!(
            order(&measured),
            "the servers in random order, each with its loads one after the other"
        );
        measured.record.runs = in_rounds(&names, [[0, 1, 2], [2, 1, 0], [0, 1, 2]]);
        assert_eq!(order(&measured), "in random order");
        assert_eq!(order(&pool_law()), "in random order");
    }

    #[test]
    fn no_band_is_named_where_none_is_drawn() {
        let mut lines = sweep();
        lines.description.control = true;
        lines.record.runs.push(run(1, "control", 10.0));
        let html = drawn(&lines);
        assert!(html.contains("Twice in each round: ") && !html.contains("grey band"), "{html}");
    }

    #[test]
    fn more_lines_than_a_reader_tells_apart_are_refused() {
        let mut measured = sweep();
        for number in 0..5 {
            let name = format!("line {number}");
            let variant =
                Variant { series: Some(name.clone()), x: Some(10.0), ..Variant::named(&name) };
            measured.description.variants.push(variant);
        }
        let error = format!("{:#}", chart(&measured, "").unwrap_err());
        assert!(error.contains("7 lines would be in colour"), "{error}");
    }

    #[test]
    fn a_law_is_said_before_its_formula_which_says_of_what_its_numbers_are() {
        let [one, four, ten] =
            ["min(492, 1) / 0.1 s", "min(492, 4) / 0.1 s", "min(10, 32) / 0.1 s"];
        let most = "the most that the law allows: ";
        for (first, second, words) in [
            (one, four, "4 threads / 0.1 s = 40 for pool of 4"),
            (one, ten, "1 thread / 0.1 s = 40 for pool of 1"),
            (ten, one, "10 clients / 0.1 s = 40 for pool of 1"),
        ] {
            let law = law_of_two(first, second, "requests_per_second");
            assert_eq!(law, format!("{most}{words}"));
        }
        let latency = law_of_two("the wait itself", "2 x 50 ms", "latency_p90_ms");
        assert_eq!(latency, "what the law predicts: the wait itself = 40 for pool of 1");
    }
}
