//! With what the pages argue: no ratio is that of rates for which the generator was the limit, and no figure is a
//! percentile of a closed loop.

use std::collections::BTreeMap;

use ladder_tests::none;
use records::{
    description::{CONTROL, Contrast},
    descriptions, results,
    store::{self, EXPERIMENTS, Record},
    verdict::Why,
};
use regex::Regex;

use super::{
    page::{Page, pages},
    repository::root,
};

/// The experiments that show what a percentile of a closed loop is worth, and source 004's own command: what it prints
/// stands beside what the article published.
const ABOUT_CLOSED_LOOPS: [&str; 2] = ["article-004-command", "omission"];

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
    ratios.retain(|it| ["times", "interval"].contains(&&*it.name) && it.variants[0] != CONTROL);
    assert!(ratios.len() > 50, "{} ratios", ratios.len());
    let is_generators = |it: &&Used| {
        let baseline = it.record.experiment.baseline();
        let to = it.variants.get(1).map_or(baseline, String::as_str);
        let contrast =
            Contrast { figure: Some(it.figure.clone()), ..Contrast::between(&it.variants[0], to) };
        it.record.finding(&contrast).silent == Some(Why::Generator)
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
