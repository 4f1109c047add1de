//! The questions to the reader: each `Predict` of the pages is one, and where its right answer rests on figures, every
//! round bears it out.

use std::collections::{BTreeMap, BTreeSet};

use ladder_tests::none;
use records::{
    description::Experiment,
    descriptions,
    results::shown_folder,
    store::{self, EXPERIMENTS, Record},
};
use regex::Regex;
use serde::Deserialize;

use super::{
    page::pages,
    repository::{read, root},
};

/// The file of what answers rest on.
const FILE: &str = "tests/book/predictions.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rests: Vec<Rest>,
}

/// On which figures the right answer to a question rests.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rest {
    page: String,
    /// The question's name on that page.
    name: String,
    /// The answer, as the page's directive has it.
    answer: f64,
    holds: Vec<Condition>,
}

/// A figure of a variant, or of one divided by another's, is in every round less or more than a number, or than what two
/// other variants have of each other in that round.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Condition {
    experiment: String,
    of: String,
    to: Option<String>,
    /// The metric, where it names no other.
    figure: Option<String>,
    is: Comparison,
    number: Option<f64>,
    beside: Option<Ratio>,
}

/// The metric of a variant divided by another's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ratio {
    of: String,
    to: String,
}

#[derive(Clone, Copy, Deserialize)]
enum Comparison {
    #[serde(rename = "<")]
    Less,
    #[serde(rename = ">")]
    More,
}

impl Condition {
    /// The value in each round.
    fn values(&self, experiment: &Experiment, record: &Record) -> BTreeMap<usize, f64> {
        let figure = self.figure.as_ref().unwrap_or(&experiment.metric);
        match &self.to {
            Some(to) => ratios(record, &self.of, to, figure),
            None => record.values(&self.of, figure),
        }
    }

    /// What the value is compared with, in each of these rounds that has it.
    fn bounds(
        &self,
        rounds: impl Iterator<Item = usize>,
        experiment: &Experiment,
        record: &Record,
    ) -> BTreeMap<usize, f64> {
        match (self.number, &self.beside) {
            (Some(number), None) => rounds.map(|round| (round, number)).collect(),
            (None, Some(Ratio { of, to })) => ratios(record, of, to, &experiment.metric),
            _ => panic!("{FILE}: a condition has either a number or a ratio beside it"),
        }
    }

    /// What the rounds say against it.
    fn faults(&self, described: &BTreeMap<String, Experiment>) -> Vec<String> {
        let Condition { experiment, of, .. } = self;
        let Some(description) = described.get(experiment) else {
            return vec![format!("there is no experiment {experiment}")];
        };
        let record = match store::read(&shown_folder(root()).join(EXPERIMENTS), experiment) {
            Ok(record) => record,
            Err(error) => return vec![format!("{error:#}")],
        };
        let values = self.values(description, &record);
        if values.is_empty() {
            return vec![format!("no round of {experiment} has it of \"{of}\"")];
        }
        let bounds = self.bounds(values.keys().copied(), description, &record);
        let mut faults = Vec::new();
        for (round, value) in values {
            let Some(bound) = bounds.get(&round) else { continue };
            let (holds, is) = match self.is {
                Comparison::Less => (value < *bound, "<"),
                Comparison::More => (value > *bound, ">"),
            };
            if !holds {
                faults.push(format!(
                    "round {round} of {experiment} contradicts it: \"{of}\" has {value}, which isn't {is} {bound}"
                ));
            }
        }
        faults
    }
}

/// A figure of one variant divided by another's, in each round that has both.
fn ratios(record: &Record, of: &str, to: &str, figure: &str) -> BTreeMap<usize, f64> {
    let base = record.values(to, figure);
    let mut ratios = record.values(of, figure);
    ratios.retain(|round, _| base.contains_key(round));
    ratios.iter_mut().for_each(|(round, value)| *value /= base[round]);
    ratios
}

/// The answers in the pages' directives, by page and name.
fn answers() -> BTreeMap<(String, String), String> {
    let question = Regex::new(r"(?m)^\{\{#predict (\S+) ([^ }]+)").expect("a pattern");
    let mut answers = BTreeMap::new();
    for page in pages() {
        for found in question.captures_iter(&page.text) {
            answers.insert((page.stem.clone(), found[1].to_owned()), found[2].to_owned());
        }
    }
    answers
}

#[test]
fn every_round_bears_out_the_answers_that_rest_on_figures() {
    let file: File = toml::from_str(&read(FILE)).expect("a list of answers");
    let described = descriptions::load_all(root()).unwrap_or_else(|error| panic!("{error:#}"));
    let answers = answers();
    let mut complaints = Vec::new();
    for Rest { page, name, answer, holds } in file.rests {
        let asked = answers.get(&(page.clone(), name.clone()));
        if asked.and_then(|it| it.parse::<f64>().ok()) != Some(answer) {
            complaints.push(format!("{FILE}: {page} has no {{{{#predict {name} {answer} …}}}}"));
        }
        assert!(!holds.is_empty(), "{FILE}: {name} rests on nothing");
        let faults = holds.iter().flat_map(|condition| condition.faults(&described));
        complaints.extend(faults.map(|fault| format!("{page}, {name}: {fault}")));
    }
    none(complaints);
}

/// A page's `Predict` that is only prose would be one that nobody checks.
#[test]
fn every_predict_of_the_pages_is_a_question() {
    let mut complaints = Vec::new();
    let mut asked = BTreeSet::new();
    for page in pages() {
        let lines: Vec<&str> = page.text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            if line.starts_with("{{#predict ") {
                asked.insert(format!("{}: {line}", page.stem));
            }
            if *line != "## Predict" && !line.starts_with("**Predict") {
                continue;
            }
            // The directive may stand just above the paragraph; the answer ends what belongs to it.
            let from = index.saturating_sub(2);
            let below = lines[index + 1..].iter();
            let length =
                below.take_while(|line| !line.starts_with('#') && **line != "<details>").count();
            let near = &lines[from..=index + length];
            if !near.iter().any(|line| line.starts_with("{{#predict ")) {
                complaints.push(format!("{}: no {{{{#predict}}}} follows", page.at(index + 1)));
            }
        }
    }
    none(complaints);
    assert!(asked.len() > 30, "{asked:?}");
}
