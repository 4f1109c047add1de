//! Parses output in JSON: of `load --json`, of `oha --no-tui --output-format json`, and of a program that is run as an
//! experiment, `{"figures": {"rounds_per_second": 1234.5}}`.

use anyhow::{Context, Result, ensure};
use records::figures::{Figures, check_printed};
use serde_json::Value;

use super::numbers::{require, sum_errors};
use crate::figures;

/// The fields of `load` that have the name of their figure.
const LOAD: &str = "connections_opened opening_seconds idle_connections idle_lost duration_seconds \
    requests requests_per_second sent requests_late due never_sent unanswered \
    errors_connect errors_read errors_write errors_timeout non_2xx transfer_bytes \
    turned_away last_answer_seconds neighbour_requests neighbour_mean_ms neighbour_p999_ms neighbour_errors \
    in_time_per_second neighbour_in_time_per_second";

pub fn load(text: &str) -> Result<Figures> {
    let report: Value = serde_json::from_str(text).context("load printed no JSON")?;
    let mut figures = Figures::new();
    figures::set(&mut figures, "concurrency", number(&report, "/connections"));
    for name in LOAD.split(' ') {
        figures::set(&mut figures, name, number(&report, &format!("/{name}")));
    }
    for name in ["mean", "stdev", "max", "p50", "p75", "p90", "p99", "p999"] {
        let time = number(&report, &format!("/latency/{name}_ms"));
        figures::set(&mut figures, &format!("latency_{name}_ms"), time);
    }
    require("load", &figures, &["requests", "requests_per_second", "concurrency", "sent"])?;
    // A request that load gave up is one that failed. wrk goes on waiting for it.
    // A connection that should have been idle and was not there makes the run another one.
    let kinds = "errors_connect errors_read errors_write errors_timeout non_2xx idle_lost \
        neighbour_errors";
    sum_errors(&mut figures, &kinds.split(' ').collect::<Vec<_>>());
    Ok(figures)
}

/// Returns the number at this place.
fn number(report: &Value, pointer: &str) -> Option<f64> {
    report.pointer(pointer).and_then(Value::as_f64)
}

/// Returns the time at this place in milliseconds; oha's times are in seconds.
fn milliseconds(report: &Value, pointer: &str) -> Option<f64> {
    Some(number(report, pointer)? * 1000.0)
}

/// Sums the counts at this place whose names are wanted.
fn total(report: &Value, pointer: &str, is_wanted: fn(&str) -> bool) -> f64 {
    let counts = report.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    let wanted = counts.filter(|(name, _)| is_wanted(name));
    wanted.filter_map(|(_, count)| count.as_f64()).fold(0.0, |sum, count| sum + count)
}

/// Tells whether oha cut a request off at its end.
fn is_cut_off(error: &str) -> bool {
    error.contains("deadline")
}

/// Tells whether a request timed out.
fn is_late(error: &str) -> bool {
    error.contains("timeout")
}

pub fn oha(text: &str) -> Result<Figures> {
    let report: Value = serde_json::from_str(text).context("oha printed no JSON")?;
    let mut figures = figures::named([
        ("duration_seconds", number(&report, "/summary/total")),
        ("requests_per_second", number(&report, "/summary/requestsPerSec")),
        ("latency_mean_ms", milliseconds(&report, "/summary/average")),
        ("latency_max_ms", milliseconds(&report, "/summary/slowest")),
        ("transfer_bytes", number(&report, "/summary/totalData")),
        ("latency_p999_ms", milliseconds(&report, "/latencyPercentiles/p99.9")),
    ]);
    for percent in ["p50", "p75", "p90", "p95", "p99"] {
        let time = milliseconds(&report, &format!("/latencyPercentiles/{percent}"));
        figures::set(&mut figures, &format!("latency_{percent}_ms"), time);
    }
    let codes = "/statusCodeDistribution";
    let errors = "/errorDistribution";
    let answered = total(&report, codes, |_| true);
    let unanswered = total(&report, errors, is_cut_off);
    let failed = total(&report, errors, |error| !is_cut_off(error) && !is_late(error));
    let late = total(&report, errors, is_late);
    let non_2xx = total(&report, codes, |code| !code.starts_with('2'));
    figures.extend(figures::named([
        ("requests", report.pointer(codes).is_some_and(Value::is_object).then_some(answered)),
        ("unanswered", Some(unanswered)),
        ("sent", Some(answered + unanswered + failed + late)),
        ("errors_timeout", Some(late)),
        ("non_2xx", Some(non_2xx)),
        // What was under way at the end is no error.
        ("errors", Some(failed + late + non_2xx)),
    ]));
    require("oha", &figures, &["requests", "requests_per_second", "duration_seconds"])?;
    Ok(figures)
}

pub fn program(text: &str) -> Result<Figures> {
    let printed: Value =
        serde_json::from_str(text).context("it did not print one JSON object and nothing else")?;
    let mut figures = Figures::new();
    for (name, value) in printed["figures"].as_object().context("it printed no object `figures`")? {
        check_printed(name)?;
        let fits = value.is_number() || value.is_null();
        ensure!(fits, "its figure `{name}` is {value}, which is no number");
        figures::set(&mut figures, name, value.as_f64());
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use records::figures::check_name;

    use super::*;
    use crate::testing::{expect, fixture};

    #[test]
    fn an_open_loop() {
        let text = r#"{"generator":"load","version":"0.1.0","url":"http://127.0.0.1:1/","connections":64,
            "connections_opened":64,"keep_alive":true,"rate":1000.0,"duration_seconds":5.01,"requests":990,
            "requests_per_second":197.6,"sent":1000,"unanswered":10,"errors_connect":1,"errors_read":2,"errors_write":3,
            "errors_timeout":4,"non_2xx":5,"transfer_bytes":12345,"latency":{"corrected":true,"mean_ms":1.5,
            "stdev_ms":0.5,"max_ms":9.0,"p50_ms":1.25,"p75_ms":2.0,"p90_ms":3.0,"p99_ms":8.0,"p999_ms":9.0}}"#;
        let expected = "concurrency 64, requests_per_second 197.6, sent 1000, unanswered 10, errors 15, \
            errors_timeout 4, latency_p50_ms 1.25, latency_p999_ms 9, duration_seconds 5.01";
        expect(&load(text).unwrap(), expected);
        let neighbour = r#"{"neighbour_requests":40,"neighbour_mean_ms":50.5,"neighbour_p999_ms":70.5,"neighbour_errors":2,"#;
        let figures = load(&text.replacen('{', neighbour, 1)).unwrap();
        expect(
            &figures,
            "neighbour_requests 40, neighbour_mean_ms 50.5, neighbour_p999_ms 70.5, errors 17",
        );
        let in_time = r#"{"in_time_per_second":150.5,"neighbour_in_time_per_second":8.25,"#;
        let figures = load(&text.replacen('{', in_time, 1)).unwrap();
        expect(&figures, "in_time_per_second 150.5, neighbour_in_time_per_second 8.25");
        assert!(load("{}").unwrap_err().to_string().contains("printed no requests"));
        assert!(load("load: cannot connect").is_err());
    }

    #[test]
    fn a_deadline() {
        // oha counts what it cut off at the end in its rate: 1000 in 2.0 s, of which 950 were answered.
        let expected = "requests 950, unanswered 50, sent 1000, errors 0, requests_per_second 499.3535770571048, \
            latency_p50_ms 101.929107, latency_p999_ms 106.864519";
        expect(&oha(&fixture("oha-deadline")).unwrap(), expected);
        let text = r#"{"summary":{"successRate":1.0,"total":2.0,"slowest":0.05,"fastest":0.001,"average":0.002,
            "requestsPerSec":500.5,"totalData":4096},"latencyPercentiles":{"p50":0.0015,"p99":0.04,"p99.9":0.05},
            "statusCodeDistribution":{"200":990,"404":1},
            "errorDistribution":{"aborted due to deadline":8,"timeout":1,"Connection refused":2}}"#;
        let figures = oha(text).unwrap();
        let expected = "requests 991, sent 1002, unanswered 8, errors 4, errors_timeout 1, \
            latency_p99_ms 40, latency_p999_ms 50";
        expect(&figures, expected);
        assert_eq!(figures.get("latency_p75_ms"), None);
        assert!(oha("{}").is_err());
    }

    #[test]
    fn a_program_prints_figures() {
        let text = "{\"figures\": {\"rounds_per_second\": 1234.5, \"switches\": 12, \"rss_kib\": null},\n \"more\": [1]}\n";
        let expected =
            [("rounds_per_second", Some(1234.5)), ("rss_kib", None), ("switches", Some(12.0))];
        assert_eq!(program(text).unwrap(), figures::named(expected));
    }

    #[test]
    fn anything_else_is_refused() {
        let not_alone = "one JSON object and nothing else";
        for (text, why) in [
            ("", not_alone),
            ("8 threads: 12 a second", not_alone),
            ("{\"figures\": {}}\nDone.", not_alone),
            ("{\"figures\": {\"a\": 1}", not_alone),
            ("{\"a\": 1}", "no object `figures`"),
            ("[1]", "no object `figures`"),
            ("{\"figures\": {\"a\": \"1\"}}", "`a` is \"1\", which is no number"),
            ("{\"figures\": {\"Rounds\": 1}}", "not `Rounds`"),
            ("{\"figures\": {\"spin_before_ns\": 1}}", "`spin_before_ns` would be"),
            ("{\"figures\": {\"program_seconds\": 1}}", "measures itself"),
        ] {
            let message = format!("{:#}", program(text).unwrap_err());
            assert!(message.contains(why), "{text}: {message}");
        }
        check_name("program_seconds").unwrap();
        assert!(check_name("program_speed").is_err() && check_name("").is_err());
    }
}
