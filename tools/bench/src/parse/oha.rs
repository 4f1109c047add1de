//! What `oha --no-tui --output-format json` prints.

use anyhow::{Context, Result};
use records::figures::Figures;
use serde_json::Value;

use super::numbers::require;
use crate::figures;

pub fn parse(text: &str) -> Result<Figures> {
    let report: Value = serde_json::from_str(text).context("oha printed no JSON")?;
    let number = |pointer: &str| report.pointer(pointer).and_then(Value::as_f64);
    // Its times are in seconds.
    let milliseconds = |pointer: &str| number(pointer).map(|seconds| seconds * 1000.0);
    let mut figures = figures::named([
        ("duration_seconds", number("/summary/total")),
        ("requests_per_second", number("/summary/requestsPerSec")),
        ("latency_mean_ms", milliseconds("/summary/average")),
        ("latency_max_ms", milliseconds("/summary/slowest")),
        ("transfer_bytes", number("/summary/totalData")),
        ("latency_p999_ms", milliseconds("/latencyPercentiles/p99.9")),
    ]);
    for percent in ["p50", "p75", "p90", "p95", "p99"] {
        let time = milliseconds(&format!("/latencyPercentiles/{percent}"));
        figures::set(&mut figures, &format!("latency_{percent}_ms"), time);
    }
    let total = |pointer: &str, wanted: &dyn Fn(&str) -> bool| {
        let counts = report.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
        let wanted = counts.filter(|(name, _)| wanted(name));
        wanted.filter_map(|(_, count)| count.as_f64()).fold(0.0, |sum, count| sum + count)
    };
    let (codes, errors) = ("/statusCodeDistribution", "/errorDistribution");
    let ended = |name: &str| name.contains("deadline");
    let late = |name: &str| name.contains("timeout");
    let answered = total(codes, &|_| true);
    let unanswered = total(errors, &ended);
    let failed = total(errors, &|name| !ended(name) && !late(name));
    let late = total(errors, &late);
    let non_2xx = total(codes, &|code| !code.starts_with('2'));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{expect, fixture};

    /// oha counts what it cut off at the end in its rate: 1000 in 2.0 s, of which 950 were answered.
    #[test]
    fn a_server_that_waits() {
        let expected = "requests 950, unanswered 50, sent 1000, errors 0, \
            requests_per_second 499.3535770571048, latency_p50_ms 101.929107, \
            latency_p999_ms 106.864519";
        expect(&parse(&fixture("oha-deadline")).unwrap(), expected);
    }

    #[test]
    fn a_deadline() {
        let text = r#"{"summary":{"successRate":1.0,"total":2.0,"slowest":0.05,"fastest":0.001,"average":0.002,
            "requestsPerSec":500.5,"totalData":4096},"latencyPercentiles":{"p50":0.0015,"p99":0.04,"p99.9":0.05},
            "statusCodeDistribution":{"200":990,"404":1},
            "errorDistribution":{"aborted due to deadline":8,"timeout":1,"Connection refused":2}}"#;
        let figures = parse(text).unwrap();
        let expected = "requests 991, sent 1002, unanswered 8, errors 4, errors_timeout 1, \
            latency_p99_ms 40, latency_p999_ms 50";
        expect(&figures, expected);
        assert_eq!(figures["latency_p75_ms"], None);
        assert!(parse("{}").is_err());
    }
}
