//! With what the pages argue: no ratio is that of rates for which the generator was the limit, and no figure is a
//! percentile of a closed loop.

use std::collections::BTreeMap;

use ladder_tests::none;
use records::{
    description::CONTROL,
    descriptions,
    figures::value,
    results,
    stats::median,
    store::{self, EXPERIMENTS, Record},
};
use regex::Regex;

use super::{
    page::{Page, pages},
    repository::root,
};

/// The experiments that show what a percentile of a closed loop is worth, and source 004's own command: what it prints
/// stands beside what the article published.
const ABOUT_CLOSED_LOOPS: [&str; 3] = ["article-004-command", "ghosts", "omission"];

/// A directive about a record: `{{#NAME EXPERIMENT VARIANT … FIGURE …}}`.
struct Used<'a> {
    /// Where it stands, and how it is written.
    at: String,
    name: String,
    experiment: String,
    record: &'a Record,
    variants: Vec<String>,
    /// The metric, where it names no other.
    figure: String,
}

/// What the pages use of the records, and the sentences that say what an experiment found.
fn used(records: &BTreeMap<String, Record>) -> Vec<Used<'_>> {
    let described = descriptions::load_all(root()).unwrap_or_else(|error| panic!("{error:#}"));
    let findings = described.into_iter().filter_map(|(stem, experiment)| {
        let path = root().join("measurements/experiments").join(&stem).with_extension("toml");
        Some(Page { path, stem, text: experiment.finding? })
    });
    let word = Regex::new(r#""[^"]*"|\S+"#).expect("it is a pattern");
    let mut used = Vec::new();
    for page in pages().into_iter().chain(findings) {
        for directive in page.directives() {
            let at = format!("{}: {} {}", page.at(directive.line), directive.name, directive.rest);
            let words =
                word.find_iter(&directive.rest).map(|found| found.as_str().trim_matches('"'));
            let mut words: Vec<&str> = words.collect();
            let Some(record) = words.first().and_then(|name| records.get(*name)) else { continue };
            let experiment = words.remove(0).to_owned();
            let names = record.names();
            let (variants, others): (Vec<&str>, Vec<&str>) =
                words.into_iter().partition(|word| names.contains(word));
            let figure = others.iter().find(|word| word.contains('_'));
            used.push(Used {
                at,
                name: directive.name,
                experiment,
                record,
                variants: variants.into_iter().map(str::to_owned).collect(),
                figure: figure.copied().unwrap_or(&record.experiment.metric).to_owned(),
            });
        }
    }
    used
}

fn records() -> BTreeMap<String, Record> {
    let folder = results::books(root()).join(EXPERIMENTS);
    let described = descriptions::load_all(root()).unwrap_or_else(|error| panic!("{error:#}"));
    let records = store::read_all(&folder).unwrap_or_else(|error| panic!("{error:#}"));
    let in_words = |(name, record): (String, Record)| {
        let record = record.described(&described[&name]);
        (name, record)
    };
    records.into_iter().map(in_words).collect()
}

/// A control argues for nothing: its ratio shows the noise.
#[test]
fn no_page_argues_with_a_rate_of_the_generator() {
    let records = records();
    let mut ratios = used(&records);
    ratios.retain(|it| ["times", "range"].contains(&&*it.name) && it.variants[0] != CONTROL);
    assert!(ratios.len() > 10, "{} ratios", ratios.len());
    let is_generators = |it: &&Used| {
        let baseline = it.record.experiment.baseline().to_owned();
        let both = [&it.variants[0], it.variants.get(1).unwrap_or(&baseline)];
        both.iter().any(|variant| it.record.is_generators(variant, &it.figure))
    };
    let complaints = ratios.iter().filter(is_generators);
    none(complaints.map(|it| format!("{}: the generator was the limit", it.at)).collect());
}

#[test]
fn no_figure_is_a_percentile_of_a_closed_loop() {
    let records = records();
    let mut percentiles = used(&records);
    percentiles.retain(|it| it.figure.starts_with("latency_p"));
    assert!(percentiles.len() > 20, "{} percentiles", percentiles.len());
    let is_closed = |it: &&Used| {
        let variants = it.record.experiment.setups();
        let mut named = variants
            .filter(|(name, _)| it.variants.is_empty() || it.variants.iter().any(|it| it == name));
        let is_open = |words: &Vec<String>| words.iter().any(|word| word == "--rate");
        let closed = named.any(|(_, setup)| !setup.generator.as_ref().is_some_and(is_open));
        closed && !ABOUT_CLOSED_LOOPS.contains(&&*it.experiment)
    };
    none(percentiles.iter().filter(is_closed).map(|it| it.at.clone()).collect());
}

/// The recap says so: how fast the server's processor was explains a part of what a request cost.
#[test]
fn a_kept_request_costs_more_where_the_processor_was_slow() {
    let all = records();
    let record = &all["models-keepalive"];
    let spins = ["spin_before_ns", "spin_after_ns"];
    let of_all = record.runs.iter().flat_map(|run| spins.map(|name| value(&run.figures, name)));
    let usual = median(&of_all.flatten().collect::<Vec<f64>>()).expect("spins were timed");
    let mut quick = Vec::new();
    let mut slow = Vec::new();
    for variant in record.names() {
        let costs = record.values(variant, &record.experiment.metric);
        let middle = median(&costs.values().copied().collect::<Vec<f64>>()).expect("it has runs");
        for (round, run) in record.counted(variant) {
            let took = spins.map(|name| value(&run.figures, name).expect("a spin was timed"));
            let is_slow = took.map(|ns| ns > 1.1 * usual);
            match is_slow {
                [true, true] => slow.push(costs[&round] / middle),
                [false, false] => quick.push(costs[&round] / middle),
                _ => {}
            }
        }
    }
    assert!(quick.len() > 10 && slow.len() > 10, "{} and {} runs", quick.len(), slow.len());
    assert!(median(&slow) > median(&quick).map(|cost| 1.1 * cost), "{quick:?}, {slow:?}");
}
