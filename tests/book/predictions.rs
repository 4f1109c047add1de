//! The questions to the reader: each `Predict` of the pages is one, and each right answer has its evidence.
//!
//! What the results and the arithmetic say about the answers, the tool's own tests hold
//! (`tools/book/src/questions`); here it is about the tests that are named.

use std::{collections::BTreeSet, fs};

use ladder_tests::{Rung, none};
use regex::Regex;

use super::{
    page::pages,
    repository::{files_below, root, short},
};

/// What begins a list of tests.
const MACROS: [&str; 2] = ["for_each_rung! {", "for_each_server! {"];

/// The tests that the predictions name: where it is said, and `FILE: FUNCTION` or `FILE: FUNCTION for RUNG`.
fn named_tests() -> Vec<(String, String)> {
    let mut named = Vec::new();
    for path in files_below(&root().join("book/predictions")) {
        let text = fs::read_to_string(&path).expect("it is text");
        let table: toml::Table =
            text.parse().unwrap_or_else(|error| panic!("{}: {error}", short(&path)));
        for (id, prediction) in table {
            let at = format!("{}: [{id}]", short(&path));
            let tests = prediction.get("tests").and_then(toml::Value::as_array);
            for test in tests.into_iter().flatten() {
                named.push((at.clone(), test.as_str().expect("a text").to_owned()));
            }
        }
    }
    named
}

/// Whether the test that is named is run: as a test of its own, or for the rung that is named with it.
fn check_test(named: &str) -> Result<(), String> {
    let form = "not `FILE: FUNCTION` or `FILE: FUNCTION for RUNG`";
    let (file, rest) = named.split_once(": ").ok_or(form)?;
    let (function, rung) = match rest.split_once(" for ") {
        Some((function, rung)) => (function, Some(rung)),
        None => (rest, None),
    };
    let text = fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))?;
    let Some(rung) = rung else {
        let test = Regex::new(&format!(r"#\[test\]\s+fn {function}\(")).expect("a pattern");
        return match test.is_match(&text) {
            true => Ok(()),
            false => Err(format!("{file} has no #[test] {function}")),
        };
    };
    if !text.contains(&format!("fn {function}(rung: Rung)")) {
        return Err(format!("{file} has no function {function} that is called for a rung"));
    }
    // It panics where there is no such rung.
    let rung = Rung::named(rung);
    // Only the second of the two runs a test on a server in another language.
    let macros = if rung.is_foreign() { &MACROS[1..] } else { &MACROS[..] };
    let list = macros.iter().find_map(|name| text.split_once(*name));
    let (_, after) = list.ok_or("no list of rungs")?;
    let (list, _) = after.split_once("\n}").ok_or("the list of rungs never ends")?;
    let lists = |name: &str| {
        let (_, tests) = list.split_once(&format!("    {name}: [")).unwrap_or_default();
        let tests =
            Regex::new(r"#\[[^]]*\]").expect("a pattern").replace_all(tests, "").into_owned();
        let tests = tests.split(']').next().unwrap_or_default().to_owned();
        tests.split(',').any(|test| test.trim() == function)
    };
    let schedule = format!("{:?}", rung.schedule);
    let run = ["every", &schedule, rung.name];
    match run.iter().any(|list| lists(list) || lists(&format!("{list}_slow"))) {
        true => Ok(()),
        false => Err(format!("{file} does not run {function} for {}", rung.name)),
    }
}

#[test]
fn every_test_that_a_prediction_names_is_run() {
    let named = named_tests();
    assert!(named.len() > 10, "{named:?}");
    let mut complaints = Vec::new();
    for (at, test) in named {
        if let Err(complaint) = check_test(&test) {
            complaints.push(format!("{at}: {complaint}"));
        }
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
