//! What was measured of the rungs with wrk and ab: complete, and the same in the figures as in the tools' own words.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::Value;
use servers::MEASURED;

use super::{
    experiments::{RECORDS, descriptions, is_part},
    repository::{files_below, read, root, short},
};

const BENCHES: [&str; 4] = ["wrk-sleep", "ab-tenth", "wrk-root", "wrk-root-keepalive"];

/// One run: its JSON and the tool's output.
struct Run {
    name: String,
    json: Value,
    raw: String,
}

impl Run {
    /// The first number that the pattern finds in the raw output.
    #[track_caller]
    fn raw(&self, pattern: &str) -> Option<f64> {
        let pattern = Regex::new(pattern).expect("it is a pattern");
        let found = pattern.captures(&self.raw)?;
        Some(
            found[1]
                .parse()
                .unwrap_or_else(|error| panic!("{}: {error}: {}", self.name, &found[0])),
        )
    }

    /// Asserts that a figure is the number that the pattern finds.
    #[track_caller]
    fn same(&self, figure: &str, pattern: &str) {
        let number = self.raw(pattern);
        let number =
            number.unwrap_or_else(|| panic!("{}: no {pattern} in the raw output", self.name));
        self.is(figure, number);
    }

    #[track_caller]
    fn is(&self, figure: &str, number: f64) {
        assert_eq!(self.json["figures"][figure].as_f64(), Some(number), "{}: {figure}", self.name);
    }

    /// A text that is there and says something.
    #[track_caller]
    fn text(&self, path: &str) -> &str {
        let text = self.json.pointer(path).and_then(Value::as_str).unwrap_or_default();
        assert!(!text.trim().is_empty(), "{}: {path} is empty", self.name);
        text
    }
}

/// Every run that the book shows.
#[track_caller]
fn runs() -> Vec<Run> {
    let folder = root().join("measurements/results");
    let runs = MEASURED.iter().flat_map(|rung| BENCHES.map(|bench| format!("{rung}/{bench}")));
    let missing: Vec<String> =
        runs.clone().filter(|name| !folder.join(format!("{name}.json")).is_file()).collect();
    assert!(missing.is_empty(), "not measured: {}: run `cargo xtask bench`", missing.join(", "));
    let read_run = |name: String| {
        let json = read(format!("measurements/results/{name}.json"));
        let json =
            serde_json::from_str(&json).unwrap_or_else(|error| panic!("{name}.json: {error}"));
        let raw = read(format!("measurements/results/{name}.txt"));
        Run { name, json, raw }
    };
    runs.map(read_run).collect()
}

#[test]
fn every_rung_was_measured_with_every_benchmark() {
    for run in runs() {
        let (rung, bench) = run.name.split_once('/').expect("rung/bench");
        assert_eq!((run.text("/rung"), run.text("/bench")), (rung, bench));
        assert_eq!(run.json["quick"], false, "{}: only a sketch", run.name);
        assert_eq!(run.json["void"], false, "{}: too many errors", run.name);
        assert!(!run.raw.trim().is_empty(), "{}: no raw output", run.name);
    }
}

#[test]
fn nothing_else_lies_among_the_results() {
    let runs = MEASURED
        .iter()
        .flat_map(|rung| BENCHES.map(|bench| format!("measurements/results/{rung}/{bench}")));
    let mut known: BTreeSet<String> =
        runs.flat_map(|run| [format!("{run}.json"), format!("{run}.txt")]).collect();
    known.insert("measurements/results/machine.json".to_owned());
    for (name, _) in descriptions() {
        for end in ["json", "txt"] {
            known.insert(format!("{RECORDS}/{name}.{end}"));
        }
    }
    known.extend(MEASURED.iter().map(|rung| format!("measurements/results/observed/{rung}.json")));
    for path in files_below(&root().join("measurements/results")) {
        if is_part(&path) {
            continue;
        }
        assert!(known.contains(&short(&path)), "{} belongs to no run", short(&path));
    }
}

#[test]
fn the_commands_are_those_of_the_sources() {
    for run in runs() {
        let argv = run.json["tool"]["argv"].as_array().expect("a list");
        let argv: Vec<&str> = argv.iter().filter_map(Value::as_str).collect();
        let (url, options) = argv.split_last().expect("a URL");
        let options = options.join(" ");
        let (_, bench) = run.name.split_once('/').expect("rung/bench");
        let (expected, route) = match bench {
            "wrk-sleep" => ("wrk -t12 -c500 -d20s", "/sleep"),
            "ab-tenth" => ("ab -c 100 -n 10000", "/tenth"),
            _ => ("wrk -t8 -c500 -d30s", "/"),
        };
        let same = match run.json["reduced"]["requests"].as_u64() {
            None => options == expected,
            Some(requests) => options == expected.replace("10000", &requests.to_string()),
        };
        assert!(same, "{}: {options}", run.name);
        assert!(
            url.starts_with("http://127.0.0.1:") && url.ends_with(route),
            "{}: {url}",
            run.name
        );
        let server = run.json["server"]["argv"].as_array().expect("a list");
        let keeps = server.iter().any(|flag| flag == "--keep-alive");
        assert_eq!(keeps, bench == "wrk-root-keepalive", "{}", run.name);
    }
}

#[test]
fn the_figures_are_those_of_the_raw_output() {
    for run in runs() {
        if run.name.ends_with("/ab-tenth") {
            run.same("requests", r"Complete requests:\s+(\d+)");
            run.same("failed", r"Failed requests:\s+(\d+)");
            run.same("requests_per_second", r"Requests per second:\s+([\d.]+)");
            run.same("duration_seconds", r"Time taken for tests:\s+([\d.]+) seconds");
            run.same("concurrency", r"Concurrency Level:\s+(\d+)");
            run.is("non_2xx", run.raw(r"Non-2xx responses:\s+(\d+)").unwrap_or(0.0));
            run.same("latency_p50_ms", r"\n\s+50%\s+(\d+)");
            run.same("latency_p99_ms", r"\n\s+99%\s+(\d+)");
        } else {
            run.same("requests", r"(\d+) requests in ");
            run.same("requests_per_second", r"Requests/sec:\s+([\d.]+)");
            run.same("tool_threads", r"(\d+) threads and");
            // Each thread opens the same number, and wrk says nothing of the rest that nobody opens.
            let threads = run.raw(r"(\d+) threads and").expect("it was just there");
            let asked = run.raw(r"(\d+) connections").expect("wrk says how many it was asked for");
            run.is("concurrency", (asked / threads).floor() * threads);
            // wrk leaves out what did not happen.
            run.is("errors_connect", run.raw(r"Socket errors: connect (\d+)").unwrap_or(0.0));
            run.is("errors_read", run.raw(r"Socket errors: .*read (\d+)").unwrap_or(0.0));
            run.is("errors_write", run.raw(r"Socket errors: .*write (\d+)").unwrap_or(0.0));
            run.is("timeouts", run.raw(r"Socket errors: .*timeout (\d+)").unwrap_or(0.0));
            run.is("non_2xx", run.raw(r"Non-2xx or 3xx responses: (\d+)").unwrap_or(0.0));
        }
    }
}

/// A run counts only if at most one answer in a thousand was wrong.
#[test]
fn no_run_has_more_errors_than_it_may() {
    for run in runs() {
        let figure = |name: &str| run.json["figures"][name].as_f64().unwrap_or(0.0);
        let requests = figure("requests");
        assert!(requests > 0.0, "{}: no request was answered", run.name);
        let errors = figure("errors_connect")
            + figure("errors_read")
            + figure("errors_write")
            + figure("non_2xx");
        assert!(
            errors <= requests / 1000.0,
            "{}: {errors} errors in {requests} requests",
            run.name
        );
    }
}

#[test]
fn the_run_and_the_machine_are_described() {
    let hash = Regex::new("^[0-9a-f]{64}$").expect("it is a pattern");
    let commit = Regex::new("^[0-9a-f]{40}$").expect("it is a pattern");
    let date = Regex::new(r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d").expect("it is a pattern");
    for run in runs() {
        assert!(hash.is_match(run.text("/server/sha256")), "{}", run.name);
        assert!(commit.is_match(run.text("/commit/head")), "{}", run.name);
        assert!(date.is_match(run.text("/date")), "{}", run.name);
        assert!(
            run.text("/server/listening").contains("listening on http://127.0.0.1:"),
            "{}",
            run.name
        );
        assert!(run.text("/rustc").starts_with("rustc 1."), "{}", run.name);
        for path in [
            "/source",
            "/tool/version",
            "/machine/cpu_model",
            "/machine/kernel",
            "/machine/operating_system",
            "/noisy_reason",
            "/pinning",
        ] {
            run.text(path);
        }
        for path in ["/machine/physical_cores", "/machine/hardware_threads", "/machine/memory_mib"]
        {
            let number = run.json.pointer(path).and_then(Value::as_u64);
            assert!(number.is_some_and(|number| number > 0), "{}: {path}", run.name);
        }
        let passed = run.json["wire_tests_passed"].as_u64();
        assert!(
            passed.is_some_and(|passed| passed > 0),
            "{}: measured without the wire tests",
            run.name
        );
    }
}

/// The list of the sessions is what a reader sees of how the figures came about.
#[test]
fn the_sessions_hold_each_run_once() {
    let file: Value =
        serde_json::from_str(&read("measurements/results/machine.json")).expect("it is JSON");
    let sessions = file["sessions"].as_array().expect("a list");
    let mut listed: Vec<&str> = sessions
        .iter()
        .flat_map(|session| session["order"].as_array().expect("a list"))
        .map(|name| name.as_str().expect("a name"))
        .collect();
    listed.sort_unstable();
    let runs = runs();
    let mut names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(listed, names);
    for run in &runs {
        assert_eq!(run.json["machine"], file["machine"], "{}", run.name);
        assert_eq!(run.json["rustc"], file["rustc"], "{}", run.name);
    }
}

/// Figures of two rungs may be compared only if all else was equal.
#[test]
fn all_runs_come_from_one_machine_and_one_compiler() {
    let runs = runs();
    for what in ["/machine", "/rustc", "/commit/sources", "/pinning"] {
        let all: BTreeSet<String> = runs
            .iter()
            .map(|run| run.json.pointer(what).unwrap_or(&Value::Null).to_string())
            .collect();
        assert_eq!(all.len(), 1, "{what} differs between the runs: {all:?}");
    }
}
