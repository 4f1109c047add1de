//! What was measured in the experiments: `measurements/results/experiments/NAME.json` is what `measurements/experiments/NAME.toml`
//! asks for, complete, and the same in the figures as in the generators' own words.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use ladder_tests::RUNGS;
use regex::Regex;
use serde_json::{Value, json};
use servers::SERVERS;

use super::{
    page::Page,
    repository::{files_below, read, root},
};

/// Where the records of the pages lie.
pub const RECORDS: &str = "measurements/results/experiments";

/// Whether this is to replace a record, and not whole yet: `NAME.part.json`. git does not keep it.
pub fn is_part(path: &Path) -> bool {
    let ends = [".part.json", ".part.txt"];
    ends.iter().any(|end| path.to_string_lossy().ends_with(end))
}

/// The files in a folder with this ending, with their names; none where there is no such folder.
fn named(folder: &str, ending: &str) -> Vec<(String, PathBuf)> {
    let folder = root().join(folder);
    if !folder.is_dir() {
        return Vec::new();
    }
    let files = files_below(&folder).into_iter().filter(|path| !is_part(path));
    let files = files.filter(|path| path.extension().is_some_and(|found| found == ending));
    let stem =
        |path: &PathBuf| path.file_stem().expect("it has a name").to_string_lossy().into_owned();
    files.map(|path| (stem(&path), path)).collect()
}

/// Every description of an experiment, as the JSON that says the same.
pub fn descriptions() -> Vec<(String, Value)> {
    let read_description = |(name, path): (String, PathBuf)| {
        let table: toml::Table =
            read(&path).parse().unwrap_or_else(|error| panic!("{name}.toml: {error}"));
        (name, serde_json::to_value(table).expect("TOML of these types is JSON too"))
    };
    named("measurements/experiments", "toml").into_iter().map(read_description).collect()
}

/// An experiment that was measured, and what its generators printed.
struct Record {
    name: String,
    json: Value,
    raw: String,
}

impl Record {
    fn runs(&self) -> &[Value] {
        self.json["runs"].as_array().expect("a list of runs")
    }

    /// What the generator printed in a run.
    #[track_caller]
    fn raw_of(&self, run: &Value) -> &str {
        let head = format!(
            "=== round {}, {}, attempt {}\n",
            run["round"],
            run["variant"].as_str().expect("a name"),
            run["attempt"]
        );
        let found = self
            .raw
            .strip_prefix(&head)
            .or_else(|| self.raw.split_once(&format!("\n{head}")).map(|(_, output)| output));
        let output = found.unwrap_or_else(|| panic!("{}.txt has no {head}", self.name));
        output.split("\n=== round ").next().unwrap_or_default()
    }
}

/// All records.
fn records() -> Vec<Record> {
    let read_record = |(name, path): (String, PathBuf)| {
        let json = serde_json::from_str(&read(&path))
            .unwrap_or_else(|error| panic!("{name}.json: {error}"));
        let raw = read(path.with_extension("txt")).replace("\r\n", "\n");
        Record { name, json, raw }
    };
    named(RECORDS, "json").into_iter().map(read_record).collect()
}

#[test]
fn every_experiment_was_measured() {
    let measured: BTreeSet<String> =
        named(RECORDS, "json").into_iter().map(|(name, _)| name).collect();
    let described: BTreeSet<String> = descriptions().into_iter().map(|(name, _)| name).collect();
    // One that compares a server whose figures are not there yet waits with that server.
    let waits = |description: &Value| {
        let unmeasured = SERVERS.iter().filter(|server| !server.measured);
        let variants = description["variants"].as_array().expect("a list of variants");
        unmeasured
            .into_iter()
            .any(|server| variants.iter().any(|variant| variant["server"] == *server.name))
    };
    let waiting: BTreeSet<String> = descriptions()
        .into_iter()
        .filter_map(|(name, description)| waits(&description).then_some(name))
        .collect();
    let missing: Vec<&String> =
        described.difference(&measured).filter(|name| !waiting.contains(*name)).collect();
    assert!(
        missing.is_empty(),
        "not measured: {missing:?}: `cargo xtask bench --only NAME` does it"
    );
    let lost: Vec<&String> = measured.difference(&described).collect();
    assert!(lost.is_empty(), "no measurements/experiments/NAME.toml describes {lost:?}");
}

/// How a stored description differs from the file, if it does. What the file leaves out has its default.
fn difference(place: &str, described: &Value, stored: &Value) -> Option<String> {
    let defaults = json!({
        "pin": "none", "control": true, "kind": "bars", "log": false, "x_log": false,
        "chart": { "kind": "bars", "log": false, "x_log": false },
    });
    match (described, stored) {
        (Value::Object(described), Value::Object(stored)) => {
            let names: BTreeSet<&String> = described.keys().chain(stored.keys()).collect();
            names.into_iter().find_map(|name| {
                let place = format!("{place}/{name}");
                match (described.get(name), stored.get(name).unwrap_or(&Value::Null)) {
                    (Some(described), stored) => difference(&place, described, stored),
                    (None, Value::Null) => None,
                    (None, stored) if defaults.get(name) == Some(stored) => None,
                    (None, stored) => Some(format!("{place} was {stored}, and is not described")),
                }
            })
        }
        (Value::Array(described), Value::Array(stored)) if described.len() == stored.len() => {
            let mut pairs = described.iter().zip(stored).enumerate();
            pairs.find_map(|(index, (one, other))| {
                difference(&format!("{place}/{index}"), one, other)
            })
        }
        // TOML has whole numbers where JSON has 10.0.
        _ if described == stored
            || (described.is_number() && described.as_f64() == stored.as_f64()) =>
        {
            None
        }
        _ => Some(format!("{place} was {stored}, and now is {described}")),
    }
}

#[test]
fn every_experiment_was_measured_as_it_is_described() {
    let descriptions = descriptions();
    for record in records() {
        let Some((_, described)) = descriptions.iter().find(|(name, _)| *name == record.name)
        else {
            continue;
        };
        if let Some(difference) = difference("", described, &record.json["experiment"]) {
            panic!(
                "{}: {difference}: `cargo xtask bench --only {} --fresh` measures it again, and where only words \
                 or a margin have changed, `cargo xtask redescribe` keeps the figures",
                record.name, record.name
            );
        }
    }
}

#[test]
fn a_difference_between_two_descriptions_is_seen() {
    let table: toml::Table =
        "metric = \"errors\"\nseconds = 4\n[[variants]]\nname = \"a\"\nx = 10\n"
            .parse()
            .expect("it is TOML");
    let described = serde_json::to_value(table).expect("it is JSON too");
    let stored = json!({
        "metric": "errors", "seconds": 4.0, "pin": "none", "baseline": null, "control": true,
        "chart": { "kind": "bars", "log": false, "x_log": false },
        "variants": [{ "name": "a", "x": 10.0 }],
    });
    assert_eq!(difference("", &described, &stored), None);
    for (place, value) in [
        ("/metric", json!("requests")),
        ("/seconds", json!(5.0)),
        ("/pin", json!("apart")),
        ("/control", json!(false)),
        ("/variants/0/x", json!(11.0)),
        ("/variants", json!([])),
        ("/chart/log", json!(true)),
    ] {
        let mut other = stored.clone();
        *other.pointer_mut(place).expect("it is there") = value;
        assert!(difference("", &described, &other).is_some(), "{place}");
    }
}

/// A machine without the build number of its kernel, which the owner of a virtual machine changes now and then. Its
/// memory is in whole GiB, since each build leaves another MiB or two of it. The page names every experiment's kernel.
fn of_one_version(mut machine: Value) -> Value {
    let memory = machine["memory_mib"].as_f64().expect("a size");
    machine["memory_mib"] = (memory / 1024.0).round().into();
    let kernel = machine["kernel"].as_str().expect("a kernel");
    let version = kernel.split('-').next().expect("one part at least").to_owned();
    machine["kernel"] = version.into();
    machine
}

/// The experiments stand beside the ladder's runs, and their servers have kept the contract just before.
#[test]
fn the_experiments_come_from_the_ladders_machine_and_its_passed_tests() {
    let hash = Regex::new("^[0-9a-f]{64}$").expect("it is a pattern");
    let ladder: Value =
        serde_json::from_str(&read("measurements/results/machine.json")).expect("it is JSON");
    for record in records() {
        let name = &record.name;
        let described =
            |file: &Value| (of_one_version(file["machine"].clone()), file["rustc"].clone());
        assert_eq!(described(&record.json), described(&ladder), "{name}: another machine");
        let later = record.json["continued"].as_array().into_iter().flatten();
        for part in later.chain([&record.json]) {
            assert_eq!(part["commit"]["dirty"], false, "{name}: of changed sources");
        }
        let executables = record.json["executables"].as_object().expect("hashes by name");
        for run in record.runs() {
            let server = run["server"][0].as_str().expect("a name");
            let known = executables.iter().any(|(path, sha256)| {
                path.ends_with(&format!("/{server}"))
                    && hash.is_match(sha256.as_str().unwrap_or(""))
            });
            assert!(known, "{name}: no hash of {server}");
            if RUNGS.iter().any(|rung| rung.name == server) {
                let passed = record.json["wire_tests_passed"][server].as_u64();
                assert!(passed > Some(0), "{name}: {server} was measured without its wire tests");
            }
            // A program has no generator.
            let Some(generator) = run["generator"][0].as_str() else {
                let setup = &record.json["experiment"];
                let variants = setup["variants"].as_array().expect("a list of variants");
                let has_program = |setup: &Value| setup["program"].is_string();
                let programs = has_program(setup) || variants.iter().any(has_program);
                assert!(programs, "{name}: a run without a generator");
                continue;
            };
            assert!(record.json["tools"][generator].is_string(), "{name}: which {generator}?");
        }
    }
}

/// All rounds are there, each with a run of each variant that counts.
#[test]
fn no_experiment_is_partial() {
    for record in records() {
        let (name, experiment) = (&record.name, &record.json["experiment"]);
        assert_eq!(record.json["quick"], false, "{name}: only a sketch");
        assert_eq!(record.json["skipped"], json!([]), "{name}: not all could be measured");
        let described = experiment["variants"].as_array().expect("a list of variants");
        let mut variants: Vec<&str> =
            described.iter().map(|variant| variant["name"].as_str().expect("a name")).collect();
        if experiment["control"] == true {
            variants.push("control");
        }
        let metric = experiment["metric"].as_str().expect("a metric");
        for round in 1..=experiment["rounds"].as_u64().expect("a number of rounds") {
            for variant in &variants {
                let counts = record.runs().iter().any(|run| {
                    run["round"] == round
                        && run["variant"] == *variant
                        && run["void"].is_null()
                        && run["figures"][metric].is_number()
                });
                assert!(counts, "{name}: round {round} has no run of {variant} that counts");
            }
        }
    }
}

#[test]
fn the_figures_of_the_experiments_are_those_of_the_raw_output() {
    for record in records() {
        for run in record.runs() {
            let raw = record.raw_of(run);
            // A void run may have ended before its generator said anything.
            if !run["void"].is_null() {
                continue;
            }
            let at = format!("{}: round {}, {}", record.name, run["round"], run["variant"]);
            let number = |pattern: &str| -> Option<f64> {
                let found = Regex::new(pattern).expect("it is a pattern").captures(raw)?;
                found[1].parse().ok()
            };
            let same = |figure: &str, pattern: &str| {
                let printed = number(pattern);
                assert!(printed.is_some(), "{at}: no {pattern} in the raw output");
                assert_eq!(run["figures"][figure].as_f64(), printed, "{at}: {figure}");
            };
            match run["generator"][0].as_str() {
                Some("wrk") => {
                    same("requests_per_second", r"Requests/sec:\s+([\d.]+)");
                    same("requests", r"(\d+) requests in ");
                }
                Some("ab") => {
                    same("requests_per_second", r"Requests per second:\s+([\d.]+)");
                    same("requests", r"Complete requests:\s+(\d+)");
                }
                Some("load") => {
                    same("requests_per_second", r#""requests_per_second":\s*([\d.eE+-]+)"#);
                    same("requests", r#""requests":\s*(\d+)"#);
                }
                _ => assert!(!raw.trim().is_empty(), "{at}: no raw output"),
            }
        }
    }
}

/// A session that is not the book's says what is to be known of it, and has conclusions with their intervals.
#[test]
fn every_session_of_the_log_can_be_compared() {
    let sessions = named("measurements/sessions", "json");
    assert!(sessions.len() > 5, "sessions were taken out of the log: {sessions:?}");
    for (name, path) in sessions {
        let session: Value = serde_json::from_str(&read(&path)).expect("it is JSON");
        let note = session["note"].as_str().expect("a note");
        assert!(!note.is_empty(), "{name}: nobody wrote what is to be known of it");
        let experiments = session["experiments"].as_object().expect("conclusions by name");
        for (experiment, conclusions) in experiments {
            let findings = conclusions["findings"].as_array().expect("a list");
            let has_interval = |it: &Value| it["ratio"].is_null() || it["ratio"]["low"].is_number();
            assert!(findings.iter().all(has_interval), "{name}: {experiment}");
        }
    }
}

/// The directives that show an experiment, each with its name as the first word.
const SHOW: [&str; 13] = [
    "experiment",
    "chart",
    "evidence_raw",
    "median",
    "spread",
    "times",
    "interval",
    "verdict",
    "pin",
    "rounds",
    "voids",
    "law_of",
    "slope",
];

#[test]
fn every_experiment_is_on_its_page() {
    for record in records() {
        let (name, page) = (&record.name, &record.json["experiment"]["page"]);
        let page = page.as_str().expect("the name of a page");
        let path = root().join("book").join(page).with_extension("md");
        assert!(path.is_file(), "{name}: there is no page book/{page}.md");
        let shown = Page::read(&path).directives().iter().any(|directive| {
            SHOW.contains(&directive.name.as_str())
                && directive.rest.split_whitespace().next() == Some(name)
        });
        assert!(shown, "book/{page}.md does not show {name}: {{{{#experiment {name}}}}} would");
    }
}
